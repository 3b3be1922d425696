// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Unconnected datagrams: UD and GSI messages, one packet each. Sent here; received ones go from
 * rx.c to mroce_ud_input(). Called by kernel/verbs in any context that may send, without an
 * association.
 */
#include <linux/jhash.h>
#include <net/inet_ecn.h>
#include "net.h"

static void mroce_dgram_header(struct mroce_datagram *h, const struct mroce_dgram *d)
{
	memset(h, 0, sizeof(*h));
	h->ver_type = MROCE_VER_TYPE(MROCE_PT_DATAGRAM);
	if (d->has_imm)
		h->flags |= MROCE_DGRAM_F_IMM;
	if (d->solicited)
		h->flags |= MROCE_DGRAM_F_SOLICITED;
	h->pkey = cpu_to_be16(d->pkey);
	h->dst_qpn = cpu_to_be32(d->dst_qpn);
	h->src_qpn = cpu_to_be32(d->src_qpn);
	h->qkey = cpu_to_be32(d->qkey);
	h->imm = (__force __be32)d->imm;	/* in network order already, as with connections */
}

/* One source port per pair of QPs: fabrics keep a flow on one way, and flows spread. */
static u16 mroce_dgram_sport(const struct mroce_dgram *d)
{
	return 0xc000 | (jhash_2words(d->src_qpn, d->dst_qpn, 0) & 0x3fff);
}

static int mroce_dgram_xmit(struct mroce_dev *dev, const struct mroce_dgram *d,
			    const struct mroce_sock *ms)
{
	struct mroce_packet p = {
		.ms = ms,
		.sk = mroce_sock_sk(ms),
		.remote = &d->dgid,
		.sport = mroce_dgram_sport(d),
		.tos = d->tclass & ~INET_ECN_MASK,
		.ttl = d->hop_limit,
	};
	struct mroce_datagram hdr;
	struct sk_buff *skb;
	void *payload;
	int err;

	if (!p.sk || mroce_gid_is_v4(&d->dgid) != ms->v4)
		goto no_route;
	p.dst = mroce_route_lookup(ms, p.sk, &d->dgid, 0);
	if (IS_ERR(p.dst))
		goto no_route;

	mroce_dgram_header(&hdr, d);
	skb = mroce_skb_alloc(&p, NULL, &hdr, sizeof(hdr), d->len, &payload);
	if (!skb) {
		mroce_count_drop(dev, MROCE_CNT_TXDROP_NOMEM);
		dst_release(p.dst);
		return 0;
	}
	err = d->len ? d->gather(d->arg, payload, d->len) : 0;
	if (err) {
		dst_release(p.dst);
		kfree_skb(skb);
		return err;
	}
	mroce_skb_finish(skb, &p);
	mroce_skb_send(dev, p.sk, skb);
	return 0;

no_route:
	mroce_count_drop(dev, MROCE_CNT_TXDROP_ROUTE);
	return 0;
}

/**
 * mroce_net_dgram_send() - send one datagram
 * @dev:	device
 * @d:		what
 *
 * A datagram that is longer than the route's MTU is fragmented by IP.
 *
 * Return: 0, also for a datagram that was dropped and counted on its way out, as unreliable ones
 * may be; or the error of @d->gather.
 */
int mroce_net_dgram_send(struct mroce_dev *dev, const struct mroce_dgram *d)
{
	struct mroce_sock *ms = mroce_sock_find(dev, d->sgid);
	int err;

	if (!ms) {
		mroce_count_drop(dev, MROCE_CNT_TXDROP_ROUTE);
		return 0;
	}
	rcu_read_lock();
	err = mroce_dgram_xmit(dev, d, ms);
	rcu_read_unlock();
	mroce_sock_put(ms);
	return err;
}
