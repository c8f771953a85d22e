"""The probe for calibration: typical memories, each with a paraphrase and a question it answers; embedded once per model.

`calibration` measures on them which cosine a model gives to texts that belong together and to texts that do not: no two
entries are about the same thing. Changing a sentence changes every measured calibration: the constants in `models` must then
be measured again (a test compares them).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProbeEntry:
    """One memory, a paraphrase of it, and a question it answers."""

    text: str
    paraphrase: str
    question: str


_CHAT = (
    ProbeEntry(
        "I finally went hiking in the mountains last weekend.",
        "Last weekend I at last took a hike in the mountains.",
        "Where did I go hiking?",
    ),
    ProbeEntry(
        "My sister is getting married in October.",
        "In October my sister will have her wedding.",
        "When is my sister's wedding?",
    ),
    ProbeEntry(
        "I've been feeling really tired since I changed jobs.",
        "Ever since my job change I have felt very tired.",
        "Why have I been so tired lately?",
    ),
    ProbeEntry(
        "We adopted a puppy and named him Biscuit.",
        "We got a little dog from the shelter and called him Biscuit.",
        "What is the name of our dog?",
    ),
    ProbeEntry(
        "The concert got cancelled because of the storm.",
        "Because of the storm the concert did not take place.",
        "Why was the concert called off?",
    ),
    ProbeEntry(
        "I can't believe how expensive groceries are now!",
        "It is shocking how much groceries cost these days!",
        "How do I feel about the price of groceries?",
    ),
    ProbeEntry(
        "My grandmother taught me how to knit.",
        "I learned knitting from my grandmother.",
        "Who taught me to knit?",
    ),
    ProbeEntry(
        "Thanks, the recipe you sent turned out great.",
        "The dish came out very well with your recipe, thank you.",
        "How did the recipe turn out?",
    ),
    ProbeEntry(
        "I broke my wrist playing volleyball.",
        "While playing volleyball I fractured my wrist.",
        "How did I break my wrist?",
    ),
    ProbeEntry(
        "He is moving to Lisbon for his studies.",
        "He will relocate to Lisbon to study there.",
        "Where is he going to study?",
    ),
)

_FACTS = (
    ProbeEntry(
        "The billing service stores its data in PostgreSQL 16.",
        "PostgreSQL 16 is the database of the billing service.",
        "Which database does the billing service use?",
    ),
    ProbeEntry(
        "Release 2.4 is planned for the third of May.",
        "We intend to ship version 2.4 on May 3rd.",
        "When does version 2.4 come out?",
    ),
    ProbeEntry(
        "Login sessions expire after thirty minutes of inactivity.",
        "A user is logged out after half an hour idle.",
        "How long until an idle user is logged out?",
    ),
    ProbeEntry(
        "The mobile team is led by Priya Natarajan.",
        "Priya Natarajan heads the team that makes the mobile app.",
        "Who leads the mobile team?",
    ),
    ProbeEntry(
        "Images are resized by a worker that reads from a queue.",
        "A queue consumer does the resizing of pictures.",
        "How are images resized?",
    ),
    ProbeEntry(
        "The office in Hamburg has about forty employees.",
        "Roughly forty people work at the Hamburg office.",
        "How many people work in Hamburg?",
    ),
    ProbeEntry(
        "Nightly backups are kept for ninety days.",
        "We retain the backups made each night for three months.",
        "How long do we keep backups?",
    ),
    ProbeEntry(
        "The parser fails on files larger than two gigabytes.",
        "Files above 2 GB make the parser crash.",
        "What makes the parser crash?",
    ),
    ProbeEntry(
        "Our search page answers in 80 milliseconds on average.",
        "The mean response time of search is 80 ms.",
        "How fast is the search page?",
    ),
    ProbeEntry(
        "The customer signed a contract for three years.",
        "A three-year contract was signed by the customer.",
        "How long does the customer's contract run?",
    ),
)

_PREFERENCES = (
    ProbeEntry(
        "I prefer tabs over spaces in Go code.",
        "For Go source I like tabs better than spaces.",
        "Should Go code be indented with tabs or spaces?",
    ),
    ProbeEntry(
        "Please answer in short sentences.",
        "Keep your replies brief, please.",
        "How long should my answers be?",
    ),
    ProbeEntry(
        "She is allergic to peanuts.",
        "She has a peanut allergy.",
        "Does she have any allergies?",
    ),
    ProbeEntry(
        "I only drink coffee in the morning.",
        "Coffee is something I have just in the mornings.",
        "When do I drink coffee?",
    ),
    ProbeEntry(
        "Never push directly to the main branch.",
        "Do not commit straight to main.",
        "May I push to the main branch?",
    ),
    ProbeEntry(
        "He likes window seats on long flights.",
        "On long flights he wants to sit by the window.",
        "Which seat does he want on a long flight?",
    ),
    ProbeEntry(
        "Use dark mode in every screenshot.",
        "All screenshots should show the dark theme.",
        "Which theme should screenshots use?",
    ),
    ProbeEntry(
        "My favourite author is Ursula Le Guin.",
        "The writer I like most is Ursula Le Guin.",
        "Who is my favourite writer?",
    ),
    ProbeEntry(
        "We avoid meetings on Fridays.",
        "On Fridays we try not to schedule meetings.",
        "Can we schedule the meeting on a Friday?",
    ),
    ProbeEntry(
        "I would rather read documentation than watch videos.",
        "Written docs suit me more than video tutorials.",
        "Do I like video tutorials?",
    ),
)

_PROCEDURES = (
    ProbeEntry(
        "To rotate the API key, create a new one first, then delete the old.",
        "Rotate API keys by adding the new key before removing the former one.",
        "How do I rotate the API key?",
    ),
    ProbeEntry(
        "Run the linter before opening a pull request.",
        "Before you open a pull request, the linter must be run.",
        "What must be done before opening a pull request?",
    ),
    ProbeEntry(
        "If the printer jams, open the rear tray and pull the paper out.",
        "When paper gets stuck in the printer, take it out through the tray at the back.",
        "What do I do about a paper jam in the printer?",
    ),
    ProbeEntry(
        "Soak the beans overnight before cooking them.",
        "Beans have to lie in water for a night and are cooked afterwards.",
        "How should the beans be prepared?",
    ),
    ProbeEntry(
        "Restart the cache server when memory goes above ninety percent.",
        "Once memory use exceeds 90 %, the cache server should be restarted.",
        "What do we do when the cache server runs out of memory?",
    ),
    ProbeEntry(
        "Expense reports must be approved by two managers.",
        "Two managers have to sign off every expense report.",
        "Who has to approve an expense report?",
    ),
    ProbeEntry(
        "Water the orchids once a week with rainwater.",
        "Give the orchids rainwater every week.",
        "How often do the orchids need water?",
    ),
    ProbeEntry(
        "Check the tyre pressure before a long drive.",
        "Before driving far, make sure that the tyres have enough air.",
        "What should I check before a long drive?",
    ),
    ProbeEntry(
        "To undo a migration, restore the snapshot taken just before it.",
        "A migration is reverted by going back to the snapshot made right before.",
        "How can a migration be undone?",
    ),
    ProbeEntry(
        "Tag the container image with the commit hash.",
        "The hash of the commit is used as the tag of the container image.",
        "How do we tag container images?",
    ),
)

PROBE: tuple[ProbeEntry, ...] = (*_CHAT, *_FACTS, *_PREFERENCES, *_PROCEDURES)
