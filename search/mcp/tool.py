"""A tool: what it is for, what it takes, what it answers, and what it may do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from mcp_types import CallToolResult, TextContent, ToolAnnotations
from mcp_types import Tool as ListedTool
from pydantic import TypeAdapter, ValidationError

from search.mcp.arguments import Arguments, describe_problems, input_schema
from search.mcp.refusals import REFUSED, describe_refusal, refuse
from tenants.authentication import Program
from tenants.models import Scope, Tenant

A = TypeVar("A", bound=Arguments)
R = TypeVar("R")


@dataclass(frozen=True)
class Tool(Generic[A, R]):
    """Something a model can ask for. `answer` reads or writes, `write` says the answer in words."""

    name: str
    title: str
    description: str
    takes: type[A]
    gives: type[R]
    answer: Callable[[Program, A], R]
    write: Callable[[R, Tenant], str]
    scope: Scope = Scope.READ
    renamed: Mapping[str, str] = field(default_factory=dict)  # Fields that callers know by other names.

    @property
    def is_reading(self) -> bool:
        return self.scope == Scope.READ

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return input_schema(self.takes)

    @cached_property
    def output(self) -> TypeAdapter[R]:
        return TypeAdapter(self.gives)

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        schema = self.output.json_schema(mode="serialization")
        required = [self.renamed.get(name, name) for name in schema.get("required", ())]
        return {**schema, "properties": self.rename(schema["properties"]), "required": required}

    def rename(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {self.renamed.get(name, name): value for name, value in values.items()}

    @cached_property
    def listed(self) -> ListedTool:
        return ListedTool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.input_schema,
            output_schema=self.output_schema,
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.is_reading,
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=False,
            ),
        )

    def call(self, program: Program, arguments: dict[str, Any]) -> CallToolResult:
        """Answer a call; what cannot be answered is told in words by which the model can do better."""
        if not program.may(self.scope):
            return refuse(f"{self.name}: {lacking(program)} the scope “{self.scope.value}”. {CURE}")
        try:
            asked = self.takes.model_validate(arguments)
        except ValidationError as error:
            return refuse(*(line_of(one) for one in describe_problems(error.errors(), self.takes)))
        try:
            answer = self.answer(program, asked)
        except REFUSED as error:
            return describe_refusal(error)
        text = self.write(answer, program.tenant)
        structured = self.rename(self.output.dump_python(answer, mode="json"))
        return CallToolResult(content=[TextContent(text=text)], structured_content=structured)


CURE = "Somebody who may administer the tenant has to allow it."


def lacking(program: Program) -> str:
    return "this key lacks" if program.key else "this server was started without"


def line_of(problem: dict[str, str]) -> str:
    return f"{problem['field']}: {problem['message']}" if problem["field"] else problem["message"]
