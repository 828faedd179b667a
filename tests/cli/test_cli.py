import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chat_server import ChatServer
from habitus.cli import main

SMALL = ["small_suite:suite", "--agent", "small_suite:asks", "--memory", "bm25", "--judge", "aspect-proxy"]


class Ran:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


@pytest.fixture
def habitus(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> object:
    def call(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["habitus", *arguments])
        monkeypatch.chdir(tmp_path)
        try:
            main()
            status = 0
        except SystemExit as leave:
            status = int(leave.code or 0)
        return Ran(status, *capsys.readouterr())

    return call


def test_a_run_prints_its_table_and_the_path_of_its_page_and_resumes(habitus, tmp_path: Path) -> None:
    first = habitus("run", *SMALL, "--history", "none,on_demand", "--level", "0", "--out", "run")
    assert first.status == 0, first.err
    assert "aspects" in first.out
    assert "a proxy" in first.out
    assert (tmp_path / "run" / "index.html").exists()
    assert first.out.rstrip().endswith("run/index.html")
    again = habitus("run", *SMALL, "--history", "none,on_demand", "--level", "0", "--out", "run")
    assert "4 of 4 episodes are stored already." in again.out
    assert first.out.split("small small-1")[1] == again.out.split("small small-1")[1]


def test_without_out_the_same_command_finds_its_own_run(habitus, tmp_path: Path) -> None:
    for _ in range(2):
        ran = habitus("run", *SMALL, "--limit", "1")
    assert "1 of 1 episodes are stored already." in ran.out
    assert habitus("run", *SMALL, "--limit", "2").status == 0
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_a_stored_run_is_reported_judged_and_shown(habitus, tmp_path: Path) -> None:
    habitus("run", *SMALL, "--out", "run")
    (tmp_path / "run" / "summary.json").unlink()
    assert "aspect-proxy" in habitus("report", "run").out
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["schema"] == 1
    assert habitus("judge", "run", "--judge", "aspect-proxy").status == 0
    assert habitus("view", "run").out.rstrip().endswith("run/index.html")


@pytest.mark.parametrize(("arguments", "says"), [
    (("run", "persona2wep"), "Did you mean 'persona2web'"),
    (("run", "lamp-qa-mini", "--agent", "rag-extractve"), "Did you mean 'rag-extractive'"),
    (("run", "lamp-qa-mini", "--agent", "no_such_module:agent"), "No module 'no_such_module'"),
    (("run", *SMALL, "--history", "on_demnd"), "Did you mean 'on_demand'"),
    (("run", *SMALL, "--history-of", "them"), "There is: other, own"),
    (("run", *SMALL, "--level", "9"), "There is: 0, 1"),
    (("run", *SMALL, "--level", "hard"), "There is: 0, 1"),
    (("tasks", "list", "small_suite:suite", "--level", "-1"), "There is: 0, 1"),
    (("tasks", "list", "small_suite:suite", "--level", "hard"), "There is: 0, 1"),
    (("run", *SMALL, "--model", "gpt-5-mini"), "uses no model"),
    (("run", "lamp-qa-mini", "--agent", "rag-extractive", "--model", "gpt-5-mini"), "uses no model"),
    (("run", "lamp-qa-mini", "--model", "gpt-5-mini"), "OPENAI_API_KEY"),
    (("run", *SMALL, "--history", "gold", "--history-of", "other"), "gold"),
    (("run", *SMALL, "--tasks", "ada-clubs-0"), "Did you mean 'ada-club-0'"),
    (("run", *SMALL, "--budget", "papr-occam"), "Did you mean 'paper-occam'"),
    (("run", *SMALL[:-1], "aspect-prox"), "Did you mean 'aspect-proxy'"),
    (("run", *SMALL, "--data", "/nowhere"), "--data"),
    (("run", *SMALL, "--memory", "bm52"), "Did you mean 'bm25'"),
    (("run", "lamp-qa-mini", "--agent", "rag"), "--model"),
    (("run", "lamp-qa-mini", "--agent", "rag", "--model", "gpt-5-mini"), "OPENAI_API_KEY"),
    (("run", *SMALL[:-1], "aspect"), "--judge-model"),
    (("judge", "nowhere", "--judge", "state"), "no run"),
    (("report", "nowhere"), "no run"),
    (("view", "nowhere"), "no run"),
    (("tasks", "list", "persona2wep"), "Did you mean 'persona2web'"),
    (("tasks", "show", "small_suite:suite", "ada-club"), "Did you mean 'ada-club-0'"),
    (("tasks", "validate", "small_suite:suite"), "--oracle"),
    (("play", "ada-club-0"), "SUITE/TASK"),
])
def test_bad_input_is_a_line_or_two_and_status_2(
    habitus, arguments: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    ran = habitus(*arguments)
    assert ran.status == 2
    assert says in ran.err
    assert ran.err.count("\n") <= 2
    assert not list(tmp_path.rglob("*.jsonl"))


def test_an_unknown_memory_is_told_before_what_differs_from_a_stored_run(habitus) -> None:
    habitus("run", *SMALL, "--limit", "1", "--out", "run")
    assert "Did you mean 'bm25'" in habitus("run", *SMALL, "--limit", "1", "--memory", "bm52", "--out", "run").err


def test_a_run_that_lacks_its_embedding_model_leaves_no_directory(habitus, tmp_path: Path) -> None:
    ran = habitus("run", *SMALL, "--memory", "small_suite:no_embedding", "--out", "run")
    assert (ran.status, "needs an embedding model" in ran.err) == (2, True)
    assert not (tmp_path / "run").exists()


def test_a_file_is_no_directory_for_a_run(habitus, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    ran = habitus("run", *SMALL, "--out", "notes.txt")
    assert (ran.status, "notes.txt is a file" in ran.err) == (2, True)
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("first", [b"garbage\n", b'{"line": "header"}\n', None])
def test_an_episode_whose_header_is_broken_is_named_passed_over_and_run_again(
    habitus, tmp_path: Path, first: bytes | None
) -> None:
    habitus("run", *SMALL, "--level", "0", "--out", "run")
    episode = sorted((tmp_path / "run" / "episodes").iterdir())[0]
    lines = episode.read_bytes().splitlines(keepends=True)
    episode.write_bytes(b"".join([first, *lines[1:]]) if first else b"\n")
    for command in (("report", "run"), ("view", "run"), ("judge", "run", "--judge", "aspect-proxy")):
        ran = habitus(*command)
        assert ran.status == 0, ran.err
        assert ran.out.replace("\n", "").count(f"{episode.name}:1: ") == 1
    again = habitus("run", *SMALL, "--level", "0", "--out", "run")
    assert again.status == 0, again.err
    assert "1 of 2 episodes are stored already." in again.out
    assert again.out.replace("\n", "").count(f"{episode.name}:1: ") == 1
    assert "unreadable" not in habitus("report", "run").out


def test_a_broken_score_is_named_and_its_episode_judged_again(habitus, tmp_path: Path) -> None:
    habitus("run", *SMALL, "--level", "0", "--out", "run")
    scores = tmp_path / "run" / "scores" / "aspect-proxy.jsonl"
    scores.write_bytes(scores.read_bytes()[:-30])
    assert "aspect-proxy.jsonl:2: no score" in habitus("report", "run").out.replace("\n", "")
    assert habitus("run", *SMALL, "--level", "0", "--out", "run").status == 0
    (cell,) = json.loads((tmp_path / "run" / "summary.json").read_text())["cells"]
    assert cell["scored"] == 2


@pytest.mark.parametrize(("agent", "says"), [
    ("crashes", "first: agent: "), ("gabbles", "first: agent: There is no action 'dance'"),
])
def test_an_agent_that_fails_is_scored_and_its_first_message_told(habitus, agent: str, says: str) -> None:
    ran = habitus("run", *SMALL, "--agent", f"small_suite:{agent}", "--level", "0", "--out", "run")
    assert ran.status == 0
    assert f"2 episodes ended by the agent's own failure, {says}" in ran.out


def test_a_run_says_how_many_episodes_lie_ahead_before_the_first_ends(habitus) -> None:
    assert habitus("run", *SMALL, "--limit", "1").out.startswith("0/1 episodes\n")


def test_a_directory_of_another_run_is_left_alone(habitus, tmp_path: Path) -> None:
    habitus("run", *SMALL, "--limit", "1", "--out", "run")
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    ran = habitus("run", *SMALL, "--seed", "4", "--limit", "1", "--out", "run")
    assert ran.status == 2
    assert "seed is 0 there, 4 here" in ran.err
    assert {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()} == before


def test_a_broken_line_is_named_and_the_rest_is_reported(habitus, tmp_path: Path) -> None:
    habitus("run", *SMALL, "--limit", "1", "--out", "run")
    (episode,) = (tmp_path / "run" / "episodes").iterdir()
    lines = episode.read_bytes().splitlines(keepends=True)
    episode.write_bytes(b"".join([lines[0], b"{broken\n", *lines[2:]]))
    ran = habitus("report", "run")
    assert ran.status == 0
    assert f"{episode.name}:2: " in ran.out.replace("\n", "")


def test_an_endpoint_that_does_not_answer_is_kept_apart_from_the_score(habitus) -> None:
    ran = habitus("run", *SMALL, "--agent", "small_suite:no_endpoint", "--limit", "1", "--out", "run")
    assert ran.status == 1
    assert "1 fail" in ran.out
    assert "1 episode failed, first: model: The endpoint does not answer.\n" in ran.out


def test_tasks_are_exported_as_json_lines_and_truth_only_on_that_word(habitus) -> None:
    lines = habitus("tasks", "export", "small_suite:suite", "--level", "1").out.splitlines()
    assert [set(json.loads(line)) for line in lines] == [{"brief"}, {"brief"}]
    assert "canary" not in "".join(lines)
    with_truth = habitus("tasks", "export", "small_suite:suite", "--truth").out.splitlines()
    assert all(json.loads(line)["truth"]["canary"] for line in with_truth)
    assert habitus("tasks", "list", "small_suite:suite").out.count("What club suits me?") == 2
    shown = json.loads(habitus("tasks", "show", "small_suite:suite", "ada-club-0").out)
    assert shown["brief"]["user"] == "ada"


def test_a_person_plays_an_episode(habitus, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["", "dance()", 'query_history("what do I like")', 'stop(answer="tea")'])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    task = json.loads(habitus("tasks", "export", "lamp-qa-mini").out.splitlines()[0])["brief"]
    ran = habitus("play", f"lamp-qa-mini/{task['id']}", "--memory", "bm25")
    assert ran.status == 0, ran.err
    assert task["query"].split()[0] in ran.out
    assert "There is no action 'dance'" in ran.out
    assert "Ended: stopped after 3 steps." in ran.out


def test_help_is_quick_and_loads_no_browser_and_no_model() -> None:
    code = ("import sys; from habitus.cli import app; "
            "print([m for m in ('torch', 'playwright', 'openai', 'scipy', 'starlette') if m in sys.modules])")
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert time.monotonic() - started < 5


def test_the_version_is_told(habitus) -> None:
    assert habitus("--version").out.startswith("habitus ")


def test_a_stored_run_is_judged_again_with_a_model_whose_name_the_table_bears(habitus, tmp_path: Path) -> None:
    habitus("run", *SMALL, "--limit", "2", "--out", "run")
    with ChatServer(["no verdict"], models=["one", "two"]) as server:
        for model in ("one", "two"):
            ran = habitus("judge", "run", "--judge", "aspect", "--judge-model", model,
                          "--judge-base-url", server.base_url)
            assert ran.status == 1, ran.err
            assert f"2 episodes without a usable verdict of aspect({model}), first: " in ran.out
        assert {request["model"] for request in server.requests} == {"one", "two"}
    cells = json.loads((tmp_path / "run" / "summary.json").read_text())["cells"]
    assert {cell["judge"] for cell in cells} == {"aspect-proxy", "aspect(one)", "aspect(two)"}


def test_doctor_tells_no_secret_of_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    from habitus.cli._doctor import _endpoint
    from habitus.errors import HabitusError

    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-1")
    with ChatServer(["hello"], models=["small"]) as server:
        url = server.base_url.replace("//", "//ada:hunter2@")
        assert _endpoint(url) == f"{server.base_url} answers; models: small"
    for bad in (url, "http://ada:hunter2@127.0.0.1:x/v1", "ada:hunter2@nowhere/v1"):
        with pytest.raises(HabitusError, match="does not answer") as caught:
            _endpoint(bad)
        assert "hunter2" not in str(caught.value)


def test_an_agent_of_another_kind_of_task_is_refused(habitus, tmp_path: Path) -> None:
    ran = habitus("run", "lamp-qa-mini", "--agent", "prg-reflex", "--out", "run")
    assert ran.status == 2
    assert "Take rag, rag-extractive." in ran.err
    assert not (tmp_path / "run").exists()
