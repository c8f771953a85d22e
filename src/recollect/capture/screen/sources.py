"""Which files must not be remembered: key files, `.env`, and files ignored by `.gitignore` or `.secretsignore`.

Checked before a file is read, so that its text never gets any further.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from recollect.values.patterns import compiled

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_IGNORE_FILES: Final = (".gitignore", ".secretsignore")
_HARMLESS = r"(?i)\.(?:example|sample|template|dist|tmpl|tpl|defaults|schema|md)$|^example[._-]|\.pub$"
_KEY_FILE = (
    r"(?i)^(?:\.env(?:\..+|rc)?|.+\.env|env\.(?:local|prod|production|development|staging)"
    r"|\.?secrets?(?:\.(?:json|ya?ml|toml|ini|txt|properties|xml|env|enc))?"
    r"|\.?credentials?(?:\.(?:json|ya?ml|toml|ini|csv|db|xml))?|"
    r"\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|pgpass\.conf|\.my\.cnf|\.git-credentials|\.dockercfg|\.htpasswd"
    r"|\.boto|\.s3cfg|\.vault-token|"
    r"kubeconfig.*|.*\.kubeconfig|id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?|master\.key|secring\.\w+|shadow|"
    r".+\.(?:pem|key|p12|pfx|p8|pkcs12|jks|keystore|keytab|ppk|asc|gpg|kdbx?|agekey|ovpn|tfstate|tfvars)"
    r"|.*service[-_]?account.*\.json|"
    r"client_secret.*\.json|terraform\.tfstate.*|wp-config\.php|local\.settings\.json|accesstokens\.json"
    r"|\.?vault[-_]pass(?:word)?(?:\.txt)?|passwords?\.(?:txt|csv|json|ya?ml|xlsx?|md))$"
)
_KEY_PLACE = (
    r"(?i)(?:^|/)(?:\.ssh/(?!config$|known_hosts)|\.aws/|\.gnupg/|\.kube/|\.azure/|\.config/gcloud/"
    r"|\.docker/config\.json$|\.config/gh/hosts\.yml$|\.terraform\.d/credentials|\.cargo/credentials"
    r"|\.gem/credentials|\.m2/settings)"
)


def source_problem(path: str, root: Path | None) -> str | None:
    """Why the file must not be remembered, or None. Ignore files are read from `root` down; without a root, none."""
    given = Path(path.replace("\\", "/"))
    full = _plain(root / given if root else given)
    # A symbolic link is checked by its own name and by that of its target.
    for place in dict.fromkeys((full, full.resolve())):
        if problem := _name_problem(place):
            return problem
    inside = _below(root, full) if root else None
    if root is None or inside is None:
        return None
    for name in _IGNORE_FILES:
        if _is_ignored(inside, root, name):
            return f"{inside} is listed in {name}"
    return None


def _plain(path: Path) -> Path:
    """The absolute path without `..`; symbolic links are not resolved, because git checks a link by its own path."""
    return Path(os.path.normpath(path.absolute()))


def _name_problem(place: Path) -> str | None:
    if compiled(_HARMLESS).search(place.name):
        return None
    if compiled(_KEY_FILE).match(place.name):
        return f"{place.name} is a kind of file that holds secrets"
    if compiled(_KEY_PLACE).search(place.as_posix()):
        return f"{place.name} is in a folder for credentials"
    return None


def _below(root: Path, full: Path) -> PurePosixPath | None:
    """The path relative to the root, or None if it is outside."""
    for top, place in ((_plain(root), full), (root.resolve(), full.resolve())):
        if place.is_relative_to(top):
            return PurePosixPath(place.relative_to(top).as_posix())
    return None


def _is_ignored(inside: PurePosixPath, root: Path, name: str) -> bool:
    """As git decides: the deepest ignore file with a matching line wins, and nothing inside an ignored folder is included."""
    parts = inside.parts
    specs = list(_specs(root, parts[:-1], name))
    for depth in range(1, len(parts) + 1):
        is_folder = depth < len(parts)
        verdict: bool | None = None
        for level, spec in specs:
            if level < depth:
                matched = _match(spec, "/".join(parts[level:depth]), is_folder=is_folder)
                verdict = verdict if matched is None else matched
        if verdict:
            return True
    return False


def _match(spec: GitIgnoreSpec, path: str, *, is_folder: bool) -> bool | None:
    if not is_folder:
        return spec.check_file(path).include
    # `logs/**` is about the contents of the folder, not the folder itself, but it also matches the path `logs/`.
    own = spec.check_file(path + "/")
    if own.include and own.index is not None and str(spec.patterns[own.index].pattern).rstrip().endswith("/**"):
        return None
    return own.include


def _specs(root: Path, folders: tuple[str, ...], name: str) -> Iterator[tuple[int, GitIgnoreSpec]]:
    """The ignore files, the strongest last, each with the depth of its folder."""
    # Imported here: only needed for files, and slow to import.
    from pathspec import GitIgnoreSpec

    places = [(0, root / ".git" / "info" / "exclude")] if name == ".gitignore" else []
    places += [(depth, root.joinpath(*folders[:depth], name)) for depth in range(len(folders) + 1)]
    for depth, place in places:
        if place.is_file():
            yield depth, GitIgnoreSpec.from_lines(place.read_text(encoding="utf-8", errors="replace").splitlines())
