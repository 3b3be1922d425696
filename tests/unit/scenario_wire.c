// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What packets must look like to others, and what a receiver must not mind.
 */
#include "lab.h"

struct play {
	struct world *w;
	struct wqp *a, *b;
};

static struct play play_with(wfilter_fn filter, const struct world_cfg *cfg)
{
	struct play x = { .w = world_new(cfg, test_seed()) };

	x.w->filter = filter;
	qp_pair(x.w, 0, 1, &x.a, &x.b);
	return x;
}

/* A bit of everything. */
static void work(struct play *x)
{
	struct wmr *wmr = mr_new(x->b->h, 20000, MROCE_ACC_WRITE, false);
	struct wmr *rmr = mr_new(x->b->h, 4000, MROCE_ACC_READ | MROCE_ACC_ATOMIC, false);
	struct wmr *amr = mr_new(x->b->h, 8, MROCE_ACC_ATOMIC, false);
	u32 i;

	mr_fill(rmr, rmr->rkey);
	for (i = 0; i < 20; i++) {
		post_send(x->a, 700, MROCE_MSG_F_IMM);
		post_write(x->a, wmr, i * 1000, 1000, 0);
		post_read(x->a, rmr, 0, 1000, 0);
		post_atomic(x->a, MROCE_MSG_FETCH_ADD, amr, 0, 1, 0);
	}
	world_run(x->w, MS);
	post_recvs(x->b, 20, 1000);
	world_settle(x->w, 10 * SEC);
	world_end(x->w);
}

static u32 types_seen;

static enum wverdict check_marks(struct world *w, struct wpkt *pkt)
{
	types_seen |= 1 << wpkt_type(pkt);
	CHECK_EQ(pkt->ect, wpkt_type(pkt) == MROCE_PT_DATA);
	return W_PASS;
}

/* [M3] */
TEST(wire__only_data_is_ecn_capable)
{
	struct play x;

	types_seen = 0;
	x = play_with(check_marks, &(struct world_cfg){ .link = { .loss = 50000 } });
	work(&x);
	CHECK_EQ(types_seen, 1 << MROCE_PT_CONNECT | 1 << MROCE_PT_ACCEPT | 1 << MROCE_PT_DATA | 1 << MROCE_PT_ACK |
			     1 << MROCE_PT_NAK);
}

/* All that this version leaves free is set: undefined flags, reserved bytes, feature bits. */
static enum wverdict set_reserved(struct world *w, struct wpkt *pkt)
{
	u8 *d = pkt->data;

	switch (wpkt_type(pkt)) {
	case MROCE_PT_CONNECT:
	case MROCE_PT_ACCEPT:
		d[1] |= 0xfe;
		memset(d + offsetof(struct mroce_connect, features), 0xff, 4);
		memset(d + offsetof(struct mroce_connect, rsvd), 0xff, 10);
		break;
	case MROCE_PT_DATA:
		d[1] |= 0xf0;
		memset(d + offsetof(struct mroce_data_hdr, rsvd), 0xff, 7);
		if (mroce_opcode_is_ctrl(d[3]))
			memset(d + offsetof(struct mroce_ctrl_hdr, rsvd), 0xff, 12);
		break;
	case MROCE_PT_ACK:
		d[1] = 0xff;
		memset(d + offsetof(struct mroce_ack_hdr, rsvd), 0xff, 2);
		if (d[2])
			memset(d + sizeof(struct mroce_ack_hdr) + 1, 0xff, 3);
		break;
	case MROCE_PT_NAK:
		d[1] = 0xff;
		d[3] = 0xff;
		d[sizeof(struct mroce_nak_hdr) + 3] = 0xff;
		break;
	}
	return W_PASS;
}

/* [M6, M30] */
TEST(wire__reserved_is_not_looked_at)
{
	struct play x = play_with(set_reserved, NULL);

	work(&x);
}

static u32 marks;

static enum wverdict mark_every_third(struct world *w, struct wpkt *pkt)
{
	if (wpkt_type(pkt) == MROCE_PT_DATA && pkt->from == 0 && !(marks % 3))
		pkt->ce = true;
	if (wpkt_type(pkt) == MROCE_PT_DATA && pkt->from == 0)
		marks++;
	return W_PASS;
}

/* [M122, M123] */
TEST(wire__marks_are_counted_and_obeyed)
{
	struct play x;
	u64 counted = 0;
	u32 i;

	marks = 0;
	x = play_with(mark_every_third, NULL);
	post_recvs(x.b, 100, 5000);
	for (i = 0; i < 100; i++)
		post_send(x.a, 5000, 0);
	world_settle(x.w, 10 * SEC);
	world_run(x.w, MS);
	for (i = 0; i < 4; i++)
		counted += host_conn(x.a->h, x.b->h, 0)->paths[i]->ce_seen;
	CHECK_EQ(counted, (marks + 2) / 3);
	CHECK_EQ(host_stat(x.b->h, MROCE_CNT_RX_CE), counted);
	CHECK_GE(host_stat(x.a->h, MROCE_CNT_CWND_CE), 4);
	for (i = 0; i < 4; i++)
		CHECK_LE(host_conn(x.a->h, x.b->h, 0)->paths[i]->cc.cwnd, 20 * 320);
	world_end(x.w);
}

/* [M59] Nine of ten packets are lost: slow, but nothing fails while some arrive. */
TEST(loss__alone_fails_no_queue_pair)
{
	struct world *w = world_new(&(struct world_cfg){ .npaths = 2 }, test_seed());
	struct wqp *a, *b;
	u32 i;

	qp_pair(w, 0, 1, &a, &b);
	world_until(w, a->s.opened && b->s.opened, SEC);
	links_set(w, -1, -1, &(struct wlink){ .delay = 5 * US, .loss = 600000 });
	a->s.attr.timeout = 19;
	a->s.attr.retry_cnt = 7;
	post_recvs(b, 10, 3000);
	for (i = 0; i < 10; i++)
		post_send(a, 3000, 0);
	world_settle(w, 600 * SEC);
	world_end(w);
}

/* [M115] */
TEST(placement__sends_at_once_whatever_their_order)
{
	struct lab l = lab_pair(NULL);
	struct wrecv *r;

	post_recvs(l.b, 1, 1000);
	r = post_recv(l.b, 1000);
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_SEND, .msn = 1, .rsn = 1, .msg_len = 600, .offset = 400, .len = 200));
	CHECK_EQ(r->cnt[400], 1);
	CHECK_EQ(r->cnt[399], 0);
	CHECK_EQ(l.b->received, 0);
	lab_end(&l);
}

/* [M139] Nothing repeats, and all comes from the host's source of chance. */
TEST(chance__ids_seeds_and_tags)
{
	enum { N = 40 };
	u64 seen[N * 4];
	u32 n = 0, i, k;

	for (i = 0; i < N; i++) {
		struct lab l = lab_conn(NULL);
		struct wqp *a = qp_new(&l.w->host[0]);

		l.w->rng.state = mix64(i + 1);
		CHECK_EQ(qp_rtr(a, &l.w->host[1], 5, NULL), 0);
		seen[n++] = a->s.rx_tag;
		qp_reset(a);
		mroce_conn_destroy(l.conn);
		l.conn = mroce_conn_create(&l.wp->p, 1, false, l.w->now);
		seen[n++] = l.conn->rx_id;
		seen[n++] = l.conn->seed;
		seen[n++] = l.conn->paths[0]->tx.nxt;
		lab_end(&l);
	}
	for (i = 0; i < n; i++)
		for (k = i + 1; k < n; k++)
			CHECK_NE(seen[i], seen[k]);
}
