// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life and time of the test world: see world.h. One event after the other: the earliest packet
 * or the earliest timer of any peer. Everything is decided by the seed.
 */
#include "world.h"

u64 mix64(u64 z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

u64 rng_next(struct rng *r)
{
	r->state += 0x9e3779b97f4a7c15ULL;
	return mix64(r->state);
}

u32 rng_below(struct rng *r, u32 n)
{
	return (u32)(((rng_next(r) >> 32) * n) >> 32);
}

bool rng_hit(struct rng *r, u32 ppm)
{
	return ppm && rng_below(r, 1000000) < ppm;
}

static void cfg_defaults(struct world_cfg *c)
{
	c->hosts = c->hosts ?: 2;
	c->planes = c->planes ?: 1;
	c->spines = c->spines ?: 1;
	c->npaths = c->npaths ?: 4;
	c->payload = c->payload ?: 256;
	c->psn_window = c->psn_window ?: 256;
	c->msn_window = c->msn_window ?: 64;
	c->held_cap = c->held_cap ?: 1 << 20;
	c->link.delay = c->link.delay ?: 5 * US;
}

struct world *world_new(const struct world_cfg *cfg, u64 seed)
{
	struct world *w = os_alloc(sizeof(*w));
	u32 i, n;

	if (cfg)
		w->cfg = *cfg;
	cfg_defaults(&w->cfg);
	w->seed = seed;
	w->rng.state = seed;
	/* Any time will do; this one is soon to wrap the timestamps on the wire. */
	w->now = (0xffffffffULL - 3000) * MROCE_TICK_NS;
	w->born = w->now;
	INIT_LIST_HEAD(&w->srqs);
	INIT_LIST_HEAD(&w->gone_qps);
	n = w->cfg.hosts * w->cfg.hosts * w->cfg.planes * w->cfg.spines;
	w->links = os_alloc(n * sizeof(*w->links));
	for (i = 0; i < n; i++)
		w->links[i] = w->cfg.link;
	for (i = 0; i < (u32)w->cfg.hosts; i++)
		host_init(w, i);
	w->sniff = sniff_new();
	return w;
}

void world_end(struct world *w)
{
	struct wpkt *pkt;
	int i;

	world_check_conns(w);
	verbs_free(w);
	for (i = 0; i < w->cfg.hosts; i++)
		host_end(&w->host[i]);
	while ((pkt = world_next_pkt(w)))
		wpkt_free(pkt);
	os_free(w->heap);
	os_free(w->links);
	sniff_free(w->sniff);
	os_free(w);
}

/* The earliest timer of any peer. */
static u64 next_timer(struct world *w, struct wpeer **who)
{
	u64 best = ~0ULL;
	int i;

	for (i = 0; i < w->cfg.hosts; i++) {
		struct wpeer *wp;

		list_for_each_entry(wp, &w->host[i].peers, link) {
			u64 at = wp->pump_later ? w->now : mroce_peer_next_timer(&wp->p);

			if (at < best) {
				best = at;
				*who = wp;
			}
		}
	}
	return best;
}

bool world_step(struct world *w, u64 until)
{
	struct wpeer *who = NULL;
	u64 timer = next_timer(w, &who);
	u64 pkt = w->heap_n ? w->heap[0]->at : ~0ULL;
	u64 at = min(timer, pkt);

	if (at > until) {
		w->now = max(w->now, until);
		return false;
	}
	w->now = max(w->now, at);
	w->steps++;
	if (pkt <= timer) {
		struct wpkt *p = world_next_pkt(w);

		if (p->at_port)
			world_port(w, p);
		else
			host_input(&w->host[p->to], p);
		return true;
	}
	if (who->pump_later) {
		who->pump_later = false;
		peer_pump(who);
		return true;
	}
	core_enter(who);
	mroce_peer_timer(&who->p, w->now);
	core_leave(who);
	return true;
}

void world_run(struct world *w, u64 ns)
{
	u64 until = w->now + ns;

	while (world_step(w, until))
		;
}

u32 world_busy(const struct world *w)
{
	u32 n = 0;
	int i;

	for (i = 0; i < w->cfg.hosts; i++) {
		struct wqp *qp;

		list_for_each_entry(qp, &w->host[i].qps, link)
			n += qp->posted - qp->completed;
	}
	return n;
}

u64 world_settle(struct world *w, u64 ns)
{
	u64 start = w->now, until = start + ns;

	while (world_busy(w) && w->now < until)
		world_step(w, until);
	CHECK_EQ(world_busy(w), 0);
	return w->now - start;
}
