"""A client with little overhead, because it shares the machine with what is measured."""
import json
import socket
import ssl
import threading

from cluster import ADMIN_TOKEN


def raw(method, path, body=None):
    data = json.dumps(body).encode() if body else b""
    head = (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {ADMIN_TOKEN}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n")
    return head.encode() + data


class Creator:
    """One persistent connection. Requests are prepared in advance."""

    def __init__(self, plane):
        context = ssl.create_default_context(cafile=str(plane.directory / "ca.crt"))
        plain = socket.create_connection(("127.0.0.1", plane.port))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = context.wrap_socket(plain, server_hostname="127.0.0.1")

    def send(self, request):
        """The body of the answer."""
        self.connection.sendall(request)
        answer = bytearray()
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self.receive()
        head = bytes(answer[:end]).decode().lower()
        if not head.startswith("http/1.1 20"):
            raise AssertionError(f"a request failed: {answer.decode(errors='replace')[:500]}")
        if "chunked" in head:
            while not answer.endswith(b"\r\n0\r\n\r\n"):
                answer += self.receive()
            return answer[end + 4:]
        length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.startswith("content-length:"))
        while len(answer) < end + 4 + length:
            answer += self.receive()
        return answer[end + 4:]

    def receive(self):
        data = self.connection.recv(65536)
        if not data:
            raise AssertionError("the API server closed the connection")
        return data


def send_all(plane, requests, connections):
    """A function that sends them all, as fast as the API server accepts them, and returns the answers in any order."""
    creators = [Creator(plane) for _ in range(connections)]
    answers = []

    def send_share(creator, share):
        for request in share:
            answers.append(creator.send(request))

    def run():
        threads = [threading.Thread(target=send_share, args=(creator, requests[i::connections]))
                   for i, creator in enumerate(creators)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers
    return run
