// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random schedules: small worlds with mixed work in both directions over links that lose, double and reorder, each
 * decided by one seed. The world checks every byte and completion as it comes; here is what must hold at the end.
 *
 * [M42, M46, M78, M90, M91, M92, M93, M105]
 */
#include "test.h"

#define F_REORDER	0x001
#define F_LATE_RECV	0x002
#define F_SRQ		0x004
#define F_ERRORS	0x008	/* QPs go to ERR or RESET, regions go, requests are wrong */
#define F_MEMORY	0x010	/* allocations fail */
#define F_RESTART	0x020	/* a host loses everything */
#define F_CAP		0x040	/* one packet may be held */
#define F_LATE_QP	0x080	/* one end is created later */
#define F_RATE		0x100	/* queues, marks and drops by overflow */
#define F_CLASSES	0x200	/* the ends choose traffic classes on their own */
#define F_LOOP		0x400	/* both ends on one host */
#define F_ROUTES	0x800	/* planes fail and come back */

#define PAIRS		3
#define WRITE_LEN	16384
#define READ_LEN	2048
#define RECV_LEN	1024

/**
 * struct end - one end of a pair: a QP and what the other end may do to its memory
 * @slot:	next free byte of the other end's @wmr
 * @left:	messages still to be posted
 * @recvs:	messages posted that take a receive
 * @given:	receives posted
 */
struct end {
	struct wqp *qp;
	struct end *other;
	struct wmr *wmr;
	struct wmr *rmr;
	struct wmr *amr;
	u32 slot;
	u32 left;
	u32 recvs;
	u32 given;
	bool up;
};

struct schedule {
	struct world *w;
	struct rng rng;
	u32 flavour;
	struct end end[2 * PAIRS];
	u32 ends;
	struct wsrq *srq;
	u32 srq_given;
};

static u32 pick(struct schedule *s, u32 n)
{
	return rng_below(&s->rng, n);
}

static bool maybe(struct schedule *s, u32 percent)
{
	return pick(s, 100) < percent;
}

static void choose_links(struct schedule *s, struct wlink *l)
{
	static const u32 rates[] = { 0, 1000, 5000, 20000, 50000, 100000 };

	l->delay = (1 + pick(s, 40)) * US;
	l->loss = rates[pick(s, ARRAY_SIZE(rates))];
	if (maybe(s, 40))
		l->dup = rates[pick(s, 4)];
	if (maybe(s, 20))
		l->corrupt = 5000;
	if (maybe(s, 15)) {
		l->burst_enter = 5000;
		l->burst_exit = 100000;
		l->burst_loss = 500000;
	}
	if (s->flavour & F_REORDER) {
		l->reorder = (1 + pick(s, 30)) * 10000;
		l->reorder_by = (1 + pick(s, 100)) * US;
	}
	if (s->flavour & F_RATE) {
		l->ns_per_kb = 200 + pick(s, 2000);
		l->ecn_bytes = maybe(s, 60) ? 2000 + pick(s, 8000) : 0;
		l->queue_bytes = maybe(s, 60) ? 4000 + pick(s, 20000) : 0;
	}
}

static void build_world(struct schedule *s, u64 seed)
{
	struct world_cfg cfg = {
		.npaths = 1 + pick(s, 8),
		.planes = 1 + pick(s, 3),
		.spines = 1 + pick(s, 3),
		.payload = 128 * (1 + pick(s, 2)),
		.msn_window = 16 << pick(s, 3),
	};

	/* Enough paths to be on every plane, and time enough to find out that one is dead. */
	if (s->flavour & F_ROUTES)
		cfg.npaths += 2;
	choose_links(s, &cfg.link);
	if (s->flavour & F_CAP)
		cfg.held_cap = 1;
	s->w = world_new(&cfg, mix64(seed));
	if (maybe(s, 20))
		s->w->budget = 1 + pick(s, 4);
	if (maybe(s, 20))
		s->w->oom_ppm = 10000;
	if (maybe(s, 20))
		s->w->host[pick(s, 2)].cookies = WCOOKIE_ALWAYS;
	if (s->flavour & F_MEMORY) {
		s->w->host[0].alloc_fail = 10000 + pick(s, 200000);
		s->w->host[1].alloc_fail = 10000 + pick(s, 200000);
	}
}

static void end_init(struct schedule *s, struct end *e, struct whost *h)
{
	bool relaxed = maybe(s, 50);

	e->qp = qp_new(h);
	e->qp->rnr_timer = 1 + pick(s, 6);
	/* Time for many lost CONNECTs and for finding out which planes are dead. */
	e->qp->attr.timeout = 18;
	e->qp->attr.max_rd_atomic = 1 + pick(s, 4);
	e->qp->attr.max_dest_rd_atomic = 4;
	if (s->flavour & F_CLASSES)
		e->qp->attr.tclass = pick(s, 3) * 32;
	if (s->flavour & (F_ERRORS | F_RESTART)) {
		e->qp->attr.timeout = 6 + pick(s, 4);
		e->qp->attr.retry_cnt = 3;
		e->qp->allow_fail = true;
	}
	e->wmr = mr_new(h, WRITE_LEN, MROCE_ACC_WRITE, relaxed);
	/* One writer with rising addresses: strict placement must follow them without a gap. */
	e->wmr->ascending = !relaxed && !(s->flavour & (F_ERRORS | F_RESTART));
	e->rmr = mr_new(h, READ_LEN, MROCE_ACC_READ, false);
	mr_fill(e->rmr, e->rmr->rkey);
	e->amr = mr_new(h, 8, MROCE_ACC_ATOMIC, false);
	e->left = 1 + pick(s, 14);
	if (s->srq && h == &s->w->host[1])
		qp_srq(e->qp, s->srq);
}

/* RTR and RTS, however often memory fails. */
static void end_up(struct schedule *s, struct end *e)
{
	int ret;

	do {
		ret = qp_rtr(e->qp, e->other->qp->h, e->other->qp->qpn, e->other->qp);
	} while (ret && (s->flavour & F_MEMORY));
	CHECK_EQ(ret, 0);
	qp_rts(e->qp);
	e->up = true;
}

static void recv_give(struct schedule *s, struct end *e)
{
	if (e->qp->srq) {
		srq_post(s->srq, RECV_LEN);
		s->srq_given++;
		return;
	}
	if (e->qp->state == QP_RESET)
		return;
	post_recv(e->qp, RECV_LEN);
	e->given++;
}

static void ends_init(struct schedule *s)
{
	u32 i, pairs = 1 + pick(s, PAIRS);

	if (s->flavour & F_SRQ)
		s->srq = srq_new(s->w);
	s->ends = 2 * pairs;
	for (i = 0; i < s->ends; i++)
		end_init(s, &s->end[i], &s->w->host[s->flavour & F_LOOP ? 0 : i & 1]);
	for (i = 0; i < s->ends; i++)
		s->end[i].other = &s->end[i ^ 1];
	for (i = 0; i < s->ends; i++)
		if (!(s->flavour & F_LATE_QP) || maybe(s, 60))
			end_up(s, &s->end[i]);
	for (i = 0; i < s->ends; i++) {
		u32 n = s->flavour & F_LATE_RECV ? pick(s, 3) : 16;

		while (n--)
			recv_give(s, &s->end[i]);
	}
}

static u32 pick_len(struct schedule *s, u32 most)
{
	switch (pick(s, 6)) {
	case 0:
		return 0;
	case 1:
		return min(s->w->cfg.payload, most);
	case 2:
		return min(1 + pick(s, 64), most);
	}
	return min(1 + pick(s, 1000), most);
}

static u8 pick_flags(struct schedule *s)
{
	return (maybe(s, 30) ? MROCE_MSG_F_IMM : 0) | (maybe(s, 20) ? MROCE_MSG_F_SOLICITED : 0) |
	       (maybe(s, 10) ? MROCE_MSG_F_FENCE : 0);
}

static void set_remote(struct wmsg *m, struct wmr *mr, u32 off)
{
	m->mr = mr;
	m->mr_off = off;
	m->m.raddr = mr->addr + off;
	m->m.rkey = mr->rkey;
}

static struct wmsg *make_write(struct schedule *s, struct end *e)
{
	u32 len = pick_len(s, WRITE_LEN - e->slot);
	struct wmsg *m = wmsg_new(e->qp, MROCE_MSG_WRITE, len, pick_flags(s));

	set_remote(m, e->other->wmr, e->slot);
	m->check = true;
	e->slot += len;
	return m;
}

static struct wmsg *make_read(struct schedule *s, struct end *e)
{
	u32 len = pick_len(s, READ_LEN);
	u32 off = pick(s, READ_LEN - len + 1);
	struct wmsg *m = wmsg_new(e->qp, MROCE_MSG_READ, len, pick_flags(s) & MROCE_MSG_F_FENCE);

	set_remote(m, e->other->rmr, off);
	m->mr_seed = e->other->rmr->rkey;
	m->check = true;
	return m;
}

static struct wmsg *make_atomic(struct schedule *s, struct end *e)
{
	struct wmsg *m = wmsg_new(e->qp, MROCE_MSG_FETCH_ADD, 8, 0);

	set_remote(m, e->other->amr, 0);
	m->m.swap_add = 1;
	return m;
}

static struct wmsg *make_msg(struct schedule *s, struct end *e)
{
	switch (pick(s, 10)) {
	case 0 ... 3:
		return wmsg_new(e->qp, MROCE_MSG_SEND, pick_len(s, RECV_LEN), pick_flags(s));
	case 4 ... 6:
		return make_write(s, e);
	case 7:
		return make_read(s, e);
	case 8:
		return make_atomic(s, e);
	}
	return wmsg_new(e->qp, MROCE_MSG_LOCAL, 0, pick_flags(s) & MROCE_MSG_F_FENCE);
}

/* Something that must end the QP in order, or (a region gone early) may. */
static void spoil(struct schedule *s, struct end *e, struct wmsg *m)
{
	switch (pick(s, 6)) {
	case 0:
		m->m.rkey ^= 1;
		break;
	case 1:
		m->m.status = MROCE_ST_LOC_PROT;
		break;
	case 2:
		m->bad_local = true;
		break;
	case 3:
		if (m->m.kind == MROCE_MSG_SEND)
			m->m.len = RECV_LEN + 1 + pick(s, 500);
		break;
	case 4:
		e->other->qp->attr.access = 0;
		if (e->other->up && e->other->qp->peer)
			mroce_stream_update(&e->other->qp->s, &e->other->qp->attr);
		break;
	case 5:
		mr_kill(e->other->rmr);
		break;
	}
}

static void end_post(struct schedule *s, struct end *e)
{
	struct wmsg *m;

	if (!e->left || !e->up || e->qp->state < QP_RTR)
		return;
	e->left--;
	m = make_msg(s, e);
	if (s->flavour & (F_ERRORS | F_RESTART))
		m->expect = W_ANY;
	if (s->flavour & F_ERRORS && maybe(s, 3))
		spoil(s, e, m);
	if (mroce_msg_uses_rsn(&m->m))
		e->recvs++;
	wmsg_post(m);
}

static void end_break(struct schedule *s, struct end *e)
{
	if (!e->up)
		return;
	switch (pick(s, 4)) {
	case 0:
		qp_err(e->qp);
		break;
	case 1:
		qp_reset(e->qp);
		e->other->qp->remote = NULL;
		e->qp->remote = NULL;
		break;
	case 2:
		mr_kill(e->wmr);
		break;
	case 3:
		mr_kill(e->rmr);
		break;
	}
}

static void restart(struct schedule *s)
{
	int victim = pick(s, 2);
	u32 i;

	host_restart(&s->w->host[victim]);
	for (i = 0; i < s->ends; i++)
		if (s->end[i].qp->h == &s->w->host[victim])
			s->end[i].up = false;
}

/* A plane of one host fails, comes back or changes its MTU; the hosts keep one plane in common. */
static void flip_route(struct schedule *s)
{
	struct whost *a = &s->w->host[0], *b = &s->w->host[1], *h = maybe(s, 50) ? a : b;
	int plane = pick(s, s->w->cfg.planes), i, common = 0;
	u32 payload = 128 * (1 + pick(s, s->w->cfg.payload / 128));

	for (i = 0; i < s->w->cfg.planes; i++)
		common += i != plane && a->route_payload[i] && b->route_payload[i];
	if (h->route_payload[plane] && common)
		payload = 0;
	h->route_payload[plane] = payload;
	host_routes_changed(h);
}

static u32 posting_left(const struct schedule *s)
{
	u32 i, n = 0;

	for (i = 0; i < s->ends; i++)
		if (s->end[i].up && s->end[i].qp->state >= QP_RTR)
			n += s->end[i].left;
	return n;
}

static void one_action(struct schedule *s)
{
	struct end *e = &s->end[pick(s, s->ends)];

	switch (pick(s, 8)) {
	case 0 ... 3:
		end_post(s, e);
		break;
	case 4:
		if (s->flavour & F_LATE_RECV)
			recv_give(s, e);
		break;
	case 5:
		if (!e->up && e->qp->state == QP_INIT)
			end_up(s, e);
		break;
	case 6:
		if (s->flavour & F_ERRORS && maybe(s, 10))
			end_break(s, e);
		else if (s->flavour & F_RESTART && maybe(s, 8))
			restart(s);
		else if (s->flavour & F_ROUTES)
			flip_route(s);
		break;
	case 7:
		world_run(s->w, pick(s, 100) * US);
		break;
	}
}

/* Give what is missing, so that all can end. */
static void complete_setup(struct schedule *s)
{
	u32 i, want = 0;

	for (i = 0; i < s->ends; i++)
		if (!s->end[i].up && s->end[i].qp->state == QP_INIT)
			end_up(s, &s->end[i]);
	while (posting_left(s))
		end_post(s, &s->end[pick(s, s->ends)]);
	for (i = 0; i < s->ends; i++) {
		struct end *e = &s->end[i];

		if (e->qp->srq)
			want += e->other->recvs;
		else
			while (e->given < e->other->recvs && e->qp->state != QP_RESET)
				recv_give(s, e);
	}
	/* Entries may be bound to one QP ahead of others' needs: enough for all is enough for each. */
	while (s->srq && s->srq_given < want + s->ends)
		recv_give(s, &s->end[1]);
}

static void check_atomics(const struct end *e)
{
	const struct wmsg *m;
	u64 n = 0, value;

	list_for_each_entry(m, &e->qp->done_sends, link)
		if (m->m.kind == MROCE_MSG_FETCH_ADD && m->status == MROCE_ST_OK)
			CHECK_EQ(m->old, n++);
	memcpy(&value, e->other->amr->buf, 8);
	CHECK_GE(value, n);
	if (!e->qp->allow_fail)
		CHECK_EQ(value, n);
}

static void check_end(const struct schedule *s, const struct end *e)
{
	check_atomics(e);
	CHECK_EQ(e->qp->completed, e->qp->posted);
	if (e->qp->allow_fail)
		return;
	CHECK_EQ(e->qp->ok, e->qp->posted);
	CHECK_EQ(e->qp->failed, 0);
	CHECK_EQ(e->other->qp->received, e->recvs);
	CHECK_EQ(e->qp->recv_flushed, 0);
	if (e->other->wmr->ascending)
		CHECK_EQ(e->other->wmr->high, e->slot);
}

/* Whatever happened, no PSN stays open: what was refused or cancelled has gone out as EMPTY. [M40] */
static void check_quiet(struct schedule *s)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct wpeer *wp;

		list_for_each_entry(wp, &s->w->host[i].peers, link) {
			const struct mroce_conn *conn;

			if (!(s->flavour & F_ERRORS))
				CHECK_EQ(wp->p.held_bytes, 0);
			list_for_each_entry(conn, &wp->p.conns, link) {
				if (conn->state != MROCE_CONN_OPEN)
					continue;
				CHECK_EQ(conn->inflight_bytes, 0);
				CHECK_EQ(conn->lost_pkts, 0);
			}
		}
	}
}

static void play(u64 seed, u32 flavour)
{
	struct schedule *s = calloc(1, sizeof(*s));
	struct world *w;
	u32 i;

	s->rng.state = seed;
	s->flavour = flavour;
	build_world(s, seed);
	w = s->w;
	ends_init(s);
	for (i = 0; i < 400 && posting_left(s); i++)
		one_action(s);
	complete_setup(s);
	world_check_conns(w);
	world_settle(w, 60 * SEC);
	if (flavour & F_MEMORY) {
		w->host[0].alloc_fail = 0;
		w->host[1].alloc_fail = 0;
	}
	world_run(w, flavour & F_RESTART ? 10 * MS : 5 * SEC);
	for (i = 0; i < s->ends; i++)
		check_end(s, &s->end[i]);
	if (!(flavour & F_RESTART))
		check_quiet(s);
	world_end(w);
	free(s);
}

/* @share of all schedules, in percent; flags of @some are there in every other one. */
static void play_many(u32 share, u32 always, u32 some)
{
	u64 seed = test_seed();
	u32 i, n = max(test_schedules() * share / 100, 1U);

	for (i = 0; i < n; i++, seed++) {
		u32 flavour = always | (some & (u32)mix64(seed ^ 0x5ced));

		test_seed_now(seed);
		play(seed, flavour);
	}
	test_note("%u schedules", n);
}

TEST(schedules__loss)
{
	play_many(20, 0, F_CAP);
}

TEST(schedules__reorder)
{
	play_many(20, F_REORDER, F_CAP | F_LATE_RECV);
}

TEST(schedules__receives)
{
	play_many(15, F_LATE_RECV, F_SRQ | F_REORDER | F_LATE_QP);
}

TEST(schedules__errors)
{
	play_many(15, F_ERRORS, F_REORDER | F_SRQ | F_LATE_RECV | F_CAP);
}

TEST(schedules__memory)
{
	play_many(8, F_MEMORY, F_REORDER | F_LATE_RECV | F_SRQ);
}

TEST(schedules__restart)
{
	play_many(4, F_RESTART, F_REORDER | F_CLASSES);
}

TEST(schedules__queues)
{
	play_many(6, F_RATE, F_REORDER | F_LATE_RECV);
}

TEST(schedules__routes)
{
	play_many(4, F_ROUTES, F_REORDER | F_CLASSES);
}

TEST(schedules__loopback)
{
	play_many(4, F_LOOP, F_REORDER | F_LATE_RECV | F_CLASSES);
}

TEST(schedules__all)
{
	play_many(4, 0, F_REORDER | F_LATE_RECV | F_SRQ | F_CAP | F_LATE_QP | F_RATE | F_CLASSES);
}
