"""YAML as text: with values on one line each, as in case files, or in blocks, as in manifests."""
import functools
import re

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LINE = 118
DEEPEST_BREAK = 8
BREAKS = re.compile(r"[\x01-\x08]")
PLAIN = re.compile(r"[A-Za-z_/0-9][A-Za-z0-9_./-]*")


@functools.lru_cache(None)
def quoted(value):
    is_plain = PLAIN.fullmatch(value) and yaml.load(value, LOADER) == value
    return value if is_plain else "'%s'" % value.replace("'", "''")


def scalar(value):
    if isinstance(value, str):
        return quoted(value)
    return "~" if value is None else str(value).lower()


def flow(value, depth=1):
    """A value on one line; chr(depth) marks where it may be broken, outer levels first."""
    comma = "," + (chr(depth) if depth <= DEEPEST_BREAK else " ")
    if isinstance(value, dict):
        return "{%s}" % comma.join("%s: %s" % (scalar(k), flow(v, depth + 1)) for k, v in value.items())
    if isinstance(value, list):
        return "[%s]" % comma.join(flow(v, depth + 1) for v in value)
    return scalar(value)


def unbroken(text):
    return BREAKS.sub(" ", text)


def broken(text, indent, depth=1):
    """Lines of at most LINE columns, continuation lines indented."""
    lines = []
    for part in text.split(chr(depth)):
        if lines and len(lines[-1]) + 1 + len(unbroken(part)) <= LINE:
            lines[-1] += " " + unbroken(part)
            continue
        start = " " * indent if lines else ""
        is_long = len(start) + len(part) > LINE and BREAKS.search(part)
        lines += broken(start + part, indent + 2, depth + 1) if is_long else [start + unbroken(part)]
    return lines


def lines_of(text, indent):
    return "\n".join(broken(text, indent)) + "\n"


def line(key, value):
    return lines_of("%s: %s" % (scalar(key), flow(value)), 2)


def one_per_line(key, items):
    return "%s:%s\n" % (key, "" if items else " []") + "".join(lines_of("- " + flow(item), 2) for item in items)


def block(value, indent=""):
    """A value in block style, one entry per line."""
    if isinstance(value, dict):
        return "".join("%s%s:%s" % (indent, scalar(k), entry(v, indent if isinstance(v, list) else indent + "  "))
                       for k, v in value.items())
    return "".join("%s-%s" % (indent, entry(v, indent + "  ", " ")) for v in value)


def entry(value, indent, gap="\n"):
    """The text after a key or a dash."""
    if not isinstance(value, (dict, list)) or not value:
        return " %s\n" % flow(value)
    text = block(value, indent)
    return gap + (text[len(indent):] if gap == " " else text)
