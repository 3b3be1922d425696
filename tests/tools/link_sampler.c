// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters and queues of links at a fixed period, as CSV: who sent how much in any window of time, and how long the
 * queue was. Sleeps in between, so that in simulated time it disturbs nothing. Ends with SIGTERM.
 *
 * Each line is one link at one time: seconds (CLOCK_MONOTONIC), NS:DEV, tx_bytes, tx_packets, rx_bytes, rx_packets,
 * and of the root qdisc qlen (packets), backlog (bytes), drops, and overlimits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "netns.h"
#include "tool.h"

#define WATCHED	512
#define RTA_FIRST(hdr, fixed)	((struct rtattr *)((char *)NLMSG_DATA(hdr) + NLMSG_ALIGN(sizeof(fixed))))
#define RTA_REST(hdr, fixed)	((int)((hdr)->nlmsg_len - NLMSG_LENGTH(NLMSG_ALIGN(sizeof(fixed)))))

/**
 * struct link - one that is watched
 * @name:	NS:DEV, as given
 * @space:	index of its namespace
 * @index:	of the interface, there
 * @stats, @queue: newest
 */
struct link {
	const char *name;
	int space, index;
	struct rtnl_link_stats64 stats;
	struct gnet_stats_queue queue;
};

/* A namespace, and a socket that was made in it */
struct space {
	char name[64];
	int sock;
};

static struct link links[WATCHED];
static struct space spaces[WATCHED];
static int nlinks, nspaces;
static volatile sig_atomic_t stopped;

static int space_of(const char *ns)
{
	int i;

	for (i = 0; i < nspaces; i++)
		if (!strcmp(spaces[i].name, ns))
			return i;
	snprintf(spaces[i].name, sizeof(spaces[i].name), "%s", ns);
	spaces[i].sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (spaces[i].sock < 0)
		die("netlink");
	nspaces++;
	return i;
}

static void add_link(const char *name)
{
	struct link *l = &links[nlinks++];
	const char *colon = strchr(name, ':');
	char ns[64];

	if (!colon || nlinks > WATCHED)
		die("NS:DEV, not %s", name);
	snprintf(ns, sizeof(ns), "%.*s", (int)(colon - name), name);
	if (!enter_ns(ns))
		die("namespace %s", ns);
	l->name = name;
	l->space = space_of(ns);
	l->index = if_nametoindex(colon + 1);
	if (!l->index)
		die("%s", name);
}

static struct link *find(int space, int index)
{
	int i;

	for (i = 0; i < nlinks; i++)
		if (links[i].space == space && links[i].index == index)
			return &links[i];
	return NULL;
}

static void take_stats(int space, struct nlmsghdr *hdr)
{
	const struct if_stats_msg *msg = NLMSG_DATA(hdr);
	struct rtattr *a = RTA_FIRST(hdr, struct if_stats_msg);
	int left = RTA_REST(hdr, struct if_stats_msg);
	struct link *l = find(space, msg->ifindex);

	for (; l && RTA_OK(a, left); a = RTA_NEXT(a, left))
		if (a->rta_type == IFLA_STATS_LINK_64)
			memcpy(&l->stats, RTA_DATA(a), sizeof(l->stats));
}

static void take_nested(struct link *l, struct rtattr *nest)
{
	int left = RTA_PAYLOAD(nest);
	struct rtattr *a;

	for (a = RTA_DATA(nest); RTA_OK(a, left); a = RTA_NEXT(a, left))
		if (a->rta_type == TCA_STATS_QUEUE)
			memcpy(&l->queue, RTA_DATA(a), sizeof(l->queue));
}

static void take_qdisc(int space, struct nlmsghdr *hdr)
{
	const struct tcmsg *msg = NLMSG_DATA(hdr);
	struct rtattr *a = RTA_FIRST(hdr, struct tcmsg);
	int left = RTA_REST(hdr, struct tcmsg);
	struct link *l = find(space, msg->tcm_ifindex);

	if (msg->tcm_parent != TC_H_ROOT)
		return;
	for (; l && RTA_OK(a, left); a = RTA_NEXT(a, left))
		if (a->rta_type == TCA_STATS2)
			take_nested(l, a);
}

/* One dump's answers, each given to TAKE */
static void dump(int space, void *request, size_t len, void (*take)(int, struct nlmsghdr *))
{
	static char buf[65536];
	struct nlmsghdr *hdr;
	ssize_t n;

	if (send(spaces[space].sock, request, len, 0) < 0)
		die("request");
	for (;;) {
		n = recv(spaces[space].sock, buf, sizeof(buf), 0);
		if (n <= 0)
			die("answer");
		for (hdr = (void *)buf; NLMSG_OK(hdr, n); hdr = NLMSG_NEXT(hdr, n)) {
			if (hdr->nlmsg_type == NLMSG_DONE)
				return;
			if (hdr->nlmsg_type == NLMSG_ERROR)
				die("refused");
			take(space, hdr);
		}
	}
}

static void ask(int space)
{
	struct {
		struct nlmsghdr hdr;
		struct if_stats_msg msg;
	} stats = {
		.hdr = { .nlmsg_len = sizeof(stats), .nlmsg_type = RTM_GETSTATS, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.msg = { .filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64) },
	};
	struct {
		struct nlmsghdr hdr;
		struct tcmsg msg;
	} qdisc = {
		.hdr = { .nlmsg_len = sizeof(qdisc), .nlmsg_type = RTM_GETQDISC, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
	};

	dump(space, &stats, sizeof(stats), take_stats);
	dump(space, &qdisc, sizeof(qdisc), take_qdisc);
}

static void write_line(double at, const struct link *l)
{
	printf("%.7f,%s,%llu,%llu,%llu,%llu,%u,%u,%u,%u\n", at, l->name, l->stats.tx_bytes, l->stats.tx_packets,
	       l->stats.rx_bytes, l->stats.rx_packets, l->queue.qlen, l->queue.backlog, l->queue.drops,
	       l->queue.overlimits);
}

static void sample(void)
{
	struct timespec ts;
	int i;

	for (i = 0; i < nspaces; i++)
		ask(i);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	for (i = 0; i < nlinks; i++)
		write_line(ts.tv_sec + ts.tv_nsec / 1e9, &links[i]);
}

static void stop(int signal)
{
	stopped = signal;
}

static void run(long period)
{
	struct sigaction action = { .sa_handler = stop };
	struct timespec next;

	sigaction(SIGTERM, &action, NULL);
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (!stopped) {
		sample();
		next.tv_nsec += period;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

int main(int argc, char **argv)
{
	long period = 1000000;
	int c, i;

	while ((c = getopt(argc, argv, "p:o:")) != -1) {
		if (c == 'p')
			period = atof(optarg) * 1e9;
		else if (c != 'o' || !freopen(optarg, "w", stdout))
			period = 0;
	}
	if (optind == argc || period < 1000) {
		fputs("usage: link_sampler [-p SECONDS (0.001)] [-o FILE] NS:DEV...    ('-' is the first namespace)\n", stderr);
		return 2;
	}
	for (i = optind; i < argc; i++)
		add_link(argv[i]);
	puts("seconds,link,tx_bytes,tx_packets,rx_bytes,rx_packets,qlen,backlog,drops,overlimits");
	run(period);
	return 0;
}
