/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two hosts with one queue pair each and a tap on the wire: where the rules' scenarios begin.
 */
#ifndef MROCE_UNIT_PLAY_H
#define MROCE_UNIT_PLAY_H

#include "lab.h"

struct play {
	struct world *w;
	struct wqp *a, *b;
	struct tap t;
};

static inline void play_new(struct play *x, const struct world_cfg *cfg)
{
	memset(x, 0, sizeof(*x));
	x->w = world_new(cfg, test_seed());
	x->a = qp_new(&x->w->host[0]);
	x->b = qp_new(&x->w->host[1]);
	tap_on(x->w, &x->t);
}

static inline void play_open(struct play *x, const struct world_cfg *cfg)
{
	play_new(x, cfg);
	qp_connect(x->a, x->b);
	world_until(x->w, x->a->s.opened && x->b->s.opened, SEC);
	world_run(x->w, MS);
}

static inline void may_fail(struct play *x)
{
	x->a->allow_fail = true;
	x->b->allow_fail = true;
}

static inline struct mroce_conn *conn_of(const struct wqp *qp)
{
	return host_conn(qp->h, qp->peer->to, qp->attr.tclass);
}

#endif /* MROCE_UNIT_PLAY_H */
