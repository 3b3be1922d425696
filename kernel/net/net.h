/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the files of kernel/net share. What others may call is in driver.h.
 *
 *	device.c	a device's tables, from mroce_net_init() to mroce_net_destroy(); counters
 *	socket.c	one UDP socket per GID
 *	route.c		ways to a peer, cached routes
 *	rx.c		from the socket to the connection
 *	tx.c		from the transport to the IP layer
 *	dgram.c		unconnected datagrams (UD, GSI)
 *	assoc.c		an association's life, lock, timer, work, and its pump
 *	host.c		the transport's host ops: memory, connection ids, held packets; the table
 *	inbound.c	speed of the links that packets come in over, shares of it
 *	trace.h		tracepoints
 *
 * Locks, outer to inner:
 *
 *	RTNL: the netdev notifier, some of ib_core's calls of add_gid and del_gid, link speeds
 *	ib_core's GID table mutex: add_gid and del_gid
 *	mroce_nets_lock, a mutex
 *	mroce_net.lock, BHs off
 *	mroce_assoc.lock, BHs off; never two of them
 *	mroce_inbound.lock
 *	locks of the verbs half, bucket locks of the rhashtables
 *
 * Nothing is held while packets are handed to the IP layer or events to their consumers. What stays
 * in force there is RCU: a packet is built and handed over within one read-side section, in which
 * its socket, and therefore the network namespace, its routes and its netdevs, cannot go (see
 * mroce_sock_close()).
 */
#ifndef MROCE_NET_H
#define MROCE_NET_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/sock.h>
#include "driver.h"

/**
 * struct mroce_sock - one local GID on one netdev
 * @link:	in mroce_net.socks, under mroce_net.lock
 * @dev:	device
 * @gid:	v4-mapped for IPv4; constant
 * @net:	namespace of the netdev, only to be compared: there is no reference; constant
 * @ifindex:	of the netdev; constant
 * @v4:		family of @gid; constant
 * @scoped:	@gid is a link-local address: peers are reached through @ifindex only; constant
 * @gids:	GID table entries that want the socket, under mroce_net.lock
 * @ref:	one per GID table entry, one per association
 * @sock:	the socket, NULL when the address is not ours (any more); RCU, written under
 *		mroce_net.lock
 * @rcu:	frees it after the last reader
 *
 * An association keeps it while the address comes and goes, and works again when it is back.
 */
struct mroce_sock {
	struct list_head link;
	struct mroce_dev *dev;
	union ib_gid gid;
	const struct net *net;
	u32 ifindex;
	bool v4;
	bool scoped;
	unsigned int gids;
	refcount_t ref;
	struct socket __rcu *sock;
	struct rcu_head rcu;
};

/*
 * UDP payload that a route's MTU leaves for DATA: whole multiples of MROCE_PAYLOAD_ALIGN, at most
 * this (MTU 9000)
 */
#define MROCE_MAX_PAYLOAD	8832

static inline bool mroce_gid_is_v4(const union ib_gid *gid)
{
	return ipv6_addr_v4mapped((const struct in6_addr *)gid->raw);
}

static inline __be32 mroce_gid_v4(const union ib_gid *gid)
{
	return ((const struct in6_addr *)gid->raw)->s6_addr32[3];
}

static inline const struct in6_addr *mroce_gid_v6(const union ib_gid *gid)
{
	return (const struct in6_addr *)gid->raw;
}

/* Bytes of IP and UDP headers */
static inline u32 mroce_l3_len(bool v4)
{
	return (v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr)) + sizeof(struct udphdr);
}

/* The sock to send from, or NULL; under RCU, and valid as long as that lasts. */
static inline struct sock *mroce_sock_sk(const struct mroce_sock *ms)
{
	struct socket *sock = rcu_dereference(ms->sock);

	return sock ? sock->sk : NULL;
}

/* --- socket.c ------------------------------------------------------------------------------ */
struct mroce_sock *mroce_sock_find(struct mroce_dev *dev, const struct ib_gid_attr *attr);
void mroce_sock_put(struct mroce_sock *ms);
void mroce_sock_close(struct mroce_sock *ms);
void mroce_sock_netdev_gone(struct mroce_dev *dev, const struct net_device *ndev);

/* --- route.c ------------------------------------------------------------------------------- */
struct dst_entry *mroce_route_lookup(const struct mroce_sock *ms, const struct sock *sk,
				     const union ib_gid *remote, u32 ifindex);
struct dst_entry *mroce_egress_dst(struct mroce_assoc *a, const struct sock *sk, u32 ifindex);
void mroce_egress_flush(struct mroce_assoc *a);
int mroce_host_conn_routes(struct mroce_peer *peer, struct mroce_route *routes, u32 *payload,
			   int n);

/* --- rx.c ---------------------------------------------------------------------------------- */
int mroce_rx_encap(struct sock *sk, struct sk_buff *skb);
int mroce_rx_error(struct sock *sk, struct sk_buff *skb);

/**
 * struct mroce_packet - what a packet needs besides its payload
 * @ms:		local end
 * @sk:		of @ms, from mroce_sock_sk()
 * @remote:	remote end
 * @dst:	route; a reference that goes into the packet, or is dropped
 * @sport:	source port
 * @tos:	IPv4 TOS or IPv6 traffic class, with ECN bits
 * @ttl:	0: the route's
 * @df:		do not fragment
 */
struct mroce_packet {
	const struct mroce_sock *ms;
	struct sock *sk;
	const union ib_gid *remote;
	struct dst_entry *dst;
	u16 sport;
	u8 tos;
	u8 ttl;
	bool df;
};

/* --- tx.c ---------------------------------------------------------------------------------- */
struct sk_buff *mroce_skb_alloc(const struct mroce_packet *p, struct page_frag *frag,
				const void *hdr, u32 hdr_len, u32 len, void **payload);
void mroce_skb_finish(struct sk_buff *skb, const struct mroce_packet *p);
void mroce_skb_send(struct mroce_dev *dev, struct sock *sk, struct sk_buff *skb);
int mroce_tx_build(struct mroce_assoc *a, struct sk_buff_head *burst, int max);
void mroce_tx_burst(struct mroce_assoc *a, struct sk_buff_head *burst);
void mroce_tx_stateless(const struct mroce_sock *ms, const union ib_gid *remote,
			const struct mroce_tx *tx);

/* --- assoc.c ------------------------------------------------------------------------------- */
extern const struct rhashtable_params mroce_assoc_params;
struct mroce_assoc *mroce_assoc_find(struct mroce_sock *ms, const union ib_gid *remote);
struct mroce_assoc *mroce_assoc_find_or_make(struct mroce_sock *ms, const union ib_gid *remote,
					     gfp_t gfp);
bool mroce_assoc_sends_id(struct mroce_assoc *a, u32 id);
void mroce_assoc_sock_closed(struct mroce_sock *ms);
void mroce_assoc_reap(struct mroce_dev *dev, bool all);

/* --- inbound.c ----------------------------------------------------------------------------- */
void mroce_inbound_init(struct mroce_dev *dev);
void mroce_inbound_stop(struct mroce_dev *dev);
u64 mroce_host_rx_share(struct mroce_conn *conn, const struct mroce_demand *d, u64 now);
void mroce_inbound_leave(struct mroce_conn *conn);

/* --- host.c -------------------------------------------------------------------------------- */
extern const struct mroce_host_ops mroce_host_ops;
extern const struct rhashtable_params mroce_conn_params;

/**
 * struct mroce_conn_entry - a connection id that packets to us may carry
 * @node:	in mroce_net.conns
 * @id:		key; constant
 * @assoc:	association; outlives the entry by RCU; constant
 * @conn:	NULL once unregistered; under @assoc's lock
 * @rcu:	frees it after the last reader
 *
 * Receivers find the entry without a lock, then take the association's. Since @conn is looked at
 * only under that lock, the connection itself may be freed at once when it is unregistered.
 */
struct mroce_conn_entry {
	struct rhash_head node;
	u32 id;
	struct mroce_assoc *assoc;
	struct mroce_conn *conn;
	struct rcu_head rcu;
};

#endif /* MROCE_NET_H */
