// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From the socket to the connection: what a UDP datagram is, which connection or association it is
 * for, and whether it comes from where it should. Called by the UDP layer in softirq context under
 * RCU; takes one association's lock per packet. Every packet that is not handed on is counted in
 * one rx_drop_* counter.
 *
 * A packet of a connection needs no reference to the association: the table entry found under RCU
 * keeps its memory, and whether the connection is alive is asked under its lock.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/siphash.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "compat.h"
#include "net.h"
#include "trace.h"

#define MROCE_HALF_OPEN_MAX	64		/* rule 39 */
#define MROCE_ANSWER_WINDOW	(HZ / 10)
#define MROCE_ANSWERS		1000		/* stateless answers per window */
#define MROCE_COOKIE_PERIOD	(64 * HZ)

/**
 * struct mroce_arrival - a packet on its way in
 * @rx:		as the transport sees it; @rx.cookie is the socket buffer, whose data starts at our
 *		header
 * @ms:		the socket it came to, that is its destination address
 * @remote:	its source address
 */
struct mroce_arrival {
	struct mroce_rx rx;
	struct mroce_sock *ms;
	union ib_gid remote;
};

/* All that a dropped packet changes [M7]. */
static void mroce_drop(const struct mroce_arrival *in, enum mroce_counter c)
{
	mroce_count_drop(in->ms->dev, c);
}

/* --- answers without state ----------------------------------------------------------------- */

/*
 * No answer is longer than what it answers, so this protects our own processor time only. Two CPUs
 * may both start a new window: then it has a few answers more.
 */
static bool mroce_may_answer(struct mroce_net *net)
{
	if (time_after(jiffies, READ_ONCE(net->answers_until))) {
		WRITE_ONCE(net->answers_until, jiffies + MROCE_ANSWER_WINDOW);
		atomic_set(&net->answers_left, MROCE_ANSWERS);
	}
	return atomic_dec_if_positive(&net->answers_left) >= 0;
}

static noinline_for_stack void mroce_answer_reset(const struct mroce_arrival *in)
{
	struct mroce_tx tx = { .path = -1 };

	if (mroce_may_answer(&in->ms->dev->net) && mroce_build_reset(&in->rx, &tx))
		mroce_tx_stateless(in->ms, &in->remote, &tx);
}

static noinline_for_stack void mroce_answer_cookie(const struct mroce_arrival *in, u64 cookie)
{
	struct mroce_net *net = &in->ms->dev->net;
	struct mroce_tx tx = { .path = -1 };

	if (!mroce_may_answer(net) ||
	    !mroce_build_cookie(&in->rx, net->limits.instance, cookie, &tx)) {
		mroce_drop(in, MROCE_CNT_DROP_CONNECT);
		return;
	}
	mroce_tx_stateless(in->ms, &in->remote, &tx);
	atomic64_inc(&net->drops[MROCE_CNT_TX_CTRL]);
}

/* --- packets of a connection --------------------------------------------------------------- */

static void mroce_rx_unknown(const struct mroce_arrival *in)
{
	mroce_drop(in, MROCE_CNT_DROP_NO_CONN);
	mroce_answer_reset(in);
}

static void mroce_trace_acks(const struct mroce_conn *conn, const struct mroce_rx *rx)
{
	const struct mroce_ack_hdr *ack = rx->hdr;
	const struct mroce_ack_block *block = (const void *)(ack + 1);
	int i;

	if (MROCE_TYPE_OF(ack->ver_type) != MROCE_PT_ACK)
		return;
	for (i = 0; i < ack->nblocks && rx->len >= sizeof(*ack) + (i + 1) * sizeof(*block); i++)
		if (block[i].path < conn->npaths)
			trace_metaroce_ack(conn->paths[block[i].path], &block[i]);
}

static void mroce_rx_conn(struct mroce_arrival *in)
{
	u32 id = mroce_pkt_conn_id(&in->rx);
	struct mroce_conn_entry *e;
	struct mroce_assoc *a;

	e = rhashtable_lookup(&in->ms->dev->net.conns, &id, mroce_conn_params);
	if (!e) {
		mroce_rx_unknown(in);
		return;
	}
	a = e->assoc;
	/* [M12] */
	if (a->sock != in->ms || memcmp(&a->gids.remote, &in->remote, sizeof(in->remote))) {
		mroce_drop(in, MROCE_CNT_DROP_ADDR);
		return;
	}
	mroce_assoc_lock(a);
	if (!e->conn) {
		/* gone since we found it, the association too perhaps: leave its timer alone */
		spin_unlock_bh(&a->lock);
		mroce_rx_unknown(in);
		return;
	}
	mroce_conn_input(e->conn, &in->rx, ktime_get_ns());
	if (trace_metaroce_ack_enabled() && e->conn)
		mroce_trace_acks(e->conn, &in->rx);
	mroce_assoc_unlock(a, MROCE_CTX_RX);
}

/* --- packets of an association ------------------------------------------------------------- */

static void mroce_rx_reset(struct mroce_arrival *in)
{
	struct mroce_assoc *a = mroce_assoc_find(in->ms, &in->remote);

	if (!a) {
		mroce_drop(in, MROCE_CNT_DROP_RESET);
		return;
	}
	mroce_assoc_lock(a);
	mroce_peer_reset(&a->core, &in->rx, ktime_get_ns());
	mroce_assoc_unlock(a, MROCE_CTX_RX);
	mroce_assoc_put(a);
}

/*
 * What proves that a CONNECT's sender receives at its address: valid for one to two periods, never
 * zero.
 */
static u64 mroce_cookie(const struct mroce_arrival *in, u64 seed, unsigned long period)
{
	struct {
		union ib_gid local;
		union ib_gid remote;
		u64 seed;
		u64 period;
	} what = {
		.local = in->ms->gid,
		.remote = in->remote,
		.seed = seed,
		.period = period,
	};

	return siphash(&what, sizeof(what), &in->ms->dev->net.cookie_key) ?: 1;
}

/* May this CONNECT make state? If not it has been answered, or dropped and counted. [M25] */
static bool mroce_connect_admit(const struct mroce_arrival *in, const struct mroce_assoc *a)
{
	struct mroce_net *net = &in->ms->dev->net;
	unsigned long period = jiffies / MROCE_COOKIE_PERIOD;
	bool named = a && READ_ONCE(a->core.nstreams);
	u64 seed, got, want;

	if (named && atomic_read(&net->half_open) < MROCE_HALF_OPEN_MAX)
		return true;
	got = mroce_connect_cookie(&in->rx, &seed);
	want = mroce_cookie(in, seed, period);
	if (got == want || (got && got == mroce_cookie(in, seed, period - 1)))
		return true;
	mroce_answer_cookie(in, want);
	return false;
}

static void mroce_rx_connect(struct mroce_arrival *in)
{
	struct mroce_assoc *a;

	if (!mroce_connect_valid(&in->rx)) {
		mroce_drop(in, MROCE_CNT_DROP_CONNECT);
		return;
	}
	a = mroce_assoc_find(in->ms, &in->remote);
	if (!mroce_connect_admit(in, a)) {
		if (a)
			mroce_assoc_put(a);
		return;
	}
	if (!a) {
		a = mroce_assoc_find_or_make(in->ms, &in->remote, GFP_ATOMIC | __GFP_NOWARN);
		if (IS_ERR(a)) {
			mroce_drop(in, PTR_ERR(a) == -ENODEV ? MROCE_CNT_DROP_ADDR :
							       MROCE_CNT_DROP_NOMEM);
			return;
		}
	}
	mroce_assoc_lock(a);
	mroce_peer_connect(&a->core, &in->rx, ktime_get_ns());
	mroce_assoc_unlock(a, MROCE_CTX_RX);
	mroce_assoc_put(a);
}

/* --- entry --------------------------------------------------------------------------------- */

static void mroce_trace_rx(const struct mroce_arrival *in)
{
	struct mroce_assoc_key gids = { .local = in->ms->gid, .remote = in->remote };

	trace_metaroce_rx(&gids, in->rx.hdr, in->rx.len, &in->rx.from);
}

static void mroce_rx_dispatch(struct mroce_arrival *in)
{
	enum mroce_counter cnt = MROCE_CNT_DROP_TYPE;
	int type = mroce_pkt_type(&in->rx, &cnt);

	if (type && trace_metaroce_rx_enabled())
		mroce_trace_rx(in);
	switch (type) {
	case MROCE_PT_ACCEPT:
	case MROCE_PT_DATA:
	case MROCE_PT_ACK:
	case MROCE_PT_NAK:
	case MROCE_PT_PROBE:
		mroce_rx_conn(in);
		break;
	case MROCE_PT_CONNECT:
		mroce_rx_connect(in);
		break;
	case MROCE_PT_RESET:
		mroce_rx_reset(in);
		break;
	case MROCE_PT_DATAGRAM:
		mroce_ud_input(in->ms->dev, in->rx.cookie, &in->ms->gid, &in->remote);
		break;
	default:
		mroce_drop(in, cnt);
	}
}

/*
 * Make as much contiguous as the transport reads in place: all of a packet that is short, the
 * header of one that is long, which only DATA, DATAGRAM and a padded PROBE are. Their payload is
 * copied once, from where it is.
 */
static bool mroce_rx_pull(struct sk_buff *skb)
{
	u32 len = skb->len - sizeof(struct udphdr);

	BUILD_BUG_ON(sizeof(struct mroce_datagram) > MROCE_DATA_HDR_LEN);
	if (len > MROCE_MAX_CTRL_LEN)
		len = MROCE_DATA_HDR_LEN;
	return pskb_may_pull(skb, sizeof(struct udphdr) + len);
}

/*
 * [M2] A checksum of zero means that there is none; a wrong one UDP has dropped and counted. In a
 * packet that never left this host the field is not final yet.
 */
static bool mroce_rx_checksummed(const struct sk_buff *skb)
{
	return udp_hdr(skb)->check || skb->ip_summed == CHECKSUM_PARTIAL;
}

static void mroce_rx_addresses(struct mroce_arrival *in, const struct sk_buff *skb)
{
	if (in->ms->v4) {
		const struct iphdr *iph = ip_hdr(skb);

		ipv6_addr_set_v4mapped(iph->saddr, (struct in6_addr *)in->remote.raw);
		in->rx.ce = INET_ECN_is_ce(iph->tos);
	} else {
		const struct ipv6hdr *ip6h = ipv6_hdr(skb);

		memcpy(in->remote.raw, &ip6h->saddr, sizeof(in->remote));
		in->rx.ce = INET_ECN_is_ce(ipv6_get_dsfield(ip6h));
	}
}

/**
 * mroce_rx_encap() - encap_rcv of our sockets
 * @sk:		socket
 * @skb:	datagram, data at the UDP header, checksum verified if there is one; consumed
 *
 * Return: always 0: nothing is left for the socket's queue.
 */
int mroce_rx_encap(struct sock *sk, struct sk_buff *skb)
{
	struct mroce_arrival in;

	in.ms = rcu_dereference_sk_user_data(sk);
	if (!in.ms)
		goto out;	/* being closed; there is no device to count for */
	if (!mroce_rx_pull(skb)) {
		mroce_drop(&in, MROCE_CNT_DROP_SHORT);
		goto out;
	}
	if (!mroce_rx_checksummed(skb)) {
		mroce_drop(&in, MROCE_CNT_DROP_CSUM);
		goto out;
	}
	mroce_rx_addresses(&in, skb);
	in.rx.from.ifindex = skb->dev->ifindex;
	in.rx.from.sport = ntohs(udp_hdr(skb)->source);
	__skb_pull(skb, sizeof(struct udphdr));
	in.rx.hdr = skb->data;
	in.rx.len = skb->len;
	in.rx.cookie = skb;
	mroce_rx_dispatch(&in);
out:
	consume_skb(skb);
	return 0;
}

/**
 * mroce_rx_error() - encap_err_lookup of our sockets: did we send what an ICMP error quotes?
 * @sk:		socket, found by the quoted source address and our port
 * @skb:	quoted packet; network and transport offsets at its IP and UDP headers
 *
 * Source ports are random, so the UDP layer finds no socket for the quoted packet as it is, and
 * drops an error for which nobody answers here. With a yes it lowers the route's MTU in case of
 * "too big" [M66]. The next packet finds its cached route obsolete and has all routes asked for
 * again. Like any answer, an error must name a connection to be believed.
 *
 * Return: 0 for yes, -ENOENT for no.
 */
int mroce_rx_error(struct sock *sk, struct sk_buff *skb)
{
	struct mroce_sock *ms = rcu_dereference_sk_user_data(sk);
	int offset = skb_transport_offset(skb) + sizeof(struct udphdr);
	struct mroce_assoc *a;
	union ib_gid remote;
	u8 quoted[8];
	bool ours;

	if (!ms || skb_copy_bits(skb, offset, quoted, sizeof(quoted)))
		return -ENOENT;
	if (ms->v4)
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, (struct in6_addr *)remote.raw);
	else
		memcpy(remote.raw, &ipv6_hdr(skb)->daddr, sizeof(remote));
	a = mroce_assoc_find(ms, &remote);
	if (!a)
		return -ENOENT;
	ours = mroce_assoc_sends_id(a, get_unaligned_be32(quoted + 4));
	mroce_assoc_put(a);
	return ours ? 0 : -ENOENT;
}
