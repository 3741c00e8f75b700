"""A purse that keeps its accounts in memory and lets nobody but its owner touch it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from decimal import Decimal

from search.backends.payment import Prices, Usage


@dataclass(frozen=True, slots=True)
class Settled:
    most: Decimal
    usage: Usage
    failure: str
    is_unknown: bool


@dataclass(slots=True)
class MemoryPurse:
    """Pays from a budget; `spent` is what it believes to have paid."""

    prices: Prices = field(default_factory=Prices)
    budget: Decimal = Decimal(1000)
    set_aside: Decimal = Decimal(0)
    spent: Decimal = Decimal(0)
    reserved: list[Decimal] = field(default_factory=list)
    refused: list[Decimal] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)
    owner: int = field(default_factory=threading.get_ident)

    def reserve(self, most: Decimal) -> bool:
        assert threading.get_ident() == self.owner
        if self.spent + self.set_aside + most > self.budget:
            self.refused.append(most)
            return False
        self.set_aside += most
        self.reserved.append(most)
        return True

    def settle(self, most: Decimal, usage: Usage, *, failure: str = "", is_unknown: bool = False) -> None:
        assert threading.get_ident() == self.owner
        cost = most if is_unknown else self.prices.cost(usage)
        assert cost <= most
        self.set_aside -= most
        self.spent += cost
        self.settled.append(Settled(most, usage, failure, is_unknown))
