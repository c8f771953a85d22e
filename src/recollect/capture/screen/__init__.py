"""The detectors of the gate: what must not be stored, what is redacted, what is only labelled.

They run in this order: `sources` (may this file be read), `junk` (is it worth storing), `policy` (secrets and personal data),
`injection` (label). All are pure functions on text, except that `sources` reads ignore files.
"""

from recollect.capture.screen.finding import Finding, redact
from recollect.capture.screen.injection import injection_signs
from recollect.capture.screen.junk import FENCE_CLOSE, FENCE_OPEN, is_echo, junk_reason
from recollect.capture.screen.personal import find_personal
from recollect.capture.screen.policy import DEFAULT_POLICY, Action, Clean, Refusal, apply_policy, checked_policy
from recollect.capture.screen.secrets import find_secrets
from recollect.capture.screen.sources import source_problem

__all__ = [
    "DEFAULT_POLICY",
    "FENCE_CLOSE",
    "FENCE_OPEN",
    "Action",
    "Clean",
    "Finding",
    "Refusal",
    "apply_policy",
    "checked_policy",
    "find_personal",
    "find_secrets",
    "injection_signs",
    "is_echo",
    "junk_reason",
    "redact",
    "source_problem",
]
