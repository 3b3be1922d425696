// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One UDP socket per GID, bound to its address and MROCE_UDP_PORT, in the network namespace of the
 * GID's netdev. ib_core calls add_gid and del_gid (process context, its GID table mutex held,
 * perhaps RTNL); the module's netdevice notifier closes sockets under RTNL. Lists and counts are
 * under mroce_net.lock.
 *
 * Why no socket outlives its network namespace. The socket is a kernel socket, which holds no
 * reference that would keep the namespace alive (an administrator's `ip netns del` must work while
 * a link exists); therefore it has to be closed before the namespace's subsystems are. A GID's
 * netdev is in the namespace as long as the socket is: before a namespace ends, each of its netdevs
 * is either unregistered or moved away, and both send NETDEV_UNREGISTER first, which closes the
 * netdev's sockets here and now. (ib_core hears the same event and deletes the GID, but from a
 * work. That is soon enough for a netdev that goes, which waits for the GID's reference, and too
 * late for one that is moved.) The other order, a GID that is added while its netdev is on its way
 * out, is found in mroce_sock_open(): it holds the namespace, and once the socket can be found it
 * looks whether the netdev still is where it was. The netdev leaves the namespace's list before
 * NETDEV_UNREGISTER is sent, so either the look or the notifier sees the other.
 */
#include <linux/inetdevice.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>
#include "net.h"

static bool mroce_sock_is_on(const struct mroce_sock *ms, const struct net_device *ndev)
{
	return ms->ifindex == ndev->ifindex && ms->net == dev_net(ndev);
}

static bool mroce_sock_is(const struct mroce_sock *ms, const union ib_gid *gid,
			  const struct net_device *ndev)
{
	return mroce_sock_is_on(ms, ndev) && !memcmp(&ms->gid, gid, sizeof(*gid));
}

static struct mroce_sock *mroce_sock_get_locked(struct mroce_net *net, const union ib_gid *gid,
						const struct net_device *ndev)
{
	struct mroce_sock *ms;

	lockdep_assert_held(&net->lock);
	list_for_each_entry(ms, &net->socks, link)
		if (mroce_sock_is(ms, gid, ndev)) {
			refcount_inc(&ms->ref);
			return ms;
		}
	return NULL;
}

/* The socket of a GID, referenced; NULL when there is none that works. */
struct mroce_sock *mroce_sock_find(struct mroce_dev *dev, const struct ib_gid_attr *attr)
{
	struct mroce_net *net = &dev->net;
	struct mroce_sock *ms = NULL;
	struct net_device *ndev;
	bool open = false;

	rcu_read_lock();
	spin_lock_bh(&net->lock);
	ndev = rcu_dereference(attr->ndev);
	if (ndev)
		ms = mroce_sock_get_locked(net, &attr->gid, ndev);
	if (ms)
		open = rcu_access_pointer(ms->sock);
	spin_unlock_bh(&net->lock);
	rcu_read_unlock();

	if (open)
		return ms;
	if (ms)
		mroce_sock_put(ms);
	return NULL;
}

/* The last reference is dropped under the lock, so that nobody finds a socket that is going. */
void mroce_sock_put(struct mroce_sock *ms)
{
	struct mroce_net *net = &ms->dev->net;

	spin_lock_bh(&net->lock);
	if (refcount_dec_and_test(&ms->ref)) {
		list_del(&ms->link);
		kfree_rcu(ms, rcu);
	}
	spin_unlock_bh(&net->lock);
}

/*
 * Once this has returned no receiver and no transmitter is inside the socket or the namespace: new
 * ones find no socket, associations have let go of their cached routes (which point into the
 * namespace), and one grace period has waited for those who found it earlier. The caller has a
 * reference to @ms.
 */
void mroce_sock_close(struct mroce_sock *ms)
{
	struct mroce_net *net = &ms->dev->net;
	struct socket *sock;

	spin_lock_bh(&net->lock);
	sock = rcu_dereference_protected(ms->sock, lockdep_is_held(&net->lock));
	RCU_INIT_POINTER(ms->sock, NULL);
	spin_unlock_bh(&net->lock);
	if (!sock)
		return;

	rcu_assign_sk_user_data(sock->sk, NULL);
	mroce_assoc_sock_closed(ms);
	synchronize_net();
	sock_release(sock);
}

static struct mroce_sock *mroce_sock_on(struct mroce_net *net, const struct net_device *ndev)
{
	struct mroce_sock *ms;

	spin_lock_bh(&net->lock);
	list_for_each_entry(ms, &net->socks, link)
		if (mroce_sock_is_on(ms, ndev) && rcu_access_pointer(ms->sock)) {
			refcount_inc(&ms->ref);
			spin_unlock_bh(&net->lock);
			return ms;
		}
	spin_unlock_bh(&net->lock);
	return NULL;
}

/*
 * NETDEV_UNREGISTER, under RTNL: @ndev still is in the namespace and has the index that it leaves
 */
void mroce_sock_netdev_gone(struct mroce_dev *dev, const struct net_device *ndev)
{
	struct mroce_sock *ms;

	while ((ms = mroce_sock_on(&dev->net, ndev))) {
		mroce_sock_close(ms);
		mroce_sock_put(ms);
	}
}

/*
 * Bound by address; a link-local one also by interface. Free bind, because an IPv6 address is
 * tentative when its GID is added, and ib_core adds a GID for the default link-local address even
 * if that is not configured.
 */
static int mroce_sock_bind(struct socket *sock, const struct mroce_sock *ms)
{
	struct sockaddr_in6 sin6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(MROCE_UDP_PORT),
		.sin6_addr = *mroce_gid_v6(&ms->gid),
		.sin6_scope_id = ms->scoped ? ms->ifindex : 0,
	};
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_port = htons(MROCE_UDP_PORT),
		.sin_addr.s_addr = mroce_gid_v4(&ms->gid),
	};

	ip_sock_set_freebind(sock->sk);
	if (ms->v4)
		return kernel_bind(sock, (struct sockaddr *)&sin, sizeof(sin));
	return kernel_bind(sock, (struct sockaddr *)&sin6, sizeof(sin6));
}

static int mroce_sock_create(struct net *net, struct mroce_sock *ms, struct socket **out)
{
	struct udp_tunnel_sock_cfg cfg = {
		.sk_user_data = ms,
		.encap_type = 1,
		.encap_rcv = mroce_rx_encap,
		.encap_err_lookup = mroce_rx_error,
	};
	struct socket *sock;
	int err;

	err = sock_create_kern(net, ms->v4 ? AF_INET : AF_INET6, SOCK_DGRAM, IPPROTO_UDP, &sock);
	if (err)
		return err;
	err = mroce_sock_bind(sock, ms);
	if (err) {
		sock_release(sock);
		return err;
	}
	setup_udp_tunnel_sock(net, sock, &cfg);
	*out = sock;
	return 0;
}

/* Is @ndev still where the socket was opened for it? See the top of this file. */
static bool mroce_netdev_is_here(struct net *net, const struct net_device *ndev, u32 ifindex)
{
	bool here;

	rcu_read_lock();
	here = dev_get_by_index_rcu(net, ifindex) == ndev;
	rcu_read_unlock();
	return here;
}

static int mroce_sock_open(struct mroce_sock *ms, struct net *net, const struct net_device *ndev)
{
	struct mroce_net *mnet = &ms->dev->net;
	struct socket *sock;
	int err;

	err = mroce_sock_create(net, ms, &sock);
	if (err)
		return err;

	spin_lock_bh(&mnet->lock);
	rcu_assign_pointer(ms->sock, sock);
	spin_unlock_bh(&mnet->lock);
	/*
	 * Published first, then looked: NETDEV_UNREGISTER comes a grace period after the netdev
	 * left the list.
	 */
	if (mroce_netdev_is_here(net, ndev, ms->ifindex))
		return 0;
	mroce_sock_close(ms);
	return -ENODEV;
}

static struct mroce_sock *mroce_sock_make(struct mroce_dev *dev, const union ib_gid *gid,
					  struct net *net, const struct net_device *ndev)
{
	struct mroce_sock *ms = kzalloc(sizeof(*ms), GFP_KERNEL);

	if (!ms)
		return NULL;
	ms->dev = dev;
	ms->gid = *gid;
	ms->net = net;
	ms->ifindex = ndev->ifindex;
	ms->v4 = mroce_gid_is_v4(gid);
	ms->scoped = !ms->v4 && __ipv6_addr_needs_scope_id(ipv6_addr_type(mroce_gid_v6(gid)));
	refcount_set(&ms->ref, 1);
	return ms;
}

/*
 * Find or make the entry, counted for one GID more; *@first tells the caller to open the socket.
 * GIDs of one device are added and deleted under ib_core's mutex, so nobody else is between this
 * and the opening.
 */
static struct mroce_sock *mroce_sock_claim(struct mroce_dev *dev, const union ib_gid *gid,
					   struct net *net, const struct net_device *ndev,
					   bool *first)
{
	struct mroce_sock *ms, *new = mroce_sock_make(dev, gid, net, ndev);

	if (!new)
		return NULL;
	spin_lock_bh(&dev->net.lock);
	ms = mroce_sock_get_locked(&dev->net, gid, ndev);
	if (!ms) {
		ms = new;
		new = NULL;
		list_add_tail(&ms->link, &dev->net.socks);
	}
	*first = !ms->gids++;
	spin_unlock_bh(&dev->net.lock);
	kfree(new);
	return ms;
}

/* One GID less; each has a reference. */
static void mroce_sock_unclaim(struct mroce_sock *ms)
{
	bool last;

	spin_lock_bh(&ms->dev->net.lock);
	last = !--ms->gids;
	spin_unlock_bh(&ms->dev->net.lock);
	if (last)
		mroce_sock_close(ms);
	mroce_sock_put(ms);
}

/*
 * The namespace of @attr's netdev, held for as long as we open a socket in it; NULL when it is
 * ending.
 */
static struct net *mroce_gid_net(const struct ib_gid_attr *attr, struct net_device **ndev)
{
	struct net *net = NULL;

	rcu_read_lock();
	*ndev = rcu_dereference(attr->ndev);	/* ib_core's reference lasts for this call */
	if (*ndev)
		net = maybe_get_net(dev_net(*ndev));
	rcu_read_unlock();
	return net;
}

/**
 * mroce_net_add_gid() - open the socket of a new GID
 * @attr:	the GID, its netdev referenced
 * @context:	what del_gid gets
 *
 * Return: 0, -EADDRINUSE when the address belongs to another device of ours (or its port to
 * somebody else), -ENODEV when the netdev or its namespace is on its way out, or another error of
 * the socket calls.
 */
int mroce_net_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct mroce_dev *dev = to_mdev(attr->device);
	struct net_device *ndev;
	struct mroce_sock *ms;
	struct net *net;
	bool first;
	int err = 0;

	net = mroce_gid_net(attr, &ndev);
	if (!net)
		return -ENODEV;

	ms = mroce_sock_claim(dev, &attr->gid, net, ndev, &first);
	if (!ms)
		err = -ENOMEM;
	else if (first)
		err = mroce_sock_open(ms, net, ndev);
	put_net(net);

	if (err && ms)
		mroce_sock_unclaim(ms);
	if (!err)
		*context = ms;
	return err;
}

/**
 * mroce_net_del_gid() - the address is gone: close its socket
 * @attr:	the GID
 * @context:	from add_gid
 *
 * Associations of the GID stay with the QPs that use them, and cannot send: their packets are
 * dropped and counted.
 *
 * Return: 0.
 */
int mroce_net_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct mroce_sock *ms = *context;

	*context = NULL;
	if (ms)
		mroce_sock_unclaim(ms);
	return 0;
}
