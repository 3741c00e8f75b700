"""In which languages a tenant can be asked."""

from __future__ import annotations

from uuid import UUID

from search.models import Passage
from search.round_trips import Asking, ask
from tenants.scope import within_tenant

# Asked one by one, each is a look into the index; to find those that are there would be to read all words.
COUNTED = """
    SELECT language FROM search_termstatistics
    WHERE tenant_id = %s AND term = '' AND language = ANY (ARRAY(SELECT cfgname::text FROM pg_ts_config))
    ORDER BY passage_count DESC, language
"""


def languages_of(tenant_id: UUID) -> list[str]:
    """Return the text-search configurations by which passages are indexed, that of the most first."""
    with within_tenant(tenant_id):
        return ask(read_languages(tenant_id))


def read_languages(tenant_id: UUID) -> Asking[list[str]]:
    (rows,) = yield [(COUNTED, [tenant_id])]
    return [str(language) for (language,) in rows] or _read_languages(tenant_id)


def _read_languages(tenant_id: UUID) -> list[str]:
    """Ask the passages themselves: not every keyword index counts words."""
    rows = Passage.objects.filter(tenant=tenant_id).order_by("language")
    return list(rows.values_list("language", flat=True).distinct())
