// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The association of two GIDs: its connections, streams and timers. Entry points of the host.
 */
#include "internal.h"

void mroce_peer_init(struct mroce_peer *peer)
{
	INIT_LIST_HEAD(&peer->conns);
	INIT_LIST_HEAD(&peer->streams);
	INIT_LIST_HEAD(&peer->out);
	mroce_pool_init(&peer->rmsgs, sizeof(struct mroce_rmsg));
}

void mroce_peer_destroy(struct mroce_peer *peer)
{
	struct mroce_conn *conn, *tmp;

	list_for_each_entry_safe(conn, tmp, &peer->conns, link)
		mroce_conn_destroy(conn);
	mroce_pool_trim(peer, &peer->rmsgs);
}

bool mroce_peer_idle(const struct mroce_peer *peer, u64 now)
{
	return list_empty(&peer->streams) && list_empty(&peer->conns);
}

u64 mroce_peer_next_timer(const struct mroce_peer *peer)
{
	return mroce_timerq_next(&peer->timers);
}

void mroce_peer_timer(struct mroce_peer *peer, u64 now)
{
	mroce_timerq_run(&peer->timers, now);
}

void mroce_peer_routes_changed(struct mroce_peer *peer, u64 now)
{
	struct mroce_conn *conn;

	list_for_each_entry(conn, &peer->conns, link) {
		mroce_conn_spread(conn, conn->state == MROCE_CONN_OPEN);
		mroce_conn_out(conn);
	}
}
