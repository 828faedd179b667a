"""The actions: one pydantic model gives the typed form, the text form and the tool schema.

Text: `click("e12")`, `query_history("usual shoe size")`; bare refs need no quotes. A reader never
raises past `parse_action`: what cannot be read becomes an `InvalidActionError` that says what was wrong.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from ..errors import EpisodeError
from ..types import Data, JsonObject


class InvalidActionError(EpisodeError):
    """What arrived is no action; the message says why and shows the right form."""

    boundary = "agent"


class ActionBase(Data):
    """An action. Its fields, in order, are the positional arguments of its text form."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=False)
    name: str

    def __str__(self) -> str:
        given = [
            (field, getattr(self, field))
            for field, info in type(self).model_fields.items()
            if field != "name" and (info.is_required() or getattr(self, field) != info.default)
        ]
        required = {f for f, info in type(self).model_fields.items() if info.is_required()}
        arguments = [_literal(v) if f in required else f"{f}={_literal(v)}" for f, v in given]
        return f"{self.name}({', '.join(arguments)})"


Ref = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,15}$", description="Ref of an element, e.g. e12")]
Text = Annotated[str, Field(max_length=4000)]


class Click(ActionBase):
    """Click an element."""

    name: Literal["click"] = "click"
    ref: Ref


class Fill(ActionBase):
    """Replace the text of a field; with submit, press Enter after it."""

    name: Literal["fill"] = "fill"
    ref: Ref
    text: Text
    submit: bool = False


class Select(ActionBase):
    """Choose an option of a select by its label."""

    name: Literal["select"] = "select"
    ref: Ref
    option: Text


class Press(ActionBase):
    """Press a key or chord on the focused element, e.g. Enter, Escape, Control+a."""

    name: Literal["press"] = "press"
    key: Annotated[str, Field(min_length=1, max_length=40)]


class Scroll(ActionBase):
    """Scroll the page by most of a screen."""

    name: Literal["scroll"] = "scroll"
    direction: Literal["up", "down"] = "down"


class Goto(ActionBase):
    """Open a URL."""

    name: Literal["goto"] = "goto"
    url: Annotated[str, Field(min_length=1, max_length=4000)]


class Back(ActionBase):
    """Go back to the previous page."""

    name: Literal["back"] = "back"


class SwitchTab(ActionBase):
    """Make another tab the active one; tabs are numbered from 0."""

    name: Literal["switch_tab"] = "switch_tab"
    index: Annotated[int, Field(ge=0, le=100)]


class CloseTab(ActionBase):
    """Close the active tab."""

    name: Literal["close_tab"] = "close_tab"


class Wait(ActionBase):
    """Wait for the page, at most ten seconds."""

    name: Literal["wait"] = "wait"
    seconds: Annotated[float, Field(gt=0, le=10)] = 1.0


class QueryHistory(ActionBase):
    """Ask the user's history. One topic a query works best."""

    name: Literal["query_history"] = "query_history"
    query: Annotated[str, Field(min_length=1, max_length=1000)]


class Stop(ActionBase):
    """End the task, with the answer where one is asked for."""

    name: Literal["stop"] = "stop"
    answer: Annotated[str, Field(max_length=40_000)] = ""


BrowserAction = Click | Fill | Select | Press | Scroll | Goto | Back | SwitchTab | CloseTab | Wait
Action = Annotated[BrowserAction | QueryHistory | Stop, Field(discriminator="name")]
"""Any action."""

_ADAPTER: TypeAdapter[Any] = TypeAdapter(Action)
_CLASSES: dict[str, type[ActionBase]] = {
    cls.model_fields["name"].default: cls for cls in (*get_args(BrowserAction), QueryHistory, Stop)
}
_DESK_AND_END: tuple[str, ...] = ("query_history", "stop")


class ActionSet:
    """The actions of one workspace: what is offered, how it is described, what is accepted."""

    names: ClassVar[tuple[str, ...]] = tuple(_CLASSES)

    def __init__(self, offered: Iterable[str]) -> None:
        self.offered = tuple(offered)
        unknown = set(self.offered) - set(_CLASSES)
        if unknown:
            raise ValueError(f"no such actions: {sorted(unknown)}; there is: {', '.join(_CLASSES)}")

    @classmethod
    def web(cls) -> ActionSet:
        """All actions of the browser, the desk and the end."""
        return cls(_CLASSES)

    @classmethod
    def question(cls) -> ActionSet:
        """The actions of a static question: ask the history, answer."""
        return cls(_DESK_AND_END)

    def describe(self) -> str:
        """Return one line an action, for prompts: signature and what it does."""
        return "\n".join(f"{_signature(_CLASSES[name])}: {_CLASSES[name].__doc__}" for name in self.offered)

    def tools(self) -> list[JsonObject]:
        """Return the OpenAI tool schema of each action."""
        return [_tool(_CLASSES[name]) for name in self.offered]

    def parse(self, raw: object) -> ActionBase:
        """Read an action model, a mapping with `name`, a tool call, or text.

        Raises:
            InvalidActionError: It is none of them, or not offered here.
        """
        action = parse_action(raw)
        if action.name not in self.offered:
            raise InvalidActionError(f"{action.name} is not offered here; offered: {', '.join(self.offered)}.")
        return action


def parse_action(raw: object) -> ActionBase:
    """Read an action in any of its forms.

    Raises:
        InvalidActionError: It has none of them; the message says what was wrong.
    """
    if isinstance(raw, ActionBase):
        return raw
    if isinstance(raw, Mapping):
        return _validated(_from_mapping(raw))
    if isinstance(raw, str):
        return _validated(_from_text(raw))
    raise InvalidActionError(
        f"An action is an action model, a mapping, a tool call or text; found {type(raw).__name__}."
    )


def _from_mapping(raw: Mapping[Any, Any]) -> JsonObject:
    call = raw.get("function", raw)
    if isinstance(call, Mapping) and "arguments" in call:
        arguments = call["arguments"]
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments or "{}")
            except (json.JSONDecodeError, RecursionError) as error:
                raise InvalidActionError(f"The tool call's arguments are no JSON: {error}.") from None
        if not isinstance(arguments, Mapping):
            raise InvalidActionError("The tool call's arguments are no JSON object.")
        return {**arguments, "name": call.get("name")}
    return {str(key): value for key, value in raw.items()}


def _from_text(text: str) -> JsonObject:
    stripped = text.strip()
    if len(stripped) > 50_000:
        raise InvalidActionError("The action's text is longer than 50,000 characters.")
    try:
        tree = ast.parse(stripped, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidActionError(f'{_short(stripped)} is no action; write one call such as click("e12").') from None
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise InvalidActionError(f'{_short(stripped)} is no action; write one call such as click("e12").')
    name = tree.func.id
    cls = _known(name)
    fields = [field for field in cls.model_fields if field != "name"]
    if len(tree.args) > len(fields):
        raise InvalidActionError(f"{name} takes {len(fields)} arguments at most: {_signature(cls)}.")
    values: JsonObject = dict(zip(fields, map(_value, tree.args), strict=False))
    for keyword in tree.keywords:
        if keyword.arg is None or keyword.arg not in fields or keyword.arg in values:
            raise InvalidActionError(f"{name} has no free argument {keyword.arg!r}: {_signature(cls)}.")
        values[keyword.arg] = _value(keyword.value)
    return {**values, "name": name}


def _value(node: ast.expr) -> object:
    if isinstance(node, ast.Name):
        return node.id
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise InvalidActionError("An argument is text in quotes, a number, True or False.") from None


def _validated(values: JsonObject) -> ActionBase:
    cls = _known(values.get("name"))
    try:
        action: ActionBase = _ADAPTER.validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "arguments"
        name = cls.model_fields["name"].default
        raise InvalidActionError(f"{name}: {where}: {first['msg']}; write {_signature(cls)}.") from None
    return action


def _known(name: object) -> type[ActionBase]:
    cls = _CLASSES.get(name) if isinstance(name, str) else None
    if cls is None:
        raise InvalidActionError(f"There is no action {_short(str(name))}; there is: {', '.join(_CLASSES)}.")
    return cls


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _signature(cls: type[ActionBase]) -> str:
    parts = [
        field if info.is_required() else f"{field}={_literal(info.default)}"
        for field, info in cls.model_fields.items()
        if field != "name"
    ]
    return f"{cls.model_fields['name'].default}({', '.join(parts)})"


def _tool(cls: type[ActionBase]) -> JsonObject:
    schema = cls.model_json_schema()
    schema["properties"].pop("name")
    for key in ("title", "description"):
        schema.pop(key, None)
    schema.setdefault("required", [])
    return {
        "type": "function",
        "function": {"name": cls.model_fields["name"].default, "description": cls.__doc__, "parameters": schema},
    }


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")
