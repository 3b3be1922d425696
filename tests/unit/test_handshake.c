// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/handshake.c: CONNECT, ACCEPT, their loss and doubling, restarts, guesses from outside.
 */
#include "lab.h"

static struct world *two(struct wqp **a, struct wqp **b, struct tap *t)
{
	struct world *w = world_new(NULL, test_seed());

	*a = qp_new(&w->host[0]);
	*b = qp_new(&w->host[1]);
	tap_on(w, t);
	return w;
}

static bool open_both(struct wqp *a, struct wqp *b)
{
	return a->s.opened && b->s.opened;
}

static void check_agreed(struct world *w)
{
	struct mroce_conn *a = host_conn(&w->host[0], &w->host[1], 0), *b = host_conn(&w->host[1], &w->host[0], 0);

	CHECK(a && b);
	CHECK_EQ(a->state, MROCE_CONN_OPEN);
	CHECK_EQ(b->state, MROCE_CONN_OPEN);
	CHECK_EQ(a->tx_id, b->rx_id);
	CHECK_EQ(b->tx_id, a->rx_id);
	CHECK_EQ(a->seed, b->peer_seed);
	CHECK_EQ(b->seed, a->peer_seed);
	CHECK_EQ(a->npaths, b->npaths);
	CHECK_EQ(a->max_payload, b->max_payload);
	CHECK_EQ(a->psn_window, b->psn_window);
	CHECK_EQ(a->msn_window, b->msn_window);
	CHECK_EQ(host_conns(&w->host[0]), 1);
	CHECK_EQ(host_conns(&w->host[1]), 1);
}

TEST(handshake__one_side_starts)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);

	CHECK_EQ(qp_rtr(b, a->h, a->qpn, a), 0);
	world_until(w, t.seen[MROCE_PT_ACK], 10 * MS);
	CHECK_EQ(t.seen[MROCE_PT_CONNECT], 1);
	CHECK_EQ(t.seen[MROCE_PT_ACCEPT], 1);
	CHECK_EQ(qp_rtr(a, b->h, b->qpn, b), 0);
	world_until(w, open_both(a, b), 10 * MS);
	CHECK_EQ(t.seen[MROCE_PT_CONNECT], 1);
	check_agreed(w);
	world_end(w);
}

/* Round-trip time by set-up alone, after @lost lost CONNECTs; 0: none. */
static u64 setup_srtt(u32 lost)
{
	struct tap t = { .drop_type = MROCE_PT_CONNECT, .drop_n = lost };
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_conn *conn;
	u64 srtt;

	CHECK_EQ(qp_rtr(a, b->h, b->qpn, b), 0);
	conn = a->s.conn;
	world_until(w, conn->state == MROCE_CONN_OPEN, SEC);
	srtt = conn->rtt.srtt;
	world_end(w);
	return srtt;
}

TEST(handshake__gives_the_first_round_trip_sample)
{
	CHECK_EQ(setup_srtt(0), 10 * US);
	/* Of several questions, which was answered? */
	CHECK_EQ(setup_srtt(1), 0);
}

/* [M21] */
TEST(handshake__both_start_at_once)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);

	qp_connect(a, b);
	world_until(w, open_both(a, b), 10 * MS);
	CHECK_EQ(t.seen[MROCE_PT_CONNECT], 2);
	check_agreed(w);
	world_end(w);
}

static void lose_nth(int type, int from, u32 skip)
{
	struct tap t = { .drop_type = type, .drop_from = from + 1, .drop_n = skip };
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);

	qp_connect(a, b);
	world_until(w, open_both(a, b), 4 * SEC);
	/* From one host only: the other one's exchange may make the rest unnecessary. */
	CHECK_GE(t.dropped, from < 0 ? skip : 1);
	post_recvs(b, 1, 100);
	post_send(a, 100, 0);
	world_settle(w, SEC);
	check_agreed(w);
	world_end(w);
}

/* [M13] */
TEST(handshake__connects_are_lost)
{
	lose_nth(MROCE_PT_CONNECT, -1, 1);
	lose_nth(MROCE_PT_CONNECT, -1, 5);
	lose_nth(MROCE_PT_CONNECT, 0, 3);
}

TEST(handshake__accepts_are_lost)
{
	lose_nth(MROCE_PT_ACCEPT, -1, 1);
	lose_nth(MROCE_PT_ACCEPT, -1, 6);
	lose_nth(MROCE_PT_ACCEPT, 1, 3);
}

/* [M18] */
TEST(handshake__confirmations_are_lost)
{
	lose_nth(MROCE_PT_ACK, -1, 1);
	lose_nth(MROCE_PT_ACK, -1, 4);
}

/* Each packet of the first exchange alone, whatever it is. */
static u32 lose_index, index_now;

static enum wverdict lose_one(struct world *w, struct wpkt *pkt)
{
	return index_now++ == lose_index ? W_DROP : W_PASS;
}

TEST(handshake__any_one_packet_is_lost)
{
	for (lose_index = 0; lose_index < 24; lose_index++) {
		struct tap t = {};
		struct wqp *a, *b;
		struct world *w = two(&a, &b, &t);

		index_now = 0;
		w->filter = lose_one;
		qp_connect(a, b);
		post_recvs(b, 1, 100);
		post_send(a, 100, 0);
		world_settle(w, SEC);
		world_until(w, open_both(a, b), SEC);
		check_agreed(w);
		world_end(w);
	}
}

TEST(handshake__every_packet_twice_and_late)
{
	struct world *w = world_new(&(struct world_cfg){
		.link = { .dup = 1000000, .reorder = 500000, .reorder_by = 30 * MS } }, test_seed());
	struct wqp *a, *b;

	qp_pair(w, 0, 1, &a, &b);
	post_recvs(b, 1, 100);
	post_send(a, 100, 0);
	world_settle(w, 2 * SEC);
	world_run(w, 100 * MS);
	world_until(w, open_both(a, b), SEC);
	check_agreed(w);
	world_end(w);
}

/* [M13] 10 ms, doubled, at most 1 s; each has the same seed and id [M14]. */
static u64 connect_at[16];
static u32 connects;
static struct mroce_connect first_connect;

static enum wverdict note_connects(struct world *w, struct wpkt *pkt)
{
	struct mroce_connect c;

	if (wpkt_type(pkt) != MROCE_PT_CONNECT)
		return W_PASS;
	memcpy(&c, pkt->data, sizeof(c));
	if (!connects)
		first_connect = c;
	CHECK_EQ(c.seed, first_connect.seed);
	CHECK_EQ(c.my_id, first_connect.my_id);
	if (connects < 16)
		connect_at[connects++] = w->now;
	return W_DROP;
}

TEST(handshake__connect_backs_off)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	u64 gap = 10 * MS;
	u32 i;

	connects = 0;
	w->filter = note_connects;
	qp_rtr(a, b->h, b->qpn, b);
	world_run(w, 10 * SEC);
	CHECK_GE(connects, 12);
	for (i = 1; i < connects; i++) {
		CHECK_EQ(connect_at[i] - connect_at[i - 1], gap);
		gap = min(2 * gap, SEC);
	}
	world_end(w);
}

/* Rules 13, 35: a repetition takes another route. */
static u32 ports_seen;
static u16 last_port;

static enum wverdict note_ports(struct world *w, struct wpkt *pkt)
{
	if (wpkt_type(pkt) == MROCE_PT_CONNECT && pkt->route.sport != last_port) {
		last_port = pkt->route.sport;
		ports_seen++;
	}
	return W_DROP;
}

TEST(handshake__connect_tries_other_routes)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);

	ports_seen = 0;
	last_port = 0;
	w->filter = note_ports;
	qp_rtr(a, b->h, b->qpn, b);
	world_run(w, SEC);
	CHECK_GE(ports_seen, 4);
	world_end(w);
}

TEST(handshake__a_single_path_tries_every_egress)
{
	struct world *w = world_new(&(struct world_cfg){ .npaths = 1, .planes = 3 }, 3);
	struct wqp *a, *b;

	w->host[1].route_payload[0] = 0;
	w->host[1].route_payload[1] = 0;
	a = qp_new(&w->host[0]);
	b = qp_new(&w->host[1]);
	qp_connect(a, b);
	world_until(w, open_both(a, b), 10 * SEC);
	world_end(w);
}

/* [M29] */
TEST(handshake__the_smaller_of_each_limit)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_conn *conn;

	w->host[0].limits = (struct mroce_limits){ w->host[0].limits.instance, 1000, 8, 2048, 100, 1 << 20 };
	w->host[1].limits = (struct mroce_limits){ w->host[1].limits.instance, 4096, 3, 1024, 4096, 1 << 20 };
	w->cfg.payload = 4096;
	w->host[0].route_payload[0] = 4096;
	w->host[1].route_payload[0] = 4096;
	qp_connect(a, b);
	world_until(w, open_both(a, b), SEC);
	conn = host_conn(a->h, b->h, 0);
	CHECK_EQ(conn->npaths, 3);
	CHECK_EQ(conn->payload, 896);
	CHECK_EQ(conn->psn_window, 1024);
	CHECK_EQ(conn->msn_window, 100);
	conn = host_conn(b->h, a->h, 0);
	CHECK_EQ(conn->npaths, 3);
	CHECK_EQ(conn->payload, 896);
	CHECK_EQ(conn->psn_window, 1024);
	CHECK_EQ(conn->msn_window, 100);
	post_recvs(b, 1, 5000);
	post_send(a, 5000, 0);
	world_settle(w, SEC);
	world_end(w);
}

/* [M36] Both ends know where each other's numbers start. */
TEST(handshake__first_psns_by_the_formula)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_conn *ca, *cb;
	u32 i;

	qp_connect(a, b);
	world_until(w, host_conn(b->h, a->h, 0) && host_conn(b->h, a->h, 0)->has_peer, SEC);
	ca = host_conn(a->h, b->h, 0);
	cb = host_conn(b->h, a->h, 0);
	for (i = 0; i < 4; i++) {
		CHECK_EQ(ca->paths[i]->tx.una, mroce_isn(ca->seed, i));
		CHECK_EQ(cb->paths[i]->rx.cum, mroce_isn(ca->seed, i));
	}
	world_end(w);
}

/* --- packets made by others --- */

static struct mroce_connect good_connect(struct world *w)
{
	return (struct mroce_connect){
		.ver_type	= MROCE_VER_TYPE(MROCE_PT_CONNECT),
		.npaths		= 4,
		.my_id		= cpu_to_be32(0x1234),
		.instance	= cpu_to_be64(rng_next(&w->rng)),
		.seed		= cpu_to_be64(rng_next(&w->rng)),
		.max_payload	= cpu_to_be16(256),
		.psn_window	= cpu_to_be16(256),
		.msn_window	= cpu_to_be16(64),
	};
}

static void forge(struct world *w, int from, int to, const void *bytes, u32 len)
{
	struct wpkt *pkt = wpkt_new(len);

	memcpy(pkt->data, bytes, len);
	pkt->from = from;
	pkt->to = to;
	pkt->route = (struct mroce_route){ .ifindex = 1, .sport = 50000 };
	world_inject(w, pkt, w->now);
}

/* [M23] */
TEST(connect_input__values_out_of_range)
{
	struct world *w = world_new(NULL, test_seed());
	struct mroce_connect c;
	u32 i;

	for (i = 0; i < 6; i++) {
		c = good_connect(w);
		switch (i) {
		case 0:
			c.npaths = 0;
			break;
		case 1:
			c.npaths = 129;
			break;
		case 2:
			c.my_id = 0;
			break;
		case 3:
			c.max_payload = cpu_to_be16(127);
			break;
		case 4:
			c.psn_window = cpu_to_be16(255);
			break;
		case 5:
			c.msn_window = cpu_to_be16(15);
			break;
		}
		forge(w, 0, 1, &c, sizeof(c));
		world_run(w, 10 * US);
		CHECK_EQ(host_stat(&w->host[1], MROCE_CNT_DROP_CONNECT), i + 1);
	}
	CHECK_EQ(host_conns(&w->host[1]), 0);
	world_end(w);
}

/* [M16] */
TEST(connect_input__repeated_gets_the_same_accept)
{
	struct tap t = {};
	struct world *w = world_new(NULL, test_seed());
	struct mroce_connect c = good_connect(w);
	u32 i;

	tap_on(w, &t);
	for (i = 0; i < 5; i++) {
		forge(w, 0, 1, &c, sizeof(c));
		world_run(w, 50 * US);
	}
	CHECK_EQ(t.seen[MROCE_PT_ACCEPT], 5);
	CHECK_EQ(host_conns(&w->host[1]), 1);
	world_end(w);
}

/* [M27] */
TEST(connect_input__half_open_is_bounded_in_number_and_time)
{
	struct world *w = world_new(NULL, test_seed());
	struct mroce_connect c;
	u32 i;

	for (i = 0; i < 100; i++) {
		c = good_connect(w);
		forge(w, 0, 1, &c, sizeof(c));
		world_run(w, 50 * US);
		CHECK_LE(host_conns(&w->host[1]), MROCE_MAX_HALF_OPEN);
	}
	world_run(w, 6 * SEC);
	CHECK_EQ(host_conns(&w->host[1]), 0);
	CHECK_EQ(host_stat(&w->host[1], MROCE_CNT_CONN_EXPIRED), MROCE_MAX_HALF_OPEN);
	CHECK_EQ(w->host[1].alloc_bytes, 0);
	world_end(w);
}

/* [M19] */
TEST(connect_input__half_open_sends_no_data)
{
	struct tap t = { .drop_type = MROCE_PT_ACCEPT, .drop_from = 1, .drop_n = 1000 };
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_connect c = good_connect(w);

	forge(w, 0, 1, &c, sizeof(c));
	world_run(w, MS);
	t.seen[MROCE_PT_CONNECT] = 0;
	CHECK_EQ(qp_rtr(b, a->h, a->qpn, a), 0);
	world_run(w, 4 * MS);
	CHECK_EQ(t.seen[MROCE_PT_DATA], 0);
	/* [M20] Nobody confirms, and there is work. */
	world_run(w, 100 * MS);
	CHECK_GE(t.seen[MROCE_PT_CONNECT], 1);
	CHECK_EQ(t.seen[MROCE_PT_DATA], 0);
	world_end(w);
}

/* [M22] */
TEST(connect_input__a_forged_one_ends_nothing)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_connect c;
	u32 i;

	qp_connect(a, b);
	world_until(w, open_both(a, b), SEC);
	for (i = 0; i < 20; i++) {
		c = good_connect(w);
		forge(w, 0, 1, &c, sizeof(c));
		c = good_connect(w);
		forge(w, 1, 0, &c, sizeof(c));
		post_recvs(b, 1, 1000);
		post_send(a, 1000, 0);
		world_settle(w, 100 * MS);
	}
	world_run(w, 10 * SEC);
	check_agreed(w);
	CHECK_EQ(world_stat(w, MROCE_CNT_CONN_RESET), 0);
	world_end(w);
}

/* A forged CONNECT while ours is unanswered must not lead us astray for longer than until the true answer comes. */
TEST(connect_input__a_forged_one_during_set_up)
{
	struct tap t = { .drop_type = MROCE_PT_ACCEPT, .drop_n = 2 };
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_connect c = good_connect(w);

	qp_connect(a, b);
	world_run(w, US);
	forge(w, 1, 0, &c, sizeof(c));
	post_recvs(b, 1, 1000);
	post_send(a, 1000, 0);
	world_settle(w, SEC);
	world_end(w);
}

/* [M17] */
TEST(accept_input__needs_the_echo)
{
	struct tap t = { .drop_type = MROCE_PT_CONNECT, .drop_n = 1 };
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_connect c = good_connect(w);
	struct mroce_conn *conn;

	CHECK_EQ(qp_rtr(a, b->h, b->qpn, b), 0);
	conn = host_conn(a->h, b->h, 0);
	c.ver_type = MROCE_VER_TYPE(MROCE_PT_ACCEPT);
	c.conn_id = cpu_to_be32(conn->rx_id);
	c.echo = cpu_to_be64(conn->seed ^ 1);
	forge(w, 1, 0, &c, sizeof(c));
	world_run(w, 10 * US);
	CHECK_EQ(conn->state, MROCE_CONN_CONNECTING);
	CHECK_EQ(host_stat(a->h, MROCE_CNT_DROP_CONNECT), 1);
	c.echo = cpu_to_be64(conn->seed);
	c.npaths = 0;
	forge(w, 1, 0, &c, sizeof(c));
	world_run(w, 10 * US);
	CHECK_EQ(conn->state, MROCE_CONN_CONNECTING);
	c.npaths = 4;
	forge(w, 1, 0, &c, sizeof(c));
	world_run(w, US);
	CHECK_EQ(conn->state, MROCE_CONN_OPEN);
	world_end(w);
}

TEST(accept_input__when_open_only_the_same_again)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_connect c = good_connect(w);
	struct mroce_conn *conn;
	u32 drops;

	qp_connect(a, b);
	world_until(w, open_both(a, b), SEC);
	world_run(w, MS);
	conn = host_conn(a->h, b->h, 0);
	c.ver_type = MROCE_VER_TYPE(MROCE_PT_ACCEPT);
	c.conn_id = cpu_to_be32(conn->rx_id);
	c.echo = cpu_to_be64(conn->seed);
	drops = host_stat(a->h, MROCE_CNT_DROP_CONNECT);
	forge(w, 1, 0, &c, sizeof(c));
	world_run(w, 10 * US);
	CHECK_EQ(host_stat(a->h, MROCE_CNT_DROP_CONNECT), drops + 1);
	c.my_id = cpu_to_be32(conn->tx_id);
	c.seed = cpu_to_be64(conn->peer_seed);
	t.seen[MROCE_PT_ACK] = 0;
	forge(w, 1, 0, &c, sizeof(c));
	world_run(w, 10 * US);
	CHECK_EQ(t.seen[MROCE_PT_ACK], 1);
	check_agreed(w);
	world_end(w);
}

/* [M25, M26] */
TEST(accept_input__cookie_is_returned_once)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);

	w->host[1].cookies = WCOOKIE_ALWAYS;
	CHECK_EQ(qp_rtr(a, b->h, b->qpn, b), 0);
	world_run(w, 9 * MS);
	CHECK_EQ(t.seen[MROCE_PT_CONNECT], 2);
	CHECK_EQ(t.seen[MROCE_PT_ACCEPT], 2);
	CHECK_EQ(host_conns(&w->host[1]), 1);
	CHECK_EQ(qp_rtr(b, a->h, a->qpn, a), 0);
	world_until(w, open_both(a, b), SEC);
	check_agreed(w);
	world_end(w);
}

TEST(accept_input__cookie_where_no_queue_pair_names_the_sender)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);

	w->host[1].cookies = WCOOKIE_POLICY;
	CHECK_EQ(qp_rtr(a, b->h, b->qpn, b), 0);
	world_run(w, 5 * US);
	CHECK_EQ(host_conns(&w->host[1]), 0);
	CHECK_EQ(w->host[1].alloc_bytes, 0);
	world_run(w, 9 * MS);
	CHECK_EQ(host_conns(&w->host[1]), 1);
	world_end(w);
}

TEST(accept_input__forged_cookies_do_not_loop)
{
	struct tap t = { .drop_type = MROCE_PT_ACCEPT, .drop_n = 100 };
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_connect c = good_connect(w);
	u32 i;

	CHECK_EQ(qp_rtr(a, b->h, b->qpn, b), 0);
	c.ver_type = MROCE_VER_TYPE(MROCE_PT_ACCEPT);
	c.flags = MROCE_CONNECT_F_RETRY;
	c.conn_id = cpu_to_be32(host_conn(a->h, b->h, 0)->rx_id);
	c.echo = cpu_to_be64(host_conn(a->h, b->h, 0)->seed);
	c.cookie = cpu_to_be64(99);
	for (i = 0; i < 50; i++)
		forge(w, 1, 0, &c, sizeof(c));
	world_run(w, MS);
	CHECK_EQ(t.seen[MROCE_PT_CONNECT], 2);
	world_end(w);
}

/* --- RESET --- */

static struct mroce_reset reset_for(const struct mroce_conn *conn, const struct mroce_path *p, const struct mroce_sent *s)
{
	return (struct mroce_reset){
		.ver_type	= MROCE_VER_TYPE(MROCE_PT_RESET),
		.path		= p->index,
		.conn_id	= cpu_to_be32(conn->tx_id),
		.psn		= cpu_to_be32(s->psn),
		.tstamp		= cpu_to_be32(mroce_tick(s->sent_at)),
	};
}

/* [M33] All but one field known is not enough. */
TEST(peer_reset__needs_every_field_of_a_packet_in_flight)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_path *p = NULL;
	struct mroce_conn *conn;
	struct mroce_reset r;
	u32 i, drops = 0;

	qp_connect(a, b);
	world_until(w, open_both(a, b), SEC);
	world_run(w, MS);
	a->allow_fail = true;
	links_black(w, 0, 1, true);
	post_recvs(b, 1, 100);
	post_send(a, 100, 0)->expect = W_ANY;
	conn = host_conn(a->h, b->h, 0);
	for (i = 0; i < conn->npaths; i++)
		if (!list_empty(&conn->paths[i]->inflight))
			p = conn->paths[i];
	CHECK(p);
	for (i = 0; i < 5; i++) {
		r = reset_for(conn, p, list_first_entry(&p->inflight, struct mroce_sent, tx_link));
		switch (i) {
		case 0:
			r.conn_id ^= 1;
			break;
		case 1:
			r.psn = cpu_to_be32(be32_to_cpu(r.psn) + 1);
			break;
		case 2:
			r.tstamp = cpu_to_be32(be32_to_cpu(r.tstamp) + 1);
			break;
		case 3:
			r.path = (p->index + 1) % 4;
			break;
		case 4:
			r.path = 200;
			break;
		}
		forge(w, 1, 0, &r, sizeof(r));
		world_run(w, 10);
		CHECK_EQ(host_stat(a->h, MROCE_CNT_DROP_RESET), ++drops);
		CHECK_EQ(a->state, QP_RTS);
	}
	r = reset_for(conn, p, list_first_entry(&p->inflight, struct mroce_sent, tx_link));
	forge(w, 1, 0, &r, sizeof(r));
	world_run(w, 10);
	CHECK_EQ(a->state, QP_ERR);
	CHECK_EQ(a->why, MROCE_FAIL_PEER_LOST);
	CHECK_EQ(a->first_error, MROCE_ST_RETRY_EXC);
	world_end(w);
}

TEST(peer_reset__too_old)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_conn *conn;
	struct mroce_sent *sent;
	struct mroce_reset r;

	qp_connect(a, b);
	world_until(w, open_both(a, b), SEC);
	conn = host_conn(a->h, b->h, 0);
	world_run(w, MS);
	core_enter(a->peer);
	sent = mroce_txwin_add(conn, conn->paths[0]);
	sent->bytes = 64;
	mroce_txwin_sent(conn->paths[0], sent, w->now);
	r = reset_for(conn, conn->paths[0], sent);
	core_leave(a->peer);
	world_run(w, 90 * MS);
	forge(w, 1, 0, &r, sizeof(r));
	world_run(w, 10);
	CHECK_EQ(host_stat(a->h, MROCE_CNT_DROP_RESET), 1);
	CHECK_EQ(conn->state, MROCE_CONN_OPEN);
	world_end(w);
}

TEST(conn_confirm__an_ack_under_the_id_needs_the_proof)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_connect c = good_connect(w);
	struct mroce_ack_hdr h = { .ver_type = MROCE_VER_TYPE(MROCE_PT_ACK) };
	struct mroce_conn *conn;

	forge(w, 0, 1, &c, sizeof(c));
	world_run(w, MS);
	conn = host_conn(b->h, a->h, 0);
	CHECK_EQ(conn->state, MROCE_CONN_HALF);
	h.conn_id = cpu_to_be32(conn->rx_id);
	forge(w, 0, 1, &h, sizeof(h));
	world_run(w, 10);
	CHECK_EQ(conn->state, MROCE_CONN_HALF);
	h.proof = cpu_to_be32((u32)(conn->seed >> 32));
	forge(w, 0, 1, &h, sizeof(h));
	world_run(w, 10);
	CHECK_EQ(conn->state, MROCE_CONN_OPEN);
	world_end(w);
}

/* DATA inside the window opens it too: the confirmation may be lost. */
TEST(conn_confirm__data_in_the_window)
{
	struct tap t = {};
	struct wqp *a, *b;
	struct world *w = two(&a, &b, &t);
	struct mroce_connect c = good_connect(w);
	struct mroce_conn *conn;
	struct wpkt *pkt;

	forge(w, 0, 1, &c, sizeof(c));
	world_run(w, MS);
	conn = host_conn(b->h, a->h, 0);
	pkt = data_pkt(conn, 0, conn->paths[0]->rx.cum + 5000, NULL);
	pkt->to = 1;
	world_inject(w, pkt, w->now);
	world_run(w, 10);
	CHECK_EQ(conn->state, MROCE_CONN_HALF);
	CHECK_EQ(host_stat(b->h, MROCE_CNT_DROP_PSN), 1);
	pkt = data_pkt(conn, 0, conn->paths[0]->rx.cum, NULL);
	pkt->to = 1;
	world_inject(w, pkt, w->now);
	world_run(w, 10);
	CHECK_EQ(conn->state, MROCE_CONN_OPEN);
	world_end(w);
}
