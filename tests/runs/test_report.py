from io import StringIO

import pytest
from rich.console import Console

from habitus.runs import Cell, MetricSummary, Summary, print_report
from habitus.runs.report import as_html

NAMES = ("p_web", "p_pref", "p_avg", "intent", "success", "outcome_success")


def cell(history: str = "on_demand", judge: str = "state", **changes: object) -> Cell:
    metrics = {name: MetricSummary(mean=0.834, ci95=(0.71, 0.92), n=18) for name in NAMES}
    metrics["steps"] = MetricSummary(mean=11.26, ci95=(None, None), n=18)
    return Cell.model_validate({
        "suite": "persona2web", "data_version": "local-1", "agent": "prg-reflex", "model": "", "history": history,
        "history_of": "own", "level": 2, "budget": {"name": "default", "max_steps": 30}, "web": "local",
        "world_seed": 0, "repeats": 1, "judge": judge, "episodes": 18, "scored": 18, "invalid": 0, "failed": 0,
        "metrics": metrics, "usage": {}, "time": {}, **changes,
    })


def printed(*cells: Cell, width: int = 120, unreadable: tuple[str, ...] = ()) -> str:
    out = StringIO()
    print_report(Summary(cells=cells, unreadable=unreadable), Console(file=out, width=width))
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 100, 112, 120, 160])
def test_the_table_fits_and_shows_every_mean_with_its_interval(width: int) -> None:
    text = printed(cell("none"), cell(), cell("pre_execution"), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("0.83") == text.count("[0.71, 0.92]") == 18
    assert "…" not in text
    assert "11.3" in text
    assert width not in (120, 160) or ("0.83 [0.71, 0.92]" in text) == (width == 160)


def test_privileged_schemes_other_histories_and_proxies_are_marked() -> None:
    text = printed(cell("oracle"), cell(history_of="other"), cell(judge="aspect-proxy"))
    assert "oracle*" in text
    assert "* privileged" in text
    assert "on_demand (other)" in text
    assert "aspect-proxy [a proxy, no judge of quality]" in text
    assert "* privileged" not in printed(cell())


def test_what_is_in_no_mean_stands_beside_it() -> None:
    text = printed(cell(invalid=2, failed=3), unreadable=("e.jsonl:3: broken",))
    assert "2 inv" in text
    assert "3 fail" in text
    assert "e.jsonl:3: broken" in text


def test_a_run_without_episodes_says_so() -> None:
    assert "No episode" in printed()


def test_html_escapes_names() -> None:
    assert "<b>" not in as_html(Summary(cells=(cell(judge="<b>"),)))
