"""`muster serve` with malicious clients: it stays alive, answers others, and shuts down in time.

MUSTER names the program. The API server is tests/fake_api_server.py.
"""
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from fake_api_server import ACCESS_REVIEWS, TOKEN_REVIEWS, FakeApiServer, json_bytes, make_certificate

MUSTER = os.environ["MUSTER"]
PATIENCE = 60  # seconds
TO_END = 8  # seconds from SIGTERM to the end; about one is enough where nothing else computes
FOR_A_PROBE = 5  # seconds, as in the chart
QUEUES = "/apis/scheduling.run.ai/v2/queues"
SNAPSHOT, JOB = "/api/v1/snapshot", "/api/v1/jobs/default/mine"


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE} s in vain for {what}")
        time.sleep(0.05)
    return value


class ServeTest(unittest.TestCase):
    QUEUES = 0
    FLAGS = ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.api = FakeApiServer(self.folder)
        self.api.lists[QUEUES] = [
            {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": f"queue-{i}", "uid": f"queue-{i}"},
             "spec": {}} for i in range(self.QUEUES)]
        self.api.start()
        self.addCleanup(self.api.stop)
        self.start(*self.FLAGS)

    def start(self, *flags):
        self.log = self.folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [MUSTER, "serve", "--kubeconfig", self.api.kubeconfig, "--listen-address", "127.0.0.1:0", "--web-address",
                 "127.0.0.1:0", *flags], stdout=log, stderr=log)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.probes = self.port("muster serve .*")
        self.web = self.port("web ")
        wait_until(lambda: self.get_page("/readyz").startswith(b"HTTP/1.1 200"), "readiness")

    def port(self, line):
        pattern = re.compile(rf"info +{line}.*port=(\d+)")
        return int(wait_until(lambda: pattern.search(self.log_text()), f"{line} in the log")[1])

    def log_text(self):
        return self.log.read_text(errors="replace")

    def talk(self, port, request, tls=False):
        """The whole answer to the bytes; b"" if the connection is closed without one."""
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as plain:
            line = ssl._create_unverified_context().wrap_socket(plain) if tls else plain
            with line:
                line.sendall(request)
                answer = b""
                while part := line.recv(1 << 16):
                    answer += part
                return answer

    def get_page(self, path):
        return self.talk(self.probes, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())

    def ask(self, path=SNAPSHOT, token="good", tls=False):
        """The status of the answer. Path and token may be bytes."""
        path, token = (part if isinstance(part, bytes) else part.encode() for part in (path, token))
        answer = self.talk(self.web, b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + b"\r\n\r\n", tls)
        self.assertRegex(answer, rb"^HTTP/1\.1 \d+ ", self.log_text())
        return int(answer.split()[1])

    def assert_lives(self):
        self.assertIsNone(self.process.poll(), self.log_text())
        self.assertTrue(self.get_page("/healthz").startswith(b"HTTP/1.1 200"))

    def assert_ends_in_time(self):
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(PATIENCE), 0, self.log_text())
        self.assertLess(time.monotonic() - begin, TO_END)


class Requests(ServeTest):
    def test_with_bytes_that_are_not_text_are_refused(self):
        for token in (b"\xff", b"\x80\x80", b"a\x00b", b"a\x1bb", b"a b", b"t\xc3\xb6ken", b"", b"\x7f"):
            with self.subTest(token=token):
                self.assertEqual(self.ask(token=token), 401)
                self.assert_lives()
        for path in ("/api/v1/jobs/default/%ff", "/api/v1/jobs/%C0%80/x", "/api/v1/jobs/default/%00", "/api/v1/jobs/default/a%0Ab",
                     "/api/v1/jobs/default/%C2%9B", "/api/v1/jobs/default/%", "/api/v1/jobs/default/%zz", b"/api/v1/jobs/default/\xff",
                     "/api/v1/jobs/default/%ed%a0%80"):
            with self.subTest(path=path):
                self.assertEqual(self.ask(path), 400)
                self.assert_lives()
        reviews = [path for _, path, _ in self.api.requests if path in (TOKEN_REVIEWS, ACCESS_REVIEWS)]
        self.assertEqual(reviews, [], "the API server was asked about a request that is refused without it")
        self.assertEqual(self.ask(), 200)
        self.assertEqual(self.ask(JOB), 404)
        self.assert_ends_in_time()

    def test_are_refused_where_the_api_server_answers_nonsense(self):
        good = {"authenticated": True, "user": {"username": "alice"}}
        shapes = [{"status": None}, {"status": "x"}, {"status": []}, {"status": {**good, "user": None}}, {"status": {**good, "user": "x"}},
                  {"status": {"authenticated": True}}, {"status": {**good, "user": {"username": 5}}},
                  {"status": {**good, "user": {"username": "a", "groups": "x"}}},
                  {"status": {**good, "user": {"username": "a", "groups": [1]}}},
                  {"status": {**good, "user": {"username": "a", "extra": {"k": "v"}}}}, {"status": {"authenticated": "yes"}},
                  [], None, "x", {}]
        texts = [json_bytes(shape) for shape in shapes] + [b"", b"\xff", b'{"status":{"authenticated":true,"user":{"username":"\xff"}}}']
        for number, text in enumerate(texts):
            with self.subTest(text=text):
                self.api.answers["POST", TOKEN_REVIEWS] = lambda body, text=text: (201, text)
                self.assertEqual(self.ask(token=f"token-{number}"), 503)
                self.assert_lives()
        self.api.answers["POST", TOKEN_REVIEWS] = lambda body: (201, json_bytes({"status": good}))
        for number, text in enumerate((b'{"status":null}', b'{"status":{"allowed":"yes"}}', b'{"status":{}}', b"[]")):
            with self.subTest(text=text):
                self.api.answers["POST", ACCESS_REVIEWS] = lambda body, text=text: (201, text)
                self.assertEqual(self.ask(token=f"other-{number}"), 503)
                self.assert_lives()
        self.api.answers["POST", ACCESS_REVIEWS] = lambda body: (201, b'{"status":{"allowed":false}}')
        self.assertEqual(self.ask(token="last"), 403)
        self.assert_ends_in_time()


class Signals(ServeTest):
    def test_that_mean_nothing_do_not_keep_it_from_ending(self):
        for _ in range(3):
            self.process.send_signal(signal.SIGUSR2)
            time.sleep(0.2)
        self.assert_lives()
        self.assert_ends_in_time()


class Probes(ServeTest):
    QUEUES = 3000

    def test_are_answered_while_others_ask_for_pages_and_read_nothing(self):
        self.assertIn(b"queue-2999", wait_until(lambda: page if b"queue-2999" in (page := self.get_page("/metrics")) else None,
                                                "the metrics of a cycle"))
        attack = subprocess.Popen([sys.executable, "-c", ATTACK, str(self.probes)])
        self.addCleanup(attack.wait)
        self.addCleanup(attack.kill)
        time.sleep(1)
        took = []
        for _ in range(10):
            begin = time.monotonic()
            self.assertTrue(self.get_page("/healthz").startswith(b"HTTP/1.1 200"))
            took.append(time.monotonic() - begin)
            time.sleep(0.1)
        print("seconds for a probe:", " ".join(f"{t:.3f}" for t in took))
        self.assertLess(max(took), FOR_A_PROBE)
        self.assert_ends_in_time()

    def test_are_answered_while_many_read_metrics(self):
        def read():
            while not is_over.is_set():
                self.get_page("/metrics")

        is_over = threading.Event()
        readers = [threading.Thread(target=read) for _ in range(20)]
        for reader in readers:
            reader.start()
        try:
            for _ in range(10):
                begin = time.monotonic()
                self.assertTrue(self.get_page("/healthz").startswith(b"HTTP/1.1 200"))
                self.assertLess(time.monotonic() - begin, FOR_A_PROBE)
        finally:
            is_over.set()
            for reader in readers:
                reader.join()


# Four threads, each with 30 connections at a time that request a page, read nothing and close after 50 ms.
ATTACK = """
import socket, sys, threading, time
def attack():
    while True:
        lines = []
        for _ in range(30):
            try:
                line = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
                line.sendall(b"GET /metrics HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
                lines.append(line)
            except OSError:
                pass
        time.sleep(0.05)
        for line in lines:
            line.close()
for _ in range(4):
    threading.Thread(target=attack).start()
"""


class SlowClients(ServeTest):
    COUNT = 100

    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            self.certificate, self.key = make_certificate(folder, "web")
            self.FLAGS = ("--web-cert", self.certificate, "--web-key", self.key) if self._testMethodName == "test_of_tls" else ()
            super().setUp()

    def dribble(self, port, text):
        """Clients that send the text byte by byte, one byte per second, until the test ends."""
        lines = [socket.create_connection(("127.0.0.1", port), PATIENCE) for _ in range(self.COUNT)]
        is_over = threading.Event()

        def send():
            for at in range(len(text)):
                for line in lines:
                    try:
                        line.sendall(text[at:at + 1])
                    except OSError:
                        pass
                if is_over.wait(1):
                    break
            for line in lines:
                line.close()

        sender = threading.Thread(target=send)
        sender.start()
        self.addCleanup(sender.join)
        self.addCleanup(is_over.set)

    def check(self, tls):
        time.sleep(2)
        begin = time.monotonic()
        self.assertEqual(self.ask(tls=tls), 200)
        self.assert_lives()
        self.assertLess(time.monotonic() - begin, 10)
        self.assert_ends_in_time()

    def test_of_tls(self):
        hello = ssl.MemoryBIO()
        client = ssl._create_unverified_context().wrap_bio(ssl.MemoryBIO(), hello)
        try:
            client.do_handshake()
        except ssl.SSLWantReadError:
            pass
        self.dribble(self.web, hello.read())
        self.check(tls=True)

    def test_in_the_clear(self):
        request = b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 1000
        self.dribble(self.web, request)
        self.dribble(self.probes, request)
        self.check(tls=False)

    def test_that_read_no_answer(self):
        """The answer is larger than the socket buffers."""
        self.api.lists["/api/v1/nodes"] = [
            {"metadata": {"name": f"node-{i}", "uid": f"{i}", "labels": {f"l{k}": "x" * 60 for k in range(100)}}} for i in range(2000)]
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.start()
        for _ in range(5):
            line = socket.create_connection(("127.0.0.1", self.web), PATIENCE)
            line.sendall(f"GET {SNAPSHOT} HTTP/1.1\r\nAuthorization: Bearer good\r\n\r\n".encode())
            self.addCleanup(line.close)
        time.sleep(3)
        self.check(tls=False)


if __name__ == "__main__":
    unittest.main()
