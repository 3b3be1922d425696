// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The dangers that shaped paths, connections and numbers (rules 9 to 17), each played through: what
 * was attacked, and that it holds.
 */
#include "play.h"

/* --- a path borrows a route [M60, M62] --- */

TEST(rule_9__a_black_route_strands_nothing)
{
	struct play x;
	u64 took;
	int s;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 8, .spines = 4, .payload = 1024 });
	post_recvs(x.b, 200, 10000);
	for (i = 0; i < 50; i++)
		post_send(x.a, 10000, 0);
	world_run(x.w, 100 * US);
	for (s = 0; s < 2; s++)
		world_link(x.w, 0, 1, 1, s)->black = true;
	for (i = 0; i < 150; i++)
		post_send(x.a, 10000, 0);
	took = world_settle(x.w, SEC);
	CHECK_LE(took, 30 * MS);
	CHECK_GE(host_stat(x.a->h, MROCE_CNT_PATH_REROUTE), 1);
	test_note("2 of 4 spines went black: %llu us", took / US);
	world_end(x.w);
}

TEST(rule_9__a_black_plane_strands_nothing)
{
	struct play x;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 8, .planes = 2, .payload = 1024 });
	post_recvs(x.b, 200, 10000);
	for (i = 0; i < 50; i++)
		post_send(x.a, 10000, 0);
	world_run(x.w, 100 * US);
	world_link(x.w, 0, 1, 1, 0)->black = true;
	world_link(x.w, 1, 0, 1, 0)->black = true;
	for (i = 0; i < 150; i++)
		post_send(x.a, 10000, 0);
	world_settle(x.w, 100 * MS);
	world_end(x.w);
}

/* --- smaller MTU after the fact [M64, M65] --- */

TEST(rule_10__mtu_shrinks_under_load)
{
	struct play x;
	u32 i;

	play_open(&x, &(struct world_cfg){ .payload = 8832, .link = { .loss = 20000 } });
	post_recvs(x.b, 100, 100000);
	for (i = 0; i < 40; i++)
		post_send(x.a, 100000, 0);
	world_run(x.w, 50 * US);
	x.a->h->route_payload[0] = 1408;
	host_routes_changed(x.a->h);
	CHECK_EQ(conn_of(x.a)->payload, 1408);
	world_settle(x.w, SEC);
	x.a->h->route_payload[0] = 8832;
	host_routes_changed(x.a->h);
	for (i = 0; i < 10; i++)
		post_send(x.a, 100000, 0);
	world_settle(x.w, SEC);
	world_end(x.w);
}

/* --- traffic class in the key [M9, M10, M11] --- */

TEST(rule_11__the_ends_choose_different_classes)
{
	struct play x;
	struct wmr *ma, *mb;

	play_new(&x, NULL);
	x.b->attr.tclass = 106;
	qp_connect(x.a, x.b);
	ma = mr_new(x.a->h, 4000, MROCE_ACC_READ, false);
	mb = mr_new(x.b->h, 4000, MROCE_ACC_READ, false);
	mr_fill(ma, ma->rkey);
	mr_fill(mb, mb->rkey);
	post_recvs(x.a, 1, 1000);
	post_recvs(x.b, 1, 1000);
	post_send(x.a, 1000, 0);
	post_send(x.b, 1000, 0);
	post_read(x.a, mb, 0, 4000, 0);
	post_read(x.b, ma, 0, 4000, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(host_conns(x.a->h), 2);
	CHECK(conn_of(x.a)->tclass == 0 && conn_of(x.b)->tclass == 106);
	/* And after a long silence: neither end may drop what the other needs. */
	world_run(x.w, 100 * SEC);
	post_recvs(x.b, 1, 1000);
	post_send(x.a, 1000, 0);
	CHECK_LE(world_settle(x.w, SEC), MS);
	world_end(x.w);
}

/* --- self-connection [M24] --- */

TEST(rule_12__a_queue_pair_to_itself)
{
	struct world *w = world_new(NULL, test_seed());
	struct wqp *a = qp_new(&w->host[0]);
	struct wmr *mr = mr_new(a->h, 4000, MROCE_ACC_READ | MROCE_ACC_WRITE | MROCE_ACC_ATOMIC, true);
	u64 v;

	qp_connect(a, a);
	post_recvs(a, 2, 2000);
	post_send(a, 2000, 0);
	post_write(a, mr, 0, 1000, MROCE_MSG_F_IMM);
	post_atomic(a, MROCE_MSG_FETCH_ADD, mr, 2000, 3, 0);
	world_settle(w, SEC);
	CHECK_EQ(a->received, 2);
	memcpy(&v, mr->buf + 2000, 8);
	CHECK_EQ(v, 3);
	CHECK_EQ(host_conns(a->h), 2);
	world_end(w);
}

TEST(rule_12__two_queue_pairs_of_one_device)
{
	struct world *w = world_new(&(struct world_cfg){ .link = { .loss = 50000, .dup = 50000 } }, test_seed());
	struct wqp *a = qp_new(&w->host[0]), *b = qp_new(&w->host[0]);
	u32 i;

	qp_connect(a, b);
	post_recvs(a, 30, 2000);
	post_recvs(b, 30, 2000);
	for (i = 0; i < 30; i++) {
		post_send(a, 2000, 0);
		post_send(b, 1000, 0);
	}
	world_settle(w, SEC);
	CHECK_EQ(host_conns(a->h), 2);
	/* Both halves outlive a long silence. */
	world_run(w, 100 * SEC);
	post_recvs(b, 1, 2000);
	post_send(a, 2000, 0);
	CHECK_LE(world_settle(w, SEC), 100 * MS);
	world_end(w);
}

TEST(rule_12__not_with_a_foreign_instance)
{
	struct world *w = world_new(NULL, test_seed());
	struct wpkt *pkt = wpkt_new(sizeof(struct mroce_connect));
	struct mroce_connect c = {
		.ver_type = MROCE_VER_TYPE(MROCE_PT_CONNECT), .npaths = 4, .my_id = cpu_to_be32(5),
		.instance = cpu_to_be64(1), .seed = cpu_to_be64(2), .max_payload = cpu_to_be16(256),
		.psn_window = cpu_to_be16(256), .msn_window = cpu_to_be16(64),
	};

	memcpy(pkt->data, &c, sizeof(c));
	pkt->route.ifindex = 1;
	world_inject(w, pkt, w->now);
	world_run(w, MS);
	CHECK_EQ(host_stat(&w->host[0], MROCE_CNT_DROP_CONNECT), 1);
	CHECK_EQ(host_conns(&w->host[0]), 0);
	world_end(w);
}

/* --- ACKs have no failover of their own [M51, M52] --- */

TEST(rule_13__reverse_direction_of_a_spine_is_black)
{
	struct play x;
	u64 took;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 4, .spines = 2, .payload = 1024 });
	post_recvs(x.b, 100, 10000);
	world_link(x.w, 1, 0, 1, 0)->black = true;
	for (i = 0; i < 100; i++)
		post_send(x.a, 10000, 0);
	took = world_settle(x.w, SEC);
	CHECK_LE(took, 100 * MS);
	test_note("reverse of 1 of 2 spines black: %llu us", took / US);
	world_end(x.w);
}

TEST(rule_13__reverse_direction_of_a_plane_is_black)
{
	struct play x;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 4, .planes = 2, .payload = 1024 });
	post_recvs(x.b, 100, 10000);
	world_link(x.w, 1, 0, 1, 0)->black = true;
	for (i = 0; i < 100; i++)
		post_send(x.a, 10000, 0);
	world_settle(x.w, 100 * MS);
	world_end(x.w);
}

/* --- window against delay (rule 14) [M37] --- */

TEST(rule_14__a_long_route_needs_a_long_window)
{
	struct play x;
	u64 took;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 4, .payload = 1408, .psn_window = 8192, .msn_window = 1024,
			.link = { .delay = 15 * MS } });
	post_recvs(x.b, 200, 100000);
	for (i = 0; i < 200; i++)
		post_send(x.a, 100000, 0);
	/* 20 MB: slow start doubles from 4 x 4 packets, so about ten round trips of 30 ms. */
	took = world_settle(x.w, 10 * SEC);
	CHECK_LE(took, 700 * MS);
	test_note("20 MB over a 30 ms route: %llu ms", took / MS);
	world_end(x.w);
}

/* --- RESET and expiry end the right ones [M22, M33, M34, M35] --- */

TEST(rule_15__peer_restarts_with_streams_open)
{
	struct play x;
	struct wqp *c, *d;

	play_open(&x, NULL);
	may_fail(&x);
	post_recvs(x.a, 1, 100);
	host_restart(x.b->h);
	post_send(x.a, 100, 0)->expect = MROCE_ST_RETRY_EXC;
	world_settle(x.w, SEC);
	CHECK_EQ(x.a->why, MROCE_FAIL_PEER_LOST);
	CHECK_GE(x.b->h->resets, 1);
	/* New queue pairs find the new life at once. */
	qp_pair(x.w, 0, 1, &c, &d);
	post_recvs(d, 1, 100);
	post_send(c, 100, 0);
	CHECK_LE(world_settle(x.w, SEC), 50 * MS);
	world_end(x.w);
}

TEST(rule_15__peer_restarts_and_speaks_first)
{
	struct play x;
	struct wqp *c, *d;

	play_open(&x, NULL);
	may_fail(&x);
	host_restart(x.b->h);
	/* Nothing is outstanding at a: it learns from the new connection. */
	c = qp_new(x.a->h);
	d = qp_new(x.b->h);
	CHECK_EQ(qp_rtr(d, c->h, c->qpn, c), 0);
	world_until(x.w, x.a->state == QP_ERR, SEC);
	CHECK_EQ(x.a->why, MROCE_FAIL_PEER_LOST);
	CHECK_EQ(qp_rtr(c, d->h, d->qpn, d), 0);
	qp_rts(c);
	qp_rts(d);
	post_recvs(d, 1, 100);
	post_send(c, 100, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(host_conns(x.a->h), 1);
	world_end(x.w);
}

TEST(rule_15__a_new_queue_pair_meets_an_expired_connection)
{
	struct play x;
	struct wqp *c, *d;

	play_open(&x, NULL);
	may_fail(&x);
	/* b has no queue pair any more and drops the connection; a keeps one. */
	qp_reset(x.b);
	world_run(x.w, 40 * SEC);
	CHECK_EQ(host_conns(x.b->h), 0);
	CHECK_EQ(host_conns(x.a->h), 1);
	c = qp_new(x.a->h);
	d = qp_new(x.b->h);
	CHECK_EQ(qp_rtr(d, c->h, c->qpn, c), 0);
	CHECK_EQ(qp_rtr(c, d->h, d->qpn, d), 0);
	qp_rts(c);
	qp_rts(d);
	post_recvs(d, 1, 100);
	post_send(c, 100, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(c->ok, 1);
	CHECK_EQ(x.a->state, QP_ERR);
	world_end(x.w);
}

TEST(rule_15__only_the_new_side_sends)
{
	struct play x;
	struct wqp *c, *d;

	play_open(&x, NULL);
	may_fail(&x);
	qp_reset(x.b);
	world_run(x.w, 40 * SEC);
	c = qp_new(x.a->h);
	d = qp_new(x.b->h);
	/* a's OPEN goes to the connection that b has dropped: RESET, and c moves. */
	CHECK_EQ(qp_rtr(c, d->h, d->qpn, d), 0);
	qp_rts(c);
	world_run(x.w, MS);
	CHECK_EQ(x.a->state, QP_ERR);
	CHECK_EQ(c->state, QP_RTS);
	CHECK_EQ(qp_rtr(d, c->h, c->qpn, c), 0);
	qp_rts(d);
	post_recvs(d, 1, 100);
	post_send(c, 100, 0);
	world_settle(x.w, SEC);
	world_end(x.w);
}

TEST(rule_15__both_restart)
{
	struct play x;

	play_open(&x, NULL);
	may_fail(&x);
	host_restart(x.a->h);
	host_restart(x.b->h);
	qp_init(x.a);
	qp_init(x.b);
	qp_connect(x.a, x.b);
	world_until(x.w, x.a->s.opened && x.b->s.opened, SEC);
	CHECK_EQ(host_conns(x.a->h), 1);
	CHECK_EQ(host_conns(x.b->h), 1);
	world_end(x.w);
}

/* --- credit holds back but never stops [M79, M80, M81] --- */

TEST(rule_16__a_receive_posted_later_needs_no_packet)
{
	struct play x;
	u32 sends;

	play_open(&x, NULL);
	x.b->rnr_timer = 14;	/* 1.28 ms */
	post_send(x.a, 5000, 0);
	world_run(x.w, 20 * MS);
	sends = x.t.ops[MROCE_OP_SEND];
	CHECK_LE(sends, 20);
	post_recvs(x.b, 1, 5000);
	CHECK_LE(world_settle(x.w, SEC), 5 * MS);
	world_end(x.w);
}

TEST(rule_16__a_good_sender_meets_no_refusal)
{
	struct play x;
	u32 i;

	play_new(&x, NULL);
	post_recvs(x.b, 16, 1000);
	x.b->auto_recv = 1000;
	qp_connect(x.a, x.b);
	for (i = 0; i < 300; i++)
		post_send(x.a, 1000, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(host_stat(x.b->h, MROCE_CNT_REFUSE_RNR), 0);
	world_end(x.w);
}

/* --- one order of transmission per path (rule 17) [M55] --- */

TEST(rule_17__a_clean_link_repeats_nothing)
{
	struct play x;
	u32 i;

	play_open(&x, &(struct world_cfg){ .npaths = 16, .payload = 1408, .link = { .delay = 10 * US, .ns_per_kb = 800 } });
	post_recvs(x.b, 100, 50000);
	for (i = 0; i < 100; i++)
		post_send(x.a, 50000, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(x.t.retx, 0);
	CHECK_EQ(host_stat(x.a->h, MROCE_CNT_TX_SELF_REORDER), 0);
	world_end(x.w);
}

/* --- [M37, M74, M75] numbers wrap --- */

TEST(wrap__message_and_receive_numbers)
{
	struct play x;
	struct wmr *mr;
	u32 i;

	play_new(&x, &(struct world_cfg){ .link = { .loss = 50000, .reorder = 100000, .reorder_by = 30 * US } });
	CHECK_EQ(qp_rtr(x.a, x.b->h, x.b->qpn, x.b), 0);
	CHECK_EQ(qp_rtr(x.b, x.a->h, x.a->qpn, x.a), 0);
	qp_serials(x.a, x.b, 0xfffffff0u, 0xfffffff8u);
	qp_rts(x.a);
	qp_rts(x.b);
	mr = mr_new(x.b->h, 50000, MROCE_ACC_WRITE, false);
	mr->ascending = true;
	post_recvs(x.b, 50, 1000);
	for (i = 0; i < 50; i++) {
		post_send(x.a, 1000, 0);
		post_write(x.a, mr, i * 1000, 1000, 0);
	}
	world_settle(x.w, SEC);
	CHECK_LT(x.a->s.next_msn, 1000);
	CHECK_LT(x.a->s.next_rsn, 1000);
	world_end(x.w);
}

TEST(wrap__packet_numbers)
{
	struct play x;
	u32 i, k, wrapped = 0;

	play_new(&x, &(struct world_cfg){ .npaths = 2, .link = { .loss = 30000 } });
	qp_connect(x.a, x.b);
	world_until(x.w, host_conns(x.a->h) == 1, SEC);
	/* Both seeds so that the first PSNs of a's path 0 end soon: move both ends alike. */
	world_until(x.w, x.a->s.opened && x.b->s.opened, SEC);
	world_run(x.w, 3 * SEC);
	for (k = 0; k < 2; k++) {
		struct mroce_path *p = conn_of(x.a)->paths[k], *r = conn_of(x.b)->paths[k];

		CHECK_EQ(p->tx.una, p->tx.nxt);
		CHECK_EQ(r->rx.cum, p->tx.nxt);
		p->tx.una = p->tx.nxt = ~0U - 50;
		r->rx.cum = r->rx.next = ~0U - 50;
		p->cc.round_end = ~0U - 50;
	}
	post_recvs(x.b, 100, 2000);
	for (i = 0; i < 100; i++)
		post_send(x.a, 2000, 0);
	world_settle(x.w, SEC);
	for (k = 0; k < 2; k++)
		wrapped += conn_of(x.a)->paths[k]->tx.una < 0x10000;
	CHECK_EQ(wrapped, 2);
	world_end(x.w);
}

/* [M8] The longest message, without its bytes. */
TEST(huge__two_gib_each_way)
{
	struct world *w = world_new(&(struct world_cfg){ .payload = 65408, .npaths = 4, .psn_window = 1024 }, 1);
	struct wqp *a, *b;
	struct wmr *mr;

	w->phantom = true;
	qp_pair(w, 0, 1, &a, &b);
	mr = mr_new(b->h, 0xffffffffu, MROCE_ACC_WRITE | MROCE_ACC_READ, true);
	post_recvs(b, 1, 0x80000000u);
	post_send(a, 0x80000000u, 0);
	post_write(a, mr, 5, 0x80000000u, 0);
	post_read(a, mr, 7, 0x80000000u, 0);
	world_settle(w, 60 * SEC);
	CHECK_EQ(a->ok, 3);
	world_end(w);
}
