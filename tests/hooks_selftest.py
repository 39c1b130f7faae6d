"""Tests tests/hooks: what a commit must not contain, in the first worktree of a repository and in another one."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPIED = (".clang-format", "tests/texts", "tests/hooks")
# Replaces tests/lint, which needs all sources.
LINT = """#!/bin/sh
echo "$@" >>"$(git rev-parse --path-format=absolute --git-common-dir)/linted"
shift 3
! grep -n WRONG "$@"
"""
FORBIDDEN = "# No" + "body knows.\n"


@unittest.skipUnless(shutil.which("git"), "needs git")
class Hooks(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.base = pathlib.Path(directory.name)
        self.root = self.base / "repository"
        self.programs = self.base / "programs"
        self.program("clang-tidy-19", "#!/bin/sh\n")
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / name, self.root / name)
        self.put("tests/lint", LINT).chmod(0o755)
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "Begin")
        self.assertEqual(self.install().returncode, 0)

    def program(self, name, text):
        self.programs.mkdir(exist_ok=True)
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def put(self, name, text, root=None):
        path = (root or self.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_in(self, root, *command):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return subprocess.run(command, cwd=root, capture_output=True, text=True, env={
            **clean, "PATH": f"{self.programs}:{clean['PATH']}", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"})

    def git(self, *arguments, root=None):
        ran = self.run_in(root or self.root, "git", *arguments)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def install(self):
        return self.run_in(self.root, "tests/hooks/install")

    def commit(self, name, text, *options, root=None):
        self.put(name, text, root)
        self.git("add", name, root=root)
        return self.run_in(root or self.root, "git", "commit", "--quiet", "--message", "Change", *options)

    def refusal(self, name, text, root=None):
        ran = self.commit(name, text, root=root)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("git commit --no-verify", ran.stderr)
        return ran.stderr

    def linted(self):
        return (self.root / ".git/linted").read_text().splitlines()

    def test_a_good_commit_passes(self):
        ran = self.commit("src/a.cpp", "// The answer.\nint answer() { return 42; }\n")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(self.linted(), ["--quick --minutes 1 src/a.cpp"])

    @unittest.skipUnless(shutil.which("clang-format"), "needs clang-format")
    def test_the_format(self):
        self.assertIn("clang-format -i src/a.cpp", self.refusal("src/a.cpp", "int   answer() {return 42;}\n"))

    def test_the_words(self):
        said = self.refusal("docs/a b.txt", FORBIDDEN)
        self.assertIn("docs/a b.txt:1: ", said)
        self.assertIn("reword the sentences", said)

    def test_what_clang_finds(self):
        self.assertIn("tests/lint --quick src/a.cpp", self.refusal("src/a.cpp", "int WRONG;\n"))

    def test_a_removed_file_is_not_checked(self):
        self.assertEqual(self.commit("docs/a.txt", FORBIDDEN, "--no-verify").returncode, 0)
        self.git("rm", "--quiet", "docs/a.txt")
        self.git("commit", "--quiet", "--message", "Remove")

    def test_another_worktree(self):
        other = self.base / "other"
        self.git("worktree", "add", "--quiet", str(other))
        self.refusal("docs/a.txt", FORBIDDEN, root=other)
        self.assertEqual(self.commit("docs/a.txt", "# It is unknown.\n", root=other).returncode, 0)

    def test_a_branch_without_hooks(self):
        self.git("rm", "--quiet", "-r", "tests/hooks")
        self.git("commit", "--quiet", "--message", "Remove")
        self.assertEqual(self.commit("docs/a.txt", FORBIDDEN).returncode, 0)

    def test_another_hook_is_left_alone(self):
        self.assertEqual(self.install().returncode, 0)
        hook = self.put(".git/hooks/pre-commit", "#!/bin/sh\n")
        ran = self.install()
        self.assertEqual(ran.returncode, 1)
        self.assertIn(f"There is another hook at {hook}", ran.stderr)
        self.assertEqual(hook.read_text(), "#!/bin/sh\n")


if __name__ == "__main__":
    unittest.main()
