"""What tcpdump wrote: TCP payloads by direction, and the TLS records in them."""
import collections
import socket
import struct

Direction = collections.namedtuple("Direction", "source source_port target target_port")


def packets(path):
    """The Ethernet frames of a file in pcap's first format."""
    data = path.read_bytes()
    order = "<" if data[:4] == b"\xd4\xc3\xb2\xa1" else ">"
    at = 24
    while at + 16 <= len(data):
        length = struct.unpack(order + "IIII", data[at:at + 16])[2]
        if at + 16 + length > len(data):
            return  # still being written
        yield data[at + 16:at + 16 + length]
        at += 16 + length


def payloads(path):
    """Direction -> the bytes that were sent, in order, without those sent twice."""
    segments = collections.defaultdict(dict)
    for frame in packets(path):
        if frame[12:14] != b"\x08\x00" or frame[23] != 6:  # IPv4, TCP
            continue
        header = (frame[14] & 15) * 4
        total = struct.unpack("!H", frame[16:18])[0]
        tcp = frame[14 + header:14 + total]
        source_port, target_port, sequence = struct.unpack("!HHI", tcp[:8])
        payload = tcp[(tcp[12] >> 4) * 4:]
        if payload:
            where = Direction(socket.inet_ntoa(frame[26:30]), source_port,
                              socket.inet_ntoa(frame[30:34]), target_port)
            known = segments[where].get(sequence, b"")
            segments[where][sequence] = max(known, payload, key=len)
    streams = {}
    for where, found in segments.items():
        first = min(found, key=lambda s: (s - next(iter(found)) + 2**31) % 2**32)
        stream = b""
        for sequence in sorted(found, key=lambda s: (s - first) % 2**32):
            start = (sequence - first) % 2**32
            stream = stream[:start] + found[sequence] + stream[start + len(found[sequence]):]
        streams[where] = stream
    return streams


def records(stream):
    """(type, length) of the TLS records of a stream."""
    found, at = [], 0
    while at + 5 <= len(stream):
        length = struct.unpack("!H", stream[at + 3:at + 5])[0]
        found.append((stream[at], length))
        at += 5 + length
    return found
