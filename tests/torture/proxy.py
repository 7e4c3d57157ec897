"""A TCP proxy whose two sides can lose what passes between them, without a look into the TLS."""

import socket
import threading

PASS, DROP_REQUEST, DROP_RESPONSE, PARTITION = "pass", "drop_request", "drop_response", "partition"
GRACE_SECONDS = 0.02  # A dropped response: how long the server may go on before the line is cut.


class Proxy:
    """Listens on a port of its own for the whole of a sequence; `upstream` is a port, or None while
    the server is down. A connection that cannot be made is refused, or with `patient` held until it
    can be: the caller then has no failed attempt to back off from."""

    def __init__(self, patient):
        self.patient = patient
        self.mode = PASS
        self.upstream = None
        self.open = True
        self.pairs = set()
        self.dropped = False  # anything since the mode was set
        self.changed = threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def address(self):
        return f"127.0.0.1:{self.port}"

    def set_upstream(self, port):
        with self.changed:
            self.upstream = port
            self.changed.notify_all()

    def set_mode(self, mode):
        """Connections that are there live on, unless the lines are cut or mended."""
        with self.changed:
            mended = self.mode == PARTITION or mode == PARTITION
            self.mode = mode
            self.dropped = False
            self.changed.notify_all()
        if mended:
            self.cut()

    def wait_dropped(self, seconds):
        """Until something was dropped, or that time is over."""
        with self.changed:
            self.changed.wait_for(lambda: self.dropped, seconds)

    def cut(self):
        """Ends every connection."""
        with self.changed:
            pairs = list(self.pairs)
        for pair in pairs:
            self._end(pair)

    def close(self):
        with self.changed:
            self.open = False
            self.changed.notify_all()
        for how in (self.listener.shutdown, lambda _: self.listener.close()):
            try:
                how(socket.SHUT_RDWR)
            except OSError:
                pass
        self.cut()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _reachable(self):
        return self.upstream is not None and self.mode == PASS

    def _connect(self):
        dead = None  # a port that nobody listens on any more
        while True:
            with self.changed:
                while self.patient and self.open and not (
                        self._reachable() and self.upstream != dead):
                    self.changed.wait()
                port = self.upstream if self._reachable() and self.open else None
            if port is None:
                return None
            try:
                return socket.create_connection(("127.0.0.1", port))
            except OSError:
                if not self.patient:
                    return None
                dead = port

    def _serve(self, client):
        server = self._connect()
        if server is None:
            client.close()
            return
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        pair = (client, server)
        with self.changed:
            self.pairs.add(pair)
        back = threading.Thread(target=self._pump, args=(pair, server, client, DROP_RESPONSE),
                                daemon=True)
        back.start()
        self._pump(pair, client, server, DROP_REQUEST)

    def _pump(self, pair, source, target, dropped_by):
        try:
            while data := source.recv(1 << 16):
                if self.mode == dropped_by:
                    with self.changed:
                        if dropped_by == DROP_RESPONSE:
                            self.changed.wait_for(lambda: not self.open, GRACE_SECONDS)
                        self.dropped = True
                        self.changed.notify_all()
                    break
                target.sendall(data)
        except OSError:
            pass
        self._end(pair)

    def _end(self, pair):
        with self.changed:
            self.pairs.discard(pair)
        for end in pair:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
