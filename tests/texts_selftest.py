"""Tests tests/texts on small projects: it finds each word in each kind of text, and exceptions work."""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess
import tempfile
import unittest

MD = ".md"
SCRIPT = pathlib.Path(__file__).resolve().parent / "texts"
LOADER = importlib.machinery.SourceFileLoader("texts", str(SCRIPT))
texts = importlib.util.module_from_spec(importlib.util.spec_from_loader("texts", LOADER))
LOADER.exec_module(texts)

# A sentence for each word, and sentences that look like it.
FOUND = {
    "nobody": "nobody waits",
    "somebody": "it waits for somebody else",
    "whoever": "whoever comes first",
    "whom": "the job for whom it waits",
    "of which": "two nodes, of which one is full",
    "stands": "the rule stands in the way",
    "is no": "this is no queue",
    "can not": "it can not run",
    "is told": "what users are told about it",
    "surely not meant": "this is surely not meant",
    "for ever": "it waits for ever",
    "so to say": "it is asleep, so to say",
    "Who": "There are two jobs. Who comes first gets the node.",
    "for, as because": "it waits, for there is no room",
    "too, as also": "this one waits, too.",
}
FINE = ["what it stands for", "there is no room", "it is no longer there", "Who may read it? Everyone.", "it is too large",
        "room for the job", "the moment it understands"]


class Project(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.addCleanup(setattr, texts, "ROOT", texts.ROOT)
        texts.ROOT = self.root

    def put(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def check(self):
        """The exit code of --check, and what it prints."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = texts.check_texts([], None)
        return code, out.getvalue()

    def found(self, content, name):
        """The words that --check finds in a file of this content."""
        self.put(name, content)
        code, printed = self.check()
        lines = [line for line in printed.splitlines() if line.startswith(f"{name}:")]
        self.assertEqual(code, int(bool(lines)), printed)
        return [word for line in lines for word in line.split(": ")[1].split(", ")] if lines else []

    def listed(self, content, name):
        self.put(name, content)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            texts.list_texts([name])
        return [line.split(": ", 1)[1] for line in out.getvalue().splitlines()]


class Check(Project):
    def test_finds_each_word_in_each_kind_of_text(self):
        self.assertEqual(set(FOUND), set(texts.NEVER))
        kinds = {
            "src/a.cpp": 'void f() {{ print("{}"); }}\n',
            "src/b.cpp": "// {}\nvoid f();\n",
            "src/c.cpp": "/* {} */\nvoid f();\n",
            "tests/a.py": '"""{}"""\nx = 1\n',
            "tests/b.py": "x = 1  # {}\n",
            f"docs/a{MD}": "# Heading\n\n{}\n",
            "src/page.js": "draw(`{}`);\n",
            "src/page.html": "<p>{}</p>\n",
            "deploy/values.yaml": "# {}\nreplicas: 1\n",
            "deploy/alerts.yaml": 'summary: "{}"\n',
            "deploy/NOTES.txt": "{}\n",
            "docs/schema.json": '{{"description": "{}"}}\n',
            "run": '#!/bin/bash\necho "{}"\n',
        }
        for name, template in kinds.items():
            for word, sentence in FOUND.items():
                with self.subTest(name, word=word):
                    self.assertIn(word, ", ".join(self.found(template.format(sentence), name)))
            (self.root / name).unlink()

    def test_leaves_good_sentences_alone(self):
        for sentence in FINE:
            with self.subTest(sentence):
                self.assertEqual(self.found(f"{sentence}\n", f"a{MD}"), [])

    def test_leaves_code_alone(self):
        self.assertEqual(self.found("Set `nobody` as the user.\n\n```\nnobody\n```\n", f"a{MD}"), [])
        self.assertEqual(self.found('const char* user = "nobody";\nint nobody;\n', "src/a.cpp"), [])

    def test_joins_what_belongs_together(self):
        self.assertEqual(self.found('print("it can "\n      "not run");\n', "src/a.cpp"), ["can not"])
        self.assertEqual(self.found("// it can\n// not run\n", "src/b.cpp"), ["can not"])
        self.assertEqual(self.found("it can\nnot run\n", f"a{MD}"), ["can not"])

    def test_an_exception_is_for_one_sentence_of_one_file(self):
        self.put(texts.EXCEPTIONS, f"a{MD}: nobody waits # a quotation\n")
        self.assertEqual(self.found("They say nobody waits.\n", f"a{MD}"), [])
        self.assertEqual(self.found("They say nobody waits.\n", f"b{MD}"), ["nobody"])
        (self.root / f"b{MD}").unlink()
        self.assertEqual(self.found("They say nobody waits. But nobody runs.\n", f"a{MD}"), ["nobody"])

    def test_an_exception_must_have_a_use_and_a_reason(self):
        self.put(texts.EXCEPTIONS, f"a{MD}: nobody waits # a quotation\n")
        code, printed = self.check()
        self.assertEqual(code, 1)
        self.assertIn(f'no sentence needs the exception "a{MD}: nobody waits"', printed)
        self.put(texts.EXCEPTIONS, f"a{MD}: nobody waits\n")
        with self.assertRaisesRegex(SystemExit, "no reason"):
            self.check()


class List(Project):
    def test_has_what_users_see(self):
        self.assertEqual(self.listed('fail("{}: cannot be read", path);\ntable.add("{} waiting");\n', "src/a.cpp"),
                         ["{}: cannot be read", "{} waiting"])
        self.assertEqual(self.listed('Table table({{"queue"}, {"--all"}, {"waitSeconds"}});\n', "src/report/a.cpp"), ["queue"])
        self.assertEqual(self.listed('el("td", {}, "Queue", `${n} more`, "card");\n', "src/report/page/page.js"), ["Queue", "{} more"])
        self.assertEqual(self.listed("<p>No jobs yet</p>\n", "src/report/page/page.html"), ["No jobs yet"])
        self.assertEqual(self.listed("{{- if .a }}\nOpen {{ .b }} now\n{{- end }}\n", "deploy/chart/templates/NOTES.txt"), ["Open {} now"])
        self.assertEqual(self.listed("  summary: Cycles are slow\n", "deploy/chart/files/alerts.yaml"), ["Cycles are slow"])
        self.assertEqual(self.listed('{"title": "Pending jobs"}\n', "deploy/chart/files/dashboard.json"), ["Pending jobs"])

    def test_has_nothing_else(self):
        self.assertEqual(self.listed('fail("no such file");\n', "src/a_test.cpp"), [])
        self.assertEqual(self.listed('fail("no such file");\n', "tests/a.cpp"), [])
        self.assertEqual(self.listed('// no such file\n#include "a b.hpp"\njson["waitSeconds"] = 1;\n', "src/a.cpp"), [])


if __name__ == "__main__":
    unittest.main()
