"""The form of an API key: `pandect_<tenant>_<secret>`.

The tenant is part of it, so that a key is looked up inside its tenant like everything else. The secret
has 256 random bits: nothing to guess, so one round of SHA-256 is enough to store it.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from uuid import UUID

FORM = re.compile(r"pandect_([0-9a-f]{32})_([A-Za-z0-9_-]{43})", re.ASCII)
HINT_LENGTH = 4


@dataclass(frozen=True)
class Token:
    tenant_id: UUID
    secret: str

    @classmethod
    def generate(cls, tenant_id: UUID) -> Token:
        return cls(tenant_id, secrets.token_urlsafe(32))

    @classmethod
    def parse(cls, text: str) -> Token | None:
        match = FORM.fullmatch(text)
        return cls(UUID(match[1]), match[2]) if match else None

    def __str__(self) -> str:
        return f"pandect_{self.tenant_id.hex}_{self.secret}"

    def __repr__(self) -> str:
        return f"<Token …{self.hint}>"

    @property
    def digest(self) -> str:
        return hashlib.sha256(str(self).encode()).hexdigest()

    @property
    def hint(self) -> str:
        return self.secret[-HINT_LENGTH:]
