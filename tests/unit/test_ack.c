// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/ack.c: when acknowledgements leave, what they say, and what a sender makes of them.
 * [M47, M48, M49, M50, M53, M54]
 */
#include "lab.h"

/* An open connection of b that receives: no stream is needed for EMPTY packets. */
struct rig {
	struct lab l;
	u32 psn;
	u32 tick;
	struct tap tap;
};

static struct rig rig(u32 psn_window)
{
	struct rig r = { .l = lab_pair(&(struct world_cfg){ .psn_window = psn_window }) };

	r.l.p = r.l.conn->paths[3];
	r.psn = r.l.p->rx.cum;
	return r;
}

static void arrive(struct rig *r, u32 n, u8 flags, bool ce)
{
	struct feed f = { .opcode = MROCE_OP_EMPTY, .flags = flags };
	struct wpkt *pkt = data_pkt(r->l.conn, 3, r->psn + n, &f);
	struct mroce_data_hdr *h = (void *)pkt->data;
	struct mroce_rx rx;

	h->tstamp = cpu_to_be32(++r->tick);
	pkt->ce = ce;
	rx = lab_rx(pkt);
	mroce_conn_input(r->l.conn, &rx, r->l.w->now);
	wpkt_free(pkt);
}

/* Is an ACK of the path due now? */
static bool due(struct rig *r)
{
	struct mroce_path *p;

	list_for_each_entry(p, &r->l.conn->ack_due, ack_link)
		if (p == r->l.p)
			return true;
	return false;
}

static bool waits(struct rig *r)
{
	struct mroce_path *p;

	list_for_each_entry(p, &r->l.conn->ack_wait, ack_link)
		if (p == r->l.p)
			return true;
	return false;
}

static struct mroce_tx tx;

/* Takes the ACK; returns its blocks. */
static struct mroce_ack_block *take(struct rig *r, u32 *n)
{
	static struct mroce_ack_block b[MROCE_MAX_ACK_BLOCKS];
	struct mroce_ack_hdr h;

	CHECK(mroce_ack_output(r->l.conn, &tx, r->l.w->now));
	memcpy(&h, tx.hdr, sizeof(h));
	memcpy(b, tx.hdr + sizeof(h), h.nblocks * sizeof(*b));
	CHECK_EQ(tx.hdr_len, sizeof(h) + h.nblocks * sizeof(*b) + h.ncredits * sizeof(struct mroce_credit));
	*n = h.nblocks;
	return b;
}

static struct rig warm(void)
{
	struct rig r = rig(256);
	u32 n;

	arrive(&r, 0, 0, false);
	take(&r, &n);
	return r;
}

TEST(ack_note__first_packet_of_a_path_at_once)
{
	struct rig r = rig(256);

	arrive(&r, 0, 0, false);
	CHECK(due(&r));
	lab_end(&r.l);
}

TEST(ack_note__in_order_waits_for_the_batch)
{
	struct rig r = warm();
	u32 i;

	for (i = 1; i < 16; i++) {
		arrive(&r, i, 0, false);
		CHECK(!due(&r) && waits(&r));
	}
	arrive(&r, 16, 0, false);
	CHECK(due(&r));
	lab_end(&r.l);
}

TEST(ack_note__or_for_fifty_microseconds)
{
	struct rig r = warm();

	arrive(&r, 1, 0, false);
	CHECK(r.l.conn->ack_timer.armed);
	CHECK_EQ(r.l.conn->ack_timer.expires, r.l.w->now + 50 * US);
	mroce_peer_timer(&r.l.wp->p, r.l.w->now + 50 * US);
	CHECK(due(&r));
	lab_end(&r.l);
}

TEST(ack_note__gap_at_once)
{
	struct rig r = warm();

	arrive(&r, 2, 0, false);
	CHECK(due(&r));
	lab_end(&r.l);
}

TEST(ack_note__filled_gap_at_once)
{
	struct rig r = warm();
	u32 n;

	arrive(&r, 2, 0, false);
	take(&r, &n);
	arrive(&r, 1, 0, false);
	CHECK(due(&r));
	lab_end(&r.l);
}

TEST(ack_note__duplicate_at_once)
{
	struct rig r = warm();

	arrive(&r, 0, 0, false);
	CHECK(due(&r));
	CHECK_EQ(r.l.p->dup_count, 1);
	lab_end(&r.l);
}

/* Right behind its original, with the same timestamp: the network's doing. */
TEST(ack_note__a_copy_made_on_the_way_counts_for_nothing)
{
	struct rig r = warm();

	r.tick--;
	arrive(&r, 0, 0, false);
	CHECK_EQ(r.l.p->dup_count, 0);
	CHECK_EQ(r.l.wp->p.stats[MROCE_CNT_RX_DUP], 1);
	lab_end(&r.l);
}

TEST(ack_note__on_request_at_once)
{
	struct rig r = warm();

	arrive(&r, 1, MROCE_F_ACK_REQ, false);
	CHECK(due(&r));
	lab_end(&r.l);
}

TEST(ack_note__change_of_marks_at_once)
{
	struct rig r = warm();
	u32 n;

	arrive(&r, 1, 0, true);
	CHECK(due(&r));
	take(&r, &n);
	arrive(&r, 2, 0, true);
	CHECK(!due(&r));
	arrive(&r, 3, 0, false);
	CHECK(due(&r));
	lab_end(&r.l);
}

TEST(ack_output__state_of_the_path)
{
	struct rig r = warm();
	struct mroce_ack_block *b;
	u32 n;

	arrive(&r, 1, 0, true);
	arrive(&r, 3, 0, true);
	arrive(&r, 3, 0, false);
	world_run(r.l.w, 3 * MROCE_TICK_NS);
	b = take(&r, &n);
	CHECK_EQ(n, 1);
	CHECK_EQ(b->path, 3);
	CHECK_EQ(be32_to_cpu(b->cum_psn), r.psn + 2);
	CHECK_EQ(be32_to_cpu(b->base_psn), r.psn + 2);
	CHECK_EQ(be64_to_cpu(b->sack[0]), 2);
	CHECK_EQ(be32_to_cpu(b->ce_count), 2);
	CHECK_EQ(be32_to_cpu(b->dup_count), 1);
	CHECK_EQ(be32_to_cpu(b->rx_count), 4);
	CHECK_EQ(be32_to_cpu(b->tstamp_delay), 3);
	CHECK(!mroce_ack_output(r.l.conn, &tx, r.l.w->now));
	lab_end(&r.l);
}

/* [M51] */
TEST(ack_output__leaves_where_the_newest_packet_came_in)
{
	struct rig r = warm();
	u32 n;

	arrive(&r, 1, MROCE_F_ACK_REQ, false);
	take(&r, &n);
	CHECK_EQ(tx.route.ifindex, 1);
	CHECK_EQ(tx.route.sport, 50000);
	CHECK(!tx.ect);
	lab_end(&r.l);
}

/* [M48] A retransmission far from both edges is told as well. */
TEST(ack_output__covers_the_newest_packet)
{
	struct rig r = rig(8192);
	struct mroce_ack_block *b;
	u32 i, k, n, said = 0;

	for (i = 1; i < 4000; i++)
		arrive(&r, i, 0, false);
	take(&r, &n);
	arrive(&r, 1500, MROCE_F_RETX, false);
	b = take(&r, &n);
	CHECK_EQ(n, MROCE_MAX_ACK_BLOCKS);
	for (k = 0; k < n; k++) {
		u32 bit = r.psn + 1500 - be32_to_cpu(b[k].base_psn);

		said += bit < 256 && be64_to_cpu(b[k].sack[bit / 64]) >> (bit % 64) & 1;
	}
	CHECK_EQ(said, 1);
	lab_end(&r.l);
}

TEST(ack_output__covers_both_edges_of_a_long_window)
{
	struct rig r = rig(8192);
	struct mroce_ack_block *b;
	bool said[4000] = {};
	u32 i, k, n;

	for (i = 1; i < 4000; i += 2)
		arrive(&r, i, 0, false);
	b = take(&r, &n);
	CHECK_EQ(n, MROCE_MAX_ACK_BLOCKS);
	for (k = 0; k < n; k++) {
		u32 base = be32_to_cpu(b[k].base_psn) - r.psn;

		CHECK_EQ(be32_to_cpu(b[k].cum_psn), r.psn);
		for (i = 0; i < 256; i++) {
			bool set = be64_to_cpu(b[k].sack[i / 64]) >> (i % 64) & 1;

			CHECK_EQ(set, base + i < 4000 && (base + i) % 2);
			if (set)
				said[base + i] = true;
		}
	}
	CHECK(said[1] && said[255]);
	CHECK(said[3999] && said[3999 - 2 * 256 + 2]);
	lab_end(&r.l);
}

TEST(ack_output__nothing_before_the_peer_is_known)
{
	struct lab l = lab_conn(NULL);

	list_add_tail(&l.p->ack_link, &l.conn->ack_due);
	CHECK(!mroce_ack_output(l.conn, &tx, l.w->now));
	lab_end(&l);
}

/* [M79] */
TEST(ack_output__at_most_eight_credits_the_rest_later)
{
	struct lab l = lab_pair(NULL);
	struct mroce_ack_hdr h;
	struct wqp *b[10];
	u32 i;

	for (i = 0; i < 10; i++) {
		b[i] = qp_new(l.b->h);
		b[i]->attr.dst_qpn = i + 1;
		CHECK_EQ(qp_rtr(b[i], l.a->h, i + 1, NULL), 0);
		post_recvs(b[i], i, 10);
		list_add_tail(&b[i]->s.credit_link, &l.conn->credits);
	}
	list_move_tail(&l.p->ack_link, &l.conn->ack_due);
	CHECK(mroce_ack_output(l.conn, &tx, l.w->now));
	memcpy(&h, tx.hdr, sizeof(h));
	CHECK_EQ(h.ncredits, 8);
	for (i = 0; i < 8; i++) {
		struct mroce_credit c;

		memcpy(&c, tx.hdr + sizeof(h) + h.nblocks * sizeof(struct mroce_ack_block) + i * sizeof(c), sizeof(c));
		CHECK_EQ(be32_to_cpu(c.qpn), i + 1);
		CHECK_EQ(be32_to_cpu(c.tag), b[i]->s.rx_tag);
		CHECK_EQ(be32_to_cpu(c.rsn_limit), i);
	}
	list_move_tail(&l.p->ack_link, &l.conn->ack_due);
	CHECK(mroce_ack_output(l.conn, &tx, l.w->now));
	memcpy(&h, tx.hdr, sizeof(h));
	CHECK_EQ(h.ncredits, 2);
	lab_end(&l);
}

TEST(nak_note__a_full_list_forgets_the_oldest)
{
	struct lab l = lab_pair(NULL);
	struct mroce_nak_hdr h;
	struct mroce_nak_rec r;
	u32 i;

	for (i = 0; i < MROCE_MAX_NAK_RECS + 3; i++)
		mroce_nak_note(l.conn, 0, i, MROCE_SYN_RNR, 5);
	CHECK(mroce_nak_output(l.conn, &tx, l.w->now));
	memcpy(&h, tx.hdr, sizeof(h));
	memcpy(&r, tx.hdr + sizeof(h), sizeof(r));
	CHECK_EQ(h.count, MROCE_MAX_NAK_RECS);
	CHECK_EQ(be32_to_cpu(r.psn), 3);
	CHECK(r.syndrome == MROCE_SYN_RNR && r.arg == 5 && !r.path);
	CHECK_LE(tx.hdr_len, MROCE_MAX_CTRL_LEN);
	CHECK(!mroce_nak_output(l.conn, &tx, l.w->now));
	lab_end(&l);
}

/* --- the sender --- */

struct ack {
	struct mroce_ack_hdr h;
	struct mroce_ack_block b[MROCE_MAX_ACK_BLOCKS];
	struct mroce_credit c[MROCE_MAX_CREDITS];
};

static void give(struct lab *l, const struct ack *a, u32 len)
{
	struct wpkt *pkt = wpkt_new(len);
	struct mroce_rx rx = lab_rx(pkt);

	memcpy(pkt->data, a, len);
	pkt->data[0] = MROCE_VER_TYPE(MROCE_PT_ACK);
	mroce_conn_input(l->conn, &rx, l->w->now);
	wpkt_free(pkt);
}

static struct ack ack_of(const struct lab *l, u32 cum, u64 sack)
{
	return (struct ack){
		.h.nblocks = 1,
		.b[0] = {
			.path = l->p->index,
			.cum_psn = cpu_to_be32(cum),
			.base_psn = cpu_to_be32(cum),
			.tstamp_echo = cpu_to_be32(mroce_tick(l->w->now)),
			.sack[0] = cpu_to_be64(sack),
			.dup_count = cpu_to_be32(l->p->loss.dup_seen),
		},
	};
}

#define ONE	(sizeof(struct mroce_ack_hdr) + sizeof(struct mroce_ack_block))

static struct lab sender(void)
{
	struct lab l = lab_pair(NULL);

	l.p = l.conn->paths[2];
	CHECK(list_empty(&l.p->inflight));
	return l;
}

TEST(ack_input__accepts_cum_and_vector)
{
	struct lab l = sender();
	u32 first = l.p->tx.nxt;
	struct ack a;

	lab_sent(&l, 6, 100);
	a = ack_of(&l, first + 1, 2 | 8);
	give(&l, &a, ONE);
	CHECK_EQ(l.p->tx.una, first + 1);
	CHECK(mroce_txwin_find(&l.p->tx, first + 1));
	CHECK(!mroce_txwin_find(&l.p->tx, first + 2));
	CHECK(mroce_txwin_find(&l.p->tx, first + 3));
	CHECK(!mroce_txwin_find(&l.p->tx, first + 4));
	CHECK_EQ(l.conn->lost_pkts, 2);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_LOSS_GAP], 2);
	lab_end(&l);
}

TEST(ack_input__old_and_repeated_acks_are_harmless)
{
	struct lab l = sender();
	u32 first = l.p->tx.nxt;
	struct ack a;

	lab_sent(&l, 4, 100);
	a = ack_of(&l, first + 3, 0);
	give(&l, &a, ONE);
	a = ack_of(&l, first + 1, 0);
	give(&l, &a, ONE);
	give(&l, &a, ONE);
	CHECK_EQ(l.p->tx.una, first + 3);
	CHECK_EQ(l.p->inflight_bytes, 100);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_DROP_ACK], 0);
	lab_end(&l);
}

TEST(ack_input__of_what_was_never_sent)
{
	struct lab l = sender();
	u32 first = l.p->tx.nxt, k;
	static const u32 wrong[] = { 3, 100, 0x80000000u, 0xffff0000u };
	struct ack a;

	lab_sent(&l, 2, 100);
	for (k = 0; k < ARRAY_SIZE(wrong); k++) {
		a = ack_of(&l, first + wrong[k], 0);
		give(&l, &a, ONE);
		CHECK_EQ(l.wp->p.stats[MROCE_CNT_DROP_ACK], k + 1);
	}
	CHECK_EQ(l.p->tx.una, first);
	/* Bits beyond the last PSN say nothing. */
	a = ack_of(&l, first, ~0ULL << 2);
	give(&l, &a, ONE);
	CHECK_EQ(l.p->inflight_bytes, 200);
	lab_end(&l);
}

TEST(ack_input__base_out_of_the_window)
{
	struct lab l = sender();
	struct ack a;

	lab_sent(&l, 2, 100);
	a = ack_of(&l, l.p->tx.una, 0);
	a.b[0].base_psn = cpu_to_be32(l.p->tx.una + 10000);
	give(&l, &a, ONE);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_DROP_ACK], 1);
	lab_end(&l);
}

TEST(ack_input__unknown_path)
{
	struct lab l = sender();
	struct ack a = ack_of(&l, l.p->tx.una, 0);

	a.b[0].path = 4;
	give(&l, &a, ONE);
	a.b[0].path = 255;
	give(&l, &a, ONE);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_DROP_ACK], 2);
	lab_end(&l);
}

/* [M5] */
TEST(ack_input__shorter_than_its_counts)
{
	struct lab l = sender();
	struct ack a = ack_of(&l, l.p->tx.una, 0);

	a.h.nblocks = 2;
	give(&l, &a, ONE);
	a.h.nblocks = 1;
	a.h.ncredits = 1;
	give(&l, &a, ONE);
	a.h.ncredits = 9;
	give(&l, &a, sizeof(a));
	a.h.ncredits = 0;
	a.h.nblocks = 5;
	give(&l, &a, sizeof(a));
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_DROP_MALFORMED], 4);
	lab_end(&l);
}

TEST(ack_input__round_trip_without_the_receivers_delay)
{
	struct lab l = sender();
	u32 first = l.p->tx.nxt;
	struct ack a;

	lab_sent(&l, 1, 100);
	a = ack_of(&l, first + 1, 0);
	a.b[0].tstamp_delay = cpu_to_be32(30 * US / MROCE_TICK_NS);
	world_run(l.w, 100 * US);
	memset(&l.p->rtt, 0, sizeof(l.p->rtt));
	give(&l, &a, ONE);
	CHECK_GE(l.p->rtt.srtt, 70 * US - 2 * MROCE_TICK_NS);
	CHECK_LE(l.p->rtt.srtt, 70 * US + 2 * MROCE_TICK_NS);
	lab_end(&l);
}

TEST(ack_input__unknown_delay_gives_no_sample)
{
	struct lab l = sender();
	u32 first = l.p->tx.nxt;
	struct ack a;

	lab_sent(&l, 1, 100);
	a = ack_of(&l, first + 1, 0);
	a.b[0].tstamp_delay = ~0U;
	memset(&l.p->rtt, 0, sizeof(l.p->rtt));
	give(&l, &a, ONE);
	CHECK_EQ(l.p->rtt.srtt, 0);
	lab_end(&l);
}

/* [M57] */
TEST(ack_input__unexplained_duplicates_raise_the_tolerance)
{
	struct lab l = sender();
	struct ack a;
	u32 i;

	CHECK_EQ(l.p->loss.reorder, 0);
	for (i = 1; i < 20; i++) {
		a = ack_of(&l, l.p->tx.una, 0);
		a.b[0].dup_count = cpu_to_be32(i);
		give(&l, &a, ONE);
		CHECK_GT(l.p->loss.reorder, 0);
	}
	CHECK_LE(l.p->loss.reorder, mroce_path_srtt(l.p));
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_SPURIOUS], 19);
	/* Counts that go back are of an older ACK. */
	a.b[0].dup_count = cpu_to_be32(3);
	give(&l, &a, ONE);
	CHECK_EQ(l.p->loss.dup_seen, 19);
	lab_end(&l);
}

TEST(ack_input__duplicates_by_our_own_probes_do_not)
{
	struct lab l = sender();
	struct ack a;

	l.p->loss.dup_allowed = 2;
	l.p->loss.probed_at = l.w->now;
	a = ack_of(&l, l.p->tx.una, 0);
	a.b[0].dup_count = cpu_to_be32(2);
	give(&l, &a, ONE);
	CHECK_EQ(l.p->loss.reorder, 0);
	CHECK_EQ(l.p->loss.dup_allowed, 0);
	a.b[0].dup_count = cpu_to_be32(3);
	give(&l, &a, ONE);
	CHECK_GT(l.p->loss.reorder, 0);
	lab_end(&l);
}

TEST(ack_input__progress_ends_backing_off)
{
	struct lab l = sender();
	u32 first = l.p->tx.nxt;
	struct ack a;

	lab_sent(&l, 2, 100);
	l.p->loss.rtos = 3;
	l.p->loss.probes = 1;
	a = ack_of(&l, first, 0);
	give(&l, &a, ONE);
	CHECK_EQ(l.p->loss.rtos, 3);
	a = ack_of(&l, first + 1, 0);
	give(&l, &a, ONE);
	CHECK_EQ(l.p->loss.rtos, 0);
	CHECK_EQ(l.p->loss.probes, 0);
	lab_end(&l);
}

/* [M80] */
TEST(ack_input__credit_only_grows_and_needs_the_tag)
{
	struct lab l = lab_pair(NULL);
	struct ack a = { .h.ncredits = 1 };
	struct mroce_credit *c = (struct mroce_credit *)a.b;
	u32 len = sizeof(a.h) + sizeof(*c);

	c->qpn = cpu_to_be32(l.b->qpn);
	c->tag = cpu_to_be32(l.b->s.tx_tag);
	c->rsn_limit = cpu_to_be32(10);
	give(&l, &a, len);
	CHECK_EQ(l.b->s.rsn_limit, 10);
	c->rsn_limit = cpu_to_be32(5);
	give(&l, &a, len);
	CHECK_EQ(l.b->s.rsn_limit, 10);
	c->rsn_limit = cpu_to_be32(20);
	c->tag ^= 1;
	give(&l, &a, len);
	CHECK_EQ(l.b->s.rsn_limit, 10);
	c->tag ^= 1;
	c->qpn = cpu_to_be32(0xfffff1);
	give(&l, &a, len);
	CHECK_EQ(l.b->s.rsn_limit, 10);
	lab_end(&l);
}

static void give_nak(struct lab *l, u8 count, u8 path, u8 syn, u32 psn, u32 len)
{
	struct wpkt *pkt = wpkt_new(len);
	struct mroce_nak_hdr h = { .ver_type = MROCE_VER_TYPE(MROCE_PT_NAK), .count = count };
	struct mroce_nak_rec r = { .path = path, .syndrome = syn, .psn = cpu_to_be32(psn) };
	struct mroce_rx rx = lab_rx(pkt);

	memcpy(pkt->data, &h, sizeof(h));
	if (len >= sizeof(h) + sizeof(r))
		memcpy(pkt->data + sizeof(h), &r, sizeof(r));
	mroce_conn_input(l->conn, &rx, l->w->now);
	wpkt_free(pkt);
}

TEST(nak_input__malformed)
{
	struct lab l = sender();

	give_nak(&l, 0, 0, 1, 0, 16);
	give_nak(&l, 2, 0, 1, 0, 16);
	give_nak(&l, 33, 0, 1, 0, 8 + 33 * 8);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_DROP_MALFORMED], 3);
	lab_end(&l);
}

TEST(nak_input__names_nothing_that_waits)
{
	struct lab l = sender();
	u32 first = l.p->tx.nxt;

	lab_sent(&l, 1, 100);
	give_nak(&l, 1, 200, MROCE_SYN_RNR, first, 16);
	give_nak(&l, 1, l.p->index, MROCE_SYN_NONE, first, 16);
	give_nak(&l, 1, l.p->index, MROCE_SYN_MAX, first, 16);
	give_nak(&l, 1, l.p->index, MROCE_SYN_RNR, first + 1, 16);
	give_nak(&l, 1, l.p->index, MROCE_SYN_RNR, first - 1, 16);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_DROP_NAK], 5);
	/* Known and without content: nothing happens. */
	give_nak(&l, 1, l.p->index, MROCE_SYN_RNR, first, 16);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_DROP_NAK], 5);
	CHECK_EQ(l.conn->lost_pkts, 0);
	lab_end(&l);
}

TEST(nak_input__not_before_the_connection_is_open)
{
	struct lab l = lab_conn(NULL);

	give_nak(&l, 1, 0, MROCE_SYN_RNR, 0, 16);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_DROP_CONN_STATE], 1);
	lab_end(&l);
}

/* [M52] A duplicate says that our ACKs may not arrive: the next one takes another way. */
TEST(ack_output__after_a_duplicate_by_another_port)
{
	struct rig r = warm();
	u16 before;
	u32 n;

	arrive(&r, 1, MROCE_F_ACK_REQ, false);
	take(&r, &n);
	before = tx.route.sport;
	arrive(&r, 1, MROCE_F_ACK_REQ | MROCE_F_RETX, false);
	take(&r, &n);
	CHECK_NE(tx.route.sport, before);
	CHECK_EQ(tx.route.ifindex, 1);
	lab_end(&r.l);
}
