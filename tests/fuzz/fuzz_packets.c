// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A libFuzzer target: two hosts with live connections, whose input decides what they post, how time passes, and what
 * becomes of their packets: lost, doubled, cut, with bits changed, or replaced by inventions under a true connection
 * id. Whatever comes, the core must not touch wrong memory, lose track of its own, stop a timer loop, or contradict
 * itself; the world checks that. What forged packets say is believed where the protocol has to, so the bytes
 * delivered are not judged here.
 *
 * The input is a sequence of steps: one byte says what, the following ones say how (see step()).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "world.h"

#define QPS		2	/* pairs */
#define MAX_STEPS	200
#define MAX_RAW		600

void check_failed(const char *file, int line, const char *what, u64 a, u64 b)
{
	fprintf(stderr, "%s:%d: %s (%lld, %lld)\n", file, line, what, (s64)a, (s64)b);
	abort();
}

struct input {
	const u8 *at;
	size_t left;
};

struct arena {
	struct world *w;
	struct wqp *q[QPS][2];
	struct wmr *mr[2];
	struct input in;
};

static u8 byte(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static u32 word(struct input *in)
{
	u32 hi = byte(in);

	return hi << 8 | byte(in);
}

static void post(struct arena *x)
{
	u8 how = byte(&x->in), end = how & 1;
	struct wqp *qp = x->q[how >> 1 & 1][end];
	struct wmr *mr = x->mr[!end];
	u32 len = word(&x->in) % 2000, off = byte(&x->in) * 8;
	struct wmsg *m;

	if (qp->state < QP_RTR || qp->posted - qp->completed > 40)
		return;
	m = wmsg_new(qp, how >> 2 & 7, len, byte(&x->in) & 0xf);
	m->expect = W_ANY;
	if (m->m.kind > MROCE_MSG_LOCAL)
		m->m.kind = MROCE_MSG_SEND;
	if (m->m.kind != MROCE_MSG_SEND)
		m->m.flags &= ~MROCE_MSG_F_INV;
	if (m->m.kind == MROCE_MSG_CMP_SWAP || m->m.kind == MROCE_MSG_FETCH_ADD)
		m->m.len = 8;
	if (m->m.kind == MROCE_MSG_LOCAL)
		m->m.len = 0;
	if (m->m.kind == MROCE_MSG_READ && !m->buf) {
		m->buf = os_alloc(len + 1);
		m->cnt = os_alloc(len + 1);
	}
	m->m.rkey = mr->rkey ^ (how >> 5 == 7);
	m->m.raddr = mr->addr + off;
	m->mr = mr;
	wmsg_post(m);
}

static struct wpkt *pick(struct arena *x, u32 *index)
{
	if (!x->w->heap_n)
		return NULL;
	*index = byte(&x->in) % x->w->heap_n;
	return x->w->heap[*index];
}

/* A packet under way becomes @len bytes long: what it grows by comes from the input. */
static struct wpkt *resized(struct arena *x, const struct wpkt *pkt, u32 len)
{
	struct wpkt *p = wpkt_new(len);
	u32 i;

	memcpy(p, pkt, sizeof(*p) + min(len, pkt->len));
	p->len = len;
	p->stored = len;
	for (i = pkt->len; i < len; i++)
		p->data[i] = byte(&x->in);
	return p;
}

static void change(struct wpkt *pkt, struct input *in)
{
	static const u8 edge[] = { 0x00, 0x01, 0x7f, 0x80, 0xff, 0xfe, 0x10, 0x40 };
	u8 n = byte(in) % 4 + 1;

	while (n--) {
		u32 at = byte(in) % (pkt->len < 128 ? pkt->len : 128);
		u8 how = byte(in);

		if (how & 1)
			pkt->data[at] ^= 1 << (how >> 1 & 7);
		else if (how & 2)
			pkt->data[at] = edge[how >> 2 & 7];
		else
			pkt->data[at] += how >> 2;
	}
}

/* Change a packet, or a copy of it. */
static void mutate(struct arena *x, bool copy)
{
	struct wpkt *pkt, *p;
	u32 i, len;
	u8 how;

	pkt = pick(x, &i);
	if (!pkt || !pkt->len)
		return;
	how = byte(&x->in);
	len = pkt->len;
	if (how & 0x80)
		len = how & 0x40 ? word(&x->in) % (len + 1) : len + (how & 0x3f);
	if (!len)
		return;
	p = resized(x, pkt, len);
	change(p, &x->in);
	if (copy) {
		world_inject(x->w, p, x->w->now + (how & 0x3f) * US);
		return;
	}
	x->w->heap[i] = p;
	wpkt_free(pkt);
}

/* Bytes of the input as a packet, with the id of a live connection so that it gets somewhere. */
static void invent(struct arena *x)
{
	u8 how = byte(&x->in), to = how & 1;
	u32 len = word(&x->in) % MAX_RAW + 1, i, path = 0;
	struct whost *h = &x->w->host[to];
	struct wpkt *pkt = wpkt_new(len);
	struct mroce_conn *conn = NULL;
	__be32 v;

	for (i = 0; i < len; i++)
		pkt->data[i] = byte(&x->in);
	for (i = 0; i < WORLD_CONNS; i++)
		if (h->conns[i])
			conn = h->conns[i];
	if (how & 2)
		pkt->data[0] = MROCE_VER_TYPE((how >> 4) % 10);
	if (how & 4 && conn && len >= 16) {
		v = cpu_to_be32((pkt->data[0] & 0xf) == MROCE_PT_RESET ? conn->tx_id : conn->rx_id);
		memcpy(pkt->data + 4, &v, 4);
		if (how & 8 && conn->npaths) {
			/* A PSN in the window, so that it is not dropped at the door. */
			path = pkt->data[2] % conn->npaths;
			pkt->data[2] = path;
			v = cpu_to_be32(conn->paths[path]->rx.cum + (pkt->data[11] & 0x1f));
			memcpy(pkt->data + 8, &v, 4);
		}
	}
	if (how & 8 && len >= 24) {
		struct wqp *qp = x->q[how >> 7][to];

		v = cpu_to_be32(qp->qpn);
		memcpy(pkt->data + 16, &v, 4);
		v = cpu_to_be32(qp->s.rx_tag);
		memcpy(pkt->data + 20, &v, 4);
	}
	if (how & 8 && len >= 52) {
		__be64 addr = cpu_to_be64(x->mr[to]->addr + pkt->data[47]);

		v = cpu_to_be32(x->mr[to]->rkey);
		memcpy(pkt->data + 40, &addr, 8);
		memcpy(pkt->data + 48, &v, 4);
	}
	pkt->from = !to;
	pkt->to = to;
	pkt->route = (struct mroce_route){ .ifindex = 1, .sport = 50000 };
	world_inject(x->w, pkt, x->w->now);
}

static void lose(struct arena *x)
{
	u32 i;
	struct wpkt *pkt = pick(x, &i);

	/* Its place in the heap stays: an empty datagram is dropped on arrival. */
	if (pkt)
		pkt->len = 0;
}

static void twice(struct arena *x)
{
	u32 i;
	struct wpkt *pkt = pick(x, &i);

	if (pkt)
		world_inject(x->w, wpkt_copy(pkt), pkt->at + byte(&x->in) * US);
}

static void upset(struct arena *x)
{
	u8 how = byte(&x->in);
	struct wqp *qp = x->q[how & 1][how >> 1 & 1];

	switch (how >> 2 & 7) {
	case 0:
		qp_err(qp);
		break;
	case 1:
		qp_reset(qp);
		break;
	case 2:
		if (qp->state == QP_RESET) {
			qp_init(qp);
			qp_rtr(qp, &x->w->host[!(how >> 1 & 1)], x->q[how & 1][!(how >> 1 & 1)]->qpn, NULL);
			if (qp->state == QP_RTR)
				qp_rts(qp);
		}
		break;
	case 3:
		mr_kill(x->mr[how >> 1 & 1]);
		break;
	case 4:
		x->w->host[how & 1].alloc_fail = (how >> 5) * 100000;
		break;
	case 5:
		if (qp->state == QP_RTS)
			qp_sqd(qp);
		else if (qp->state == QP_SQD)
			qp_rts(qp);
		break;
	}
}

static void step(struct arena *x)
{
	u8 what = byte(&x->in);
	u32 n;

	switch (what & 7) {
	case 0:
		post(x);
		break;
	case 1: {
		struct wqp *qp = x->q[what >> 3 & 1][what >> 4 & 1];

		if (qp->state >= QP_INIT && qp->nrecvs < 64)
			post_recv(qp, word(&x->in) % 2000);
		break;
	}
	case 2:
		world_run(x->w, (what >> 3) * US);
		break;
	case 3:
		mutate(x, false);
		break;
	case 4:
		mutate(x, true);
		break;
	case 5:
		invent(x);
		break;
	case 6:
		if (what & 8)
			lose(x);
		else
			twice(x);
		break;
	case 7:
		if (what >> 3 == 31)
			upset(x);
		else
			for (n = what >> 3; n && world_step(x->w, x->w->now + 100 * US); n--)
				;
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct arena x = { .in = { data, size } };
	u8 cfg = byte(&x.in);
	struct world_cfg c = {
		.npaths = 1 + (cfg & 3),
		.payload = 128 << (cfg >> 2 & 1),
		.held_cap = cfg & 8 ? 1 : 1 << 20,
	};
	u32 i, k;

	x.w = world_new(&c, cfg);
	x.w->lax = true;
	for (i = 0; i < QPS; i++) {
		qp_pair(x.w, 0, 1, &x.q[i][0], &x.q[i][1]);
		for (k = 0; k < 2; k++) {
			x.q[i][k]->allow_fail = true;
			x.q[i][k]->rnr_timer = 16;	/* 2.56 ms: no time is lost on waiting */
			x.q[i][k]->remote = NULL;
		}
	}
	for (k = 0; k < 2; k++)
		x.mr[k] = mr_new(&x.w->host[k], 4096, MROCE_ACC_WRITE | MROCE_ACC_READ | MROCE_ACC_ATOMIC, cfg & 16);
	if (cfg & 32)
		world_run(x.w, MS);
	for (i = 0; i < MAX_STEPS && x.in.left; i++)
		step(&x);
	x.w->host[0].alloc_fail = 0;
	x.w->host[1].alloc_fail = 0;
	/* Bounded work: a loop of packets or timers without end would be found here. */
	k = x.w->steps;
	world_run(x.w, 20 * MS);
	CHECK_LE(x.w->steps - k, 200000);
	world_end(x.w);
	return 0;
}
