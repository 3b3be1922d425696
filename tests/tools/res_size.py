#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Prints how many bytes of a message of rdma netlink each QP's driver attributes take.

A line for each QP of a device: QPN and bytes. The names and numbers are of
<rdma/rdma_netlink.h>.

usage: res_size.py DEVICE
"""
import socket
import struct
import sys

NETLINK_RDMA = 20
NLM_F_REQUEST_DUMP = 0x301
NLMSG_ERROR, NLMSG_DONE = 2, 3
RDMA_NL_NLDEV = 5
CMD_GET, CMD_RES_QP_GET = 1, 10
ATTR_DEV_INDEX, ATTR_DEV_NAME = 1, 2
ATTR_RES_QP, ATTR_RES_QP_ENTRY, ATTR_RES_LQPN = 19, 20, 21
ATTR_DRIVER = 52


def attrs(data):
    """The (type, payload) pairs in a run of attributes."""
    while len(data) >= 4:
        size, kind = struct.unpack_from("HH", data)
        yield kind & 0x3FFF, data[4:size]
        data = data[(size + 3) & ~3:]


def dump(sock, cmd, payload=b""):
    """All messages that answer a dump request."""
    kind = RDMA_NL_NLDEV << 10 | cmd
    sock.send(struct.pack("IHHII", 16 + len(payload), kind, NLM_F_REQUEST_DUMP, 1, 0) + payload)
    while True:
        data = sock.recv(65536)
        while data:
            size, kind = struct.unpack_from("IH", data)
            if kind == NLMSG_DONE:
                return
            if kind == NLMSG_ERROR:
                raise OSError(-struct.unpack_from("i", data, 16)[0], "netlink")
            yield dict(attrs(data[16:size]))
            data = data[(size + 3) & ~3:]


def main():
    name = sys.argv[1].encode() + b"\0"
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_RDMA)
    sock.bind((0, 0))
    index = next(d[ATTR_DEV_INDEX] for d in list(dump(sock, CMD_GET)) if d[ATTR_DEV_NAME] == name)
    ask = struct.pack("HH", 8, ATTR_DEV_INDEX) + index
    for message in dump(sock, CMD_RES_QP_GET, ask):
        for _, entry in attrs(message[ATTR_RES_QP]):
            qp = dict(attrs(entry))
            print(struct.unpack("I", qp[ATTR_RES_LQPN])[0], 4 + len(qp.get(ATTR_DRIVER, b"")))


main()
