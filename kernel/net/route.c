// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ways to a peer. The host's routing table is the configuration of planes: every nexthop of the
 * route to the peer is an egress that paths may use, pinned by an output route with that interface
 * as oif (the host's own multipath hash is never relied on, rule 25). Routes are cached per
 * association and interface and checked before each use, so route and link changes need no
 * notifier: a check that fails asks for the nexthops again.
 *
 * mroce_route_lookup() needs RCU only; the rest is under the association's lock and RCU.
 *
 * A cached route points into its network namespace. mroce_sock_close() has all of them dropped
 * (mroce_egress_flush()) after the socket was unpublished, and nothing is cached without a socket:
 * none outlives the namespace.
 */
#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ip_fib.h>
#include <net/ipv6_stubs.h>
#include <net/nexthop.h>
#include <net/route.h>
#include "net.h"

#define MROCE_HASH_TRIES	32

/**
 * struct mroce_ifset - interfaces found, without duplicates
 * @skip:	RTNH_F_* of nexthops that are not wanted
 * @n:		number
 * @ifindex:	found
 */
struct mroce_ifset {
	unsigned int skip;
	u32 n;
	u32 ifindex[MROCE_MAX_EGRESS];
};

static void mroce_ifset_add(struct mroce_ifset *set, const struct net_device *ndev,
			    unsigned int flags)
{
	u32 i;

	if (!ndev || flags & set->skip || set->n == MROCE_MAX_EGRESS)
		return;
	for (i = 0; i < set->n; i++)
		if (set->ifindex[i] == ndev->ifindex)
			return;
	set->ifindex[set->n++] = ndev->ifindex;
}

static void mroce_flow4(struct flowi4 *fl4, const struct mroce_sock *ms, const union ib_gid *remote,
			u32 ifindex)
{
	memset(fl4, 0, sizeof(*fl4));
	fl4->daddr = mroce_gid_v4(remote);
	fl4->saddr = mroce_gid_v4(&ms->gid);
	fl4->flowi4_oif = ifindex;
	fl4->flowi4_iif = LOOPBACK_IFINDEX;
	fl4->flowi4_proto = IPPROTO_UDP;
	fl4->fl4_dport = htons(MROCE_UDP_PORT);
}

static void mroce_nexthops4(struct mroce_ifset *set, const struct mroce_sock *ms, struct net *net,
			    const union ib_gid *remote)
{
	struct fib_result res = {};
	struct flowi4 fl4;
	int i;

	mroce_flow4(&fl4, ms, remote, 0);
	if (fib_lookup(net, &fl4, &res, 0))
		return;
	if (res.type == RTN_LOCAL) {
		mroce_ifset_add(set, net->loopback_dev, 0);
		return;
	}
	if (res.type != RTN_UNICAST)
		return;
	for (i = 0; i < fib_info_num_path(res.fi); i++) {
		const struct fib_nh_common *nhc = fib_info_nhc(res.fi, i);

		mroce_ifset_add(set, nhc->nhc_dev, nhc->nhc_flags);
	}
}

static struct dst_entry *mroce_lookup4(const struct mroce_sock *ms, const struct sock *sk,
				       const union ib_gid *remote, u32 ifindex)
{
	struct flowi4 fl4;
	struct rtable *rt;

	mroce_flow4(&fl4, ms, remote, ifindex);
	rt = ip_route_output_flow(sock_net(sk), &fl4, sk);
	if (IS_ERR(rt))
		return ERR_CAST(rt);
	if (rt->rt_type != RTN_UNICAST && rt->rt_type != RTN_LOCAL) {
		ip_rt_put(rt);
		return ERR_PTR(-ENETUNREACH);
	}
	return &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)

static void mroce_flow6(struct flowi6 *fl6, const struct mroce_sock *ms, const union ib_gid *remote,
			u32 ifindex)
{
	memset(fl6, 0, sizeof(*fl6));
	fl6->daddr = *mroce_gid_v6(remote);
	fl6->saddr = *mroce_gid_v6(&ms->gid);
	fl6->flowi6_oif = ifindex;
	fl6->flowi6_iif = LOOPBACK_IFINDEX;
	fl6->flowi6_proto = IPPROTO_UDP;
	fl6->fl6_dport = htons(MROCE_UDP_PORT);
}

static int mroce_nexthop6(struct fib6_nh *nh, void *set)
{
	mroce_ifset_add(set, nh->fib_nh_dev, nh->fib_nh_flags);
	return 0;
}

/*
 * The siblings form a ring without a head, from which @f6i may be unlinked while we walk it: then
 * the walk would not come by its start again, hence the count.
 */
static void mroce_siblings6(struct mroce_ifset *set, const struct fib6_info *f6i)
{
	unsigned int left = 4 * MROCE_MAX_EGRESS;
	const struct fib6_info *s;

	if (!READ_ONCE(f6i->fib6_nsiblings))
		return;
	list_for_each_entry_rcu(s, &f6i->fib6_siblings, fib6_siblings) {
		if (!left--)
			return;
		mroce_ifset_add(set, s->fib6_nh->fib_nh_dev, s->fib6_nh->fib_nh_flags);
	}
}

static void mroce_nexthops6(struct mroce_ifset *set, const struct mroce_sock *ms, struct net *net,
			    const union ib_gid *remote)
{
	struct fib6_result res = {};
	struct flowi6 fl6;

	mroce_flow6(&fl6, ms, remote, 0);
	if (ipv6_stub->fib6_lookup(net, 0, &fl6, &res, 0) || !res.f6i)
		return;
	if (res.fib6_type == RTN_LOCAL || res.fib6_type == RTN_ANYCAST) {
		mroce_ifset_add(set, net->loopback_dev, 0);
		return;
	}
	if (res.fib6_type != RTN_UNICAST || res.fib6_flags & RTF_REJECT)
		return;
	if (res.f6i->nh) {
		nexthop_for_each_fib6_nh(res.f6i->nh, mroce_nexthop6, set);
		return;
	}
	mroce_nexthop6(res.f6i->fib6_nh, set);
	mroce_siblings6(set, res.f6i);
}

/*
 * For IPv6 the interface is only a preference, and among nexthops the hash decides. So ask with
 * hashes spread over its 31 bits until the answer is the interface wanted; if there is none, what
 * was found last has to do.
 */
static struct dst_entry *mroce_lookup6(const struct mroce_sock *ms, const struct sock *sk,
				       const union ib_gid *remote, u32 ifindex)
{
	struct dst_entry *dst = NULL;
	struct flowi6 fl6;
	u32 try;

	for (try = 0; try < MROCE_HASH_TRIES; try++) {
		dst_release(dst);
		mroce_flow6(&fl6, ms, remote, ifindex);
		if (ifindex)
			fl6.mp_hash = 1 + try * (0x7fffffff / MROCE_HASH_TRIES);
		dst = ipv6_stub->ipv6_dst_lookup_flow(sock_net(sk), sk, &fl6, NULL);
		if (IS_ERR(dst) || !ifindex || dst->dev->ifindex == ifindex)
			break;
		if (dst->dev->flags & IFF_LOOPBACK)
			break;
	}
	return dst;
}

static u32 mroce_dst_cookie(struct dst_entry *dst, bool v4)
{
	return v4 ? 0 : rt6_get_cookie((struct rt6_info *)dst);
}

#else

static void mroce_nexthops6(struct mroce_ifset *set, const struct mroce_sock *ms, struct net *net,
			    const union ib_gid *remote)
{
}

static struct dst_entry *mroce_lookup6(const struct mroce_sock *ms, const struct sock *sk,
				       const union ib_gid *remote, u32 ifindex)
{
	return ERR_PTR(-EAFNOSUPPORT);
}

static u32 mroce_dst_cookie(struct dst_entry *dst, bool v4)
{
	return 0;
}

#endif

/**
 * mroce_route_lookup() - an output route from a local GID
 * @ms:		local end
 * @sk:		its sock
 * @remote:	the peer's GID, of the same family
 * @ifindex:	egress; 0 or the loopback's: whatever the routing table says
 *
 * Return: a referenced route, or an ERR_PTR.
 */
struct dst_entry *mroce_route_lookup(const struct mroce_sock *ms, const struct sock *sk,
				     const union ib_gid *remote, u32 ifindex)
{
	if (ms->scoped)
		ifindex = ms->ifindex;
	else if (ifindex == LOOPBACK_IFINDEX)
		ifindex = 0;	/* a local route's nexthop is the interface that has the address */
	if (ms->v4)
		return mroce_lookup4(ms, sk, remote, ifindex);
	return mroce_lookup6(ms, sk, remote, ifindex);
}

static void mroce_egress_drop(struct mroce_egress *e)
{
	dst_release(e->dst);
	e->dst = NULL;
}

/* True with a valid route in @e. */
static bool mroce_egress_fill(struct mroce_assoc *a, const struct sock *sk, struct mroce_egress *e)
{
	struct dst_entry *dst;

	if (e->dst && !dst_check(e->dst, e->cookie)) {
		mroce_egress_drop(e);
		a->routes_stale = true;
	}
	if (e->dst)
		return true;
	dst = mroce_route_lookup(a->sock, sk, &a->gids.remote, e->ifindex);
	if (IS_ERR(dst))
		return false;
	e->dst = dst;
	e->cookie = mroce_dst_cookie(dst, a->sock->v4);
	return true;
}

/**
 * mroce_egress_dst() - the route of a packet
 * @a:		association, locked
 * @sk:		its socket's
 * @ifindex:	egress wanted
 *
 * An interface that is no nexthop to the peer (the packet that is answered came in there) is not
 * forced: IPv4 would take the peer for on-link. The routing table decides then.
 *
 * Return: a reference, or NULL.
 */
struct dst_entry *mroce_egress_dst(struct mroce_assoc *a, const struct sock *sk, u32 ifindex)
{
	u32 i;

	lockdep_assert_held(&a->lock);
	for (i = 0; i < a->n_egress; i++)
		if (a->egress[i].ifindex == ifindex) {
			if (mroce_egress_fill(a, sk, &a->egress[i]))
				return dst_clone(a->egress[i].dst);
			a->routes_stale = true;
			break;
		}
	if (mroce_egress_fill(a, sk, &a->egress_any))
		return dst_clone(a->egress_any.dst);
	return NULL;
}

/* Forget all routes; under the association's lock. */
void mroce_egress_flush(struct mroce_assoc *a)
{
	lockdep_assert_held(&a->lock);
	while (a->n_egress)
		mroce_egress_drop(&a->egress[--a->n_egress]);
	mroce_egress_drop(&a->egress_any);
}

static u32 mroce_dst_payload(const struct dst_entry *dst, bool v4)
{
	u32 overhead = mroce_l3_len(v4) + MROCE_DATA_HDR_LEN;
	u32 mtu = dst_mtu(dst);

	if (mtu < overhead + MROCE_MIN_PAYLOAD)
		return 0;
	return min_t(u32, round_down(mtu - overhead, MROCE_PAYLOAD_ALIGN), MROCE_MAX_PAYLOAD);
}

/* Nexthops whose link is up, and if there is none, those that the kernel still would use. */
static void mroce_nexthops(struct mroce_ifset *set, const struct mroce_sock *ms, struct net *net,
			   const union ib_gid *remote)
{
	static const unsigned int skip[] = { RTNH_F_DEAD | RTNH_F_LINKDOWN, RTNH_F_DEAD };
	int i;

	set->n = 0;
	if (ms->scoped) {
		set->ifindex[set->n++] = ms->ifindex;
		return;
	}
	for (i = 0; i < ARRAY_SIZE(skip) && !set->n; i++) {
		set->skip = skip[i];
		if (ms->v4)
			mroce_nexthops4(set, ms, net, remote);
		else
			mroce_nexthops6(set, ms, net, remote);
	}
}

/* The transport's conn_routes op: see transport.h. Renews the cache. */
int mroce_host_conn_routes(struct mroce_peer *peer, struct mroce_route *routes, u32 *payload, int n)
{
	struct mroce_assoc *a = to_assoc(peer);
	struct mroce_ifset set;
	struct sock *sk;
	int i, found = 0;

	mroce_egress_flush(a);
	rcu_read_lock();
	sk = mroce_sock_sk(a->sock);
	if (!sk)
		goto out;
	mroce_nexthops(&set, a->sock, sock_net(sk), &a->gids.remote);
	for (i = 0; i < set.n && found < n; i++) {
		struct mroce_egress *e = &a->egress[a->n_egress];

		e->ifindex = set.ifindex[i];
		if (!mroce_egress_fill(a, sk, e))
			continue;
		a->n_egress++;
		payload[found] = mroce_dst_payload(e->dst, a->sock->v4);
		if (!payload[found])
			continue;
		routes[found].ifindex = e->ifindex;
		routes[found].sport = 0;
		found++;
	}
out:
	rcu_read_unlock();
	return found;
}
