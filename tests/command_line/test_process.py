"""muster as a process: signals, terminals, broken pipes and full disks.

MUSTER names the program.
"""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import tempfile
import threading
import time
import unittest

MUSTER = os.environ["MUSTER"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PATIENCE = 60  # seconds
CLUSTER = str(EXAMPLES / "usage/cluster.yaml")
FOREVER = ["simulate", CLUSTER, "--cycles", "1000000", "--now", "2025-06-01T12:00:00Z"]


def read_until(fd, pattern):
    """What a terminal shows up to the pattern."""
    seen, end = b"", time.monotonic() + PATIENCE
    while not re.search(pattern, seen):
        if not select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
            raise AssertionError(f"{pattern} does not come: {seen}")
        seen += os.read(fd, 4096)
    return seen


class LongRuns(unittest.TestCase):
    """Standard error is a terminal, with a line that shows the progress."""

    def start(self, *more):
        self.terminal, other = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        process = subprocess.Popen([MUSTER, *FOREVER, *more], stdout=subprocess.PIPE, stderr=other)
        os.close(other)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        return process

    def interrupted(self, *more):
        process = self.start(*more)
        output = []  # JSON is written continuously, so the test must read it
        reader = threading.Thread(target=lambda: output.append(process.stdout.read()))
        reader.start()
        read_until(self.terminal, rb"[\d,]+ of 1,000,000 cycles, 2 jobs")
        process.send_signal(signal.SIGINT)
        code = process.wait(PATIENCE)
        reader.join(PATIENCE)
        return code, output[0].decode()

    def test_show_what_there_is_when_interrupted(self):
        code, text = self.interrupted()
        self.assertEqual(code, 130)
        self.assertRegex(text.splitlines()[-1], r"^stopped after [\d,]+ of 1,000,000 cycles: 8 pods bound")
        self.assertIn("\nJobs\n", text)
        self.assertRegex(os.read(self.terminal, 4096), rb"\x1b\[K$")  # the line is cleared

    def test_end_json_when_interrupted(self):
        code, text = self.interrupted("-o", "json")
        self.assertEqual(code, 130)
        output = json.loads(text)
        self.assertIs(output["cutShort"], True)
        self.assertEqual(output["totals"]["cyclesAsked"], 1000000)
        self.assertEqual(output["totals"]["cyclesRun"], len(output["rounds"]))
        self.assertLess(len(output["rounds"]), 1000000)

    def test_are_not_called_cut_short_otherwise(self):
        ran = subprocess.run([MUSTER, "simulate", CLUSTER, "--cycles", "3"], capture_output=True)
        self.assertEqual(ran.returncode, 0)
        self.assertRegex(ran.stdout.decode().splitlines()[-1], "^3 cycles: ")
        self.assertNotIn(b"of 3 cycles", ran.stderr)


class Interrupts(unittest.TestCase):
    def test_end_the_process_at_once_the_second_time(self):
        """The report of a first process waits for a reader that never comes."""
        process = subprocess.Popen([MUSTER, *FOREVER, "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        process.stdout.read(1)
        time.sleep(0.5)  # the pipe is full
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)


class BrokenFiles(unittest.TestCase):
    def run_to(self, out, *arguments):
        return subprocess.run([MUSTER, *arguments], stdout=out, stderr=subprocess.PIPE, timeout=PATIENCE)

    def test_a_full_disk_is_reported(self):
        for arguments in (["simulate", CLUSTER], [*FOREVER, "-o", "json"], ["validate", CLUSTER], ["version"],
                          ["--version"], ["help"], ["--help"], ["completion", "bash"]):
            with self.subTest(arguments), open("/dev/full", "w") as full:
                ran = self.run_to(full, *arguments)
                self.assertEqual(ran.returncode, 3)
                self.assertEqual(ran.stderr.decode().splitlines()[-1], "error: standard output: No space left on device")

    def test_a_broken_pipe_is_reported(self):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            ran = self.run_to(pipe, *FOREVER, "-o", "json")
        self.assertEqual(ran.returncode, 3)
        self.assertEqual(ran.stderr.decode().splitlines()[-1], "error: standard output: Broken pipe")

    def test_standard_input_that_is_closed_is_reported(self):
        ran = subprocess.run([MUSTER, "simulate", "-"], capture_output=True, preexec_fn=lambda: os.close(0))
        self.assertEqual((ran.returncode, ran.stdout), (3, b""))
        self.assertIn(b"error: -: Bad file descriptor\n", ran.stderr)

    def test_a_file_that_shrinks_is_reported(self):
        """The kernel sends a signal if a process reads beyond the end of a truncated file; here the test sends it."""
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "pipe.yaml")
            os.mkfifo(path)
            process = subprocess.Popen([MUSTER, "simulate", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            with open(path, "w"):  # the process is reading now
                process.send_signal(signal.SIGBUS)
                out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, out), (3, b""))
        self.assertEqual(err, b"error: a file could not be read to the end: it was truncated, or its disk failed\n")


if __name__ == "__main__":
    unittest.main()
