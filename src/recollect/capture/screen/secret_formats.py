"""Tokens with a fixed prefix of their issuer: the public formats as data, one line per format.

`secrets.py` finds the prefix with a plain string search, then measures the run of allowed characters after it, so that two
hundred formats need a few dozen small patterns. Lengths do not include the prefix.
"""

from __future__ import annotations

from typing import Final, NamedTuple

HEX: Final = "[a-f0-9]"
HEX_ANY: Final = "[A-Fa-f0-9_]"
HEX_DASH: Final = "[A-Fa-f0-9-]"
LOWER: Final = "[a-z0-9]"
UPPER: Final = "[A-Z0-9]"
ALNUM: Final = "[A-Za-z0-9]"
NAME: Final = "[A-Za-z0-9_]"
WORD: Final = "[A-Za-z0-9_-]"
DOTTED: Final = "[A-Za-z0-9_.=-]"
BASE64: Final = "[A-Za-z0-9+/=_-]"


class Format(NamedTuple):
    """A token is one of `prefixes` followed by `least` to `most` characters of `alphabet`."""

    kind: str
    prefixes: str
    alphabet: str
    least: int
    most: int = 600
    bits: float = 2.5


CLOUD: Final = (
    Format("aws-access-key", "AKIA ASIA ABIA ACCA", UPPER, 16, 16, 1.5),
    Format("aws-bedrock-key", "ABSKQmVkcm9ja", BASE64, 100, 200, 2.0),
    Format("aws-bedrock-key", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", BASE64, 0, 4000, 0),
    Format("aws-bedrock-key", "ABSK", BASE64, 105, 140, 4.5),
    Format("aws-session-token", "IQoJb3JpZ2lu FwoGZXIvYXdz", BASE64, 100, 4000),
    Format("google-api-key", "AIza", WORD, 35, 35, 3.4),
    Format("google-api-key", "AQ.Ab8R", WORD, 30),
    Format("google-oauth-token", "ya29.", DOTTED, 20),
    Format("google-oauth-secret", "GOCSPX-", WORD, 20),
    Format("google-refresh-token", "1//0", WORD, 40),
    Format("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", HEX, 40),
    Format("alibaba-access-key", "LTAI", ALNUM, 12, 26, 3.0),
    Format("tencent-secret-id", "AKID", ALNUM, 32, 48, 3.5),
    Format("yandex-key", "AQVN", WORD, 35, 60, 3.5),
    Format("yandex-key", "YC", WORD, 38, 38, 4.2),
    Format("yandex-token", "y0_ t1.9euel", DOTTED, 50),
    Format("cloudflare-origin-ca-key", "v1.0-", HEX_DASH, 150),
    Format("heroku-key", "HRKU-", WORD, 36),
    Format("fly-token", "fo1_", WORD, 40),
    Format("fly-token", "fm1a_ fm1r_ fm2_", BASE64, 80, 4000),
    Format("render-key", "rnd_", ALNUM, 28),
    Format("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", ALNUM, 24, 80, 3.5),
    Format("netlify-token", "nfp_", ALNUM, 32),
    Format("supabase-key", "sbp_ sb_secret_", WORD, 20, 80, 3.0),
    Format("neon-key", "napi_", ALNUM, 40),
    Format("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", DOTTED, 30),
    Format("databricks-token", "dapi dose", HEX, 32, 34),
    Format("dynatrace-token", "dt0c01. dt0s01. dt0s16.", DOTTED, 60),
    Format("doppler-token", "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.", DOTTED, 36),
    Format("vault-token", "hvs. hvb. hvr.", WORD, 24),
    Format("pulumi-token", "pul-", HEX, 40, 40),
    Format("1password-token", "ops_eyJ", BASE64, 200, 4000),
    Format("age-key", "AGE-SECRET-KEY-1 AGE-PLUGIN-", UPPER, 40),
    Format("infracost-key", "ico-", ALNUM, 32, 32),
    Format("scaleway-key", "SCW", UPPER, 17, 17, 3.0),
    Format("tailscale-key", "tskey-", WORD, 20),
    Format("openshift-token", "sha256~", WORD, 43),
    Format("scalingo-token", "tk-us- tk-fr-", WORD, 40),
    Format("clickhouse-key", "4b1d", ALNUM, 38, 38, 3.5),
    Format("confluent-key", "cflt", BASE64, 56, 70, 3.5),
    Format("ory-token", "ory_at_ ory_rt_ ory_pat_", DOTTED, 30),
)

CODE: Final = (
    Format("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", ALNUM, 36, 255),
    Format("github-token", "github_pat_", NAME, 50, 255),
    Format("gitlab-token", "glpat- glptt- gldt- glrt- glrtr- glcbt- glft- glimt- glagent-", DOTTED, 20),
    Format("gitlab-token", "glsoat- gloas- glffct- glwt-", DOTTED, 20),
    Format("gitlab-token", "GR1348941", WORD, 20, 50, 3.0),
    Format("bitbucket-token", "ATBB ATCTT3", BASE64, 24, 400, 3.5),
    Format("atlassian-token", "ATATT3", BASE64, 100, 400),
    Format("trello-token", "ATTA", HEX, 60),
    Format("npm-token", "npm_", ALNUM, 36, 36),
    Format("pypi-token", "pypi-AgE pypi-", WORD, 50, 1000),
    Format("rubygems-key", "rubygems_", HEX, 48),
    Format("nuget-key", "oy2", LOWER, 43, 43, 3.5),
    Format("crates-token", "cio", ALNUM, 32, 32, 4.0),
    Format("clojars-token", "CLOJARS_", LOWER, 60),
    Format("docker-token", "dckr_pat_ dckr_oat_", WORD, 27),
    Format("artifactory-key", "AKCp", ALNUM, 60, 80, 3.5),
    Format("artifactory-token", "cmVmd", ALNUM, 50, 80, 3.5),
    Format("sourcegraph-token", "sgp_local_ sgp_ sgd_", HEX_ANY, 40, 57, 3.2),
    Format("circleci-token", "CCIPAT_ CCIPRJ_", WORD, 36),
    Format("buildkite-token", "bkua_ bkct_", HEX, 36),
    Format("sonar-token", "squ_ sqp_ sqa_", ALNUM, 40, 40, 3.0),
    Format("postman-key", "PMAK- PMAT-", WORD, 26, 70),
    Format("linear-key", "lin_api_ lin_oauth_ lin_wh_", ALNUM, 32),
    Format("notion-token", "ntn_", ALNUM, 40, 50, 3.5),
    Format("notion-token", "secret_", ALNUM, 40, 46, 4.0),
    Format("figma-token", "figd_ figo_ figu_", WORD, 36),
    Format("readme-key", "rdme_", LOWER, 60),
    Format("typeform-token", "tfp_", DOTTED, 40),
    Format("frameio-token", "fio-u-", BASE64, 60),
    Format("contentful-token", "CFPAT-", WORD, 40),
    Format("prefect-key", "pnu_ pnb_", ALNUM, 36, 36),
    Format("octopus-key", "API-", UPPER, 25, 32, 3.3),
    Format("defined-networking-key", "dnkey-", DOTTED, 40),
    Format("endorlabs-key", "endr+", ALNUM, 16),
    Format("settlemint-token", "sm_pat_ sm_aat_ sm_sat_", ALNUM, 16),
    Format("intra42-secret", "s-s4t2ud- s-s4t2af-", HEX, 60),
    Format("trigger-key", "tr_dev_ tr_prod_ tr_stg_ tr_pat_", ALNUM, 20, 80, 3.3),
    Format("inngest-key", "signkey-prod- signkey-test-", HEX, 60),
    Format("checkly-key", "cu_", HEX, 32, 32),
    Format("chromatic-token", "chpt_", HEX, 12),
    Format("apify-token", "apify_api_", ALNUM, 36),
    Format("sanity-token", "sk", ALNUM, 150, 200, 4.5),
)

AI: Final = (
    Format("anthropic-key", "sk-ant-", WORD, 60, 200, 3.5),
    Format("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", WORD, 20, 250, 3.5),
    Format("openrouter-key", "sk-or-v1- sk-or-", HEX, 32),
    Format("langfuse-key", "sk-lf- sk-helicone-", HEX_DASH, 30),
    Format("openai-key", "sk-", ALNUM, 32, 80, 3.3),
    Format("huggingface-token", "hf_ api_org_", ALNUM, 34, 34, 3.4),
    Format("groq-key", "gsk_", ALNUM, 48),
    Format("xai-key", "xai-", ALNUM, 60),
    Format("perplexity-key", "pplx-", ALNUM, 32),
    Format("replicate-token", "r8_", ALNUM, 36, 42),
    Format("together-key", "tgp_v1_", WORD, 36),
    Format("fireworks-key", "fw_", ALNUM, 22, 32, 3.5),
    Format("nvidia-key", "nvapi-", WORD, 50),
    Format("langsmith-key", "lsv2_pt_ lsv2_sk_ lsv2_", HEX_ANY, 32),
    Format("langsmith-key", "ls__", HEX, 32, 32),
    Format("pinecone-key", "pcsk_", WORD, 50),
    Format("voyage-key", "pa-", WORD, 43, 43, 4.2),
    Format("jina-key", "jina_", WORD, 50),
    Format("tavily-key", "tvly-", WORD, 28, 60, 3.3),
    Format("firecrawl-key", "fc-", HEX, 32, 32, 3.0),
    Format("e2b-key", "e2b_", HEX, 36),
    Format("cerebras-key", "csk-", LOWER, 44),
    Format("elevenlabs-key", "sk_", HEX, 48, 48, 3.0),
    Format("wandb-key", "wandb_v1_", WORD, 40),
    Format("browserbase-key", "bb_live_ bb_test_", WORD, 20),
    Format("modal-token", "ak- as-", ALNUM, 22, 22, 3.8),
    Format("runway-key", "key_", HEX, 60),
)

SERVICES: Final = (
    Format("slack-token", "xoxe.xoxp-1- xoxe.xoxb-1- xoxe-1-", ALNUM, 60, 300, 3.5),
    Format("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", ALNUM, 10, 250, 3.0),
    Format("webhook-signing-secret", "whsec_", BASE64, 24),
    Format("square-token", "sq0atp- sq0csp-", WORD, 20, 60),
    Format("meta-access-token", "EAA", WORD, 60, 400, 4.0),
    Format("razorpay-key", "rzp_live_ rzp_test_", ALNUM, 14, 24, 2.8),
    Format("paypal-token", "access_token$production$ access_token$sandbox$", LOWER, 16, 16),
    Format("adyen-key", "AQE", BASE64, 90, 400, 4.0),
    Format("flutterwave-key", "FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-", ALNUM, 12, 60, 2.5),
    Format("shippo-token", "shippo_live_ shippo_test_", HEX, 36),
    Format("easypost-key", "EZAK EZTK", ALNUM, 54, 60, 3.5),
    Format("duffel-token", "duffel_test_ duffel_live_", BASE64, 40),
    Format("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpit_ shpua_", HEX_ANY, 32),
    Format("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", NAME, 40),
    Format("live-api-key", "live_ sandbox_", WORD, 30, 64, 3.6),
    Format("test-api-key", "test_", ALNUM, 30, 64, 3.6),
    Format("sendgrid-key", "SG.", DOTTED, 60, 80, 4.0),
    Format("mailgun-key", "key- pubkey-", HEX, 32, 32, 2.8),
    Format("sendinblue-key", "xkeysib- xsmtpsib-", BASE64, 64),
    Format("mailersend-key", "mlsn.", HEX, 40),
    Format("resend-key", "re_", NAME, 30, 40, 3.8),
    Format("intercom-token", "dG9rO", BASE64, 54, 60, 3.8),
    Format("onesignal-key", "os_v2_app_ os_v2_org_", LOWER, 60),
    Format("pubnub-key", "sub-c- pub-c- sec-c-", BASE64, 36, 60),
    Format("hubspot-token", "pat-na1- pat-na2- pat-eu1-", HEX_DASH, 36),
    Format("twilio-key", "SK", HEX, 32, 32, 2.8),
    Format("new-relic-key", "NRAK- NRII- NRAA- NRRA- NRJS-", WORD, 19, 60),
    Format("grafana-token", "glsa_ glc_", BASE64, 32, 600, 2.8),
    Format("grafana-key", "eyJrIjoi", BASE64, 60),
    Format("sentry-token", "sntrys_eyJ sntryu_ sntryi_", BASE64, 60),
    Format("honeycomb-key", "hcaik_ hcbik_ hcxik_ hcalk_ hcamk_ hcxmk_", LOWER, 50),
    Format("posthog-key", "phx_", ALNUM, 36),
    Format("axiom-token", "xaat- xapt-", HEX_DASH, 36),
    Format("twitter-bearer-token", "AAAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]", 30, 200, 3.0),
    Format("vk-token", "vk1.a.", WORD, 60),
    Format("dropbox-token", "sl.", DOTTED, 100, 2000),
    Format("adobe-secret", "p8e-", LOWER, 32, 32),
    Format("adafruit-key", "aio_", ALNUM, 28, 28),
    Format("plaid-token", "access-sandbox- access-development- access-production-", HEX_DASH, 36, 36),
    Format("lob-key", "live_pub_ test_pub_", HEX, 31),
    Format("configcat-key", "configcat-sdk-1/", BASE64, 40),
    Format("zuplo-key", "zpka_", WORD, 40),
)

FORMATS: Final = (*CLOUD, *CODE, *AI, *SERVICES)
