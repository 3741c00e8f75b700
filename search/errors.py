"""What a search refuses."""


class SearchError(Exception):
    """Base of what a search refuses. Messages say what to do instead."""


class QueryRefused(SearchError):
    """A query that cannot be searched for: blank, or longer than any query is."""


class NoSuchCollection(SearchError):
    """A collection that is asked for and not there, or of another tenant: the two look the same."""
