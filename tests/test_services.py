"""Tenants, members and keys: what changes, what is refused, and what is on the record."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tenants.errors import AlreadyCreated, AlreadyMember, LastAdmin, NoLongerMember, UnknownTenant
from tenants.models import ApiKey, AuditEvent, Membership, Role, Scope, Tenant, User
from tenants.scope import platform_scope, tenant_scope
from tenants.services import (
    add_member,
    authenticate_api_key,
    change_role,
    create_api_key,
    create_tenant,
    find_tenant,
    remove_member,
    revoke_api_key,
    revoke_expired_keys,
    tenants_with_expired_keys,
)
from tests import factories
from tests.database import everything_of


def events(tenant: Tenant) -> list[tuple[str, str, dict[str, Any]]]:
    with tenant_scope(tenant.pk):
        found = AuditEvent.objects.for_tenant(tenant).order_by("at")
        return [(event.action, event.target, event.detail) for event in found]


class TestTenants:
    def test_start_with_an_admin_and_a_record(self, db: None) -> None:
        person = factories.user()
        tenant = create_tenant(name="Harbour Authority", slug="harbour", admin=person, actor=factories.ACTOR)
        with tenant_scope(tenant.pk):
            assert [(m.user, m.role) for m in Membership.objects.all()] == [(person, "admin")]
        assert events(tenant) == [
            ("tenant.created", "Harbour Authority", {"slug": "harbour"}),
            ("member.added", person.email, {"role": "admin"}),
        ]

    @pytest.mark.parametrize("slug", ["", "Harbour", "har bour", "-x", "x-", "a--b", "a/b", "ü", "x" * 51])
    def test_refuse_a_slug_that_is_no_address(self, db: None, slug: str) -> None:
        with pytest.raises(ValidationError):
            create_tenant(name="Harbour", slug=slug, actor=factories.ACTOR)
        with platform_scope():
            assert not Tenant.objects.exists()
            assert not AuditEvent.objects.exists()

    @pytest.mark.parametrize("name", ["", "  ", "\t\n"])
    def test_refuse_a_name_that_nobody_can_read(self, harbour: Tenant, name: str) -> None:
        before = everything_of(harbour)
        with pytest.raises(ValidationError, match="name"):
            create_tenant(name=name, slug="blank", actor=factories.ACTOR)
        with pytest.raises(ValidationError, match="name"):
            create_api_key(tenant=harbour, name=name, scopes=[Scope.READ], actor=factories.ACTOR)
        with pytest.raises(IntegrityError), tenant_scope(harbour.pk):
            Tenant.objects.update(name=name)
        assert everything_of(harbour) == before

    @pytest.mark.parametrize("slug", ["a", "7", "harbour-2", "x" * 50])
    def test_take_a_slug_that_is_one(self, db: None, slug: str) -> None:
        create_tenant(name="Harbour", slug=slug, actor=factories.ACTOR)
        assert find_tenant(slug).slug == slug

    def test_refuse_a_slug_that_is_taken_even_by_a_tenant_out_of_sight(self, harbour: Tenant) -> None:
        with pytest.raises(ValidationError, match="taken"):
            create_tenant(name="Other", slug="harbour", actor=factories.ACTOR)
        with platform_scope():
            assert Tenant.objects.count() == 1

    def test_that_do_not_exist_are_answered_with_those_that_do(self, harbour: Tenant) -> None:
        with pytest.raises(UnknownTenant, match=r"No tenant 'habour'\. There are: harbour\."):
            find_tenant("habour")


class TestMembers:
    def test_are_members_once(self, harbour: Tenant, reader: Membership) -> None:
        before = everything_of(harbour)
        with pytest.raises(AlreadyMember, match="is a member already"):
            add_member(tenant=harbour, user=reader.user, role=Role.ADMIN, actor=factories.ACTOR)
        assert everything_of(harbour) == before

    def test_change_their_role_on_the_record(self, harbour: Tenant, reader: Membership) -> None:
        change_role(membership=reader, role=Role.EDITOR, actor=factories.ACTOR)
        assert events(harbour)[-1] == (
            "member.role_changed",
            reader.user.email,
            {"before": "reader", "after": "editor"},
        )

    @pytest.mark.parametrize("role", [Role.READER, Role.EDITOR])
    def test_the_last_admin_stays_admin(self, harbour: Tenant, admin: Membership, role: Role) -> None:
        before = everything_of(harbour)
        with pytest.raises(LastAdmin, match="Make somebody else admin first"):
            change_role(membership=admin, role=role, actor=factories.ACTOR)
        with pytest.raises(LastAdmin):
            remove_member(membership=admin, actor=factories.ACTOR)
        assert everything_of(harbour) == before

    def test_the_last_admin_can_be_made_admin_again(self, harbour: Tenant, admin: Membership) -> None:
        change_role(membership=admin, role=Role.ADMIN, actor=factories.ACTOR)
        assert admin.role == Role.ADMIN

    def test_the_last_but_one_admin_can_go(self, harbour: Tenant, admin: Membership) -> None:
        other = factories.membership(harbour, Role.ADMIN)
        remove_member(membership=other, actor=factories.ACTOR)
        assert events(harbour)[-1] == ("member.removed", other.user.email, {})

    @pytest.mark.django_db(transaction=True)
    def test_two_admins_cannot_remove_each_other_at_once(self) -> None:
        tenant = factories.tenant("race")
        admins = [factories.membership(tenant, Role.ADMIN) for _ in range(2)]
        gate = threading.Barrier(2)
        refused: list[LastAdmin] = []

        def remove(membership: Membership) -> None:
            try:
                gate.wait()
                remove_member(membership=membership, actor=factories.ACTOR)
            except LastAdmin as error:
                refused.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=remove, args=[admin]) for admin in admins]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with tenant_scope(tenant.pk):
            assert (len(refused), Membership.objects.count()) == (1, 1)

    def test_who_is_gone_cannot_be_changed_or_removed_again(
        self, harbour: Tenant, reader: Membership
    ) -> None:
        same = Membership(pk=reader.pk, tenant=harbour, user=reader.user, role=reader.role)
        remove_member(membership=reader, actor=factories.ACTOR)
        before = everything_of(harbour)
        with pytest.raises(NoLongerMember, match="no longer a member"):
            remove_member(membership=same, actor=factories.ACTOR)
        with pytest.raises(NoLongerMember):
            change_role(membership=same, role=Role.ADMIN, actor=factories.ACTOR)
        assert everything_of(harbour) == before

    @pytest.mark.parametrize(
        ("role", "allowed"),
        [
            (Role.READER, [Role.READER]),
            (Role.EDITOR, [Role.READER, Role.EDITOR]),
            (Role.ADMIN, [Role.READER, Role.EDITOR, Role.ADMIN]),
        ],
    )
    def test_a_role_includes_the_ones_below(self, role: Role, allowed: list[Role]) -> None:
        assert [other for other in Role if Membership(role=role).allows(other)] == allowed


class TestKeys:
    def test_open_their_tenant_and_are_kept_as_a_hash(self, harbour: Tenant) -> None:
        key, token = factories.api_key(harbour, Scope.WRITE, Scope.READ)
        assert authenticate_api_key(str(token)) == key
        assert key.scopes == ["read", "write"]
        stored = str(everything_of(harbour))
        assert token.digest in stored
        assert token.secret not in stored

    def test_note_their_use_once_a_minute(self, harbour: Tenant) -> None:
        key, token = factories.api_key(harbour)

        def used_at() -> Any:
            with tenant_scope(harbour.pk):
                return ApiKey.objects.get(pk=key.pk).last_used_at

        assert used_at() is None
        authenticate_api_key(str(token))
        first = used_at()
        with CaptureQueriesContext(connection) as asked:
            authenticate_api_key(str(token))
        assert not [one["sql"] for one in asked if one["sql"].startswith("UPDATE")]
        assert used_at() == first
        with tenant_scope(harbour.pk):
            ApiKey.objects.update(last_used_at=first - timedelta(seconds=61))
        authenticate_api_key(str(token))
        assert used_at() > first

    @pytest.mark.parametrize("scopes", [[], ["everything"], ["read", "root"]])
    def test_have_known_scopes_by_the_rules_of_the_database(self, harbour: Tenant, scopes: list[str]) -> None:
        key, _ = factories.api_key(harbour)
        with pytest.raises(IntegrityError), tenant_scope(harbour.pk):
            ApiKey.objects.filter(pk=key.pk).update(scopes=scopes)
        with pytest.raises(ValidationError):
            create_api_key(tenant=harbour, name="x", scopes=scopes, actor=factories.ACTOR)  # type: ignore[arg-type]

    def test_cannot_expire_before_they_exist(self, harbour: Tenant) -> None:
        before = everything_of(harbour)
        with pytest.raises(IntegrityError), transaction.atomic():
            create_api_key(
                tenant=harbour,
                name="x",
                scopes=[Scope.READ],
                expires_at=timezone.now() - timedelta(seconds=1),
                actor=factories.ACTOR,
            )
        assert everything_of(harbour) == before

    def test_with_an_id_are_made_once(self, harbour: Tenant, meridian: Tenant) -> None:
        key, _ = factories.api_key(harbour)
        for tenant in (harbour, meridian):
            before = everything_of(harbour), everything_of(meridian)
            with pytest.raises(AlreadyCreated, match="was created, and shown, before"):
                create_api_key(
                    key_id=key.pk, tenant=tenant, name="x", scopes=[Scope.READ], actor=factories.ACTOR
                )
            assert (everything_of(harbour), everything_of(meridian)) == before

    def test_are_revoked_once(self, harbour: Tenant) -> None:
        key, token = factories.api_key(harbour)
        revoke_api_key(key=key, actor=factories.ACTOR)
        first = key.revoked_at
        before = everything_of(harbour)
        revoke_api_key(key=key, actor=factories.ACTOR)
        assert (key.revoked_at, key.state) == (first, "revoked")
        assert everything_of(harbour) == before
        assert authenticate_api_key(str(token)) is None

    def test_are_closed_when_their_time_is_over(self, harbour: Tenant, meridian: Tenant) -> None:
        expired, _ = factories.api_key(harbour)
        lasting, _ = factories.api_key(harbour)
        factories.api_key(meridian)
        past = timezone.now() - timedelta(days=1)
        with tenant_scope(harbour.pk):
            ApiKey.objects.filter(pk=expired.pk).update(created_at=past - timedelta(days=1), expires_at=past)
        assert tenants_with_expired_keys() == [harbour.pk]
        assert revoke_expired_keys(tenant_id=harbour.pk) == 1
        assert revoke_expired_keys(tenant_id=harbour.pk) == 0
        assert tenants_with_expired_keys() == []
        assert events(harbour)[-1] == ("key.expired", expired.name, {})
        with tenant_scope(harbour.pk):
            assert ApiKey.objects.get(pk=lasting.pk).revoked_at is None

    @pytest.mark.parametrize(("seconds", "state"), [(1, "active"), (0, "expired"), (-1, "expired")])
    def test_expire_at_the_very_moment(self, seconds: int, state: str) -> None:
        now = timezone.now()
        key = ApiKey(expires_at=now + timedelta(seconds=seconds))
        assert key.has_expired(now) == (state == "expired")

    @pytest.mark.parametrize(
        ("expires", "revoked", "state"),
        [(None, None, "active"), (1, None, "active"), (-1, None, "expired"), (-2, -1, "expired"),
         (-1, -2, "revoked"), (None, -1, "revoked"), (1, -1, "revoked")],
    )  # fmt: skip
    def test_are_expired_or_revoked_whichever_came_first(
        self, expires: int | None, revoked: int | None, state: str
    ) -> None:
        now = timezone.now()
        expires_at = None if expires is None else now + timedelta(hours=expires)
        revoked_at = None if revoked is None else now + timedelta(hours=revoked)
        assert ApiKey(expires_at=expires_at, revoked_at=revoked_at).state == state


class TestUsers:
    def test_are_the_same_person_in_any_case(self, db: None) -> None:
        person = User.objects.create_user(" Ada@Example.ORG ", "correct horse battery")
        assert person.email == "ada@example.org"
        assert User.objects.get_by_natural_key("ADA@example.org") == person
        with pytest.raises(ValidationError):
            User.objects.create_user("ada@EXAMPLE.org", "correct horse battery")
        assert User.objects.count() == 1

    def test_are_lower_case_by_the_rules_of_the_database(self, db: None) -> None:
        person = factories.user()
        with pytest.raises(IntegrityError), transaction.atomic():
            User.objects.filter(pk=person.pk).update(email="Ada@example.org")

    @pytest.mark.parametrize(
        ("name", "full", "short"),
        [("Ada Lovelace", "Ada Lovelace", "Ada"), ("", "ada@example.org", "ada@example.org")],
    )
    def test_have_a_name_to_be_called(self, name: str, full: str, short: str) -> None:
        person = User(name=name, email="ada@example.org")
        assert (person.get_full_name(), person.get_short_name(), str(person)) == (full, short, person.email)


@pytest.mark.parametrize(
    ("action", "detail", "sentence"),
    [
        ("member.added", {"role": "reader"}, "Added {x} as reader"),
        ("member.role_changed", {"before": "reader", "after": "admin"}, "Made {x} admin, who was reader"),
        ("key.revoked", {}, "Revoked the API key “{x}”"),
        ("admin.tenant_changed", {}, "Admin tenant changed {x}"),
    ],
)
def test_the_record_reads_as_sentences(action: str, detail: dict[str, str], sentence: str) -> None:
    assert AuditEvent(action=action, target="{x}", detail=detail).sentence == sentence


def test_a_tenant_that_is_deleted_leaves_its_record(harbour: Tenant, admin: Membership) -> None:
    factories.api_key(harbour)
    with platform_scope():
        harbour.delete()
    left = {label: len(rows) for label, rows in everything_of(Tenant(pk=admin.tenant_id)).items() if rows}
    assert left == {"tenants.AuditEvent": 3}


def test_nobody_acts_for_a_tenant_that_does_not_exist(db: None) -> None:
    with pytest.raises(ValidationError, match="not a valid choice"):
        add_member(tenant=Tenant(pk=uuid4()), user=factories.user(), role=Role.READER, actor=factories.ACTOR)
