// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/output.c: what leaves next, and fairness among streams. [M39, M40, M124, M129]
 */
#include "lab.h"

static struct mroce_tx tx;

static u8 out_type(struct lab *l)
{
	return mroce_peer_output(&l->wp->p, &tx, l->w->now) ? tx.hdr[0] & 0xf : 0;
}

static struct mroce_data_hdr out_hdr(void)
{
	struct mroce_data_hdr h;

	memcpy(&h, tx.hdr, sizeof(h));
	return h;
}

TEST(output__refusals_then_acks_then_losses_then_new)
{
	struct lab l = lab_pair(&(struct world_cfg){ .npaths = 2 });
	u32 first;

	l.b->s.rsn_limit = 10;
	l.p = l.conn->paths[0];
	first = l.p->tx.nxt;
	lab_sent(&l, 1, 100);
	mroce_txwin_lose(l.p, mroce_txwin_find(&l.p->tx, first));
	post_send(l.b, 10, 0);
	mroce_nak_note(l.conn, 1, 5, MROCE_SYN_RNR, 1);
	mroce_ack_note(l.conn->paths[1], true, l.w->now);
	l.conn->replies[0].ver_type = MROCE_VER_TYPE(MROCE_PT_PROBE);
	l.conn->nreplies = 1;
	CHECK_EQ(out_type(&l), MROCE_PT_NAK);
	CHECK_EQ(out_type(&l), MROCE_PT_ACK);
	CHECK_EQ(out_type(&l), MROCE_PT_PROBE);
	CHECK_EQ(out_type(&l), MROCE_PT_DATA);
	CHECK_EQ(out_hdr().opcode, MROCE_OP_EMPTY);
	CHECK_EQ(be32_to_cpu(out_hdr().psn), first);
	CHECK(out_hdr().flags & MROCE_F_RETX);
	CHECK(out_hdr().flags & MROCE_F_ACK_REQ);
	CHECK_EQ(out_type(&l), MROCE_PT_DATA);
	CHECK_EQ(out_hdr().opcode, MROCE_OP_SEND);
	CHECK(!(out_hdr().flags & MROCE_F_RETX));
	CHECK_EQ(out_type(&l), 0);
	lab_end(&l);
}

/* The last packet of each path: nothing behind it would bring its verdict. */
TEST(output__the_last_packets_ask_for_an_ack)
{
	struct lab l = lab_pair(&(struct world_cfg){ .npaths = 2 });
	u32 i;

	l.b->s.rsn_limit = 10;
	for (i = 0; i < 2; i++)
		l.conn->paths[i]->cc.cwnd = 4 * 320;
	post_send(l.b, 5 * 256, 0);
	for (i = 0; i < 5; i++) {
		CHECK_EQ(out_type(&l), MROCE_PT_DATA);
		CHECK_EQ(!!(out_hdr().flags & MROCE_F_ACK_REQ), i >= 3);
	}
	lab_end(&l);
}

TEST(output__window_is_kept)
{
	struct lab l = lab_pair(&(struct world_cfg){ .npaths = 1 });
	u32 n = 0;

	l.p = l.conn->paths[0];
	l.b->s.rsn_limit = 10;
	post_send(l.b, 100000, 0);
	while (out_type(&l))
		n++;
	CHECK_LE(l.p->inflight_bytes, l.p->cc.cwnd);
	CHECK_GE(l.p->inflight_bytes + 320, l.p->cc.cwnd);
	CHECK_GE(n, 2);
	CHECK(out_hdr().flags & MROCE_F_ACK_REQ);
	lab_end(&l);
}

/* As many ACKs as keep it going: a full window asks, and then not before half of one was sent. */
TEST(output__a_full_window_asks_for_an_ack_each_half)
{
	struct lab l = lab_pair(&(struct world_cfg){ .npaths = 1 });
	u32 i;

	l.p = l.conn->paths[0];
	l.b->s.rsn_limit = 10;
	l.p->cc.cwnd = 8 * 320;
	post_send(l.b, 100 * 256, 0);
	for (i = 1; i <= 8; i++) {
		CHECK_EQ(out_type(&l), MROCE_PT_DATA);
		CHECK_EQ(!!(out_hdr().flags & MROCE_F_ACK_REQ), i == 8);
	}
	CHECK_EQ(out_type(&l), 0);
	for (i = 1; i <= 8; i++) {
		l.p->cc.cwnd += 320;
		mroce_conn_out(l.conn);
		CHECK_EQ(out_type(&l), MROCE_PT_DATA);
		CHECK_EQ(!!(out_hdr().flags & MROCE_F_ACK_REQ), i == 8);
	}
	lab_end(&l);
}

/* A path may always have one packet in flight. */
TEST(output__one_packet_fits_any_window)
{
	struct lab l = lab_pair(&(struct world_cfg){ .npaths = 1 });

	l.b->s.rsn_limit = 10;
	l.conn->paths[0]->cc.cwnd = 1;
	post_send(l.b, 1000, 0);
	CHECK_EQ(out_type(&l), MROCE_PT_DATA);
	CHECK_EQ(out_type(&l), 0);
	lab_end(&l);
}

/* [M129] */
TEST(output__streams_share_by_bytes)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.a->h, 300000, MROCE_ACC_WRITE, true);
	struct wqp *q[2];
	u64 bytes[2] = {};
	u32 i, k;

	mr->overlap = true;
	for (i = 0; i < 2; i++) {
		q[i] = qp_new(l.b->h);
		CHECK_EQ(qp_rtr(q[i], l.a->h, 1000 + i, NULL), 0);
		qp_rts(q[i]);
		mroce_stream_opened(&q[i]->s, 1, 0, true, l.w->now);
	}
	/* One in many small packets, one in full ones. */
	for (k = 0; k < 60; k++)
		post_write(q[0], mr, 0, 64, 0);
	for (k = 0; k < 4; k++)
		post_write(q[1], mr, 0, 100000, 0);
	for (k = 0; k < 4; k++)
		l.conn->paths[k]->cc.cwnd = 1 << 20;
	while (bytes[0] < 40 * 128) {
		CHECK_EQ(out_type(&l), MROCE_PT_DATA);
		for (i = 0; i < 2; i++)
			if (tx.stream == &q[i]->s)
				bytes[i] += tx.hdr_len + tx.len;
	}
	CHECK_LE(bytes[1], bytes[0] + 4 * 320);
	CHECK_GE(bytes[1] + 4 * 320, bytes[0]);
	lab_end(&l);
}

TEST(output__a_small_message_waits_a_burst_at_most)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.a->h, 300000, MROCE_ACC_WRITE, true);
	struct wqp *big, *small;
	u32 k, n = 0;

	mr->overlap = true;
	big = qp_new(l.b->h);
	small = qp_new(l.b->h);
	CHECK_EQ(qp_rtr(big, l.a->h, 1000, NULL), 0);
	CHECK_EQ(qp_rtr(small, l.a->h, 1001, NULL), 0);
	qp_rts(big);
	qp_rts(small);
	mroce_stream_opened(&big->s, 1, 0, true, l.w->now);
	mroce_stream_opened(&small->s, 1, 0, true, l.w->now);
	for (k = 0; k < 4; k++)
		l.conn->paths[k]->cc.cwnd = 1 << 20;
	for (k = 0; k < 4; k++)
		post_write(big, mr, 0, 100000, 0);
	for (k = 0; k < 100; k++)
		CHECK_EQ(out_type(&l), MROCE_PT_DATA);
	post_write(small, mr, 0, 64, 0);
	do {
		CHECK_EQ(out_type(&l), MROCE_PT_DATA);
		n++;
	} while (tx.stream != &small->s);
	CHECK_LE(n, 4);
	lab_end(&l);
}

TEST(output__no_memory_for_records_comes_back)
{
	struct lab l = lab_pair(NULL);

	l.b->s.rsn_limit = 10;
	l.w->now += 5 * SEC;
	mroce_peer_timer(&l.wp->p, l.w->now);
	post_send(l.b, 10, 0);
	mroce_pool_trim(&l.wp->p, &l.conn->sents);
	l.b->h->alloc_fail = 1000000;
	while (out_type(&l))
		CHECK_NE(tx.hdr[0] & 0xf, MROCE_PT_DATA);
	CHECK(l.conn->kick_timer.armed);
	l.b->h->alloc_fail = 0;
	mroce_peer_timer(&l.wp->p, l.w->now + MS);
	CHECK_EQ(out_type(&l), MROCE_PT_DATA);
	lab_end(&l);
}

TEST(tx_failed__local_buffer_is_gone)
{
	struct lab l = lab_pair(NULL);
	struct wmsg *m[2];
	u32 i;

	l.b->s.rsn_limit = 10;
	for (i = 0; i < 2; i++)
		m[i] = post_send(l.b, 10, 0);
	m[0]->expect = MROCE_ST_LOC_PROT;
	m[1]->expect = MROCE_ST_FLUSH;
	CHECK_EQ(out_type(&l), MROCE_PT_DATA);
	mroce_tx_failed(&l.wp->p, &tx, l.w->now);
	CHECK(m[0]->done && m[1]->done);
	/* The PSN goes out as EMPTY. */
	CHECK_EQ(out_type(&l), MROCE_PT_DATA);
	CHECK_EQ(out_hdr().opcode, MROCE_OP_EMPTY);
	CHECK_EQ(out_type(&l), 0);
	lab_end(&l);
}

TEST(tx_failed__packets_without_content)
{
	struct lab l = lab_pair(NULL);

	mroce_ack_note(l.conn->paths[1], true, l.w->now);
	CHECK_EQ(out_type(&l), MROCE_PT_ACK);
	mroce_tx_failed(&l.wp->p, &tx, l.w->now);
	CHECK_EQ(out_type(&l), 0);
	lab_end(&l);
}

/* Host out of memory: the packet is simply lost. */
TEST(output__host_drops_packets)
{
	struct world *w = world_new(NULL, test_seed());
	struct wqp *a, *b;
	u32 i;

	w->oom_ppm = 300000;
	qp_pair(w, 0, 1, &a, &b);
	post_recvs(b, 20, 2000);
	for (i = 0; i < 20; i++)
		post_send(a, 2000, 0);
	world_settle(w, 10 * SEC);
	world_end(w);
}

/* [M132] */
TEST(output__backlog_is_told)
{
	struct lab l = lab_pair(NULL);

	l.b->s.rsn_limit = 10;
	post_send(l.b, 100000, 0);
	CHECK_EQ(out_type(&l), MROCE_PT_DATA);
	CHECK_EQ(be32_to_cpu(out_hdr().qpn) >> 24, mroce_backlog_code(100000 - 256));
	lab_end(&l);
}
