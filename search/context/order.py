"""In which order pieces are offered to the budget, and so what of it goes to which."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from documents.tokens import count_tokens
from search.context.pieces import ROLES, Piece, Role

# As measured: see docs/context.md.
SHARES: Mapping[Role, float] = {Role.PASSAGE: 0.85, Role.DEFINITION: 0.075, Role.REFERENCE: 0.075}
FIRST = 600  # Tokens of passages before which nothing else comes.
OVERHEAD = 30  # Tokens of fences, mark and heading.


def order_pieces(
    pieces: Sequence[Piece], *, shares: Mapping[Role, float] = SHARES, first: int = FIRST
) -> Iterator[Piece]:
    """Yield pieces so that each role has its share of whatever is taken; what is not taken is not counted.

    The order knows nothing of the budget: so a larger one holds whatever a smaller one does. What comes with
    a result comes behind it, and what one role does not need, the others have.
    """
    queues = {role: deque(piece for piece in pieces if piece.role == role) for role in ROLES}
    spent = {role: first * shares[role] / shares[Role.PASSAGE] for role in ROLES} | {Role.PASSAGE: 0.0}
    reached = 0
    while any(queues.values()):
        offered = [role for role in ROLES if queues[role] and _may_come(queues[role][0], reached, queues)]
        role = min(offered, key=lambda one: spent[one] / shares[one])
        piece = queues[role].popleft()
        yield piece
        spent[role] += count_tokens(piece.text) + OVERHEAD
        reached = max(reached, piece.rank) if role == Role.PASSAGE else reached


def _may_come(piece: Piece, reached: int, queues: Mapping[Role, deque[Piece]]) -> bool:
    return piece.role == Role.PASSAGE or piece.rank <= reached or not queues[Role.PASSAGE]
