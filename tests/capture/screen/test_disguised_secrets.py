"""Credentials in parts, in look-alike letters, or after a name that people say rather than write.

No token here is or was real: each is drawn at random when the test runs, so that no scanner stops at this file.
"""

from __future__ import annotations

import random
import string

import pytest

from recollect.capture.screen import find_secrets, redact


def drawn(alphabet: str, size: int, seed: int = 11) -> str:
    """A random string that ends in a letter and a digit, so that no draw is a plain word."""
    rng = random.Random(f"{alphabet}{size}{seed}")
    return "".join(rng.choice(alphabet) for _ in range(size - 2)) + "a7"


def split(token: str, separator: str, size: int) -> str:
    return separator.join(token[at : at + size] for at in range(0, len(token), size))


ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
GH = "ghp_" + drawn(ALNUM, 36)
GL = "glpat-" + drawn(ALNUM, 20)
NPM = "npm_" + drawn(ALNUM, 36)
ST = "sk_live_" + drawn(ALNUM, 24)
OA = "sk-proj-" + drawn(ALNUM, 60)
HF = "hf_" + drawn(ALNUM, 34)
AW = "AKIA" + drawn(string.ascii_uppercase + "234567", 16).upper()
SL = "xoxb-123456789012-210987654321-" + drawn(ALNUM, 24)
H64 = drawn(HEX, 64)
H32 = drawn(HEX, 32)
DB = "dop_v1_" + drawn(HEX, 64)
DJ = drawn(ALNUM + "!@#$%^&*(-_=+", 50)

SECRETS = {
    "in parts": [
        f"stripe key {split(ST, ' ', 4)}",
        f"gitlab token {split(GL, ' ', 6)}",
        f"hf token: {split(HF, ' ', 7)}",
        f"part one is {GH[:22]}, part two is {GH[22:]}",
        f"part 1: {NPM[:20]}\npart 2: {NPM[20:]}",
        f"it begins with {GL[:14]} and ends with {GL[14:]}",
        f"{GH[:15]} followed by {GH[15:]}",
        f'"{GH[:20]}" + "{GH[20:]}"',
        f"token = '{NPM[:18]}' '{NPM[18:]}'",
        f"const t = `{GL[:12]}` + `{GL[12:]}`",
        f'key = "{OA[:30]}" \\\n      "{OA[30:]}"',
        f"$t = '{GH[:20]}' . '{GH[20:]}';",
        f"{SL[:30]}-\n{SL[30:]}",
        f"{OA[:35]}-\n  {OA[35:]}",
        f"{split(GH, '.', 8)} (without the dots)",
        f"{split(NPM, '|', 10)}",
        f"{split(GL, '/', 7)}",
        f"{split(GH, ' - ', 10)}",
        f"{split(GH, ', ', 12)}",
        f"glpat\u2003-{GL[6:]}",
        f"npm\u00a0_{NPM[4:]}",
        f"sk_live\u2009_{ST[8:]}",
        f"{GH[:20]}\u2026{GH[20:]}",
        f"{GH[:12]}<br>{GH[12:]}",
        f"{AW[:10]} {AW[10:]}",
        f"{AW[:8]}.{AW[8:]}",
        f"['{GH[:20]}', '{GH[20:]}']",
        f"gitlab token {split(GL, ' ', 5)}",
        f"the first half is {GH[:20]} and the second half is {GH[20:]}",
        f"{GH[:20]}-\n{GH[20:]}",
        f"'{GH[:18]}' + '{GH[18:]}'",
        f"{split(ST, '.', 6)} (remove the dots)",
        f"ghp\u2009_{GH[4:]}",
    ],
    "letters of other alphabets": [
        "p\u0430ssw\u043erd: Winter2024",
        "the p\u03b1ssw\u03bfrd is hunter2",
        "pаssphrаse: orbit walnut sapphire canoe",
        "wifi pаsswоrd is sunflower",
        f"АРІ key: {drawn(ALNUM, 32)}",
        f"ассеss tоken = {drawn(ALNUM, 40)}",
        "рwd=hunter22",
        "РАSSWОRD=swordfish",
        "my pаsscоde is x7k9q2",
        "Kеnnwоrt: Katze#99",
        "PІN: 4711",
        f"sесret: {H32}",
        "p\u0430ssw\u043erd: hunter2 (typed with a Cyrillic keyboard)",
    ],
    "settings": [
        f"our SECRET_KEY is {DJ}",
        f"the JWT_SECRET is {drawn(ALNUM, 30)}",
        f"NEXTAUTH_SECRET was set to {drawn(ALNUM, 32)}",
        f"secret_key_base is {drawn(HEX, 128)}",
        f"the django secret key is {DJ}",
        f"APP_KEY is base64:{drawn(ALNUM + '+/', 43)}=",
        f"SESSION_SECRET: {drawn(ALNUM + '!#%', 20)}",
        f"change SECRET_KEY to {DJ}",
        f"the value of SECRET_KEY is '{DJ}'",
        f"SIGNING_KEY is {H64}",
        f"COOKIE_SECRET equals {H32}",
        f"django SECRET_KEY is {DJ}",
    ],
    "keys after a phrase": [
        f"the wallet's private key is {H64}",
        f"ethereum private key 0x{H64}",
        f"rotate the encryption key to {H64}",
        f"I changed the master key to {H64}",
        f"private key of the wallet: {H64}",
        f"validator private key {H64}",
        f"the webhook secret should be {H64}",
        f"the database master key: {H64}",
        f"the hot wallet key is {H64}",
        f"use the signing key {H64} for releases",
        f"metamask private key - {H64}",
        f"private key = {H64}",
        f"backup key {H64}",
        f"reset the signing secret to {H32}",
        f"wallet private key {H64}",
        f"set the master key to {H64}",
    ],
    "more of each kind": [
        f"the token starts with {NPM[:16]} and continues with {NPM[16:]}",
        f"{GH[:10]} + {GH[10:24]} + {GH[24:]}",
        f"token (in three parts): {HF[:12]} / {HF[12:24]} / {HF[24:]}",
        f"chunk a {DB[:30]}, chunk b {DB[30:]}",
        f"glpat\n-{GL[6:]}",
        f"{ST[:16]}\u200a{ST[16:]}",
        f"{AW[:5]} {AW[5:10]} {AW[10:15]} {AW[15:]}",
        f'os.environ["T"] = "{GL[:15]}" + "{GL[15:]}"',
        f"{GH[:19]}-\r\n{GH[19:]}",
        f"* {GH[:20]}\n* {GH[20:]}",
        "рassword: hunter2",
        "pаsswd = Zx9!kLm2",
        "my рin is 4711",
        "Раsswort: Sommer2026",
        f"the AES key for the archive was rotated to {H64}",
        f"bitcoin wallet secret {H64}",
        f"STRIPE_SIGNING_SECRET was changed to {drawn(ALNUM, 32)}",
        f"our new JWT secret: {drawn(ALNUM + '!@#$%', 40)}",
        f"Rails secret_key_base -> {drawn(HEX, 128)}",
    ],
}

HARMLESS = {
    "in parts": [
        "the first half is 20 minutes and the second half is 25",
        "the first half of v1.2.3 is done",
        "ids: user_1 user_2 user_3",
        "abc12 def34 ghi56 are sample names",
        "x1 + y2 = z3",
        "'foo' + 'bar1'",
        "a-\nb",
        "part 1: Setup2024, part 2: Deploy2024",
        "it begins with R2D2 and ends with C3PO",
        "v1.2.3.4.5-rc1",
        "192.168.10.20 and 10.0.0.1",
        "sk-SK.UTF-8 locale, pa-IN too",
        f"path test_data commit {drawn(HEX, 40)}",
        "the key-value store has 3 parts - a1, b2, c3",
        "'us-east-1' + 'a'",
        "['v1.2', 'v1.3']",
        "a well-\nknown2 problem",
        "re-\nentrant code in C++20",
        "hf_transfer is a package",
        "npm_config_cache is set",
        "see docs/api/v2/users/list3",
        "glpat- is the prefix of tokens",
        "the prefixes ghp_, gho_ and ghs_",
        "tokens begin with ghp_ followed by 36 characters",
        "MON-1 TUE-2 WED-3 THU-4 FRI-5",
        "A1 B2 C3 D4 E5 F6 G7 H8",
        "Chr1:12345-67890 and Chr2:22222-33333",
        "seat 12A, 12B, 12C; row 14",
    ],
    "letters of other alphabets": [
        "пароль забыт",
        "Москва 2024 была тёплой",
        "сервер db2 упал",
        "Порт 8080 открыт",
        "Код региона 77",
        "Ο κωδικός χρειάζεται 8 χαρακτήρες",
        "Пароль должен содержать 8 символов",
        "Секрет пирога в масле",
        "ключ от квартиры 12 у соседа",
        "Версия API v2 вышла",
        "αβγ1 and δεζ2 are angles",
        "токен истекает через 15m",
        "Сервис auth2 на порту 8443",
    ],
    "settings": [
        "SECRET_KEY is read from the environment",
        "SECRET_KEY is required",
        "SECRET_KEY is in /etc/app/secret.key",
        "SECRET_KEY is set in settings_local.py",
        "the API_KEY is os.environ['KEY']",
        "SECRET_KEY is 50 characters long",
        "JWT_SECRET is documented in README2.md",
        "the SECRET_KEY was rotated on 2024-05-01",
        "SECRET_KEY is loaded from vault:secret/app#key1",
        "change SECRET_KEY to something random",
        "SECRET_KEY is per-environment since v2.1",
    ],
    "keys after a phrase": [
        f"the public key is {H64}",
        f"wallet address {H64}",
        f"sha256 of the key file: {H64}",
        f"the block hash is {H64}",
        f"transaction {H64} is confirmed",
        f"image digest {H64}",
        f"the fingerprint of the signing key is {H64}",
        f"the key fingerprint {H64}",
        f"hash {H64} for private-key.pem",
    ],
    "more of each kind": [
        "the talk starts with slide1 and continues with slide2",
        "a1 + b2 + c3",
        "step 1: npm ci, step 2: npm run build2",
        "chapters: ch1 / ch2 / ch3",
        "the first part is MP3 and the second part is MP4",
        "AKIA is the prefix of AWS keys",
        "sk_live and sk_test are the two modes",
        "pypi-server 2.0 and npm 10",
        "Петров живёт в Москве, кв. 12",
        "Наш сервер db3 стоит в Риге",
        "ρ = 0.85 and μ = 3.2",
        "The AES key is 256 bits long",
        "the wallet key ring has 5 keys",
        "our JWT secret rotates weekly on k8s",
        "the signing secret is in SSM under /prod/app2",
    ],
}


@pytest.mark.parametrize("text", [text for texts in SECRETS.values() for text in texts])
def test_a_credential_in_disguise_is_found(text: str) -> None:
    assert find_secrets(text)


@pytest.mark.parametrize("text", [text for texts in HARMLESS.values() for text in texts])
def test_what_only_looks_like_one_passes(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize("text", [text for texts in SECRETS.values() for text in texts])
def test_what_is_redacted_is_no_longer_found(text: str) -> None:
    assert find_secrets(redact(text, find_secrets(text))) == ()
