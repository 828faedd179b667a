import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import small_suite
from small_suite import CANARY, FlakyEndpoint, asks

from chat_server import ChatServer, error
from habitus.errors import MissingKeyError, UnknownNameError, UserError
from habitus.runs import RunConfig, RunResult, RunStore, evaluate, judge_run, run
from habitus.types import Metric, QATruth, Score, Trajectory, User


def config(agent: str = "asks", **changes: Any) -> RunConfig:
    return RunConfig.model_validate({
        "suite": "small_suite:suite", "agent": f"small_suite:{agent}", "memory": "bm25", "judge": "aspect-proxy",
        **changes,
    })


def mtimes(path: Path) -> dict[str, int]:
    return {entry.name: entry.stat().st_mtime_ns for entry in (path / "episodes").iterdir()}


def test_a_run_stores_scores_and_sums_up_every_episode(tmp_path: Path) -> None:
    result = run(config(history=("none", "on_demand")), out=tmp_path)
    assert len(list(result.trajectories())) == 8
    by_scheme = {(cell.history, cell.level): cell for cell in result.cells}
    assert set(by_scheme) == {("none", 0), ("none", 1), ("on_demand", 0), ("on_demand", 1)}
    cell = by_scheme["on_demand", 0]
    assert (cell.episodes, cell.scored, cell.invalid, cell.failed, cell.judge) == (2, 2, 0, 0, "aspect-proxy")
    assert cell.metrics["aspects"].mean > by_scheme["none", 0].metrics["aspects"].mean == 0.0
    assert cell.metrics["steps"].mean == 2.0
    stored = json.loads((tmp_path / "summary.json").read_text())
    assert stored["schema"] == 1
    assert set(stored["cells"][0]) == {
        "suite", "data_version", "agent", "model", "history", "history_of", "level", "budget", "web", "world_seed",
        "repeats", "judge", "episodes", "scored", "invalid", "failed", "metrics", "usage", "time",
    }
    assert set(stored["cells"][0]["metrics"]["steps"]) >= {"mean", "ci95", "n"}


def test_the_same_run_again_does_nothing_twice_and_replaces_what_was_cut_off(tmp_path: Path) -> None:
    run(config(), out=tmp_path)
    before = mtimes(tmp_path)
    victim = sorted((tmp_path / "episodes").iterdir())[1]
    victim.write_bytes(victim.read_bytes()[:-30])
    cut = victim.stat().st_mtime_ns
    run(config(), out=tmp_path)
    after = mtimes(tmp_path)
    assert {name for name in after if after[name] != before[name]} == {victim.name}
    assert after[victim.name] != cut
    assert RunStore.load(tmp_path).finished(victim.stem)
    assert len((tmp_path / "scores" / "aspect-proxy.jsonl").read_text().splitlines()) == 5


def test_a_score_that_was_lost_is_made_again_without_running(tmp_path: Path) -> None:
    run(config(), out=tmp_path)
    before = mtimes(tmp_path)
    (tmp_path / "scores" / "aspect-proxy.jsonl").write_text("")
    assert sum(cell.scored for cell in run(config(), out=tmp_path).cells) == 4
    assert mtimes(tmp_path) == before


def test_an_agents_crash_takes_no_other_episode_with_it(tmp_path: Path) -> None:
    result = run(config("crashes_for_ada"), out=tmp_path)
    ends = {t.header.brief.id: t.final.stop for t in result.trajectories() if t.final}
    assert ends == {"ada-club-0": "error", "ada-gift-1": "error", "ben-club-0": "stopped", "ben-gift-1": "stopped"}
    assert sum(cell.failed for cell in result.cells) == 0


def test_an_infrastructure_failure_is_tried_again_once_then_kept_apart(tmp_path: Path) -> None:
    FlakyEndpoint.seen = tmp_path / "seen"
    healed = run(config("FlakyEndpoint", tasks="ada-club-0"), out=tmp_path / "healed")
    assert [cell.failed for cell in healed.cells] == [0]
    down = run(config("no_endpoint"), out=tmp_path / "down")
    assert [(cell.failed, cell.scored) for cell in down.cells] == [(2, 0), (2, 0)]
    assert "aspects" not in down.cells[0].metrics
    assert "steps" not in down.cells[0].metrics
    again = mtimes(tmp_path / "down")
    run(config("no_endpoint"), out=tmp_path / "down")
    assert all(mtimes(tmp_path / "down")[name] != before for name, before in again.items())


def test_another_users_history_is_searched_where_asked_for(tmp_path: Path) -> None:
    result = run(config(history_of="other", tasks="ada-club-0"), out=tmp_path)
    (trajectory,) = result.trajectories()
    assert "sourdough" in str(trajectory.steps[0].memory)
    assert result.cells[0].history_of == "other"


def test_evaluate_takes_a_function_a_class_and_an_object() -> None:
    class Mine:
        episodes = 0

        def reset(self, brief: object) -> None:
            self.episodes += 1

        def act(self, observation: dict[str, Any]) -> Any:
            return asks({**observation, "queries_left": 0})

    one = Mine()
    for agent, name in ((lambda seen: "stop('gravel bicycle')", "<lambda>"), (Mine, "Mine"), (one, "Mine")):
        result = evaluate("small_suite:suite", agent=agent, history="none", judge="aspect-proxy")
        assert sum(cell.scored for cell in result.cells) == 4
        assert result.cells[0].agent.endswith(name)
        assert "aspects" in result._repr_html_()
    assert one.episodes == 4


def test_repeats_are_averaged_before_tasks(tmp_path: Path) -> None:
    result = run(config(repeats=3, level=0), out=tmp_path)
    (cell,) = result.cells
    assert (cell.episodes, cell.repeats, cell.metrics["aspects"].n) == (6, 3, 2)
    assert cell.metrics["aspects"].sd_runs == 0.0


class Raises:
    name = "raises"

    async def judge(self, trajectory: Trajectory, truth: QATruth) -> Score:
        raise RuntimeError("no verdict")


class HalfInvalid:
    name = "half"

    async def judge(self, trajectory: Trajectory, truth: QATruth) -> Score:
        ada = trajectory.header.brief.user == "ada"
        metric = Metric(verdict="invalid", note="no usable reply") if ada else Metric(value=0.5)
        return Score(judge="half", episode=trajectory.header.episode, task_id=trajectory.header.brief.id,
                     data_version="small-1", metrics={"aspects": metric})


def test_a_stored_run_is_judged_again_and_a_judge_that_raises_is_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(config(), out=tmp_path)
    monkeypatch.setattr(small_suite, "raises", Raises, raising=False)
    monkeypatch.setattr(small_suite, "half", HalfInvalid, raising=False)
    cells = {(c.judge, c.level): c for c in judge_run(tmp_path, "small_suite:raises").cells}
    assert (cells["raises", 0].scored, cells["raises", 0].invalid) == (0, 2)
    cells = {(c.judge, c.level): c for c in judge_run(tmp_path, "small_suite:half").cells}
    assert (cells["half", 0].scored, cells["half", 0].invalid) == (1, 1)
    assert cells["half", 0].metrics["aspects"].mean == 0.5
    assert cells["aspect-proxy", 0].scored == 2


def test_a_run_of_other_data_is_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(config(), out=tmp_path)
    monkeypatch.setattr(small_suite.SmallSuite, "data_version", "small-2")
    from habitus.registry import load_suite

    load_suite.cache_clear()
    with pytest.raises(UserError, match="small-2"):
        judge_run(tmp_path, "aspect-proxy")
    load_suite.cache_clear()


def test_bad_names_are_told_before_anything_is_stored(tmp_path: Path) -> None:
    for changes, kind, says in (
        ({"suite": "persona2wep"}, UnknownNameError, "persona2web"),
        ({"agent": "prg-reflx"}, UnknownNameError, "prg-reflex"),
        ({"agent": "rag"}, MissingKeyError, "--model"),
        ({"agent": "prg"}, UserError, "Take rag"),
        ({"judge": "sate"}, UnknownNameError, "state"),
        ({"judge": "rubric"}, MissingKeyError, "--judge-model"),
        ({"memory": "minilmm"}, UnknownNameError, "minilm"),
    ):
        with pytest.raises(kind, match=says):
            run(config().model_copy(update=changes), out=tmp_path / "run")
    assert not (tmp_path / "run" / "episodes").exists()


def test_no_truth_is_stored_beside_the_scores(tmp_path: Path) -> None:
    run(config(), out=tmp_path)
    for path in tmp_path.rglob("*.json*"):
        assert CANARY not in path.read_text(), path


def test_ctrl_c_keeps_what_is_complete_and_the_next_sitting_does_the_rest(tmp_path: Path) -> None:
    program = (
        "import small_suite, time\n"
        "from pathlib import Path\n"
        "from habitus.runs import RunConfig, run\n"
        "def slow(seen):\n"
        "    time.sleep(0.3)\n"
        "    return small_suite.asks(seen)\n"
        "small_suite.asks_slowly = slow\n"
        f"config = RunConfig.model_validate_json({config('asks_slowly', repeats=5).model_dump_json()!r})\n"
        f"run(config, out=Path({str(tmp_path)!r}), concurrency=2)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(small_suite.__file__).parent)}
    child = subprocess.Popen([sys.executable, "-c", program], env=environment, stderr=subprocess.PIPE)
    until = time.monotonic() + 20
    scores = tmp_path / "scores" / "aspect-proxy.jsonl"
    while time.monotonic() < until and not scores.exists():
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in child.communicate(timeout=20)[1]
    stored = sum(cell.scored for cell in RunResultOf(tmp_path).cells)
    assert 0 < stored < 20
    small_suite.asks_slowly = asks  # type: ignore[attr-defined]
    before = {key: mtime for key, mtime in mtimes(tmp_path).items() if RunStore.load(tmp_path).finished(key[:-6])}
    result = run(config("asks_slowly", repeats=5), out=tmp_path)
    assert sum(cell.scored for cell in result.cells) == 20
    assert {key: mtimes(tmp_path)[key] for key in before} == before


def RunResultOf(path: Path) -> RunResult:  # noqa: N802 - reads as the thing it gives
    from habitus.runs import summarize

    store = RunStore.load(path)
    return RunResult(store, summarize(store))


def test_an_agent_that_cannot_be_made_any_more_fails_its_own_episodes_alone(tmp_path: Path) -> None:
    small_suite.BreaksWhenMadeAgain.made = 0
    result = run(config("BreaksWhenMadeAgain"), out=tmp_path, concurrency=1)
    finals = [(t.header.prompts, t.final) for t in result.trajectories()]
    assert [prompts for prompts, _ in finals] == [{}] * 4
    errors = [final.error for _, final in finals if final and final.error]
    assert [(error.boundary, error.infrastructure) for error in errors] == [("agent", False)] * 3
    assert "could not be made: ValueError: no more" in errors[0].message
    assert [(cell.episodes, cell.failed) for cell in result.cells] == [(2, 0), (2, 0)]


def test_an_agent_that_cannot_be_made_at_all_is_told_before_anything_is_stored(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be made without needed"):
        run(config("CannotBeMade"), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_an_episode_that_cannot_be_opened_is_tried_twice_and_counted_as_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(config(memory="small_suite:MemoryThatBreaks", level=0), out=tmp_path)
    (cell,) = result.cells
    assert (cell.episodes, cell.scored, cell.failed, result.summary.missing) == (2, 1, 1, 0)
    (lost,) = [t.final.error for t in result.trajectories() if t.final and t.final.error]
    assert (lost.boundary, lost.infrastructure) == ("memory", True)
    assert "KeyError" in lost.message
    asked: list[str] = []
    real_user = small_suite.SmallSuite.user

    def user(self: small_suite.SmallSuite, user_id: str) -> User:
        asked.append(user_id)
        if asked.count(user_id) == 1:
            raise OSError("the file is not there yet")
        return real_user(self, user_id)

    monkeypatch.setattr(small_suite.SmallSuite, "user", user)
    healed = run(config(level=0), out=tmp_path / "healed")
    assert [(cell.scored, cell.failed) for cell in healed.cells] == [(2, 0)]
    assert sorted(asked) == ["ada", "ada", "ben", "ben"]


def test_what_is_planned_and_not_stored_is_told(tmp_path: Path) -> None:
    from habitus.runs.report import as_html

    result = run(config(), out=tmp_path)
    assert result.summary.missing == 0
    next((tmp_path / "episodes").iterdir()).unlink()
    again = RunResultOf(tmp_path)
    assert again.summary.missing == 1
    assert "1 planned episodes are not stored yet" in as_html(again.summary)


def test_calls_that_a_failed_attempt_spent_are_counted(tmp_path: Path) -> None:
    with ChatServer(["gravel bicycle", error(404, "gone"), "gravel bicycle"]) as server:
        asked = config("asks_a_model_twice", model="scripted", base_url=server.base_url, tasks="ada-club-0")
        (cell,) = run(asked, out=tmp_path).cells
    assert cell.failed == 0
    assert len(server.requests) == 4
    assert cell.usage["agent"]["prompt_tokens"] == 300  # one in the attempt that failed, two in the other


def test_an_object_named_by_its_place_acts_in_one_episode_at_a_time(tmp_path: Path) -> None:
    small_suite.SharedAgent.overlaps = 0
    run(config("shared_agent"), out=tmp_path / "object", concurrency=4)
    assert small_suite.SharedAgent.overlaps == 0
    began = time.monotonic()
    run(config("SharedAgent", repeats=5), out=tmp_path / "class", concurrency=20)
    assert time.monotonic() - began < 20 * 0.05 + 2


def test_a_model_that_the_agent_does_not_use_is_refused(tmp_path: Path) -> None:
    for agent in ("small_suite:asks", "small_suite:shared_agent", "rag-extractive"):
        with pytest.raises(UserError, match=r"uses no model.*'gpt-5'"):
            run(config().model_copy(update={"agent": agent, "model": "gpt-5"}), out=tmp_path / "run")
    with pytest.raises(UserError, match="uses no model"):
        evaluate("small_suite:suite", agent=asks, model="gpt-5")
    assert not (tmp_path / "run").exists()


def test_a_model_without_an_agent_runs_the_suites_agent_of_a_model() -> None:
    with ChatServer(["no plan"]) as server:
        result = evaluate("lamp-qa-mini", model="scripted", base_url=server.base_url, history="none", limit=1)
        assert server.requests
    assert [(cell.agent, cell.model) for cell in result.cells] == [("rag", "scripted")]


def test_connections_to_models_end_with_the_run(tmp_path: Path) -> None:
    before = open_sockets()
    with ChatServer(["gravel bicycle"]) as server:
        asked = config("with_setup", model="scripted", base_url=server.base_url, limit=2)
        run(asked, out=tmp_path)
        assert len(server.requests) == 2
        assert connected_to(server) == []
    assert open_sockets() <= before


def connected_to(server: ChatServer) -> list[str]:
    """Connections of this process to a server, as the kernel tells, still open at the client's end."""
    port = int(server.base_url.split(":")[2].split("/")[0])
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [row[1] for row in rows if int(row[2].split(":")[1], 16) == port and row[3] == "01"]


def open_sockets() -> int:
    return sum(os.path.realpath(f"/proc/self/fd/{fd}").find("socket:") >= 0 for fd in os.listdir("/proc/self/fd"))


def test_nothing_runs_where_nothing_may_run_at_a_time(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="found 0"):
        run(config(), out=tmp_path / "run", concurrency=0)
    run(config(limit=1), out=tmp_path / "run")
    with pytest.raises(UserError, match="found 0"):
        judge_run(tmp_path / "run", "aspect-proxy", concurrency=0)
    for changes in ({"limit": 0}, {"limit": -1}, {"repeats": 0}):
        with pytest.raises(UserError, match="greater than or equal to 1"):
            evaluate("small_suite:suite", agent=asks, memory="bm25", **changes)


def test_verdicts_of_two_models_stand_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class OfModel:
        def __init__(self, model: str, value: float) -> None:
            self.name, self._value = f"rubric({model})", value

        async def judge(self, trajectory: Trajectory, truth: QATruth) -> Score:
            return Score(judge=self.name, episode=trajectory.header.episode, task_id=truth.task_id,
                         data_version="small-1", metrics={"aspects": Metric(value=self._value)})

    run(config(level=0), out=tmp_path)
    for name, value in (("a/b", 0.2), ("a_b", 0.8)):  # one file for both would not mix them either
        monkeypatch.setattr(small_suite, "of_model", OfModel(name, value), raising=False)
        judge_run(tmp_path, "small_suite:of_model")
    cells = {cell.judge: cell.metrics["aspects"].mean for cell in RunResultOf(tmp_path).cells}
    assert cells["rubric(a/b)"] == 0.2
    assert cells["rubric(a_b)"] == 0.8
    assert set(cells) == {"aspect-proxy", "rubric(a/b)", "rubric(a_b)"}
