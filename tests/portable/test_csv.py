"""CSV: a table for a spreadsheet, in which no memory becomes a formula."""

import csv
import io

import pytest

from recollect import InvalidInput


def rows_of(memory, **options) -> list[dict[str, str]]:
    out = io.BytesIO()
    memory.export(out, format="csv", **options)
    return list(csv.DictReader(io.StringIO(out.getvalue().decode("utf-8"), newline="")))


def test_every_memory_but_a_forgotten_one_is_a_row(rich) -> None:
    rows = rows_of(rich)
    expected = rich.list(status=["active", "superseded", "archived"], limit=500)
    assert {row["id"] for row in rows} == {record.id for record in expected}
    ship = next(row for row in rows if "make ship" in row["content"])
    assert (ship["project"], ship["tags"], ship["importance"]) == ("shop", "deploy grösse", "0.9")
    assert "superseded" in {row["status"] for row in rows}
    assert not any("diary" in row["content"] for row in rows)
    assert any("diary" in row["content"] for row in rows_of(rich, everything=True))


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("http://evil")', "+1+1", "-2+3", "@SUM(A1)", "\t=1+1", "＝1+1", "  =cmd|' /C calc'!A0"]
)
def test_no_cell_is_a_formula(memory, text) -> None:
    memory.remember_many([{"content": text, "tags": ["=1+1"], "project": "@home"}], verbatim=True)
    (row,) = rows_of(memory)
    assert row["content"] == f"'{text}"
    assert row["tags"] == "'=1+1"
    assert row["project"] == "'@home"


def test_lines_quotes_and_commas_stay_in_their_cell(memory, tmp_path) -> None:
    memory.remember('He said "ship, now"\nand left')
    memory.export(tmp_path / "memories.csv")
    with (tmp_path / "memories.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["content"] == 'He said "ship, now"\nand left'


def test_a_table_is_not_imported(memory, tmp_path) -> None:
    memory.remember("The office is in Porto")
    memory.export(tmp_path / "memories.csv")
    with pytest.raises(InvalidInput, match=r"CSV.*JSON lines or Markdown"):
        memory.import_data(tmp_path / "memories.csv")
