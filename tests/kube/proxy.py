"""A proxy between muster and the API server that sometimes behaves like a bad network or a busy server."""
import http.client
import random
import socket
import ssl
import threading
import time


class FaultyProxy:
    """Uses TLS on both sides. `faults` is the share of requests that are disturbed."""

    def __init__(self, plane, faults=0.1, seed=1):
        self.plane, self.faults, self.random = plane, faults, random.Random(seed)
        self.counts = {}
        self.swallow = lambda line: False  # watch events that are dropped
        self.refuses = lambda method, path: False  # requests that fail; with this status, or 500
        self.hides = lambda path: False  # paths that the server seems not to have
        self.delay = lambda method, path: 0  # seconds until a request reaches the server
        self.mutes = lambda path: False  # watches that stay open and send nothing
        self.busy = lambda method, path: 0  # the Retry-After of a busy server, in seconds
        self.requests = []  # method and path of all requests
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.own = self.server_context("server")
        self.certificate = self.own
        self.upstream = ssl.create_default_context(cafile=str(plane.directory / "ca.crt"))
        self.running = True
        threading.Thread(target=self.accept, daemon=True).start()

    def server_context(self, name):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.plane.directory / f"{name}.crt", self.plane.directory / f"{name}.key")
        return context

    def pretend(self, is_stranger):
        """Shows new connections a certificate of an unknown authority, or the right one again."""
        self.certificate = self.server_context("stranger") if is_stranger else self.own

    def stop(self):
        self.running = False
        self.server.close()

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def accept(self):
        while self.running:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with self.certificate.wrap_socket(connection, server_side=True) as client:
                reader = client.makefile("rb")
                while self.running and self.one_request(client, reader):
                    pass
        except (OSError, http.client.HTTPException, ValueError):
            pass

    def one_request(self, client, reader):
        first = reader.readline().decode()
        if not first.strip():
            return False
        method, path, _ = first.split(" ", 2)
        headers = http.client.parse_headers(reader)
        body = reader.read(int(headers.get("Content-Length") or 0))
        refused = self.refuses(method, path)
        fault = 404 if self.hides(path) else 500 if refused is True else refused or self.choose(method, path)
        self.requests.append((time.monotonic(), method, path))
        time.sleep(self.delay(method, path))
        if seconds := self.busy(method, path):
            return self.answer(client, 429, b'{"kind":"Status","code":429,"message":"busy"}', seconds)
        if fault:
            self.count(fault)
        if fault == "cut before":
            return False
        if isinstance(fault, int):
            return self.answer(client, fault, b'{"kind":"Status","code":%d,"message":"injected"}' % fault)
        server = http.client.HTTPSConnection("127.0.0.1", self.plane.port, context=self.upstream, timeout=700)
        try:
            server.request(method, path, body or None, {k: v for k, v in headers.items() if k.lower() != "host"})
            response = server.getresponse()
            if "watch=1" in path and response.status == 200:
                self.stream(client, response, fault, path)
                return False
            data = response.read()
        finally:
            server.close()
        if fault == "cut after":  # the request was carried out, but the answer is lost
            return False
        return self.answer(client, response.status, data, response.getheader("Retry-After"))

    def choose(self, method, path):
        if self.random.random() >= self.faults:
            return None
        if "watch=1" in path:
            return self.random.choice(["cut", "cut", "repeat", "slow", 410, 500, 503, 429])
        if method == "GET":
            return self.random.choice(["cut before", 500, 503, 429, 410])
        return self.random.choice(["cut before", "cut after", "cut after", 409, 429, 500, 503])

    @staticmethod
    def answer(client, status, data, retry_after=None):
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        if retry_after:
            head += f"Retry-After: {retry_after}\r\n"
        client.sendall(head.encode() + b"\r\n" + data)
        return True

    def stream(self, client, response, fault, path):
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        left = self.random.randrange(1, 30) if fault == "cut" else None
        while self.running:
            line = response.readline()
            if not line:
                client.sendall(b"0\r\n\r\n")
                return
            while self.running and self.mutes(path):
                time.sleep(0.1)
            if self.swallow(line):
                self.count("swallowed")
                continue
            for _ in range(2 if fault == "repeat" else 1):
                client.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            if fault == "slow":
                time.sleep(0.05)
            if left is not None:
                left -= 1
                if left == 0:
                    return  # in the middle of the stream
