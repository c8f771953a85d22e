"""Redis as the place of working memory: values that live for a while, shared by processes on several machines.

Loaded only when a `redis://` address is set; the driver comes with `pip install 'recollect[redis]'`.
"""

from __future__ import annotations
