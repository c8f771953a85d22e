"""Small groups of words that a reader takes for one another, as one key each.

Read by `analysis`. Modest on purpose: everyday English and the short forms of software work. A pair stands here
only if swapping it in a sentence hardly ever changes what is claimed; measured on SICK, where hyponyms
("man"/"person", "guitar"/"instrument") cost far more precision than they bring recall.
"""

from __future__ import annotations

from recollect.judge.rules.stems import stem

_GROUPS = (
    # people and things
    "woman lady", "child kid", "man guy bloke gentleman", "someone somebody", "nobody no-one",
    "everyone everybody", "father dad", "mother mom mum", "couch sofa", "road street", "grass lawn",
    "bike bicycle", "motorcycle motorbike", "car automobile", "rabbit bunny",
    "plane airplane aeroplane aircraft", "phone telephone", "photo photograph picture", "shop store",
    "beach shore seashore", "sunglasses shades", "hat cap", "pan skillet", "gun firearm", "stairs steps",
    "stone rock", "film movie", "trail path track", "puppy pup", "seat chair",
    # doing
    "cut slice chop dice", "leap jump", "hit strike", "throw hurl toss", "battle fight", "talk speak chat",
    "mix stir blend", "scare frighten", "devour eat", "stroll walk pace", "repair fix", "purchase buy",
    "begin start", "finish complete", "wash clean", "put place", "crack break", "practise practice",
    "sprinkle scatter", "stare gaze",
    # describing
    "big large huge", "small little tiny", "quick rapid fast swift", "quickly rapidly swiftly",
    "outdoors outside outdoor", "indoors inside indoor", "careful cautious", "carefully cautiously",
    "every all", "incorrect wrong", "favourite favorite", "colour color", "grey gray", "near nearby",
    "sad unhappy", "glad happy", "silently quietly", "muddy dirty",
    # software work
    "database db", "configuration config", "repository repo", "production prod", "environment env",
    "kubernetes k8s", "javascript js", "typescript ts", "postgres postgresql", "documentation docs",
    "application app", "directory folder dir", "development dev", "administrator admin",
    "authentication authn auth", "authorization authz", "dependency dep", "parameter param", "argument arg",
    "package pkg", "specification spec", "information info", "use utilise utilize", "max maximum",
    "min minimum", "credentials creds", "organization organisation org", "pull-request pr", "github gh",
    "delete remove erase", "ceo chief-executive-officer",
)  # fmt: skip

SYNONYMS: dict[str, str] = {
    stem(word): stem(words[0]) for words in (group.split() for group in _GROUPS) for word in words[1:]
}


def key(word: str) -> str:
    """The key under which a lower-case word is compared: its stem, or the first of its group."""
    stemmed = stem(word)
    return SYNONYMS.get(stemmed, stemmed)
