/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The transport core's interface: what the driver (kernel/net, kernel/verbs), the KUnit module and
 * the user-space tests call, and what they must offer to it.
 *
 * The core is sans-I/O. It is given packets, work and the time; it gives packets, completions and
 * one next-timer value. It takes no lock, reads no clock, opens no socket, and allocates only
 * through mroce_host_ops.alloc.
 *
 * Locking: everything here belongs to one struct mroce_peer, and every call about a peer, its
 * connections and its streams is made under that peer's lock, which the host owns. Host ops are
 * called under it too; they must not call back into the core unless said so, and must not wake,
 * notify or transmit: they collect.
 *
 * After any call into the core the host pumps: mroce_peer_output() until it returns 0 (or a budget
 * is spent, then again soon), and re-arms its one timer for the peer to mroce_peer_next_timer().
 *
 * Time: u64 nanoseconds of any monotonic clock. Serial numbers (PSN, MSN, RSN) are u32 and wrap;
 * compare with mroce_before().
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
#include "host.h"
#include "inlinks.h"
#include "timerq.h"
#include "pool.h"

struct mroce_rmsg;
struct mroce_seg;
struct mroce_sent;

/**
 * mroce_before() - serial number comparison
 * @a:	PSN, MSN or RSN
 * @b:	another, less than 2^31 away
 *
 * Return: true if @a comes before @b
 */
static inline bool mroce_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/**
 * enum mroce_status - how a message ended, for the requester
 * @MROCE_ST_OK:		done
 * @MROCE_ST_FLUSH:		not executed: the stream had ended
 * @MROCE_ST_LOC_PROT:		own buffers cannot be accessed
 * @MROCE_ST_LOC_LEN:		message longer than allowed, or than the receive entry
 * @MROCE_ST_LOC_OP:		the work request itself is wrong
 * @MROCE_ST_REM_INVALID:	responder: invalid request
 * @MROCE_ST_REM_ACCESS:	responder: key, range or right
 * @MROCE_ST_REM_OP:		responder: it could not do it
 * @MROCE_ST_RETRY_EXC:		no answer within retry_cnt timeouts, or the peer is gone
 * @MROCE_ST_RNR_EXC:		no receive posted within rnr_retry rounds
 * @MROCE_ST_BAD_RESP:		response to another question
 * @MROCE_ST_MW_BIND:		local bind of a memory window failed
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
 * @status:	MROCE_ST_OK, or the error found when the WQE was checked: then nothing is sent,
 *		and the message completes with it at its turn
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
 *
 * From mroce_stream_post() to ops->send_done() it is the core's, under the peer's lock.
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
 * @bad:	host sets MROCE_ST_* if the entry's SGEs do not check; the message then fails with
 *		it
 * @placed:	the core sets it once data was placed (rule 4: such an entry cannot go back to an
 *		SRQ)
 *
 * From ops->recv_bind() to ops->recv_done() or ops->recv_unbind() it is the core's, under the
 * peer's lock.
 */
struct mroce_recv {
	u32 len;
	u8 bad;
	bool placed;
};

/**
 * struct mroce_recv_info - a finished receive: what its completion reports
 * @opcode:	enum mroce_opcode: SEND*, WRITE_IMM
 * @status:	enum mroce_status
 * @solicited:	raise a solicited event
 * @byte_len:	length of the message
 * @imm:	immediate as on the wire, or rkey to invalidate in host order
 *
 * Valid during ops->recv_done().
 */
struct mroce_recv_info {
	u8 opcode;
	u8 status;
	bool solicited;
	u32 byte_len;
	u32 imm;
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
 * @hdr:	first bytes, contiguous, at least min(len, MROCE_MAX_CTRL_LEN); any alignment
 * @len:	length of the whole UDP payload
 * @ce:		the packet was CE-marked
 * @from:	ingress interface and the sender's source port
 * @cookie:	the host's (an skb), for ops->place() and the like
 *
 * The host sets all; the core keeps nothing of it after the call but what ops->hold() took.
 */
struct mroce_rx {
	const void *hdr;
	u32 len;
	bool ce;
	struct mroce_route from;
	void *cookie;
};

/**
 * struct mroce_held - a packet kept for its turn; the host embeds it where the packet is (skb->cb)
 * @link:	in mroce_rmsg.held
 * @offset:	of the payload in the message, bytes
 * @len:	payload bytes
 * @cost:	memory held (truesize), bytes; host sets in ->hold(), the rest is the core's
 *
 * Under the peer's lock.
 */
struct mroce_held {
	struct list_head link;
	u32 offset;
	u32 len;
	u32 cost;
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
 * @seg:	the core's, for mroce_tx_failed()
 *
 * The core sets all. What it points to is valid until the next call into the core for this peer.
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
	struct mroce_seg *seg;
};

/* access rights that the core asks of a region */
#define MROCE_ACC_WRITE		0x1
#define MROCE_ACC_READ		0x2
#define MROCE_ACC_ATOMIC	0x4
#define MROCE_MR_RELAXED	1	/* mr_check(): it may be written in any order */

/**
 * struct mroce_limits - what this end takes; the agreed values are the minima of both ends
 * @instance:		random number of this device's life
 * @max_payload:	largest DATA payload that this end can receive
 * @npaths:		1..MROCE_MAX_PATHS
 * @psn_window:		MROCE_MIN_PSN_WINDOW..MROCE_MAX_PSN_WINDOW, a power of two
 * @msn_window:		MROCE_MIN_MSN_WINDOW..MROCE_MAX_MSN_WINDOW, a power of two
 * @held_cap:		bytes of held packets per peer (rule 8)
 *
 * The host sets all before mroce_peer_init(); constant.
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
 * @ops:	the host; constant
 * @limits:	of this end; constant
 * @loopback:	local and remote GID are the same (rule 12); constant
 * @host:	for the host's use
 * @conns:	all connections (mroce_conn.link)
 * @streams:	attached streams (mroce_stream.peer_link)
 * @nstreams:	their number
 * @timers:	everything that waits for a time
 * @stats:	counters, summed by the host over peers
 * @held_bytes:	cost of held packets, bytes
 * @out:	connections that may have something to send (mroce_conn.out_link)
 * @rmsgs:	pool of struct mroce_rmsg
 * @half_open:	passive connections not confirmed; the host sums them up for its limit
 *
 * The host sets @ops, @limits, @loopback and @host; the rest is the core's, for the host to read.
 * All under the lock that the host keeps beside it.
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
	struct list_head out;
	struct mroce_pool rmsgs;
	u32 half_open;
};

/* enum mroce_wait: why refused content may not go out yet, the longer wait the higher */
enum mroce_wait {
	MROCE_WAIT_NONE,
	MROCE_WAIT_LATER,	/* the receiver is full: until the stream advances */
	MROCE_WAIT_NO_STREAM,
	MROCE_WAIT_RNR,
};

/* enum mroce_stream_state: receives from RTR, sends from RTS; SQD starts no message */
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
 *
 * The host fills it for a call, which copies it.
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
 * @peer:		association, NULL when not attached
 * @conn:		send direction: its connection; NULL once the stream has ended
 * @peer_link:		in mroce_peer.streams
 * @attr:		as the host gave them last; tclass as it was at attach
 * @state:		enum mroce_stream_state
 * @rx_tag:		chosen at attach; every packet to us carries it
 * @tx_tag:		the peer's, valid when @opened
 * @nonce:		of our last OPEN
 * @opened:		OPENED came: we may send
 * @peer_seen:		something arrived for this stream
 * @open_backoff:	time from a refusal to the next OPEN, ns
 * @open_refused:	the peer's QP was not there when asked last
 * @open_timer:		OPEN again
 * @open_seg:		OPEN without a verdict
 * @query_seg:		QUERY without a verdict
 * @sq:			mroce_msg.link: posted, not completed
 * @tx_next:		first message not yet cut to its end; NULL: none
 * @rd_list:		mroce_msg.rd_link: READs and atomics that await responses
 * @segs:		mroce_seg.link: in flight, of requests and of responses
 * @requeue:		mroce_seg.link: refused, to be sent again, by (msn, offset)
 * @resp_list:		mroce_rmsg.link: requests being answered, in MSN order
 * @ready_link:		in mroce_conn.ready while something can be sent
 * @next_msn:		MSN of the next message to be posted
 * @next_rsn:		RSN of the next one that consumes a receive
 * @una_msn:		oldest message not fully accepted: base of the MSN window
 * @rsn_limit:		credit: first RSN without a posted receive at the peer
 * @rsn_unlimited:	the peer receives from an SRQ: there is no credit
 * @sqd_pending:	ops->sq_drained() has still to be called
 * @rd_out:		READs and atomics outstanding
 * @err_msn:		lowest message in error, valid with @has_err
 * @err_status:		enum mroce_status that it completes with
 * @has_err:		a message has failed and waits for its turn
 * @rnr_left:		RNR rounds left
 * @nostream_rounds:	NO_STREAM rounds met in a row
 * @round_counted:	the running wait was counted against a retry limit
 * @wait:		enum mroce_wait: why refused content may not go out yet
 * @wait_timer:		ends @wait
 * @retry_timer:	the clock of rule 37, and QUERY
 * @work_since:		when the send queue last became non-empty or a wait ended, ns
 * @deficit:		bytes that it may still send in this turn (deficit round robin)
 * @exp_msn:		the message whose turn it is
 * @exp_rsn:		RSN of the oldest unfinished receive
 * @bound_rsn:		first RSN without a bound entry
 * @rmsgs:		ring by MSN, @rmsg_mask + 1 slots, grows on use
 * @rmsg_mask:		slots of @rmsgs, less one
 * @rmsg_count:		messages in @rmsgs
 * @bound:		ring of bound entries by RSN, @bound_mask + 1 slots, grows on use
 * @bound_mask:		slots of @bound, less one
 * @rd_in:		READs and atomics accepted, their answer not yet wholly sent
 * @rx_err_msn:		lowest message found in error, valid with @rx_has_err
 * @rx_err_syn:		enum mroce_syndrome that it is refused with
 * @rx_err_recv:	enum mroce_status that its receive entry completes with, or OK
 * @rx_has_err:		a message was in error; the stream ends at its turn
 * @credit_link:	in mroce_conn.credits while its credit is to be reported
 *
 * The host zeroes it, then calls mroce_stream_attach(); all of it is the core's, under the peer's
 * lock. See stream.c for the life cycle, stream_tx.c and stream_rx.c for the two directions.
 */
struct mroce_stream {
	struct mroce_peer *peer;
	struct mroce_conn *conn;
	struct list_head peer_link;
	struct mroce_stream_attr attr;
	u8 state;

	/* identity */
	u32 rx_tag;
	u32 tx_tag;
	u32 nonce;
	bool opened;
	bool peer_seen;
	u64 open_backoff;
	bool open_refused;
	struct mroce_timer open_timer;
	struct mroce_seg *open_seg;
	struct mroce_seg *query_seg;

	/* send side */
	struct list_head sq;
	struct mroce_msg *tx_next;
	struct list_head rd_list;
	struct list_head segs;
	struct list_head requeue;
	struct list_head resp_list;
	struct list_head ready_link;
	u32 next_msn;
	u32 next_rsn;
	u32 una_msn;
	u32 rsn_limit;
	bool rsn_unlimited;
	bool sqd_pending;
	u32 rd_out;
	u32 err_msn;
	u8 err_status;
	bool has_err;
	u8 rnr_left;
	u8 nostream_rounds;
	bool round_counted;
	u8 wait;
	struct mroce_timer wait_timer;
	struct mroce_timer retry_timer;
	u64 work_since;
	s32 deficit;

	/* receive side */
	u32 exp_msn;
	u32 exp_rsn;
	u32 bound_rsn;
	struct mroce_rmsg **rmsgs;
	u32 rmsg_mask;
	u32 rmsg_count;
	struct mroce_recv **bound;
	u32 bound_mask;
	u32 rd_in;
	u32 rx_err_msn;
	u8 rx_err_syn;
	u8 rx_err_recv;
	bool rx_has_err;
	struct list_head credit_link;
};

/* --- peer ------------------------------------------------------------- */

/**
 * mroce_peer_init() - an association without connections
 * @peer:	zeroed, then ops, limits, loopback and host set
 *
 * Context: no other user yet
 */
void mroce_peer_init(struct mroce_peer *peer);

/**
 * mroce_peer_destroy() - drop all connections silently
 * @peer:	association without attached streams
 *
 * Context: peer's lock
 */
void mroce_peer_destroy(struct mroce_peer *peer);

/**
 * mroce_peer_idle() - may it be destroyed?
 * @peer:	association
 * @now:	current time, ns
 *
 * Nothing would be lost: no streams, and every connection has expired.
 *
 * Context: peer's lock
 * Return: true if so
 */
bool mroce_peer_idle(const struct mroce_peer *peer, u64 now);

/**
 * mroce_peer_output() - the next packet to send
 * @peer:	association
 * @tx:		packet to fill in
 * @now:	current time, ns
 *
 * If the host cannot build the payload (the region went away), it calls mroce_tx_failed() before
 * the next call; if it is out of memory it just drops the packet: loss recovery sends it again.
 *
 * Context: peer's lock; may run ops->local_op() and complete messages
 * Return: 1 with @tx filled in, or 0: nothing may be sent now
 */
int mroce_peer_output(struct mroce_peer *peer, struct mroce_tx *tx, u64 now);

/**
 * mroce_tx_failed() - the payload of @tx cannot be read
 * @peer:	association
 * @tx:		as mroce_peer_output() gave it, src MSG or MR
 * @now:	current time, ns
 *
 * A request ends with a local protection error, a response with RESP_ERROR.
 *
 * Context: peer's lock; may end the stream
 */
void mroce_tx_failed(struct mroce_peer *peer, struct mroce_tx *tx, u64 now);

/**
 * mroce_peer_next_timer() - when mroce_peer_timer() wants to be called
 * @peer:	association
 *
 * Context: peer's lock
 * Return: ns; ~0ULL: never
 */
u64 mroce_peer_next_timer(const struct mroce_peer *peer);

/**
 * mroce_peer_timer() - run everything that is due
 * @peer:	association
 * @now:	current time, ns
 *
 * Context: peer's lock; may end streams and destroy connections
 */
void mroce_peer_timer(struct mroce_peer *peer, u64 now);

/**
 * mroce_peer_routes_changed() - a route or link event: ask ops->conn_routes() again
 * @peer:	association
 * @now:	current time, ns
 *
 * Context: peer's lock
 */
void mroce_peer_routes_changed(struct mroce_peer *peer, u64 now);

/* --- packets ---------------------------------------------------------- */

/**
 * mroce_pkt_type() - type of a received packet
 * @rx:		received packet
 * @cnt:	set to the drop counter if 0 is returned
 *
 * Context: any, no lock
 * Return: enum mroce_pkt_type; 0: too short for its type, of another version, or of no type
 */
int mroce_pkt_type(const struct mroce_rx *rx, enum mroce_counter *cnt);

/**
 * mroce_pkt_conn_id() - connection id of a packet of any type but CONNECT and DATAGRAM
 * @rx:	packet, its type checked
 *
 * It is an id of ours, in RESET the one that was answered: mroce_conn.tx_id.
 *
 * Context: any, no lock
 * Return: the id, host order
 */
u32 mroce_pkt_conn_id(const struct mroce_rx *rx);

/**
 * mroce_conn_input() - ACCEPT, DATA, ACK, NAK or PROBE for this connection
 * @conn:	found by id and addresses
 * @rx:		packet, its type checked
 * @now:	current time, ns
 *
 * Context: peer's lock; softirq. May finish messages and receives, and end streams
 */
void mroce_conn_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now);

/**
 * mroce_peer_connect() - a CONNECT for this peer
 * @peer:	association
 * @rx:		packet, its type checked
 * @now:	current time, ns
 *
 * Context: peer's lock; softirq
 */
void mroce_peer_connect(struct mroce_peer *peer, struct mroce_rx *rx, u64 now);

/**
 * mroce_peer_reset() - a RESET for this peer
 * @peer:	association
 * @rx:		packet, its type checked
 * @now:	current time, ns
 *
 * It names an id that we send to. The connection is lost if the RESET echoes a packet in flight
 * [M33]; otherwise it is counted and ignored.
 *
 * Context: peer's lock; softirq. May end streams
 */
void mroce_peer_reset(struct mroce_peer *peer, struct mroce_rx *rx, u64 now);

/**
 * mroce_build_reset() - stateless: the answer to DATA of an unknown connection
 * @rx:	packet, its type checked
 * @tx:	packet to fill in
 *
 * Context: any, no lock
 * Return: 1 with @tx filled in, or 0: no answer
 */
int mroce_build_reset(const struct mroce_rx *rx, struct mroce_tx *tx);

/**
 * mroce_build_cookie() - stateless: the answer to a CONNECT when no state is to be kept
 * @rx:		CONNECT, its type checked
 * @instance:	this device's
 * @cookie:	keyed hash of addresses and seed
 * @tx:		packet to fill in
 *
 * Context: any, no lock
 * Return: 1, with @tx filled in
 */
int mroce_build_cookie(const struct mroce_rx *rx, u64 instance, u64 cookie, struct mroce_tx *tx);

/**
 * mroce_connect_valid() - does a CONNECT offer what a connection needs? [M23]
 * @rx:		CONNECT, its type checked
 *
 * mroce_peer_connect() asks too; this is for who would answer before.
 *
 * Context: any, no lock
 * Return: true if so
 */
bool mroce_connect_valid(const struct mroce_rx *rx);

/**
 * mroce_connect_cookie() - the cookie that a CONNECT carries
 * @rx:		CONNECT, its type checked
 * @seed:	set to its seed
 *
 * Context: any, no lock
 * Return: the cookie; 0: none
 */
u64 mroce_connect_cookie(const struct mroce_rx *rx, u64 *seed);

/* --- streams ---------------------------------------------------------- */

/**
 * mroce_stream_attach() - INIT to RTR: choose a tag, bind to a connection, start OPEN
 * @s:		zeroed
 * @peer:	association
 * @attr:	all of the QP's; tclass chooses the connection
 * @now:	current time, ns
 *
 * Context: peer's lock
 * Return: 0 or -ENOMEM
 */
int mroce_stream_attach(struct mroce_stream *s, struct mroce_peer *peer,
			const struct mroce_stream_attr *attr, u64 now);

/**
 * mroce_stream_rts() - RTR or SQD to RTS
 * @s:		stream
 * @attr:	its send attributes hold from now
 * @now:	current time, ns
 *
 * Context: peer's lock
 */
void mroce_stream_rts(struct mroce_stream *s, const struct mroce_stream_attr *attr, u64 now);

/**
 * mroce_stream_sqd() - stop after the messages in progress
 * @s:		stream
 * @now:	current time, ns
 *
 * ops->sq_drained() tells when they are done, perhaps from within the call.
 *
 * Context: peer's lock
 */
void mroce_stream_sqd(struct mroce_stream *s, u64 now);

/**
 * mroce_stream_update() - attributes changed without a state change (access, min_rnr_timer ...)
 * @s:		stream
 * @attr:	what holds from now, but for tclass
 *
 * Context: peer's lock
 */
void mroce_stream_update(struct mroce_stream *s, const struct mroce_stream_attr *attr);

/**
 * mroce_stream_flush() - to ERR at the user's wish
 * @s:		stream
 * @now:	current time, ns
 *
 * All sends complete with FLUSH in order; receives are the host's.
 *
 * Context: peer's lock; ops->send_done()
 */
void mroce_stream_flush(struct mroce_stream *s, u64 now);

/**
 * mroce_stream_detach() - RESET or destroy: forget everything without completions
 * @s:		stream; may be freed afterwards
 * @now:	current time, ns
 *
 * Context: peer's lock
 */
void mroce_stream_detach(struct mroce_stream *s, u64 now);

/**
 * mroce_stream_post() - one message more
 * @s:		stream
 * @msg:	what the host sets is set; it is the core's until ops->send_done()
 * @now:	current time, ns
 *
 * In ERR it completes with FLUSH, from within the call.
 *
 * Context: peer's lock; may complete messages and end the stream
 */
void mroce_stream_post(struct mroce_stream *s, struct mroce_msg *msg, u64 now);

#endif /* MROCE_TRANSPORT_H */
