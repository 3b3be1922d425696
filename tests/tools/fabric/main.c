// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Options, and a process for each rank. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabric.h"

struct options opt = {
	.op = WRITE,
	.size = 65536,
	.depth = 16,
	.qps = 1,
	.timeout = 14,
	.retry = 7,
	.settle = 0.02,
	.limit = 60,
	.slices = 4,
	.expect = -1,
};

struct event events[MAX_EVENTS];
struct shared *sh;
unsigned int nevents, nranks, me;

static pid_t launch(unsigned int rank, void (*body)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		me = rank;
		body();
	}
	return pid;
}

/* One that fails takes the others with it: they would wait for it for ever. */
static bool reap(const pid_t *pids, unsigned int n)
{
	unsigned int left, i;
	bool well = true;
	int status;

	for (left = n; left; left--) {
		if (wait(&status) < 0)
			die("children");
		if (!status || !well)
			continue;
		well = false;
		/* others that stall say so too */
		usleep(200000);
		for (i = 0; i < n; i++)
			kill(pids[i], SIGKILL);
	}
	return well;
}

static void *share(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("%zu bytes", len);
	return p;
}

static bool run_all(void)
{
	pid_t pids[MAX_RANKS + 1];
	pthread_barrierattr_t attr;
	unsigned int i;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&sh->barrier, &attr, nranks + 1);
	for (i = 0; i < nranks; i++) {
		sh->ranks[i].mem = share(sh->ranks[i].len);
		sh->ranks[i].bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	}
	fflush(NULL);
	for (i = 0; i < nranks; i++)
		pids[i] = launch(i, run_rank);
	pids[nranks] = launch(nranks, run_events);
	return report(reap(pids, nranks + 1));
}

static void usage(void)
{
	fputs("usage: rdma_fabric [options] PATTERN NAMESPACE:DEVICE:ADDRESS...    ('-' is the present namespace)\n"
	      "  pair            0 to 1, 2 to 3, ...          incast          1, 2, ... to 0\n"
	      "  permutation     r to r + SHIFT               all-to-all      everybody to everybody\n"
	      "  storage         0 reads from 1, 2, ...       ring-allreduce  of vectors of -b bytes\n"
	      "  cross           each of the first half to each of the second\n"
	      "  rpc             requests and responses between 0 and 1\n"
	      "  -o write|send|read  -s SIZE  -q OUTSTANDING  -Q QUEUE-PAIRS  -r (relaxed ordering)\n"
	      "  -n MESSAGES | -b BYTES | -D SECONDS     of each flow\n"
	      "  -W SECONDS      warm-up: steady_MB/s is what came after it\n"
	      "  -J SECONDS      sender k joins k steps late, and with -D leaves k steps early\n"
	      "  -B BYTES        rpc: beside Writes of 1 MiB on another queue pair\n"
	      "  -H SHIFT        permutation     -k SLICES       ring-allreduce: messages per step\n"
	      "  -e T:COMMAND    run COMMAND T seconds after the start; in ascending order\n"
	      "  -S SECONDS      rest between set-up and start (0.02)\n"
	      "  -P N[,N...]     paths that rank 0, 1, ... may use to each peer; the last holds for all others\n"
	      "  -T, -R          timeout, retry_cnt      -x STATUS   every flow is to end with this number\n"
	      "  -X SECONDS      when to give up (60)    -v          a line for each flow\n",
	      stderr);
	exit(2);
}

static void add_event(char *arg)
{
	char *colon = strchr(arg, ':');

	if (!colon || nevents == MAX_EVENTS)
		usage();
	events[nevents++] = (struct event){ .at = atof(arg), .cmd = colon + 1 };
}

static void add_rank(char *arg)
{
	struct rank *r = &sh->ranks[nranks++];

	if (nranks > MAX_RANKS || sscanf(arg, "%63[^:]:%63[^:]:%63s", r->ns, r->dev, r->addr) != 3)
		usage();
}

static enum op parse_op(const char *arg)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(op_names); i++)
		if (!strcmp(arg, op_names[i]))
			return i;
	usage();
	return 0;
}

static void parse_paths(const char *arg)
{
	unsigned int i;

	for (i = 0; i < MAX_RANKS; i++) {
		opt.paths[i] = strtoul(arg, NULL, 0);
		if (strchr(arg, ','))
			arg = strchr(arg, ',') + 1;
	}
}

static void parse_option(int c)
{
	switch (c) {
	case 'o': opt.op = parse_op(optarg); break;
	case 's': opt.size = strtoul(optarg, NULL, 0); break;
	case 'q': opt.depth = strtoul(optarg, NULL, 0); break;
	case 'Q': opt.qps = strtoul(optarg, NULL, 0); break;
	case 'n': opt.count = strtoull(optarg, NULL, 0); break;
	case 'b': opt.bytes = strtoull(optarg, NULL, 0); break;
	case 'D': opt.seconds = atof(optarg); break;
	case 'W': opt.warm = atof(optarg); break;
	case 'J': opt.join = atof(optarg); break;
	case 'B': opt.bulk = strtoull(optarg, NULL, 0); break;
	case 'H': opt.shift = strtoul(optarg, NULL, 0); break;
	case 'k': opt.slices = strtoul(optarg, NULL, 0); break;
	case 'e': add_event(optarg); break;
	case 'S': opt.settle = atof(optarg); break;
	case 'P': parse_paths(optarg); break;
	case 'T': opt.timeout = strtoul(optarg, NULL, 0); break;
	case 'R': opt.retry = strtoul(optarg, NULL, 0); break;
	case 'x': opt.expect = atoi(optarg); break;
	case 'X': opt.limit = atof(optarg); break;
	case 'r': opt.relaxed = true; break;
	case 'v': opt.verbose = true; break;
	default: usage();
	}
}

int main(int argc, char **argv)
{
	int c, i;

	sh = share(sizeof(*sh) + MAX_FLOWS * sizeof(struct flow));
	while ((c = getopt(argc, argv, "+o:s:q:Q:n:b:D:W:J:B:H:k:e:S:P:T:R:x:X:rv")) != -1)
		parse_option(c);
	if (optind >= argc || !opt.size || !opt.depth || !opt.qps || !opt.slices)
		usage();
	if (!opt.count && !opt.bytes && opt.seconds <= 0)
		opt.count = 100;
	for (i = optind + 1; i < argc; i++)
		add_rank(argv[i]);
	if (!make_flows(argv[optind]))
		usage();
	return !run_all();
}
