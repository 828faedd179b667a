"""A run's summary: cells with means and intervals, rebuilt from stored episodes and scores alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev

from pydantic import Field

from ..types import SCHEMA_VERSION, Data, JsonObject, Score, Trajectory, Usage
from .episode_file import Problem
from .reasons import reasons
from .store import RunStore, done


class MetricSummary(Data):
    """One metric of one cell."""

    mean: float
    """Over tasks, each task's repeats averaged before; in [0, 1], except `steps`."""
    ci95: tuple[float | None, float | None]
    """The 95 % interval; None where the values tell nothing of the spread."""
    n: int
    """Tasks it was scored on."""
    sd_runs: float | None = None
    """Standard deviation over the repeats' means; None for a single repeat."""


class Cell(Data):
    """Episodes that differ in task and repeat alone, scored by one judge."""

    suite: str
    data_version: str
    agent: str
    model: str
    """The model's name, several joined by `+`; empty for an agent without one."""
    history: str
    history_of: str
    level: int | None
    budget: JsonObject
    """`name` and `max_steps`."""
    web: str
    world_seed: int
    repeats: int
    judge: str
    """Empty where nothing was judged yet."""
    episodes: int
    scored: int
    invalid: int
    """Episodes of which the judge gave a metric no usable verdict, or could not be asked."""
    failed: int
    """Episodes lost to an infrastructure failure or cut off: in no mean."""
    metrics: dict[str, MetricSummary]
    usage: JsonObject
    """Tokens and money of the agent's (`agent`) and the judge's (`judge`) model calls, summed over episodes."""
    time: JsonObject
    """Seconds an episode, on average: `episode_s`, of it `agent_s` and `env_s`."""


class Summary(Data):
    """All cells of a run: `summary.json`."""

    schema_version: int = Field(default=SCHEMA_VERSION, alias="schema")
    cells: tuple[Cell, ...]
    missing: int = 0
    """Episodes that were planned and are not stored yet: the run was interrupted."""
    unreadable: tuple[str, ...] = ()
    """Lines of stored files that could not be read."""
    reasons: tuple[str, ...] = ()
    """Why episodes failed, were ended by the agent, or got no usable verdict: a line each, with the first message."""


CellKey = tuple[str, str, int | None]
"""History scheme, whose history, level: what differs within one run."""


def summarize(store: RunStore) -> Summary:
    """Rebuild the summary from what is stored, and write `summary.json`.

    Raises:
        EpisodeFileError: A newer version wrote an episode.
        RunDirectoryError: The summary cannot be written.
    """
    problems: list[Problem] = []
    groups: dict[CellKey, list[StoredEpisode]] = defaultdict(list)
    for trajectory in store.episodes(problems):
        header = trajectory.header
        groups[header.history, header.history_of, header.brief.level].append(StoredEpisode(trajectory))
    asked = {scheme: i for i, scheme in enumerate(store.manifest.config.history)}
    ordered = sorted(groups, key=lambda key: (key[2] is not None, key[2] or 0, asked.get(key[0], len(asked)), key[1]))
    scores = store.all_scores(problems)
    cells = [
        _cell(store, groups[key], judge, found) for judge, found in (scores or {"": {}}).items() for key in ordered
    ]
    episodes = [episode for key in ordered for episode in groups[key]]
    missing = max(0, store.manifest.planned - sum(map(len, groups.values())))
    summary = Summary(cells=tuple(cells), missing=missing, unreadable=tuple(map(str, problems)),
                      reasons=tuple(reasons(episodes, scores)))
    store.write("summary.json", summary.model_dump_json(indent=2, by_alias=True))
    return summary


class StoredEpisode:
    """What a summary needs of a trajectory: the rest, which is large, is let go."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.header = trajectory.header
        self.steps = len(trajectory.steps)
        self.done = done(trajectory.final)
        self.stop = trajectory.final.stop if trajectory.final else "closed"
        self.error = trajectory.final.error if trajectory.final else None
        self.last = trajectory.steps[-1].error if trajectory.steps else None
        self.usage = trajectory.usage
        self.agent_s = sum(step.agent_s for step in trajectory.steps)
        self.env_s = sum(step.env_s for step in trajectory.steps)
        self.duration_s = trajectory.final.duration_s if trajectory.final else 0.0


def _cell(store: RunStore, episodes: Sequence[StoredEpisode], judge: str, scores: dict[str, Score]) -> Cell:
    first = episodes[0].header
    finished = [episode for episode in episodes if episode.done]
    judged = [scores[episode.header.episode] for episode in finished if episode.header.episode in scores]
    usable = [score for score in judged if all(metric.verdict == "scored" for metric in score.metrics.values())]
    return Cell(
        suite=first.brief.suite,
        data_version=first.brief.data_version,
        agent=first.agent,
        model="+".join(dict.fromkeys(first.models.values())),
        history=first.history,
        history_of=first.history_of,
        level=first.brief.level,
        budget={"name": store.manifest.config.budget, "max_steps": first.max_steps},
        web=first.web,
        world_seed=store.manifest.config.world_seed,
        repeats=len({episode.header.repeat for episode in episodes}),
        judge=judge,
        episodes=len(episodes),
        scored=len(usable),
        invalid=len(judged) - len(usable),
        failed=len(episodes) - len(finished),
        metrics=_metrics(finished, scores),
        usage={
            "agent": _total(episode.usage for episode in episodes),
            "judge": _total(call.usage for score in judged for call in score.calls),
        },
        time={
            "episode_s": _mean(episode.duration_s for episode in finished),
            "agent_s": _mean(episode.agent_s for episode in finished),
            "env_s": _mean(episode.env_s for episode in finished),
        },
    )


def _metrics(episodes: Sequence[StoredEpisode], scores: dict[str, Score]) -> dict[str, MetricSummary]:
    values: dict[str, list[tuple[StoredEpisode, float]]] = defaultdict(list)
    for episode in episodes:
        score = scores.get(episode.header.episode)
        for name, metric in score.metrics.items() if score else ():
            if metric.value is not None:
                values[name].append((episode, metric.value))
    values["steps"] = [(episode, float(episode.steps)) for episode in episodes]
    return {name: _metric(found, share=name != "steps") for name, found in values.items() if found}


def _metric(values: Sequence[tuple[StoredEpisode, float]], *, share: bool) -> MetricSummary:
    from ..stats import interval, over_repeats  # loads scipy, which a rollout does not need

    by_task = over_repeats((episode.header.brief.id, value) for episode, value in values)
    users = {episode.header.brief.id: episode.header.brief.user for episode, _ in values}
    mean, low, high, n = interval(list(by_task.values()), [users[task] for task in by_task], share=share)
    runs: dict[int, list[float]] = defaultdict(list)
    for episode, value in values:
        runs[episode.header.repeat].append(value)
    return MetricSummary(
        mean=mean or 0.0, ci95=(low, high), n=n,
        sd_runs=stdev(map(fmean, runs.values())) if len(runs) > 1 else None,
    )


def _total(usages: Iterable[Usage]) -> JsonObject:
    return sum(usages, Usage()).model_dump()


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fmean(found) if found else None
