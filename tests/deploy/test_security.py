"""Everything that SECURITY.md, docs/threat-model.md and SECURITY-INSIGHTS.yml name exists. Run by ctest.

MUSTER_BUILD names a build directory, which provides the list of tests.
"""
import os
import pathlib
import re
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("MUSTER_BUILD", str(ROOT / "build/dev"))
MODEL = ROOT / "docs/threat-model.md"


def attacks():
    """The rows of the table of attacks, as lists of cells."""
    table = MODEL.read_text().split("\n| who |", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def anchor(heading):
    """As GitHub does it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class Named(unittest.TestCase):
    def ctest_names(self):
        said = subprocess.run(["ctest", "--test-dir", BUILD, "-N"], capture_output=True, text=True, check=True).stdout
        return set(re.findall(r"^ *Test +#\d+: (\S+)$", said, re.M))

    def cpp_names(self):
        names = set()
        for directory in ("src", "tests"):
            for path in (ROOT / directory).rglob("*_test.cpp"):
                names |= {".".join(found) for found in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.M)}
        return names

    def python_names(self):
        names = set()
        for path in (ROOT / "tests").rglob("test_*.py"):
            of_class = ""
            for kind, name in re.findall(r"^(class| +def) (\w+)", path.read_text(), re.M):
                if kind == "class":
                    of_class = name
                else:
                    names.add(f"{path.name} {of_class}.{name}")
        return names

    def test_every_attack_names_tests_that_exist(self):
        known = self.ctest_names() | self.cpp_names() | self.python_names()
        self.assertGreater(len(attacks()), 12)
        for row in attacks():
            named = re.findall(r"`([^`]+)`", row[-1])
            self.assertTrue(named, f"no test for: {row[:2]}")
            self.assertEqual(set(named) - known, set(), row[:2])
            self.assertEqual(len(row), 5, row)

    def test_live_tests_that_are_named_are_run(self):
        """A test in a Python file counts only if ctest runs the file."""
        said = (ROOT / "tests/CMakeLists.txt").read_text()
        for row in attacks():
            for name in re.findall(r"`test_(\w+)\.py ", row[-1]):
                self.assertTrue(re.search(rf"\b(test_)?{name}\b", said), name)

    def test_links_lead_somewhere(self):
        for page in (MODEL, ROOT / "SECURITY.md"):
            for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
                if target.startswith("http"):
                    continue
                path, _, part = target.partition("#")
                there = (page.parent / path).resolve() if path else page
                self.assertTrue(there.exists(), f"{page.name}: {target}")
                headings = {anchor(h) for h in re.findall(r"^#+ (.*)$", there.read_text(), re.M)} if part else {part}
                self.assertIn(part, headings, f"{page.name}: {target}")

    def test_policies_that_are_named_are_shipped(self):
        shipped = set()
        for path in ROOT.glob("deploy/*.yaml"):
            shipped |= {o["metadata"]["name"] for o in yaml.safe_load_all(path.read_text())
                        if o["kind"] == "ValidatingAdmissionPolicy"}
        self.assertLessEqual(set(re.findall(r"`(muster-(?:pods|pod-groups|gpu-pods|resize))`", MODEL.read_text())), shipped)
        self.assertTrue([name for name in shipped if "-own-" in name])

    def test_own_keys_are_those_of_the_policies(self):
        """The table of the rights of muster's own account, compared with the rendered manifests."""
        policies = (ROOT / "deploy/51-own-account.yaml").read_text()
        table = MODEL.read_text().split("## muster's own account", 1)[1].split("What a stolen token", 1)[0]
        for key in re.findall(r"`([a-z.]+[./-][\w./-]+)`", table):
            if "/" in key and not key.endswith(".yaml") and not key.startswith("pods/"):
                self.assertIn(key, policies)


class Policy(unittest.TestCase):
    def test_says_what_reporters_need(self):
        text = (ROOT / "SECURITY.md").read_text()
        for heading in ("Supported versions", "Reporting a vulnerability", "What happens then", "What counts"):
            self.assertIn(f"\n## {heading}\n", text)
        for word in ("Embargo", "private", "advisory", "90 days"):
            self.assertIn(word, text)
        self.assertEqual(re.findall(r"\S+@\S+\.\w+", text), [], "an unknown address")
        version = re.search(r"^project\(muster VERSION (\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
        self.assertIn(f"| {version}.x | yes |", text)


class Insights(unittest.TestCase):
    """Required by version 2 of the specification: path → type or allowed values."""
    REQUIRED = {
        "header.schema-version": str, "header.last-updated": str, "header.last-reviewed": str, "header.url": str,
        "project.name": str, "project.administrators": list, "project.repositories": list,
        "project.vulnerability-reporting.reports-accepted": bool,
        "project.vulnerability-reporting.bug-bounty-available": bool,
        "repository.url": str, "repository.accepts-change-request": bool,
        "repository.accepts-automated-change-request": bool, "repository.core-team": list, "repository.license.url": str,
        "repository.license.expression": str, "repository.security.assessments.self.comment": str,
        "repository.status": ("abandoned", "active", "concept", "inactive", "moved", "suspended", "unsupported", "WIP")}
    TOOLS = {"name", "type", "rulesets", "results", "integration"}

    def setUp(self):
        self.said = yaml.safe_load((ROOT / "SECURITY-INSIGHTS.yml").read_text())

    def at(self, path):
        value = self.said
        for key in path.split("."):
            value = value[key]
        return value

    def test_required_fields(self):
        for path, wanted in self.REQUIRED.items():
            value = self.at(path)
            if isinstance(wanted, tuple):
                self.assertIn(value, wanted, path)
            else:
                self.assertIsInstance(value, wanted, path)
                self.assertTrue(value or wanted is bool, path)
        self.assertRegex(self.at("header.schema-version"), r"^2\.\d+\.\d+$")
        for path in ("header.last-updated", "header.last-reviewed"):
            self.assertRegex(self.at(path), r"^\d{4}-\d\d-\d\d$")

    def test_lists(self):
        for path in ("project.administrators", "repository.core-team"):
            self.assertEqual([p["primary"] for p in self.at(path)].count(True), 1, path)
            self.assertTrue(all(p["name"] for p in self.at(path)))
        for repository in self.at("project.repositories"):
            self.assertLessEqual({"name", "url", "comment"}, set(repository))
        for attestation in self.at("repository.release.attestations"):
            self.assertLessEqual({"name", "predicate-uri", "location"}, set(attestation))
        for tool in self.at("repository.security.tools"):
            self.assertLessEqual(self.TOOLS, set(tool))
            self.assertIn(tool["type"], ("fuzzing", "container", "secret", "SCA", "SAST", "other"))
            self.assertEqual(set(tool["integration"]), {"adhoc", "ci", "release"})

    def test_paths_exist(self):
        """Addresses below muster.dev are paths of the repository."""
        text = (ROOT / "SECURITY-INSIGHTS.yml").read_text()
        paths = re.findall(r"https://muster\.dev/([^\s#]+)", text)
        self.assertTrue(paths)
        self.assertEqual([p for p in paths if p != "muster.git" and not (ROOT / p).exists()], [])

    def test_attestations_are_those_that_are_made(self):
        made = set(re.findall(r'"(https://[^"]+)"', (ROOT / "deploy/image/statements.py").read_text().split("PREDICATES", 1)[1]
                              .split("}", 1)[0]))
        self.assertEqual({a["predicate-uri"] for a in self.at("repository.release.attestations")}, made)


if __name__ == "__main__":
    unittest.main(verbosity=2)
