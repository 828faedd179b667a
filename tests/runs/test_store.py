import errno
import gc
import multiprocessing
import subprocess
import sys
import warnings
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_suite import suite

from habitus.errors import EpisodeFileError, RunDirectoryError
from habitus.runs import EpisodeWriter, RunConfig, RunStore, read_episode
from habitus.types import SCHEMA_VERSION, Failure, Final, Header, Metric, ModelCall, Score, Step, Trajectory, Usage

CONFIG = RunConfig(suite="small_suite:suite", agent="a")


def header() -> Header:
    return Header(episode="e1", brief=suite().tasks()[0], truth_hash="0" * 64, agent="a", history="none", max_steps=30,
                  seed=0, started=datetime(2026, 1, 1, tzinfo=UTC))


STOPPED = Final(stop="stopped")


def write(path: Path, steps: int = 3, final: Final | None = STOPPED) -> Trajectory:
    lines = [Step(index=i, observation={"page": f"page {i}"}, action_text=f"a{i}") for i in range(steps)]
    writer = EpisodeWriter(path)
    for line in [header(), *lines, *([final] if final else [])]:
        writer(line)
    writer.close()
    return Trajectory(header=header(), steps=tuple(lines), final=final)


def start(path: Path, config: RunConfig = CONFIG) -> RunStore:
    return RunStore.start(path, config, data_version="small-1", planned=4)


def test_an_episode_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = write(tmp_path / "e.jsonl")
    assert read_episode(tmp_path / "e.jsonl") == (written, [])


def test_each_line_is_on_disk_as_soon_as_it_is_written(tmp_path: Path) -> None:
    writer = EpisodeWriter(tmp_path / "e.jsonl")
    writer(header())
    assert read_episode(tmp_path / "e.jsonl")[0].header == header()


def test_a_broken_line_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    write(path)
    lines = path.read_bytes().split(b"\n")
    lines[2] = b'{"index": 1, "observation"'
    lines[3] = b"\xff\xfe\x00" + b"[" * 200_000
    path.write_bytes(b"\n".join(lines))
    trajectory, problems = read_episode(path)
    assert [step.index for step in trajectory.steps] == [0]
    assert trajectory.final is not None
    assert [problem.line for problem in problems] == [3, 4]
    assert str(problems[0]).startswith(f"{path}:3: ")


def test_a_last_line_cut_off_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    write(path)
    path.write_bytes(path.read_bytes()[:-20])
    trajectory, problems = read_episode(path)
    assert len(trajectory.steps) == 3
    assert trajectory.final is None
    assert problems == []


def test_a_newer_schema_and_a_missing_header_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    newer = header().model_copy(update={"schema_version": SCHEMA_VERSION + 1})
    path.write_text(newer.model_dump_json() + "\n")
    with pytest.raises(EpisodeFileError, match="upgrade"):
        read_episode(path)
    path.write_text("no json\n")
    with pytest.raises(EpisodeFileError, match=r"e\.jsonl:1: "):
        read_episode(path)
    with pytest.raises(EpisodeFileError, match="No such file"):
        read_episode(tmp_path / "missing.jsonl")


def test_a_page_with_half_a_surrogate_pair_is_stored(tmp_path: Path) -> None:
    writer = EpisodeWriter(tmp_path / "e.jsonl")
    writer(header())
    writer(Step(index=0, observation={"page": "half \ud800 pair"}, action_text="a"))
    (step,) = read_episode(tmp_path / "e.jsonl")[0].steps
    assert step.observation["page"].startswith("half ")


@pytest.mark.parametrize(("final", "finished"), [
    (Final(stop="stopped"), True),
    (Final(stop="max_steps"), True),
    (Final(stop="error", error=Failure(boundary="agent", message="broke")), True),
    (Final(stop="error", error=Failure(boundary="browser", message="died", infrastructure=True)), False),
    (Final(stop="closed"), False),
    (None, False),
])
def test_only_an_end_to_keep_finishes_an_episode(tmp_path: Path, final: Final | None, finished: bool) -> None:
    store = start(tmp_path / "run")
    store.writer("e1").close()
    write(store.episode_path("e1"), final=final)
    assert store.finished("e1") is finished
    assert not store.finished("e2")


def test_a_final_line_longer_than_one_read_is_found(tmp_path: Path) -> None:
    store = start(tmp_path / "run")
    store.writer("e1").close()
    write(store.episode_path("e1"), final=Final(stop="stopped", answer="x" * 300_000))
    assert store.finished("e1")


def test_the_same_run_is_gone_on_with(tmp_path: Path) -> None:
    first = start(tmp_path / "run")
    assert start(tmp_path / "run").manifest == first.manifest


def test_a_directory_of_another_run_says_what_differs(tmp_path: Path) -> None:
    start(tmp_path)
    with pytest.raises(RunDirectoryError, match=r"seed is 0 there, 5 here.*--out"):
        start(tmp_path, CONFIG.model_copy(update={"seed": 5}))
    with pytest.raises(RunDirectoryError, match="data is 'small-1' there and 'small-2' here"):
        RunStore.start(tmp_path, CONFIG, data_version="small-2", planned=4)


def test_a_directory_that_is_no_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(RunDirectoryError, match=r"not empty \(thesis\.tex"):
        start(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(RunDirectoryError, match=r"no manifest\.json"):
        RunStore.load(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 99}', "\udcff", "[" * 100_000])
def test_a_manifest_that_cannot_be_read_is_an_error_of_a_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text, errors="surrogateescape")
    with pytest.raises(RunDirectoryError):
        RunStore.load(tmp_path)


def _hold(path: Path, held: "multiprocessing.synchronize.Event", leave: "multiprocessing.synchronize.Event") -> None:
    with start(path).lock():
        held.set()
        leave.wait(20)


def test_two_processes_do_not_run_in_one_directory(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    held, leave = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path, held, leave))
    other.start()
    assert held.wait(20)
    with pytest.raises(RunDirectoryError, match=f"process {other.pid}"), start(tmp_path).lock():
        pass
    leave.set()
    other.join(20)
    with start(tmp_path).lock():
        pass


def test_a_full_disk_is_named_and_complete_lines_stay(tmp_path: Path) -> None:
    full = EpisodeWriter(tmp_path / "e.jsonl")
    full(header())
    full._file.close()
    full._file = open("/dev/full", "wb", buffering=0)  # noqa: SIM115 - the kernel's own full disk
    with pytest.raises(RunDirectoryError, match=rf"{tmp_path}/e\.jsonl: No space left"):
        full(Final(stop="stopped"))
    full.close()
    assert read_episode(tmp_path / "e.jsonl")[0].header == header()


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunDirectoryError, match="file/run"):
        start(tmp_path / "file" / "run")


def test_a_score_after_a_cut_line_is_whole_and_the_last_one_counts(tmp_path: Path) -> None:
    store = start(tmp_path)
    score = Score(judge="a judge/1", episode="e1", task_id="t", data_version="1", metrics={"m": Metric(value=0.5)})
    store.add_score(score)
    (file,) = (tmp_path / "scores").iterdir()
    with file.open("ab") as cut:
        cut.write(b'{"judge": "a ju')
    later = score.model_copy(update={"metrics": {"m": Metric(value=1.0)}})
    store.add_score(later)
    assert store.scores("a judge/1") == {"e1": later}
    assert store.judges() == ["a judge/1"]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = start(tmp_path)
    store.write("summary.json", "old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(RunDirectoryError, match=r"summary\.json"):
        store.write("summary.json", "new")
    assert (tmp_path / "summary.json").read_text() == "old"
    assert not (tmp_path / "summary.json.new").exists()


def test_no_secret_of_an_endpoint_is_stored(tmp_path: Path) -> None:
    url = "https://ada:hunter2@models.test:8443/v1?token=t0k3n"
    start(tmp_path, CONFIG.model_copy(update={"base_url": url, "judge_base_url": url}))
    text = (tmp_path / "manifest.json").read_text()
    assert text.count("https://models.test:8443/v1") == 2
    assert not [secret for secret in ("ada", "hunter2", "t0k3n") if secret in text]
    assert start(tmp_path, CONFIG.model_copy(update={"base_url": url})).path == tmp_path


def test_what_a_failed_attempt_spent_is_told_without_what_was_said(tmp_path: Path) -> None:
    store = start(tmp_path)
    assert store.spent("e1") == ()
    call = ModelCall(role="planner", model="m", messages=({"role": "user", "content": "long"},),
                     usage=Usage(calls=1, prompt_tokens=7))
    writer = store.writer("e1")
    assert store.spent("e1") == ()
    for line in (header(), Step(index=0, observation={}, action_text="a", calls=(call,)),
                 Final(stop="error", calls=(call,))):
        writer(line)
    writer.close()
    assert [(c.usage.prompt_tokens, c.messages) for c in store.spent("e1")] == [(7, ()), (7, ())]


def test_reading_leaves_no_file_open(tmp_path: Path) -> None:
    store = start(tmp_path)
    store.writer("e1").close()
    write(store.episode_path("e1"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        unraised: list[object] = []
        previous, sys.unraisablehook = sys.unraisablehook, lambda found: unraised.append(found.exc_value)
        try:
            assert len(list(store.episodes())) == 1
            gc.collect()
        finally:
            sys.unraisablehook = previous
    assert unraised == []


def test_where_there_are_no_file_locks_a_run_goes_without(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['fcntl'] = None\n"
        "from pathlib import Path\n"
        "from habitus.runs import RunConfig, RunStore\n"
        "asked = RunConfig(suite='s', agent='a')\n"
        f"store = RunStore.start(Path({str(tmp_path)!r}), asked, data_version='1', planned=1)\n"
        "with store.lock(): print('held')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "held\n", done.stderr
