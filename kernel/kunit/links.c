// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets and links of the test world: see world.h. A link is a FIFO with a rate and a delay;
 * chance may lose, double, delay or mark what goes through. Which link a packet takes is
 * decided as in a fabric: by its egress interface and, among equal routes, by a hash of its
 * addresses and source port.
 */
#include "world.h"

struct wlink *world_link(struct world *w, int from, int to, int ifindex, int spine)
{
	const struct world_cfg *c = &w->cfg;

	return &w->links[((from * c->hosts + to) * c->planes + ifindex - 1) * c->spines + spine];
}

void (*world_trace)(const struct world *w, const char *what, const struct wpkt *pkt);

static void trace(const struct world *w, const char *what, const struct wpkt *pkt)
{
	if (world_trace)
		world_trace(w, what, pkt);
}

static bool link_chosen(const struct world *w, u32 n, int from, int to)
{
	int pair = n / (w->cfg.planes * w->cfg.spines);

	return (from < 0 || pair / w->cfg.hosts == from) && (to < 0 || pair % w->cfg.hosts == to);
}

static u32 links_n(const struct world *w)
{
	return w->cfg.hosts * w->cfg.hosts * w->cfg.planes * w->cfg.spines;
}

void links_set(struct world *w, int from, int to, const struct wlink *how)
{
	u32 i;

	for (i = 0; i < links_n(w); i++)
		if (link_chosen(w, i, from, to))
			w->links[i] = *how;
}

void links_black(struct world *w, int from, int to, bool black)
{
	u32 i;

	for (i = 0; i < links_n(w); i++)
		if (link_chosen(w, i, from, to))
			w->links[i].black = black;
}

int world_spine(const struct world *w, int from, int to, u16 sport)
{
	return mix64((u64)sport << 16 | from << 8 | to) % w->cfg.spines;
}

struct wpkt *wpkt_new(u32 stored)
{
	struct wpkt *pkt = os_alloc(sizeof(*pkt) + stored);

	pkt->stored = stored;
	pkt->len = stored;
	return pkt;
}

struct wpkt *wpkt_copy(const struct wpkt *pkt)
{
	struct wpkt *copy = wpkt_new(pkt->stored);

	memcpy(copy, pkt, sizeof(*pkt) + pkt->stored);
	copy->copy = true;
	return copy;
}

void wpkt_free(struct wpkt *pkt)
{
	os_free(pkt);
}

int wpkt_type(const struct wpkt *pkt)
{
	return MROCE_TYPE_OF(pkt->data[0]);
}

u8 wpkt_opcode(const struct wpkt *pkt)
{
	return wpkt_type(pkt) == MROCE_PT_DATA ? pkt->data[3] : 0xff;
}

/* --- the packets under way, a binary heap by (arrival, number) --- */

static bool earlier(const struct wpkt *a, const struct wpkt *b)
{
	return a->at != b->at ? a->at < b->at : a->nr < b->nr;
}

static void heap_room(struct world *w)
{
	struct wpkt **bigger;
	u32 size = w->heap_size ? w->heap_size * 2 : 64;

	if (w->heap_n < w->heap_size)
		return;
	bigger = os_alloc(size * sizeof(*bigger));
	if (w->heap)
		memcpy(bigger, w->heap, w->heap_n * sizeof(*bigger));
	os_free(w->heap);
	w->heap = bigger;
	w->heap_size = size;
}

void world_inject(struct world *w, struct wpkt *pkt, u64 at)
{
	u32 i;

	pkt->at = at;
	pkt->nr = w->sent++;
	heap_room(w);
	for (i = w->heap_n++; i && earlier(pkt, w->heap[(i - 1) / 2]); i = (i - 1) / 2)
		w->heap[i] = w->heap[(i - 1) / 2];
	w->heap[i] = pkt;
}

struct wpkt *world_next_pkt(struct world *w)
{
	struct wpkt *first, *last;
	u32 i = 0;

	if (!w->heap_n)
		return NULL;
	first = w->heap[0];
	last = w->heap[--w->heap_n];
	for (;;) {
		u32 c = 2 * i + 1;

		if (c >= w->heap_n)
			break;
		if (c + 1 < w->heap_n && earlier(w->heap[c + 1], w->heap[c]))
			c++;
		if (!earlier(w->heap[c], last))
			break;
		w->heap[i] = w->heap[c];
		i = c;
	}
	w->heap[i] = last;
	return first;
}

/* --- a link --- */

static bool link_loses(struct world *w, struct wlink *l)
{
	if (l->black)
		return true;
	if (l->in_burst)
		l->in_burst = !rng_hit(&w->rng, l->burst_exit);
	else if (l->burst_enter)
		l->in_burst = rng_hit(&w->rng, l->burst_enter);
	if (l->in_burst && rng_hit(&w->rng, l->burst_loss))
		return true;
	return rng_hit(&w->rng, l->loss) || rng_hit(&w->rng, l->corrupt);
}

/** wlink_queue() - bytes that wait in front of a link with a rate */
u64 wlink_queue(const struct world *w, const struct wlink *l)
{
	u64 wait = l->busy_until > w->now ? l->busy_until - w->now : 0;

	return div_u64(wait * 1024, (u32)l->ns_per_kb);
}

/* When a packet that is handed to the link now arrives; 0: it is lost. */
static u64 link_pass(struct world *w, struct wlink *l, struct wpkt *pkt)
{
	u64 at = w->now;

	l->packets++;
	if (link_loses(w, l)) {
		l->lost++;
		return 0;
	}
	if (l->ns_per_kb) {
		u64 wire = (pkt->len + 42) * l->ns_per_kb / 1024;
		u64 wait = l->busy_until > w->now ? l->busy_until - w->now : 0;
		u64 queue = wlink_queue(w, l);

		if (l->queue_bytes && queue > l->queue_bytes) {
			l->lost++;
			return 0;
		}
		if (l->ecn_bytes && queue > l->ecn_bytes && pkt->ect) {
			pkt->ce = true;
			l->marked++;
		}
		l->busy_until = w->now + wait + wire;
		at = l->busy_until;
	}
	at += l->delay;
	if (rng_hit(&w->rng, l->reorder))
		return at + 1 + rng_next(&w->rng) % max(l->reorder_by, 1ULL);
	at = max(at, l->last_at);
	l->last_at = at;
	return at;
}

/* @pkt leaves a link: for the port that all share, or for its host; 0: it is lost. */
static void arrive(struct world *w, struct wpkt *pkt, u64 at)
{
	if (!at) {
		wpkt_free(pkt);
		return;
	}
	pkt->at_port = !pkt->at_port && w->host[pkt->to].port.ns_per_kb;
	world_inject(w, pkt, at);
}

static void pkt_through(struct world *w, struct wpkt *pkt)
{
	int spine = world_spine(w, pkt->from, pkt->to, pkt->route.sport);
	struct wlink *l = world_link(w, pkt->from, pkt->to, pkt->route.ifindex, spine);
	u64 at;

	if (rng_hit(&w->rng, l->dup)) {
		struct wpkt *copy = wpkt_copy(pkt);

		arrive(w, copy, link_pass(w, l, copy));
	}
	at = link_pass(w, l, pkt);
	trace(w, at ? "sent" : "lost", pkt);
	arrive(w, pkt, at);
}

/** world_port() - @pkt has come to the switch's port towards its host */
void world_port(struct world *w, struct wpkt *pkt)
{
	u64 at = link_pass(w, &w->host[pkt->to].port, pkt);

	if (!at)
		trace(w, "lost", pkt);
	arrive(w, pkt, at);
}

/** world_send() - a host hands @pkt to its interface */
void world_send(struct world *w, struct wpkt *pkt)
{
	int plane = pkt->route.ifindex - 1;
	u32 carries = w->host[pkt->from].route_payload[plane];

	/* What does not fit is lost, or fragmented; a header alone fits every link. */
	if (!carries || !w->host[pkt->to].route_payload[plane] ||
	    (pkt->df && pkt->len > carries + MROCE_DATA_HDR_LEN)) {
		trace(w, "unfit", pkt);
		wpkt_free(pkt);
		return;
	}
	if (w->filter) {
		switch (w->filter(w, pkt)) {
		case W_PASS:
			break;
		case W_DROP:
			wpkt_free(pkt);
			return;
		case W_KEEP:
			return;
		}
	}
	pkt_through(w, pkt);
}
