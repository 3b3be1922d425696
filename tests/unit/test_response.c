// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/response.c: answers to READs and atomics, at both ends. [M102, M103, M104, M105, M108, M109]
 */
#include "lab.h"

struct bench {
	struct world *w;
	struct wqp *a, *b;
	struct wmr *mr;
	struct tap t;
};

static void bench_new(struct bench *x, const struct world_cfg *cfg)
{
	memset(x, 0, sizeof(*x));
	x->w = world_new(cfg, test_seed());
	qp_pair(x->w, 0, 1, &x->a, &x->b);
	x->a->allow_fail = true;
	x->b->allow_fail = true;
	x->mr = mr_new(x->b->h, 8192, MROCE_ACC_READ | MROCE_ACC_WRITE | MROCE_ACC_ATOMIC, false);
	mr_fill(x->mr, x->mr->rkey);
	world_until(x->w, x->a->s.opened && x->b->s.opened, SEC);
	tap_on(x->w, &x->t);
}

TEST(response__read_of_several_packets)
{
	struct bench x;

	bench_new(&x, NULL);
	post_read(x.a, x.mr, 100, 3000, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(x.t.ops[MROCE_OP_READ_RESP], 12);
	CHECK_EQ(x.t.ops[MROCE_OP_READ], 1);
	world_end(x.w);
}

TEST(response__read_of_nothing)
{
	struct bench x;

	bench_new(&x, NULL);
	post_read(x.a, x.mr, 0, 0, 0);
	world_settle(x.w, SEC);
	CHECK_EQ(x.t.ops[MROCE_OP_READ_RESP], 1);
	world_end(x.w);
}

TEST(response__any_packet_lost)
{
	static const u8 ops[] = { MROCE_OP_READ, MROCE_OP_READ_RESP, MROCE_OP_FETCH_ADD, MROCE_OP_ATOMIC_RESP };
	u32 i;

	for (i = 0; i < sizeof(ops); i++) {
		struct bench x;
		struct wmsg *m;
		u64 v = 0;

		bench_new(&x, NULL);
		memset(x.mr->buf, 0, 8);
		x.t.drop_op = ops[i] + 1;
		x.t.drop_n = 3;
		post_read(x.a, x.mr, 1000, 1000, 0);
		m = post_atomic(x.a, MROCE_MSG_FETCH_ADD, x.mr, 0, 5, 0);
		world_settle(x.w, SEC);
		CHECK_EQ(x.t.dropped, 3);
		CHECK_EQ(m->old, 0);
		memcpy(&v, x.mr->buf, 8);
		CHECK_EQ(v, 5);
		world_end(x.w);
	}
}

TEST(response__everything_doubled_runs_once)
{
	struct bench x;
	u64 v = 0;
	u32 i;

	bench_new(&x, &(struct world_cfg){ .link = { .dup = 1000000, .reorder = 300000, .reorder_by = 100 * US } });
	memset(x.mr->buf, 0, 8);
	for (i = 0; i < 40; i++)
		post_atomic(x.a, MROCE_MSG_FETCH_ADD, x.mr, 0, 1, 0);
	world_settle(x.w, SEC);
	memcpy(&v, x.mr->buf, 8);
	CHECK_EQ(v, 40);
	world_end(x.w);
}

TEST(response__atomics_return_what_was_there)
{
	struct bench x;
	struct wmsg *m[3];
	u64 v = 100;

	bench_new(&x, NULL);
	memcpy(x.mr->buf + 16, &v, 8);
	m[0] = post_atomic(x.a, MROCE_MSG_FETCH_ADD, x.mr, 16, 11, 0);
	m[1] = post_atomic(x.a, MROCE_MSG_CMP_SWAP, x.mr, 16, 7, 111);
	m[2] = post_atomic(x.a, MROCE_MSG_CMP_SWAP, x.mr, 16, 9, 111);
	world_settle(x.w, SEC);
	CHECK_EQ(m[0]->old, 100);
	CHECK_EQ(m[1]->old, 111);
	CHECK_EQ(m[2]->old, 7);
	memcpy(&v, x.mr->buf + 16, 8);
	CHECK_EQ(v, 7);
	world_end(x.w);
}

/* [M108] */
TEST(response__region_gone_in_the_middle)
{
	struct bench x;
	struct wmsg *m;

	bench_new(&x, NULL);
	m = post_read(x.a, x.mr, 0, 8000, 0);
	m->expect = MROCE_ST_REM_ACCESS;
	world_until(x.w, x.t.ops[MROCE_OP_READ_RESP] >= 3, SEC);
	CHECK(!m->done);
	mr_kill(x.mr);
	world_settle(x.w, SEC);
	CHECK_GE(x.t.ops[MROCE_OP_RESP_ERROR], 1);
	CHECK_EQ(x.a->state, QP_ERR);
	/* The responder lives on. */
	world_run(x.w, SEC);
	world_check_conns(x.w);
	world_end(x.w);
}

TEST(response__region_gone_before_a_retransmission)
{
	struct bench x;
	struct wmsg *m;

	bench_new(&x, NULL);
	x.t.drop_op = MROCE_OP_READ_RESP + 1;
	x.t.drop_n = 1;
	m = post_read(x.a, x.mr, 0, 200, 0);
	m->expect = MROCE_ST_REM_ACCESS;
	world_until(x.w, x.t.dropped, SEC);
	mr_kill(x.mr);
	world_settle(x.w, SEC);
	world_run(x.w, SEC);
	CHECK_EQ(host_conn(x.b->h, x.a->h, 0)->inflight_bytes, 0);
	world_end(x.w);
}

TEST(response__region_gone_before_its_turn)
{
	struct bench x;
	struct wmsg *m;
	struct wmr *other;

	bench_new(&x, NULL);
	other = mr_new(x.b->h, 4096, MROCE_ACC_WRITE, true);
	/* The READ waits at the responder for a lost Write before it. */
	x.t.drop_op = MROCE_OP_WRITE + 1;
	x.t.drop_n = 1;
	post_write(x.a, other, 0, 100, 0);
	m = post_read(x.a, x.mr, 0, 200, 0);
	m->expect = MROCE_ST_REM_ACCESS;
	world_until(x.w, x.b->s.rd_in, SEC);
	mr_kill(x.mr);
	world_settle(x.w, SEC);
	world_end(x.w);
}

TEST(response__atomic_region_gone)
{
	struct bench x;
	struct wmsg *m;
	struct wmr *other;

	bench_new(&x, NULL);
	other = mr_new(x.b->h, 4096, MROCE_ACC_WRITE, true);
	x.t.drop_op = MROCE_OP_WRITE + 1;
	x.t.drop_n = 1;
	post_write(x.a, other, 0, 100, 0);
	m = post_atomic(x.a, MROCE_MSG_FETCH_ADD, x.mr, 0, 1, 0);
	m->expect = MROCE_ST_REM_ACCESS;
	world_until(x.w, x.b->s.rd_in, SEC);
	mr_kill(x.mr);
	world_settle(x.w, SEC);
	world_end(x.w);
}

TEST(response__requesters_buffer_is_gone)
{
	struct bench x;
	struct wmsg *m;

	bench_new(&x, NULL);
	m = wmsg_new(x.a, MROCE_MSG_READ, 100, 0);
	m->m.rkey = x.mr->rkey;
	m->m.raddr = x.mr->addr;
	m->bad_local = true;
	m->expect = MROCE_ST_LOC_PROT;
	wmsg_post(m);
	world_settle(x.w, SEC);
	world_end(x.w);
	bench_new(&x, NULL);
	m = wmsg_new(x.a, MROCE_MSG_FETCH_ADD, 8, 0);
	m->m.rkey = x.mr->rkey;
	m->m.raddr = x.mr->addr;
	m->bad_local = true;
	m->expect = MROCE_ST_LOC_PROT;
	wmsg_post(m);
	world_settle(x.w, SEC);
	world_end(x.w);
}

/* --- answers that do not fit; lab: b is the requester --- */

static struct wmsg *asked(struct lab *l, u8 kind, u32 len)
{
	struct wmsg *m = wmsg_new(l->b, kind, len, 0);
	struct mroce_seg *seg;

	m->expect = W_ANY;
	wmsg_post(m);
	seg = mroce_stream_next_seg(&l->b->s, l->w->now);
	CHECK(seg);
	list_add_tail(&seg->link, &l->b->s.segs);
	return m;
}

static void answer_gives(u8 kind, u32 len, struct feed f, u8 status)
{
	struct lab l = lab_pair(NULL);
	struct wmsg *m = asked(&l, kind, len);

	CHECK_ACCEPTED(lab_feed(&l, f));
	CHECK_EQ(m->done ? m->status : W_ANY, status);
	lab_end(&l);
}

TEST(response_input__kind_and_length_must_fit)
{
	struct feed read = { .opcode = MROCE_OP_READ_RESP, .msg_len = 100, .len = 100 };
	struct feed atomic = { .opcode = MROCE_OP_ATOMIC_RESP, .msg_len = 8, .len = 8 };

	answer_gives(MROCE_MSG_READ, 100, read, MROCE_ST_OK);
	answer_gives(MROCE_MSG_READ, 101, read, MROCE_ST_BAD_RESP);
	answer_gives(MROCE_MSG_FETCH_ADD, 8, read, MROCE_ST_BAD_RESP);
	answer_gives(MROCE_MSG_FETCH_ADD, 8, atomic, MROCE_ST_OK);
	answer_gives(MROCE_MSG_CMP_SWAP, 8, atomic, MROCE_ST_OK);
	answer_gives(MROCE_MSG_READ, 8, atomic, MROCE_ST_BAD_RESP);
}

TEST(response_input__errors)
{
	struct feed f = { .opcode = MROCE_OP_RESP_ERROR };

	f.imm = MROCE_SYN_ACCESS;
	answer_gives(MROCE_MSG_READ, 100, f, MROCE_ST_REM_ACCESS);
	f.imm = MROCE_SYN_INVALID;
	answer_gives(MROCE_MSG_READ, 100, f, MROCE_ST_REM_INVALID);
	f.imm = MROCE_SYN_OP;
	answer_gives(MROCE_MSG_FETCH_ADD, 8, f, MROCE_ST_REM_OP);
	f.imm = 77;
	answer_gives(MROCE_MSG_READ, 100, f, MROCE_ST_REM_OP);
}

TEST(response_input__to_nothing_is_accepted)
{
	struct lab l = lab_pair(NULL);

	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_READ_RESP, .msn = 5, .msg_len = 10, .len = 10));
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_ATOMIC_RESP, .msn = 6, .msg_len = 8, .len = 8));
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_RESP_ERROR, .msn = 7));
	CHECK_EQ(l.b->state, QP_RTS);
	lab_end(&l);
}

TEST(response_input__more_bytes_than_asked)
{
	struct lab l = lab_pair(NULL);
	struct wmsg *m = asked(&l, MROCE_MSG_READ, 100);

	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_READ_RESP, .msg_len = 100, .len = 60));
	CHECK_ACCEPTED(FEED(&l, .opcode = MROCE_OP_READ_RESP, .msg_len = 100, .offset = 30, .len = 60));
	CHECK(m->done);
	CHECK_EQ(m->status, MROCE_ST_BAD_RESP);
	lab_end(&l);
}

/* [M104] Both ends wait for the other's receives: their READs still pass. */
TEST(response__does_not_wait_for_own_sends)
{
	struct bench x;
	struct wmr *amr;
	struct wmsg *r[2];

	bench_new(&x, NULL);
	amr = mr_new(x.a->h, 4096, MROCE_ACC_READ, false);
	mr_fill(amr, amr->rkey);
	r[0] = post_read(x.a, x.mr, 0, 3000, 0);
	r[1] = post_read(x.b, amr, 0, 3000, 0);
	post_send(x.a, 100, 0);
	post_send(x.b, 100, 0);
	world_until(x.w, r[0]->done && r[1]->done, 100 * MS);
	r[0] = wmsg_new(x.a, MROCE_MSG_READ, 10, 0);
	world_run(x.w, 10 * MS);
	CHECK_EQ(x.a->ok, 1);
	post_recvs(x.a, 1, 100);
	post_recvs(x.b, 1, 100);
	world_settle(x.w, SEC);
	free(r[0]->buf);
	free(r[0]->cnt);
	free(r[0]);
	world_end(x.w);
}

/* [M107] A requester that had its answer asks again, before the responder knows that it had. */
TEST(response__wholly_sent_does_not_count)
{
	struct bench x;
	u32 i;

	bench_new(&x, &(struct world_cfg){ .link = { .loss = 200000 } });
	x.a->s.attr.max_rd_atomic = 1;
	x.b->s.attr.max_dest_rd_atomic = 1;
	for (i = 0; i < 60; i++)
		post_read(x.a, x.mr, 0, 300, 0);
	world_settle(x.w, 10 * SEC);
	world_end(x.w);
}
