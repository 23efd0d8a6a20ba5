"""The reference part of docs/python.md, which is made from the docstrings.

    python3 tests/python/api_page.py     renews it

A test compares the page with this.
"""

import inspect
import os
import re
import textwrap

import support
import prescope

PAGE = os.path.join(support.ROOT, "docs", "python.md")
BEGIN = "<!-- From here on, tests/python/api_page.py makes this page from the docstrings. -->\n"

FUNCTIONS = ("evaluate", "compare", "gate", "program")
CLASSES = ("Qrels", "Run", "Result", "Comparison", "Pair", "Difference", "Gate", "Experiment")
CLASSES += ("Ranking", "Visit", "Store", "Rows")
ERRORS = ("Error", "UsageError", "InputError", "FileError", "EngineError", "MemoryShortage")


def signature(function, name, is_method):
    """Returns a call as it is written, without types, in lines of at most 96 columns."""
    parameters = list(inspect.signature(function).parameters.values())[1 if is_method else 0 :]
    words = []
    for kind, parameter in [(p.kind, p) for p in parameters]:
        if kind is parameter.VAR_POSITIONAL:
            words.append("*" + parameter.name)
            continue
        if kind is parameter.KEYWORD_ONLY and not any(w.startswith("*") for w in words):
            words.append("*")
        default = parameter.default
        if default is parameter.empty:
            words.append(parameter.name)
        else:
            words.append("%s=%r" % (parameter.name, default))
    text = "%s(%s)" % (name, ", ".join(words))
    if len(text) <= 96:
        return text
    inner = textwrap.fill(", ".join(words), 92, break_long_words=False)
    return "%s(\n%s)" % (name, textwrap.indent(inner, "    "))


def prose(text):
    """Returns a docstring as Markdown: paragraphs, and its examples in fences."""
    parts = []
    for part in re.split(r"\n\n+", inspect.cleandoc(text)):
        if part.startswith(">>>"):
            parts.append("```python\n%s\n```" % part)
        elif part.startswith("    "):
            parts.append("```\n%s\n```" % textwrap.dedent(part))
        else:
            parts.append(part)
    return "\n\n".join(parts)


def member_lines(cls):
    """Returns the public attributes of a class that have a docstring."""
    lines = []
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            lines.append("**`%s.%s`**\n\n%s" % (cls.__name__, name, prose(member.fget.__doc__)))
        elif inspect.isfunction(member):
            call = signature(member, name, True)
            lines.append("```\n%s\n```\n\n%s" % (call, prose(member.__doc__)))
    return lines


def render():
    """Returns the reference."""
    parts = ["## Reference"]
    for name in FUNCTIONS:
        function = getattr(prescope, name)
        parts.append("### `%s`" % name)
        parts.append("```\n%s\n```" % signature(function, name, False))
        parts.append(prose(function.__doc__))
    for name in CLASSES:
        cls = getattr(prescope, name)
        parts.append("### `%s`" % name)
        if name in ("Qrels", "Run", "Experiment", "Ranking", "Store"):
            parts.append("```\n%s\n```" % signature(cls.__init__, name, True))
        parts.append(prose(cls.__doc__))
        parts += member_lines(cls)
    parts.append("### Exceptions")
    for name in ERRORS:
        parts.append("**`%s`**. %s" % (name, prose(getattr(prescope, name).__doc__)))
    return "\n\n".join(parts) + "\n"


def main():
    with open(PAGE, encoding="utf-8") as file:
        before = file.read().split(BEGIN)[0]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + render())


if __name__ == "__main__":
    main()
