// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of kernel/transport/peer.c: what the host asks of an association.
 */
#include "lab.h"

TEST(peer_routes_changed__asks_again)
{
	struct lab l = lab_pair(&(struct world_cfg){ .planes = 2 });
	u32 i, second = 0;

	l.b->h->route_payload[1] = 0;
	mroce_peer_routes_changed(&l.wp->p, l.w->now);
	for (i = 0; i < 4; i++)
		CHECK_EQ(l.conn->paths[i]->route.ifindex, 1);
	/* And when it is back it gets its share. */
	l.b->h->route_payload[1] = 256;
	mroce_peer_routes_changed(&l.wp->p, l.w->now);
	for (i = 0; i < 4; i++)
		second += l.conn->paths[i]->route.ifindex == 2;
	CHECK_EQ(second, 2);
	lab_end(&l);
}

TEST(peer_output__nothing_when_idle)
{
	struct lab l = lab_pair(NULL);
	static struct mroce_tx tx;

	CHECK_EQ(mroce_peer_output(&l.wp->p, &tx, l.w->now), 0);
	CHECK(list_empty(&l.wp->p.out));
	lab_end(&l);
}

/* Idle is who has neither streams nor connections; no timer is left then. */
TEST(peer_idle__once_everything_has_expired)
{
	struct lab l = lab_new(NULL);
	struct mroce_peer *p = &l.wp->p;

	CHECK(mroce_peer_idle(p, l.w->now));
	CHECK_EQ(mroce_peer_next_timer(p), ~0ULL);
	CHECK(mroce_conn_create(p, 0, false, l.w->now));
	CHECK(!mroce_peer_idle(p, l.w->now));
	CHECK_NE(mroce_peer_next_timer(p), ~0ULL);
	mroce_peer_destroy(p);
	CHECK(mroce_peer_idle(p, l.w->now));
	lab_end(&l);
}
