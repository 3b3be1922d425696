/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the transport core asks of its host: memory, ids, routes, queue pairs and their memory,
 * packets that wait. Implemented by kernel/net and kernel/verbs, and by the tests' world.
 */
#ifndef MROCE_HOST_H
#define MROCE_HOST_H

#include <linux/types.h>

struct mroce_conn;
struct mroce_path;
struct mroce_peer;
struct mroce_stream;
struct mroce_msg;
struct mroce_recv;
struct mroce_recv_info;
struct mroce_route;
struct mroce_rx;
struct mroce_held;
struct mroce_demand;

/**
 * enum mroce_fail - why the core ended a stream
 * @MROCE_FAIL_SEND:		a send completed in error: the completion tells
 * @MROCE_FAIL_PEER_LOST:	the peer restarted; nothing may have been outstanding
 * @MROCE_FAIL_ACCESS:		responder: remote access violation
 * @MROCE_FAIL_REQUEST:		responder: invalid request
 * @MROCE_FAIL_RECV:		responder: a receive entry was bad; its completion tells
 *
 * The host moves the QP to ERR and raises the async event.
 */
enum mroce_fail {
	MROCE_FAIL_SEND,
	MROCE_FAIL_PEER_LOST,
	MROCE_FAIL_ACCESS,
	MROCE_FAIL_REQUEST,
	MROCE_FAIL_RECV,
};

/**
 * enum mroce_path_event - what befalls a path, for people who watch
 * @MROCE_PATH_EV_LOSS:		packets that others overtook are given up
 * @MROCE_PATH_EV_PROBE:	its tail is probed
 * @MROCE_PATH_EV_RTO:		everything in flight is given up
 * @MROCE_PATH_EV_UNDONE:	that was needless
 * @MROCE_PATH_EV_AWAY:		it borrows another path's route
 * @MROCE_PATH_EV_MOVED:	it has a route of its own again, or another one
 * @MROCE_PATH_EV_USED:		it carries new content from now on
 * @MROCE_PATH_EV_RESTS:	it does not
 */
enum mroce_path_event {
	MROCE_PATH_EV_LOSS,
	MROCE_PATH_EV_PROBE,
	MROCE_PATH_EV_RTO,
	MROCE_PATH_EV_UNDONE,
	MROCE_PATH_EV_AWAY,
	MROCE_PATH_EV_MOVED,
	MROCE_PATH_EV_USED,
	MROCE_PATH_EV_RESTS,
};

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

	/**
	 * @conn_register: choose a free random id, publish conn under it, store it in conn->rx_id;
	 * 0 or -errno
	 */
	int (*conn_register)(struct mroce_conn *conn);
	/** @conn_unregister: no packet finds conn any more; @conn_free follows */
	void (*conn_unregister)(struct mroce_conn *conn);
	/**
	 * @conn_free: release a connection's memory (from @alloc, @size bytes) when no reader can
	 * hold it: the host may wait for RCU readers, the core does not
	 */
	void (*conn_free)(struct mroce_peer *peer, struct mroce_conn *conn, size_t size);
	/**
	 * @conn_routes: fill up to @n routes over which the peer is reached, with the payload each
	 * can carry in @payload; routes differ by ifindex, sport is 0. Returns the number, or 0
	 * when there is no route.
	 */
	int (*conn_routes)(struct mroce_peer *peer, struct mroce_route *routes, u32 *payload,
			   int n);

	/**
	 * @rx_share: what @conn may send to us, given what came of it, bytes per second by
	 * mroce_share_note(); 0: no limit. The host has a mroce_share for those connections that
	 * share links, under a lock of its own, and ends @conn's part in @conn_unregister. May be
	 * NULL
	 */
	u64 (*rx_share)(struct mroce_conn *conn, const struct mroce_demand *d, u64 now);

	/**
	 * @path_event: for tracing: @ev has just happened to @p, to @n packets if it is about
	 * packets; may be NULL
	 */
	void (*path_event)(const struct mroce_path *p, enum mroce_path_event ev, u32 n);

	/** @stream_find: the attached stream of local QPN @qpn on this peer, or NULL */
	struct mroce_stream *(*stream_find)(struct mroce_peer *peer, u32 qpn);
	/**
	 * @send_done: @msg is finished; called in posted order. The core does not touch @msg
	 * afterwards.
	 */
	void (*send_done)(struct mroce_stream *s, struct mroce_msg *msg, u8 status);
	/**
	 * @recv_done: the receive @recv is finished; called in RSN order. The core does not touch
	 * it afterwards.
	 */
	void (*recv_done)(struct mroce_stream *s, struct mroce_recv *recv,
			  const struct mroce_recv_info *info);
	/**
	 * @stream_failed: the core has ended @s: sends were flushed; the host flushes receives,
	 * moves the QP to ERR
	 */
	void (*stream_failed)(struct mroce_stream *s, enum mroce_fail why);
	/**
	 * @established: @s received its first packet or became open (IBV_EVENT_COMM_EST); may be
	 * NULL
	 */
	void (*established)(struct mroce_stream *s);
	/** @sq_drained: a stream in SQD has no message in progress any more; may be NULL */
	void (*sq_drained)(struct mroce_stream *s);
	/** @local_op: execute a MROCE_MSG_LOCAL; returns enum mroce_status */
	u8 (*local_op)(struct mroce_stream *s, struct mroce_msg *msg);

	/**
	 * @recv_bind: bind the receive entry for @rsn. RSNs are asked for one by one, ascending.
	 * NULL: none is posted.
	 */
	struct mroce_recv *(*recv_bind)(struct mroce_stream *s, u32 rsn);
	/**
	 * @recv_unbind: entry bound but unused when the stream ended (only @placed == false matters
	 * to an SRQ)
	 */
	void (*recv_unbind)(struct mroce_stream *s, struct mroce_recv *recv);
	/** @recv_limit: first RSN without a posted receive; sets *@unlimited for an SRQ */
	u32 (*recv_limit)(struct mroce_stream *s, bool *unlimited);
	/** @rnr_timer: the QP's min_rnr_timer code for RNR refusals */
	u8 (*rnr_timer)(struct mroce_stream *s);

	/**
	 * @mr_check: may @acc be done to [@addr, @addr + @len) by key? -errno, 0, or
	 * MROCE_MR_RELAXED
	 */
	int (*mr_check)(struct mroce_stream *s, u32 rkey, u64 addr, u32 len, unsigned int acc);
	/**
	 * @place: copy @len payload bytes at @pkt_off of the packet to memory by key, in ascending
	 * order unless @relaxed; 0 or -errno (the region went away)
	 */
	int (*place)(struct mroce_stream *s, u32 rkey, u64 addr, void *cookie, u32 pkt_off, u32 len,
		     bool relaxed);
	/**
	 * @place_recv: scatter payload into @recv at @offset of the message; 0 or -errno (the
	 * region went away)
	 */
	int (*place_recv)(struct mroce_stream *s, struct mroce_recv *recv, u32 offset, void *cookie,
			  u32 pkt_off, u32 len);
	/** @place_resp: scatter a READ response into @msg's buffers; 0 or -errno */
	int (*place_resp)(struct mroce_stream *s, struct mroce_msg *msg, u32 offset, void *cookie,
			  u32 pkt_off, u32 len);
	/**
	 * @place_atomic: store the old value of an atomic (host order) into @msg's buffer; 0 or
	 * -errno
	 */
	int (*place_atomic)(struct mroce_stream *s, struct mroce_msg *msg, u64 old);
	/** @atomic: execute on 8 aligned bytes; 0 with the old value, or -errno */
	int (*atomic)(struct mroce_stream *s, u8 opcode, u32 rkey, u64 addr, u64 compare,
		      u64 swap_add, u64 *old);
	/** @invalidate: SEND with invalidate arrived: invalidate @rkey; 0 or -errno */
	int (*invalidate)(struct mroce_stream *s, u32 rkey);
	/**
	 * @copy_payload: copy @len payload bytes at @pkt_off of the packet to @dst (atomic
	 * operands)
	 */
	void (*copy_payload)(void *cookie, u32 pkt_off, void *dst, u32 len);

	/** @hold: keep the packet; NULL when memory is short */
	struct mroce_held *(*hold)(struct mroce_peer *peer, struct mroce_rx *rx);
	/** @held_cookie: the cookie of a held packet, for the place ops */
	void *(*held_cookie)(struct mroce_held *h);
	/** @release: let a held packet go */
	void (*release)(struct mroce_peer *peer, struct mroce_held *h);
};

#endif /* MROCE_HOST_H */
