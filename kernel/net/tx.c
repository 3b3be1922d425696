// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From the transport to the IP layer. A burst is built under the association's lock
 * (mroce_tx_build()) and handed over without it (mroce_tx_burst()), by one context at a time: see
 * mroce_pump() in assoc.c. Both happen within one RCU read-side section, which keeps the socket and
 * its namespace. Softirq or process context, BHs off.
 *
 * The socket buffers belong to nobody: no skb->sk, no destructor, nothing of ours is referred to.
 * One that waits in a queue below may outlive the association, the device and the module.
 */
#include <linux/hash.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/udp.h>
#include "net.h"
#include "trace.h"

/* What fits into a kmalloc-2k together with the shared info: a whole packet at MTU 1500. */
#define MROCE_LINEAR	SKB_WITH_OVERHEAD(2048)

/*
 * A piece of a page for a payload that is too long to be linear. There are high-order pages behind
 * @frag as a rule; when there are none the piece may not fit.
 */
static void *mroce_frag_get(struct sk_buff *skb, struct page_frag *frag, u32 len)
{
	void *p;

	if (!frag || !skb_page_frag_refill(len, frag, GFP_ATOMIC | __GFP_NOWARN))
		return NULL;
	if (frag->size - frag->offset < len)
		return NULL;
	p = page_address(frag->page) + frag->offset;
	get_page(frag->page);
	skb_fill_page_desc(skb, 0, frag->page, frag->offset, len);
	frag->offset += ALIGN(len, SMP_CACHE_BYTES);
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
	return p;
}

/**
 * mroce_skb_alloc() - a socket buffer with room for what is below UDP's payload
 * @p:		the packet; its route tells how much room the link needs
 * @frag:	page to cut from, or NULL
 * @hdr:	our header, copied
 * @hdr_len:	its length
 * @len:	payload bytes that follow
 * @payload:	where they are to be copied: contiguous
 *
 * Return: NULL when there is no memory.
 */
struct sk_buff *mroce_skb_alloc(const struct mroce_packet *p, struct page_frag *frag,
				const void *hdr, u32 hdr_len, u32 len, void **payload)
{
	u32 room = LL_RESERVED_SPACE(p->dst->dev) + p->dst->header_len + mroce_l3_len(false);
	bool linear = room + hdr_len + len <= MROCE_LINEAR;
	struct sk_buff *skb;

	for (;;) {
		skb = alloc_skb(room + hdr_len + (linear ? len : 0), GFP_ATOMIC | __GFP_NOWARN);
		if (!skb)
			return NULL;
		skb_reserve(skb, room);
		skb_put_data(skb, hdr, hdr_len);
		*payload = linear ? skb_put(skb, len) : mroce_frag_get(skb, frag, len);
		if (*payload)
			return skb;
		kfree_skb(skb);
		linear = true;
	}
}

static void mroce_push_v4(struct sk_buff *skb, const struct mroce_packet *p)
{
	__be32 saddr = mroce_gid_v4(&p->ms->gid), daddr = mroce_gid_v4(p->remote);
	struct iphdr *iph;

	udp_set_csum(false, skb, saddr, daddr, skb->len);
	skb_push(skb, sizeof(*iph));
	skb_reset_network_header(skb);
	iph = ip_hdr(skb);
	iph->version = 4;
	iph->ihl = sizeof(*iph) / 4;
	iph->tos = p->tos;
	iph->frag_off = p->df ? htons(IP_DF) : 0;
	iph->ttl = p->ttl ?: ip4_dst_hoplimit(p->dst);
	iph->protocol = IPPROTO_UDP;
	iph->saddr = saddr;
	iph->daddr = daddr;
	ip_select_ident(sock_net(p->sk), skb, NULL);
	skb->protocol = htons(ETH_P_IP);
}

static void mroce_push_v6(struct sk_buff *skb, const struct mroce_packet *p)
{
#if IS_ENABLED(CONFIG_IPV6)
	const struct in6_addr *saddr = mroce_gid_v6(&p->ms->gid), *daddr = mroce_gid_v6(p->remote);
	struct ipv6hdr *ip6h;

	udp6_set_csum(false, skb, saddr, daddr, skb->len);
	skb_push(skb, sizeof(*ip6h));
	skb_reset_network_header(skb);
	ip6h = ipv6_hdr(skb);
	ip6_flow_hdr(ip6h, p->tos, 0);
	ip6h->nexthdr = IPPROTO_UDP;
	ip6h->hop_limit = p->ttl ?: ip6_dst_hoplimit(p->dst);
	ip6h->saddr = *saddr;
	ip6h->daddr = *daddr;
	skb->ignore_df = !p->df;	/* IPv6 has no other way to let the sender fragment */
	skb->protocol = htons(ETH_P_IPV6);
#endif
}

static void mroce_trace_tx(const struct sk_buff *skb, const struct mroce_packet *p)
{
	struct mroce_assoc_key gids = { .local = p->ms->gid, .remote = *p->remote };
	struct mroce_route route = { .ifindex = p->dst->dev->ifindex, .sport = p->sport };

	trace_metaroce_tx(&gids, skb->data, skb->len, &route);
}

static void mroce_trace_retransmit(const struct mroce_tx *tx)
{
	const struct mroce_data_hdr *d = (const void *)tx->hdr;

	if (MROCE_TYPE_OF(d->ver_type) == MROCE_PT_DATA && d->flags & MROCE_F_RETX)
		trace_metaroce_retransmit(tx->conn->paths[tx->path], d, tx->len);
}

/**
 * mroce_skb_finish() - put UDP and IP in front
 * @skb:	from mroce_skb_alloc(), payload in place
 * @p:		the packet; its route goes into @skb
 */
void mroce_skb_finish(struct sk_buff *skb, const struct mroce_packet *p)
{
	struct udphdr *uh;

	if (trace_metaroce_tx_enabled())
		mroce_trace_tx(skb, p);
	uh = skb_push(skb, sizeof(*uh));
	skb_reset_transport_header(skb);
	uh->source = htons(p->sport);
	uh->dest = htons(MROCE_UDP_PORT);
	uh->len = htons(skb->len);
	if (p->ms->v4)
		mroce_push_v4(skb, p);
	else
		mroce_push_v6(skb, p);
	skb->priority = rt_tos2priority(p->tos);
	skb_dst_set(skb, p->dst);
}

/**
 * mroce_skb_send() - hand a finished packet to the IP layer
 * @dev:	counts a packet that did not make it to the link's queue
 * @sk:		the socket's; under RCU
 * @skb:	consumed
 *
 * Congestion notification by a queue is no drop of this packet. Whatever was dropped, the transport
 * finds as loss.
 */
void mroce_skb_send(struct mroce_dev *dev, struct sock *sk, struct sk_buff *skb)
{
	struct net *net = sock_net(sk);
	int err;

#if IS_ENABLED(CONFIG_IPV6)
	if (skb->protocol == htons(ETH_P_IPV6))
		err = ip6_local_out(net, sk, skb);
	else
#endif
		err = ip_local_out(net, sk, skb);
	if (unlikely(net_xmit_eval(err)))
		mroce_count_drop(dev, MROCE_CNT_TXDROP_LOCAL);
}

/*
 * Rule 17: all packets of a path take one transmit queue, whatever CPU sends them. Multipath
 * routing on this host (containers, bridges) goes by this hash where there is one and does not look
 * at the ports, so a path that changes its port has to change its hash.
 */
static void mroce_skb_steer(struct sk_buff *skb, const struct mroce_assoc *a,
			    const struct mroce_tx *tx)
{
	u32 hash = jhash_2words(hash32_ptr(tx->conn), tx->route.sport, a->tx_salt);

	skb_set_hash(skb, hash ?: 1, PKT_HASH_TYPE_L4);
#ifdef CONFIG_XPS
	skb->sender_cpu = a->tx_cpu + 1;
#endif
}

static bool mroce_outgrew_route(const struct mroce_assoc *a, const struct mroce_tx *tx,
				const struct dst_entry *dst, u32 len)
{
	return tx->df && len + mroce_l3_len(a->sock->v4) > dst_mtu(dst);
}

/* One packet of a->tx into a socket buffer, or NULL when it counts as lost. */
static struct sk_buff *mroce_tx_one(struct mroce_assoc *a, struct sock *sk, u64 now)
{
	struct mroce_tx *tx = &a->tx;
	u32 len = tx->src == MROCE_SRC_NONE ? 0 : tx->len;
	struct mroce_packet p = {
		.ms = a->sock,
		.sk = sk,
		.remote = &a->gids.remote,
		.sport = tx->route.sport,
		.tos = (tx->tclass & ~INET_ECN_MASK) | (tx->ect ? INET_ECN_ECT_0 : 0),
		.df = tx->df,
	};
	struct sk_buff *skb;
	void *payload;

	p.dst = sk ? mroce_egress_dst(a, sk, tx->route.ifindex) : NULL;
	if (!p.dst) {
		a->core.stats[MROCE_CNT_TXDROP_ROUTE]++;
		return NULL;
	}
	if (mroce_outgrew_route(a, tx, p.dst, tx->hdr_len + len))
		a->routes_stale = true;
	skb = mroce_skb_alloc(&p, &a->frag, tx->hdr, tx->hdr_len, len, &payload);
	if (!skb) {
		a->core.stats[MROCE_CNT_TXDROP_NOMEM]++;
		dst_release(p.dst);
		return NULL;
	}
	if (len && mroce_host_gather(tx, payload)) {
		mroce_tx_failed(&a->core, tx, now);
		dst_release(p.dst);
		kfree_skb(skb);
		return NULL;
	}
	if (trace_metaroce_retransmit_enabled())
		mroce_trace_retransmit(tx);
	mroce_skb_finish(skb, &p);
	mroce_skb_steer(skb, a, tx);
	return skb;
}

/**
 * mroce_tx_build() - take packets from the transport
 * @a:		association, locked
 * @burst:	where they go
 * @max:	how many at most
 *
 * Return: how many were taken, whether or not they made it into @burst.
 */
int mroce_tx_build(struct mroce_assoc *a, struct sk_buff_head *burst, int max)
{
	struct sock *sk = mroce_sock_sk(a->sock);
	struct sk_buff *skb;
	int n;

	lockdep_assert_held(&a->lock);
	for (n = 0; n < max; n++) {
		u64 now = ktime_get_ns();

		if (!mroce_peer_output(&a->core, &a->tx, now))
			break;
		skb = mroce_tx_one(a, sk, now);
		if (skb)
			__skb_queue_tail(burst, skb);
	}
	return n;
}

/**
 * mroce_tx_burst() - send what mroce_tx_build() built, in the same RCU read-side section, without
 * the lock
 * @a:		association
 * @burst:	packets; empty afterwards
 */
void mroce_tx_burst(struct mroce_assoc *a, struct sk_buff_head *burst)
{
	struct sock *sk = mroce_sock_sk(a->sock);
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(burst))) {
		if (likely(sk)) {
			mroce_skb_send(a->dev, sk, skb);
		} else {
			mroce_count_drop(a->dev, MROCE_CNT_TXDROP_ROUTE);
			kfree_skb(skb);
		}
	}
}

/**
 * mroce_tx_stateless() - send an answer that belongs to no association
 * @ms:		local end; under RCU
 * @remote:	who is answered
 * @tx:		the answer
 */
void mroce_tx_stateless(const struct mroce_sock *ms, const union ib_gid *remote,
			const struct mroce_tx *tx)
{
	struct mroce_packet p = {
		.ms = ms,
		.sk = mroce_sock_sk(ms),
		.remote = remote,
		.sport = tx->route.sport ?: MROCE_UDP_PORT,
		.tos = tx->tclass & ~INET_ECN_MASK,
		.df = tx->df,
	};
	struct sk_buff *skb;
	void *payload;

	if (!p.sk)
		return;
	p.dst = mroce_route_lookup(ms, p.sk, remote, 0);
	if (IS_ERR(p.dst)) {
		mroce_count_drop(ms->dev, MROCE_CNT_TXDROP_ROUTE);
		return;
	}
	skb = mroce_skb_alloc(&p, NULL, tx->hdr, tx->hdr_len, 0, &payload);
	if (!skb) {
		mroce_count_drop(ms->dev, MROCE_CNT_TXDROP_NOMEM);
		dst_release(p.dst);
		return;
	}
	mroce_skb_finish(skb, &p);
	mroce_skb_send(ms->dev, p.sk, skb);
}
