// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pairing heap of deadlines: see timerq.h.
 */
#include <linux/kernel.h>
#include "timerq.h"

/* Join two heaps: the later root becomes the leftmost child of the earlier. */
static struct mroce_timer *meld(struct mroce_timer *a, struct mroce_timer *b)
{
	if (!a)
		return b;
	if (!b)
		return a;
	if (b->expires < a->expires)
		swap(a, b);
	b->next = a->child;
	if (b->next)
		b->next->prev = b;
	b->prev = a;
	a->child = b;
	return a;
}

/*
 * Join a list of siblings in the usual two passes: pairs from left to right, then all from right to
 * left.
 */
static struct mroce_timer *meld_siblings(struct mroce_timer *list)
{
	struct mroce_timer *pairs = NULL, *root = NULL;

	while (list) {
		struct mroce_timer *a = list, *b = a->next;

		list = b ? b->next : NULL;
		a->next = NULL;
		a->prev = NULL;
		if (b) {
			b->next = NULL;
			b->prev = NULL;
		}
		a = meld(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		struct mroce_timer *a = pairs;

		pairs = a->next;
		a->next = NULL;
		root = meld(root, a);
	}
	return root;
}

void mroce_timer_cancel(struct mroce_timerq *q, struct mroce_timer *t)
{
	struct mroce_timer *rest;

	if (!t->armed)
		return;
	rest = meld_siblings(t->child);
	if (q->root == t) {
		q->root = rest;
	} else {
		if (t->prev->child == t)
			t->prev->child = t->next;
		else
			t->prev->next = t->next;
		if (t->next)
			t->next->prev = t->prev;
		q->root = meld(q->root, rest);
	}
	t->child = NULL;
	t->next = NULL;
	t->prev = NULL;
	t->armed = false;
}

void mroce_timer_arm(struct mroce_timerq *q, struct mroce_timer *t, u64 expires)
{
	if (expires < q->floor)
		expires = q->floor;
	if (t->armed && t->expires == expires)
		return;
	mroce_timer_cancel(q, t);
	t->expires = expires;
	t->armed = true;
	q->root = meld(q->root, t);
}

u64 mroce_timerq_next(const struct mroce_timerq *q)
{
	return q->root ? q->root->expires : ~0ULL;
}

void mroce_timerq_run(struct mroce_timerq *q, u64 now)
{
	struct mroce_timer *t;

	q->floor = now + 1;
	while ((t = q->root) && t->expires <= now) {
		mroce_timer_cancel(q, t);
		t->fn(t, now);
	}
	q->floor = 0;
}
