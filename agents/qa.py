"""Agents that answer a question: ask the history, then answer. One with a chat model, one that only stitches."""

from __future__ import annotations

from typing import Protocol

from pydantic import BaseModel, Field

from ..envs.actions import QueryHistory, Stop
from ..errors import ContextOverflowError, MissingKeyError, ModelReplyError
from ..llm import ChatModel, calls_of
from ..types import Decision, ModelCall, Observation, TaskBrief
from .qa_extract import stitched
from .setup import AgentSetup
from .templates import render, version, versions

CONTEXTS = 10
"""Retrieved posts that are used, as LaMP-QA's baseline has it."""
CIRCUMSTANCES = (
    "my health: pain, injury, what my doctor told me",
    "my home: flat, neighbours and landlord",
    "my family: children, husband, wife, mother",
    "my work: hours, boss and colleagues",
)
"""Asked after the question itself: what limits an answer is seldom near to the question in its words."""
_PROMPT = "qa_answer"


class AnswerReply(BaseModel):
    """The answer alone."""

    answer: str = Field(min_length=1, max_length=40_000)


class Answerer(Protocol):
    """Makes an answer of a question and what is known of the asker."""

    async def answer(self, question: str, posts: list[str], profile: str) -> Decision:
        """Return the decision to stop with the answer."""


class QAAgent:
    """Asks the history where it may, the question itself first and then the asker's circumstances, and answers.

    LaMP-QA's baseline asks the question alone of a memory without threshold, which ranks all posts; a memory with one
    answers few posts to that. So the agent goes on until it has `CONTEXTS` posts or has asked all. What a scheme shows
    unasked, posts or a profile, is used in the same way; where the history is closed, the question alone has to do.

    Args:
        answerer: Writes the answer.
    """

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer
        self.prompts: dict[str, str] = getattr(answerer, "prompts", {})
        self._posts: list[str] = []
        self._asked = 0

    def reset(self, brief: TaskBrief) -> None:
        """Forget the last question."""
        self._posts, self._asked = [], 0

    async def act(self, observation: Observation) -> Decision:
        """Return the next query, or the answer.

        Raises:
            ModelError: The model could not be asked. One that answers nothing usable makes the step invalid instead.
        """
        self._posts += [hit["text"] for hit in observation["history"] if hit["text"] not in self._posts]
        question = observation["query"]
        queries = (question[:1000], *CIRCUMSTANCES)
        # The last step is kept for the answer.
        may_ask = observation["queries_left"] > 0 and observation["steps_left"] > 1
        if may_ask and self._asked < len(queries) and len(self._posts) < CONTEXTS:
            self._asked += 1
            reasoning = f"{len(self._posts)} past posts so far; more may tell who asks."
            return Decision(action=QueryHistory(query=queries[self._asked - 1]), reasoning=reasoning)
        # What a scheme shows unasked is in no order of nearness: all of it is used.
        posts = self._posts[:CONTEXTS] if self._asked else self._posts
        return await self._answerer.answer(question, posts, observation["profile"])


class ModelAnswerer:
    """Answers with a chat model that sees the nearest posts (LaMP-QA's retrieval-augmented baseline)."""

    prompts = versions(_PROMPT)

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def answer(self, question: str, posts: list[str], profile: str) -> Decision:
        """Ask the model; once more with half of the posts where the prompt was too long."""
        calls: list[ModelCall] = []
        for shown in (posts, posts[: len(posts) // 2]):
            text = render(_PROMPT, question=question, posts=shown, profile=profile)
            message = {"role": "user", "content": text}
            try:
                reply = await self._model.ask([message], role="generator", schema=AnswerReply, prompt=version(_PROMPT))
            except ContextOverflowError as error:
                calls += calls_of(error)
                problem = str(error)
                continue
            except ModelReplyError as error:
                calls += calls_of(error)
                problem = str(error)
                break
            calls += reply.calls
            return Decision(action=Stop(answer=reply.value.answer), calls=tuple(calls),
                            reasoning=f"Answered with {len(shown)} past posts in view.")
        return Decision(action="", reasoning=f"The model gave no usable answer: {problem}", calls=tuple(calls))


class ExtractiveAnswerer:
    """Answers by stitching the asker's own sentences together; see `stitched` for its limits."""

    async def answer(self, question: str, posts: list[str], profile: str) -> Decision:
        """Stitch; the explicit profile counts as one more post."""
        known = [*posts, profile] if profile else posts
        return Decision(action=Stop(answer=stitched(question, known)), reasoning="Stitched from what was retrieved.")


def rag(setup: AgentSetup) -> QAAgent:
    """Return the retrieval-augmented agent `rag`, on the model of the role `generator`.

    Raises:
        MissingKeyError: There is no model.
    """
    model = setup.model("generator")
    if model is None:
        raise MissingKeyError("The agent 'rag' needs a chat model: name one with --model, or use 'rag-extractive'.")
    return QAAgent(ModelAnswerer(model))


def rag_extractive(setup: AgentSetup) -> QAAgent:
    """Return the agent `rag-extractive`, which needs no model."""
    return QAAgent(ExtractiveAnswerer())
