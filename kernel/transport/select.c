// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which paths carry traffic, and which of them the next packet takes. Only as many paths are used
 * as the connection's window can keep busy (rule 33): a path whose window has grown gives half of
 * it to one that rests, a path whose window cannot shrink any more rests. So a short flow keeps
 * few paths warm, and a gap shows soon because packets follow on the same path.
 */
#include "internal.h"

#define SELECT_FIRST	4	/* paths in use at first, and one for each egress */
#define SELECT_SPLIT	4	/* packets of window at which a path is split in two */

static void activate(struct mroce_path *p)
{
	struct mroce_conn *conn = p->conn;

	list_add_tail(&p->active_link, &conn->active);
	conn->nactive++;
	mroce_path_note(p, MROCE_PATH_EV_USED, 0);
}

static void deactivate(struct mroce_path *p)
{
	list_del_init(&p->active_link);
	p->conn->nactive--;
	mroce_path_note(p, MROCE_PATH_EV_RESTS, 0);
}

static u32 egress_users(const struct mroce_conn *conn, u32 ifindex)
{
	const struct mroce_path *p;
	u32 n = 0;

	list_for_each_entry(p, &conn->active, active_link)
		n += p->route.ifindex == ifindex;
	return n;
}

/* A resting path on the egress that has fewest at work; by turns, so that all are tried. */
static struct mroce_path *resting(struct mroce_conn *conn)
{
	struct mroce_path *best = NULL;
	u32 i, least = ~0U, n = min(conn->npaths, conn->path_limit);

	for (i = 0; i < n && conn->nactive < conn->npaths; i++) {
		struct mroce_path *p = conn->paths[(conn->next_path + i) % n];
		u32 users;

		if (mroce_path_active(p) || p->loss.rtos || p->away)
			continue;
		users = egress_users(conn, p->route.ifindex);
		if (users >= least)
			continue;
		least = users;
		best = p;
	}
	if (best)
		conn->next_path = best->index + 1;
	return best;
}

/**
 * mroce_select_start() - the paths that a connection begins with
 * @conn:	connection, its path count agreed
 */
void mroce_select_start(struct mroce_conn *conn)
{
	struct mroce_path *p, *tmp;

	list_for_each_entry_safe(p, tmp, &conn->active, active_link)
		deactivate(p);
	while ((p = resting(conn)) &&
	       (conn->nactive < SELECT_FIRST || !egress_users(conn, p->route.ifindex)))
		activate(p);
}

/*
 * The window moves, it does not grow: state goes along with it. What is known of the round trip
 * stays with its path.
 */
static void hand_over(struct mroce_path *from, struct mroce_path *to)
{
	to->cc = from->cc;
	to->cc.round_end = to->tx.nxt;
	to->cc.round_pkts = 0;
	to->cc.round_ce = 0;
	to->cc.loss_map = 0;
	activate(to);
}

/**
 * mroce_select_limit() - how many paths may be in use
 * @conn:	connection
 * @n:		at least 1
 *
 * Paths beyond give their window to others that rest, or lose it; what they have in flight stays
 * there [M62].
 */
void mroce_select_limit(struct mroce_conn *conn, u32 n)
{
	struct mroce_path *p, *tmp;

	conn->path_limit = n;
	list_for_each_entry_safe(p, tmp, &conn->active, active_link) {
		struct mroce_path *heir;

		if (p->index < n)
			continue;
		deactivate(p);
		heir = resting(conn);
		if (heir)
			hand_over(p, heir);
	}
	if (!conn->nactive)
		activate(conn->paths[0]);
	while (conn->nactive < SELECT_FIRST && (p = resting(conn)))
		activate(p);
	mroce_conn_out(conn);
}

/**
 * mroce_select_grown() - the window of @p has grown: perhaps another path may help
 * @p:	path
 */
void mroce_select_grown(struct mroce_path *p)
{
	struct mroce_path *helper;

	if (!mroce_path_active(p) || p->cc.cwnd < SELECT_SPLIT * mroce_conn_mss(p->conn))
		return;
	helper = resting(p->conn);
	if (!helper)
		return;
	p->cc.cwnd /= 2;
	p->cc.ssthresh /= 2;
	p->cc.given /= 2;
	hand_over(p, helper);
}

/**
 * mroce_select_rest() - @p carries nothing new until it is called again
 * @p:	path
 *
 * What it has in flight stays there [M62].
 *
 * Return: false if no other path is in use
 */
bool mroce_select_rest(struct mroce_path *p)
{
	if (!mroce_path_active(p) || p->conn->nactive == 1)
		return false;
	deactivate(p);
	return true;
}

/**
 * mroce_select_swap() - a path that rests takes the place of @p, which is congested
 * @p:	path
 */
void mroce_select_swap(struct mroce_path *p)
{
	struct mroce_path *fresh;

	if (!mroce_path_active(p))
		return;
	fresh = resting(p->conn);
	if (!fresh)
		return;
	deactivate(p);
	hand_over(p, fresh);
	mroce_count(p->conn->peer, MROCE_CNT_PATH_SWAP);
}

/*
 * Expected time until @bytes more are delivered: half a round trip plus the queue ahead at the
 * window's rate.
 */
static u64 path_cost(const struct mroce_path *p, u32 bytes)
{
	u64 srtt = mroce_path_srtt(p);

	return srtt / 2 + div_u64(srtt * (p->inflight_bytes + bytes), max(p->cc.cwnd, 1U));
}

static bool may_take(const struct mroce_path *p, u32 bytes)
{
	return mroce_path_room(p, bytes) && mroce_txwin_room(&p->tx) && list_empty(&p->lost);
}

/**
 * mroce_path_select() - the path with room that is expected to deliver first; equals take turns
 * @conn:	connection
 * @bytes:	size of the packet, header included
 * @now:	current time, ns
 *
 * A path that met an RTO carries nothing new until it was heard from, unless all did.
 *
 * Return: the path, or NULL when none has room
 */
struct mroce_path *mroce_path_select(struct mroce_conn *conn, u32 bytes, u64 now)
{
	struct mroce_path *p, *best = NULL, *suspect = NULL;
	u64 best_cost = ~0ULL;

	list_for_each_entry(p, &conn->active, active_link) {
		u64 cost;

		if (!may_take(p, bytes))
			continue;
		if (p->loss.rtos) {
			if (!p->inflight_bytes)
				suspect = p;
			continue;
		}
		cost = path_cost(p, bytes);
		if (cost < best_cost) {
			best_cost = cost;
			best = p;
		}
	}
	if (!best && suspect && !mroce_path_living(suspect, now))
		best = suspect;
	if (best)
		list_move_tail(&best->active_link, &conn->active);
	return best;
}
