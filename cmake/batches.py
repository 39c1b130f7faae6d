#!/usr/bin/env python3
"""Groups the source files of a module into batches that are compiled as one. No file of a batch can see a private name
of another.

    batches.py --source DIR --output DIR --most N --list FILE NAME=SUFFIX ...

Compiling several files as one is several times faster, because headers are parsed and templates are instantiated once.
It must not change the meaning of a program. A later file of a batch could refer to a private name of an earlier one (a
name in an unnamed namespace, a static, an alias, a helper that no header declares). A call might then pick another
overload than when the file is compiled alone. Name lookup only finds names that are spelled out, so two files may share
a batch if no private name of the earlier one appears in the later one, or in a header that it is the first to include.
Files whose private declarations are found without being spelled out (macros, operators, customization points,
using-directives) are compiled alone.

Writes DIR/<NAME>_<number>.cpp for each batch and, in FILE, the CMake lists BATCHES_<NAME>: the batches.
NAME=SUFFIX: the files below NAME that end with SUFFIX; `.cpp` excludes tests.
`--check FILE ...` verifies written batch files instead of making new ones.
"""
import argparse
import functools
import pathlib
import re
import sys

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
NOT_CODE = re.compile(r"""(?P<number>\b\d(?:'?[\w.])*)|//[^\n]*|/\*.*?\*/|R"(?P<raw>\w*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
DIRECTIVE = re.compile(r"^\s*#.*$", re.M)
MEMBER = re.compile(r"(?:\.|->)\s*~?[A-Za-z_]\w*")
QUALIFIED = re.compile(r"((?:\b\w+\s*::\s*)*)~?\b([A-Za-z_]\w*)")
LIBRARIES = set("std nlohmann fmt absl simdjson prometheus CLI testing rc".split())
BASES = re.compile(r"((?:struct|class)\s[^;{}()=:]*[^;{}()=:\s])\s*:(?!:)[^;{]*(?=\{)")
USING = re.compile(r"\busing\s+(?!namespace\b)(?:(\w+)\s*=\s*([^;]+)|([\w:]*::(\w+))\s*);|\bnamespace\s+(\w+)\s*=\s*([^;]+);")
USING_DIRECTIVE = re.compile(r"\busing\s+namespace\s+([\w:]+)\s*;")
ENUMERATORS = re.compile(r"\benum\s+(?!class\b|struct\b)[^{;]*\{([^}]*)\}")
TYPE = re.compile(r"\b(?:struct|class|union|enum|concept)\s+(?:class\s+|struct\s+)?(\w+)")
DECLARED = re.compile(r"(?<!::)(?<!\w)(~?[A-Za-z_]\w*)\s*(?=[({=;:\[])(?!::)")
# Found by argument-dependent lookup from templates of libraries.
CUSTOMIZATION_POINTS = set("begin end size data swap get hash_value AbslHashValue to_json from_json format_as PrintTo "
                           "showValue operator".split())
KEYWORDS = set("""alignas auto bool break case catch char class co_await co_return co_yield concept const consteval constexpr
constinit continue decltype default delete do double else enum explicit extern false final float for friend if inline int
long mutable namespace new noexcept nullptr operator override private protected public requires return short signed sizeof
static static_assert struct switch template this throw true try typedef typename union unsigned using virtual void volatile
while""".split())
# The macros of GoogleTest and rapidcheck create distinct names by themselves.
MACROS = set("TEST TEST_F TEST_P INSTANTIATE_TEST_SUITE_P RC_GTEST_PROP".split())


def code_of(text):
    """The text without comments, strings, characters and the separators in numbers."""
    return NOT_CODE.sub(lambda found: "0" if found["number"] else " " if found.group().startswith("/") else '""', text)


def end_of_block(code, start):
    """The position after the brace that closes the one before `start`."""
    depth = 1
    for found in re.compile(r"[{}]").finditer(code, start):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return found.end()
    return len(code)


def namespace_parts(code, is_private=False):
    """Yields (is_private, text) for the parts of the code that are directly in a namespace. The contents of functions,
    types and initializers are omitted."""
    text, position = [], 0
    opening = re.compile(r"(?:\binline\s+)?\bnamespace\s*(?P<name>[\w:]*)\s*\{|\{")
    while found := opening.search(code, position):
        text.append(code[position:found.start()])
        end = end_of_block(code, found.end())
        body = code[found.end():end - 1]
        if found.group() == "{":
            keep = body if re.search(r"\benum\s+(?!class\b|struct\b)[^{};]*$", text[-1]) else ""
            text.append("{" + keep + "}")
        else:
            text.append(";")
            yield from namespace_parts(body, is_private or not found["name"])
        position = end
    text.append(code[position:])
    yield is_private, "".join(text)


def without_parentheses(text):
    while (flat := re.sub(r"\(([^()]*)\)", "(\0", text)) != text:
        text = flat
    return text.replace("\0", ")")


def aliases_of(part):
    """Names introduced by using-declarations and aliases, with their meanings."""
    found = {}
    for alias, meaning, entity, declared, namespace, target in USING.findall(part):
        found[alias or declared or namespace] = " ".join((meaning or entity or target).split())
    return found


def declared_in(part):
    """Names that a part of a namespace declares; may contain too many, but never too few."""
    flat = without_parentheses(BASES.sub(r"\1", re.sub(r"\[\[.*?\]\]", "", part)))
    names = {name for listed in ENUMERATORS.findall(part) for name in re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", listed)}
    names.update(TYPE.findall(flat))
    for found in DECLARED.finditer(USING.sub(";", flat)):
        if not re.search(r"::\s*$", flat[:found.start()][-4:]):
            names.add(found.group(1))
    return names - KEYWORDS - MACROS


def mentions_in(code):
    """{name: its qualifiers}, without members, and without names qualified by a library's namespace or by a type, which is
    recognized by its capital."""
    found = {}
    for qualification, name in QUALIFIED.findall(MEMBER.sub(" ", code)):
        qualifiers = IDENTIFIER.findall(qualification) or [""]
        if name not in KEYWORDS and qualifiers[0] not in LIBRARIES and not qualifiers[-1][:1].isupper():
            found.setdefault(name, set()).add(qualifiers[-1])
    return found


class File:
    """The names that a source or header declares and mentions, and the headers it includes."""

    def __init__(self, root, path):
        self.path = path
        text = (root / path).read_text(encoding="utf-8")
        self.includes = [name for name in INCLUDE.findall(text) if (root / name).is_file()]
        code = DIRECTIVE.sub("", code_of(text))
        self.mentioned = mentions_in(code)
        self.namespaces = {word for name in re.findall(r"\bnamespace\s+([\w:]+)\s*\{", code) for word in name.split("::")}
        parts = list(namespace_parts(code))
        self.aliases = {}
        self.private, self.public = set(), set()
        for is_private, part in parts:
            self.aliases.update(aliases_of(part))
            (self.private if is_private else self.public).update(declared_in(part))
        self.private |= set(self.aliases)
        directives = [name for _, part in parts for name in USING_DIRECTIVE.findall(part)]
        self.must_be_alone = bool(
            re.search(r"^\s*#\s*define\b", text, re.M) or self.private & CUSTOMIZATION_POINTS or
            any(private and re.search(r"\boperator\b", part) for private, part in parts) or
            any(not name.endswith("literals") for name in directives))


class Tree:
    """The files below a source directory, each read once."""

    def __init__(self, root):
        self.root = root
        self.file = functools.lru_cache(maxsize=None)(lambda path: File(root, path))
        self.headers = functools.lru_cache(maxsize=None)(self._headers)
        self.private = functools.lru_cache(maxsize=None)(self._private)
        self.namespaces = functools.lru_cache(maxsize=None)(self._namespaces)

    def _headers(self, path):
        """The project's headers that `path` includes, directly or indirectly."""
        seen, left = set(), list(self.file(path).includes)
        while left:
            header = left.pop()
            if header not in seen:
                seen.add(header)
                left.extend(self.file(header).includes)
        return frozenset(seen)

    def _namespaces(self):
        return {name for header in self.root.rglob("*.hpp") for name in self.file(str(header.relative_to(self.root))).namespaces}

    def _private(self, path):
        """The file's private names, including those that it defines in a named namespace without declaration in a header."""
        source = self.file(path)
        in_headers = {name for header in self.headers(path) for name in self.file(header).mentioned}
        return frozenset(source.private | (source.public - in_headers))

    def mentioned_first_by(self, path, included):
        """The mentions of `path` and of its headers that are not in `included`, as from mentions_in()."""
        found = {}
        for file in [path, *(self.headers(path) - included)]:
            for name, qualifiers in self.file(file).mentioned.items():
                found.setdefault(name, set()).update(qualifiers)
        return found

    def visible_names(self, earlier, later, included):
        """Private names of `earlier` that `later` mentions if it follows in the same batch."""
        mentioned = self.mentioned_first_by(later, included)
        mine, theirs = self.file(earlier).aliases, self.file(later).aliases
        # A namespace that the earlier file does not open cannot qualify one of its names.
        elsewhere = self.namespaces() - self.file(earlier).namespaces
        return {name for name in self.private(earlier) & mentioned.keys()
                if mentioned[name] - elsewhere and (name not in mine or theirs.get(name) != mine[name])}


class Batch:
    def __init__(self, tree):
        self.tree, self.files, self.included = tree, [], frozenset()

    def obstacle(self, path):
        """Why `path` cannot follow the files of this batch, or None."""
        files = self.files + [path]
        if len(files) > 1 and (alone := [f for f in files if self.tree.file(f).must_be_alone]):
            return f"{alone[0]} must be compiled alone"
        for earlier in self.files:
            if names := self.tree.visible_names(earlier, path, self.included):
                return f"{path} mentions {', '.join(sorted(names))}, private to {earlier}"
        return None

    def add(self, path):
        self.files.append(path)
        self.included |= self.tree.headers(path)


def batches_of(tree, paths, most):
    """Puts each file into the fullest batch that can take it, or else into a new one. Files whose private names are
    mentioned by many others come last, where they harm none."""
    harmed = {path: sum(1 for other in paths if tree.private(path) & tree.file(other).mentioned.keys()) for path in paths}
    batches = []
    for path in sorted(paths, key=lambda p: (harmed[p], p)):
        for batch in sorted(batches, key=lambda b: -len(b.files)):
            if len(batch.files) < most and not batch.obstacle(path):
                break
        else:
            batches.append(batch := Batch(tree))
        batch.add(path)
    return [batch.files for batch in batches]


def sources_of(root, module, suffix):
    paths = sorted(str(path.relative_to(root)) for path in (root / module).rglob(f"*{suffix}"))
    return [path for path in paths if suffix != ".cpp" or not path.endswith("_test.cpp")]


def write_changed(path, text):
    """Writes the file unless it already has this text, to avoid needless compilation."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_all(options):
    tree, lists, written_files = Tree(options.source), [], set()
    for word in options.modules:
        module, suffix = word.split("=")
        name = module + ("_test" if suffix.startswith("_test") else "")
        sources = sources_of(options.source, module, suffix)
        written = []
        for number, paths in enumerate(batches_of(tree, sources, options.most)):
            file = options.output / f"{name}_{number}.cpp"
            write_changed(file, "".join(f'#include "{path}"\n' for path in paths))
            written.append(file)
        written_files.update(written)
        lists.append(f"set(BATCHES_{name} {' '.join(map(str, written))})\n")
    write_changed(options.list, "".join(lists))
    for file in set(options.output.glob("*.cpp")) - written_files:
        file.unlink()


def check_all(options):
    """Returns 0 if no file of the written batches can see a private name of another."""
    tree, bad = Tree(options.source), 0
    for file in options.check:
        batch = Batch(tree)
        for path in INCLUDE.findall(file.read_text(encoding="utf-8")):
            if obstacle := batch.obstacle(path):
                print(f"{file.name}: {obstacle}", file=sys.stderr)
                bad += 1
            batch.add(path)
    print(f"{len(options.check) - bad} passed, {bad} failed")
    return 1 if bad else 0


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=16)
    parser.add_argument("--list", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path, nargs="*")
    parser.add_argument("modules", nargs="*", metavar="NAME=SUFFIX")
    options = parser.parse_args(argv)
    if options.check is not None:
        return check_all(options)
    write_all(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
