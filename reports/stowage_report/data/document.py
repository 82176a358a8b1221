"""Reads the JSON files of users. files.schema.json says what each kind of them must look like and which limits hold;
harness/system/document.cpp reads it too. Whatever is in a file, the answer is a document of that kind or one line."""

import json
import lzma
import math
import re
from pathlib import Path
from typing import Any

from stowage_report.console import UserError, refused

#: Of a results file that `stowage submit` has packed.
PACKED_SUFFIX = ".json.xz"

_SCHEMA = json.loads(Path(__file__).with_name("files.schema.json").read_text(encoding="utf-8"))
_LIMITS = _SCHEMA["limits"]
_DEEPEST = _LIMITS["depth"]
#: What the decoder of a packed file may take: the largest dictionary that `xz` itself makes is 64 MiB.
_MOST_TO_UNPACK = 100 << 20

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff"  # and what turns the direction of a line
_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.+=%-]*"
_FORMATS = {name: re.compile(pattern).fullmatch for name, pattern in {
    "text": rf"[^{_CONTROL}]*",
    "lines": rf"(?:[^{_CONTROL}]|[\t\n])*",
    "name": _NAME,
    "cell": rf"{_NAME}/{_NAME}/entities:[1-9][0-9]{{0,9}}(?:/{_NAME}:[A-Za-z0-9_.+=%-]+)*",
    "checksum": r"0x[0-9a-f]{16}",
    "component": r"[A-Za-z][A-Za-z0-9_-]*",
    "header": rf'[^"{_CONTROL}]+',
}.items()}
_TYPE = re.compile(r"(?:::)?[A-Za-z_][A-Za-z0-9_:<>, ]*")


def _is_type(text: str) -> bool:
    """Enough of C++ to tell a type from other code: what it opens it closes, and it is one."""
    depth = 0
    for character in text:
        depth += (character == "<") - (character == ">")
        if depth < 0 or (depth == 0 and character == ","):
            return False
    return depth == 0 and _TYPE.fullmatch(text) is not None


_FORMATS["type"] = _is_type
_KINDS = {dict: {"object"}, list: {"array"}, str: {"string"}, bool: {"boolean"}, type(None): {"null"},
          int: {"integer", "number"}, float: {"number"}}
_CALLED = {"object": "an object", "array": "a list", "string": "text", "boolean": "true or false", "null": "null",
           "integer": "a whole number", "number": "a number"}


def read_json(path: Path, otherwise: str, unreadable: str = "", *, is_foreign: bool = False) -> Any:
    """What is in a file, packed or not. `otherwise` is what to give instead if it is no JSON, `unreadable` what if it
    cannot be read. A number of a foreign file that is none is None."""
    is_packed = path.name.endswith(PACKED_SUFFIX)
    content = _content(path, is_packed, otherwise, unreadable).removeprefix(_BYTE_ORDER_MARK)
    most_values = _LIMITS["unpacked_values" if is_packed else "values"]
    if sum(map(content.count, (b",", b"[", b"{"))) > most_values:  # what it takes in memory is in proportion to these
        raise UserError(f"{path} has more than {most_values} values; {otherwise}")
    try:
        text = content.decode("utf-8")
        return json.loads(text, parse_float=_finite, parse_int=_whole,
                          parse_constant=(lambda _: None) if is_foreign else _refuse)
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not JSON, see {_place(content, error.start)}; {otherwise}") from error
    except json.JSONDecodeError as error:
        if _ends_early(text, error):
            raise UserError(f"{path} is truncated: it ends at {_place(content, len(content) - 1)}; "
                            "copy the file again, or repeat the run") from error
        place = f"line {error.lineno}, column {error.colno}"
        raise UserError(f"{path} is not JSON, see {place}; {otherwise}") from error
    except OverflowError as error:
        raise UserError(f"{path} has {error}; {otherwise}") from error
    except RecursionError as error:
        raise UserError(f"{path} is nested deeper than {_DEEPEST} levels; {otherwise}") from error


def check(document: Any, kind: str, path: Path | str, remedy: str) -> None:
    """Raises a UserError that names the place of what is not as `kind` of the schema has it."""
    try:
        _check(document, _DEFINITIONS[kind], 0)
    except _Fault as fault:
        place = re.sub(r"^\.", "", "".join(reversed(fault.place)))
        raise UserError(f"{path} is damaged: {place or 'it'} {fault.what}; {remedy}") from None


class _Fault(Exception):
    def __init__(self, what: str):
        self.what = what
        self.place: list[str] = []  # the innermost comes first


def _content(path: Path, is_packed: bool, otherwise: str, unreadable: str) -> bytes:
    most = _LIMITS["unpacked_bytes" if is_packed else "bytes"]
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
        if is_packed:
            decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, _MOST_TO_UNPACK)
            content = decoder.decompress(content, most + 1)
            if len(content) <= most and (not decoder.eof or decoder.unused_data):
                raise EOFError("it does not end where its data do")
    except (lzma.LZMAError, EOFError) as error:
        raise UserError(f"{path} is damaged: {error}; copy it again, or pack the run again with `stowage submit`") from error
    except OSError as error:
        raise refused(f"cannot read {path}", error, unreadable or otherwise) from error
    except ValueError as error:
        raise UserError(f"cannot read {path}: {error}; {unreadable or otherwise}") from error
    if len(content) > most:
        raise UserError(f"{path} has more than {most} bytes; {otherwise}")
    return content


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise OverflowError(f"a number that is too large, {text[:20]}")
    return value


def _whole(text: str) -> int | float:
    """More digits than 64 bits have are no whole number to the C++ reader either."""
    return int(text) if len(text) <= 20 else _finite(text)


def _refuse(text: str) -> None:
    raise OverflowError(f"{text} for a number")


def _place(content: bytes, byte: int) -> str:
    before = content[:byte + 1]
    return f"line {1 + before.count(10)}, column {max(1, len(before) - 1 - before.rfind(10))}"


def _ends_early(text: str, error: json.JSONDecodeError) -> bool:
    """What went wrong is the end of the text, and not something in it; `false` is the longest word to be cut."""
    last = len(text.rstrip()) - len("false")
    return text.lstrip()[:1] == "{" and (error.pos > last or error.msg.startswith("Unterminated string"))


# ---- the schema


def _resolved(schema: Any) -> Any:
    """With the definitions that it refers to in their place, and each type as a list."""
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _definition(schema["$ref"].rpartition("/")[2])
    return {key: {name: _resolved(each) for name, each in value.items()} if key == "properties" else
            [value] if key == "type" and isinstance(value, str) else _resolved(value) for key, value in schema.items()}


_DEFINITIONS: dict[str, dict] = {}


def _definition(name: str) -> dict:
    if name not in _DEFINITIONS:
        _DEFINITIONS[name] = {}
        _DEFINITIONS[name].update(_resolved(_SCHEMA["$defs"][name]))
    return _DEFINITIONS[name]


for _name in _SCHEMA["$defs"]:
    _definition(_name)
_ANY = _DEFINITIONS["any"]


def _check(value: Any, schema: dict, depth: int) -> None:
    kinds = _KINDS[type(value)]
    if "enum" in schema:
        if not any(value == one and type(value) is type(one) for one in schema["enum"]):
            raise _Fault(f"must be {' or '.join(map(json.dumps, schema['enum']))}")
    elif kinds.isdisjoint(schema["type"]):
        raise _Fault(f"must be {' or '.join(_CALLED[each] for each in schema['type'])}")
    if depth > _DEEPEST:
        raise _Fault(f"is nested deeper than {_DEEPEST} levels")
    if "number" in kinds:
        _check_range(value, schema)
    elif "string" in kinds:
        _check_text(value, schema)
    elif "array" in kinds:
        _check_size(len(value), schema, "Items", "items")
        items = schema.get("items", _ANY)
        for number, item in enumerate(value):
            try:
                _check(item, items, depth + 1)
            except _Fault as fault:
                fault.place.append(f"[{number}]")
                raise
    elif "object" in kinds:
        _check_object(value, schema, depth)


def _check_range(value: float, schema: dict) -> None:
    least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if not least <= value <= most:
        raise _Fault(f"must be from {least} to {most}")


def _check_text(text: str, schema: dict) -> None:
    if len(text) > schema.get("maxLength", math.inf):
        raise _Fault(f"is longer than {schema['maxLength']} characters")
    form = schema.get("format")
    if form and not _FORMATS[form](text):
        raise _Fault(f"must be {_SCHEMA['formats'][form]}")


def _check_size(size: int, schema: dict, word: str, called: str) -> None:
    if size > schema.get(f"max{word}", math.inf):
        raise _Fault(f"has more than {schema[f'max{word}']} {called}")
    if size < schema.get(f"min{word}", 0):
        raise _Fault(f"has fewer than {schema[f'min{word}']} {called}")


def _check_object(value: dict, schema: dict, depth: int) -> None:
    _check_size(len(value), schema, "Properties", "members")
    for key in schema.get("required", ()):
        if key not in value:
            raise _Fault(f"lacks `{key}`")
    for key, others in schema.get("dependentRequired", {}).items():
        if key in value and (missing := [other for other in others if other not in value]):
            raise _Fault(f"has `{key}` and lacks `{missing[0]}`")
    properties, names = schema.get("properties", {}), schema.get("propertyNames", _ANY["propertyNames"])
    others = schema.get("additionalProperties", _ANY)
    for key, member in value.items():
        if key not in properties:
            try:
                _check_text(key, names)
            except _Fault as fault:
                raise _Fault(f"has a key that {fault.what}") from None
        try:
            _check(member, properties.get(key, others), depth + 1)
        except _Fault as fault:
            fault.place.append(f".{key}")
            raise
