// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Congestion control of a path: the ECN-fraction window of DCTCP (RFC 8257) with the increase
 * coupled over the connection's paths (so that N paths through one bottleneck take one share, as in
 * RFC 6356), queueing delay as the second signal for links that do not mark, and loss that counts
 * only together with either or when heavy.
 *
 * Windows are bytes of UDP payload. Another algorithm is another struct mroce_cc_ops.
 */
#include "internal.h"

#define CC_INIT_PKTS		2	/* of each path: of four, no more than RFC 6928 */
#define CC_MAX_CWND		(64U << 20)
#define CC_ALPHA_ONE		MROCE_CC_ALL
#define CC_ALPHA_SHIFT		4	/* g = 1/16 */
#define CC_MIN_FRACTION		16	/* of a packet */
#define CC_SWAP_ROUNDS		3	/* congested in a row, while another path is not */
#define CC_CLEAN_ROUNDS		8	/* then growth speeds up, to 1/8 per round trip */
#define CC_CLEAN_MAX		40
#define CC_CLEAN_DIV		256
#define CC_STANDS_VARS		2	/* a queue that stands: so much more than delay varies */
#define CC_REORDER_VARS		7	/* the same, where packets overtake each other */
#define CC_SMALL_PKTS		32	/* of all paths over an egress: no queue worth a hold */
#define CC_LATE_ACKS		3
#define CC_STUCK_PKTS		4	/* more than that, where growth is held */
#define CC_STUCK_ROUNDS		8
#define CC_HEAVY_LOSS		20	/* of the last 64: about 30 % (rule 31) */
#define CC_DELAYED_LOSS		13	/* of the last 64, with delay: about 20 % */

static u32 cc_mss(const struct mroce_path *p)
{
	return mroce_conn_mss(p->conn);
}

static void cc_set(struct mroce_path *p, u64 cwnd)
{
	p->cc.cwnd = clamp_t(u64, cwnd, cc_mss(p), CC_MAX_CWND);
}

/*
 * Below a packet the path rests; the last one in use keeps a fraction, and is paced by it [M128].
 */
static void cc_reduce(struct mroce_path *p, u64 cwnd)
{
	u32 mss = cc_mss(p);

	if (cwnd >= mss || mroce_select_rest(p))
		cc_set(p, cwnd);
	else
		p->cc.cwnd = max_t(u64, cwnd, mss / CC_MIN_FRACTION);
}

/* @o: each path in use over the egress of @p, itself included if it is in use */
#define for_each_on_egress(o, p)						\
	list_for_each_entry(o, &(p)->conn->active, active_link)			\
		if ((o)->route.ifindex == (p)->route.ifindex)

/* The windows of all paths in use over the same egress: what waits together at this host. */
static u64 cc_egress_cwnd(const struct mroce_path *p)
{
	const struct mroce_path *o;
	u64 sum = 0;

	for_each_on_egress(o, p)
		sum += o->cc.cwnd;
	return sum;
}

/**
 * mroce_delay_target() - queueing delay that stands for a mark [M127]
 * @p:	path
 *
 * A quarter of the base, at least 8 packets' time at the rate now in use. The rate is the window
 * per round trip, so 8 packets' time is srtt * 8 packets / window; the window that of all paths
 * over this egress, whose packets and ACKs wait in one queue.
 *
 * Return: ns
 */
u64 mroce_delay_target(const struct mroce_path *p)
{
	u64 window = max(cc_egress_cwnd(p), 16ULL * cc_mss(p));

	return max(mroce_rtt_base(&p->rtt) / 4, div64_u64(p->rtt.srtt * 8 * cc_mss(p), window));
}

/* A longer round trip is delayed. */
static u64 cc_longest_rtt(const struct mroce_path *p)
{
	return mroce_rtt_base(&p->rtt) + mroce_delay_target(p);
}

static bool cc_delayed(const struct mroce_path *p)
{
	return p->rtt.srtt && p->rtt.srtt > cc_longest_rtt(p);
}

/*
 * So little is in flight over this egress that it is not held back: what the route needs, and a
 * queue that is shorter than what switches mark. The other end's ACKs wait in a queue of its own
 * data: without this the one who has the longer queue would stop the other for good.
 */
static bool cc_small(const struct mroce_path *p, u32 more)
{
	return cc_egress_cwnd(p) <= (u64)(CC_SMALL_PKTS + more) * cc_mss(p);
}

/* A queue that this connection shall not add to [M127]. */
static bool cc_held(const struct mroce_path *p)
{
	return !cc_small(p, 0) && cc_delayed(p);
}

static void dctcp_init(struct mroce_path *p)
{
	memset(&p->cc, 0, sizeof(p->cc));
	p->cc.cwnd = CC_INIT_PKTS * cc_mss(p);
	p->cc.ssthresh = CC_MAX_CWND;
	p->cc.alpha = CC_ALPHA_ONE;
	p->cc.round_end = p->tx.nxt;
}

/* Every path in use is congested: then the bottleneck is shared, and no other path helps. */
static bool cc_all_congested(const struct mroce_conn *conn)
{
	const struct mroce_path *p;

	list_for_each_entry(p, &conn->active, active_link)
		if (!p->cc.congested)
			return false;
	return true;
}

/* A path that stays congested while others are clear gives its place to one that rests. */
static void cc_steer(struct mroce_path *p)
{
	struct mroce_cc *cc = &p->cc;

	if (!cc->round_ce && !cc_held(p)) {
		cc->congested = 0;
		if (cc->clean < CC_CLEAN_MAX)
			cc->clean++;
		return;
	}
	cc->clean = 0;
	if (cc->congested < CC_SWAP_ROUNDS) {
		cc->congested++;
		return;
	}
	if (!cc_all_congested(p->conn))
		mroce_select_swap(p);
}

/*
 * A queue that stands without marks is of our own making, most of it in front of this host's own
 * link. Slow start has left it, to hold the window keeps it, and it delays whatever else goes
 * through: other paths' packets, and ACKs, so that the other end's windows look delayed too and
 * do not grow. Half of it is given back each round trip. Delay that varies is no queue; where
 * packets are lost the samples are of repairs, and loss has its own say.
 */
static void cc_drain(struct mroce_path *p)
{
	u32 vars = p->loss.reorder ? CC_REORDER_VARS : CC_STANDS_VARS;
	struct mroce_cc *cc = &p->cc;
	u64 most;

	if (cc->round_ce || cc->reduced || cc->loss_map || cc->cwnd < cc->ssthresh || !cc_held(p))
		return;
	most = cc_longest_rtt(p) + vars * p->rtt.var;
	if (p->rtt.srtt <= most)
		return;
	cc->given = max(cc->given, cc->cwnd);
	cc_reduce(p, cc->cwnd - div64_u64(cc->cwnd * (p->rtt.srtt - most), 2 * p->rtt.srtt));
	cc->ssthresh = min(cc->ssthresh, cc->cwnd);
}

/*
 * Delay that stays while so little is in flight over an egress is not of our making: the routes
 * have become longer, or the smallest samples were of packets that overtook others. That holds for
 * paths that rest as well, or the next to be called would begin anew. What was given back is taken
 * again by slow start.
 */
static void cc_routes_longer(struct mroce_path *p)
{
	struct mroce_path *o;
	u32 i;

	if (!cc_delayed(p)) {
		p->rtt.stuck = 0;
		p->cc.given = 0;
	} else if (cc_small(p, CC_STUCK_PKTS)) {
		p->rtt.stuck++;
	}
	if (p->rtt.stuck < CC_STUCK_ROUNDS)
		return;
	for (i = 0; i < p->conn->npaths; i++) {
		o = p->conn->paths[i];
		if (o->route.ifindex != p->route.ifindex || !o->rtt.srtt)
			continue;
		mroce_rtt_set_floor(&o->rtt);
		o->cc.ssthresh = max(o->cc.ssthresh, o->cc.given);
		o->cc.given = 0;
	}
}

/* A round trip has passed: fold its marks into alpha and allow the next reduction [M123]. */
static void dctcp_round(struct mroce_path *p)
{
	struct mroce_cc *cc = &p->cc;

	if (cc->round_pkts) {
		u32 frac = min(cc->round_ce, cc->round_pkts) * CC_ALPHA_ONE / cc->round_pkts;

		if (frac < cc->alpha)
			cc->alpha -= max((cc->alpha - frac) >> CC_ALPHA_SHIFT, 1U);
		else
			cc->alpha += (frac - cc->alpha) >> CC_ALPHA_SHIFT;
	}
	cc_routes_longer(p);
	cc_drain(p);
	cc_steer(p);
	cc->round_pkts = 0;
	cc->round_ce = 0;
	cc->reduced = false;
	cc->round_end = p->tx.nxt;
}

static u64 cc_conn_cwnd(const struct mroce_conn *conn)
{
	const struct mroce_path *p;
	u64 sum = 0;

	list_for_each_entry(p, &conn->active, active_link)
		sum += p->cc.cwnd;
	return sum;
}

static void dctcp_grow(struct mroce_path *p, u32 bytes)
{
	struct mroce_cc *cc = &p->cc;
	u64 total;

	if (cc->cwnd < cc->ssthresh) {
		cc_set(p, (u64)cc->cwnd + bytes);
		return;
	}
	if (cc->cwnd < cc_mss(p)) {
		cc->cwnd = min(2 * cc->cwnd, cc_mss(p));
		return;
	}
	/*
	 * One packet per round trip over all paths together [M125], given to the paths by what each
	 * delivers; more if nothing has been in the way for long.
	 */
	cc->acc += bytes;
	total = cc_conn_cwnd(p->conn);
	if (cc->clean > CC_CLEAN_ROUNDS)
		total = min(total, (u64)CC_CLEAN_DIV * cc_mss(p) / (cc->clean - CC_CLEAN_ROUNDS));
	if (cc->acc >= total) {
		cc->acc -= total;
		cc_set(p, (u64)cc->cwnd + cc_mss(p));
	}
}

/*
 * A queue builds up faster than the smoothed round trip shows in slow start: a few late samples in
 * a row end it, for all paths over the same egress.
 */
static void cc_slow_start_over(struct mroce_path *p)
{
	struct mroce_path *o;

	for_each_on_egress(o, p)
		o->cc.ssthresh = min(o->cc.ssthresh, o->cc.cwnd);
	p->cc.ssthresh = min(p->cc.ssthresh, p->cc.cwnd);
	mroce_count(p->conn->peer, MROCE_CNT_CWND_DELAY);
}

static bool cc_too_late(struct mroce_path *p)
{
	if (!p->rtt.srtt || p->rtt.latest <= cc_longest_rtt(p)) {
		p->cc.late = 0;
		return false;
	}
	return ++p->cc.late >= CC_LATE_ACKS;
}

static void dctcp_ack(struct mroce_path *p, u32 bytes, u32 pkts, u32 ce, u64 now)
{
	struct mroce_cc *cc = &p->cc;
	bool limited = p->inflight_bytes + bytes + cc_mss(p) >= cc->cwnd;

	cc->round_pkts += pkts;
	cc->round_ce += ce;
	cc->loss_map = pkts < 64 ? cc->loss_map << pkts : 0;
	if (!mroce_before(p->tx.una, cc->round_end))
		dctcp_round(p);
	if (ce && !cc->reduced) {
		cc->reduced = true;
		cc->ssthresh = 0;
		cc_reduce(p, cc->cwnd - div_u64((u64)cc->cwnd * cc->alpha, 2 * CC_ALPHA_ONE));
		mroce_count(p->conn->peer, MROCE_CNT_CWND_CE);
		return;
	}
	if (ce)
		return;
	if (cc->cwnd < cc->ssthresh && (cc_too_late(p) || cc_held(p)))
		cc_slow_start_over(p);
	if (cc_held(p))
		return;
	if (!limited || !mroce_path_active(p))
		return;
	dctcp_grow(p, bytes);
	mroce_select_grown(p);
}

/*
 * [M126] Loss of a queue that overflowed comes with marks or delay, corruption does not and must
 * not shrink the window. A queue of our own making is delay too, and a window at its delay target
 * does not grow: so delay alone lowers the bar, it does not decide.
 */
static bool loss_is_congestion(const struct mroce_path *p)
{
	u32 lost = hweight64(p->cc.loss_map);

	if (p->cc.round_ce)
		return true;
	return lost >= (cc_delayed(p) ? CC_DELAYED_LOSS : CC_HEAVY_LOSS);
}

static void dctcp_loss(struct mroce_path *p, u32 pkts, u64 now)
{
	struct mroce_cc *cc = &p->cc;
	u32 n, lost;

	for (n = min(pkts, 64U); n; n--)
		cc->loss_map = cc->loss_map << 1 | 1;
	lost = hweight64(cc->loss_map);
	if (lost >= CC_DELAYED_LOSS && cc->cwnd < cc->ssthresh)
		cc_slow_start_over(p);
	if (cc->reduced || !loss_is_congestion(p))
		return;
	cc->reduced = true;
	/* To what is delivered (rule 31), or a quarter if marks or delay tell of a queue. */
	cc_reduce(p, (u64)cc->cwnd * (64 - clamp(lost, 16U, 60U)) / 64);
	cc->ssthresh = cc->cwnd;
	mroce_count(p->conn->peer, MROCE_CNT_CWND_LOSS);
}

static void dctcp_rto(struct mroce_path *p, u64 now)
{
	struct mroce_cc *cc = &p->cc;

	cc->undo_cwnd = cc->cwnd;
	cc->undo_ssthresh = cc->ssthresh;
	cc->ssthresh = max(cc->cwnd / 2, 2 * cc_mss(p));
	cc->reduced = true;
	cc_set(p, 2 * cc_mss(p));
}

static void dctcp_undo(struct mroce_path *p, u64 now)
{
	cc_set(p, max(p->cc.cwnd, p->cc.undo_cwnd));
	p->cc.ssthresh = max(p->cc.ssthresh, p->cc.undo_ssthresh);
}

/* A route that failed is no congestion: back to the old window by slow start. */
static void dctcp_rerouted(struct mroce_path *p, u64 now)
{
	p->cc.ssthresh = max(p->cc.ssthresh, p->cc.undo_cwnd);
}

const struct mroce_cc_ops mroce_cc_dctcp = {
	.name	= "dctcp",
	.init	= dctcp_init,
	.ack	= dctcp_ack,
	.loss	= dctcp_loss,
	.rto	= dctcp_rto,
	.undo	= dctcp_undo,
	.rerouted = dctcp_rerouted,
};
