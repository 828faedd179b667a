"""Planner and generator with a chat model each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from ..envs.actions import ActionSet, InvalidActionError, QueryHistory, parse_action
from ..errors import ContextOverflowError
from ..llm import ChatModel, PromptTooLongError, calls_of
from ..types import ModelCall, Observation
from .parts import Entry, Fact, Foresight, Notes, Plan, Rationale, Rewrite
from .templates import render, version, versions

Schema = TypeVar("Schema", bound=BaseModel)

SHORT_PAGE = 3000
"""Characters of the page kept after a prompt proved too long for its model."""
SHORT_ENTRIES = 10
"""Entries of the history kept then."""
SHORT_TURNS = 4
"""Newest steps kept then."""


def _cut(length: int) -> BeforeValidator:
    """A longer reply is usable all the same: it is cut, while the schema tells the bound."""
    return BeforeValidator(lambda value: value[:length] if isinstance(value, str) else value)


Phrase = Annotated[str, _cut(160), Field(max_length=160)]
Sentence = Annotated[str, _cut(500), Field(max_length=500)]
Paragraph = Annotated[str, _cut(600), Field(max_length=600)]


class PlannerReply(BaseModel):
    """One step of the planner: a question to the history or an action."""

    observation: Sentence = ""
    need_history: bool = False
    history_query: Phrase = ""
    reasoning: Sentence = ""
    action: Paragraph = ""

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if not self.action.strip() and not (self.need_history and self.history_query.strip()):
            raise ValueError("name an action, or set need_history and write a history_query")
        return self


class QueriesReply(BaseModel):
    """The queries before execution."""

    reasoning: Sentence = ""
    queries: list[Phrase] = Field(max_length=10)


class RewriteReply(BaseModel):
    """The task filled in."""

    task: Paragraph


class FactReply(BaseModel):
    """One fact with the numbers of its entries."""

    about: Phrase
    value: Phrase
    entries: list[int] = Field(default_factory=list, max_length=20)


class GeneratorReply(BaseModel):
    """What the entries tell."""

    rationale: Sentence
    facts: list[FactReply] = Field(default_factory=list, max_length=10)


class ChatPlanner:
    """The planner as prompts to a chat model.

    Args:
        model: What answers them.
        actions: What is offered; described in the prompt.
    """

    prompts = versions("prg_rules", "prg_planner", "prg_queries", "prg_rewrite")

    def __init__(self, model: ChatModel, *, actions: ActionSet | None = None) -> None:
        self.model = model
        offered = [name for name in (actions or ActionSet.web()).offered if name != "query_history"]
        self._actions = ActionSet(offered).describe()

    async def plan(self, observation: Observation, notes: Notes, *, may_ask: bool) -> Plan:
        """Ask for the next step; a prompt too long for the model is shortened once."""

        def prompt(short: bool) -> str:
            return render(
                "prg_planner",
                task=notes.task,
                today=observation["today"],
                steps_left=observation["steps_left"],
                rationales=_findings(notes),
                profile=observation["profile"],
                turns=_turns(notes, SHORT_TURNS if short else len(notes.turns)),
                error=observation["error"],
                notice=observation["notice"],
                page=page_text(observation, SHORT_PAGE if short else None),
                actions=self._actions,
                may_ask=may_ask,
            )

        reply, calls = await _ask(self.model, "planner", "prg_planner", PlannerReply, prompt, may_ask=may_ask)
        query = reply.history_query.strip() if reply.need_history else ""
        action = reply.action.strip()
        if not query and action.startswith("query_history"):
            query = _query_of(action)
        return Plan(
            observation=reply.observation, reasoning=reply.reasoning, history_query=query, action=action, calls=calls
        )

    async def foresee(self, observation: Observation, notes: Notes, *, limit: int) -> Foresight:
        """Ask for every query that will be needed."""
        reply, calls = await _ask(
            self.model, "planner", "prg_queries", QueriesReply,
            lambda _: render("prg_queries", task=notes.task, today=observation["today"], limit=limit), may_ask=True,
        )
        return Foresight(queries=tuple(reply.queries[:limit]), reasoning=reply.reasoning, calls=calls)

    async def rewrite(self, observation: Observation, notes: Notes) -> Rewrite:
        """Ask for the task with its open places filled in."""
        reply, calls = await _ask(
            self.model, "planner", "prg_rewrite", RewriteReply,
            lambda _: render("prg_rewrite", task=notes.query, rationales=_findings(notes)), may_ask=False,
        )
        return Rewrite(task=reply.task, calls=calls)


class ChatGenerator:
    """The generator as a prompt to a chat model.

    Args:
        model: What answers it.
    """

    prompts = versions("prg_rules", "prg_generator")

    def __init__(self, model: ChatModel) -> None:
        self.model = model

    async def reason(self, query: str, entries: Sequence[Entry], notes: Notes) -> Rationale:
        """Ask what the entries tell; numbers of entries become ids, and numbers that none bears are dropped."""

        def prompt(short: bool) -> str:
            shown = entries[:SHORT_ENTRIES] if short else entries
            listed = "\n".join(f"{number}. {_entry_line(entry)}" for number, entry in enumerate(shown, start=1))
            return render("prg_generator", task=notes.query, query=query, entries=listed)

        reply, calls = await _ask(self.model, "generator", "prg_generator", GeneratorReply, prompt, may_ask=False)
        facts = tuple(
            Fact(about=fact.about, value=fact.value,
                 entries=tuple(entries[n - 1]["id"] for n in fact.entries if 0 < n <= len(entries)))
            for fact in reply.facts
        )
        return Rationale(query=query, text=reply.rationale, facts=facts, calls=calls)


def page_text(observation: Observation, limit: int | None) -> str:
    """Return title, address, tabs and page, at most about `limit` characters of the page.

    What can be acted on and headings are kept before plain text, for a step needs them most.
    """
    head = f"{observation['title']} <{observation['url']}>"
    if observation["tabs"]:
        head += f"\nTabs:\n{observation['tabs']}"
    page: str = observation["page"]
    if limit is not None and len(page) > limit:
        lines = [line for line in page.splitlines() if line.lstrip().startswith(("[", "heading"))] or page.splitlines()
        kept: list[str] = []
        for line in lines:
            if sum(map(len, kept)) + len(kept) + len(line) > limit:
                break
            kept.append(line)
        page = "\n".join([*kept, "(the rest of the page was left out)"])
    return f"{head}\n{page}"


async def _ask(
    model: ChatModel, role: str, name: str, schema: type[Schema], prompt: Callable[[bool], str], *,
    may_ask: bool
) -> tuple[Schema, tuple[ModelCall, ...]]:
    """Ask; where the prompt is too long for the model, once more with a shorter one. Calls add up."""
    spent: tuple[ModelCall, ...] = ()
    for short in (False, True):
        messages = [
            {"role": "system", "content": render("prg_rules", may_ask=may_ask)},
            {"role": "user", "content": prompt(short)},
        ]
        try:
            reply = await model.ask(messages, role=role, schema=schema, prompt=version(name))
        except ContextOverflowError as error:
            spent += calls_of(error)
            if short:
                raise PromptTooLongError(str(error), spent) from None
            continue
        return reply.value, spent + tuple(reply.calls)
    raise AssertionError("unreachable")


def _findings(notes: Notes) -> str:
    lines = []
    for rationale in notes.rationales:
        facts = "; ".join(f"{fact.about}: {fact.value}" for fact in rationale.facts)
        lines.append(f"- {rationale.query}: {rationale.text}" + (f" [{facts}]" if facts else ""))
    return "\n".join(lines)


def _turns(notes: Notes, count: int) -> str:
    return "\n".join(
        f"{turn.action}" + (f" -> failed: {turn.error}" if turn.error else "") for turn in notes.turns[-count:]
    ) if count else ""


def _entry_line(entry: Entry) -> str:
    where = f" ({entry['website']})" if entry["website"] else ""
    return f"{entry['time'][:10] or 'undated'} {entry['kind']}: {entry['text']}{where}"


def _query_of(action: str) -> str:
    try:
        parsed = parse_action(action)
    except InvalidActionError:
        return ""
    return parsed.query if isinstance(parsed, QueryHistory) else ""
