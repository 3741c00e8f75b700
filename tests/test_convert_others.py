"""Old Excel workbooks and notebooks, read by markitdown inside the child."""

from __future__ import annotations

import io
import json

import pytest
import xlwt

from documents.convert import convert_file, convert_in_child
from documents.errors import Unreadable


def workbook() -> bytes:
    book = xlwt.Workbook()
    sheet = book.add_sheet("Tariff")
    for row, cells in enumerate([("Berth", "Fee"), ("North quay", 120), ("South quay", 95)]):
        for column, cell in enumerate(cells):
            sheet.write(row, column, cell)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Tides\n", "\n", "High water at noon."]},
        {
            "cell_type": "code",
            "metadata": {},
            "source": ["height = 4.2"],
            "outputs": [],
            "execution_count": 1,
        },
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def test_an_old_workbook_is_a_heading_and_a_table_for_each_sheet() -> None:
    lines = convert_in_child(workbook(), "tariff.xls").text.splitlines()
    assert lines[0] == "## Tariff"
    assert "| Berth | Fee |" in lines
    assert "| North quay | 120 |" in lines


def test_an_old_workbook_is_known_by_its_content() -> None:
    assert convert_file(workbook(), "tariff.bin").text == convert_file(workbook(), "tariff.xls").text


def test_a_notebook_is_its_words_and_its_code() -> None:
    converted = convert_file(notebook(), "tides.ipynb")
    assert converted.text.startswith("# Tides\n")
    assert "height = 4.2" in converted.text


def test_a_damaged_workbook_is_refused_with_a_cure() -> None:
    content = workbook()
    with pytest.raises(Unreadable, match=r"damaged.*Save it again"):
        convert_file(content[: len(content) // 2], "tariff.xls")
