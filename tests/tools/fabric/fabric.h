/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * rdma_fabric: traffic of many ranks over RC queue pairs, as one program. Every rank is a process
 * in a network namespace of its own, driven by completion events alone, so that in simulated time
 * the network decides how long things take.
 *
 * A pattern is a list of flows. A flow is one queue pair between two ranks, with messages of one
 * size. All ranks' memory is shared between the processes, each of which registers its own part
 * only. So whoever learns that a message is complete compares its bytes at once, wherever they
 * went, before the room is used again: every byte of every message is compared, and none costs time
 * in the simulation.
 *
 *   main.c     options, and a process for each rank
 *   flows.c    patterns: which flows there are, where their slots lie and what is in them
 *   verbs.c    device, queue pairs, work requests, completion events
 *   traffic.c  what a flow posts, and what its completions mean
 *   rank.c     one rank from its set-up to its end
 *   report.c   the result
 *   util.c     the clock, and the ways out
 */
#ifndef FABRIC_H
#define FABRIC_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <infiniband/verbs.h>

#include "../histogram.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MAX_RANKS	256
#define MAX_FLOWS	65536
#define MAX_EVENTS	32
#define MAX_PATHS	128
#define PAGE		4096ul

enum op { WRITE, SEND, READ };

/*
 * BULK: as fast as it goes. RPC: a request, a response, the next one. RING: what came from the left
 * goes right.
 */
enum kind { BULK, RPC, RING, KINDS };

/* The two ends of a flow: who posts the messages, and the other */
enum side { FROM, TO };

/**
 * struct end - one end of a queue pair, as the other needs to know it
 * @gid, @qpn:	where it is
 * @rkey:	of the rank's memory
 */
struct end {
	union ibv_gid gid;
	uint32_t qpn, rkey;
};

/**
 * struct flow - one queue pair's traffic, known to all processes
 * @rank:	of FROM and TO
 * @kind, @op:	what it does
 * @size:	of a message
 * @depth:	messages outstanding
 * @count:	messages in all; 0: until @until
 * @begin, @until: seconds after the common start
 * @room:	offset of its slots in the memory of FROM and TO
 * @ends:	written by each side before the queue pairs are connected
 * @posted, @done: messages so far (FROM)
 * @received:	messages so far (TO)
 * @flushed:	messages that were flushed after a failure
 * @first, @last: when the first was posted and the last completed
 * @status:	with which the first message failed, and
 * @failed, @failed_at: which and when
 * @ended:	FROM posts no more, and @done is final
 * @paths:	of its connection that carried packets, as FROM saw it in the end (-v), and
 * @used:	how many were in use then
 */
struct flow {
	uint32_t rank[2];
	uint32_t kind, op, size, depth;
	uint64_t count;
	double begin, until;
	size_t room[2];
	struct end ends[2];
	uint64_t posted, done, received, flushed;
	double first, last;
	uint32_t status;
	uint64_t failed;
	double failed_at;
	volatile bool ended;
	uint32_t paths, used;
};

/**
 * struct tally - what one rank's traffic of one kind came to
 * @bytes, @messages: completed
 * @steady:	bytes that were completed after the first completion beyond the warm-up (-W),
 * @steady_from: when that was: of what it completed nobody knows how much came before
 * @last:	the last completion, seconds after the start
 * @gap:	longest time without a completion
 * @times:	from post to completion, in nanoseconds
 */
struct tally {
	uint64_t bytes, messages, steady;
	double steady_from, last, gap;
	struct histogram times;
};

/**
 * struct rank - one process
 * @ns, @dev, @addr: where it runs, on which device and GID
 * @mem, @len:	what it registers
 * @bell:	eventfd: a flow of it has ended
 * @tally:	its traffic, by kind
 */
struct rank {
	char ns[64], dev[64], addr[64];
	uint8_t *mem;
	size_t len;
	int bell;
	struct tally tally[KINDS];
};

/* What all processes see; made before the first is forked */
struct shared {
	pthread_barrier_t barrier;
	double start;
	struct rank ranks[MAX_RANKS];
	uint32_t nflows;
	struct flow flows[];
};

/* A command that the run executes at its time */
struct event {
	double at;
	const char *cmd;
};

struct options {
	enum op op;
	uint32_t size, depth, qps, shift, timeout, retry, slices;
	uint64_t count, bytes, bulk;
	double seconds, join, warm, settle, limit;
	int expect;
	uint32_t paths[MAX_RANKS];
	bool relaxed, verbose;
};

/* main.c */
extern struct options opt;
extern struct event events[MAX_EVENTS];
extern struct shared *sh;
extern unsigned int nevents, nranks, me;

/* util.c */
extern const char *const op_names[READ + 1], *const kind_names[KINDS];
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void wrong(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
double clock_now(void);
double now(void);
void sleep_until(double at);

/* flows.c */
bool make_flows(const char *pattern);
uint32_t receives(const struct flow *f);
uint32_t sends(const struct flow *f);
uint32_t index_of(const struct flow *f);
uint8_t *slot(const struct flow *f, enum side side, uint64_t message);
void fill(const struct flow *f, enum side side, uint64_t message);
void check(const struct flow *f, enum side side, uint64_t message);
bool mine(const struct flow *f);
enum side my_side(const struct flow *f);

#define for_my_flows(f) \
	for ((f) = sh->flows; (f) < sh->flows + sh->nflows; (f)++) \
		if (!mine(f)) {} else

/* verbs.c */
void open_device(const struct rank *r);
void make_qps(void);
void connect_qps(void);
void post_receive(struct flow *f, uint64_t message);
void post(struct flow *f, uint8_t *from, uint64_t message);
void limit_paths(void);
void count_paths(void);
bool poll_one(struct ibv_wc *wc);
void await(double until);

/* A work request's id: flow, whether it is a receive, message */
#define ID_FLOW_SHIFT	40
#define ID_RECEIVE	(1ull << 39)
#define ID_MESSAGE	(ID_RECEIVE - 1)

/* traffic.c */
void make_traffic(void);
void check_traffic(void);
void start_flow(struct flow *f);
void completed(const struct ibv_wc *wc);

/* rank.c */
void run_rank(void) __attribute__((noreturn));
void run_events(void) __attribute__((noreturn));

/* report.c */
bool report(bool complete);

#endif
