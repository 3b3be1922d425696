// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * TCP streams between namespaces, as fast as they go: what others make of the same links. Prints the rate of each
 * between the warm-up and the end, as the receiver sees it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "netns.h"
#include "tool.h"

#define PORT		18800
#define CHUNK		65536
#define MAX_FLOWS	128

struct flow {
	char from[64], to[64], addr[64];
	uint64_t bytes;
	int ready;
};

static struct flow *flows;
static const char *congestion;
static double seconds = 0.1, warm;
static int nflows;

static int socket_in(const char *ns)
{
	int s;

	if (!enter_ns(ns))
		die("namespace %s", ns);
	s = socket(AF_INET, SOCK_STREAM, 0);
	if (s < 0)
		die("socket");
	if (congestion && setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, congestion, strlen(congestion)))
		die("congestion control %s", congestion);
	return s;
}

static struct sockaddr_in address(const struct flow *f)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_port = htons(PORT + (f - flows)) };

	if (inet_pton(AF_INET, f->addr, &sa.sin_addr) != 1)
		die("address %s", f->addr);
	return sa;
}

static void receive(struct flow *f)
{
	struct sockaddr_in sa = address(f);
	int one = 1, l = socket_in(f->to), s;
	static char buf[CHUNK];
	double start = 0, at;
	ssize_t n;

	setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(l, (void *)&sa, sizeof(sa)) || listen(l, 1))
		die("listen at %s", f->addr);
	eventfd_write(f->ready, 1);
	s = accept(l, NULL, NULL);
	while ((n = read(s, buf, sizeof(buf))) > 0) {
		at = now();
		if (!start)
			start = at;
		if (at - start >= warm && at - start < seconds)
			f->bytes += n;
	}
	exit(0);
}

static void transmit(struct flow *f)
{
	struct sockaddr_in sa = address(f);
	static char buf[CHUNK];
	double until;
	int s;

	s = socket_in(f->from);
	if (connect(s, (void *)&sa, sizeof(sa)))
		die("connect to %s", f->addr);
	for (until = now() + seconds; now() < until;)
		if (send(s, buf, sizeof(buf), MSG_NOSIGNAL) < 0)
			die("send");
	exit(0);
}

static void launch(struct flow *f)
{
	eventfd_t value;

	f->ready = eventfd(0, 0);
	if (!fork())
		receive(f);
	eventfd_read(f->ready, &value);
	if (!fork())
		transmit(f);
}

static void usage(void)
{
	fputs("usage: tcp_flow [-c CONGESTION-CONTROL] [-D SECONDS] [-W WARM-UP] FROM-NS:TO-NS:TO-ADDRESS...\n", stderr);
	exit(2);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "c:D:W:")) != -1) {
		switch (c) {
		case 'c': congestion = optarg; break;
		case 'D': seconds = atof(optarg); break;
		case 'W': warm = atof(optarg); break;
		default: usage();
		}
	}
	for (; optind < argc; optind++) {
		struct flow *f = &flows[nflows++];

		if (nflows > MAX_FLOWS || sscanf(argv[optind], "%63[^:]:%63[^:]:%63s", f->from, f->to, f->addr) != 3)
			usage();
	}
	if (!nflows || seconds <= warm)
		usage();
}

int main(int argc, char **argv)
{
	int bad = 0, status, i;
	double sum = 0, rate;

	flows = mmap(NULL, MAX_FLOWS * sizeof(*flows), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (flows == MAP_FAILED)
		die("memory");
	parse(argc, argv);
	for (i = 0; i < nflows; i++)
		launch(&flows[i]);
	while (wait(&status) > 0)
		bad |= status;
	for (i = 0; i < nflows; i++) {
		rate = flows[i].bytes / (seconds - warm) / 1e6;
		sum += rate;
		printf("tcp from=%s to=%s MB/s=%.2f\n", flows[i].from, flows[i].to, rate);
	}
	printf("total tcp flows=%d MB/s=%.2f\n", nflows, sum);
	return !!bad;
}
