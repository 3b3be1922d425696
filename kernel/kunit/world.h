/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A world in memory for the transport core: a virtual clock, hosts with memory regions and
 * queue pairs, and links between them that lose, double, delay, reorder, mark and fall silent
 * as told, all from one seed.
 *
 * The world is a complete host of the core (transport.h) and a strict one: it fails the running
 * test when a byte is missing, wrong or placed twice, when a completion is missing, doubled or
 * out of order, when memory is not given back, or when a packet contradicts the protocol
 * (sniff.c). Tests build a world, post work and let time pass.
 *
 * world.c: life and time; links.c: packets and links; hostops.c: the core's host; verbs.c: QPs and
 * memory; verbs_ops.c: what the core asks of them, and the checks; sniff.c: what any observer of
 * the wire may expect.
 */
#ifndef MROCE_KUNIT_WORLD_H
#define MROCE_KUNIT_WORLD_H

#include "os.h"
#include "transport/transport.h"
#include "transport/internal.h"

#define US		1000ULL
#define MS		1000000ULL
#define SEC		1000000000ULL

#define WORLD_HOSTS	17
#define WORLD_PLANES	8
#define WORLD_CONNS	64	/* per host */

struct world;
struct whost;
struct wpeer;
struct wqp;

/* --- chance ------------------------------------------------------------------------------- */

/** struct rng - splitmix64 */
struct rng {
	u64 state;
};

u64 rng_next(struct rng *r);
u32 rng_below(struct rng *r, u32 n);
/** rng_hit() - true with a probability of @ppm in a million */
bool rng_hit(struct rng *r, u32 ppm);
u64 mix64(u64 x);

/* --- links -------------------------------------------------------------------------------- */

/**
 * struct wlink - one direction of one route
 * @delay:	ns
 * @ns_per_kb:	serialisation of 1024 bytes, ns; 0: infinitely fast
 * @loss:	ppm
 * @dup:	ppm
 * @reorder:	ppm of packets that take up to @reorder_by longer and are overtaken
 * @corrupt:	ppm: dropped as by the UDP checksum
 * @burst_enter: ppm per packet to enter a burst, in which @burst_loss ppm are lost
 * @burst_exit:	ppm per packet to leave it
 * @ecn_bytes:	queue above which ECT packets are marked; 0: never
 * @queue_bytes: queue above which packets are dropped; 0: never
 * @black:	nothing passes
 */
struct wlink {
	u64 delay;
	u64 ns_per_kb;
	u32 loss;
	u32 dup;
	u32 reorder;
	u64 reorder_by;
	u32 corrupt;
	u32 burst_enter;
	u32 burst_exit;
	u32 burst_loss;
	u32 ecn_bytes;
	u32 queue_bytes;
	bool black;

	bool in_burst;
	u64 busy_until;
	u64 last_at;
	u64 packets;
	u64 lost;
	u64 marked;
};

/**
 * struct wpkt - a packet under way or held
 * @at:		arrival
 * @at_port:	not at the host yet, but at the switch's port towards it
 * @nr:		number of transmission in the world
 * @len:	UDP payload
 * @stored:	bytes of it that are kept: less with world.phantom
 */
struct wpkt {
	u64 at;
	u64 nr;
	u8 from;
	u8 to;
	bool ect;
	bool ce;
	bool df;
	bool copy;
	bool at_port;
	struct mroce_route route;
	u32 len;
	u32 stored;
	struct mroce_held held;
	bool is_held;
	u8 data[];
};

/* enum wverdict: what a filter does to a packet */
enum wverdict {
	W_PASS,
	W_DROP,
	W_KEEP,		/* the filter has taken it, for world_inject() or wpkt_free() */
};

typedef enum wverdict (*wfilter_fn)(struct world *w, struct wpkt *pkt);

/* --- the world ---------------------------------------------------------------------------- */

/**
 * struct world_cfg - how to build a world; zero means the default in brackets
 * @hosts:	[2]
 * @planes:	egress interfaces per host, ifindex 1.. [1]
 * @spines:	equal-cost routes per plane, chosen by a hash of the source port [1]
 * @npaths:	paths per connection [4]
 * @payload:	largest payload of a link and of both ends [256]
 * @psn_window:	[256]
 * @msn_window:	[64]
 * @held_cap:	[1 MiB]
 * @link:	template of all links; delay [5 us]
 * @port:	template of the switch's ports, one per host, which all for it passes behind
 *		its link; without a rate there are none
 * @rx_speed:	what hosts think to receive, bytes per second; 0: they do not know
 */
struct world_cfg {
	int hosts;
	int planes;
	int spines;
	int npaths;
	u32 payload;
	u32 psn_window;
	u32 msn_window;
	u32 held_cap;
	struct wlink link;
	struct wlink port;
	u64 rx_speed;
};

/* enum wcookie: when a host answers CONNECT without keeping state */
enum wcookie {
	WCOOKIE_NEVER,
	WCOOKIE_POLICY,		/* if no QP names the sender (M25) */
	WCOOKIE_ALWAYS,
};

/**
 * struct whost - a host with one device
 * @share:	who sends to it, and how much of its links each may use
 * @port:	of the switch, towards this host
 * @route_payload: what the link of each plane carries; 0: the plane is down
 * @alloc_fail:	ppm of allocations that fail
 * @alloc_bytes: now given out to the core
 */
struct whost {
	struct world *w;
	u8 index;
	struct mroce_limits limits;
	struct mroce_share share;
	struct wlink port;
	u32 route_payload[WORLD_PLANES];
	enum wcookie cookies;
	u64 secret;
	struct list_head peers;
	struct list_head qps;
	struct list_head mrs;
	struct mroce_conn *conns[WORLD_CONNS];
	u32 nconns;
	u32 next_qpn;
	u32 next_key;
	u32 alloc_fail;
	u64 alloc_bytes;
	u64 alloc_peak;
	u64 allocs;
	u64 stats[MROCE_CNT_MAX];	/* of peers that are gone */
	u64 unknown;			/* packets for no connection */
	u64 bad;			/* packets that are none */
	u64 resets;			/* RESETs sent */
	u64 path_events[MROCE_PATH_EV_RESTS + 1];	/* their packets, or they themselves */
	bool no_reset;
};

/** struct wpeer - one host's association with another */
struct wpeer {
	struct mroce_peer p;
	struct list_head link;
	struct whost *h;
	struct whost *to;
	u32 depth;		/* in the core: ops may be called */
	bool pump_later;
};

struct sniff;

struct world {
	struct world_cfg cfg;
	u64 now;
	u64 born;
	u64 seed;
	struct rng rng;
	struct whost host[WORLD_HOSTS];
	struct wlink *links;
	struct wpkt **heap;
	u32 heap_n;
	u32 heap_size;
	u64 sent;
	u64 delivered;
	wfilter_fn filter;
	void *ctx;		/* of the filter */
	struct list_head srqs;
	struct list_head gone_qps;
	u64 steps;
	bool phantom;		/* payload has a length but no bytes */
	bool lax;		/* packets were forged: payload checks are off */
	u32 oom_ppm;		/* packets dropped by their sender for lack of memory */
	u32 budget;		/* packets per pump; 0: all */
	struct sniff *sniff;
	struct mroce_tx tx;
};

struct world *world_new(const struct world_cfg *cfg, u64 seed);
/** world_end() - take everything down and check that nothing is left */
void world_end(struct world *w);
/** world_run() - let @ns pass */
void world_run(struct world *w, u64 ns);
/** world_step() - the next event, not after @until; false if there was none: then it is @until */
bool world_step(struct world *w, u64 until);

/** world_until() - run until @cond holds; fails the test if it does not within @ns */
#define world_until(w, cond, ns)						\
	do {									\
		u64 until_at = (w)->now + (ns);					\
										\
		while (!(cond) && (w)->now < until_at)				\
			world_step(w, until_at);				\
		CHECK(cond);							\
	} while (0)

/** world_settle() - until all sends of all QPs are complete, at most @ns; returns how long */
u64 world_settle(struct world *w, u64 ns);
/** world_busy() - sends not complete, over all QPs */
u32 world_busy(const struct world *w);

/** world_trace - if set, told of each packet that is sent, lost or delivered */
extern void (*world_trace)(const struct world *w, const char *what, const struct wpkt *pkt);

/* links.c */
struct wlink *world_link(struct world *w, int from, int to, int ifindex, int spine);
/** links_set() - what @how says for every link from host @from to host @to; -1: any */
void links_set(struct world *w, int from, int to, const struct wlink *how);
void links_black(struct world *w, int from, int to, bool black);
int world_spine(const struct world *w, int from, int to, u16 sport);
void world_send(struct world *w, struct wpkt *pkt);
void world_port(struct world *w, struct wpkt *pkt);
u64 wlink_queue(const struct world *w, const struct wlink *l);
void world_inject(struct world *w, struct wpkt *pkt, u64 at);
struct wpkt *wpkt_new(u32 stored);
struct wpkt *wpkt_copy(const struct wpkt *pkt);
void wpkt_free(struct wpkt *pkt);
struct wpkt *world_next_pkt(struct world *w);
int wpkt_type(const struct wpkt *pkt);
u8 wpkt_opcode(const struct wpkt *pkt);	/* of DATA, else 0xff */

/* hostops.c */
extern const struct mroce_host_ops world_host_ops;
void host_init(struct world *w, int index);
void host_input(struct whost *h, struct wpkt *pkt);
struct wpeer *host_peer(struct whost *h, struct whost *to);
void host_end(struct whost *h);
/** host_restart() - everything the device knew is gone, its QPs too */
void host_restart(struct whost *h);
/** host_routes_changed() - a route event: every peer asks for its routes again */
void host_routes_changed(struct whost *h);
u64 host_stat(const struct whost *h, enum mroce_counter c);
u64 world_stat(const struct world *w, enum mroce_counter c);
void peer_pump(struct wpeer *wp);
struct wpeer *wpeer_of(const struct mroce_peer *p);
/** core_leave() - behind each call into the core: pumps */
void core_leave(struct wpeer *wp);

/** core_enter() - before each call into the core */
static inline void core_enter(struct wpeer *wp)
{
	wp->depth++;
}

/** host_conn() - the newest connection of @h to @to in @tclass */
struct mroce_conn *host_conn(struct whost *h, struct whost *to, u8 tclass);
/** host_conns() - connections of @h, of all peers */
u32 host_conns(const struct whost *h);
/** world_check_conns() - the sums that connections keep, counted anew */
void world_check_conns(struct world *w);

/* --- verbs.c: memory and QPs -------------------------------------------------------------- */

/**
 * struct wmr - a memory region
 * @cnt:	how often each byte was written by the peer
 * @ascending:	check that bytes appear by rising address without a gap, from @high on
 */
struct wmr {
	struct list_head link;
	struct whost *h;
	u32 rkey;
	u64 addr;
	u32 len;
	unsigned int access;
	bool relaxed;
	bool dead;
	bool ascending;
	bool overlap;		/* several messages write the same bytes: they are not checked */
	u32 high;
	u8 *buf;
	u8 *cnt;
};

struct wmr *mr_new(struct whost *h, u32 len, unsigned int access, bool relaxed);
/** mr_fill() - with the pattern of @seed */
void mr_fill(struct wmr *mr, u32 seed);
/** mr_kill() - deregister */
void mr_kill(struct wmr *mr);
struct wmr *mr_find(struct whost *h, u32 rkey);

/** pattern() - byte @off of the data named @seed */
static inline u8 pattern(u32 seed, u32 off)
{
	u32 x = (off >> 3) * 0x9e3779b1u + seed;

	x ^= x >> 15;
	return (u8)(x >> ((off & 3) * 8)) ^ (u8)(off << 4);
}

#define W_ANY	0xff		/* wmsg.expect: any status */

/**
 * struct wmsg - a send work request
 * @seq:	in order of posting
 * @buf:	READ and atomics: where the answer goes
 * @cnt:	READ: how often each byte was placed
 * @mr:		remote memory
 * @mr_seed:	READ: the pattern that the region holds, if @check
 * @check:	the bytes of this message have one writer and are checked
 * @bad_local:	its buffers cannot be read or written
 * @expect:	status that it must end with, or W_ANY
 */
struct wmsg {
	struct mroce_msg m;
	struct list_head link;
	struct wqp *qp;
	u32 seq;
	u32 seed;
	u8 *buf;
	u8 *cnt;
	struct wmr *mr;
	u32 mr_off;
	u32 mr_seed;
	bool check;
	bool bad_local;
	u8 expect;
	bool done;
	u8 status;
	u8 local_status;
	u32 local_runs;
	u64 old;
	u32 answers;
	u64 posted_at;
	u64 done_at;
};

/** struct wrecv - a receive work request */
struct wrecv {
	struct mroce_recv r;
	struct list_head link;
	u64 id;
	u8 *buf;
	u8 *cnt;
	struct wqp *qp;		/* bound to */
	bool done;
	bool flushed;
	struct mroce_recv_info info;
};

struct wsrq {
	struct list_head link;
	struct list_head recvs;
	struct list_head all;
	u32 posted;
	u64 next_id;
};

enum wqp_state {
	QP_RESET,
	QP_INIT,
	QP_RTR,
	QP_RTS,
	QP_SQD,
	QP_ERR,
};

/**
 * struct wqp - a queue pair
 * @remote:	the other end, for checks; NULL: unknown
 * @life:	counts INIT to RTR
 * @log:	messages in MSN order of this life
 * @checked:	MSN in the remote's log before which all was found placed
 * @auto_recv:	post a receive of this size for each one finished
 */
struct wqp {
	struct mroce_stream s;
	struct list_head link;
	struct whost *h;
	struct wpeer *peer;
	struct mroce_stream_attr attr;
	u32 qpn;
	u8 state;
	u8 rnr_timer;
	struct wqp *remote;
	u32 life;
	u32 remote_life;

	struct list_head sends;
	struct list_head done_sends;
	u32 posted;
	u32 completed;
	u32 ok;
	u32 flushed;
	u8 first_error;		/* status of the first completion in error */
	u32 msn_base;		/* MSN of log[0] */
	struct wmsg **log;
	u32 log_n;
	u32 log_size;
	u32 checked;

	struct wsrq *srq;
	struct list_head recvs;	/* posted, not bound */
	struct list_head bound;	/* in RSN order */
	struct list_head done_recvs;
	u32 nrecvs;		/* posted, not bound */
	u32 bound_rsn;
	u32 done_rsn;
	u32 received;		/* with success */
	u32 recv_flushed;
	u8 recv_error;
	u32 auto_recv;
	u64 next_id;

	u32 failed;
	u8 why;
	u32 established;
	u32 drained;
	bool allow_fail;
};

struct wqp *qp_new(struct whost *h);
/** qp_init() - to INIT; defaults: timeout 14, retry_cnt 7, rnr_retry 7, 16 READs, all access */
void qp_init(struct wqp *qp);
int qp_rtr(struct wqp *qp, struct whost *to, u32 dst_qpn, struct wqp *remote);
void qp_rts(struct wqp *qp);
void qp_sqd(struct wqp *qp);
void qp_err(struct wqp *qp);
void qp_reset(struct wqp *qp);
/** qp_connect() - both ends to RTS */
void qp_connect(struct wqp *a, struct wqp *b);
/** qp_pair() - two new QPs on hosts @a and @b, connected */
void qp_pair(struct world *w, int a, int b, struct wqp **qa, struct wqp **qb);
void qp_srq(struct wqp *qp, struct wsrq *srq);
struct wqp *qp_of(const struct mroce_stream *s);
struct wqp *qp_by_num(struct whost *h, u32 qpn);

struct wmsg *post_send(struct wqp *qp, u32 len, u8 flags);
struct wmsg *post_write(struct wqp *qp, struct wmr *mr, u32 off, u32 len, u8 flags);
struct wmsg *post_read(struct wqp *qp, struct wmr *mr, u32 off, u32 len, u8 flags);
struct wmsg *post_atomic(struct wqp *qp, u8 kind, struct wmr *mr, u32 off, u64 swap_add,
			 u64 compare);
struct wmsg *post_local(struct wqp *qp, u8 status, u8 flags);
/** wmsg_new(), wmsg_post() - in two steps, for what the others do not offer */
struct wmsg *wmsg_new(struct wqp *qp, u8 kind, u32 len, u8 flags);
void wmsg_post(struct wmsg *m);
struct wrecv *post_recv(struct wqp *qp, u32 len);
void post_recvs(struct wqp *qp, u32 n, u32 len);
struct wsrq *srq_new(struct world *w);
struct wrecv *srq_post(struct wsrq *srq, u32 len);
void verbs_free(struct world *w);
void qp_flush_recvs(struct wqp *qp);
/** qp_serials() - between qp_rtr() and the first packet: a's next numbers, as b expects them */
void qp_serials(struct wqp *a, struct wqp *b, u32 msn, u32 rsn);

/* verbs_ops.c: a share of the core's ops, for hostops.c */
struct mroce_stream *op_stream_find(struct mroce_peer *p, u32 qpn);
void op_send_done(struct mroce_stream *s, struct mroce_msg *msg, u8 status);
void op_recv_done(struct mroce_stream *s, struct mroce_recv *recv,
		  const struct mroce_recv_info *info);
void op_stream_failed(struct mroce_stream *s, enum mroce_fail why);
void op_established(struct mroce_stream *s);
void op_sq_drained(struct mroce_stream *s);
u8 op_local(struct mroce_stream *s, struct mroce_msg *msg);
struct mroce_recv *op_recv_bind(struct mroce_stream *s, u32 rsn);
void op_recv_unbind(struct mroce_stream *s, struct mroce_recv *recv);
u32 op_recv_limit(struct mroce_stream *s, bool *unlimited);
u8 op_rnr_timer(struct mroce_stream *s);
int op_mr_check(struct mroce_stream *s, u32 rkey, u64 addr, u32 len, unsigned int acc);
int op_place(struct mroce_stream *s, u32 rkey, u64 addr, void *cookie, u32 pkt_off, u32 len,
	     bool relaxed);
int op_place_recv(struct mroce_stream *s, struct mroce_recv *recv, u32 offset, void *cookie,
		  u32 pkt_off, u32 len);
int op_place_resp(struct mroce_stream *s, struct mroce_msg *msg, u32 offset, void *cookie,
		  u32 pkt_off, u32 len);
int op_place_atomic(struct mroce_stream *s, struct mroce_msg *msg, u64 old);
int op_atomic(struct mroce_stream *s, u8 opcode, u32 rkey, u64 addr, u64 compare, u64 swap_add,
	      u64 *old);
int op_invalidate(struct mroce_stream *s, u32 rkey);
void op_copy_payload(void *cookie, u32 pkt_off, void *dst, u32 len);

/* --- sniff.c ------------------------------------------------------------------------------ */

struct sniff *sniff_new(void);
void sniff_free(struct sniff *s);
/** sniff_packet() - a host sends @pkt, built from @tx */
void sniff_packet(struct world *w, const struct mroce_tx *tx, const struct wpkt *pkt);

/* --- cases.c: tests that run in the kernel and in user space ------------------------------ */

struct kunit;

/**
 * struct shared_case - a test of cases.c
 * @name:	of the test
 * @run:	as KUnit calls it; the argument is not used
 */
struct shared_case {
	const char *name;
	void (*run)(struct kunit *test);
};

extern const struct shared_case shared_cases[];
extern const unsigned int shared_cases_n;

#endif /* MROCE_KUNIT_WORLD_H */
