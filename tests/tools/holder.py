#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Holds a device's objects while somebody deletes the device; usage: holder.py DEVICE

Prints 'ready', waits for SIGUSR1, and then expects that every call fails, that the mapped
rings can still be read, and that all can be closed.
"""
import signal
import sys

from pyverbs.cq import CQ, CompChannel
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPCap, QPInitAttr
import pyverbs.enums as e


def fails(what, call):
    """True if the call raises, which is what is wanted."""
    try:
        call()
    except PyverbsError as err:
        print(f'{what}: {err}')
        return True
    print(f'{what}: succeeded on a device that is gone')
    return False


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    ctx = Context(name=sys.argv[1])
    pd = PD(ctx)
    mr = MR(pd, 1 << 20, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE)
    channel = CompChannel(ctx)
    cq = CQ(ctx, 100, None, channel, 0)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(10, 10, 1, 1)))
    print('ready', flush=True)
    signal.sigwait([signal.SIGUSR1])
    fine = [
        fails('query_device', ctx.query_device),
        fails('PD', lambda: PD(ctx)),
        fails('MR', lambda: MR(pd, 4096, e.IBV_ACCESS_LOCAL_WRITE)),
        fails('query_qp', lambda: qp.query(e.IBV_QP_STATE)),
    ]
    try:  # may answer "nothing" or an error, but must not crash
        cq.poll(1)
    except PyverbsError as err:
        print(f'poll: {err}')
    for obj in (qp, cq, channel, mr, pd, ctx):
        try:
            obj.close()
        except PyverbsError as err:
            print(f'close: {err}')
    sys.exit(0 if all(fine) else 1)


main()
