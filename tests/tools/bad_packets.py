#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sends packets that a device must count and drop.

usage: bad_packets.py DESTINATION KIND [COUNT] [--bind ADDRESS] [--sniff NETDEV]

Kinds that need no connection: short truncated version type unknown reset connect checksum
datagram noise. Kinds that take a packet of a live connection from NETDEV and send it again
with one field changed: psn path opcode address again.
"""
import argparse
import random
import socket
import struct

PORT = 4795
CONNECT, ACCEPT, RESET, DATA, ACK, NAK, PROBE, DATAGRAM = range(1, 9)
SO_NO_CHECK = 11
HEADER = struct.Struct('!4B 9I Q 2I B 7x')  # struct mroce_data_hdr


def data_header(version=0, ptype=DATA, path=0, opcode=4, conn=0x12345678, psn=1):
    """A DATA header as good as one can be that belongs to no connection."""
    return HEADER.pack(version << 4 | ptype, 0, path, opcode, conn, psn, 0, 17, 1, 0, 64, 0, 0, 0, 0, 0, 0)


def packets(kind):
    """One round of a kind that needs no connection."""
    if kind == 'short':
        return [b'\x04'[:n] + bytes(max(0, n - 1)) for n in range(1, 4)]
    if kind == 'truncated':
        return [bytes([t]) + bytes(7) for t in (CONNECT, ACCEPT, RESET, DATA, ACK, PROBE, DATAGRAM)]
    if kind == 'version':
        return [data_header(version=v) for v in range(1, 16)]
    if kind == 'type':
        return [data_header(ptype=t) for t in (0, *range(9, 16))]
    if kind == 'unknown':
        return [data_header(conn=random.getrandbits(32)) + bytes(64),
                struct.pack('!4BIHHI', ACK, 0, 0, 0, random.getrandbits(32), 0, 0, 0),
                struct.pack('!4BIBBBBI', NAK, 0, 1, 0, random.getrandbits(32), 0, 1, 0, 0, 1),
                struct.pack('!4BIII', PROBE, 0, 0, 0, random.getrandbits(32), 1, 0)]
    if kind == 'reset':
        return [struct.pack('!4BIII', RESET, 0, 0, 0, random.getrandbits(32), 1, 0)]
    if kind == 'connect':  # no paths, no payload, no windows
        return [struct.pack('!4B3I4Q3H2x8x', CONNECT, 0, 0, 0, 0, 7, 0, 1, 2, 0, 0, 0, 0, 0)]
    if kind == 'checksum':
        return [data_header() + bytes(64)]
    if kind == 'datagram':
        return [struct.pack('!BBHIIII12x', DATAGRAM, 0, 0xffff, 0xfffff0, 17, 0x11111111, 0) + bytes(32)]
    if kind == 'noise':
        return [random.randbytes(random.randrange(1, 200)) for _ in range(100)]
    raise SystemExit(f'no such kind: {kind}')


def live_packet(netdev):
    """The next DATA packet that leaves by a netdev, as UDP payload."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3)) as sniffer:
        sniffer.bind((netdev, 0x0003))
        sniffer.settimeout(20)
        while True:
            frame = sniffer.recv(65535)
            head = 4 * (frame[0] & 15)
            if frame[0] >> 4 != 4 or frame[9] != 17:
                continue
            if struct.unpack_from('!H', frame, head + 2)[0] == PORT and frame[head + 8] == DATA:
                return frame[head + 8:]


def changed(kind, packet):
    """That packet, with what makes it wrong."""
    fields = list(HEADER.unpack_from(packet))
    payload = packet[HEADER.size:]
    if kind == 'psn':
        fields[5] = (fields[5] + 0x01000000) & 0xffffffff
    elif kind == 'path':
        fields[2] = 127
    elif kind == 'opcode':
        fields[3] = 99
    elif kind not in ('address', 'again'):
        raise SystemExit(f'no such kind: {kind}')
    return [HEADER.pack(*fields) + payload]


def main():
    args = argparse.ArgumentParser(usage=__doc__)
    args.add_argument('dest')
    args.add_argument('kind')
    args.add_argument('count', nargs='?', type=int, default=1)
    args.add_argument('--bind')
    args.add_argument('--sniff')
    args.add_argument('--seed', type=int, default=1)
    opt = args.parse_args()
    random.seed(opt.seed)

    family = socket.AF_INET6 if ':' in opt.dest else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as sock:
        if opt.bind:
            sock.bind((opt.bind, 0))
        if opt.kind == 'checksum':
            sock.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, 1)
        sent = 0
        seen = live_packet(opt.sniff) if opt.sniff else None
        for _ in range(opt.count):
            batch = changed(opt.kind, seen) if seen else packets(opt.kind)
            for packet in batch:
                try:
                    sock.sendto(packet, (opt.dest, PORT))
                except ConnectionRefusedError:  # an ICMP for an earlier one
                    continue
                sent += 1
    print(sent)


main()
