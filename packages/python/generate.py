"""Writes src/botledger/types.py and src/botledger/_operations.py from openapi.json of the repository.

Run it after openapi.json has changed: `python packages/python/generate.py`. It needs nothing but Python.
`--check` writes nothing, and fails if the files are not what it would write.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import json
import keyword
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
OPENAPI = HERE.parent.parent / "openapi.json"
PACKAGE = HERE / "src" / "botledger"

# Fields of answers below these paths that are exact decimals of any length. Each is a Decimal, also if it is whole.
AMOUNT_PATHS = re.compile(r"^/v1/(referral|settings)/")
AMOUNTS = {
    "amount",
    "available",
    "earned",
    "on_hold",
    "paid",
    "percent",
    "rate",
    "reserved",
    "reward_amount",
    "reward_percent",
}
# Other numbers of these answers.
NO_AMOUNTS = {"hold_days"}

# POST calls without an Idempotency-Key that may be repeated: they change nothing, or the service drops a repeat
# by its update_id. Any other such call is repeated only if it was certainly not carried out.
HARMLESS = {
    "countAudience",
    "listReportUsers",
    "previewBroadcast",
    "previewReport",
    "runReport",
    "webhook",
}

Schema = dict[str, Any]


def snake(name: str) -> str:
    """listReportUsers -> list_report_users; filters[date_create] -> filters_date_create; from -> from_"""
    words = re.sub(r"[^0-9A-Za-z]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).strip("_").lower()
    return f"{words}_" if keyword.iskeyword(words) else words


def camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^0-9A-Za-z]+", name) if word)


def union(types: list[str]) -> str:
    unique = list(dict.fromkeys(types))
    if "Any" in unique:
        return "Any"
    return " | ".join([name for name in unique if name != "None"] + (["None"] if "None" in unique else []))


def docstring(text: str, indent: str) -> str:
    return f'{indent}"""{text}"""\n'.replace("\\", "\\\\")


@dataclass(frozen=True)
class Place:
    """Where a schema stands. That decides on the types of its numbers and arrays."""

    is_answer: bool
    has_amounts: bool = False


@dataclass
class Types:
    """Collects the classes of types.py."""

    schemas: dict[str, Schema]
    classes: dict[str, str] = field(default_factory=dict)
    number_fields: set[str] = field(default_factory=set)

    def component(self, name: str, place: Place) -> str:
        if name not in self.classes:
            self.classes[name] = ""  # reserved, so that a schema may contain itself
            rendered = self.type_of(self.schemas[name], name, place)
            if rendered != name:
                self.classes[name] = f"{name}: TypeAlias = {rendered!r}\n"
        return name

    def resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def type_of(self, schema: Schema, name: str, place: Place, prop: str = "") -> str:
        """@param name of the class, if the schema is an object; prop: the field that has the schema"""
        if "$ref" in schema:
            return self.component(schema["$ref"].rsplit("/", 1)[1], place)
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]"
        if "anyOf" in schema:
            options = schema["anyOf"]
            objects = [option for option in options if option.get("type") == "object" and "properties" in option]
            return union(
                [
                    self.type_of(option, self.option_name(option, name, len(objects)), place, prop)
                    for option in options
                ]
            )
        kind = schema.get("type")
        if isinstance(kind, list):
            return union([self.type_of({**schema, "type": one}, name, place, prop) for one in kind])
        if kind == "object":
            return self.object_of(schema, name, place)
        if kind == "array":
            items = self.type_of(schema["items"], f"{name}Item", place)
            return f"list[{items}]" if place.is_answer else f"Sequence[{items}]"
        if kind == "number":
            return self.number_of(place, prop)
        simple = {"string": "str", "integer": "int", "boolean": "bool", "null": "None", None: "Any"}
        return simple[kind]

    def option_name(self, option: Schema, name: str, objects: int) -> str:
        """Options of a union are told apart by a constant field, or by the names of their required fields."""
        if objects < 2 or option.get("type") != "object":
            return name
        for prop, value in option["properties"].items():
            if "const" in value or len(value.get("enum", [])) == 1:
                return name + camel(str(value.get("const", value.get("enum", [""])[0])))
        return name + "".join(camel(prop) for prop in option.get("required", []))

    def number_of(self, place: Place, prop: str) -> str:
        if not place.is_answer:
            return "Decimal | int | str"
        if place.has_amounts:
            self.number_fields.add(prop)
            if prop in AMOUNTS:
                return "Decimal"
        return "Decimal | int"

    def object_of(self, schema: Schema, name: str, place: Place) -> str:
        additional = schema.get("additionalProperties")
        if "properties" not in schema or additional == {}:
            mapping = "dict" if place.is_answer else "Mapping"
            values = "Any" if "properties" in schema else self.type_of(additional or {}, f"{name}Value", place, "*")
            return f"{mapping}[str, {values}]"
        required = schema.get("required", [])
        fields = {
            prop: rendered if prop in required else f"NotRequired[{rendered}]"
            for prop, value in schema["properties"].items()
            for rendered in [self.type_of(value, name + camel(prop), place, prop)]
        }
        if all(prop.isidentifier() and not keyword.iskeyword(prop) for prop in fields):
            text = class_text(name, schema, fields)
        else:
            text = f"{name} = TypedDict(\n    {name!r},\n    {{{', '.join(f'{p!r}: {t!r}' for p, t in fields.items())}}},\n)\n"
        if self.classes.get(name, "") not in ("", text):
            raise SystemExit(f"two classes are named {name}")
        self.classes[name] = text
        return name


def class_text(name: str, schema: Schema, fields: dict[str, str]) -> str:
    lines = [f"class {name}(TypedDict):\n"]
    if "description" in schema:
        lines.append(docstring(schema["description"], "    "))
    for prop, rendered in fields.items():
        lines.append(f"    {prop}: {rendered}\n")
        description = schema["properties"][prop].get("description")
        if description is not None:
            lines.append(docstring(description, "    "))
    return "".join(lines) if len(lines) > 1 else lines[0] + "    pass\n"


@dataclass(frozen=True)
class Parameter:
    name: str
    argument: str
    type: str
    required: bool
    where: str


@dataclass(frozen=True)
class Operation:
    """A call of openapi.json with its types."""

    id: str
    method: str
    path: str
    summary: str
    keyed: bool
    numbers: tuple[str, ...]
    body: str | None
    parameters: tuple[Parameter, ...]
    data: str | None
    items: tuple[str, str] | None
    has_csv: bool

    @property
    def has_receipt(self) -> bool:
        return any(p.name == RECEIPT for p in self.parameters)

    @property
    def harmless(self) -> bool:
        return self.keyed or self.method == "GET" or self.id in HARMLESS


def operation_of(types: Types, shared: dict[str, Schema], path: str, method: str, spec: Schema) -> Operation:
    """@param shared parameters of several operations, by name"""
    given = Place(is_answer=False)
    answered = Place(is_answer=True, has_amounts=AMOUNT_PATHS.match(path) is not None)
    name = spec["operationId"][:1].upper() + spec["operationId"][1:]
    declared = [shared[p["$ref"].rsplit("/", 1)[1]] if "$ref" in p else p for p in spec.get("parameters", [])]
    parameters = [
        Parameter(
            p["name"],
            snake(p["name"]),
            types.type_of(p["schema"], name + camel(p["name"]), given),
            p.get("required", False),
            p["in"],
        )
        for p in declared
        if (p["in"] != "header" or p["name"] == RECEIPT) and p["name"] != "format"
    ]
    if spec.get("security") == [{"secretToken": []}]:
        parameters.append(Parameter("x-telegram-bot-api-secret-token", "secret_token", "str", True, "header"))
    body = None
    numbers: tuple[str, ...] = ()
    if "requestBody" in spec:
        schema = spec["requestBody"]["content"]["application/json"]["schema"]
        body = types.type_of(schema, f"{name}Body", given)
        numbers = number_names(types, schema)
    content = next(answer for status, answer in spec["responses"].items() if status.startswith("2"))["content"]
    answer = types.resolved(content["application/json"]["schema"])
    data = answer["properties"].get("data")
    pages = None
    rendered = None if data is None else types.type_of(data, f"{name}Data", answered)
    if any(p["name"] == "offset" for p in declared):
        fields = types.resolved(data)["properties"]
        [items] = [prop for prop, value in fields.items() if types.resolved(value).get("type") == "array"]
        pages = (items, types.type_of(fields[items]["items"], f"{name}Data{camel(items)}Item", answered))
    return Operation(
        id=spec["operationId"],
        method=method.upper(),
        path=path,
        summary=spec["summary"],
        keyed=any(p["name"] == "idempotency-key" for p in declared),
        numbers=numbers,
        body=body,
        parameters=tuple(sorted(parameters, key=lambda p: not p.required)),
        data=rendered,
        items=pages,
        has_csv="text/csv" in content,
    )


def number_names(types: Types, schema: Schema) -> tuple[str, ...]:
    """The fields of a body, or of its elements, that are numbers: an amount there is never a float."""
    schema = types.resolved(schema)
    found = {
        name
        for name, value in schema.get("properties", {}).items()
        if "number" in str(value.get("type", "")) or any(o.get("type") == "number" for o in value.get("anyOf", []))
    }
    for option in schema.get("anyOf", []) + ([schema["items"]] if "items" in schema else []):
        found.update(number_names(types, option))
    return tuple(sorted(found))


def methods(operation: Operation, is_async: bool) -> str:
    """The methods of one operation."""
    wait, make = ("await ", "async def") if is_async else ("", "def")
    name = snake(operation.id)
    usual = arguments(operation)
    if operation.has_receipt:
        summary = f"{operation.summary}. With `receipt` gives the receipt; None: the service keeps nothing of the request"
        text = method_text(make, name, usual, "str | None", summary)
        return text + f"        return {wait}self._receipt({passed(operation)})\n"
    text = method_text(make, name, usual, operation.data or "None", operation.summary)
    call = f"{wait}self._data({passed(operation)})"
    text += f"        {call}\n" if operation.data is None else f"        return cast({operation.data!r}, {call})\n"
    if operation.items is not None:
        items, item = operation.items
        kind = "AsyncIterator" if is_async else "Iterator"
        noun = name.replace("list_", "", 1)
        text += method_text("def", f"iterate_{noun}", usual, f"{kind}[{item}]", f"{operation.summary}: all pages")
        text += f"        return self._pages({passed(operation)}, items={items!r})\n"
    if operation.has_csv:
        text += method_text(make, f"{name}_csv", arguments(operation, is_csv=True), "str", f"{operation.summary}, as CSV")
        text += f"        return {wait}self._csv({passed(operation, is_csv=True)})\n"
    return text


# The header that asks for a receipt, and the field of the answer that has it.
RECEIPT = "receipt"

# The parameters that only the CSV of an operation takes.
OF_CSV = ("raw",)


def method_text(make: str, name: str, given: list[str], answer: str, summary: str) -> str:
    return f"\n    {make} {name}({', '.join(['self', *given])}) -> {answer}:\n" + docstring(summary, "        ")


def arguments(operation: Operation, is_csv: bool = False) -> list[str]:
    def one(p: Parameter) -> str:
        return f"{p.argument}: {p.type}" if p.required else f"{p.argument}: {union([p.type, 'None'])} = None"

    named = [one(p) for p in operation.parameters if is_csv or p.name not in OF_CSV] + (
        ["idempotency_key: str | None = None"] if operation.keyed else []
    )
    return ([f"body: {operation.body}"] if operation.body else []) + (["*", *named] if named else [])


def passed(operation: Operation, is_csv: bool = False) -> str:
    given = [repr(operation.id)]
    if operation.body is not None:
        given.append("body=body")
    for where in ("query", "path", "header"):
        of_place = [p for p in operation.parameters if p.where == where and (is_csv or p.name not in OF_CSV)]
        if of_place:
            given.append(f"{where}={{{', '.join(f'{p.name!r}: {p.argument}' for p in of_place)}}}")
    if operation.keyed:
        given.append("idempotency_key=idempotency_key")
    return ", ".join(given)


def answers_json(spec: dict[str, Any]) -> bool:
    """False of exports, which are streams of any length, and of a statement, which is a PDF: no call returns them."""
    return all("application/json" in answer["content"] for status, answer in spec["responses"].items() if status[0] == "2")


def generated() -> dict[Path, str]:
    """The files with their texts."""
    source = OPENAPI.read_bytes()
    openapi = json.loads(source)
    types = Types(openapi["components"]["schemas"])
    operations = [
        operation_of(types, openapi["components"]["parameters"], path, method, spec)
        for path, specs in openapi["paths"].items()
        for method, spec in specs.items()
        if answers_json(spec)
    ]
    check(types, operations)
    head = (
        '"""Made by generate.py from openapi.json. Do not edit."""\n\n'
        f"# SHA-256 of openapi.json: {hashlib.sha256(source).hexdigest()}\n\n"
        "from __future__ import annotations\n\n"
    )
    imports = (
        "from collections.abc import Mapping, Sequence\nfrom decimal import Decimal\nfrom typing import Any, Literal\n\n"
        "from typing_extensions import NotRequired, TypeAlias, TypedDict\n\n\n"
    )
    classes = [text for text in types.classes.values() if text] + [event_fields(types)]
    table = "".join(
        f"    {o.id!r}: Operation({o.method!r}, {o.path!r}, keyed={o.keyed}, harmless={o.harmless}, "
        f"numbers={o.numbers!r}),\n"
        for o in operations
    )
    imported = "".join(f"    {name},\n" for name in used_classes(types, operations))
    operation_imports = (
        "from collections.abc import AsyncIterator, Iterator, Mapping, Sequence\n"
        "from decimal import Decimal\n"
        "from typing import Any, Literal, cast\n\n"
        "from ._operation import AsyncCalls, Calls, Operation\n"
        f"from .types import (\n{imported})\n\n"
        f"AMOUNTS = frozenset({sorted(AMOUNTS)!r})\n"
        f"AMOUNT_PATHS = {AMOUNT_PATHS.pattern!r}\n\n"
        f"OPERATIONS: dict[str, Operation] = {{\n{table}}}\n"
    )
    sync = "".join(methods(o, is_async=False) for o in operations)
    asynchronous = "".join(methods(o, is_async=True) for o in operations)
    return {
        REFERENCE: reference(operations),
        PACKAGE / "types.py": head + imports + "\n\n".join(classes),
        PACKAGE / "_operations.py": head
        + operation_imports
        + f'\n\nclass Methods(Calls):\n    """A method for each call of the service."""\n{sync}'
        + f'\n\nclass AsyncMethods(AsyncCalls):\n    """A method for each call of the service."""\n{asynchronous}',
    }


REFERENCE = HERE.parent.parent / "docs" / "python-reference.md"


def reference(operations: list[Operation]) -> str:
    """The reference of the client: its calls, and what the package exports, from the sources."""
    rows = "".join(
        f"| `{snake(o.id)}` | `{o.method} {o.path}` | {o.summary.replace('|', chr(92) + '|')} |\n"
        for o in operations
        if not o.path.startswith("/admin/")
    )
    exported: dict[str, str] = {}
    for node in ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            exported.update({alias.name: node.module for alias in node.names})
    parts = [
        f"```py\n{declared_in(PACKAGE / f'{module}.py', [n for n, m in exported.items() if m == module])}\n```"
        for module in dict.fromkeys(exported.values())
    ]
    parts.append(f"```py\n# botledger.webhooks\n{declared_in(PACKAGE / 'webhooks.py', ['verify', 'PayoutCreated'])}\n```")
    parts.append(f"```py\n# botledger.aiogram\n{declared_in(PACKAGE / 'aiogram.py', None)}\n```")
    return (
        "# Reference of the client for Python\n\n"
        "<!-- Generated by `python packages/python/generate.py` from the code. Do not edit. -->\n\n"
        "For programmers who use `botledger` in Python. After this page you know each method, option and error. Begin with [the client's\n"
        "own page](../packages/python/README.md); the fields of each call are in [the HTTP API](http-api.md), and in the types of the package.\n\n"
        "## Calls\n\n"
        "`Client` has these methods, and `AsyncClient` the same as coroutines. The body comes first, the fields of the query by name. A list\n"
        "with pages has an iterator too: `iterate_referrers` of `list_referrers`. What can be CSV has a method that ends in `_csv`.\n\n"
        f"| method | call | meaning |\n|---|---|---|\n{rows}\n"
        "## Everything else\n\n" + "\n\n".join(parts) + "\n"
    )


def declared_in(file: Path, names: list[str] | None) -> str:
    """The public declarations of a file by their heads and docstrings. None: all classes."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    wanted = [
        node
        for node in body
        if (names is None and isinstance(node, ast.ClassDef) and not node.name.startswith("_"))
        or (names is not None and getattr(node, "name", None) in names)
        or (names is not None and isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in names)
    ]
    return "\n\n\n".join(head_of(node) for node in wanted)


def head_of(node: ast.stmt, indent: str = "") -> str:
    inner = indent + "    "
    if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return indent + ast.unparse(node)
    text = ast.get_docstring(node)
    lines = [] if text is None else f'"""{text}"""'.split("\n")
    quoted = "".join(f"\n{inner}{line}".rstrip(" ") for line in lines)
    if not isinstance(node, ast.ClassDef):
        bare = copy.copy(node)
        bare.body = [ast.Expr(ast.Constant(...))]
        head = ast.unparse(ast.fix_missing_locations(bare)).rsplit("\n", 1)[0].replace("lambda :", "lambda:")  # Python 3.10
        return "\n".join(indent + line for line in head.split("\n")) + (quoted or f"\n{inner}...")
    bases = f"({', '.join(ast.unparse(base) for base in node.bases)})" if node.bases else ""
    members = [
        head_of(member, inner)
        for member in node.body
        if isinstance(member, ast.AnnAssign)
        or (
            isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef))
            and (not member.name.startswith("_") or member.name == "__init__")
        )
    ]
    return f"{indent}class {node.name}{bases}:{quoted}" + "".join(f"\n\n{member}" for member in members)


def event_fields(types: Types) -> str:
    """The fields of an event besides its name, for the middleware."""
    schema = types.schemas["CustomEvent"]
    fields = {
        prop: f"NotRequired[{types.type_of(value, 'CustomEventFields' + camel(prop), Place(is_answer=False), prop)}]"
        for prop, value in schema["properties"].items()
        if prop != "event"
    }
    return class_text("CustomEventFields", {"properties": schema["properties"]}, fields)


def used_classes(types: Types, operations: list[Operation]) -> list[str]:
    text = " ".join(
        f"{o.body} {o.data} {o.items and o.items[1]} {' '.join(p.type for p in o.parameters)}" for o in operations
    )
    return sorted(set(re.findall(r"\w+", text)) & set(types.classes))


def check(types: Types, operations: list[Operation]) -> None:
    """Fails if openapi.json has schemas that the tables at the top of this file lack."""
    if types.number_fields != AMOUNTS | NO_AMOUNTS:
        raise SystemExit(f"amounts or not? {sorted(types.number_fields ^ (AMOUNTS | NO_AMOUNTS))}")
    unkeyed = {o.id for o in operations if o.method == "POST" and not o.keyed}
    if not unkeyed >= HARMLESS:
        raise SystemExit(f"no calls without a key: {sorted(HARMLESS - unkeyed)}")


def main() -> None:
    is_check = sys.argv[1:] == ["--check"]
    for path, text in generated().items():
        if not is_check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{path.name} is not current: python packages/python/generate.py")


if __name__ == "__main__":
    main()
