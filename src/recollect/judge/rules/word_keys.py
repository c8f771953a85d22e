"""The key of an English word: its forms ("slices", "slicing", "sliced") and synonyms have the same key.

The stemmer is light on purpose: it removes plural, past and progressive endings only, because one that also joins "operator"
and "operation" would merge memories. Words of other languages hardly change, and in both texts of a pair in the same way.
"""

from __future__ import annotations

_VOWELS = frozenset("aeiouy")


def listed(words: str) -> frozenset[str]:
    """The words of a list written as one string, as all word lists of the rules are."""
    return frozenset(words.split())


# base form -> irregular forms
_IRREGULAR = {
    "be": "is are was were been being am 're 'm", "become": "became", "begin": "began begun", "bite": "bit bitten",
    "blow": "blew blown", "break": "broke broken", "bring": "brought", "build": "built", "buy": "bought",
    "catch": "caught", "choose": "chose chosen", "cling": "clung", "come": "came", "deal": "dealt",
    "die": "dying died dies", "do": "does did done doing", "draw": "drew drawn", "dig": "dug",
    "drink": "drank drunk", "drive": "drove driven", "eat": "ate eaten", "fall": "fell fallen", "feed": "fed",
    "feel": "felt", "fight": "fought", "find": "found", "fly": "flew flown flies", "forbid": "forbade forbidden",
    "forget": "forgot forgotten", "freeze": "froze frozen", "get": "got gotten", "give": "gave given",
    "go": "goes went gone going", "grow": "grew grown", "hang": "hung", "have": "has had having", "hear": "heard",
    "hide": "hid hidden", "hold": "held", "keep": "kept", "know": "knew known", "lay": "laid", "lead": "led",
    "leap": "leapt", "leave": "left", "lie": "lying lies", "light": "lit", "lose": "lost losing", "make": "made",
    "mean": "meant", "meet": "met", "move": "moving", "pay": "paid", "ride": "rode ridden", "ring": "rang rung",
    "rise": "rose risen", "run": "ran", "say": "said", "see": "saw seen seeing", "sell": "sold", "send": "sent",
    "shake": "shook shaken", "shine": "shone", "shoot": "shot", "show": "shown", "sing": "sang sung",
    "sink": "sank sunk", "sit": "sat", "sleep": "slept", "speak": "spoke spoken", "spend": "spent", "spin": "spun",
    "stand": "stood", "steal": "stole stolen", "stick": "stuck", "strike": "struck", "swim": "swam swum",
    "swing": "swung", "take": "took taken", "teach": "taught", "tear": "tore torn", "tell": "told",
    "think": "thought", "throw": "threw thrown", "tie": "tying", "understand": "understood",
    "use": "using used uses", "wake": "woke woken", "wear": "wore worn", "win": "won", "write": "wrote written",
    "child": "children", "foot": "feet", "goose": "geese", "knife": "knives", "leaf": "leaves", "life": "lives'",
    "man": "men", "mouse": "mice", "person": "people persons", "shelf": "shelves", "tooth": "teeth",
    "wife": "wives", "wolf": "wolves", "woman": "women", "bus": "buses", "this": "these", "that": "those",
}  # fmt: skip
BASES: dict[str, str] = {form: base for base, forms in _IRREGULAR.items() for form in forms.split()}

_PRESENT = listed(
    "is are being am 're 'm does doing has having goes going flies dies dying lies lying losing moving"
    " seeing tying uses using"
    " children feet geese knives leaves men mice people persons shelves teeth wives wolves women buses"
    " these those"
)
PAST_FORMS: frozenset[str] = frozenset(BASES) - _PRESENT


def stem(word: str) -> str:
    """The key of a lower-case word: its base form, without the silent e of longer words."""
    base = BASES.get(word)
    if base is not None:
        return base
    if len(word) > 3:
        word = _without_ending(word)
    return word[:-1] if len(word) > 4 and word[-1] == "e" else word


def _without_ending(word: str) -> str:
    last = word[-1]
    if last == "s":
        return _singular(word)
    if last not in "gd":
        return word
    if word.endswith("ing") and len(word) > 4 and _has_vowel(word[:-3]):
        return _restored(word[:-3])
    if word.endswith("ied"):
        return word[:-3] + "y"
    if word.endswith("ed") and not word.endswith("eed") and len(word) > 4 and _has_vowel(word[:-2]):
        return _restored(word[:-2])
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def _restored(stump: str) -> str:
    """Undo what English does before -ing and -ed: running -> run, riding -> ride, opening -> open."""
    if len(stump) > 2 and stump[-1] == stump[-2] and stump[-1] not in "lsz":
        return stump[:-1]
    closed = len(stump) > 2 and stump[-1] not in _VOWELS and stump[-1] not in "wx"
    if closed and stump[-2] in _VOWELS and stump[-3] not in _VOWELS:
        return stump + "e"
    return stump


def _has_vowel(part: str) -> bool:
    return any(letter in _VOWELS for letter in part)


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
