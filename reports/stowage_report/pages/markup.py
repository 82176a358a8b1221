"""How templates of both pages are filled: text is escaped, and has two filters of its own."""

import re

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape


def environment() -> Environment:
    made = Environment(loader=PackageLoader("stowage_report.pages"), autoescape=True, undefined=StrictUndefined,
                       trim_blocks=True, lstrip_blocks=True)
    made.filters.update(prose=prose, breakable=breakable, zip=zip)
    return made


def prose(text: str) -> Markup:
    """Text as people write it in cards and messages: `names` in backticks are code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def breakable(text: str) -> Markup:
    """Names that may be broken after an underscore and before a dot, and are copied as they are."""
    return Markup(re.sub(r"(?<=_)(?=\w)|(?<=[a-z])(?=\.\w)", "<wbr>", str(escape(text))))
