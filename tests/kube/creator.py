"""A client that does nothing but create objects and costs little: it shares the machine with what is measured."""
import json
import socket
import ssl

from cluster import ADMIN_TOKEN


class Creator:
    """One kept connection. Requests are made beforehand; of the answers only the status is looked at."""

    def __init__(self, plane):
        context = ssl.create_default_context(cafile=str(plane.directory / "ca.crt"))
        plain = socket.create_connection(("127.0.0.1", plane.port))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = context.wrap_socket(plain, server_hostname="127.0.0.1")

    @staticmethod
    def request(path, body):
        data = json.dumps(body).encode()
        head = (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {ADMIN_TOKEN}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n")
        return head.encode() + data

    def send_all(self, requests):
        for request in requests:
            self.connection.sendall(request)
            self.take_answer()

    def take_answer(self):
        answer = bytearray()
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self.receive()
        head = bytes(answer[:end]).decode()
        if not head.startswith("HTTP/1.1 201"):
            raise AssertionError(f"a create failed: {answer.decode(errors='replace')[:500]}")
        length = next(int(line.split(":")[1]) for line in head.split("\r\n")
                      if line.lower().startswith("content-length:"))
        left = end + 4 + length - len(answer)
        while left > 0:
            left -= len(self.receive())

    def receive(self):
        data = self.connection.recv(65536)
        if not data:
            raise AssertionError("the API server closed the connection")
        return data
