"""A device's own address on loopback: bytes go on to a server from the address that was chosen."""
import socket
import threading


class Relay:
    """Listens on 127.0.0.1 and connects onwards, once for each connection, from `source` and a port
    that is not among `avoid`."""

    def __init__(self, source, target, avoid=()):
        self.source, self.target, self.avoid = source, target, avoid
        self.ports = []  # Of the connections onwards.
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.accepting = threading.Thread(target=self.accept, daemon=True)
        self.accepting.start()

    def accept(self):
        while True:
            try:
                inner, _ = self.listener.accept()
            except OSError:
                return
            try:
                outer = self.connect()
            except OSError:
                inner.close()
                continue
            self.ports.append(outer.getsockname()[1])
            self.sockets += [inner, outer]
            for here, there in ((inner, outer), (outer, inner)):
                threading.Thread(target=self.pump, args=(here, there), daemon=True).start()

    def connect(self):
        while True:
            outer = socket.create_connection(self.target, source_address=(self.source, 0))
            if outer.getsockname()[1] not in self.avoid:
                return outer
            outer.close()

    @staticmethod
    def pump(here, there):
        try:
            while data := here.recv(65536):
                there.sendall(data)
        except OSError:
            pass
        for end in (here, there):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for end in self.sockets:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
