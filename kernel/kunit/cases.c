// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of the transport core that run in the kernel (suite.c) and in user space (tests/unit) alike: one for each
 * thing that the core is for.
 */
#include "world.h"

static void core__send_arrives(void)
{
	struct world *w = world_new(NULL, 1);
	struct wqp *a, *b;

	qp_pair(w, 0, 1, &a, &b);
	post_recvs(b, 4, 4096);
	post_send(a, 0, 0);
	post_send(a, 1, MROCE_MSG_F_IMM);
	post_send(a, 1000, MROCE_MSG_F_SOLICITED);
	post_send(a, 4096, 0);
	world_settle(w, 100 * MS);
	CHECK_EQ(a->ok, 4);
	CHECK_EQ(b->received, 4);
	world_end(w);
}

const struct shared_case shared_cases[] = {
	{ "core__send_arrives", core__send_arrives },
};

const unsigned int shared_cases_n = ARRAY_SIZE(shared_cases);
