// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The module: what is registered with the rest of the kernel, in order, and taken back in reverse
 * order. There is no device, and no socket, until a link is added.
 */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/rdma_netlink.h>
#include "verbs/verbs.h"

static struct notifier_block mroce_netdev_nb = {
	.notifier_call = mroce_netdev_event,
};

static struct rdma_link_ops mroce_link_ops = {
	.type = "metaroce",
	.newlink = mroce_device_add,
};

static int __init mroce_init(void)
{
	int err;

	err = register_netdevice_notifier(&mroce_netdev_nb);
	if (err)
		return err;
	rdma_link_register(&mroce_link_ops);
	return 0;
}

/*
 *  1. No new link is added, and newlink is not running any more.
 *  2. All devices are unregistered. That may be waiting for netdev events running at the same time,
 *     so these end later.
 *  3. No event looks for a device any more.
 *
 * No RCU callback is waited for: there is none, kfree_rcu() needs no code of ours.
 */
static void __exit mroce_exit(void)
{
	rdma_link_unregister(&mroce_link_ops);
	ib_unregister_driver((enum rdma_driver_id)MROCE_DRIVER_ID);
	unregister_netdevice_notifier(&mroce_netdev_nb);
}

module_init(mroce_init);
module_exit(mroce_exit);

MODULE_DESCRIPTION("MetaRoCE: RDMA over UDP with multiple paths");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_ALIAS_RDMA_LINK("metaroce");
