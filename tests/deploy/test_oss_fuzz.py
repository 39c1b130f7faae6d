"""The files for OSS-Fuzz: every fuzz target is built and has its corpus. Run by ctest.

build.sh runs with stand-ins for cmake and zip, which record their arguments.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUZZ = ROOT / "tests/fuzz"
CMAKE = """#!/bin/sh
echo "cmake $*" >>"$OUT/asked"
echo "flags $CXXFLAGS" >>"$OUT/asked"
[ "$1" = --build ] || exit 0
mkdir -p "$2/tests/fuzz"
shift 3
for target; do cp /bin/true "$WORK/muster/tests/fuzz/$target"; done
"""
ZIP = """#!/bin/sh
[ "$(ls)" ] && touch "$3"
"""


def targets():
    names = re.findall(r"^muster_fuzz\((\w+)", (FUZZ / "CMakeLists.txt").read_text(), re.M)
    return set(names)


class OssFuzz(unittest.TestCase):
    def build(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        base = pathlib.Path(scratch.name)
        for name in ("src", "work", "out", "bin"):
            (base / name).mkdir()
        for name, text in (("cmake", CMAKE), ("zip", ZIP)):
            (base / "bin" / name).write_text(text)
            (base / "bin" / name).chmod(0o755)
        shutil.copytree(FUZZ, base / "src/muster/tests/fuzz")
        environment = {"SRC": base / "src", "WORK": base / "work", "OUT": base / "out", "CXX": "clang++",
                       "CXXFLAGS": "-O1 -fsanitize=address -stdlib=libc++", "PATH": f"{base / 'bin'}:{os.environ['PATH']}"}
        subprocess.run(["bash", FUZZ / "oss-fuzz/build.sh"], check=True, env=environment)
        return base / "out"

    def test_every_target_is_built_and_has_its_corpus(self):
        out = self.build()
        self.assertLessEqual({"cel", "configuration", "deltas", "manifest", "trace", "watch"}, targets())
        self.assertEqual({p.name for p in out.glob("fuzz_*")},
                         {f"fuzz_{t}" for t in targets()} | {f"fuzz_{t}_seed_corpus.zip" for t in targets()})
        for target in targets():
            self.assertTrue((FUZZ / f"{target}.cpp").exists(), target)
            self.assertTrue(any((FUZZ / "corpus" / target).iterdir()), target)

    def test_flags_of_oss_fuzz_are_used_with_the_library_of_the_packages(self):
        asked = (self.build() / "asked").read_text()
        self.assertIn("-DMUSTER_FUZZ=ON", asked)
        self.assertIn("-DCMAKE_CXX_COMPILER=clang++", asked)
        self.assertIn("flags -O1 -fsanitize=address", asked)
        self.assertNotIn("libc++", asked.split("\n")[1])

    def test_project_names_what_is_used(self):
        project = yaml.safe_load((FUZZ / "oss-fuzz/project.yaml").read_text())
        self.assertEqual((project["language"], project["fuzzing_engines"]), ("c++", ["libfuzzer"]))
        self.assertLessEqual(set(project["sanitizers"]), {"address", "undefined"})
        first = (FUZZ / "oss-fuzz/Dockerfile").read_text()
        self.assertIn(f"base-builder:{project['base_os_version']}", first)


if __name__ == "__main__":
    unittest.main(verbosity=2)
