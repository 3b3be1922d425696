// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sent PSNs of one path: each from its first transmission to its acceptance.
 */
#include "internal.h"

#define TXWIN_FIRST_SIZE	64	/* slots */

/**
 * mroce_txwin_init() - an empty window
 * @w:		zeroed
 * @first:	first PSN
 * @limit:	agreed window, PSNs
 */
void mroce_txwin_init(struct mroce_txwin *w, u32 first, u32 limit)
{
	w->una = first;
	w->nxt = first;
	w->limit = limit;
}

/**
 * mroce_txwin_room() - may another PSN be sent? [M37]
 * @w:	window
 *
 * Return: true if so
 */
bool mroce_txwin_room(const struct mroce_txwin *w)
{
	return w->nxt - w->una < w->limit;
}

static bool mroce_txwin_grow(struct mroce_peer *peer, struct mroce_txwin *w)
{
	u32 size = w->size ? w->size * 2 : TXWIN_FIRST_SIZE;
	struct mroce_sent **slots = peer->ops->alloc(peer, size * sizeof(*slots));
	u32 psn;

	if (!slots)
		return false;
	for (psn = w->una; psn != w->nxt; psn++)
		slots[psn & (size - 1)] = w->slots[psn & (w->size - 1)];
	if (w->slots)
		peer->ops->free(peer, w->slots, w->size * sizeof(*slots));
	w->slots = slots;
	w->size = size;
	return true;
}

/**
 * mroce_txwin_add() - a record for the next PSN [M38]
 * @conn:	connection
 * @p:		path
 *
 * The caller has checked mroce_txwin_room().
 *
 * Return: the record, or NULL without memory: that limits the window, nothing else [M121]
 */
struct mroce_sent *mroce_txwin_add(struct mroce_conn *conn, struct mroce_path *p)
{
	struct mroce_txwin *w = &p->tx;
	struct mroce_sent *sent;

	if (w->nxt - w->una >= w->size && !mroce_txwin_grow(conn->peer, w))
		return NULL;
	sent = mroce_pool_get(conn->peer, &conn->sents);
	if (!sent)
		return NULL;
	INIT_LIST_HEAD(&sent->tx_link);
	sent->psn = w->nxt;
	w->slots[w->nxt & (w->size - 1)] = sent;
	w->nxt++;
	return sent;
}

/**
 * mroce_txwin_undo() - the newest record was not used after all
 * @conn:	connection
 * @p:		path
 * @sent:	that record, gone afterwards
 */
void mroce_txwin_undo(struct mroce_conn *conn, struct mroce_path *p, struct mroce_sent *sent)
{
	p->tx.nxt--;
	p->tx.slots[p->tx.nxt & (p->tx.size - 1)] = NULL;
	mroce_pool_put(&conn->sents, sent);
}

/**
 * mroce_txwin_find() - the record of @psn
 * @w:		window
 * @psn:	packet sequence number
 *
 * Return: the record, or NULL if it is outside the window or accepted
 */
struct mroce_sent *mroce_txwin_find(const struct mroce_txwin *w, u32 psn)
{
	if (psn - w->una >= w->nxt - w->una)
		return NULL;
	return w->slots[psn & (w->size - 1)];
}

/**
 * mroce_txwin_sent() - @sent leaves now: it is the newest transmission of the path
 * @p:		path
 * @sent:	record, its bytes set
 * @now:	current time, ns
 */
void mroce_txwin_sent(struct mroce_path *p, struct mroce_sent *sent, u64 now)
{
	list_move_tail(&sent->tx_link, &p->inflight);
	if (sent->lost)
		p->conn->lost_pkts--;
	sent->lost = false;
	sent->timed_out = false;
	sent->sent_at = now;
	sent->order = p->order++;
	sent->epoch = p->epoch;
	if (sent->ntx < 255)
		sent->ntx++;
	p->inflight_bytes += sent->bytes;
	p->conn->inflight_bytes += sent->bytes;
}

/**
 * mroce_txwin_lose() - @sent is believed lost and waits for its next transmission
 * @p:		path
 * @sent:	record
 */
void mroce_txwin_lose(struct mroce_path *p, struct mroce_sent *sent)
{
	if (sent->lost)
		return;
	sent->lost = true;
	p->conn->lost_pkts++;
	list_move_tail(&sent->tx_link, &p->lost);
	p->inflight_bytes -= sent->bytes;
	p->conn->inflight_bytes -= sent->bytes;
}

/**
 * mroce_txwin_unlose() - what an RTO gave up and was not sent again yet is in flight after all
 * @p:	path
 */
void mroce_txwin_unlose(struct mroce_path *p)
{
	struct mroce_sent *sent, *tmp;

	list_for_each_entry_safe_reverse(sent, tmp, &p->lost, tx_link) {
		if (!sent->timed_out)
			continue;
		sent->timed_out = false;
		sent->lost = false;
		p->conn->lost_pkts--;
		list_move(&sent->tx_link, &p->inflight);
		p->inflight_bytes += sent->bytes;
		p->conn->inflight_bytes += sent->bytes;
	}
}

/**
 * mroce_txwin_accept() - the peer accepted @psn, which lies in [una, nxt)
 * @p:		path
 * @psn:	packet sequence number
 * @now:	current time, ns
 *
 * Context: may complete messages and end streams
 * Return: bytes newly accepted; 0: it was known
 */
u32 mroce_txwin_accept(struct mroce_path *p, u32 psn, u64 now)
{
	struct mroce_sent *sent = mroce_txwin_find(&p->tx, psn);
	struct mroce_conn *conn = p->conn;
	struct mroce_seg *seg;
	u32 bytes;

	if (!sent)
		return 0;
	bytes = sent->bytes;
	if (sent->lost) {
		conn->lost_pkts--;
	} else {
		p->inflight_bytes -= bytes;
		conn->inflight_bytes -= bytes;
	}
	mroce_loss_accepted(p, sent, now);
	list_del(&sent->tx_link);
	p->tx.slots[psn & (p->tx.size - 1)] = NULL;
	while (p->tx.una != p->tx.nxt && !p->tx.slots[p->tx.una & (p->tx.size - 1)])
		p->tx.una++;
	seg = sent->seg;
	mroce_pool_put(&conn->sents, sent);
	if (seg) {
		seg->sent = NULL;
		mroce_seg_accepted(conn, seg, now);
	}
	return bytes;
}

/**
 * mroce_txwin_drop() - forget everything; contents have been cancelled or are dropped with it
 * @p:	path
 */
void mroce_txwin_drop(struct mroce_path *p)
{
	struct mroce_txwin *w = &p->tx;
	struct mroce_conn *conn = p->conn;

	for (; w->una != w->nxt; w->una++) {
		struct mroce_sent *sent = w->slots[w->una & (w->size - 1)];

		if (!sent)
			continue;
		if (sent->lost)
			conn->lost_pkts--;
		else
			conn->inflight_bytes -= sent->bytes;
		list_del(&sent->tx_link);
		if (sent->seg)
			mroce_seg_put(conn, sent->seg);
		mroce_pool_put(&conn->sents, sent);
	}
	p->inflight_bytes = 0;
	mroce_txwin_trim(p);
}

/**
 * mroce_txwin_trim() - give the slots back if none is in use
 * @p:	path
 */
void mroce_txwin_trim(struct mroce_path *p)
{
	struct mroce_txwin *w = &p->tx;
	struct mroce_peer *peer = p->conn->peer;

	if (w->una != w->nxt || !w->slots)
		return;
	peer->ops->free(peer, w->slots, w->size * sizeof(*w->slots));
	w->slots = NULL;
	w->size = 0;
}
