/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the transport core's files share among themselves: connections, paths, segments and the
 * functions between them. Hosts and tests of behaviour include transport.h only. Everything is
 * under the peer's lock.
 *
 * File map, from the wire up:
 *	wire.c		checks, decodes and builds packets
 *	rxwin.c		receive window of a path
 *	txwin.c		sent PSNs of a path
 *	loss.c		how loss is found, timers
 *	path.c		paths, round-trip time
 *	route.c		the route that a path borrows
 *	select.c	which paths are used, and by which packet
 *	cc.c		congestion control
 *	pace.c		rate hints obeyed, windows below a packet
 *	share.c		rate hints given
 *	ack.c		ACK and NAK, both ways
 *	handshake.c	CONNECT, ACCEPT, RESET
 *	conn.c		connections, dispatch of input
 *	output.c	what is sent next
 *	control.c	OPEN, OPENED, CLOSED, QUERY
 *	stream.c	life of a stream, its clocks
 *	stream_tx.c	requests out, completions
 *	stream_rx.c	requests in, placement
 *	response.c	READ and atomic responses, both ends
 *	peer.c		the association
 *	pool.c, timerq.c  helpers
 */
#ifndef MROCE_INTERNAL_H
#define MROCE_INTERNAL_H

#include "transport.h"
#include "cc.h"
#include "rxwin.h"

#define NSEC_US			1000ULL
#define NSEC_MS			1000000ULL
#define NSEC_S			1000000000ULL

#define MROCE_ACK_EVERY		16		/* packets of a path per ACK */
#define MROCE_ACK_DELAY		(50 * NSEC_US)
#define MROCE_PROBE_SLACK	(20 * NSEC_US)	/* tail probes wait for it beside the RTT */
#define MROCE_PROBE_SLACK_MAX	(5 * NSEC_MS)	/* where probes turn out to be early */
#define MROCE_RTT_INIT		(10 * NSEC_MS)	/* before any sample */
#define MROCE_RTO_MAX		(2 * NSEC_S)
#define MROCE_REROUTE_RTOS	2		/* RTOs in a row before a path leaves its route */
#define MROCE_HS_FIRST		(10 * NSEC_MS)	/* CONNECT back-off */
#define MROCE_HS_MAX		NSEC_S
#define MROCE_HALF_OPEN_LIFE	(5 * NSEC_S)
#define MROCE_IDLE_LIFE		(30 * NSEC_S)
#define MROCE_TRIM_AFTER	NSEC_S
#define MROCE_RSN_WINDOW	64		/* SRQ entries bound ahead (rule 4) */
#define MROCE_MAX_HALF_OPEN	8		/* passive connections per peer */
#define MROCE_PROBE_REPLIES	8		/* that may wait to be sent */
#define MROCE_SPORT_MIN		49152
#define MROCE_MAX_PLANES	16		/* egress interfaces of a connection */

/* enum mroce_seg_kind: whose content a PSN carries */
enum mroce_seg_kind {
	MROCE_SEG_MSG,		/* part of a request */
	MROCE_SEG_RESP,		/* part of a response */
	MROCE_SEG_CTRL,		/* OPEN, OPENED, CLOSED, QUERY */
};

/**
 * struct mroce_ctrl - a control message; complete in itself, so that it outlives its stream
 * @opcode:	OPEN, OPENED, CLOSED, QUERY
 * @flags:	OPENED: MROCE_F_UNLIMITED
 * @qpn:	the peer's
 * @src_qpn:	our stream's
 * @tag:	OPENED: ours; CLOSED, QUERY: the peer's
 * @nonce:	OPEN; echoed in OPENED
 * @msn:	CLOSED: next MSN that would have been executed; QUERY: oldest unanswered
 * @rsn_limit:	OPENED: first credit
 * @syndrome:	CLOSED: enum mroce_syndrome
 *
 * Set once, by control.c.
 */
struct mroce_ctrl {
	u8 opcode;
	u8 flags;
	u32 qpn;
	u32 src_qpn;
	u32 tag;
	u32 nonce;
	u32 msn;
	u32 rsn_limit;
	u32 syndrome;
};

/**
 * struct mroce_seg - the content of one PSN
 * @link:	stream->segs (in flight), stream->requeue, or conn->ctrl (to be sent)
 * @stream:	owner; NULL for CTRL
 * @slot:	CTRL: who must know when it is gone, or NULL
 * @sent:	the PSN that carries it, NULL while it waits
 * @msg:	MSG
 * @resp:	RESP
 * @ctrl:	CTRL
 * @offset:	of the payload in the message, bytes
 * @len:	payload bytes
 * @kind:	enum mroce_seg_kind
 * @opcode:	on the wire
 *
 * Cut by stream_tx.c, response.c and control.c, and the same until its verdict but for @link and
 * @sent. Under the peer's lock.
 */
struct mroce_seg {
	struct list_head link;
	struct mroce_stream *stream;
	struct mroce_seg **slot;
	struct mroce_sent *sent;
	union {
		struct mroce_msg *msg;
		struct mroce_rmsg *resp;
		struct mroce_ctrl ctrl;
	};
	u32 offset;
	u32 len;
	u8 kind;
	u8 opcode;
};

/**
 * struct mroce_sent - one PSN from its first transmission to its acceptance
 * @tx_link:	path->inflight, in order of (last) transmission, or path->lost
 * @seg:	content; NULL: EMPTY (refused or cancelled)
 * @sent_at:	last transmission, ns
 * @psn:	number
 * @order:	order of the last transmission on the path
 * @bytes:	counted against the window at the last transmission
 * @lost:	in path->lost
 * @probe:	its next transmission is a tail probe: asks for an ACK, and may be a duplicate
 * @timed_out:	in path->lost because of an RTO
 * @ntx:	transmissions, saturating
 * @epoch:	of the path at the last transmission
 *
 * Under the peer's lock.
 */
struct mroce_sent {
	struct list_head tx_link;
	struct mroce_seg *seg;
	u64 sent_at;
	u32 psn;
	u32 order;
	u32 bytes;
	bool lost;
	bool probe;
	bool timed_out;
	u8 ntx;
	u8 epoch;
};

/**
 * struct mroce_txwin - sent PSNs of a path: [una, nxt)
 * @una:	oldest PSN not accepted
 * @nxt:	next new PSN
 * @limit:	agreed window, PSNs
 * @size:	slots of @slots, a power of two; grows on use
 * @slots:	by psn & (size - 1); NULL: accepted
 *
 * Written by txwin.c; @limit by handshake.c. Under the peer's lock.
 */
struct mroce_txwin {
	u32 una;
	u32 nxt;
	u32 limit;
	u32 size;
	struct mroce_sent **slots;
};

/**
 * struct mroce_loss - how loss is found on a path
 * @order_acked:	highest order of transmission accepted in @epoch_acked
 * @rtt_acked:		time from that transmission to its acceptance, ns
 * @epoch_acked:	epoch of @order_acked
 * @any_acked:		@order_acked is valid
 * @unasked:		bytes sent since the last packet that asked for an ACK at once
 * @probes:		tail probes since the last progress
 * @rtos:		RTOs since then
 * @reorder:		how late a packet may be behind one that overtook it, ns
 * @reorder_seen:	lateness met in this slot, ns
 * @reorder_prev:	in the slot before, ns
 * @reorder_end:	end of this slot, ns; 0: no tolerance
 * @dup_seen:		dup_count in the last ACK
 * @dup_allowed:	duplicates that our own probes may cause
 * @progress_at:	when an ACK last brought something new, ns
 * @probed_at:		when the last tail probe was decided on, ns
 * @probe_tick:		timestamp of the last tail probe
 * @rto_tick:		timestamp of the first of @rtos
 *
 * Written by loss.c, @probe_tick by output.c. Under the peer's lock.
 */
struct mroce_loss {
	u32 order_acked;
	u8 epoch_acked;
	bool any_acked;
	u32 unasked;
	u8 probes;
	u8 rtos;
	u64 rtt_acked;
	u64 reorder;
	u64 reorder_seen;
	u64 reorder_prev;
	u64 reorder_end;
	u32 dup_seen;
	u32 dup_allowed;
	u64 progress_at;
	u64 probed_at;
	u32 probe_tick;
	u32 rto_tick;
};

/**
 * struct mroce_path - one path: a sequence space each way, and the route it borrows
 * @conn:		connection; constant
 * @index:		its number on the wire; constant
 * @route:		send: egress and source port in use
 * @home:		send: its own
 * @away:		send: @route is another path's, @home is probed
 * @home_ask:		send: a PROBE to @home is due
 * @home_answers:	send: answers since it left
 * @home_seq:		send: of the PROBE that may be answered
 * @active_link:	send: in conn->active; empty: it rests
 * @route_payload:	send: largest payload this route carries, bytes
 * @epoch:		send: of the route; loss is not inferred across epochs
 * @tx:			send: window
 * @inflight:		send: mroce_sent.tx_link, in order of transmission
 * @lost:		send: mroce_sent.tx_link, to be sent again
 * @inflight_bytes:	send: of @inflight
 * @order:		send: next transmission's order
 * @ce_seen:		send: ce_count in the last ACK
 * @accepted:		send: packets that the peer accepted, ever
 * @retx:		send: packets sent again, ever
 * @spurious:		send: of these, needless ones that the receiver told of
 * @last_ack:		send: when it last came, ns; 0: never
 * @loss:		send: how loss is found here
 * @rtt:		send: of this path's samples
 * @cc:			send: congestion state
 * @timer:		send: overdue packets, tail probe, RTO
 * @rx:			receive: window
 * @from:		receive: where the newest packet came in
 * @rx_psn:		receive: PSN of the newest packet
 * @rx_tstamp:		receive: of the newest packet, as sent
 * @rx_tstamp_at:	receive: when that arrived, ns
 * @hint_echo:		timestamp that came back with the newest hint
 * @ce_count:		receive: CE-marked packets, ever
 * @dup_count:		receive: duplicates, ever
 * @rx_count:		receive: packets, ever
 * @ack_pending:	receive: packets not acknowledged yet
 * @ack_moves:		receive: signs since @from moved that our ACKs do not get through
 * @last_ce:		receive: the newest packet was CE-marked
 * @ack_link:		receive: in conn->ack_wait or conn->ack_due
 *
 * Under the peer's lock.
 */
struct mroce_path {
	struct mroce_conn *conn;
	u8 index;

	/* send */
	struct mroce_route route;
	struct mroce_route home;
	bool away;
	bool home_ask;
	u8 home_answers;
	u32 home_seq;
	u32 route_payload;
	u8 epoch;
	struct list_head active_link;
	struct mroce_txwin tx;
	struct list_head inflight;
	struct list_head lost;
	u32 inflight_bytes;
	u32 order;
	u32 ce_seen;
	u32 accepted;
	u32 retx;
	u32 spurious;
	u64 last_ack;
	struct mroce_loss loss;
	struct mroce_rtt rtt;
	struct mroce_cc cc;
	struct mroce_timer timer;

	/* receive */
	struct mroce_rxwin rx;
	struct mroce_route from;
	u8 ack_moves;
	u32 rx_psn;
	u32 rx_tstamp;
	u64 rx_tstamp_at;
	u32 hint_echo;
	u32 ce_count;
	u32 dup_count;
	u32 rx_count;
	u32 ack_pending;
	bool last_ce;
	struct list_head ack_link;
};

/* enum mroce_path_state: what a path is good for at present, the worst that applies */
enum mroce_path_state {
	MROCE_PATH_RESTS,	/* carries nothing new */
	MROCE_PATH_USED,
	MROCE_PATH_SUSPECT,	/* silent for an RTO or more */
	MROCE_PATH_AWAY,	/* its route failed, it borrows one */
};

/* enum mroce_conn_state */
enum mroce_conn_state {
	MROCE_CONN_CONNECTING,	/* we send CONNECT */
	MROCE_CONN_HALF,	/* passive: answered a CONNECT, nothing proves the other end yet */
	MROCE_CONN_OPEN,
	MROCE_CONN_DEAD,
};

/**
 * struct mroce_nak_item - a refusal to be reported
 * @path:	index of the path
 * @syndrome:	enum mroce_syndrome
 * @arg:	its argument
 * @psn:	what was refused
 *
 * Under the peer's lock.
 */
struct mroce_nak_item {
	u8 path;
	u8 syndrome;
	u8 arg;
	u32 psn;
};

/**
 * struct mroce_conn - one connection: between two GIDs, for one traffic class
 * @peer:		association; constant
 * @link:		in peer->conns
 * @out_link:		in peer->out while it may have something to send
 * @rx_id:		what the peer must put into packets to us; ops->conn_register() sets
 * @tx_id:		what we put into packets; valid with @has_peer
 * @state:		enum mroce_conn_state
 * @tclass:		of all its packets; constant
 * @passive:		made by a CONNECT; constant
 * @has_peer:		@tx_id and what the peer said are known (authentic only when OPEN)
 * @seed:		ours, of this attempt; constant
 * @peer_seed:		the peer's
 * @peer_instance:	the peer's
 * @cookie:		to be returned in the next CONNECT; 0: none
 * @hs_backoff:		until the next CONNECT, ns
 * @born:		when it was made, ns
 * @send_connect:	CONNECT is to be sent
 * @send_accept:	ACCEPT is to be sent, to @hs_from
 * @send_confirm:	a confirming ACK is to be sent
 * @hs_from:		where the CONNECT came in: ACCEPT goes back there
 * @hs_tries:		CONNECTs sent
 * @hs_asked_at:	when CONNECT or ACCEPT was sent, ns; 0: not; ~0: several times
 * @hs_timer:		CONNECT again, or end of a half-open life
 * @idle_timer:		trim, expire
 * @ack_timer:		@ack_wait becomes due
 * @kick_timer:		try again after a failed allocation
 * @home_timer:		probe the homes of paths that are away
 * @max_payload:	agreed, bytes
 * @payload:		used now: what every route carries, bytes
 * @psn_window:		agreed, PSNs
 * @msn_window:		agreed, MSNs
 * @npaths:		agreed
 * @npaths_alloc:	paths in @paths
 * @next_path:		where the search for a resting path begins
 * @nactive:		paths in @active
 * @active:		mroce_path.active_link: in use, the longest unused first
 * @path_limit:		paths below this index may be in use
 * @planes:		egress interfaces by number of plane, in the order they were met
 * @nplanes:		their number
 * @plane_mask:		planes that may be used
 * @next_route:		the route that the next path takes
 * @next_home:		whose home is probed first
 * @home_asks:		paths whose home_ask is set
 * @next_lost:		whose losses go out first
 * @nctrl:		control segments, waiting or in flight
 * @nstreams:		streams whose send direction is bound here
 * @paths:		by index
 * @cc:			congestion control of all its paths
 * @inflight_bytes:	of all paths
 * @lost_pkts:		packets in the paths' lost lists
 * @backlog:		bytes posted and not yet cut
 * @hint:		rate that the peer grants, as on the wire
 * @pace:		what follows from it for the next packet
 * @rtt:		of all paths together
 * @probe_slack: what tail probes wait beside the RTT, ns; grows while they turn out to be early
 * @rx_last:		last valid packet, ns
 * @tx_last:		last packet sent, ns
 * @ready:		mroce_stream.ready_link: round robin
 * @ctrl:		mroce_seg.link: control segments to be sent
 * @ack_wait:		mroce_path.ack_link: whose ACK may wait for @ack_timer
 * @ack_due:		mroce_path.ack_link: to be acknowledged now
 * @credits:		mroce_stream.credit_link: whose credit goes into the next ACK
 * @naks:		refusals to be reported
 * @nnaks:		their number
 * @replies:		probes to be answered
 * @reply_to:		where each came in
 * @nreplies:		their number
 * @inbound:		what came in since the last ACK
 * @share:		our part of what comes in; under the host's lock
 * @segs:		pool of struct mroce_seg
 * @sents:		pool of struct mroce_sent
 *
 * Under the peer's lock.
 */
struct mroce_conn {
	struct mroce_peer *peer;
	struct list_head link;
	struct list_head out_link;
	u32 rx_id;
	u32 tx_id;
	u8 state;
	u8 tclass;
	bool passive;
	bool has_peer;

	u64 seed;
	u64 peer_seed;
	u64 peer_instance;
	u64 cookie;
	u64 hs_backoff;
	u64 born;
	bool send_connect;
	bool send_accept;
	bool send_confirm;
	struct mroce_route hs_from;
	u32 hs_tries;
	u64 hs_asked_at;
	struct mroce_timer hs_timer;
	struct mroce_timer idle_timer;
	struct mroce_timer ack_timer;
	struct mroce_timer kick_timer;
	struct mroce_timer home_timer;

	u32 max_payload;
	u32 payload;
	u32 psn_window;
	u32 msn_window;
	u32 npaths;
	u32 npaths_alloc;
	u32 next_path;
	u32 nactive;
	struct list_head active;
	u32 path_limit;
	u32 planes[MROCE_MAX_PLANES];
	u32 nplanes;
	u32 plane_mask;
	u32 next_route;
	u32 next_home;
	u32 home_asks;
	u32 next_lost;
	u32 nctrl;
	u32 nstreams;
	struct mroce_path *paths[MROCE_MAX_PATHS];

	const struct mroce_cc_ops *cc;
	u64 inflight_bytes;
	u32 lost_pkts;
	u64 backlog;
	u16 hint;
	struct mroce_pace pace;
	struct mroce_rtt rtt;
	u64 probe_slack;
	u64 rx_last;
	u64 tx_last;

	struct list_head ready;
	struct list_head ctrl;
	struct list_head ack_wait;
	struct list_head ack_due;
	struct list_head credits;
	struct mroce_nak_item naks[MROCE_MAX_NAK_RECS];
	u32 nnaks;
	struct mroce_probe replies[MROCE_PROBE_REPLIES];
	struct mroce_route reply_to[MROCE_PROBE_REPLIES];
	u32 nreplies;
	struct mroce_demand inbound;
	struct mroce_share_member share;

	struct mroce_pool segs;
	struct mroce_pool sents;
};

/**
 * struct mroce_rmsg - receive state of one message, from its first packet to its turn
 * @link:	stream->resp_list once a READ or atomic is being answered
 * @msn:	number
 * @len:	bytes
 * @rsn:	of the receive that it consumes
 * @imm:	immediate as on the wire, or rkey to invalidate in host order
 * @addr:	of its first byte
 * @rkey:	key of @addr
 * @got:	bytes accepted
 * @placed:	strict WRITE: bytes placed, contiguous from 0
 * @opcode:	enum mroce_opcode of its first packet
 * @solicited:	raise a solicited event
 * @relaxed:	its region may be written in any order
 * @full:	all packets accepted
 * @held:	mroce_held.link, by offset
 * @recv:	receive entry that it consumes
 * @compare:	atomic: operand
 * @swap_add:	atomic: operand
 * @old:	atomic: result
 * @resp_off:	response: bytes cut
 * @resp_out:	response: segments not accepted
 * @resp_cut:	response: all cut
 * @counted:	in stream->rd_in
 * @resp_dead:	response: ended by RESP_ERROR, or unwanted
 * @resp_syn:	response: RESP_ERROR to be sent, or NONE
 *
 * For READs and atomics until the response is accepted. Under the peer's lock.
 */
struct mroce_rmsg {
	struct list_head link;
	u32 msn;
	u32 len;
	u32 rsn;
	u32 imm;
	u64 addr;
	u32 rkey;
	u32 got;
	u32 placed;
	u8 opcode;
	bool solicited;
	bool relaxed;
	bool full;
	struct list_head held;
	struct mroce_recv *recv;

	u64 compare;
	u64 swap_add;
	u64 old;
	u32 resp_off;
	u32 resp_out;
	bool resp_cut;
	bool counted;
	bool resp_dead;
	u8 resp_syn;
};

/**
 * struct mroce_data - a decoded DATA header, host order
 * @flags:	MROCE_F_*
 * @path:	index of the path
 * @opcode:	enum mroce_opcode
 * @epoch:	entropy epoch of the path
 * @backlog:	what the sender has waiting, as coded
 * @psn:	packet sequence number
 * @tstamp:	sender's clock, to be echoed
 * @qpn:	destination QPN
 * @tag:	of the destination stream
 * @msn:	number of the message
 * @msg_len:	its length, bytes
 * @offset:	of the payload within it
 * @rsn:	receive that it consumes
 * @addr:	of the message's first byte
 * @rkey:	key of @addr
 * @imm:	as on the wire; SEND_INV, RESP_ERROR: host order
 * @len:	payload bytes
 *
 * Filled by mroce_decode_data(), read only after that.
 */
struct mroce_data {
	u8 flags;
	u8 path;
	u8 opcode;
	u8 epoch;
	u8 backlog;
	u32 psn;
	u32 tstamp;
	u32 qpn;
	u32 tag;
	u32 msn;
	u32 msg_len;
	u32 offset;
	u32 rsn;
	u64 addr;
	u32 rkey;
	u32 imm;
	u32 len;
};

/**
 * struct mroce_verdict - a verdict on a packet's content
 * @what:	accept it, refuse it, or drop it without a verdict (no memory)
 * @syn:	enum mroce_syndrome, if refused
 * @arg:	its argument
 *
 * A value; MROCE_ACCEPT, MROCE_REFUSE() and MROCE_DROP make it.
 */
struct mroce_verdict {
	enum { MROCE_V_ACCEPT, MROCE_V_REFUSE, MROCE_V_DROP } what;
	u8 syn;
	u8 arg;
};

#define MROCE_ACCEPT		((struct mroce_verdict){ .what = MROCE_V_ACCEPT })
#define MROCE_REFUSE(s)		((struct mroce_verdict){ .what = MROCE_V_REFUSE, .syn = (s) })
#define MROCE_DROP		((struct mroce_verdict){ .what = MROCE_V_DROP })

static inline void mroce_count(struct mroce_peer *peer, enum mroce_counter c)
{
	peer->stats[c]++;
}

/*
 * What only the reader of an ACCEPT knows: it opens the connection at the end that sent the ACCEPT.
 */
static inline u32 mroce_proof(u64 seed)
{
	return (u32)(seed >> 32);
}

static inline u32 mroce_tick(u64 now)
{
	return (u32)(now / MROCE_TICK_NS);
}

/* --- wire.c --- */
bool mroce_decode_data(const struct mroce_rx *rx, struct mroce_data *d);
void mroce_build_data(struct mroce_conn *conn, struct mroce_path *p, struct mroce_sent *sent,
		      u8 flags, struct mroce_tx *tx, u64 now);
void mroce_tx_init(struct mroce_tx *tx, struct mroce_conn *conn, struct mroce_route route,
		   u8 tclass);
u8 mroce_backlog_code(u64 bytes);
u64 mroce_backlog_bytes(u8 code);
u16 mroce_hint_code(u64 rate);
u64 mroce_hint_rate(u16 hint);
bool mroce_opcode_valid(u8 opcode);
bool mroce_opcode_takes_recv(u8 opcode);
bool mroce_opcode_is_response(u8 opcode);
bool mroce_opcode_is_ctrl(u8 opcode);

/* --- txwin.c --- */
void mroce_txwin_init(struct mroce_txwin *w, u32 first, u32 limit);
bool mroce_txwin_room(const struct mroce_txwin *w);
struct mroce_sent *mroce_txwin_add(struct mroce_conn *conn, struct mroce_path *p);
void mroce_txwin_undo(struct mroce_conn *conn, struct mroce_path *p, struct mroce_sent *sent);
struct mroce_sent *mroce_txwin_find(const struct mroce_txwin *w, u32 psn);
void mroce_txwin_sent(struct mroce_path *p, struct mroce_sent *sent, u64 now);
void mroce_txwin_lose(struct mroce_path *p, struct mroce_sent *sent);
void mroce_txwin_unlose(struct mroce_path *p);
u32 mroce_txwin_accept(struct mroce_path *p, u32 psn, u64 now);
void mroce_txwin_drop(struct mroce_path *p);
void mroce_txwin_trim(struct mroce_path *p);

/* --- loss.c --- */
u64 mroce_path_pto(const struct mroce_path *p);
u64 mroce_path_rto(const struct mroce_path *p);
u64 mroce_conn_rto(const struct mroce_conn *conn);
void mroce_loss_arm(struct mroce_path *p);
void mroce_loss_accepted(struct mroce_path *p, const struct mroce_sent *sent, u64 now);
void mroce_loss_duplicates(struct mroce_path *p, u32 count, u64 now);
void mroce_loss_progress(struct mroce_path *p, u32 echo, u64 now);
u32 mroce_loss_all(struct mroce_path *p);
u32 mroce_loss_detect(struct mroce_path *p, u64 now);
void mroce_loss_timer(struct mroce_timer *t, u64 now);

/* --- path.c --- */
u64 mroce_path_srtt(const struct mroce_path *p);
enum mroce_path_state mroce_path_state(const struct mroce_path *p);
u32 mroce_path_ce_permille(const struct mroce_path *p);
void mroce_path_note(const struct mroce_path *p, enum mroce_path_event ev, u32 n);
struct mroce_path *mroce_path_create(struct mroce_conn *conn, u8 index);
void mroce_path_destroy(struct mroce_path *p);

/* --- route.c --- */
void mroce_path_fresh_port(struct mroce_path *p);
void mroce_path_reroute(struct mroce_path *p, u64 now);
struct mroce_path *mroce_path_living(const struct mroce_path *p, u64 now);
int mroce_conn_plane(const struct mroce_conn *conn, u32 ifindex);
bool mroce_conn_use_planes(struct mroce_conn *conn, u32 mask);
int mroce_conn_spread(struct mroce_conn *conn, bool level);
void mroce_home_timer(struct mroce_timer *t, u64 now);
bool mroce_home_output(struct mroce_conn *conn, struct mroce_tx *tx, u64 now);
void mroce_home_answer(struct mroce_conn *conn, const struct mroce_probe *pr);

/* --- select.c --- */
void mroce_select_start(struct mroce_conn *conn);
void mroce_select_limit(struct mroce_conn *conn, u32 n);
void mroce_select_grown(struct mroce_path *p);
bool mroce_select_rest(struct mroce_path *p);
void mroce_select_swap(struct mroce_path *p);
struct mroce_path *mroce_path_select(struct mroce_conn *conn, u32 bytes, u64 now);

/* a full packet, header included; what windows are counted in */
static inline u32 mroce_conn_mss(const struct mroce_conn *conn)
{
	return conn->payload + MROCE_DATA_HDR_LEN;
}

/* [M124] */
static inline bool mroce_path_room(const struct mroce_path *p, u32 bytes)
{
	return !p->inflight_bytes || p->inflight_bytes + bytes <= p->cc.cwnd;
}

static inline bool mroce_path_active(const struct mroce_path *p)
{
	return !list_empty(&p->active_link);
}

/* --- ack.c --- */
void mroce_ack_note(struct mroce_path *p, bool now_please, u64 now);
void mroce_nak_note(struct mroce_conn *conn, u8 path, u32 psn, u8 syn, u8 arg);
bool mroce_ack_output(struct mroce_conn *conn, struct mroce_tx *tx, u64 now);
bool mroce_nak_output(struct mroce_conn *conn, struct mroce_tx *tx, u64 now);
void mroce_ack_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now);
void mroce_nak_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now);
void mroce_ack_timer(struct mroce_timer *t, u64 now);

/* --- handshake.c --- */
bool mroce_handshake_output(struct mroce_conn *conn, struct mroce_tx *tx, u64 now);
void mroce_accept_input(struct mroce_conn *conn, struct mroce_rx *rx, u64 now);
bool mroce_conn_confirm(struct mroce_conn *conn, bool proven, u64 now);
void mroce_handshake_answer(struct mroce_conn *conn, struct mroce_route from);
void mroce_hs_timer(struct mroce_timer *t, u64 now);

/* --- conn.c --- */
struct mroce_conn *mroce_conn_create(struct mroce_peer *peer, u8 tclass, bool passive, u64 now);
struct mroce_conn *mroce_conn_for_class(struct mroce_peer *peer, u8 tclass, u64 now);
void mroce_conn_destroy(struct mroce_conn *conn);
void mroce_conn_lost(struct mroce_conn *conn, u64 now);
void mroce_conn_opened(struct mroce_conn *conn, u64 now);
void mroce_conn_out(struct mroce_conn *conn);
void mroce_conn_idle_watch(struct mroce_conn *conn, u64 now);
struct mroce_seg *mroce_seg_get(struct mroce_conn *conn);
void mroce_seg_put(struct mroce_conn *conn, struct mroce_seg *seg);
void mroce_seg_cancel(struct mroce_conn *conn, struct mroce_seg *seg);
void mroce_seg_accepted(struct mroce_conn *conn, struct mroce_seg *seg, u64 now);
void mroce_seg_refused(struct mroce_conn *conn, struct mroce_seg *seg, u8 syn, u8 arg, u64 now);

/* --- control.c --- */
bool mroce_ctrl_open(struct mroce_stream *s);
void mroce_ctrl_closed(struct mroce_stream *s, u8 syndrome);
void mroce_ctrl_orphan(struct mroce_stream *s);
void mroce_ctrl_query(struct mroce_stream *s, u32 msn);
struct mroce_verdict mroce_ctrl_input(struct mroce_conn *conn, const struct mroce_data *d,
				      const struct mroce_rx *rx, u64 now);
void mroce_ctrl_refused(struct mroce_conn *conn, const struct mroce_ctrl *c, u64 now);

/* --- stream.c --- */
void mroce_stream_kick(struct mroce_stream *s);
void mroce_stream_open_start(struct mroce_stream *s, u64 now);
void mroce_stream_opened(struct mroce_stream *s, u32 tag, u32 rsn_limit, bool unlimited, u64 now);
void mroce_stream_open_refused(struct mroce_stream *s, u64 now);
void mroce_stream_peer_here(struct mroce_stream *s, u64 now);
void mroce_stream_end(struct mroce_stream *s, enum mroce_fail why, u64 now);
void mroce_stream_clock(struct mroce_stream *s, u64 now);
u64 mroce_stream_timeout(const struct mroce_stream *s);
void mroce_stream_release(struct mroce_stream *s);
void mroce_stream_bind(struct mroce_stream *s, struct mroce_conn *conn);
void mroce_stream_unbind(struct mroce_stream *s);
void mroce_stream_open_timer(struct mroce_timer *t, u64 now);
void mroce_stream_retry_timer(struct mroce_timer *t, u64 now);

/* --- stream_tx.c --- */
struct mroce_seg *mroce_stream_next_seg(struct mroce_stream *s, u64 now);
void mroce_stream_complete(struct mroce_stream *s, u64 now);
void mroce_stream_error(struct mroce_stream *s, u32 msn, u8 status, u64 now);
void mroce_stream_fail_head(struct mroce_stream *s, u8 status, u64 now);
void mroce_msg_accepted(struct mroce_stream *s, struct mroce_msg *msg, u64 now);
void mroce_msg_refused(struct mroce_stream *s, struct mroce_seg *seg, u8 syn, u8 arg, u64 now);
void mroce_stream_wait_timer(struct mroce_timer *t, u64 now);
void mroce_stream_credit(struct mroce_stream *s, u32 rsn_limit, u64 now);
void mroce_stream_drop_sends(struct mroce_stream *s);
void mroce_stream_flush_sends(struct mroce_stream *s, u8 first);
bool mroce_stream_backlogged(const struct mroce_stream *s);
bool mroce_msg_uses_rsn(const struct mroce_msg *m);
void mroce_msg_answered(struct mroce_stream *s, struct mroce_msg *m, u64 now);
u64 mroce_stream_backlog(const struct mroce_stream *s);
u64 mroce_rnr_delay(u8 code);

/* --- stream_rx.c --- */
struct mroce_verdict mroce_stream_input(struct mroce_conn *conn, const struct mroce_data *d,
					struct mroce_rx *rx, u64 now);
void mroce_stream_advance(struct mroce_stream *s, u64 now);
void mroce_stream_drop_receives(struct mroce_stream *s);
u32 mroce_stream_credit_limit(struct mroce_stream *s, bool *unlimited);

/* --- response.c --- */
struct mroce_verdict mroce_response_input(struct mroce_stream *s, const struct mroce_data *d,
					  struct mroce_rx *rx, u64 now);
struct mroce_seg *mroce_response_next_seg(struct mroce_stream *s, u64 now);
void mroce_response_accepted(struct mroce_stream *s, struct mroce_rmsg *r, u64 now);
void mroce_response_start(struct mroce_stream *s, struct mroce_rmsg *r, u64 now);
void mroce_response_failed(struct mroce_stream *s, struct mroce_rmsg *r, u64 now);
bool mroce_response_pending(const struct mroce_stream *s);
void mroce_response_drop(struct mroce_stream *s);
void mroce_rmsg_free(struct mroce_stream *s, struct mroce_rmsg *r);
void mroce_stream_error_turn(struct mroce_stream *s, u64 now);

#endif /* MROCE_INTERNAL_H */
