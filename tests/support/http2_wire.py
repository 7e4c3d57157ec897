"""HTTP/2 by hand, for callers that do what no library of gRPC's would: calls whose body never comes,
answers that nobody reads, settings that are never agreed to.
"""
import collections
import select
import socket
import ssl
import struct
import threading

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    0, 1, 3, 4, 6, 7, 8, 9)
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE = 4


def frame(kind, flags, stream, payload=b""):
    return (len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big")
            + payload)


def literal(name, value):
    """A header field of HPACK, without table and without Huffman: both shorter than 127 bytes."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def call_headers(path, *further):
    fields = [(b":method", b"POST"), (b":scheme", b"https"), (b":path", path.encode()),
              (b":authority", b"localhost"), (b"te", b"trailers"),
              (b"content-type", b"application/grpc"), *further]
    return b"".join(literal(name, value) for name, value in fields)


def message(body, compressed=False):
    """As gRPC frames it."""
    return struct.pack(">BI", int(compressed), len(body)) + body


def connect_tls(address, roots, certificate=None):
    """A TLS socket that has agreed on HTTP/2. `roots`: PEM bytes; `certificate`: paths of a PEM file
    and its key."""
    host, port = address.rsplit(":", 1)
    context = ssl.create_default_context(cadata=roots.decode())
    context.set_alpn_protocols(["h2"])
    if certificate:
        context.load_cert_chain(*certificate)
    return context.wrap_socket(socket.create_connection((host, int(port)), timeout=30),
                               server_hostname="localhost")


class Connection:
    """One connection that starts calls and leaves them. A thread reads what the server says, so that
    its pings are answered, and counts it: `seen[kind]` are the streams of the frames of a kind."""

    def __init__(self, address, roots, certificate=None, window=65535, agree=True):
        """`window`: bytes of an answer that the server may send; 0: none. `agree`: whether the
        server's settings are acknowledged; until they are, it cannot hold the peer to them."""
        self.tls = connect_tls(address, roots, certificate)
        self.tls.setblocking(False)
        self.using = threading.Lock()  # one for both directions: OpenSSL has none
        self.sending = threading.Lock()
        self.replies = collections.deque()
        self.agree = agree
        self.next_stream = 1
        self.changed = threading.Condition()
        self.seen = collections.defaultdict(list)
        self.closed = False
        self.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                  + frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, window)))
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def send(self, data):
        """Whole frames, in the order of the calls. Reading goes on meanwhile: a server that cannot
        write reads nothing either."""
        with self.sending:
            self.write(data)
            while self.replies:
                self.write(self.replies.popleft())

    def reply(self, data):
        """From the thread that reads, which must not wait: at once, or after what is being sent."""
        self.replies.append(data)
        while self.replies and self.sending.acquire(blocking=False):
            try:
                while self.replies:
                    self.write(self.replies.popleft())
            finally:
                self.sending.release()

    def write(self, data):
        rest = memoryview(data)
        while rest:
            try:
                with self.using:
                    rest = rest[self.tls.send(rest):]
            except ssl.SSLWantWriteError:
                if not select.select([], [self.tls], [], 30)[1]:
                    raise OSError("the server takes nothing") from None

    def start(self, path, body=None, end=True):
        """Begins a call; with a body, the bytes that follow its headers. Its stream."""
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        data = frame(HEADERS, END_HEADERS, stream, call_headers(path))
        if body is not None:
            data += frame(DATA, END_STREAM if end else 0, stream, body)
        self.send(data)
        return stream

    def read(self):
        try:
            while True:
                head = self.exactly(9)
                size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                payload = self.exactly(size)
                if kind == PING and not flags & ACK:
                    self.reply(frame(PING, ACK, 0, payload))
                if kind == SETTINGS and not flags & ACK and self.agree:
                    self.reply(frame(SETTINGS, ACK, 0))
                with self.changed:
                    self.seen[kind].append(int.from_bytes(head[5:], "big"))
                    self.changed.notify_all()
        except (OSError, ValueError):
            with self.changed:
                self.closed = True
                self.changed.notify_all()

    def exactly(self, size):
        data = b""
        while len(data) < size:
            try:
                with self.using:
                    more = self.tls.recv(size - len(data))
            except ssl.SSLWantReadError:
                select.select([self.tls], [], [])
                continue
            if not more:
                raise OSError("closed")
            data += more
        return data

    def wait_for(self, kind, number, seconds=60):
        """Until so many frames of a kind have come, or the connection is closed; how many there are."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.seen[kind]) >= number or self.closed, seconds)
            return len(self.seen[kind])

    def close(self):
        try:
            self.tls.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.reader.join()
        self.tls.close()
