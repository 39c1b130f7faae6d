"""The program that users run is built with hardening flags: checks MUSTER with readelf and objdump."""
import os
import re
import subprocess
import unittest

MUSTER = os.environ["MUSTER"]


def printed(*command):
    return subprocess.run([*command, MUSTER], check=True, capture_output=True, text=True).stdout


class Hardening(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.headers = printed("readelf", "-hlW")
        cls.dynamic = printed("readelf", "-dW")
        cls.symbols = set(re.findall(r"\b(_\w+)@", printed("readelf", "-W", "--dyn-syms")))

    def test_it_is_loaded_at_a_random_address(self):
        self.assertRegex(self.headers, r"Type:\s+DYN")
        self.assertRegex(self.dynamic, r"FLAGS_1.*\bPIE\b")

    def test_relocations_are_read_only_once_it_runs(self):
        self.assertIn("GNU_RELRO", self.headers)
        self.assertRegex(self.dynamic, r"FLAGS_1.*\bNOW\b")

    def test_no_segment_is_writable_and_executable(self):
        self.assertRegex(self.headers, r"GNU_STACK\s+(0x[0-9a-f]+\s+){5}RW\s")
        self.assertNotRegex(self.headers, r"LOAD\s+(0x[0-9a-f]+\s+){5}RWE\s")

    def test_stacks_have_canaries(self):
        self.assertIn("__stack_chk_fail", self.symbols)

    def test_calls_of_the_c_library_check_sizes(self):
        self.assertTrue(any(symbol.endswith("_chk") for symbol in self.symbols), sorted(self.symbols))

    def test_containers_check_indices(self):
        self.assertTrue(any("glibcxx_assert" in symbol for symbol in self.symbols), sorted(self.symbols))

    def test_functions_begin_with_a_landing_pad(self):
        code = printed("objdump", "-d", "--no-show-raw-insn", "--section=.text")
        self.assertGreater(code.count("endbr64"), 1000)


if __name__ == "__main__":
    unittest.main()
