/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The transport core's interface: what the driver (kernel/net, kernel/verbs), the KUnit module and the
 * user-space tests call, and what they must offer to it.
 *
 * The core is sans-I/O. It is given packets, work and the time; it gives packets, completions and one next-timer
 * value. It takes no lock, reads no clock, opens no socket, and allocates only through mroce_host_ops.alloc.
 *
 * Locking: everything here belongs to one struct mroce_peer, and every call about a peer, its connections and
 * its streams is made under that peer's lock, which the host owns. Host ops are called under it too; they must
 * not call back into the core unless said so, and must not wake, notify or transmit: they collect.
 *
 * After any call into the core the host pumps: mroce_peer_output() until it returns 0 (or a budget is spent,
 * then again soon), and re-arms its one timer for the peer to mroce_peer_next_timer().
 *
 * Time: u64 nanoseconds of any monotonic clock. Serial numbers (PSN, MSN, RSN) are u32 and wrap; compare with
 * mroce_before().
 */
#ifndef MROCE_TRANSPORT_H
#define MROCE_TRANSPORT_H

#include <linux/types.h>
#include <linux/list.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <metaroce/wire.h>
#include "counters.h"
#include "timerq.h"
#include "pool.h"

struct mroce_conn;
struct mroce_path;
struct mroce_stream;
struct mroce_rmsg;
struct mroce_seg;
struct mroce_sent;

static inline bool mroce_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/**
 * enum mroce_status - how a message ended, for the requester
 *
 * The host maps them to IB_WC_*. Everything but OK and FLUSH takes the stream to its error state.
 */
enum mroce_status {
	MROCE_ST_OK,
	MROCE_ST_FLUSH,
	MROCE_ST_LOC_PROT,
	MROCE_ST_LOC_LEN,
	MROCE_ST_LOC_OP,
	MROCE_ST_REM_INVALID,
	MROCE_ST_REM_ACCESS,
	MROCE_ST_REM_OP,
	MROCE_ST_RETRY_EXC,
	MROCE_ST_RNR_EXC,
	MROCE_ST_BAD_RESP,
	MROCE_ST_MW_BIND,
};

/** enum mroce_fail - why the core ended a stream; the host moves the QP to ERR and raises the async event */
enum mroce_fail {
	MROCE_FAIL_SEND,	/* a send completed in error: the completion tells */
	MROCE_FAIL_PEER_LOST,	/* the peer restarted; nothing may have been outstanding */
	MROCE_FAIL_ACCESS,	/* responder: remote access violation */
	MROCE_FAIL_REQUEST,	/* responder: invalid request */
	MROCE_FAIL_RECV,	/* responder: a receive entry was bad; its completion tells */
};

/* enum mroce_msg_kind: what a work request asks of the core */
enum mroce_msg_kind {
	MROCE_MSG_SEND,
	MROCE_MSG_WRITE,
	MROCE_MSG_READ,
	MROCE_MSG_CMP_SWAP,
	MROCE_MSG_FETCH_ADD,
	MROCE_MSG_LOCAL,	/* executed by the host in order: ops->local_op */
};

#define MROCE_MSG_F_IMM		0x01	/* imm holds immediate data */
#define MROCE_MSG_F_INV		0x02	/* imm holds an rkey to invalidate (SEND) */
#define MROCE_MSG_F_SOLICITED	0x04
#define MROCE_MSG_F_FENCE	0x08	/* start after all earlier READs and atomics */

/**
 * struct mroce_msg - one send work request; embedded in the host's WQE
 * @kind:	enum mroce_msg_kind; host sets, as all fields up to @status
 * @flags:	MROCE_MSG_F_*
 * @status:	MROCE_ST_OK, or the error found when the WQE was checked: then nothing is sent, and the message
 *		completes with it at its turn
 * @len:	bytes; 8 for atomics
 * @imm:	immediate (network order kept as is) or rkey
 * @raddr:	remote address (WRITE, READ, atomics)
 * @rkey:	remote key
 * @swap_add:	atomics: new value or addend
 * @compare:	atomics: expected value
 * @link:	in stream->sq from post to completion
 * @rd_link:	in stream->rd_list while a READ or atomic awaits its response
 * @posted_at:	when it was posted, ns
 * @msn:	message number
 * @rsn:	receive sequence number (SEND, WRITE with immediate)
 * @sent_off:	bytes (first transmission) already cut into segments
 * @acked:	bytes accepted by the peer
 * @segs_out:	segments cut and not yet accepted (in flight or requeued)
 * @resp_bytes:	READ, atomic: response bytes placed
 * @resp_at:	when the response last moved, ns
 * @cut_done:	all segments have been cut
 * @resp_done:	the response is complete (or ended by an error)
 */
struct mroce_msg {
	u8 kind;
	u8 flags;
	u8 status;
	u32 len;
	u32 imm;
	u32 rkey;
	u64 raddr;
	u64 swap_add;
	u64 compare;

	/* the core's */
	struct list_head link;
	struct list_head rd_link;
	u64 posted_at;
	u64 resp_at;
	u32 msn;
	u32 rsn;
	u32 sent_off;
	u32 acked;
	u32 segs_out;
	u32 resp_bytes;
	bool cut_done;
	bool resp_done;
};

/**
 * struct mroce_recv - one receive entry; embedded in the host's RWQE
 * @len:	capacity in bytes; host sets
 * @bad:	host sets MROCE_ST_* if the entry's SGEs do not check; the message then fails with it
 * @placed:	the core sets it once data was placed (rule 4: such an entry cannot go back to an SRQ)
 */
struct mroce_recv {
	u32 len;
	u8 bad;
	bool placed;
};

/** struct mroce_recv_info - a finished receive: what its completion reports */
struct mroce_recv_info {
	u8 opcode;		/* enum mroce_opcode: SEND*, WRITE_IMM */
	u8 status;		/* enum mroce_status */
	bool solicited;
	u32 byte_len;
	u32 imm;		/* as on the wire, or rkey to invalidate in host order */
};

/**
 * struct mroce_route - where a packet leaves, or came in
 * @ifindex:	egress (ingress) interface
 * @sport:	UDP source port, host order
 */
struct mroce_route {
	u32 ifindex;
	u16 sport;
};

/**
 * struct mroce_rx - a received UDP payload
 * @hdr:	first bytes, contiguous, at least min(len, MROCE_MAX_CTRL_LEN); 8-byte aligned is not required
 * @len:	length of the whole UDP payload
 * @ce:		the packet was CE-marked
 * @from:	ingress interface and the sender's source port
 * @cookie:	the host's (an skb)
 */
struct mroce_rx {
	const void *hdr;
	u32 len;
	bool ce;
	struct mroce_route from;
	void *cookie;
};

/** struct mroce_held - a packet kept for its turn; the host embeds it where the packet is (skb->cb) */
struct mroce_held {
	struct list_head link;
	u32 offset;		/* in the message */
	u32 len;		/* payload bytes */
	u32 cost;		/* memory held (truesize); host sets in ->hold() */
};

#define MROCE_MAX_CTRL_LEN	512	/* no packet but DATA's payload is longer */

/* enum mroce_src: where the payload of a packet to be sent comes from */
enum mroce_src {
	MROCE_SRC_NONE,
	MROCE_SRC_MSG,		/* msg's local buffers, from offset */
	MROCE_SRC_MR,		/* memory region rkey at addr (READ response) */
};

/**
 * struct mroce_tx - a packet to be sent
 * @hdr:	headers (and the whole packet unless @src says more)
 * @hdr_len:	bytes in @hdr
 * @tclass:	traffic class (DSCP part); the host adds ECT(0) if @ect
 * @ect:	the packet is ECN capable (DATA)
 * @df:		do not fragment; false for a packet that outgrew its route's MTU (rule 10)
 * @route:	egress and source port; ifindex 0: any
 * @src:	payload source
 * @stream:	of the payload
 * @msg:	MROCE_SRC_MSG
 * @rkey:	MROCE_SRC_MR
 * @addr:	MROCE_SRC_MR
 * @offset:	MROCE_SRC_MSG: of the payload in the message
 * @len:	payload bytes
 * @conn:	connection, NULL for a stateless answer
 * @path:	index of the path that sends it, or -1
 */
struct mroce_tx {
	u8 hdr[MROCE_MAX_CTRL_LEN];
	u16 hdr_len;
	u8 tclass;
	bool ect;
	bool df;
	struct mroce_route route;
	u8 src;
	struct mroce_stream *stream;
	struct mroce_msg *msg;
	u32 rkey;
	u64 addr;
	u32 offset;
	u32 len;
	struct mroce_conn *conn;
	int path;
	struct mroce_seg *seg;	/* the core's */
};

/* access rights that the core asks of a region; mr_check() returns MROCE_MR_RELAXED for a relaxed-ordering MR */
#define MROCE_ACC_WRITE		0x1
#define MROCE_ACC_READ		0x2
#define MROCE_ACC_ATOMIC	0x4
#define MROCE_MR_RELAXED	1

/**
 * struct mroce_host_ops - what the core needs from its host
 *
 * All are called under the peer's lock, possibly in softirq context; none may sleep.
 */
struct mroce_host_ops {
	/** @alloc: zeroed memory of @size bytes, at most 64 KiB; NULL when there is none */
	void *(*alloc)(struct mroce_peer *peer, size_t size);
	/** @free: give back what @alloc gave */
	void (*free)(struct mroce_peer *peer, void *p, size_t size);
	/** @random32: unpredictable to others */
	u32 (*random32)(struct mroce_peer *peer);

	/** @conn_register: choose a free random id, publish conn under it, store it in conn->rx_id; 0 or -errno */
	int (*conn_register)(struct mroce_conn *conn);
	/** @conn_unregister: no packet finds conn any more; its memory is freed by conn_free, which may wait for RCU readers */
	void (*conn_unregister)(struct mroce_conn *conn);
	/** @conn_free: release a connection's memory (from @alloc, @size bytes) when no reader can hold it */
	void (*conn_free)(struct mroce_peer *peer, struct mroce_conn *conn, size_t size);
	/**
	 * @conn_routes: fill up to @n routes over which the peer is reached, with the payload each can carry in
	 * @payload; routes differ by ifindex, sport is 0. Returns the number, or 0 when there is no route.
	 */
	int (*conn_routes)(struct mroce_peer *peer, struct mroce_route *routes, u32 *payload, int n);

	/** @stream_find: the attached stream of local QPN @qpn on this peer, or NULL */
	struct mroce_stream *(*stream_find)(struct mroce_peer *peer, u32 qpn);
	/** @send_done: @msg is finished; called in posted order. The core does not touch @msg afterwards. */
	void (*send_done)(struct mroce_stream *s, struct mroce_msg *msg, u8 status);
	/** @recv_done: the receive @recv is finished; called in RSN order. The core does not touch it afterwards. */
	void (*recv_done)(struct mroce_stream *s, struct mroce_recv *recv, const struct mroce_recv_info *info);
	/** @stream_failed: the core has ended @s: sends were flushed; the host flushes receives, moves the QP to ERR */
	void (*stream_failed)(struct mroce_stream *s, enum mroce_fail why);
	/** @established: @s received its first packet or became open (IBV_EVENT_COMM_EST); may be NULL */
	void (*established)(struct mroce_stream *s);
	/** @sq_drained: a stream in SQD has no message in progress any more; may be NULL */
	void (*sq_drained)(struct mroce_stream *s);
	/** @local_op: execute a MROCE_MSG_LOCAL; returns enum mroce_status */
	u8 (*local_op)(struct mroce_stream *s, struct mroce_msg *msg);

	/** @recv_bind: bind the receive entry for @rsn. RSNs are asked for one by one, ascending. NULL: none is posted. */
	struct mroce_recv *(*recv_bind)(struct mroce_stream *s, u32 rsn);
	/** @recv_unbind: entry bound but unused when the stream ended (only @placed == false matters to an SRQ) */
	void (*recv_unbind)(struct mroce_stream *s, struct mroce_recv *recv);
	/** @recv_limit: first RSN without a posted receive; sets *@unlimited for an SRQ */
	u32 (*recv_limit)(struct mroce_stream *s, bool *unlimited);
	/** @rnr_timer: the QP's min_rnr_timer code for RNR refusals */
	u8 (*rnr_timer)(struct mroce_stream *s);

	/** @mr_check: may @acc be done to [@addr, @addr + @len) by key? -errno, 0, or MROCE_MR_RELAXED */
	int (*mr_check)(struct mroce_stream *s, u32 rkey, u64 addr, u32 len, unsigned int acc);
	/** @place: copy @len payload bytes at @pkt_off of the packet to memory by key, in ascending order unless @relaxed */
	int (*place)(struct mroce_stream *s, u32 rkey, u64 addr, void *cookie, u32 pkt_off, u32 len, bool relaxed);
	/** @place_recv: scatter payload into @recv at @offset of the message; 0 or -errno (the region went away) */
	int (*place_recv)(struct mroce_stream *s, struct mroce_recv *recv, u32 offset, void *cookie, u32 pkt_off, u32 len);
	/** @place_resp: scatter a READ response into @msg's buffers; 0 or -errno */
	int (*place_resp)(struct mroce_stream *s, struct mroce_msg *msg, u32 offset, void *cookie, u32 pkt_off, u32 len);
	/** @place_atomic: store the old value of an atomic (host order) into @msg's buffer; 0 or -errno */
	int (*place_atomic)(struct mroce_stream *s, struct mroce_msg *msg, u64 old);
	/** @atomic: execute on 8 aligned bytes; 0 with the old value, or -errno */
	int (*atomic)(struct mroce_stream *s, u8 opcode, u32 rkey, u64 addr, u64 compare, u64 swap_add, u64 *old);
	/** @invalidate: SEND with invalidate arrived: invalidate @rkey; 0 or -errno */
	int (*invalidate)(struct mroce_stream *s, u32 rkey);
	/** @copy_payload: copy @len payload bytes at @pkt_off of the packet to @dst (atomic operands) */
	void (*copy_payload)(void *cookie, u32 pkt_off, void *dst, u32 len);

	/** @hold: keep the packet; NULL when memory is short */
	struct mroce_held *(*hold)(struct mroce_peer *peer, struct mroce_rx *rx);
	/** @held_cookie: the cookie of a held packet, for the place ops */
	void *(*held_cookie)(struct mroce_held *h);
	/** @release: let a held packet go */
	void (*release)(struct mroce_peer *peer, struct mroce_held *h);
};

/**
 * struct mroce_limits - what this end takes; the agreed values are the minima of both ends
 * @instance:		random number of this device's life
 * @max_payload:	largest DATA payload that this end can receive
 * @npaths:		1..MROCE_MAX_PATHS
 * @psn_window:		MROCE_MIN_PSN_WINDOW..MROCE_MAX_PSN_WINDOW, a power of two
 * @msn_window:		MROCE_MIN_MSN_WINDOW..MROCE_MAX_MSN_WINDOW, a power of two
 * @held_cap:		bytes of held packets per peer (rule 8)
 */
struct mroce_limits {
	u64 instance;
	u32 max_payload;
	u16 npaths;
	u16 psn_window;
	u16 msn_window;
	u32 held_cap;
};

/**
 * struct mroce_peer - the association of a local and a remote GID: everything one lock guards
 * @ops:	the host
 * @limits:	of this end
 * @loopback:	local and remote GID are the same (rule 12)
 * @host:	for the host's use
 * @conns:	all connections (mroce_conn.link)
 * @streams:	attached streams (mroce_stream.peer_link)
 * @nstreams:	their number
 * @timers:	everything that waits for a time
 * @stats:	counters, summed by the host over peers
 * @held_bytes:	cost of held packets
 * @rx_any:	the last packet accepted from this peer, ns
 * @out:	connections that may have something to send
 * @rmsgs:	receive state of messages
 * @half_open:	passive connections not confirmed; the host sums them up for its limit
 */
struct mroce_peer {
	const struct mroce_host_ops *ops;
	struct mroce_limits limits;
	bool loopback;
	void *host;
	struct list_head conns;
	struct list_head streams;
	u32 nstreams;
	struct mroce_timerq timers;
	u64 stats[MROCE_CNT_MAX];
	u64 held_bytes;
	u64 rx_any;
	struct list_head out;		/* connections with something to send */
	struct mroce_pool rmsgs;	/* of struct mroce_rmsg */
	u32 half_open;			/* passive connections not yet confirmed */
};

/* enum mroce_stream_state: RX ends at RTR, RX and TX at RTS */
enum mroce_wait {
	MROCE_WAIT_NONE,
	MROCE_WAIT_LATER,	/* the receiver is full: until the stream advances */
	MROCE_WAIT_NO_STREAM,
	MROCE_WAIT_RNR,
};

enum mroce_stream_state {
	MROCE_STREAM_CLOSED,
	MROCE_STREAM_RTR,
	MROCE_STREAM_RTS,
	MROCE_STREAM_SQD,
	MROCE_STREAM_ERR,
};

/**
 * struct mroce_stream_attr - a QP's attributes, as modify_qp gave them
 * @qpn:		own
 * @dst_qpn:		the peer's
 * @tclass:		traffic class of what is sent
 * @timeout:		IBTA code, 0: never
 * @retry_cnt:		0..7
 * @rnr_retry:		0..7, 7: for ever
 * @max_rd_atomic:	READs and atomics outstanding as requester
 * @max_dest_rd_atomic:	as responder
 * @access:		what the QP lets the peer do (MROCE_ACC_*)
 */
struct mroce_stream_attr {
	u32 qpn;
	u32 dst_qpn;
	u8 tclass;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 max_rd_atomic;
	u8 max_dest_rd_atomic;
	u8 access;
};

/**
 * struct mroce_stream - the ordered messages of one QP, both directions; embedded in the host's QP
 *
 * The host zeroes it, then calls mroce_stream_attach(). See stream.c for the life cycle, stream_tx.c and
 * stream_rx.c for the two directions.
 */
struct mroce_stream {
	struct mroce_peer *peer;	/* NULL when not attached */
	struct mroce_conn *conn;	/* send direction */
	struct list_head peer_link;
	struct mroce_stream_attr attr;
	u8 state;

	/* identity */
	u32 rx_tag;			/* chosen at attach; every packet to us carries it */
	u32 tx_tag;			/* the peer's, valid when opened */
	u32 nonce;			/* of our OPEN */
	bool opened;
	bool peer_seen;			/* something arrived for this stream */
	u64 open_backoff;		/* ns */
	bool open_refused;		/* the peer's QP was not there when asked last */
	struct mroce_timer open_timer;

	/* send side */
	struct list_head sq;		/* mroce_msg.link: posted, not completed */
	struct mroce_msg *tx_next;	/* first message not yet cut to its end; NULL: none */
	struct list_head rd_list;	/* READs and atomics that await responses */
	struct list_head segs;		/* mroce_seg.link: in flight */
	struct list_head requeue;	/* mroce_seg.link: refused, to be sent again, by (msn, offset) */
	struct list_head resp_list;	/* mroce_rmsg.link: requests being answered, in MSN order */
	struct list_head ready_link;	/* in conn->ready while something can be sent */
	u32 next_msn;
	u32 next_rsn;
	u32 una_msn;			/* oldest message not fully accepted: base of the MSN window */
	u32 rsn_limit;			/* credit */
	bool rsn_unlimited;
	bool sqd_pending;
	u32 rd_out;			/* READs and atomics outstanding */
	u32 err_msn;			/* lowest message in error, valid with has_err */
	u8 err_status;			/* enum mroce_status */
	bool has_err;
	u8 rnr_left;			/* RNR rounds left */
	u8 nostream_rounds;		/* NO_STREAM rounds met in a row */
	bool round_counted;		/* the running wait was counted against a retry limit */
	u8 wait;			/* enum mroce_wait: why refused content may not go out yet */
	struct mroce_timer wait_timer;
	struct mroce_timer retry_timer;	/* the clock of rule 37, and STREAM_QUERY */
	u64 work_since;			/* when the send queue last became non-empty, ns */
	s32 deficit;			/* DRR, bytes */

	/* receive side */
	u32 exp_msn;			/* the message whose turn it is */
	u32 exp_rsn;			/* RSN of the oldest unfinished receive */
	u32 bound_rsn;			/* first RSN without a bound entry */
	struct mroce_rmsg **rmsgs;	/* ring by MSN, rmsg_mask + 1 slots, grows on use */
	u32 rmsg_mask;
	u32 rmsg_count;
	struct mroce_recv **bound;	/* ring by RSN, bound_mask + 1 slots, grows on use */
	u32 bound_mask;
	u32 rd_in;			/* READs and atomics accepted, their answer not yet wholly sent */
	u32 rx_err_msn;
	u8 rx_err_syn;
	u8 rx_err_recv;			/* enum mroce_status that the receive entry of rx_err_msn completes with, or OK */
	bool rx_has_err;
	struct list_head credit_link;	/* in conn->credits while its credit is to be reported */
};

/* --- peer ------------------------------------------------------------------------------------------------- */

/** mroce_peer_init() - @peer is zeroed by the caller, which then sets ops, limits, loopback and host */
void mroce_peer_init(struct mroce_peer *peer);

/** mroce_peer_destroy() - drop all connections silently. No stream may be attached. */
void mroce_peer_destroy(struct mroce_peer *peer);

/** mroce_peer_idle() - true when nothing would be lost by destroying it: no streams, every connection long idle */
bool mroce_peer_idle(const struct mroce_peer *peer, u64 now);

/**
 * mroce_peer_output() - the next packet to send
 *
 * Returns 1 with @tx filled, or 0. If the host cannot build the payload (the region went away), it calls
 * mroce_tx_failed() before the next call; if it is out of memory it just drops the packet: loss recovery sends it again.
 */
int mroce_peer_output(struct mroce_peer *peer, struct mroce_tx *tx, u64 now);

/** mroce_tx_failed() - the payload of @tx (src MSG or MR) cannot be read: local protection error, or a failed response */
void mroce_tx_failed(struct mroce_peer *peer, struct mroce_tx *tx, u64 now);

/** mroce_peer_next_timer() - when mroce_peer_timer() wants to be called, ns; ~0ULL: never */
u64 mroce_peer_next_timer(const struct mroce_peer *peer);

/** mroce_peer_timer() - run everything that is due at @now */
void mroce_peer_timer(struct mroce_peer *peer, u64 now);

/** mroce_peer_routes_changed() - a route or link event: ask conn_routes again */
void mroce_peer_routes_changed(struct mroce_peer *peer, u64 now);

/* --- packets ---------------------------------------------------------------------------------------------- */

/** mroce_pkt_type() - type of a received packet, or 0 if it is too short for its type or of another version (sets *@cnt to the drop counter) */
int mroce_pkt_type(const struct mroce_rx *rx, enum mroce_counter *cnt);

/** mroce_pkt_conn_id() - connection id of ACCEPT, RESET, DATA, ACK, NAK, PROBE; RESET carries the id that was answered, i.e. conn->tx_id */
u32 mroce_pkt_conn_id(const struct mroce_rx *rx);

/** mroce_conn_input() - ACCEPT, RESET, DATA, ACK, NAK, PROBE for a connection that was found by id and addresses */
void mroce_conn_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now);

/** mroce_peer_connect() - a CONNECT for this peer */
void mroce_peer_connect(struct mroce_peer *peer, struct mroce_rx *rx, u64 now);

/** mroce_peer_reset() - a RESET that names @tx_id, for this peer: the ids that we send to are looked up here */
void mroce_peer_reset(struct mroce_peer *peer, struct mroce_rx *rx, u64 now);

/** mroce_build_reset() - stateless: the answer to a DATA, ACK or PROBE packet of an unknown connection; 0: no answer */
int mroce_build_reset(const struct mroce_rx *rx, struct mroce_tx *tx);

/** mroce_build_cookie() - stateless: the answer to a CONNECT when no state is to be kept; @cookie is a keyed hash of addresses and seed */
int mroce_build_cookie(const struct mroce_rx *rx, u64 instance, u64 cookie, struct mroce_tx *tx);

/** mroce_connect_cookie() - the cookie that a CONNECT carries, and its seed in *@seed */
u64 mroce_connect_cookie(const struct mroce_rx *rx, u64 *seed);

/* --- streams ---------------------------------------------------------------------------------------------- */

/**
 * mroce_stream_attach() - INIT->RTR: choose a tag, bind to the connection of attr.tclass, start OPEN
 * Returns 0 or -ENOMEM.
 */
int mroce_stream_attach(struct mroce_stream *s, struct mroce_peer *peer, const struct mroce_stream_attr *attr, u64 now);

/** mroce_stream_rts() - RTR or SQD to RTS: @attr's send attributes hold from now */
void mroce_stream_rts(struct mroce_stream *s, const struct mroce_stream_attr *attr, u64 now);

/** mroce_stream_sqd() - stop after the messages in progress; ops->sq_drained when they are done */
void mroce_stream_sqd(struct mroce_stream *s, u64 now);

/** mroce_stream_update() - attributes changed without a state change (access, min_rnr_timer ...) */
void mroce_stream_update(struct mroce_stream *s, const struct mroce_stream_attr *attr);

/** mroce_stream_flush() - to ERR at the user's wish: all sends complete with FLUSH in order; receives are the host's */
void mroce_stream_flush(struct mroce_stream *s, u64 now);

/** mroce_stream_detach() - RESET or destroy: forget everything without completions. @s may be freed then. */
void mroce_stream_detach(struct mroce_stream *s, u64 now);

/** mroce_stream_post() - one message more. In ERR it completes with FLUSH (from within the call). */
void mroce_stream_post(struct mroce_stream *s, struct mroce_msg *msg, u64 now);

#endif /* MROCE_TRANSPORT_H */
