"""Many episodes: specs, executor, store, resume, report."""

from .episode_file import EpisodeWriter, Problem, read_episode
from .evaluate import RunResult, evaluate, run
from .judging import judge_run
from .report import print_report
from .rollout import rollout
from .spec import EpisodeSpec, RunConfig, budget_for, plan
from .store import Manifest, RunStore
from .summary import Cell, MetricSummary, Summary, summarize

__all__ = [
    "Cell",
    "EpisodeSpec",
    "EpisodeWriter",
    "Manifest",
    "MetricSummary",
    "Problem",
    "RunConfig",
    "RunResult",
    "RunStore",
    "Summary",
    "budget_for",
    "evaluate",
    "judge_run",
    "plan",
    "print_report",
    "read_episode",
    "rollout",
    "run",
    "summarize",
]
