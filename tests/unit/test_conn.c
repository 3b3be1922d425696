// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/conn.c: life of connections, where packets go, what is dropped.
 */
#include "lab.h"

TEST(conn_create__one_per_class)
{
	struct lab l = lab_new(NULL);
	struct mroce_peer *p = &l.wp->p;
	struct mroce_conn *a = mroce_conn_for_class(p, 0, l.w->now);
	struct mroce_conn *b = mroce_conn_for_class(p, 32, l.w->now);

	CHECK(a && b && a != b);
	CHECK(mroce_conn_for_class(p, 0, l.w->now) == a);
	CHECK(mroce_conn_for_class(p, 32, l.w->now) == b);
	CHECK_EQ(a->tclass, 0);
	CHECK_EQ(b->tclass, 32);
	lab_end(&l);
}

TEST(conn_create__no_memory_leaves_nothing)
{
	struct lab l = lab_new(NULL);
	u32 i, failed = 0;

	l.w->host[0].alloc_fail = 300000;
	for (i = 0; i < 50; i++) {
		struct mroce_conn *conn = mroce_conn_create(&l.wp->p, 0, false, l.w->now);

		if (conn)
			mroce_conn_destroy(conn);
		else
			failed++;
		CHECK_EQ(l.w->host[0].alloc_bytes, 0);
		CHECK_EQ(host_conns(&l.w->host[0]), 0);
	}
	CHECK_GT(failed, 10);
	lab_end(&l);
}

TEST(conn_create__no_id_leaves_nothing)
{
	struct lab l = lab_new(NULL);
	struct mroce_conn *conn;
	u32 n = 0;

	do {
		conn = mroce_conn_create(&l.wp->p, n & 0xff, false, l.w->now);
		n += !!conn;
	} while (conn);
	CHECK_EQ(n, WORLD_CONNS);
	lab_end(&l);
}

/* [M12] */
TEST(conn_create__ids_and_seeds_are_random)
{
	struct lab l = lab_new(NULL);
	struct mroce_conn *a = mroce_conn_create(&l.wp->p, 0, false, l.w->now);
	struct mroce_conn *b = mroce_conn_create(&l.wp->p, 1, false, l.w->now);

	CHECK(a->rx_id && b->rx_id);
	CHECK_NE(a->rx_id, b->rx_id);
	CHECK_NE(a->seed, b->seed);
	lab_end(&l);
}

static bool both_open(const struct wqp *a, const struct wqp *b)
{
	return a->s.opened && b->s.opened;
}

static struct world *pair(struct wqp **a, struct wqp **b)
{
	struct world *w = world_new(&(struct world_cfg){ .npaths = 16 }, test_seed());

	qp_pair(w, 0, 1, a, b);
	world_until(w, both_open(*a, *b), SEC);
	return w;
}

/* The bars of the issue: an idle connection with 16 paths is small, ten thousand QPs use one. */
TEST(conn_idle__memory_goes_back)
{
	struct wqp *a, *b;
	struct world *w = pair(&a, &b);
	u64 busy;

	post_recvs(b, 64, 100000);
	while (a->posted < 64)
		post_send(a, 100000, 0);
	world_settle(w, 10 * SEC);
	busy = w->host[0].alloc_peak;
	world_run(w, 3 * SEC);
	CHECK_LE(w->host[0].alloc_bytes, 65536);
	CHECK_LE(w->host[1].alloc_bytes, 65536);
	test_note("connection of 16 paths: %llu bytes idle, %llu at most", w->host[0].alloc_bytes, busy);
	/* And works on. */
	post_recvs(b, 1, 1000);
	post_send(a, 1000, 0);
	world_settle(w, SEC);
	world_end(w);
}

TEST(conn_streams__many_share_one)
{
	struct wqp *a, *b;
	struct world *w = pair(&a, &b);
	u64 before;
	u32 i;

	world_run(w, 3 * SEC);
	before = w->host[1].alloc_bytes;
	for (i = 0; i < 200; i++) {
		qp_pair(w, 0, 1, &a, &b);
		post_recvs(b, 1, 64);
		post_send(a, 64, 0);
	}
	world_settle(w, SEC);
	CHECK_EQ(host_conns(&w->host[0]), 1);
	CHECK_EQ(host_conns(&w->host[1]), 1);
	world_run(w, 3 * SEC);
	CHECK_LE(sizeof(struct mroce_stream) + (w->host[1].alloc_bytes - before) / 200, 4096);
	test_note("idle stream: %zu bytes and %llu allocated", sizeof(struct mroce_stream),
		  (w->host[1].alloc_bytes - before) / 200);
	world_end(w);
}

/* [M35] */
TEST(conn_idle__stays_while_queue_pairs_are_there)
{
	struct wqp *a, *b;
	struct world *w = pair(&a, &b);

	world_run(w, 120 * SEC);
	CHECK_EQ(host_conns(&w->host[0]), 1);
	CHECK_EQ(host_conns(&w->host[1]), 1);
	post_recvs(b, 1, 10);
	post_send(a, 10, 0);
	CHECK_LE(world_settle(w, SEC), MS);
	world_end(w);
}

TEST(conn_idle__expires_without_queue_pairs)
{
	struct wqp *a, *b;
	struct world *w = pair(&a, &b);

	qp_reset(a);
	qp_reset(b);
	world_run(w, 25 * SEC);
	CHECK_EQ(host_conns(&w->host[0]), 1);
	world_run(w, 10 * SEC);
	CHECK_EQ(host_conns(&w->host[0]), 0);
	CHECK_EQ(host_conns(&w->host[1]), 0);
	CHECK_EQ(w->host[0].alloc_bytes, 0);
	CHECK(mroce_peer_idle(&host_peer(&w->host[0], &w->host[1])->p, w->now));
	world_end(w);
}

TEST(conn_idle__no_timer_runs_for_ever)
{
	struct wqp *a, *b;
	struct world *w = pair(&a, &b);
	u64 steps;

	world_run(w, 10 * SEC);
	steps = w->steps;
	world_run(w, 1000 * SEC);
	CHECK_LE(w->steps - steps, 4);
	world_end(w);
}

/* --- what is dropped, each with its counter [M7] --- */

static void drop(struct lab *l, struct wpkt *pkt, enum mroce_counter c)
{
	struct mroce_rx rx = lab_rx(pkt);
	u64 before = l->wp->p.stats[c];

	mroce_conn_input(l->conn, &rx, l->w->now);
	CHECK_EQ(l->wp->p.stats[c], before + 1);
	wpkt_free(pkt);
}

TEST(data_input__drops)
{
	struct lab l = lab_pair(NULL);
	struct feed bad = { .opcode = 200 };
	u32 cum = l.conn->paths[0]->rx.cum, rx = l.wp->p.stats[MROCE_CNT_RX_DATA];

	drop(&l, data_pkt(l.conn, 4, cum, NULL), MROCE_CNT_DROP_PATH);
	drop(&l, data_pkt(l.conn, 255, cum, NULL), MROCE_CNT_DROP_PATH);
	drop(&l, data_pkt(l.conn, 0, cum + 256, NULL), MROCE_CNT_DROP_PSN);
	drop(&l, data_pkt(l.conn, 0, cum - 257, NULL), MROCE_CNT_DROP_PSN);
	drop(&l, data_pkt(l.conn, 0, cum, &bad), MROCE_CNT_DROP_MALFORMED);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_RX_DATA], rx);
	CHECK_EQ(l.conn->paths[0]->rx.cum, cum);
	lab_end(&l);
}

TEST(data_input__before_the_peer_is_known)
{
	struct lab l = lab_conn(NULL);

	drop(&l, data_pkt(l.conn, 0, 0, NULL), MROCE_CNT_DROP_CONN_STATE);
	lab_end(&l);
}

TEST(conn_input__types_that_name_no_connection)
{
	struct lab l = lab_pair(NULL);
	struct wpkt *pkt = wpkt_new(64);

	pkt->data[0] = MROCE_VER_TYPE(MROCE_PT_CONNECT);
	drop(&l, pkt, MROCE_CNT_DROP_TYPE);
	lab_end(&l);
}

/* [M41, M43, M44, M45] Refused, refused again whatever happens, EMPTY, accepted. */
TEST(data_input__a_refusal_is_sticky)
{
	struct lab l = lab_pair(NULL);
	struct feed f = { .opcode = MROCE_OP_SEND, .msg_len = 10, .len = 10, .tag = l.b->s.rx_tag };
	struct mroce_path *p = l.conn->paths[0];
	u32 psn = p->rx.cum, i;
	struct mroce_rx rx;
	struct wpkt *pkt = data_pkt(l.conn, 0, psn, &f);

	put_unaligned(cpu_to_be32(l.b->qpn), (__be32 *)(pkt->data + 16));
	rx = lab_rx(pkt);
	for (i = 1; i < 4; i++) {
		mroce_conn_input(l.conn, &rx, l.w->now);
		CHECK_EQ(p->rx.cum, psn);
		CHECK_EQ(l.conn->nnaks, i);
		CHECK_EQ(l.conn->naks[i - 1].psn, psn);
		CHECK_EQ(l.conn->naks[i - 1].syndrome, MROCE_SYN_RNR);
		post_recv(l.b, 10);
	}
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_REFUSE_RNR], 1);
	CHECK_EQ(l.b->received, 0);
	wpkt_free(pkt);
	pkt = data_pkt(l.conn, 0, psn, NULL);
	rx = lab_rx(pkt);
	mroce_conn_input(l.conn, &rx, l.w->now);
	CHECK_EQ(p->rx.cum, psn + 1);
	wpkt_free(pkt);
	/* The late copy is a duplicate now and nothing else. */
	pkt = data_pkt(l.conn, 0, psn, &f);
	rx = lab_rx(pkt);
	mroce_conn_input(l.conn, &rx, l.w->now);
	CHECK_EQ(l.b->received, 0);
	CHECK_EQ(l.conn->nnaks, 3);
	wpkt_free(pkt);
	lab_end(&l);
}

TEST(data_input__no_memory_for_a_refusal_drops)
{
	struct lab l = lab_pair(NULL);
	struct feed f = { .opcode = MROCE_OP_SEND, .msg_len = 10, .len = 10 };

	l.b->h->alloc_fail = 1000000;
	drop(&l, data_pkt(l.conn, 0, l.conn->paths[0]->rx.cum, &f), MROCE_CNT_DROP_NOMEM);
	l.b->h->alloc_fail = 0;
	CHECK_EQ(l.conn->nnaks, 0);
	lab_end(&l);
}

static void give_probe(struct lab *l, u8 flags, u8 path, u32 len)
{
	struct wpkt *pkt = wpkt_new(len);
	struct mroce_probe pr = {
		.ver_type = MROCE_VER_TYPE(MROCE_PT_PROBE), .flags = flags, .path = path, .seq = cpu_to_be32(77),
		.tstamp = cpu_to_be32(88),
	};
	struct mroce_rx rx;

	pkt->route = (struct mroce_route){ .ifindex = 1, .sport = 55555 };
	rx = lab_rx(pkt);
	memcpy(pkt->data, &pr, sizeof(pr));
	mroce_conn_input(l->conn, &rx, l->w->now);
	wpkt_free(pkt);
}

/* [M28, M63] */
TEST(probe_input__is_answered_by_the_same_way)
{
	struct lab l = lab_pair(NULL);
	static struct mroce_tx tx;
	struct mroce_probe pr;

	give_probe(&l, 0, 2, 200);
	CHECK_EQ(mroce_peer_output(&l.wp->p, &tx, l.w->now), 1);
	CHECK_EQ(tx.hdr_len, sizeof(pr));
	memcpy(&pr, tx.hdr, sizeof(pr));
	CHECK_EQ(pr.ver_type, MROCE_VER_TYPE(MROCE_PT_PROBE));
	CHECK_EQ(pr.flags, MROCE_PROBE_F_REPLY);
	CHECK(pr.path == 2 && pr.seq == cpu_to_be32(77) && pr.tstamp == cpu_to_be32(88));
	CHECK_EQ(be32_to_cpu(pr.conn_id), l.conn->tx_id);
	CHECK_EQ(tx.route.sport, 55555);
	CHECK_EQ(mroce_peer_output(&l.wp->p, &tx, l.w->now), 0);
	lab_end(&l);
}

TEST(probe_input__replies_are_not_answered)
{
	struct lab l = lab_pair(NULL);
	static struct mroce_tx tx;

	give_probe(&l, MROCE_PROBE_F_REPLY, 0, 16);
	CHECK_EQ(mroce_peer_output(&l.wp->p, &tx, l.w->now), 0);
	give_probe(&l, 0, 4, 16);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_DROP_PATH], 1);
	CHECK_EQ(mroce_peer_output(&l.wp->p, &tx, l.w->now), 0);
	lab_end(&l);
}

/* [M34] */
TEST(conn_lost__opened_streams_end_others_move)
{
	struct lab l = lab_pair(NULL);
	struct wqp *c = qp_new(l.b->h);
	struct wmsg *m;

	/* A stream that nobody answers yet. */
	CHECK_EQ(qp_rtr(c, l.a->h, 0x123456, NULL), 0);
	qp_rts(c);
	c->attr.timeout = 0;
	m = post_send(l.b, 10, 0);
	m->expect = MROCE_ST_RETRY_EXC;
	post_send(l.b, 10, 0)->expect = MROCE_ST_FLUSH;
	CHECK(c->s.conn == l.conn);
	mroce_conn_lost(l.conn, l.w->now);
	CHECK_EQ(l.b->state, QP_ERR);
	CHECK_EQ(l.b->why, MROCE_FAIL_PEER_LOST);
	CHECK_EQ(c->state, QP_RTS);
	CHECK(c->s.conn && c->s.conn->state == MROCE_CONN_CONNECTING);
	l.conn = c->s.conn;
	lab_end(&l);
}

TEST(conn_lost__idle_streams_end_too)
{
	struct lab l = lab_pair(NULL);

	mroce_conn_lost(l.conn, l.w->now);
	CHECK_EQ(l.b->failed, 1);
	CHECK_EQ(l.b->why, MROCE_FAIL_PEER_LOST);
	CHECK_EQ(l.b->completed, 0);
	lab_end(&l);
}

/* Also one whose peer died with packets in flight. */
TEST(conn_idle__a_dead_peers_connection_expires)
{
	struct world *w = world_new(NULL, test_seed());
	struct wqp *a, *b;

	qp_pair(w, 0, 1, &a, &b);
	a->allow_fail = true;
	world_until(w, a->s.opened && b->s.opened, SEC);
	post_recvs(b, 1, 1000);
	links_black(w, -1, -1, true);
	post_send(a, 1000, 0)->expect = W_ANY;
	world_run(w, 5 * SEC);
	CHECK_EQ(a->completed, 1);
	qp_reset(a);
	qp_reset(b);
	world_run(w, 60 * SEC);
	CHECK_EQ(host_conns(&w->host[0]), 0);
	CHECK_EQ(host_conns(&w->host[1]), 0);
	links_black(w, -1, -1, false);
	world_end(w);
}
