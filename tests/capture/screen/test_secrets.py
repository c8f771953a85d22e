"""Credentials are found in the forms people paste them, and ordinary text is left alone.

No token here is or was real: each is drawn at random when the test runs, so that no scanner stops at this file.
"""

from __future__ import annotations

import random
import string

import pytest

from recollect.capture.screen import Finding, find_secrets, redact

LOWER = string.ascii_lowercase + string.digits
ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"


def drawn(alphabet: str, size: int, seed: int = 7) -> str:
    """A random string that always has a letter and a digit near its ends."""
    rng = random.Random(f"{alphabet}{size}{seed}")
    return "".join(rng.choice(alphabet) for _ in range(size - 2)) + ("A7" if "A" in alphabet else "a7")


def kinds(text: str) -> list[str]:
    return [found.kind for found in find_secrets(text)]


PREFIXED = {
    "aws-access-key": "AKIA" + drawn(BASE32, 16).replace("7", "Q"),
    "github-token": "ghp_" + drawn(ALNUM, 36),
    "gitlab-token": "glpat-" + drawn(WORD, 20),
    "google-api-key": "AIza" + drawn(WORD, 35),
    "anthropic-key": "sk-ant-api03-" + drawn(WORD, 95),
    "openai-key": "sk-proj-" + drawn(WORD, 90),
    "stripe-key": "sk_live_" + drawn(ALNUM, 24),
    "npm-token": "npm_" + drawn(ALNUM, 36),
    "pypi-token": "pypi-" + drawn(WORD, 120),
    "digitalocean-token": "dop_v1_" + drawn(HEX, 64),
    "shopify-token": "shpat_" + drawn(HEX, 32),
    "huggingface-token": "hf_" + drawn(string.ascii_letters, 32) + "Qz",
    "sendgrid-key": "SG." + drawn(WORD, 22) + "." + drawn(WORD, 43),
    "databricks-token": "dapi" + drawn(HEX, 32),
    "doppler-token": "dp.pt." + drawn(ALNUM, 43),
    "linear-key": "lin_api_" + drawn(ALNUM, 40),
    "postman-key": "PMAK-" + drawn(HEX, 24) + "-" + drawn(HEX, 34),
    "pulumi-token": "pul-" + drawn(HEX, 40),
    "planetscale-token": "pscale_tkn_" + drawn(WORD, 43),
    "vault-token": "hvs." + drawn(WORD, 90),
    "alibaba-access-key": "LTAI" + drawn(ALNUM, 20),
    "telegram-token": "123456789:A" + drawn(WORD, 34),
    "mailchimp-key": drawn(HEX, 32) + "-us12",
    "terraform-token": drawn(ALNUM, 14) + ".atlasv1." + drawn(WORD, 66),
    "azure-client-secret": drawn(ALNUM, 3) + "8Q~" + drawn(ALNUM, 34),
}


@pytest.mark.parametrize("kind", PREFIXED)
@pytest.mark.parametrize("sentence", ["{}", "token: {}", '{{"k": "{}"}}', "Use {} for staging.", "a\\n{}\n"])
def test_a_token_of_a_known_issuer_is_named_wherever_it_stands(kind: str, sentence: str) -> None:
    assert kind in kinds(sentence.format(PREFIXED[kind]))


@pytest.mark.parametrize(
    "template",
    [
        '{i}Token="{s}"',
        "{i}Token = {s}",
        '{{"{i}_token": "{s}"}}',
        '\\"{i}_token\\": \\"{s}\\"',
        "<{i}Token>{s}</{i}Token>",
        "<{i}Token>\n  {s}\n</{i}Token>",
        "{i}_token: |\n  {s}",
        'var {i}Token string = "{s}"',
        "{i}Token := `{s}`",
        '${i}Token .= "{s}"',
        "{i}Token,{s},",
        '"{i}Token" => "{s}"',
        '{i}_TOKEN :::= "{s}"',
        '{i}_TOKEN ?= "{s}"',
        '<entry name="{i}Token" value="{s}" />',
        '{{\n "name": "{i}_token",\n "value": "{s}"\n}}',
        "--{i}-token {s}",
        "my {i} token is {s}",
        "{i} api key: {s}",
        "put('{i}_secret', '{s}')",
    ],
)
@pytest.mark.parametrize("secret", [drawn(LOWER, 32), drawn(HEX, 40), drawn(LOWER, 17), drawn(WORD, 64)])
def test_a_random_value_with_a_secret_name_is_found_in_every_notation(template: str, secret: str) -> None:
    assert find_secrets(template.format(i="acme", s=secret))


@pytest.mark.parametrize(
    "text",
    [
        "my password is hunter2",
        "the password for the router is Tr0ub4dor&3",
        "DB_PASSWORD=Zx9!kLm2",
        "Server=db;User Id=sa;Password=Str0ng!Pass;",
        '"password": "P@ssw0rd!"',
        "mein Passwort ist Hund1234",
        "mon mot de passe est Soleil99",
        "mi contraseña es gato2020",
        "密码是 abc12345",
        "I set the admin password to Winter2024",
        "credentials: admin:Sup3rS3cret!",
        "sshpass -p 'Secr3t99' ssh host",
        "my PIN is 4821",
    ],
)
def test_a_password_given_in_prose_or_settings_is_found(text: str) -> None:
    assert find_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "postgres://bob:tr0ub4dor@db.internal/prod",
        "redis://:9fKq2LmZx8@cache:6379/0",
        "curl -u elastic:P4ssw0rd https://localhost:9200",
        "curl -H 'Authorization: Bearer cfcabd11c7ed9a41b1a3e063c32d5114' https://api",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END RSA PRIVATE KEY-----",
        "https://hooks.slack.com/services/T0DCUJB1Q/B0DD08H5G/" + drawn(ALNUM, 24),
        '{"type": "service_account", "project_id": "x"}',
        "machine api.example.org login joe password s3cr3tish",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ." + drawn(WORD, 43),
    ],
)
def test_secrets_known_by_their_shape_are_found(text: str) -> None:
    assert find_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + "x" * 36,
        "api_key: your-api-key-here",
        "password: process.env.DB_PASSWORD",
        "password=${DB_PASSWORD}",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password: <your-password>",
        "DATABASE_URL=postgres://user:password@localhost:5432/db",
        "curl -u username:token",
        'curl -u "${USER}:${PASS}"',
        "export API_KEY=$(cat key.txt)",
        'privateKey = "' + "a" * 32 + '"',
    ],
)
def test_placeholders_and_references_are_not_secrets(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "commit 5e141933554a0b74e7341841f318be21e895339c",
        "uuid 203db13e-70c7-462b-9a3d-bf32640cb0be",
        "my password is stored in 1Password",
        "the password must have 8 characters",
        "max_tokens=4096",
        "primary key: user_id_2024",
        "model = claude-3-5-sonnet-20241022",
        "cache key: user:12345:profile",
        "The API version is 2023-05-15-preview",
        "secret santa is on 12/24",
        "promo code is SAVE20NOW2024",
        "status code is 404",
        "credentialsId: 'ff083f76-7804-4ef1-80e4-fe975bb9141b'",
        'public_key = "9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit"',
        "IceSSL.KeyFile=s_rsa1024_priv.pem",
        "",
    ],
)
def test_ordinary_technical_text_is_left_alone(text: str) -> None:
    assert find_secrets(text) == ()


def test_redaction_replaces_the_span_and_nothing_else() -> None:
    text = f"use {PREFIXED['npm-token']} and {PREFIXED['pulumi-token']}."
    assert redact(text, find_secrets(text)) == "use [redacted: npm-token] and [redacted: pulumi-token]."


def test_overlapping_findings_are_redacted_once() -> None:
    findings = [Finding("a", 2, 6), Finding("b", 4, 8), Finding("c", 8, 9)]
    assert redact("0123456789", findings) == "01[redacted: a][redacted: c]9"


def test_spans_are_exact_after_letters_whose_small_form_is_longer() -> None:
    text = "İİİ password = 'Zx9!kLm2'"
    (found,) = find_secrets(text)
    assert text[found.start : found.end] == "Zx9!kLm2"
