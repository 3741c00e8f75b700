"""Citations that can be replayed: read, verified, and looked for in a text."""

from search.citations.check import check_citations
from search.citations.given import GivenCitation, read_citation
from search.citations.verification import Status, Verification
from search.citations.verify import verify_citation

__all__ = [
    "GivenCitation",
    "Status",
    "Verification",
    "check_citations",
    "read_citation",
    "verify_citation",
]
