"""Collections as files: one table of keys, a reader that names every mistake, and a writer."""

from documents.configuration.compare import Change, compare, explain
from documents.configuration.keys import KEYS, STORED, Kind, Place
from documents.configuration.nodes import Problem, Spot
from documents.configuration.read import Configuration, Configured, read_configuration, weigh
from documents.configuration.schema import describe_schema
from documents.configuration.write import write_configuration

__all__ = [
    "KEYS",
    "STORED",
    "Change",
    "Configuration",
    "Configured",
    "Kind",
    "Place",
    "Problem",
    "Spot",
    "compare",
    "describe_schema",
    "explain",
    "read_configuration",
    "weigh",
    "write_configuration",
]
