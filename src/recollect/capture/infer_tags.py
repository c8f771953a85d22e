"""Infer tags from a text: topics by their cue words, names of people and products, languages by file paths.

Precision matters more than recall, because an inferred tag is stored as if the user had given it. Of a topic's words the
first ones are strong cues, of which one is enough; those after the bar are weak, and two different ones are needed. A word
that also has an everyday meaning is weak or absent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cache

from recollect.values.patterns import compiled
from recollect.values.terms import STOP_WORDS

STRONG, WEAK = 2, 1

_TOPICS = {
    "database": """database postgres postgresql mysql mariadb sqlite mongodb dynamodb sql redis sqlalchemy orm duckdb
        cassandra pgvector clickhouse | table query schema transaction replica row column index""",
    "deploy": "deploy deployment deployed deploying rollback heroku vercel netlify | release staging production prod",
    "testing": """pytest unittest jest vitest playwright cypress junit mocha testing integration-test unit-test coverage
        tdd | test fixture mock assertion flaky suite""",
    "auth": "auth oauth oauth2 jwt sso saml authentication authorization login logout oidc | session cookie token password",
    "security": "security vulnerability vulnerabilities xss csrf cve encryption firewall malware phishing | attack secret",
    "performance": "latency throughput profiling benchmark bottleneck | performance slow cache speed fast optimize",
    "frontend": """frontend css scss tailwind react vue svelte angular webpack vite nextjs | component button layout
        browser page responsive""",
    "api": "api endpoint graphql grpc openapi swagger webhook | http request versioning rest-api",
    "ci": "ci ci/cd jenkins circleci github-actions gitlab-ci | pipeline build workflow runner merge",
    "docker": "docker dockerfile docker-compose podman | container image",
    "kubernetes": "kubernetes k8s kubectl helm eks gke | cluster pod namespace",
    "cloud": "aws gcp azure terraform cloudformation ec2 cloudflare | bucket region lambda cluster",
    "git": "git rebase gitignore force-push pull-request git-hook | branch commit merge push repository repo",
    "logging": "logging logger stacktrace println opentelemetry datadog grafana prometheus | log trace metric alert",
    "billing": "billing invoice stripe checkout paypal | subscription payment charge refund customer",
    "docs": "documentation readme changelog docstring | docs guide page wiki",
    "style": """linting linter eslint prettier formatter ruff rustfmt gofmt | biome black lint format style naming
        indent tabs spaces""",
    "config": "config configuration env-var dotenv | settings environment variable flag default",
    "machine learning": "pytorch tensorflow llm embeddings fine-tuning scikit-learn | model training inference dataset",
    "mobile": "ios android swiftui jetpack xcode | app phone simulator emulator",
    "python": "python pip django flask fastapi numpy pandas mypy pyproject virtualenv | venv poetry uv",
    "rust": "rustc cargo clippy rustup | rust crate borrow",
    "typescript": "typescript tsconfig tsc",
    "javascript": "javascript npm pnpm yarn nodejs node.js | node",
    "go": "golang goroutine gofmt | go.mod",
    "travel": """travel traveling travelling traveled flight airport hotel passport itinerary airbnb roadtrip road-trip
        vacation | trip visit visited tour beach plane luggage abroad""",
    "health": """doctor hospital allergy allergic medication therapist surgery diagnosis diagnosed asthma diabetes dentist
        migraine vaccine | health pain sick medicine sleep therapy appointment symptom""",
    "food": """recipe restaurant vegetarian vegan cooking baking gluten cuisine pizza sushi pasta | dinner lunch breakfast
        cook bake eat meal dish coffee taste delicious spicy cake""",
    "family": """mom mum dad mother father wife husband daughter sister brother grandma grandmother grandpa grandfather
        nephew niece grandson granddaughter in-laws | family kids son child children parents aunt uncle cousin baby""",
    "work": "colleague coworker co-worker workplace layoff resume | job boss office career promotion interview employer hired",
    "finance": """mortgage budgeting investment savings salary taxes retirement stocks | budget loan rent money invest bank
        debt income expense""",
    "music": "guitar piano violin concert orchestra album musician cello drums | music song band sing singing playlist",
    "sport": """soccer football basketball tennis marathon gym yoga swimming cycling hiking workout triathlon volleyball
        | run running hike race coach training exercise""",
    "pets": "puppy kitten veterinarian pets litter-box pup | dog cat pet vet leash breed walk adopted",
    "home": "landlord furniture renovation apartment roommate housemate | house kitchen bedroom lease rent moved move neighbor",
    "education": """university college homework semester tuition professor scholarship graduation | school class course
        student teacher exam study degree""",
    "books": "novel bookshop audiobook author | book reading chapter read library writer",
    "film": "movie netflix documentary cinema | film show series watch episode actor",
    "art": "painting pottery sculpture watercolor museum exhibition | art paint draw drawing gallery photography sketch",
    "games": "videogame video-game xbox playstation nintendo chess boardgame | game gaming console play",
    "garden": "gardening greenhouse compost seedlings | garden plant flower soil vegetable",
    "wedding": "wedding fiancé fiancée bridesmaid honeymoon | engaged anniversary married",
}  # fmt: skip

# Cues of two words.
_PAIRS = {
    "pull request": "git", "code review": "git", "unit test": "testing", "integration test": "testing",
    "unit tests": "testing", "integration tests": "testing", "github actions": "ci", "gitlab ci": "ci",
    "force push": "git", "style guide": "style", "code style": "style", "environment variable": "config",
    "environment variables": "config", "feature flag": "config", "feature flags": "config", "credit card": "finance",
    "road trip": "travel", "video game": "games", "video games": "games", "board game": "games", "board games": "games",
    "machine learning": "machine learning", "language model": "machine learning", "deep learning": "machine learning",
    "mental health": "health", "blood pressure": "health", "rate limit": "api", "rate limiting": "api",
    "high school": "education", "my boss": "work", "new job": "work", "my job": "work", "my dog": "pets", "my cat": "pets",
    "my dogs": "pets", "my cats": "pets", "access control": "security", "load test": "performance",
}  # fmt: skip


@cache
def cues() -> dict[str, tuple[tuple[str, int], ...]]:
    """The topics that each word or pair of words is a cue for, and how strong a cue."""
    found: dict[str, list[tuple[str, int]]] = {}
    for topic, words in _TOPICS.items():
        strong, _, weak = words.partition("|")
        for strength, listed in ((STRONG, strong), (WEAK, weak)):
            for word in listed.split():
                found.setdefault(word, []).append((topic, strength))
    for pair, topic in _PAIRS.items():
        found.setdefault(pair, []).append((topic, STRONG))
    return {word: tuple(topics) for word, topics in found.items()}


@cache
def pair_ends() -> frozenset[str]:
    """The second words of the two-word cues."""
    return frozenset(pair.split()[1] for pair in _PAIRS)


TOPICS = frozenset(_TOPICS)


_MOST = 2
_FEWEST_WORDS = 2
_LONGEST, _LONGEST_NAME = 24, 4
_NAME = r"(?<![\w=/.#@$-])[A-Z][\w'’]*(?:\.(?:io|ai|js|dev)\b)?(?: [A-Z][\w'’]*){0,7}"
_ABSTRACT = r"\w+(?:tions?|ments?|ness|ity|ies)"
_PLAIN = r"[A-Z][a-zà-ÿ]+(?:'[A-Z]?[a-z]+)?(?:\.[a-z]+)?"
_CAMEL = r"[A-Z][a-z]{2,}(?:[A-Z][a-z]{2,}){1,2}|[A-Z][a-z]{2,}[A-Z]{2,5}|[A-Z]{2,6}[a-z]{3,}"
_CAPITALS = r"[A-Z]{3,5}"
_INSIDE = r"[^\W\d_]|[,)'’]"
_NOT_NAMES = STOP_WORDS | frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday mr mrs ms dr prof sir madam ok okay yes hi hey hello thanks wow oh lol omg btw asap fyi
    god internet todo fixme note notes warning important never always must only every new old first next last true false
    none null url uri http https json yaml toml html xml csv pdf utc gmt est pst cet usd eur gbp api cli gui ui ux id ids
    faq tbd wip eta etc user users assistant agent system step steps phase sprint chapter part section session day week
    month year today tomorrow yesterday morning night summer winter spring autumn christmas easter status error success
    failed passed open closed done pending active ready high low medium critical ceo cto cfo cio coo vp hr kpi mvp
    poc wtf""".split()
)
_OF_A_PATH = r"[./=_:][\w/]|[<\[(]"
_CALLED = r"[,.!?]| [-–—]"
# A first word of a sentence after which a capital letter means a name again.
_OPENERS = STOP_WORDS | frozenset("use uses used using prefers prefer likes loves adopted replaced visited met".split())
# In German every noun has a capital letter, so capitals do not mean names.
_GERMAN = frozenset("der die das und ist nicht ich mit ein eine im zu auf für wir sie den dem von".split())


def names_in(text: str, words: frozenset[str] | set[str]) -> list[str]:
    """At most two names, the most frequent first; `words` are the words of the text."""
    found: Counter[str] = Counter()
    if sum(map(str.islower, words)) < _FEWEST_WORDS:
        return []
    plain = len(words & _GERMAN) < 2
    for match in compiled(_NAME).finditer(text):
        written = match.group()
        inside = _is_inside(text, match)
        ordinary = not inside and " " not in written and written[1:].islower()
        if ordinary or compiled(_OF_A_PATH).match(text, match.end()):
            continue
        run = written.replace("’", "'").split(" ")
        if not inside and len(run) > 1 and run[0].casefold() in _OPENERS:
            inside, run = _is_said_of(text, match), run[1:]
        found.update(_names(run, plain=plain and inside))
    return [name for name, _ in found.most_common() if name not in words][:_MOST]


def _names(run: list[str], *, plain: bool) -> list[str]:
    """The names in a run of capitalised words: a product with the word after it, plain words joined into one name."""
    shouted = sum(map(str.isupper, run)) > 1
    names: list[str] = []
    joins = False
    for word in run:
        bare = word.removesuffix("'s")
        name = bare.casefold()
        product = compiled(_CAMEL).fullmatch(bare) or (compiled(_CAPITALS).fullmatch(bare) and not shouted)
        usable = (
            not {name, name.removesuffix("s")} & _NOT_NAMES
            and len(bare) <= _LONGEST
            and (product or (len(bare) > 2 and compiled(_PLAIN).fullmatch(bare)))
        )
        if usable and not product and joins:
            names[-1] += f" {name}"
        elif usable and (product or (plain and not compiled(_ABSTRACT).fullmatch(name))):
            names.append(name)
        joins = bool(usable and names)
    return [name for name in names if name.count(" ") < _LONGEST_NAME]


def _is_inside(text: str, match: re.Match[str]) -> bool:
    """Whether a name is inside a sentence, and not a form of address."""
    start = match.start()
    if start < 2 or text[start - 1] != " " or not compiled(_INSIDE).match(text[start - 2]):
        return False
    return _is_said_of(text, match) and not (text[start - 2] == "," and compiled(_CALLED).match(text, match.end()))


def _is_said_of(text: str, match: re.Match[str]) -> bool:
    return text[match.end() : match.end() + 1] not in ("!", ":")


_ENDINGS = {
    "py": "python", "pyi": "python", "ipynb": "python", "rs": "rust", "go": "go", "ts": "typescript", "tsx": "typescript",
    "js": "javascript", "jsx": "javascript", "mjs": "javascript", "java": "java", "kt": "kotlin", "swift": "swift",
    "rb": "ruby", "php": "php", "cs": "c#", "cpp": "c++", "cc": "c++", "hpp": "c++", "c": "c", "h": "c", "scala": "scala",
    "ex": "elixir", "exs": "elixir", "hs": "haskell", "lua": "lua", "dart": "dart", "zig": "zig", "vue": "frontend",
    "svelte": "frontend", "css": "frontend", "scss": "frontend", "html": "frontend", "sql": "database", "sh": "shell",
    "bash": "shell", "zsh": "shell", "tf": "terraform", "proto": "api", "graphql": "api",
}  # fmt: skip
_NAMES = {
    "dockerfile": "docker", "docker-compose.yml": "docker", "docker-compose.yaml": "docker", "compose.yaml": "docker",
    "makefile": "build", "package.json": "javascript", "tsconfig.json": "typescript", "cargo.toml": "rust",
    "go.mod": "go", "pyproject.toml": "python", "requirements.txt": "python", "jenkinsfile": "ci",
    ".gitlab-ci.yml": "ci", ".gitignore": "git", ".env": "config", "readme.md": "docs", "chart.yaml": "kubernetes",
}  # fmt: skip
_FOLDERS = {
    "auth": "auth", "api": "api", "db": "database", "database": "database", "migrations": "migrations", "tests": "testing",
    "test": "testing", "__tests__": "testing", "docs": "docs", "frontend": "frontend", "ui": "frontend",
    "components": "frontend", "k8s": "kubernetes", "helm": "kubernetes", "deploy": "deploy", "billing": "billing",
    "payments": "billing", "security": "security", "logging": "logging", "workflows": "ci", "infra": "infrastructure",
    "backend": "backend", "config": "config", "docker": "docker", "android": "mobile", "ios": "mobile",
}  # fmt: skip
_LONGEST_PART = 300
# A cheap check first: most texts mention no path.
_HINT = r"\w[./]\w|file\b"
_MENTIONED = (
    rf"(?<![\w/:.@-])(?:/?(?:[\w.~@-]+/)+[\w.-]+|[\w-]+\.(?:{'|'.join(_ENDINGS)})\b|Dockerfile|Makefile|Jenkinsfile"
    r"|docker-compose\.ya?ml|package\.json|Cargo\.toml|pyproject\.toml|go\.mod)"
)


def mentioned_paths(text: str) -> list[str]:
    """The paths and source file names a text mentions, without web addresses."""
    return compiled(_MENTIONED).findall(text) if compiled(_HINT).search(text) else []


def tags_from_paths(paths: Iterable[str]) -> Iterator[str]:
    """The tags for some paths: languages and kinds of files first, then the topics of folders."""
    folders: list[str] = []
    for path in paths:
        *above, name = path[-_LONGEST_PART:].replace("\\", "/").casefold().rstrip("/").split("/")
        stem, dot, ending = name.rpartition(".")
        tag = _NAMES.get(name) or (_ENDINGS.get(ending) if stem and dot else None)
        if tag:
            yield tag
        folders += above
    yield from (_FOLDERS[folder] for folder in folders if folder in _FOLDERS)


_MOST_TAGS = 4
_MOST_TOPICS = 2
_SHORTEST_KNOWN = 3
# Only the start of a long text is read: it usually says what the text is about.
_START = 2000
_WORD = r"[^\W\d_][\w+#]*(?:[-/.'][^\W\d_][\w+#]*)*"


def inferred_tags(content: str, file_paths: Iterable[str] = (), known: Collection[str] = ()) -> tuple[str, ...]:
    """Tags in lower case, the surest first.

    `known` are tags already in use, in lower case: one that the text mentions is added, so that a project reuses its own tags.
    """
    start = content[:_START]
    written = compiled(_WORD).findall(start)
    words = [word.casefold() for word in written]
    found = dict.fromkeys(tags_from_paths(file_paths))
    found |= dict.fromkeys(tags_from_paths(mentioned_paths(start)))
    found |= dict.fromkeys(_topics(words))
    if known:
        found |= dict.fromkeys(_mentioned(words, known))
    found |= dict.fromkeys(names_in(start, set(written)))
    return tuple(found)[:_MOST_TAGS]


def _topics(words: list[str]) -> list[str]:
    """The topics with one strong cue or two different weak ones, the one with most cues first."""
    by_cue, ends = cues(), pair_ends()
    weights: dict[str, int] = {}
    seen: set[str] = set()
    before = ""
    for word in words:
        for cue in (word, f"{before} {word}") if word in ends else (word,):
            topics = by_cue.get(cue) or (by_cue.get(cue[:-1]) if cue[-1] == "s" else None)
            if topics and (stem := cue.rstrip("s")) not in seen:
                seen.add(stem)
                for topic, weight in topics:
                    weights[topic] = weights.get(topic, 0) + weight
        before = word
    enough = [topic for topic, weight in weights.items() if weight >= STRONG]
    return sorted(enough, key=lambda topic: -weights[topic])[:_MOST_TOPICS]


def _mentioned(words: list[str], known: Collection[str]) -> Iterator[str]:
    """The known tags that occur as words; the name of a topic counts only as a cue."""
    tags = known if isinstance(known, set | frozenset) else frozenset(known)
    for word in dict.fromkeys(words):
        if word in tags and len(word) >= _SHORTEST_KNOWN and word not in STOP_WORDS and word not in TOPICS:
            yield word
