// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/stream_rx.c: which requests are accepted, where their bytes go, when they take effect.
 */
#include "lab.h"

#define SEND(m, l_, o, n, r)	.opcode = MROCE_OP_SEND, .msn = m, .msg_len = l_, .offset = o, .len = n, .rsn = r
#define WRITE(m, l_, o, n, mr)	.opcode = MROCE_OP_WRITE, .msn = m, .msg_len = l_, .offset = o, .len = n,	\
				.rkey = (mr)->rkey, .addr = (mr)->addr
#define READ(m, l_, mr)		.opcode = MROCE_OP_READ, .msn = m, .msg_len = l_, .rkey = (mr)->rkey, .addr = (mr)->addr
#define FADD(m, mr, o)		.opcode = MROCE_OP_FETCH_ADD, .msn = m, .msg_len = 8, .len = 16, .rkey = (mr)->rkey,	\
				.addr = (mr)->addr + (o), .swap_add = 1

static struct wrecv *done_recv(struct wqp *qp, u32 n)
{
	struct wrecv *r;

	list_for_each_entry(r, &qp->done_recvs, link)
		if (!n--)
			return r;
	return NULL;
}

/* [M68] */
TEST(stream_input__wrong_tag_or_state)
{
	struct lab l = lab_pair(NULL);

	post_recvs(l.b, 4, 100);
	CHECK_REFUSED(FEED(&l, SEND(0, 10, 0, 10, 0), .tag = l.b->s.rx_tag ^ 1), MROCE_SYN_NO_STREAM);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 10, 0, 10, 0)));
	qp_err(l.b);
	CHECK_REFUSED(FEED(&l, SEND(1, 10, 0, 10, 1)), MROCE_SYN_NO_STREAM);
	lab_end(&l);
}

/* [M75, M82] */
TEST(stream_input__no_receive_is_rnr)
{
	struct lab l = lab_pair(NULL);
	struct mroce_verdict v;

	l.b->rnr_timer = 21;
	v = FEED(&l, SEND(0, 10, 0, 10, 0));
	CHECK_REFUSED(v, MROCE_SYN_RNR);
	CHECK_EQ(v.arg, 21);
	post_recv(l.b, 100);
	CHECK_REFUSED(FEED(&l, SEND(1, 10, 0, 10, 1)), MROCE_SYN_RNR);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 10, 0, 10, 0)));
	CHECK_EQ(l.b->received, 1);
	lab_end(&l);
}

TEST(stream_input__packets_of_a_message_in_any_order)
{
	struct lab l = lab_pair(NULL);
	struct wrecv *r;
	u32 i;

	post_recv(l.b, 1000);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 600, 400, 200, 0), .seed = 5));
	CHECK_ACCEPTED(FEED(&l, SEND(0, 600, 0, 200, 0), .seed = 5));
	CHECK_EQ(l.b->received, 0);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 600, 200, 200, 0), .seed = 5));
	CHECK_EQ(l.b->received, 1);
	r = done_recv(l.b, 0);
	CHECK_EQ(r->info.byte_len, 600);
	for (i = 0; i < 600; i++)
		CHECK_EQ(r->buf[i], pattern(5, i));
	lab_end(&l);
}

/* [M90] */
TEST(stream_input__messages_take_effect_in_order)
{
	struct lab l = lab_pair(NULL);

	post_recvs(l.b, 3, 100);
	CHECK_ACCEPTED(FEED(&l, SEND(2, 30, 0, 30, 2)));
	CHECK_ACCEPTED(FEED(&l, SEND(1, 20, 0, 20, 1)));
	CHECK_EQ(l.b->received, 0);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 10, 0, 10, 0)));
	CHECK_EQ(l.b->received, 3);
	CHECK_EQ(done_recv(l.b, 0)->info.byte_len, 10);
	CHECK_EQ(done_recv(l.b, 1)->info.byte_len, 20);
	CHECK_EQ(done_recv(l.b, 2)->info.byte_len, 30);
	lab_end(&l);
}

TEST(stream_input__empty_messages)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 10, MROCE_ACC_WRITE, false);

	post_recvs(l.b, 2, 0);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 0, 0, 0, 0)));
	CHECK_ACCEPTED(FEED(&l, WRITE(1, 0, 0, 0, mr)));
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_WRITE_IMM, .msn = 2, .rsn = 1, .imm = 9));
	CHECK_EQ(l.b->received, 2);
	CHECK_EQ(l.b->s.exp_msn, 3);
	lab_end(&l);
}

/* [M96] */
TEST(stream_input__no_bytes_no_key_check)
{
	struct lab l = lab_pair(NULL);

	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_WRITE, .msn = 0, .rkey = 0xbad));
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_READ, .msn = 1, .rkey = 0xbad));
	CHECK_EQ(l.b->s.exp_msn, 2);
	lab_end(&l);
}

/* [M76] */
TEST(stream_input__message_window)
{
	struct lab l = lab_pair(&(struct world_cfg){ .msn_window = 16 });
	struct wmr *mr = mr_new(l.b->h, 10, MROCE_ACC_WRITE, true);

	CHECK_ACCEPTED(FEED(&l, WRITE(15, 5, 0, 5, mr)));
	CHECK_REFUSED(FEED(&l, WRITE(16, 5, 0, 5, mr)), MROCE_SYN_INVALID);
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 5, 0, 5, mr)));
	CHECK_ACCEPTED(FEED(&l, WRITE(16, 5, 0, 5, mr)));
	CHECK_REFUSED(FEED(&l, WRITE(0, 5, 0, 5, mr)), MROCE_SYN_INVALID);
	CHECK_EQ(l.b->state, QP_RTS);
	lab_end(&l);
}

/* [M77] */
TEST(stream_input__packets_that_contradict)
{
	u32 i;

	for (i = 0; i < 5; i++) {
		struct lab l = lab_pair(NULL);
		struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, true);
		struct feed f = { .opcode = MROCE_OP_WRITE_IMM, .msn = 1, .msg_len = 500, .offset = 100, .len = 100,
				  .rkey = mr->rkey, .addr = mr->addr };

		post_recvs(l.b, 2, 1000);
		CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_WRITE_IMM, .msn = 1, .msg_len = 500, .len = 100,
				    .rkey = mr->rkey, .addr = mr->addr));
		switch (i) {
		case 0:
			f.opcode = MROCE_OP_WRITE;
			break;
		case 1:
			f.msg_len = 499;
			break;
		case 2:
			f.addr++;
			break;
		case 3:
			f.rkey++;
			break;
		case 4:
			f.rsn = 1;
			break;
		}
		CHECK_REFUSED(lab_feed(&l, f), MROCE_SYN_INVALID);
		CHECK(l.b->s.rx_has_err);
		CHECK_EQ(l.b->s.rx_err_msn, 1);
		lab_end(&l);
	}
}

/* [M78] */
TEST(stream_input__more_bytes_than_the_message_has)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, true);

	CHECK_ACCEPTED(FEED(&l, WRITE(1, 300, 0, 200, mr)));
	CHECK_REFUSED(FEED(&l, WRITE(1, 300, 150, 150, mr)), MROCE_SYN_INVALID);
	CHECK_REFUSED(FEED(&l, WRITE(0, 10, 0, 10, mr), .flags = 0, .rsn = 0, .imm = 0, .tag = 1), MROCE_SYN_NO_STREAM);
	lab_end(&l);
}

TEST(stream_input__a_full_message_takes_no_more)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, true);

	CHECK_ACCEPTED(FEED(&l, WRITE(1, 100, 0, 100, mr)));
	CHECK_REFUSED(FEED(&l, WRITE(1, 100, 0, 100, mr)), MROCE_SYN_INVALID);
	lab_end(&l);
}

/* [M94, M95] */
static void check_refused_then_dead(struct feed f, u8 syn, u8 why, void (*spoil)(struct lab *l, struct wmr *mr))
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 100, MROCE_ACC_WRITE | MROCE_ACC_READ | MROCE_ACC_ATOMIC, true);

	post_recv(l.b, 50);
	f.rkey += mr->rkey;
	f.addr += mr->addr;
	if (spoil)
		spoil(&l, mr);
	CHECK_REFUSED(lab_feed(&l, f), syn);
	/* It was its turn, so the QP ends. */
	CHECK_EQ(l.b->state, QP_ERR);
	CHECK_EQ(l.b->why, why);
	lab_end(&l);
}

static void no_write(struct lab *l, struct wmr *mr)
{
	l->b->s.attr.access = MROCE_ACC_READ | MROCE_ACC_ATOMIC;
}

static void no_read(struct lab *l, struct wmr *mr)
{
	l->b->s.attr.access = MROCE_ACC_WRITE;
}

static void mr_no_right(struct lab *l, struct wmr *mr)
{
	mr->access = 0;
}

static void mr_gone(struct lab *l, struct wmr *mr)
{
	mr_kill(mr);
}

TEST(check_access__the_queue_pair_permits_it)
{
	check_refused_then_dead((struct feed){ .opcode = MROCE_OP_WRITE, .msg_len = 10, .len = 10 }, MROCE_SYN_INVALID,
				MROCE_FAIL_REQUEST, no_write);
	check_refused_then_dead((struct feed){ .opcode = MROCE_OP_READ, .msg_len = 10 }, MROCE_SYN_INVALID,
				MROCE_FAIL_REQUEST, no_read);
	check_refused_then_dead((struct feed){ .opcode = MROCE_OP_FETCH_ADD, .msg_len = 8, .len = 16 },
				MROCE_SYN_INVALID, MROCE_FAIL_REQUEST, no_read);
}

TEST(check_access__key_bounds_and_rights)
{
	struct feed f = { .opcode = MROCE_OP_WRITE, .msg_len = 10, .len = 10 };

	check_refused_then_dead(f, MROCE_SYN_ACCESS, MROCE_FAIL_ACCESS, mr_no_right);
	check_refused_then_dead(f, MROCE_SYN_ACCESS, MROCE_FAIL_ACCESS, mr_gone);
	f.rkey = 1;
	check_refused_then_dead(f, MROCE_SYN_ACCESS, MROCE_FAIL_ACCESS, NULL);
	f.rkey = 0;
	f.addr = 91;
	check_refused_then_dead(f, MROCE_SYN_ACCESS, MROCE_FAIL_ACCESS, NULL);
	f.addr = (u64)-1;
	check_refused_then_dead(f, MROCE_SYN_ACCESS, MROCE_FAIL_ACCESS, NULL);
	/* The whole message, not only the packet. */
	f.addr = 0;
	f.msg_len = 101;
	check_refused_then_dead(f, MROCE_SYN_ACCESS, MROCE_FAIL_ACCESS, NULL);
	f = (struct feed){ .opcode = MROCE_OP_READ, .msg_len = 101 };
	check_refused_then_dead(f, MROCE_SYN_ACCESS, MROCE_FAIL_ACCESS, NULL);
}

TEST(check_first__atomics_are_aligned)
{
	check_refused_then_dead((struct feed){ .opcode = MROCE_OP_FETCH_ADD, .msg_len = 8, .len = 16, .addr = 4 },
				MROCE_SYN_INVALID, MROCE_FAIL_REQUEST, NULL);
	check_refused_then_dead((struct feed){ .opcode = MROCE_OP_CMP_SWAP, .msg_len = 8, .len = 16, .addr = 8 },
				MROCE_SYN_ACCESS, MROCE_FAIL_ACCESS, mr_no_right);
}

TEST(check_send__too_long_for_the_receive)
{
	struct lab l = lab_pair(NULL);

	post_recvs(l.b, 2, 50);
	CHECK_REFUSED(FEED(&l, SEND(0, 51, 0, 51, 0)), MROCE_SYN_INVALID);
	CHECK_EQ(l.b->state, QP_ERR);
	CHECK_EQ(l.b->why, MROCE_FAIL_RECV);
	CHECK_EQ(l.b->recv_error, MROCE_ST_LOC_LEN);
	CHECK_EQ(l.b->recv_flushed, 1);
	lab_end(&l);
}

TEST(check_send__bad_receive_entry)
{
	struct lab l = lab_pair(NULL);

	post_recv(l.b, 50)->r.bad = MROCE_ST_LOC_PROT;
	CHECK_REFUSED(FEED(&l, SEND(0, 10, 0, 10, 0)), MROCE_SYN_OP);
	CHECK_EQ(l.b->why, MROCE_FAIL_RECV);
	CHECK_EQ(l.b->recv_error, MROCE_ST_LOC_PROT);
	lab_end(&l);
}

TEST(accept_send__receive_buffer_is_gone)
{
	struct lab l = lab_pair(NULL);

	post_recv(l.b, 50)->id = ~0ULL;
	CHECK_REFUSED(FEED(&l, SEND(0, 10, 0, 10, 0)), MROCE_SYN_OP);
	CHECK_EQ(l.b->recv_error, MROCE_ST_LOC_PROT);
	lab_end(&l);
}

TEST(check_send__write_with_immediate_needs_no_length)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, false);

	post_recv(l.b, 0);
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_WRITE_IMM, .msg_len = 200, .len = 200, .rkey = mr->rkey,
			    .addr = mr->addr, .imm = 7));
	CHECK_EQ(l.b->received, 1);
	CHECK_EQ(done_recv(l.b, 0)->info.byte_len, 200);
	lab_end(&l);
}

/* [M107] */
TEST(check_first__more_reads_than_allowed)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_READ, false);

	l.b->s.attr.max_dest_rd_atomic = 2;
	CHECK_ACCEPTED(FEED(&l, READ(1, 10, mr)));
	CHECK_ACCEPTED(FEED(&l, READ(2, 10, mr)));
	CHECK_REFUSED(FEED(&l, READ(3, 10, mr)), MROCE_SYN_INVALID);
	lab_end(&l);
}

/* --- errors and their order --- */

/* [M97, M98] */
TEST(rx_error__waits_for_its_turn)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 100, MROCE_ACC_WRITE, true);

	post_recvs(l.b, 2, 100);
	CHECK_REFUSED(FEED(&l, .opcode = MROCE_OP_WRITE, .msn = 2, .msg_len = 5, .len = 5, .rkey = 1), MROCE_SYN_ACCESS);
	CHECK_EQ(l.b->state, QP_RTS);
	CHECK_REFUSED(FEED(&l, WRITE(3, 5, 0, 5, mr)), MROCE_SYN_LATER);
	CHECK_REFUSED(FEED(&l, WRITE(2, 5, 0, 5, mr)), MROCE_SYN_ACCESS);
	CHECK_ACCEPTED(FEED(&l, SEND(1, 10, 0, 10, 1)));
	CHECK_ACCEPTED(FEED(&l, SEND(0, 10, 0, 10, 0)));
	CHECK_EQ(l.b->received, 2);
	CHECK_EQ(l.b->state, QP_ERR);
	CHECK_EQ(l.b->why, MROCE_FAIL_ACCESS);
	lab_end(&l);
}

TEST(rx_error__the_lowest_counts)
{
	struct lab l = lab_pair(NULL);

	post_recvs(l.b, 1, 100);
	CHECK_REFUSED(FEED(&l, .opcode = MROCE_OP_WRITE, .msn = 5, .msg_len = 5, .len = 5, .rkey = 1), MROCE_SYN_ACCESS);
	CHECK_REFUSED(FEED(&l, SEND(1, 101, 0, 101, 0)), MROCE_SYN_INVALID);
	CHECK_EQ(l.b->s.rx_err_msn, 1);
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_WRITE, .msn = 0));
	CHECK_EQ(l.b->state, QP_ERR);
	CHECK_EQ(l.b->why, MROCE_FAIL_RECV);
	lab_end(&l);
}

TEST(rx_error__an_answer_owed_goes_first)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 100, MROCE_ACC_READ, true);

	CHECK_REFUSED(FEED(&l, .opcode = MROCE_OP_WRITE, .msn = 1, .msg_len = 5, .len = 5, .rkey = 1), MROCE_SYN_ACCESS);
	CHECK_ACCEPTED(FEED(&l, READ(0, 10, mr)));
	/* The answer is under way; only then the end. */
	CHECK_EQ(l.b->state, QP_RTS);
	l.wp->depth--;
	core_enter(l.wp);
	core_leave(l.wp);
	world_run(l.w, MS);
	l.wp->depth++;
	CHECK_EQ(l.b->state, QP_ERR);
	lab_end(&l);
}

TEST(turn_recv__receive_numbers_that_do_not_follow)
{
	struct lab l = lab_pair(NULL);

	post_recvs(l.b, 3, 100);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 10, 0, 10, 1)));
	CHECK_EQ(l.b->state, QP_ERR);
	CHECK_EQ(l.b->why, MROCE_FAIL_REQUEST);
	CHECK_EQ(l.b->received, 0);
	CHECK_EQ(l.b->recv_flushed, 3);
	lab_end(&l);
}

TEST(bind_recv__numbers_out_of_range)
{
	struct lab l = lab_pair(NULL);

	post_recvs(l.b, 3, 100);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 10, 0, 10, 0)));
	CHECK_REFUSED(FEED(&l, SEND(1, 10, 0, 10, 0)), MROCE_SYN_INVALID);
	lab_end(&l);
	l = lab_pair(NULL);
	CHECK_REFUSED(FEED(&l, SEND(0, 10, 0, 10, 100000)), MROCE_SYN_INVALID);
	lab_end(&l);
}

/* --- shared receive queues [M87, M88, M89] --- */

static void with_srq(struct wqp *a, struct wqp *b)
{
	qp_srq(b, srq_new(a->h->w));
}

TEST(bind_recv__shared_entries_in_order_of_numbers)
{
	struct lab l = lab_pair_with(NULL, with_srq);
	struct wrecv *first;

	first = srq_post(l.b->srq, 100);
	/* The only entry belongs to RSN 0, whatever arrives first. */
	CHECK_REFUSED(FEED(&l, SEND(1, 10, 0, 10, 1)), MROCE_SYN_RNR);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 10, 0, 10, 0)));
	CHECK_EQ(l.b->received, 1);
	CHECK(first->done);
	lab_end(&l);
}

TEST(bind_recv__shared_window)
{
	struct lab l = lab_pair_with(&(struct world_cfg){ .msn_window = 256 }, with_srq);
	u32 i;

	for (i = 0; i < 100; i++)
		srq_post(l.b->srq, 100);
	CHECK_ACCEPTED(FEED(&l, SEND(63, 10, 0, 10, 63)));
	CHECK_REFUSED(FEED(&l, SEND(64, 10, 0, 10, 64)), MROCE_SYN_LATER);
	CHECK_EQ(l.b->bound_rsn, 64);
	lab_end(&l);
}

TEST(drop_receives__unused_shared_entries_go_back)
{
	struct lab l = lab_pair_with(NULL, with_srq);
	struct wrecv *r[3];
	u32 i;

	for (i = 0; i < 3; i++)
		r[i] = srq_post(l.b->srq, 1000);
	CHECK_ACCEPTED(FEED(&l, SEND(1, 200, 0, 100, 1)));
	qp_err(l.b);
	CHECK(!r[0]->flushed && !r[0]->qp);
	CHECK(r[1]->flushed);
	CHECK(!r[2]->flushed);
	CHECK_EQ(l.b->recv_flushed, 1);
	lab_end(&l);
}

/* --- placement --- */

/* [M117] */
TEST(accept_write__strict_waits_for_the_bytes_before)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, false);

	mr->ascending = true;
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 300, 100, 100, mr), .seed = 3));
	CHECK_EQ(mr->high, 0);
	CHECK_GT(l.wp->p.held_bytes, 0);
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 300, 200, 100, mr), .seed = 3));
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 300, 0, 100, mr), .seed = 3));
	CHECK_EQ(mr->high, 300);
	CHECK_EQ(mr->buf[250], pattern(3, 250));
	CHECK_EQ(l.wp->p.held_bytes, 0);
	CHECK_EQ(l.b->s.exp_msn, 1);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_RX_HELD], 2);
	lab_end(&l);
}

TEST(accept_write__strict_waits_for_the_messages_before)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, false);

	CHECK_ACCEPTED(FEED(&l, WRITE(1, 10, 0, 10, mr), .seed = 2));
	CHECK_EQ(mr->cnt[0], 0);
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 10, 0, 10, mr), .seed = 1));
	CHECK_EQ(mr->cnt[0], 2);
	CHECK_EQ(mr->buf[5], pattern(2, 5));
	lab_end(&l);
}

/* [M116] */
TEST(accept_write__relaxed_at_once)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, true);

	CHECK_ACCEPTED(FEED(&l, WRITE(3, 300, 100, 100, mr), .seed = 3));
	CHECK_EQ(mr->cnt[100], 1);
	CHECK_EQ(mr->buf[150], pattern(3, 150));
	CHECK_EQ(l.wp->p.held_bytes, 0);
	lab_end(&l);
}

/* [M119, M120] */
TEST(hold__cap_refuses_all_but_the_next)
{
	struct lab l = lab_pair(&(struct world_cfg){ .held_cap = 1 });
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, false);

	CHECK_ACCEPTED(FEED(&l, WRITE(0, 400, 300, 100, mr)));
	CHECK_REFUSED(FEED(&l, WRITE(0, 400, 200, 100, mr)), MROCE_SYN_LATER);
	CHECK_REFUSED(FEED(&l, WRITE(1, 400, 0, 100, mr)), MROCE_SYN_LATER);
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 400, 0, 100, mr)));
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 400, 100, 100, mr)));
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 400, 200, 100, mr)));
	CHECK_EQ(l.b->s.exp_msn, 1);
	CHECK_EQ(l.wp->p.held_bytes, 0);
	lab_end(&l);
}

/* [M121] */
TEST(hold__no_memory_is_later)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, false);

	CHECK_ACCEPTED(FEED(&l, WRITE(0, 400, 0, 100, mr)));
	l.b->h->alloc_fail = 1000000;
	CHECK_REFUSED(FEED(&l, WRITE(0, 400, 200, 100, mr)), MROCE_SYN_LATER);
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 400, 100, 100, mr)));
	l.b->h->alloc_fail = 0;
	lab_end(&l);
}

TEST(rmsg_new__no_memory_drops)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, false);

	l.b->h->alloc_fail = 1000000;
	CHECK_EQ(FEED(&l, WRITE(0, 400, 200, 100, mr)).what, MROCE_V_DROP);
	l.b->h->alloc_fail = 0;
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 400, 200, 100, mr)));
	lab_end(&l);
}

/* [M100] */
TEST(drain_held__region_gone_meanwhile)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, false);

	CHECK_ACCEPTED(FEED(&l, WRITE(1, 10, 0, 10, mr)));
	mr_kill(mr);
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_WRITE, .msn = 0));
	CHECK_EQ(l.b->state, QP_ERR);
	CHECK_EQ(l.b->why, MROCE_FAIL_ACCESS);
	CHECK_EQ(l.wp->p.stats[MROCE_CNT_ACCESS_LATE], 1);
	CHECK_EQ(l.wp->p.held_bytes, 0);
	lab_end(&l);
}

TEST(accept_write__region_gone_between_packets)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, true);

	CHECK_ACCEPTED(FEED(&l, WRITE(0, 20, 0, 10, mr)));
	mr_kill(mr);
	CHECK_REFUSED(FEED(&l, WRITE(0, 20, 10, 10, mr)), MROCE_SYN_ACCESS);
	CHECK_EQ(l.b->why, MROCE_FAIL_ACCESS);
	lab_end(&l);
}

TEST(turn_recv__invalidate)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 1000, MROCE_ACC_WRITE, true);

	post_recvs(l.b, 2, 100);
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_SEND_INV, .msn = 1, .msg_len = 5, .len = 5, .rsn = 1, .imm = mr->rkey));
	CHECK(!mr->dead);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 5, 0, 5, 0)));
	CHECK(mr->dead);
	CHECK_EQ(l.b->received, 2);
	CHECK_EQ(done_recv(l.b, 1)->info.imm, mr->rkey);
	lab_end(&l);
}

TEST(turn_recv__invalidate_of_nothing)
{
	struct lab l = lab_pair(NULL);

	post_recvs(l.b, 2, 100);
	FEED(&l, .opcode = MROCE_OP_SEND_INV, .msg_len = 5, .len = 5, .imm = 0x666);
	CHECK_EQ(l.b->state, QP_ERR);
	CHECK_EQ(l.b->received, 0);
	lab_end(&l);
}

TEST(atomics__execute_at_their_turn)
{
	struct lab l = lab_pair(NULL);
	struct wmr *mr = mr_new(l.b->h, 64, MROCE_ACC_ATOMIC, true);

	CHECK_ACCEPTED(FEED(&l, FADD(1, mr, 8)));
	CHECK_EQ(mr->buf[8], 0);
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_WRITE, .msn = 0));
	CHECK_EQ(mr->buf[8], 1);
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_CMP_SWAP, .msn = 2, .msg_len = 8, .len = 16, .rkey = mr->rkey,
			    .addr = mr->addr + 8, .compare = 1, .swap_add = 77));
	CHECK_EQ(mr->buf[8], 77);
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_CMP_SWAP, .msn = 3, .msg_len = 8, .len = 16, .rkey = mr->rkey,
			    .addr = mr->addr + 8, .compare = 1, .swap_add = 99));
	CHECK_EQ(mr->buf[8], 77);
	lab_end(&l);
}

TEST(rings__grow_shrink_and_keep)
{
	struct lab l = lab_pair(&(struct world_cfg){ .msn_window = 4096 });
	struct wmr *mr = mr_new(l.b->h, 10, MROCE_ACC_WRITE, true);
	u64 before = l.b->h->alloc_bytes;
	u32 i;

	for (i = 3000; i; i--)
		CHECK_ACCEPTED(FEED(&l, WRITE(i, 1, 0, 1, mr)));
	CHECK_GT(l.b->h->alloc_bytes, before + 3000 * sizeof(void *));
	CHECK_ACCEPTED(FEED(&l, WRITE(0, 1, 0, 1, mr)));
	CHECK_EQ(l.b->s.exp_msn, 3001);
	CHECK_EQ(mr->cnt[0], 255);
	CHECK_EQ(l.b->s.rmsg_count, 0);
	mroce_pool_trim(&l.wp->p, &l.wp->p.rmsgs);
	CHECK_LE(l.b->h->alloc_bytes, before + 1024);
	lab_end(&l);
}

TEST(rings__receives_grow)
{
	struct lab l = lab_pair(&(struct world_cfg){ .msn_window = 1024 });
	u32 i;

	post_recvs(l.b, 500, 10);
	for (i = 499; i; i--)
		CHECK_ACCEPTED(FEED(&l, SEND(i, 1, 0, 1, i)));
	CHECK_ACCEPTED(FEED(&l, SEND(0, 1, 0, 1, 0)));
	CHECK_EQ(l.b->received, 500);
	lab_end(&l);
}

TEST(established__once)
{
	struct lab l = lab_pair(NULL);

	CHECK_EQ(l.b->established, 1);
	post_recvs(l.b, 2, 10);
	CHECK_ACCEPTED(FEED(&l, SEND(0, 1, 0, 1, 0)));
	CHECK_ACCEPTED(FEED(&l, SEND(1, 1, 0, 1, 1)));
	CHECK_EQ(l.b->established, 1);
	lab_end(&l);
}
