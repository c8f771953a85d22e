"""Credentials of many kinds: the name of a field, a heading or a column makes the value beside it one."""

from __future__ import annotations

import pytest

import recollect
from recollect.capture.screen import find_secrets
from recollect.errors import InvalidInput

CREDENTIALS = [
    "password:\n  hunter2",
    "Password:\nhunter2",
    "## Password\n\nhunter2",
    "Password\n--------\nhunter2",
    "**Password**\nhunter2",
    "password: >-\n  hunter2",
    "password: |\n  hunter2x!",
    '{"name": "DB_PASSWORD", "value": "hunter2"}',
    "- name: DB_PASSWORD\n  value: hunter2",
    '<add key="password" value="hunter2"/>',
    "<key>password</key>\n<string>hunter2</string>",
    "<password>hunter2</password>",
    '"password":\n    "hunter2"',
    "DB_PASSWORD=\\\nhunter2",
    "password = '''hunter2'''",
    "['password' => 'hunter2']",
    "password->hunter2",
    "password := hunter2",
    'setPassword("hunter2")',
    'password("hunter2")',
    "--password hunter2",
    "--password=hunter2",
    "PGPASSWORD=hunter2 psql",
    "MYSQL_PWD=hunter2 mysqldump",
    "export ADMIN_PASS=hunter2",
    "sshpass -p hunter2 ssh root@host",
    "echo hunter2 | sudo -S ls",
    "curl -u tom:hunter2 https://x.example",
    "https://tom:hunter2@x.example/",
    "postgres://app:hunter2@db/prod",
    "smb://tom:hunter2@nas/share",
    "login: tom password: hunter2",
    "user tom, pass hunter2",
    "Username: tom\nPassword: hunter2",
    "credentials tom:hunter2",
    "creds: tom / hunter2",
    "the password's hunter2",
    "my pw = hunter2",
    "pw hunter2",
    "PW: hunter2",
    "pwd hunter2",
    "Passwort lautet hunter2",
    "Das Passwort heißt hunter2",
    "la contraseña es hunter2",
    "le mot de passe est hunter2",
    "mdp : hunter2",
    "senha: hunter2",
    "wachtwoord: hunter2",
    "| user | password |\n|---|---|\n| tom | hunter2 |",
    "user,password\ntom,hunter2",
    "user;password\ntom;hunter2",
    "user\tpassword\ntom\thunter2",
    "<tr><td>password</td><td>hunter2</td></tr>",
    "<th>Password</th>\n<td>hunter2</td>",
    "password is hunter-2-fox",
    "pass phrase: horse battery staple correct",
    "the wifi code is blue-horse-42",
    "WLAN-Schlüssel: 8234912834",
    "wifi: HomeNet / sunshine99",
    "PIN: 4711",
    "my PIN is 4711",
    "alarm code 4711",
    "the code for the safe is 12-34-56",
    "CVV 123",
    "sort of the voicemail pin = 9911",
    "OTP 482910",
    "the 2FA backup codes: 1234-5678, 2345-6789",
    "API key: 4f9a8b7c6d5e4f3a",
    "api_key\n4f9a8b7c6d5e4f3a2b1c",
    "apikey=4f9a8b7c6d5e4f3a2b1c",
    "x-api-key: 4f9a8b7c6d5e4f3a2b1c",
    "Authorization: Bearer 4f9a8b7c6d5e4f3a2b1c0d",
    "Authorization: Token 4f9a8b7c6d5e4f3a2b1c0d",
    "token 4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c",
    "client_secret:\n  4f9a8b7c6d5e4f3a2b1c",
    "JWT_SECRET=supersecretjwtkey123",
    "SESSION_SECRET: keyboard-cat-4711",
    "encryption key = 0x4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c",
    "seed phrase: abandon ability able about above absent absorb abstract absurd abuse access accident",
    "recovery phrase is legal winner thank year wave sausage worth useful legal winner thank yellow",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n-----END OPENSSH PRIVATE KEY-----",
    "machine api.example login tom password hunter2",
    "_authToken=4f9a8b7c-6d5e-4f3a-2b1c-0d9e8f7a6b5c",
    "vault kv put secret/db password=hunter2",
    "docker login -u tom -p hunter2",
    "redis-cli -a hunter2",
    "requirepass hunter2",
    "runas password hunter2",
    "htpasswd -b file tom hunter2",
    "ldapsearch -w hunter2 -D cn=admin",
    "openssl enc -k hunter2",
    "keytool -storepass hunter2",
    "ansible_password: hunter2",
    "ansible_become_pass: hunter2",
    "spring.datasource.password=hunter2",
    "jdbc:mysql://db/x?user=tom&password=hunter2",
    "Server=db;User Id=tom;Password=hunter2;",
    "passw0rd: hunter2",
    "p@ssword: hunter2",
    "pa55word is hunter2",
    "PASSWORD hunter2",
    "password…hunter2",
    "Password — hunter2",
    "password (hunter2)",
    "password [hunter2]",
    'password "hunter2"',
    "password= hunter2",
    "password :hunter2",
    "password ~ hunter2",
]

HARMLESS = [
    "Password (at least 8 characters)",
    "password (min. 12 chars)",
    "password (SHA256)",
    "## Password\n\nHow to reset it",
    "Password\n--------\nEvery 90 days",
    "## Passwords\n\nWe use 1Password for all of them",
    "password:\n  required: true",
    "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: db",
    '{"name": "password", "type": "string"}',
    '<input name="password" value="">',
    "getPassword(user)",
    "password(min=8)",
    'resetPassword("token")',
    "credentials: see the vault",
    "login: tom",
    "creds are in 1Password",
    "logins per day: 1200",
    "JWT_SECRET=${JWT_SECRET}",
    "SESSION_SECRET=changeme",
    "the pass phrase is long",
    "storepass is an option of keytool",
    "passw0rd rules are silly",
    "password… what password?",
    "The password [optional] comes last",
    "password ~ 12 characters",
]

# What stands beside a text, the text, and whether the one makes the other a credential.
NAMED = [
    ({"key": "password"}, "hunter2", True),
    ({"key": "db.password"}, "hunter2", True),
    ({"key": "wifi-password"}, "blue-horse-42", True),
    ({"key": "Password of the router"}, "hunter2", True),
    ({"key": "api_token"}, "4f9a8b7c6d5e4f3a2b1c", True),
    ({"key": "pin"}, "4711", True),
    ({"tags": ["password"]}, "hunter2", True),
    ({"tags": ["router", "passwort"]}, "Sommer2026!", True),
    ({"key": "password-policy"}, "at least 12 characters", False),
    ({"key": "password"}, "The password is in the vault", False),
    ({"tags": ["password"]}, "The reset page moved to /account2", False),
    ({"key": "editor"}, "neovim0", False),
    ({"key": "token-limit"}, "4096", False),
]


@pytest.mark.parametrize("text", CREDENTIALS)
def test_the_value_beside_a_name_of_a_credential_is_one(text: str) -> None:
    assert find_secrets(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_fields_headings_and_talk_without_a_value_pass(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(("fields", "text", "refused"), NAMED)
def test_a_key_or_a_tag_makes_the_text_a_credential(fields: dict[str, object], text: str, refused: bool) -> None:
    with recollect.open(":memory:", embedder="none") as memory:
        told = memory.remember_many([{"content": text, **fields}], verbatim=True)[0]
        assert isinstance(told, recollect.Refused) is refused, told
        assert text not in str(told) or not refused


def test_a_tag_that_is_added_later_counts_too() -> None:
    with recollect.open(":memory:", embedder="none") as memory:
        kept = memory.remember_many(["hunter2"], verbatim=True)[0].memory
        with pytest.raises(InvalidInput, match="credential"):
            memory.tag(kept.id, "password")
        assert isinstance(memory.update(kept.id, tags=["password"]), recollect.Refused)
