"""The word classes the rules know: words to ignore, negations, words that announce a change, verbs with many values.

Used by `analysis` (which words have content) and by `frames` (which statements have one value at a time). A word is listed
because of its grammar, not because it occurs in a test set. Keys are those of `word_keys`.
"""

from __future__ import annotations

from recollect.judge.rules.word_keys import key, listed


def keys(words: str) -> frozenset[str]:
    """The keys of the words of a list."""
    return frozenset(map(key, words.split()))


INDEFINITE = listed("a an some one any another")
DETERMINERS = (INDEFINITE - {"any", "another"}) | listed(
    "the this these those der das dem den ein eine einen le les une el los las"
)
COPULAS = listed("is are was were be been being am ist sind war est sont était está é è foi sono")
PAST_COPULAS = listed("was were war était foi")
PRONOUNS = listed("i we you he she it they me us")
POSSESSIVES = listed("my our your his her their its mine ours")
RELATIVES = keys("which who that whose")

# Ignored where only one text has them: they change no value.
FILLERS = RELATIVES | keys("of also too there really just please simply basically currently so then ok well do kindly")
LABELS = listed(
    "note todo fyi reminder important info fact preference decision remember nb hint tip please so ok okay hey"
)

NEGATIONS = listed(
    "not no never none nobody nothing nowhere neither nor without cannot non nicht kein keine keinen keiner nie"
    " niemals ohne nichts pas jamais aucun aucune rien sans nunca jamás sin tampoco ningún ninguna não sem nenhum"
    " nenhuma mai senza nessun nessuno niet geen nooit zonder не нет ни никогда без нельзя ничего لا ليس ليست لم"
    " لن بدون غير"
)
NEGATIONS_CJK = ("ではない", "じゃない", "くない", "ません", "なかった", "ない", *"不没無无别非")

# Words of the new text that say that a value was replaced. They have no content of their own.
CHANGES = listed(
    "now nowadays anymore actually correction henceforth jetzt nunmehr désormais maintenant ahora agora adesso теперь"
)
ENDINGS = keys("stop stopped quit abandon drop dropped ditch discontinue deprecate remove retire cease")
ADDITIONS = listed("also too additionally another besides plus both")

_OPPOSITES = (
    "enable disable", "on off", "open close", "allow deny forbid block", "accept reject", "start stop",
    "up down", "in out", "big small", "large little tiny", "old young new", "hot cold", "fast slow",
    "quickly slowly", "high low", "long short", "early late", "before after", "inside outside",
    "indoors outdoors", "public private", "true false", "yes no", "pass fail", "success failure",
    "always never sometimes", "all none some", "with without", "over under", "above below", "left right",
    "required optional", "mandatory optional", "safe unsafe dangerous", "stable unstable",
    "active inactive passive", "sync async", "synchronous asynchronous", "online offline", "manual automatic",
    "manually automatically", "dark light", "more less fewer", "increase decrease", "raise lower", "add remove",
    "include exclude", "love hate", "like dislike hate", "push pull", "upload download", "import export",
    "read write", "empty full", "first last", "min max", "minimum maximum", "win lose", "buy sell",
    "alive dead", "easy hard difficult", "good bad", "best worst", "better worse", "man woman", "boy girl",
    "male female", "black white", "near far", "possible impossible", "valid invalid", "signed unsigned",
    "locked unlocked", "mutable immutable", "encrypted unencrypted plaintext", "tabs spaces", "done pending",
    "finished unfinished", "approved rejected", "strict lenient", "verbose terse", "broken working",
    "green red", "vegetarian carnivore", "single married", "ascending descending", "internal external",
    "upstream downstream", "client server", "sit stand lie", "day night", "am pm",
    "monday tuesday wednesday thursday friday saturday sunday", "front back", "into out", "wet dry",
    "clean dirty", "tall short", "single double triple", "north south", "east west", "morning evening",
    "merge rebase", "wake sleep", "whisper shout", "happy sad", "cheap expensive",
)  # fmt: skip


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in map(keys, _OPPOSITES):
        for word in group:
            found[word] = found.get(word, frozenset()) | (group - {word})
    return found


ANTONYMS: dict[str, frozenset[str]] = _opposites()

PREPOSITIONS = keys(
    "in on at to for from with by of as via into onto upon over under about through across behind after before"
    " near between around against along off out during since until per than within without auf mit für bei"
    " von zu en con para por avec dans sur pour chez"
)

# Statements with these verbs have one value at a time: a second value replaces the first.
SINGLE = keys(
    "live reside work deploy listen run host store log report belong default point resolve expire cost weigh"
    " build format lint pin measure graduate rename name call locate found bear marry study schedule release ship"
    " publish authenticate indent sign route proxy lauscht läuft wohnt heißt arbeitet habite travaille vive"
    " trabaja start end"
)
# ... and these only for amounts ("keeps logs for 30 days"); other objects can be many.
COUNTED = keys(
    "have keep retain retry cache limit allow wait poll take set bump start end close sleep rotate last hold"
    " serve contain return need require support own use cap back happen use accept fetch sync refresh renew page"
    " alert batch charge pay give"
)
# Many values at a time: a second one is an addition, not a change.
MANY = keys(
    "like love enjoy speak know have own play want hate dislike support need require contain include offer eat"
    " drink read teach cover handle depend import export call expose fear collect provide accept manage help watch"
    " follow use see meet visit buy mention discuss attend join try add create fix write make get find learn send"
    " win travel go come say tell ask think feel"
)
MANY_COMPLEMENTS = keys(
    "allergic friend friends fan interested member compatible related good bad available used use tested reviewed"
    " reported approved mentioned supported working aware able afraid proud colleague hobby interest pet similar"
    " connected called seen visited covered excited worried happy part one based blocked affected backed"
    " documented described tagged linked caused fixed inspired invited known between like responsible skilled"
    " fluent"
)
EXCLUSIVE = keys("prefer choose favor favour pick recommend")
SOLE = keys("own lead maintain head chair manage")  # usually one subject for one object

# Nouns that name an attribute: "the <noun> of x is y" and "our <noun> is y" have one value at a time.
ATTRIBUTES = keys(
    "port version name command branch owner lead leader capital author deadline database db language framework"
    " region url path address timeout limit color colour size editor theme tool manager director chair chairperson"
    " president minister head boss ceo cto officer host hostname domain endpoint key id type kind format style"
    " convention location place headquarters office city country continent timezone zone currency price cost"
    " budget rate status state phase stage priority level mode default maintainer reviewer contact phone email"
    " birthday age height weight job title role position team employer school university spouse wife husband"
    " partner child father mother doctor model engine runtime interpreter compiler shell os platform provider"
    " registry bucket queue broker backend frontend server cluster namespace interval frequency schedule date time"
    " day start end goal target license licence sport religion broadcaster company producer founder performer"
    " creator developer genre music field nationality citizenship citizen password username account plan tier"
    " indentation width length threshold window count number maximum minimum replica replicas ttl retention"
    " duration cadence meeting standup release formatter linter bundler orm driver client library store cache"
    " proxy orchestrator scheduler strategy approach policy rule pronoun favourite favorite oncall on-call lunch"
    " breakfast dinner drink food car phone laptop machine wifi vpn birthplace residence home hometown diet"
)
# A number right after one of these is a name ("service 2"), not an amount.
LABELLED = keys(
    "service server node shard step phase chapter issue ticket pr bug sprint task item worker replica instance"
    " team room floor question option case test story epic milestone iteration round part section page line column"
    " row player user group machine cluster zone queue commit revision release pod channel lane stage level layer"
    " gate door house building flight bus route"
) | {"#"}

# Where or for whom something is true: another one is another subject.
CONTEXTS = keys(
    "staging production prod dev development test testing local ci qa sandbox preview frontend backend mobile"
    " desktop ios android web windows linux macos mac client server billing"
) - keys("client server billing")
