"""One file survives what happens to files: many processes, kill -9, spoilt snapshots, no room, no permission.

Short versions of what `python -m bench reliability` does for minutes; each figure counts what went wrong.
"""

from bench.faults import full_disk_figures, read_only_figures, snapshot_figures
from bench.reliability import killed_figures, shared_figures


def _wrong(figures):
    return [(figure.what, figure.value, figure.note) for figure in figures if figure.value != 0]


def test_eight_processes_share_a_file_without_error_loss_or_stale_read(tmp_path):
    figures = shared_figures(tmp_path, seconds=6)
    assert _wrong(figures) == []
    looks = next(figure.note for figure in figures if "not seen" in figure.what)
    assert int(looks.split()[0].replace(",", "")) > 50


def test_nothing_acknowledged_is_lost_when_a_writer_is_killed(tmp_path):
    figures = killed_figures(tmp_path, kills=8)
    assert _wrong(figures) == []
    assert int(figures[0].note.split()[0].replace(",", "")) >= 8


def test_a_spoilt_snapshot_changes_no_answer(tmp_path):
    figures = snapshot_figures(tmp_path)
    assert len(figures) == 5
    assert _wrong(figures) == []


def test_a_full_disk_is_said_clearly_and_damages_nothing(tmp_path):
    assert _wrong(full_disk_figures(tmp_path)) == []


def test_a_read_only_file_is_read_and_left_as_it_is(tmp_path):
    assert _wrong(read_only_figures(tmp_path)) == []
