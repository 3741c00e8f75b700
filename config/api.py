"""How the description of the REST API begins, and what its groups are."""

INTRODUCTION = """\
Search, read and keep documents that have structure: law, regulation, contracts, policies, standards.

A program sends its key as `Authorization: Bearer pandect_…`; the key decides on the tenant. A script of a
page of this installation can use the session of whoever is logged in, with the tenant's slug as
`X-Pandect-Tenant` and the page's token as `X-CSRFToken`.

What is sent is JSON in UTF-8, and fields that are not known are refused, in an address too. What is answered
may have further fields one day. A list that is longer than its limit ends with `next`: send it as `after` to
go on. Refusals are problems in the form of RFC 9457: `detail` is for people, `errors` names the fields.
"""

TAGS = {
    "search": "Ask for passages, or for a text that a language model can answer from.",
    "documents": "Read what is there: documents, outlines, units, definitions, references.",
    "citations": "Find out whether what was cited still stands, and whether a text cites rightly.",
    "collections": "Corpora, each with its configuration.",
    "uploads": "Large files in parts, by the protocol tus 1.0.",
    "versions": "How far a file is, and what became of a document.",
    "baselines": "Versions kept under a name, and what is published.",
    "index": "What is being worked on, how the index is, and how good the search is.",
    "webhooks": "Be told instead of asking.",
    "tenant": "For whom a key acts, what was spent, and what is kept.",
}

API_DESCRIPTION = {
    "TITLE": "Pandect",
    "VERSION": "1",
    "DESCRIPTION": INTRODUCTION,
    "OAS_VERSION": "3.1.0",
    "LICENSE": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
    "TAGS": [{"name": name, "description": words} for name, words in TAGS.items()],
    "SERVERS": [{"url": "/"}],
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "PREPROCESSING_HOOKS": ["tenants.schema.name_ids"],
    "POSTPROCESSING_HOOKS": [],
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
}
