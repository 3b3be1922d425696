// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a link carries at most: UDP packets of one size from one namespace to another, as fast as the socket's buffer
 * lets them go. The sink counts; its rate goes from the first packet to the last.
 *
 * The buffer must hold less than the narrowest queue below, or packets are dropped there without ever blocking us, and
 * in simulated time that never ends: -w.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

#define BATCH		32
#define HEADERS		28	/* IPv4 and UDP */
#define MAX_PACKET	65507
#define PORT		18700

/**
 * struct result - what the sink saw
 * @packets:	how many
 * @first, @last: when
 */
struct result {
	uint64_t packets;
	double first, last;
};

static uint32_t packet = 1500, window = 256;
static uint64_t count = 10000;
static int ready;

static struct sockaddr_in address(const char *addr)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_port = htons(PORT) };

	if (inet_pton(AF_INET, addr, &sa.sin_addr) != 1)
		die("address %s", addr);
	return sa;
}

/* All buffers hold the same: nobody looks. */
static void make_batch(struct mmsghdr *batch, struct iovec *iov)
{
	static char payload[MAX_PACKET];
	unsigned int i;

	*iov = (struct iovec){ .iov_base = payload, .iov_len = packet - HEADERS };
	memset(batch, 0, BATCH * sizeof(*batch));
	for (i = 0; i < BATCH; i++) {
		batch[i].msg_hdr.msg_iov = iov;
		batch[i].msg_hdr.msg_iovlen = 1;
	}
}

/* Ends when nothing has come for a second. */
static void sink(struct result *r, const char *ns, const char *addr)
{
	struct sockaddr_in sa = address(addr);
	int size = 64 << 20, s, n;
	struct mmsghdr batch[BATCH];
	struct pollfd pfd;
	struct iovec iov;

	if (!enter_ns(ns))
		die("namespace %s", ns);
	s = socket(AF_INET, SOCK_DGRAM, 0);
	setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (s < 0 || bind(s, (void *)&sa, sizeof(sa)))
		die("socket at %s", addr);
	eventfd_write(ready, 1);
	make_batch(batch, &iov);
	pfd = (struct pollfd){ .fd = s, .events = POLLIN };
	while (r->packets < count && poll(&pfd, 1, 1000) > 0) {
		n = recvmmsg(s, batch, BATCH, MSG_DONTWAIT, NULL);
		if (n <= 0)
			continue;
		r->last = now();
		if (!r->packets)
			r->first = r->last;
		r->packets += n;
	}
	exit(0);
}

/* The kernel doubles what it is told, and counts memory, of which a packet needs more than its bytes. */
static int buffer_size(void)
{
	return window * (packet + 1024) / 2;
}

static void blast(const char *ns, const char *addr)
{
	struct sockaddr_in sa = address(addr);
	int size = buffer_size(), s, n;
	struct mmsghdr batch[BATCH];
	struct iovec iov;
	uint64_t i;

	if (!enter_ns(ns))
		die("namespace %s", ns);
	s = socket(AF_INET, SOCK_DGRAM, 0);
	setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	if (s < 0 || connect(s, (void *)&sa, sizeof(sa)))
		die("socket to %s", addr);
	make_batch(batch, &iov);
	for (i = 0; i < count; i += n) {
		n = sendmmsg(s, batch, count - i < BATCH ? count - i : BATCH, 0);
		if (n < 0)
			die("send");
	}
	exit(0);
}

static void usage(void)
{
	fputs("usage: udp_blast [-s IP-PACKET-SIZE] [-n PACKETS] [-w PACKETS-OUTSTANDING] FROM-NS TO-NS TO-ADDRESS\n"
	      "'-' is the present namespace\n", stderr);
	exit(2);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "s:n:w:")) != -1) {
		switch (c) {
		case 's': packet = strtoul(optarg, NULL, 0); break;
		case 'n': count = strtoull(optarg, NULL, 0); break;
		case 'w': window = strtoul(optarg, NULL, 0); break;
		default: usage();
		}
	}
	if (argc - optind != 3 || packet <= HEADERS || packet > MAX_PACKET || !count || !window)
		usage();
}

int main(int argc, char **argv)
{
	struct result *r;
	eventfd_t value;
	double seconds, rate;
	int bad = 0, status;
	char **arg;

	parse(argc, argv);
	arg = argv + optind;
	r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ready = eventfd(0, 0);
	if (r == MAP_FAILED || ready < 0)
		die("shared memory");
	if (!fork())
		sink(r, arg[1], arg[2]);
	eventfd_read(ready, &value);
	if (!fork())
		blast(arg[0], arg[2]);
	while (wait(&status) > 0)
		bad |= status;
	seconds = r->last - r->first;
	rate = seconds > 0 ? (r->packets - 1) / seconds : 0;
	printf("blast packet=%u sent=%llu received=%llu seconds=%.6f packets/s=%.1f MB/s=%.2f\n", packet,
	       (unsigned long long)count, (unsigned long long)r->packets, seconds, rate, rate * packet / 1e6);
	return bad || !r->packets;
}
