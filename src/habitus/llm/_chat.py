"""A chat model: asked for text or for a value of a schema, it returns it with an account of each call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from ..errors import MissingKeyError, ModelReplyError, UnknownNameError
from ..types import JsonObject, ModelCall
from ._budget import Budget
from ._cache import ResponseCache
from ._endpoint import Account, Endpoint, Fault
from ._errors import EndpointError, PromptTooLongError, UnusableReplyError
from ._json import CutOffError, parse_json
from ._reply import Completion, clean
from ._schema import response_format, with_schema
from ._spec import ModelSpec, StructuredMode

V = TypeVar("V")
T = TypeVar("T", bound=BaseModel)

_MODES: tuple[StructuredMode, ...] = ("json_schema", "json_object_schema", "json_object", "prompt")


@dataclass(frozen=True)
class Reply(Generic[V]):
    """What a model was asked for.

    Attributes:
        value: The text, or the value of the schema.
        text: The answer as it came, thinking set apart.
        calls: The calls it took, for the trajectory.
    """

    value: V
    text: str
    calls: tuple[ModelCall, ...]


class ChatModel:
    """A chat model behind an OpenAI-compatible endpoint.

    Args:
        spec: Model, endpoint, sampling.
        cache: Where replies are kept and looked up; None asks anew each time.
        budget: Bound over all models it is given to; None for no bound.

    Raises:
        MissingKeyError: The endpoint needs a key and there is none.
    """

    def __init__(self, spec: ModelSpec, *, cache: ResponseCache | None = None, budget: Budget | None = None) -> None:
        self.spec = spec
        self._endpoint = Endpoint(spec)
        self._cache = cache
        self._budget = budget
        self._mode: StructuredMode = "json_schema" if spec.structured == "auto" else spec.structured

    @property
    def name(self) -> str:
        """The model's name, as in tables."""
        return self.spec.model

    async def text(self, messages: Sequence[JsonObject], *, role: str, prompt: str = "") -> Reply[str]:
        """Ask for text.

        Args:
            messages: The conversation, in OpenAI's form.
            role: Which part asks, for the record.
            prompt: Name and version of the prompt template, for the record.

        Raises:
            ModelError: The endpoint failed; ModelReplyError: nothing usable came; ContextOverflowError: the prompt is
                too long. Each has `calls`, what was spent.
            BudgetSpentError: The budget is used up.
        """
        asking = _Asking(self, role=role, prompt=prompt)
        completion = await asking.complete(list(messages), None)
        if not completion.text:
            raise UnusableReplyError(_cut_off(self.spec), tuple(asking.calls))
        return Reply(value=completion.text, text=completion.text, calls=tuple(asking.calls))

    async def ask(self, messages: Sequence[JsonObject], *, role: str, schema: type[T], prompt: str = "") -> Reply[T]:
        """Ask for a value of a schema.

        The server holds the reply to the schema where it can. A reply against it is told what was wrong and asked once
        more; one cut off by the token bound is asked for once more as it was.

        Args:
            messages: The conversation, in OpenAI's form.
            role: Which part asks, for the record.
            schema: What is wanted; validated strictly.
            prompt: Name and version of the prompt template, for the record.

        Raises:
            ModelError: The endpoint failed; ModelReplyError: nothing usable came; ContextOverflowError: the prompt is
                too long. Each has `calls`, what was spent.
            BudgetSpentError: The budget is used up.
        """
        asking = _Asking(self, role=role, prompt=prompt)
        said: list[JsonObject] = list(messages)
        for last in (False, True):
            completion = await asking.complete_as(said, schema)
            try:
                value = parse_json(completion.text, schema)
            except ModelReplyError as error:
                cut_off = completion.cut_off or isinstance(error, CutOffError)
                wrong = _cut_off(self.spec) if completion.cut_off else str(error)
                asking.mark(wrong)
                if last:
                    raise UnusableReplyError(f"{self.name} gave no usable {schema.__name__}: {wrong}",
                                             tuple(asking.calls)) from None
                if not cut_off:
                    said = [*messages, {"role": "assistant", "content": completion.text},
                            {"role": "user", "content": f"That could not be used. {wrong} Answer again, in full."}]
                continue
            asking.keep(completion)
            return Reply(value=value, text=completion.text, calls=tuple(asking.calls))
        raise AssertionError("the second try returns or raises")

    async def check(self) -> None:
        """See that the endpoint answers, takes the key and serves the model, before a run depends on it.

        Raises:
            MissingKeyError: It does not answer, or refuses the key; says what to do.
            UnknownNameError: It tells which models it serves, and this is none of them.
        """
        try:
            served = await self._endpoint.models()
        except Fault as fault:
            raise MissingKeyError(str(fault)) from None
        name = self.spec.model
        # Servers also take a name without its tag (`llama3` for `llama3:latest`) or without its folder.
        if served and not any(name in (full, full.split(":")[0], full.rpartition("/")[2]) for full in served):
            raise UnknownNameError(f"model at {self.spec.address}", name, served)

    async def aclose(self) -> None:
        """Close the connections of the running loop. May be called twice."""
        await self._endpoint.aclose()


class _Asking:
    """One request to a model with all its calls, until there is a reply or an error that carries them."""

    def __init__(self, model: ChatModel, *, role: str, prompt: str) -> None:
        self._model = model
        self._role = role
        self._prompt = prompt
        self._key = ""
        self.calls: list[ModelCall] = []

    async def complete_as(self, messages: list[JsonObject], schema: type[BaseModel]) -> Completion:
        """Complete in the structured mode in force, stepping down where the server refuses it."""
        model = self._model
        start = _MODES.index(model._mode)
        modes = _MODES[start:] if model.spec.structured == "auto" else _MODES[start:start + 1]
        for mode in modes:
            told = messages if mode == "json_schema" else with_schema(messages, schema)
            try:
                completion = await self.complete(told, response_format(schema, mode), keep=False)
            except EndpointError as error:
                refused = isinstance(error.__cause__, Fault) and error.__cause__.refused
                if not refused or mode == modes[-1]:
                    raise
                continue
            model._mode = mode  # remembered only now: a request that fails in every mode says nothing of modes
            return completion
        raise AssertionError("the last mode returns or raises")

    async def complete(
        self, messages: list[JsonObject], form: JsonObject | None, *, keep: bool = True
    ) -> Completion:
        """Make one call, from the cache where it has it, and record it."""
        model = self._model
        messages = clean(messages)
        body = model._endpoint.body(messages, form)
        if model._cache is not None:
            self._key = model._cache.key({"endpoint": model.spec.endpoint, "body": body})
            stored = model._cache.get(self._key)
            if stored is not None:
                completion = Completion(text=stored["text"], reasoning=stored["reasoning"])
                self._record(messages, Account(), completion)
                return completion
        if model._budget is not None:
            model._budget.check()
        account = Account()
        try:
            completion = await model._endpoint.complete(body, account)
        except Fault as fault:
            self._record(messages, account, error=str(fault))
            raise self._error(fault) from fault
        finally:
            if model._budget is not None:
                model._budget.add(account.usage)
        self._record(messages, account, completion)
        if completion.refusal:
            self.mark(f"refused: {completion.refusal}")
            raise UnusableReplyError(f"{model.name} refused: {completion.refusal[:300]}", tuple(self.calls))
        if keep:
            self.keep(completion)
        return completion

    def keep(self, completion: Completion) -> None:
        """Store the last reply, found usable, in the cache."""
        if self._model._cache is not None and completion.text:
            self._model._cache.put(self._key, {"text": completion.text, "reasoning": completion.reasoning})

    def mark(self, error: str) -> None:
        """Note on the last call why its reply was not used."""
        self.calls[-1] = self.calls[-1].model_copy(update={"error": error})

    def _record(
        self, messages: list[JsonObject], account: Account, completion: Completion | None = None, *, error: str = ""
    ) -> None:
        done = completion or Completion(text="")
        self.calls.append(ModelCall(
            role=self._role, model=self._model.name, messages=tuple(messages), reply=done.text,
            reasoning=done.reasoning, usage=account.usage, latency_s=account.latency_s, waited_s=account.waited_s,
            retries=max(0, account.attempts - 1), prompt=self._prompt, token_ids=done.token_ids,
            logprobs=done.logprobs, error=error,
        ))

    def _error(self, fault: Fault) -> EndpointError | UnusableReplyError | PromptTooLongError:
        calls = tuple(self.calls)
        if fault.overflow:
            return PromptTooLongError(f"The prompt is longer than the model's window. {fault}", calls)
        if fault.empty:
            return UnusableReplyError(f"{fault} It was asked {self._model.spec.max_retries + 1} times.", calls)
        return EndpointError(str(fault), calls)


def _cut_off(spec: ModelSpec) -> str:
    bound = f"max_tokens is {spec.max_tokens}" if spec.max_tokens else "max_tokens is the server's"
    return f"The reply was cut off by its token bound ({bound}); raise it."
