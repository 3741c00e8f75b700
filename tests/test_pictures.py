"""Pages of PDFs as they look: drawn in a child process, kept by their content, shown to who may read."""

from __future__ import annotations

import io
import struct
from random import Random

import pytest
from django.test import Client
from reportlab.pdfgen.canvas import Canvas

from documents import pictures
from documents.convert.picture import MOST_PIXELS, SIGNATURE, draw_page_in_child
from documents.errors import OverLimit, Unreadable
from documents.models import Version
from documents.pictures import Pictures
from tenants.models import Membership, Tenant
from tenants.scope import tenant_scope
from tests import bench
from tests.conftest import client_of
from tests.long_document import add_without_vectors
from tests.searching import ACT, make_collection


def pdf_of(*sizes: tuple[float, float]) -> bytes:
    """A PDF with pages of these sizes in points."""
    file = io.BytesIO()
    canvas = Canvas(file)
    for size in sizes:
        canvas.setPageSize(size)
        canvas.drawString(10, 10, "Keep clear.")
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def size_of(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(SIGNATURE)
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


class TestDrawing:
    def test_is_as_wide_as_it_is_asked_to_be(self) -> None:
        assert size_of(draw_page_in_child(pdf_of((600, 800)), 1)) == (1200, 1600)
        assert size_of(draw_page_in_child(pdf_of((600, 800), (400, 200)), 2, width=100)) == (100, 50)

    def test_of_a_very_long_page_is_smaller(self) -> None:
        width, height = size_of(draw_page_in_child(pdf_of((100, 14_000)), 1))
        assert width * height <= MOST_PIXELS
        assert height > width

    @pytest.mark.parametrize("page", [0, 2, -1])
    def test_of_a_page_that_is_not_there_is_refused(self, page: int) -> None:
        with pytest.raises(Unreadable, match="The PDF has 1 pages"):
            draw_page_in_child(pdf_of((600, 800)), page)

    @pytest.mark.parametrize("content", [b"", b"%PDF-1.7 nonsense", b"<html>", b"\x89PNG\r\n\x1a\n"])
    def test_of_what_is_no_pdf_is_refused(self, content: bytes) -> None:
        with pytest.raises(Unreadable):
            draw_page_in_child(content, 1)

    def test_that_takes_too_long_is_ended(self) -> None:
        with pytest.raises(OverLimit):
            draw_page_in_child(pdf_of((600, 800)), 1, seconds=0.01)


class TestKeeping:
    def test_forgets_what_was_not_used_for_longest(self) -> None:
        kept = Pictures(most=10)
        kept.keep(("a", 1), b"12345")
        kept.keep(("a", 2), b"12345")
        assert kept.get(("a", 1)) == b"12345"
        kept.keep(("a", 3), b"1")
        assert (kept.get(("a", 2)), kept.get(("a", 1)), kept.size) == (None, b"12345", 6)

    def test_counts_what_is_kept_again_once(self) -> None:
        kept = Pictures(most=10)
        kept.keep(("a", 1), b"12345")
        kept.keep(("a", 1), b"123")
        assert (kept.size, kept.get(("a", 1))) == (3, b"123")


class TestPage:
    @pytest.fixture
    def client(self, reader: Membership) -> Client:
        return client_of(reader)

    @pytest.fixture
    def standard(self, harbour: Tenant) -> Version:
        version: Version = add_without_vectors(
            make_collection(harbour), "standard.pdf", bench.pdf(Random(1), 1)
        )
        return version

    def url(self, version: Version, page: int) -> str:
        return f"/t/harbour/versions/{version.pk}/pages/{page}.png"

    def test_is_drawn_once_however_often_it_is_looked_at(
        self, client: Client, standard: Version, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        drawn: list[int] = []

        def draw(content: bytes, page: int) -> bytes:
            drawn.append(page)
            return draw_page_in_child(content, page)

        monkeypatch.setattr(pictures, "draw_page_in_child", draw)
        monkeypatch.setattr(pictures, "KEPT", Pictures())
        first, again = client.get(self.url(standard, 1)), client.get(self.url(standard, 1))
        assert size_of(first.content)[0] == 1200
        assert again.content == first.content
        assert (first["Content-Type"], first["Cache-Control"]) == (
            "image/png",
            "private, max-age=31536000, immutable",
        )
        assert drawn == [1]

    @pytest.mark.parametrize("page", [0, 99, 999_999_999_999])
    def test_that_is_not_there_is_not_found(self, client: Client, standard: Version, page: int) -> None:
        assert client.get(self.url(standard, page)).status_code == 404

    def test_of_what_is_no_pdf_is_not_found(self, client: Client, harbour: Tenant) -> None:
        version = add_without_vectors(make_collection(harbour), "act.md", ACT)
        assert client.get(self.url(version, 1)).status_code == 404
        with tenant_scope(harbour.pk):
            Version.objects.filter(pk=version.pk).update(pages=[0])
        assert client.get(self.url(version, 1)).status_code == 404

    def test_is_linked_where_it_begins(self, client: Client, standard: Version) -> None:
        page = client.get(f"/t/harbour/documents/{standard.document_id}/read/").content.decode()
        assert (
            f'<a class="page" data-page="1" href="{self.url(standard, 1)}" aria-label="Page 1"></a>' in page
        )
