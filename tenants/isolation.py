"""The wall in the database as migration operations, and what they must cover."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import DeleteModel, RenameModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from config.prepare import APPLICATION_ROLE, PLATFORM_ROLE

TENANT_SETTING = "pandect.tenant_id"
USER_SETTING = "pandect.user_id"

# Unset is NULL before the first use in a session and '' after it; both match no row. The tenant is asked for
# once a query, not once a row, and the planner does not see which it is: one that its statistics do not know
# yet it would take to have hardly a row, and read all of them over and over.
CURRENT_TENANT = f"(SELECT NULLIF(current_setting('{TENANT_SETTING}', true), '')::uuid)"
CURRENT_USER = f"NULLIF(current_setting('{USER_SETTING}', true), '')::uuid"


class EnableTenantIsolation(Operation):
    """Let the application touch only the rows of the tenant that it acts for.

    Enabled and forced: the owner of the table is held too. `also_readable` is a further condition under
    which rows may be read, and `{user}` in it stands for the person who asks.
    """

    reversible = True
    reduces_to_sql = True

    def __init__(
        self, model_name: str, *, column: str = "tenant_id", also_readable: str | None = None
    ) -> None:
        self.model_name = model_name
        self.column = column
        self.also_readable = also_readable

    @property
    def policies(self) -> set[str]:
        return {"tenant", "platform"} | ({"also_readable"} if self.also_readable is not None else set())

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        options: dict[str, Any] = {}
        if self.column != "tenant_id":
            options["column"] = self.column
        if self.also_readable is not None:
            options["also_readable"] = self.also_readable
        return type(self).__name__, [self.model_name], options

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Policies are no part of a model's state."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        table = self._table(app_label, schema_editor, to_state)
        column = schema_editor.quote_name(self.column)
        is_own = f"{column} = {CURRENT_TENANT}"
        statements = [
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY tenant ON {table} TO {APPLICATION_ROLE} USING ({is_own}) WITH CHECK ({is_own})",
            f"CREATE POLICY platform ON {table} TO {PLATFORM_ROLE} USING (true) WITH CHECK (true)",
        ]
        if self.also_readable is not None:
            condition = self.also_readable.format(user=CURRENT_USER)
            statements.append(
                f"CREATE POLICY also_readable ON {table} FOR SELECT TO {APPLICATION_ROLE} USING ({condition})"
            )
        for statement in statements:
            schema_editor.execute(statement)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        table = self._table(app_label, schema_editor, from_state)
        for policy in ("tenant", "platform", "also_readable"):
            schema_editor.execute(f"DROP POLICY IF EXISTS {policy} ON {table}")
        schema_editor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY")

    def describe(self) -> str:
        return f"Isolate the rows of {self.model_name} by tenant"

    @property
    def migration_name_fragment(self) -> str:
        return f"isolate_{self.model_name.lower()}"

    def _table(self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, state: ProjectState) -> str:
        model = state.apps.get_model(app_label, self.model_name)
        return schema_editor.quote_name(model._meta.db_table)


class TieToTenant(Operation):
    """Let a key reach only rows of its own tenant: it refers to them by tenant and id.

    PostgreSQL looks up the target of a plain foreign key past row-level security, so a row could point into
    another tenant, and whoever tries would learn which ids exist there. With `is_cascading` the database
    deletes the row with its target; Django's own cascade would load each row first. With `is_clearing` it
    empties the key, and the row stays in its tenant. The field says `db_constraint=False,
    on_delete=DO_NOTHING`, because this is its constraint.
    """

    reversible = True
    reduces_to_sql = True

    def __init__(
        self, model_name: str, field_name: str, *, is_cascading: bool = False, is_clearing: bool = False
    ) -> None:
        if is_cascading and is_clearing:
            raise TypeError(f"{model_name}.{field_name} either goes with its target or is emptied, not both.")
        self.model_name = model_name
        self.field_name = field_name
        self.is_cascading = is_cascading
        self.is_clearing = is_clearing

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        options = {"is_cascading": True} if self.is_cascading else {}
        options |= {"is_clearing": True} if self.is_clearing else {}
        return type(self).__name__, [self.model_name, self.field_name], options

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """The constraint is no part of a model's state."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        field = self._field(app_label, to_state)
        table, target = (
            schema_editor.quote_name(m._meta.db_table) for m in (field.model, field.related_model)
        )
        own, theirs = tied_columns(field)
        action = "CASCADE" if self.is_cascading else "NO ACTION"
        if self.is_clearing:
            action = f"SET NULL ({schema_editor.quote_name(field.column)})"
        schema_editor.execute(
            f"ALTER TABLE {table} ADD CONSTRAINT {schema_editor.quote_name(tie_name(field))}"
            f" FOREIGN KEY ({', '.join(own)}) REFERENCES {target} ({', '.join(theirs)})"
            f" ON DELETE {action} DEFERRABLE INITIALLY DEFERRED"
        )

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        field = self._field(app_label, from_state)
        table = schema_editor.quote_name(field.model._meta.db_table)
        name = schema_editor.quote_name(tie_name(field))
        schema_editor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")

    def describe(self) -> str:
        return f"Tie {self.field_name} of {self.model_name} to its tenant"

    @property
    def migration_name_fragment(self) -> str:
        return f"tie_{self.model_name.lower()}_{self.field_name}"

    def _field(self, app_label: str, state: ProjectState) -> models.ForeignKey[Any, Any]:
        field = state.apps.get_model(app_label, self.model_name)._meta.get_field(self.field_name)
        if not isinstance(field, models.ForeignKey):
            raise TypeError(f"{self.model_name}.{self.field_name} is no foreign key.")
        return field


def tied_columns(field: models.ForeignKey[Any, Any]) -> tuple[list[str], list[str]]:
    """Return the columns of a key with its tenant, and those that they refer to."""
    if field.column == "tenant_id":
        return ["tenant_id"], ["id"]
    return ["tenant_id", field.column], ["tenant_id", "id"]


def tie_name(field: models.ForeignKey[Any, Any]) -> str:
    return f"{field.model._meta.db_table}_{field.column}_tie"


def is_tenant_model(model: type[models.Model]) -> bool:
    """Tell whether rows of a model belong to a tenant; a tenant belongs to itself."""
    tenant = apps.get_model("tenants", "Tenant")
    return model is tenant or any(
        isinstance(field, models.ForeignKey) and field.related_model is tenant
        for field in model._meta.concrete_fields
    )


def tenant_models() -> list[type[models.Model]]:
    found = (
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and is_tenant_model(model)
    )
    return sorted(found, key=lambda model: model._meta.label)


def keys_within_tenants() -> list[models.ForeignKey[Any, Any]]:
    """Return the keys that could point from one tenant into another: all but those to the tenant itself."""
    tenant = apps.get_model("tenants", "Tenant")
    return [
        field
        for model in tenant_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey)
        and field.related_model is not tenant
        and is_tenant_model(field.related_model)
    ]


def isolated_models() -> dict[tuple[str, str], EnableTenantIsolation]:
    """Return what the migrations on disk isolate, by app label and lower-case model name."""
    isolated: dict[tuple[str, str], EnableTenantIsolation] = {}
    for app, operation in migration_operations():
        match operation:
            case EnableTenantIsolation():
                isolated[app, operation.model_name.lower()] = operation
            case RenameModel() if (app, operation.old_name_lower) in isolated:
                isolated[app, operation.new_name_lower] = isolated.pop((app, operation.old_name_lower))
            case DeleteModel():
                isolated.pop((app, operation.name_lower), None)
    return isolated


def tied_keys() -> dict[tuple[str, str, str], TieToTenant]:
    """Return what the migrations on disk tie, by app label, lower-case model name and field name.

    The constraint has its name from table and column, so a renamed model or field needs a new tie.
    """
    tied: dict[tuple[str, str, str], TieToTenant] = {}
    for app, operation in migration_operations():
        if isinstance(operation, TieToTenant):
            tied[app, operation.model_name.lower(), operation.field_name] = operation
    return tied


def migration_operations() -> Iterator[tuple[str, Operation]]:
    """Yield the operations of the migrations on disk with the label of their app, in the order they run."""
    graph = MigrationLoader(None, ignore_no_migrations=True).graph
    plans = (graph.forwards_plan(leaf) for leaf in graph.leaf_nodes())
    for app, name in dict.fromkeys(node for plan in plans for node in plan):
        for operation in graph.nodes[app, name].operations:
            yield app, operation
