// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The data path on live rings, the test playing the driver: posting, doorbells, polling, arming, resize,
 * reset, removal, and a ring that is scribbled on.
 */
#include "live_qp.h"

#include <stdlib.h>
#include <string.h>

/* ---- post_send ---- */

static void post_send__one_doorbell_per_call(void)
{
	CALL(setup());
	CHECK(send_n(qp, 3, 1) == 0);
	CHECK(fake.doorbells[0] == 1 && fake.last_handle == qp->handle);
	CHECK(fake_sq(qp)->prod == 3 && fake_send_wqe(qp, 2)->wr_id == 3);
	CHECK(ibv_post_send(qp, NULL, &bad) == 0);
	CHECK(fake.doorbells[0] == 1);
	teardown();
}

static void post_send__full_posts_what_fits(void)
{
	CALL(setup());
	CHECK(send_n(qp, 7, 1) == ENOMEM && bad == (void *)5);
	CHECK(fake_sq(qp)->prod == 5 && fake.doorbells[0] == 1);
	CHECK(send_n(qp, 1, 9) == ENOMEM && bad == (void *)0);
	CHECK(fake.doorbells[0] == 1);
	fake_sq(qp)->cons = 5;
	CHECK(send_n(qp, 1, 9) == ENOMEM);
	teardown();
}

static void post_send__states(void)
{
	static const enum ibv_qp_state early[] = { IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR };
	static const enum ibv_qp_state late[] = { IBV_QPS_RTS, IBV_QPS_SQD, IBV_QPS_SQE, IBV_QPS_ERR };
	int i;

	CALL(setup());
	for (i = 0; i < 3; i++) {
		qp->state = early[i];
		CHECK(send_n(qp, 1, 1) == EINVAL && bad == (void *)0);
	}
	CHECK(fake_sq(qp)->prod == 0 && fake.doorbells[0] == 0);
	for (i = 0; i < 4; i++) {
		qp->state = late[i];
		CHECK(send_n(qp, 1, 1) == 0);
	}
	teardown();
}

static void post_send__bad_request_in_the_middle(void)
{
	struct ibv_send_wr wr[3] = {};
	struct ibv_mw mw = { .type = IBV_MW_TYPE_1 };

	CALL(setup());
	wr[0].next = &wr[1];
	wr[1].next = &wr[2];
	wr[1].opcode = IBV_WR_TSO;
	CHECK(ibv_post_send(qp, wr, &bad) == EINVAL && bad == &wr[1]);
	CHECK(fake_sq(qp)->prod == 1 && fake.doorbells[0] == 1);
	wr[1].opcode = IBV_WR_SEND;
	wr[1].num_sge = FAKE_SGES + 1;
	CHECK(ibv_post_send(qp, &wr[1], &bad) == EINVAL && bad == &wr[1] && fake.doorbells[0] == 1);
	wr[1].opcode = IBV_WR_BIND_MW;
	wr[1].bind_mw.mw = &mw;
	CHECK(ibv_post_send(qp, &wr[1], &bad) == EINVAL && bad == &wr[1]);
	teardown();
}

static void post_send__wraps_and_overflows(void)
{
	struct ibv_wc wc;
	uint32_t c = UINT32_MAX - 50;
	int i;

	CALL(setup());
	age(qp, c);
	for (i = 0; i < 100; i++, c++) {
		CHECK(send_n(qp, 1, i) == 0);
		CHECK(fake_sq(qp)->prod == c + 1 && fake_send_wqe(qp, c)->wr_id == (uint64_t)i);
		fake_sq(qp)->cons = c + 1;
		fake_send_done(qp, c);
		CHECK(ibv_poll_cq(cq, 1, &wc) == 1 && wc.wr_id == (uint64_t)i);
	}
	CHECK(send_n(qp, 6, 0) == ENOMEM && bad == (void *)5);
	teardown();
}

static void post_send__unsignaled_are_freed_by_a_later_one(void)
{
	struct ibv_wc wc;

	CALL(setup());
	CHECK(send_n(qp, 5, 0) == 0);
	fake_send_done(qp, 3);
	CHECK(send_n(qp, 1, 5) == ENOMEM);
	CHECK(ibv_poll_cq(cq, 1, &wc) == 1);
	CHECK(send_n(qp, 5, 5) == ENOMEM && bad == (void *)4);
	teardown();
}

static void doorbell__falls_back_to_the_ioctl(void)
{
	CALL(setup());
	fake.write_err = EACCES;
	CHECK(send_n(qp, 1, 0) == 0 && fake.ioctls == 1 && fake.doorbells[0] == 0);
	fake_rq(qp)->flags = MROCE_RING_F_DB;
	CHECK(recv_n(qp, 1) == 0 && fake.ioctls == 2);
	fake.write_err = ENOMEM;
	CHECK(send_n(qp, 2, 0) == ENOMEM && bad == (void *)0 && fake.ioctls == 2);
	CHECK(recv_n(qp, 2) == ENOMEM && bad_recv == (void *)0);
	fake.write_err = 0;
	teardown();
}

static void dead__posts_fail(void)
{
	CALL(setup());
	fake_sq(qp)->dead = 1;
	fake_rq(qp)->dead = 1;
	CHECK(send_n(qp, 1, 0) == EIO && bad == (void *)0);
	CHECK(recv_n(qp, 1) == EIO && bad_recv == (void *)0);
	CHECK(fake.doorbells[0] == 0);
	teardown();
}

/* ---- receives ---- */

static void post_recv__room_comes_from_the_kernel(void)
{
	CALL(setup());
	age(qp, UINT32_MAX - 2);
	CHECK(recv_n(qp, 6) == ENOMEM && bad_recv == (void *)5);
	CHECK(fake_rq(qp)->prod == 2 && fake.doorbells[1] == 0);
	fake_rq(qp)->cons += 2;
	CHECK(recv_n(qp, 3) == ENOMEM && bad_recv == (void *)2);
	teardown();
}

static void post_recv__doorbell_only_when_asked(void)
{
	CALL(setup());
	CHECK(recv_n(qp, 1) == 0 && fake.doorbells[1] == 0);
	fake_rq(qp)->flags = MROCE_RING_F_DB;
	CHECK(recv_n(qp, 2) == 0 && fake.doorbells[1] == 1);
	CHECK(recv_n(qp, 4) == ENOMEM && fake.doorbells[1] == 2);
	CHECK(recv_n(qp, 1) == ENOMEM && fake.doorbells[1] == 2);
	teardown();
}

static void post_recv__refusals(void)
{
	struct ibv_recv_wr wr = { .num_sge = FAKE_SGES + 1 };
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap.max_send_wr = 1 };
	struct ibv_qp *none;

	CALL(setup());
	CHECK(ibv_post_recv(qp, &wr, &bad_recv) == EINVAL && bad_recv == &wr);
	qp->state = IBV_QPS_RESET;
	CHECK(recv_n(qp, 1) == EINVAL && bad_recv == (void *)0);
	attr.send_cq = attr.recv_cq = cq;
	none = fake.ops.create_qp(pd, &attr);
	none->state = IBV_QPS_RTR;
	CHECK(recv_n(none, 1) == ENOMEM);
	CHECK(fake.ops.destroy_qp(none) == 0);
	teardown();
}

static void post_srq_recv__room_flag_and_owner(void)
{
	struct ibv_srq_init_attr init = { .attr.max_wr = 3 };
	struct ibv_recv_wr wr[4] = { { .next = &wr[1] }, { .next = &wr[2] }, { .next = &wr[3] }, {} };
	struct ibv_srq *srq;
	struct ibv_qp *user;

	CALL(setup());
	srq = fake.ops.create_srq(pd, &init);
	user = fake_create_qp(pd, cq, cq, srq, IBV_QPT_RC);
	user->state = IBV_QPS_RTS;
	CHECK(recv_n(user, 1) == EINVAL);
	CHECK(ibv_post_srq_recv(srq, wr, &bad_recv) == ENOMEM && bad_recv == &wr[3]);
	CHECK(fake_srq(srq)->prod == 3 && fake.doorbells[2] == 0);
	fake_srq(srq)->cons = 1;
	fake_srq(srq)->flags = MROCE_RING_F_DB;
	CHECK(ibv_post_srq_recv(srq, &wr[3], &bad_recv) == 0 && fake.doorbells[2] == 0);
	fake_srq(srq)->dead = 1;
	CHECK(ibv_post_srq_recv(srq, &wr[3], &bad_recv) == EIO && bad_recv == &wr[3]);
	CHECK(fake.ops.destroy_qp(user) == 0 && fake.ops.destroy_srq(srq) == 0);
	teardown();
}

/* ---- polling ---- */

static struct mroce_cqe recv_cqe(struct ibv_qp *on, uint64_t wr_id)
{
	return (struct mroce_cqe) {
		.wr_id = wr_id, .timestamp = 1000 + wr_id, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV,
		.byte_len = 11, .imm = htobe32(12), .qp_num = on->qp_num, .src_qp = 13,
		.wc_flags = IBV_WC_WITH_IMM, .vendor_err = 14, .pkey_index = 15, .sl = 3, .is_recv = 1,
	};
}

static void complete_recv(struct ibv_qp *on, uint64_t wr_id)
{
	struct mroce_cqe cqe = recv_cqe(on, wr_id);

	fake_complete(cq, &cqe);
}

static void poll__all_fields(void)
{
	struct ibv_wc wc;

	CALL(setup());
	memset(&wc, 0xa5, sizeof(wc));
	CHECK(ibv_poll_cq(cq, 1, &wc) == 0);
	complete_recv(qp, 7);
	CHECK(ibv_poll_cq(cq, 1, &wc) == 1);
	CHECK(wc.wr_id == 7 && wc.status == IBV_WC_SUCCESS && wc.opcode == IBV_WC_RECV && wc.byte_len == 11);
	CHECK(wc.imm_data == htobe32(12) && wc.qp_num == qp->qp_num && wc.src_qp == 13);
	CHECK(wc.wc_flags == IBV_WC_WITH_IMM && wc.vendor_err == 14 && wc.pkey_index == 15 && wc.sl == 3);
	CHECK(wc.slid == 0 && wc.dlid_path_bits == 0);
	CHECK(fake_cq(cq)->cons == 1 && ibv_poll_cq(cq, 1, &wc) == 0);
	teardown();
}

static void poll__batches_and_overflow(void)
{
	struct ibv_wc wc[16];
	uint32_t c = UINT32_MAX - 20;
	int lap, i, n;

	CALL(setup());
	to_mcq(cq)->cons = fake_cq(cq)->cons = fake_cq(cq)->prod = c;
	for (lap = 0; lap < 40; lap++) {
		for (i = 0; i < 16; i++)
			complete_recv(qp, lap * 16 + i);
		for (i = 0; i < 16; i += n) {
			n = ibv_poll_cq(cq, 5, wc);
			CHECK(n > 0 && wc[0].wr_id == (uint64_t)(lap * 16 + i));
		}
		CHECK(ibv_poll_cq(cq, 16, wc) == 0);
		CHECK(fake_cq(cq)->cons == fake_cq(cq)->prod);
	}
	teardown();
}

static void poll__receive_frees_no_send(void)
{
	struct ibv_wc wc;

	CALL(setup());
	CHECK(send_n(qp, 5, 0) == 0);
	complete_recv(qp, 1);
	CHECK(ibv_poll_cq(cq, 1, &wc) == 1);
	CHECK(send_n(qp, 1, 0) == ENOMEM);
	teardown();
}

static void poll__unknown_qp_and_false_counter(void)
{
	struct mroce_cqe cqe = { .qp_num = 0xdeadbeef, .wqe_cnt = 3 };
	struct ibv_wc wc;

	CALL(setup());
	CHECK(send_n(qp, 5, 0) == 0);
	fake_complete(cq, &cqe);
	cqe.qp_num = qp->qp_num;
	cqe.wqe_cnt = 77;
	fake_complete(cq, &cqe);
	CHECK(ibv_poll_cq(cq, 2, &(struct ibv_wc[2]) {}[0]) == 2);
	CHECK(send_n(qp, 1, 0) == ENOMEM);
	CHECK(ibv_poll_cq(cq, 1, &wc) == 0);
	teardown();
}

static void poll__dead_after_the_last_completion(void)
{
	struct ibv_wc wc;

	CALL(setup());
	complete_recv(qp, 1);
	fake_cq(cq)->dead = 1;
	CHECK(ibv_poll_cq(cq, 0, &wc) == 0);
	CHECK(ibv_poll_cq(cq, 1, &wc) == 1);
	errno = 0;
	CHECK(ibv_poll_cq(cq, 1, &wc) < 0 && errno == EIO);
	CHECK(ibv_req_notify_cq(cq, 0) == EIO);
	teardown();
}

static void arm__values(void)
{
	CALL(setup());
	CHECK(ibv_req_notify_cq(cq, 1) == 0 && fake_cq(cq)->arm == MROCE_ARM_SOLICITED);
	CHECK(ibv_req_notify_cq(cq, 0) == 0 && fake_cq(cq)->arm == MROCE_ARM_NEXT);
	CHECK(ibv_req_notify_cq(cq, 1) == 0 && fake_cq(cq)->arm == MROCE_ARM_NEXT);
	fake_cq(cq)->arm = MROCE_ARM_NONE;
	CHECK(ibv_req_notify_cq(cq, 1) == 0 && fake_cq(cq)->arm == MROCE_ARM_SOLICITED);
	teardown();
}

static void check_ex_reads(struct ibv_cq_ex *ex)
{
	CHECK(ex->wr_id == 7 && ex->status == IBV_WC_SUCCESS);
	CHECK(ibv_wc_read_opcode(ex) == IBV_WC_RECV && ibv_wc_read_vendor_err(ex) == 14);
	CHECK(ibv_wc_read_byte_len(ex) == 11 && ibv_wc_read_imm_data(ex) == htobe32(12));
	CHECK(ibv_wc_read_qp_num(ex) == qp->qp_num && ibv_wc_read_src_qp(ex) == 13);
	CHECK(ibv_wc_read_wc_flags(ex) == IBV_WC_WITH_IMM && ibv_wc_read_slid(ex) == 0);
	CHECK(ibv_wc_read_sl(ex) == 3 && ibv_wc_read_dlid_path_bits(ex) == 0);
	CHECK(ibv_wc_read_completion_ts(ex) == 1007 && ibv_wc_read_completion_wallclock_ns(ex) == 1007);
}

static void poll_ex__reads_and_ends(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4, .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
				      IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	};
	struct ibv_poll_cq_attr poll = {}, odd = { .comp_mask = 1 };
	struct mroce_cqe cqe;
	struct ibv_cq_ex *ex;
	struct ibv_cq *excq;

	CALL(setup());
	ex = fake.ops.create_cq_ex(ctx, &attr);
	excq = ibv_cq_ex_to_cq(ex);
	CHECK(ibv_start_poll(ex, &odd) == EINVAL);
	CHECK(ibv_start_poll(ex, &poll) == ENOENT);
	cqe = recv_cqe(qp, 7);
	fake_complete(excq, &cqe);
	cqe.wr_id = 8;
	cqe.status = IBV_WC_WR_FLUSH_ERR;
	fake_complete(excq, &cqe);
	CHECK(ibv_start_poll(ex, &poll) == 0);
	CALL(check_ex_reads(ex));
	CHECK(fake_cq(excq)->cons == 0);
	CHECK(ibv_next_poll(ex) == 0 && ex->wr_id == 8 && ex->status == IBV_WC_WR_FLUSH_ERR);
	CHECK(fake_cq(excq)->cons == 1);
	CHECK(ibv_next_poll(ex) == ENOENT);
	ibv_end_poll(ex);
	CHECK(fake_cq(excq)->cons == 2);
	fake_complete(excq, &cqe);
	CHECK(ibv_start_poll(ex, &poll) == 0);
	ibv_end_poll(ex);
	CHECK(fake_cq(excq)->cons == 3);
	fake_cq(excq)->dead = 1;
	CHECK(ibv_start_poll(ex, &poll) == EIO);
	CHECK(fake.ops.destroy_cq(excq) == 0);
	teardown();
}

static void poll_ex__frees_sends(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4 };
	struct ibv_poll_cq_attr poll = {};
	struct ibv_cq_ex *ex;
	struct ibv_qp *user;

	CALL(setup());
	ex = fake.ops.create_cq_ex(ctx, &attr);
	CHECK(!ex->read_completion_ts && !ex->read_cvlan);
	user = fake_create_qp(pd, ibv_cq_ex_to_cq(ex), cq, NULL, IBV_QPT_RC);
	user->state = IBV_QPS_RTS;
	CHECK(send_n(user, 5, 0) == 0 && send_n(user, 1, 0) == ENOMEM);
	fake_send_done(user, 1);
	CHECK(ibv_start_poll(ex, &poll) == 0);
	ibv_end_poll(ex);
	CHECK(send_n(user, 3, 0) == ENOMEM && bad == (void *)2);
	CHECK(fake.ops.destroy_qp(user) == 0 && fake.ops.destroy_cq(ibv_cq_ex_to_cq(ex)) == 0);
	teardown();
}

/* ---- resize, reset, removal ---- */

static void resize__keeps_completions_and_arm(void)
{
	struct ibv_wc wc[4];

	CALL(setup());
	complete_recv(qp, 1);
	complete_recv(qp, 2);
	complete_recv(qp2, 3);
	CHECK(ibv_poll_cq(cq, 1, wc) == 1);
	CHECK(ibv_req_notify_cq(cq, 0) == 0);
	CHECK(fake.ops.resize_cq(cq, 1) == EINVAL);
	CHECK(fake.ops.resize_cq(cq, 64) == 0 && cq->cqe == 64);
	CHECK(fake_cq(cq)->arm == MROCE_ARM_NEXT);
	complete_recv(qp, 4);
	CHECK(ibv_poll_cq(cq, 4, wc) == 3);
	CHECK(wc[0].wr_id == 2 && wc[1].wr_id == 3 && wc[2].wr_id == 4);
	CHECK(fake_cq(cq)->cons == fake_cq(cq)->prod);
	CHECK(fake.ops.resize_cq(cq, 2) == 0);
	complete_recv(qp, 5);
	CHECK(ibv_poll_cq(cq, 4, wc) == 1 && wc[0].wr_id == 5);
	teardown();
}

static void resize__failures(void)
{
	struct ibv_wc wc;

	CALL(setup());
	complete_recv(qp, 1);
	fake.fail_err = ENOMEM;
	fake.fail_in = 1;
	CHECK(fake.ops.resize_cq(cq, 64) == ENOMEM);
	CHECK(ibv_poll_cq(cq, 1, &wc) == 1 && wc.wr_id == 1);
	fake.fail_in = 2;
	CHECK(fake.ops.resize_cq(cq, 64) == EAGAIN);
	CHECK(ibv_poll_cq(cq, 1, &wc) < 0 && errno == EIO);
	CHECK(ibv_req_notify_cq(cq, 0) == EIO);
	teardown();
}

static void reset__restarts_counters_and_forgets_completions(void)
{
	struct ibv_wc wc[8];

	CALL(setup());
	CHECK(send_n(qp, 5, 0) == 0 && recv_n(qp, 3) == 0 && send_n(qp2, 1, 50) == 0);
	fake_sq(qp)->cons = 5;
	fake_send_done(qp, 0);
	fake_send_done(qp2, 0);
	fake_send_done(qp, 4);
	complete_recv(qp, 9);
	CHECK(fake_modify_qp(qp, IBV_QPS_ERR) == 0 && fake_sq(qp)->prod == 5);
	CHECK(fake_modify_qp(qp, IBV_QPS_RESET) == 0);
	CHECK(fake_sq(qp)->prod == 0 && fake_rq(qp)->prod == 0);
	CHECK(ibv_poll_cq(cq, 8, wc) == 1 && wc[0].wr_id == 50);
	qp->state = IBV_QPS_RTS;
	CHECK(send_n(qp, 6, 0) == ENOMEM && bad == (void *)5);
	CHECK(fake_send_wqe(qp, 0)->wr_id == 0 && fake_sq(qp)->prod == 5);
	CHECK(recv_n(qp, 5) == 0);
	teardown();
}

static void reset__refused_changes_nothing(void)
{
	CALL(setup());
	CHECK(send_n(qp, 2, 0) == 0);
	fake.fail_in = 1;
	CHECK(fake_modify_qp(qp, IBV_QPS_RESET) != 0);
	CHECK(fake_sq(qp)->prod == 2 && qp->state == IBV_QPS_RTS);
	teardown();
}

static void destroy__removes_completions_of_that_qp(void)
{
	struct ibv_wc wc[8];

	CALL(setup());
	CHECK(send_n(qp2, 2, 50) == 0);
	complete_recv(qp, 1);
	fake_send_done(qp2, 0);
	complete_recv(qp, 2);
	fake_send_done(qp2, 1);
	complete_recv(qp, 3);
	CHECK(ibv_poll_cq(cq, 1, wc) == 1);
	CHECK(fake.ops.destroy_qp(qp) == 0);
	qp = NULL;
	CHECK(ibv_poll_cq(cq, 8, wc) == 2 && wc[0].wr_id == 50 && wc[1].wr_id == 51);
	CHECK(fake_cq(cq)->cons == fake_cq(cq)->prod);
	teardown();
}

static void destroy__two_cqs(void)
{
	struct ibv_cq *other;
	struct ibv_qp *user;
	struct ibv_wc wc;

	CALL(setup());
	other = fake_create_cq(ctx, 4);
	user = fake_create_qp(pd, other, cq, NULL, IBV_QPT_RC);
	user->state = IBV_QPS_RTS;
	CHECK(send_n(user, 1, 1) == 0);
	fake_send_done(user, 0);
	complete_recv(user, 2);
	CHECK(fake.ops.destroy_qp(user) == 0);
	CHECK(ibv_poll_cq(cq, 1, &wc) == 0 && ibv_poll_cq(other, 1, &wc) == 0);
	CHECK(fake.ops.destroy_cq(other) == 0);
	teardown();
}

/* ---- scribbles ---- */

static void scribble(struct mroce_ring *ring)
{
	ring->prod = random();
	ring->cons = random();
	ring->arm = random();
	ring->flags = random();
	ring->dead = random() % 4 == 0;
}

/* Whatever is in the rings: no access outside them, no endless loop. ASan is the judge. */
static void hostile__rings(void)
{
	struct ibv_wc wc[8];
	int i;

	CALL(setup());
	srandom(1);
	for (i = 0; i < 200000; i++) {
		scribble(fake_sq(qp));
		scribble(fake_rq(qp));
		scribble(fake_cq(cq));
		to_mcq(cq)->cons = random();
		CHECK(ibv_poll_cq(cq, 8, wc) <= 8);
		send_n(qp, 3, 0);
		recv_n(qp, 3);
		ibv_req_notify_cq(cq, i & 1);
		if (i % 64 == 0)
			fake_modify_qp(qp, IBV_QPS_RESET);
		qp->state = IBV_QPS_RTS;
	}
	teardown();
}

static const struct tap_case cases[] = {
	TAP_CASE(post_send__one_doorbell_per_call),
	TAP_CASE(post_send__full_posts_what_fits),
	TAP_CASE(post_send__states),
	TAP_CASE(post_send__bad_request_in_the_middle),
	TAP_CASE(post_send__wraps_and_overflows),
	TAP_CASE(post_send__unsignaled_are_freed_by_a_later_one),
	TAP_CASE(doorbell__falls_back_to_the_ioctl),
	TAP_CASE(dead__posts_fail),
	TAP_CASE(post_recv__room_comes_from_the_kernel),
	TAP_CASE(post_recv__doorbell_only_when_asked),
	TAP_CASE(post_recv__refusals),
	TAP_CASE(post_srq_recv__room_flag_and_owner),
	TAP_CASE(poll__all_fields),
	TAP_CASE(poll__batches_and_overflow),
	TAP_CASE(poll__receive_frees_no_send),
	TAP_CASE(poll__unknown_qp_and_false_counter),
	TAP_CASE(poll__dead_after_the_last_completion),
	TAP_CASE(arm__values),
	TAP_CASE(poll_ex__reads_and_ends),
	TAP_CASE(poll_ex__frees_sends),
	TAP_CASE(resize__keeps_completions_and_arm),
	TAP_CASE(resize__failures),
	TAP_CASE(reset__restarts_counters_and_forgets_completions),
	TAP_CASE(reset__refused_changes_nothing),
	TAP_CASE(destroy__removes_completions_of_that_qp),
	TAP_CASE(destroy__two_cqs),
	TAP_CASE(hostile__rings),
};

TAP_MAIN(cases)
