// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the transport core that run in the kernel (suite.c) and in user space (tests/unit)
 * alike: one for each thing that the core is for. The world checks bytes and completions.
 */
#include "world.h"

static bool opened(const struct wqp *a, const struct wqp *b)
{
	return a->s.opened && b->s.opened;
}

static struct world *pair(const struct world_cfg *cfg, struct wqp **a, struct wqp **b)
{
	struct world *w = world_new(cfg, 42);

	qp_pair(w, 0, 1, a, b);
	world_until(w, opened(*a, *b), 5 * SEC);
	return w;
}

static void core__send_arrives(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(NULL, &a, &b);

	post_recvs(b, 4, 4096);
	post_send(a, 0, 0);
	post_send(a, 1, MROCE_MSG_F_IMM);
	post_send(a, 1000, MROCE_MSG_F_SOLICITED);
	post_send(a, 4096, 0);
	world_settle(w, 100 * MS);
	CHECK_EQ(b->received, 4);
	world_end(w);
}

static void core__write_arrives(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(NULL, &a, &b);
	struct wmr *mr = mr_new(b->h, 5000, MROCE_ACC_WRITE, false);

	mr->ascending = true;
	post_recvs(b, 1, 0);
	post_write(a, mr, 0, 4000, 0);
	post_write(a, mr, 4000, 1000, MROCE_MSG_F_IMM);
	world_settle(w, 100 * MS);
	CHECK_EQ(b->received, 1);
	CHECK_EQ(mr->high, 5000);
	world_end(w);
}

static void core__read_arrives(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(NULL, &a, &b);
	struct wmr *mr = mr_new(b->h, 5000, MROCE_ACC_READ, false);

	mr_fill(mr, mr->rkey);
	post_read(a, mr, 0, 5000, 0);
	post_read(a, mr, 7, 0, 0);
	post_read(a, mr, 4999, 1, MROCE_MSG_F_FENCE);
	world_settle(w, 100 * MS);
	CHECK_EQ(a->ok, 3);
	world_end(w);
}

static void core__atomics_count(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(&(struct world_cfg){ .link = { .loss = 50000, .dup = 200000 } },
			       &a, &b);
	struct wmr *mr = mr_new(b->h, 8, MROCE_ACC_ATOMIC, false);
	struct wmsg *m = NULL;
	u64 v;
	u32 i;

	for (i = 0; i < 50; i++)
		m = post_atomic(a, MROCE_MSG_FETCH_ADD, mr, 0, 2, 0);
	world_settle(w, SEC);
	memcpy(&v, mr->buf, 8);
	CHECK_EQ(v, 100);
	CHECK_EQ(m->old, 98);
	m = post_atomic(a, MROCE_MSG_CMP_SWAP, mr, 0, 1, 100);
	world_settle(w, SEC);
	memcpy(&v, mr->buf, 8);
	CHECK_EQ(m->old, 100);
	CHECK_EQ(v, 1);
	world_end(w);
}

/* Both ways, all kinds, over links as @link says; returns how long it took. */
static u64 mixed(const struct wlink *link, u32 n)
{
	struct world_cfg cfg = { .npaths = 8, .spines = 2, .link = *link };
	struct wqp *q[2];
	struct world *w = pair(&cfg, &q[0], &q[1]);
	struct wmr *wmr[2], *rmr[2];
	u64 took;
	u32 i, k;

	for (k = 0; k < 2; k++) {
		wmr[k] = mr_new(q[k]->h, n * 700, MROCE_ACC_WRITE, k);
		wmr[k]->ascending = !k;
		rmr[k] = mr_new(q[k]->h, 4096, MROCE_ACC_READ, false);
		mr_fill(rmr[k], rmr[k]->rkey);
		post_recvs(q[k], 2 * n, 1500);
	}
	for (i = 0; i < n; i++) {
		for (k = 0; k < 2; k++) {
			post_send(q[k], i * 37 % 1500, MROCE_MSG_F_IMM);
			post_write(q[k], wmr[!k], i * 700, 700, i & 1 ? MROCE_MSG_F_IMM : 0);
			post_read(q[k], rmr[!k], i, 2000, 0);
		}
	}
	took = world_settle(w, 10 * SEC);
	for (k = 0; k < 2; k++) {
		CHECK_EQ(q[k]->ok, 3 * n);
		CHECK_EQ(q[k]->received, n + n / 2);
	}
	world_end(w);
	return took;
}

static void core__mixed_clean(struct kunit *test)
{
	mixed(&(struct wlink){ .delay = 5 * US }, 30);
}

static void core__mixed_loss(struct kunit *test)
{
	CHECK_LE(mixed(&(struct wlink){ .delay = 5 * US, .loss = 10000 }, 30), 20 * MS);
	mixed(&(struct wlink){ .delay = 5 * US, .loss = 100000 }, 30);
}

static void core__mixed_reorder(struct kunit *test)
{
	struct wlink l = {
		.delay = 5 * US, .reorder = 300000, .reorder_by = 60 * US, .dup = 50000,
	};

	mixed(&l, 30);
}

static void core__mixed_bursts(struct kunit *test)
{
	struct wlink l = {
		.delay = 5 * US, .burst_enter = 10000, .burst_exit = 50000, .burst_loss = 700000,
	};

	mixed(&l, 30);
}

static void core__mixed_queues_and_marks(struct kunit *test)
{
	struct wlink l = {
		.delay = 5 * US, .ns_per_kb = 800, .ecn_bytes = 8000, .queue_bytes = 30000,
	};

	mixed(&l, 30);
}

static void core__receiver_not_ready(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(NULL, &a, &b);
	u32 i;

	for (i = 0; i < 10; i++)
		post_send(a, 1000, 0);
	for (i = 0; i < 10; i++) {
		world_run(w, MS);
		CHECK_EQ(b->received, i);
		post_recvs(b, 1, 1000);
	}
	world_settle(w, 100 * MS);
	CHECK_GE(host_stat(b->h, MROCE_CNT_REFUSE_RNR), 1);
	world_end(w);
}

static void core__remote_access_error(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(NULL, &a, &b);
	struct wmr *mr = mr_new(b->h, 100, MROCE_ACC_READ, false);
	struct wmsg *m;

	a->allow_fail = true;
	b->allow_fail = true;
	m = wmsg_new(a, MROCE_MSG_WRITE, 10, 0);
	m->m.rkey = mr->rkey;
	m->m.raddr = mr->addr;
	m->expect = MROCE_ST_REM_ACCESS;
	wmsg_post(m);
	m = wmsg_new(a, MROCE_MSG_SEND, 10, 0);
	m->expect = MROCE_ST_FLUSH;
	wmsg_post(m);
	world_settle(w, 100 * MS);
	CHECK_EQ(a->why, MROCE_FAIL_SEND);
	CHECK_EQ(b->why, MROCE_FAIL_ACCESS);
	world_end(w);
}

static void core__peer_gone(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(NULL, &a, &b);
	struct wmsg *m;

	a->allow_fail = true;
	links_black(w, -1, -1, true);
	m = post_send(a, 10, 0);
	m->expect = MROCE_ST_RETRY_EXC;
	CHECK_LE(world_settle(w, 10 * SEC), 700 * MS);
	CHECK_EQ(a->state, QP_ERR);
	world_end(w);
}

static void core__peer_restarts(struct kunit *test)
{
	struct wqp *a, *b, *c, *d;
	struct world *w = pair(NULL, &a, &b);
	struct wmsg *m;

	a->allow_fail = true;
	host_restart(b->h);
	m = post_send(a, 10, 0);
	m->expect = MROCE_ST_RETRY_EXC;
	world_settle(w, SEC);
	CHECK_EQ(a->why, MROCE_FAIL_PEER_LOST);
	qp_pair(w, 0, 1, &c, &d);
	post_recvs(d, 1, 10);
	post_send(c, 10, 0);
	world_settle(w, SEC);
	world_end(w);
}

static void core__queue_pair_to_itself(struct kunit *test)
{
	struct world *w = world_new(NULL, 42);
	struct wqp *a = qp_new(&w->host[0]);

	qp_connect(a, a);
	post_recvs(a, 5, 1000);
	while (a->posted < 5)
		post_send(a, 1000, 0);
	world_settle(w, SEC);
	CHECK_EQ(a->received, 5);
	world_end(w);
}

static void core__shared_receive_queue(struct kunit *test)
{
	struct world *w = world_new(&(struct world_cfg){
		.link = { .loss = 50000, .reorder = 200000, .reorder_by = 50 * US } }, 42);
	struct wsrq *srq = srq_new(w);
	struct wqp *q[3][2];
	u32 i, k;

	for (k = 0; k < 3; k++) {
		q[k][0] = qp_new(&w->host[0]);
		q[k][1] = qp_new(&w->host[1]);
		qp_srq(q[k][1], srq);
		qp_connect(q[k][0], q[k][1]);
	}
	for (i = 0; i < 20; i++)
		for (k = 0; k < 3; k++)
			post_send(q[k][0], 500, 0);
	/* Entries come one by one, never enough. */
	for (i = 0; i < 60; i++) {
		srq_post(srq, 500);
		world_run(w, 100 * US);
	}
	for (i = 0; i < 3; i++)
		srq_post(srq, 500);
	world_settle(w, 5 * SEC);
	for (k = 0; k < 3; k++)
		CHECK_EQ(q[k][1]->received, 20);
	world_end(w);
}

static void core__held_memory_is_bounded(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(&(struct world_cfg){ .held_cap = 3000, .npaths = 8,
		.link = { .loss = 50000, .reorder = 300000, .reorder_by = 50 * US } }, &a, &b);
	struct wmr *mr = mr_new(b->h, 50000, MROCE_ACC_WRITE, false);
	u32 i;

	mr->ascending = true;
	for (i = 0; i < 50; i++)
		post_write(a, mr, i * 1000, 1000, 0);
	while (world_busy(w)) {
		CHECK(world_step(w, w->now + SEC));
		CHECK_LE(b->peer->p.held_bytes, 3000 + 1000);
	}
	world_end(w);
}

static void core__memory_is_short(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(NULL, &a, &b);
	u32 i;

	a->h->alloc_fail = 200000;
	b->h->alloc_fail = 200000;
	post_recvs(b, 50, 1000);
	for (i = 0; i < 50; i++)
		post_send(a, 1000, 0);
	world_settle(w, 10 * SEC);
	world_end(w);
}

static void core__a_plane_fails(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(&(struct world_cfg){ .planes = 2, .npaths = 8 }, &a, &b);
	u32 i;

	post_recvs(b, 60, 1000);
	for (i = 0; i < 30; i++)
		post_send(a, 1000, 0);
	world_run(w, 20 * US);
	world_link(w, 0, 1, 1, 0)->black = true;
	world_link(w, 1, 0, 1, 0)->black = true;
	for (i = 0; i < 30; i++)
		post_send(a, 1000, 0);
	world_settle(w, 100 * MS);
	world_end(w);
}

static void core__mtu_shrinks(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(&(struct world_cfg){ .payload = 8832 }, &a, &b);
	u32 i;

	post_recvs(b, 10, 60000);
	for (i = 0; i < 10; i++)
		post_send(a, 60000, 0);
	world_run(w, 10 * US);
	a->h->route_payload[0] = 1408;
	core_enter(a->peer);
	mroce_peer_routes_changed(&a->peer->p, w->now);
	core_leave(a->peer);
	world_settle(w, SEC);
	world_end(w);
}

static void core__error_flush_and_reset(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(NULL, &a, &b);
	u32 i;

	a->allow_fail = true;
	b->allow_fail = true;
	post_recvs(b, 5, 5000);
	for (i = 0; i < 5; i++)
		post_send(a, 5000, 0)->expect = W_ANY;
	world_run(w, 10 * US);
	qp_err(a);
	CHECK_EQ(a->completed, 5);
	qp_reset(a);
	qp_reset(b);
	world_run(w, 100 * MS);
	qp_init(a);
	qp_init(b);
	qp_connect(a, b);
	post_recvs(b, 1, 5000);
	post_send(a, 5000, 0);
	world_settle(w, SEC);
	world_end(w);
}

static void core__idle_memory_goes_back(struct kunit *test)
{
	struct wqp *a, *b;
	struct world *w = pair(&(struct world_cfg){ .npaths = 16 }, &a, &b);

	post_recvs(b, 20, 50000);
	while (a->posted < 20)
		post_send(a, 50000, 0);
	world_settle(w, SEC);
	world_run(w, 3 * SEC);
	CHECK_LE(a->h->alloc_bytes, 65536);
	CHECK_LE(b->h->alloc_bytes, 65536);
	qp_reset(a);
	qp_reset(b);
	world_run(w, 40 * SEC);
	CHECK_EQ(a->h->alloc_bytes, 0);
	CHECK_EQ(b->h->alloc_bytes, 0);
	world_end(w);
}

static void core__handshake_under_fire(struct kunit *test)
{
	struct world_cfg cfg = {
		.link = { .loss = 300000, .dup = 300000, .reorder = 500000, .reorder_by = 5 * MS },
	};
	struct wqp *a, *b;
	struct world *w;
	u32 i;

	for (i = 0; i < 10; i++) {
		w = world_new(&cfg, i);
		w->host[1].cookies = WCOOKIE_ALWAYS;
		a = qp_new(&w->host[0]);
		b = qp_new(&w->host[1]);
		qp_connect(a, b);
		world_until(w, opened(a, b), 20 * SEC);
		CHECK_EQ(host_conn(a->h, b->h, 0)->tx_id, host_conn(b->h, a->h, 0)->rx_id);
		world_end(w);
	}
}

/* Four through one port: it is divided equally, and nothing piles up in front of it. */
static void core__senders_share_a_link(struct kunit *test)
{
	static const struct world_cfg cfg = {
		.hosts = 5, .payload = 1024, .psn_window = 1024, .rx_speed = 1250000000,
		.port = { .delay = 1, .ns_per_kb = 819, .ecn_bytes = 20000 },
	};
	struct world *w = world_new(&cfg, 42);
	struct whost *to = &w->host[0];
	u64 got[4], least = ~0ULL, most = 0;
	struct wqp *a[4], *b[4];
	u32 i;

	for (i = 0; i < 4; i++) {
		qp_pair(w, i + 1, 0, &a[i], &b[i]);
		world_until(w, opened(a[i], b[i]), 5 * SEC);
	}
	for (i = 0; i < 4; i++)
		post_write(a[i], mr_new(to, 600000, MROCE_ACC_WRITE, true), 0, 600000, 0);
	world_run(w, 300 * US);
	for (i = 0; i < 4; i++)
		got[i] = b[i]->peer->p.stats[MROCE_CNT_RX_BYTES];
	world_run(w, MS);
	CHECK_LE(wlink_queue(w, &to->port), 4 * 2 * (1024 + 106));
	for (i = 0; i < 4; i++) {
		got[i] = b[i]->peer->p.stats[MROCE_CNT_RX_BYTES] - got[i];
		least = min(least, got[i]);
		most = max(most, got[i]);
	}
	CHECK_GE(least * 10, most * 9);
	world_settle(w, 100 * MS);
	world_end(w);
}

#define CASE(fn)	{ #fn, fn }

const struct shared_case shared_cases[] = {
	CASE(core__send_arrives),
	CASE(core__write_arrives),
	CASE(core__read_arrives),
	CASE(core__atomics_count),
	CASE(core__mixed_clean),
	CASE(core__mixed_loss),
	CASE(core__mixed_reorder),
	CASE(core__mixed_bursts),
	CASE(core__mixed_queues_and_marks),
	CASE(core__receiver_not_ready),
	CASE(core__remote_access_error),
	CASE(core__peer_gone),
	CASE(core__peer_restarts),
	CASE(core__queue_pair_to_itself),
	CASE(core__shared_receive_queue),
	CASE(core__held_memory_is_bounded),
	CASE(core__memory_is_short),
	CASE(core__a_plane_fails),
	CASE(core__mtu_shrinks),
	CASE(core__error_flush_and_reset),
	CASE(core__idle_memory_goes_back),
	CASE(core__handshake_under_fire),
	CASE(core__senders_share_a_link),
};

const unsigned int shared_cases_n = ARRAY_SIZE(shared_cases);
