/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Doubly linked rings under the kernel's names. A deleted entry is poisoned, so that a second deletion or a walk
 * through it faults; linking and unlinking check their neighbours.
 */
#ifndef SHIM_LINUX_LIST_H
#define SHIM_LINUX_LIST_H

#include <linux/types.h>
#include <linux/kernel.h>

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *l)
{
	l->next = l;
	l->prev = l;
}

static inline bool list_empty(const struct list_head *l)
{
	return l->next == l;
}

static inline bool list_is_last(const struct list_head *e, const struct list_head *l)
{
	return e->next == l;
}

static inline bool list_is_first(const struct list_head *e, const struct list_head *l)
{
	return e->prev == l;
}

static inline bool list_is_singular(const struct list_head *l)
{
	return l->next != l && l->next == l->prev;
}

static inline void shim_list_join(struct list_head *a, struct list_head *b)
{
	a->next = b;
	b->prev = a;
}

static inline void list_add(struct list_head *e, struct list_head *after)
{
	struct list_head *before = after->next;

	BUG_ON(before->prev != after || e == after || e == before);
	shim_list_join(e, before);
	shim_list_join(after, e);
}

static inline void list_add_tail(struct list_head *e, struct list_head *l)
{
	list_add(e, l->prev);
}

static inline void shim_list_out(struct list_head *e)
{
	BUG_ON(e->prev->next != e || e->next->prev != e);
	shim_list_join(e->prev, e->next);
}

static inline void list_del(struct list_head *e)
{
	shim_list_out(e);
	e->next = (struct list_head *)0x100;
	e->prev = (struct list_head *)0x122;
}

static inline void list_del_init(struct list_head *e)
{
	shim_list_out(e);
	INIT_LIST_HEAD(e);
}

static inline void list_move(struct list_head *e, struct list_head *l)
{
	shim_list_out(e);
	list_add(e, l);
}

static inline void list_move_tail(struct list_head *e, struct list_head *l)
{
	shim_list_out(e);
	list_add_tail(e, l);
}

static inline void list_splice_init(struct list_head *from, struct list_head *l)
{
	struct list_head *first = from->next, *last = from->prev, *next = l->next;

	if (list_empty(from))
		return;
	shim_list_join(l, first);
	shim_list_join(last, next);
	INIT_LIST_HEAD(from);
}

static inline void list_splice_tail_init(struct list_head *from, struct list_head *l)
{
	list_splice_init(from, l->prev);
}

#define list_entry(p, type, m)		container_of(p, type, m)
#define list_first_entry(l, type, m)	list_entry((l)->next, type, m)
#define list_last_entry(l, type, m)	list_entry((l)->prev, type, m)
#define list_next_entry(p, m)		list_entry((p)->m.next, __typeof__(*(p)), m)
#define list_prev_entry(p, m)		list_entry((p)->m.prev, __typeof__(*(p)), m)
#define list_first_entry_or_null(l, type, m)	(list_empty(l) ? NULL : list_first_entry(l, type, m))

#define list_entry_is_head(p, l, m)	(&(p)->m == (l))

#define list_for_each_entry(p, l, m)							\
	for (p = list_first_entry(l, __typeof__(*p), m); !list_entry_is_head(p, l, m);	\
	     p = list_next_entry(p, m))
#define list_for_each_entry_reverse(p, l, m)						\
	for (p = list_last_entry(l, __typeof__(*p), m); !list_entry_is_head(p, l, m);	\
	     p = list_prev_entry(p, m))
#define list_for_each_entry_from(p, l, m)						\
	for (; !list_entry_is_head(p, l, m); p = list_next_entry(p, m))
#define list_for_each_entry_continue(p, l, m)						\
	for (p = list_next_entry(p, m); !list_entry_is_head(p, l, m); p = list_next_entry(p, m))
#define list_for_each_entry_safe(p, n, l, m)						\
	for (p = list_first_entry(l, __typeof__(*p), m), n = list_next_entry(p, m);	\
	     !list_entry_is_head(p, l, m); p = n, n = list_next_entry(n, m))

#define list_for_each_entry_safe_reverse(pos, n, head, member)                                  \
	for (pos = list_last_entry(head, typeof(*pos), member), n = list_prev_entry(pos, member); \
	     &pos->member != (head); pos = n, n = list_prev_entry(n, member))

#endif /* SHIM_LINUX_LIST_H */
