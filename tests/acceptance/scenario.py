"""The story every door has to tell alike: a shop's agent keeps, finds, corrects and shares what it knows, step by step."""

from __future__ import annotations

from scenario_tiers import SHARING
from told.steps import SECRET, step

KEEPING = (
    step(
        "remember",
        content="We deploy the shop with make deploy",
        type="procedure",
        tags=["deploy"],
        importance=0.8,
        keep="deploy",
    ),
    step("remember", content="The orders of the shop are stored in PostgreSQL 16", tags=["database"], keep="orders"),
    step(
        "remember",
        content="Answer in short sentences",
        type="preference",
        scope="global",
        delivery="pinned",
        keep="style",
    ),
    step(
        "remember",
        content="Never commit .env files to the repository",
        type="negative",
        triggers=["glob:*.env"],
        keep="never",
    ),
    step(
        "remember_many",
        drafts=[
            {
                "content": "Invoices are sent on the first Monday of the month",
                "session": "monday",
                "position": 1,
                "speaker": "bob",
            },
            {
                "content": "The design review happens every Wednesday at ten",
                "session": "monday",
                "position": 2,
                "tags": ["meeting"],
            },
            {"content": "Customers in Norway pay with Vipps", "source": "observed", "tags": ["payment", "norway"]},
            {"content": "thanks, bye!"},
        ],
        keep="invoices review vipps -",
    ),
    step("remember", content="We deploy the shop with make deploy", session="tuesday", comes="reinforced"),
    step("remember", content=SECRET, comes="refused"),
    step("remember", content="ok", comes="refused"),
    step("remember", content="The gateway listens on port 8080", key="gateway", tags=["gateway"], keep="port"),
    step("remember", content="The gateway listens on port 8080", key="gateway", comes="stored"),
    step("remember", content="The gateway listens on port 9090 now", keep="newport", comes="superseded"),
    step(
        "remember",
        content="A deploy needs a green main branch",
        derived_from=["$deploy"],
        source="inferred",
        keep="green",
    ),
    step("remember", content="Anything at all", importance=7.0, comes="InvalidInput"),
    step(
        "remember", content="Prices are shown with value added tax", ttl=86400.0, season="release-week", keep="prices"
    ),
)

FINDING = (
    step("recall", query="how do we ship the shop?"),
    step("recall", query="where are orders kept?", limit=2, type=["fact"]),
    step("recall", query="what to beware of", working_on="git add .env", limit=1),
    step("recall", query="which port does the gateway use?", limit=3),
    step("search", query="Vipps", mode="lexical"),
    step("search", query="how do Scandinavians pay?", mode="semantic", limit=2),
    step("search", query="design review", mode="hybrid", limit=2),
    step("search", query="deploy", mode="lexical", tags=["deploy"], limit=5),
    step("get", id="$deploy"),
    step("get", id="$green"),
    step("get", id="00000000", comes="NotFound"),
    step("list"),
    step("list", type=["procedure", "negative"]),
    step("list", tags=["meeting"]),
    step("list", in_session="monday"),
    step("list", source=["observed"]),
    step("list", scope=["global"]),
    step("list", status="all", limit=4, offset=2),
    step("list", limit=0, comes="InvalidInput"),
    step("recall", query="quarterly beekeeping schedule of the rooftop hives"),
    step("gaps"),
    step("remember", content="The rooftop hives follow a quarterly beekeeping schedule", keep="hives"),
    step("gaps"),
    step("gaps", answered=True),
)

CHANGING = (
    step("mark", keep="@early"),
    step("update", id="$review", content="The design review happens every Thursday at ten"),
    step("update", id="$vipps", importance=0.9, tags=["payment", "nordic"]),
    step("update", id="$review", content=SECRET, comes="refused"),
    step("update", id="ffffffff", importance=0.1, comes="NotFound"),
    step("forget", id="$invoices", reason="handled by another team"),
    step("list", status="forgotten"),
    step("remember", content="Invoices are sent on the first Monday of the month", comes="refused"),
    step("restore", id="$invoices"),
    step("remember", content="The old printer in the cellar is called Gutenberg", keep="printer"),
    step("purge", id="$printer"),
    step("get", id="$printer", comes="NotFound"),
    step("remember", content="The old printer in the cellar is called Gutenberg", comes="refused"),
    step("tag", id="$deploy", tags=["Release", "shipping"]),
    step("untag", id="$deploy", tags=["shipping"]),
    step("undo"),
    step("get", id="$deploy"),
    step("history", id="$review"),
    step("history", id="$invoices"),
    step("log", limit=6),
    step("list", as_of="@early", in_session="monday"),
    step("get", as_of="@early", id="$review"),
    step("recall", as_of="@early", query="when is the design review?", limit=1),
    step("forget", as_of="@early", id="$review", comes="ReadOnly"),
)

BELIEVING = (
    step("reinforce", id="$orders"),
    step("demote", id="$prices"),
    step("feedback", id="$vipps", helpful=True),
    step("feedback", id="$prices", helpful=False),
    step("confirm", helped=["$deploy", "$green"], rejected=["$hives"], query="how do we deploy?"),
    step("get", id="$green"),
    step("remember", content="The cache is cleared at midnight", keep="midnight"),
    step("remember", content="The cache is cleared at noon", keep="noon"),
    step(
        "remember_many",
        drafts=[
            {"content": "Refunds need the approval of a manager"},
            {"content": "Refunds are paid out without any approval"},
            {"content": "The newsletter goes out on Fridays"},
            {"content": "The newsletter is written by the whole team"},
            {"content": "Passwords expire after ninety days"},
            {"content": "Nobody has to change a password ever"},
            {"content": "Tickets are answered within two days"},
            {"content": "Tickets get their answer in the same hour"},
        ],
        keep="refunds norefunds friday team ninety noexpiry days hour",
    ),
    step("contradictions", scan=True),
    step("link", source="$norefunds", target="$refunds", relation="contradicts"),
    step("link", source="$team", target="$friday", relation="contradicts"),
    step("link", source="$noexpiry", target="$ninety", relation="contradicts"),
    step("contradictions"),
    step("resolve", new="$team", old="$friday", resolution="keep_both"),
    step(
        "resolve",
        new="$norefunds",
        old="$refunds",
        resolution="update",
        content="Refunds above fifty euros need the approval of a manager",
    ),
    step("resolve", new="$noexpiry", old="$ninety", resolution="forget"),
    step("resolve", new="$noexpiry", old="$ninety", resolution="keep_both"),
    step("link", source="$hour", target="$days", relation="contradicts"),
    step("resolve", new="$hour", old="$days", resolution="supersede"),
    step("contradictions"),
    step("list", status=["superseded", "archived"]),
)

LINKING = (
    step("link", source="$deploy", target="$orders", weight=0.5),
    step("link", source="$vipps", target="$prices"),
    step("link", source="$deploy", target="$nothing", comes="NotFound"),
    step("related", id="$deploy", depth=2),
    step("unlink", source="$prices", target="$vipps"),
    step("provenance", id="$green"),
    step("supersede", old="$friday", new="$team"),
    step("supersede", old="$newport", new="$port", comes="InvalidInput"),
    step("tags"),
    step("describe_tag", tag="deploy", description="how the shop gets to production"),
    step("rename_tag", old="meeting", new="calendar"),
    step("merge_tags", into="deploy", others=["release", "shipping"]),
    step("tags"),
    step("clusters", refresh=True, keep="cluster"),
    step("members", cluster="$cluster"),
    step("graph", id="$deploy", depth=1),
    step("graph", query="how do we deploy?", limit=20),
)

LOOKING = (
    step("context", topic="deploying the shop", budget=4000),
    step("context", topic="deploying the shop", start=True, layers=["pinned", "rules"]),
    step("preview", topic="payments in Norway", budget=1500),
    step("stats"),
    step("doctor"),
    step("reembed"),
    step("disable"),
    step("recall", query="how do we ship the shop?", comes="Disabled"),
    step("remember", content="This must not be kept while memory is off", comes="Disabled"),
    step("context", comes="Disabled"),
    step("enable"),
    step("recall", query="how do we ship the shop?", limit=1),
)

MOVING = (
    step("export", to="&all.jsonl"),
    step("import_data", source="&all.jsonl"),
    step("import_data", source="&all.jsonl", dry_run=True),
    step("undo"),
    step("list", limit=5),
)

STORY = KEEPING + FINDING + CHANGING + BELIEVING + LINKING + LOOKING + SHARING + MOVING
