"""Ports of this machine that nobody has now."""
import os
import socket


def free_port():
    """One of them."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def free_ports(count):
    """The first of so many ports in a row that nobody has now."""
    for base in range(20000 + os.getpid() % 20000, 60000, count):
        probes = []
        try:
            for port in range(base, base + count):
                probes.append(socket.socket())
                probes[-1].bind(("127.0.0.1", port))
            return base
        except OSError:
            continue
        finally:
            for probe in probes:
                probe.close()
    raise RuntimeError("no free ports")
