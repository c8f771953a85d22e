"""Topics: which words tell what a memory is about. Lists only; `tags` weighs them.

A topic's first words are strong, one is enough; those after the bar are weak, and two different ones are needed. A word that
has an everyday sense beside the telling one is weak or absent: precision matters more than reach.
"""

from __future__ import annotations

from functools import cache

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

# Two words that make one cue.
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
    """What each word, or two words, says about topics, and how strongly."""
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
    """The words that may end a cue of two words."""
    return frozenset(pair.split()[1] for pair in _PAIRS)


TOPICS = frozenset(_TOPICS)
