// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Direct verbs: what they refuse by themselves, what they ask of the kernel, and structs of other releases.
 */
#include "fake_uverbs.h"
#include "metaroce_dv.h"
#include "tap.h"

#include <string.h>
#include <unistd.h>

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;

static void setup(enum ibv_qp_type type)
{
	ctx = fake_open();
	CHECK(ctx);
	pd = fake.ops.alloc_pd(ctx);
	cq = fake_create_cq(ctx, 8);
	CHECK(pd && cq);
	qp = fake_create_qp(pd, cq, cq, NULL, type);
	CHECK(qp);
	fake.num_paths = 16;
	fake.ioctl = 0;
	fake.ioctl_err = 0;
}

static void teardown(void)
{
	CHECK(fake.ops.destroy_qp(qp) == 0);
	CHECK(fake.ops.destroy_cq(cq) == 0);
	CHECK(fake.ops.dealloc_pd(pd) == 0);
	fake_close(ctx);
}

static void query_conn__cut_and_padded(void)
{
	struct {
		struct metaroce_dv_conn conn;
		uint64_t later;
	} newer;
	struct metaroce_dv_conn older;

	CALL(setup(IBV_QPT_RC));
	memset(&newer, 0xff, sizeof(newer));
	CHECK(metaroce_dv_query_conn(qp, &newer.conn, sizeof(newer)) == 0);
	CHECK(newer.conn.cwnd == 7 && newer.conn.num_paths == 16 && newer.conn.num_qps == 3);
	CHECK(newer.later == 0 && newer.conn.comp_mask == 0);
	memset(&older, 0xff, sizeof(older));
	CHECK(metaroce_dv_query_conn(qp, &older, offsetof(struct metaroce_dv_conn, num_qps)) == 0);
	CHECK(older.num_paths == 16 && older.num_qps == UINT32_MAX);
	CHECK(fake.ioctl_attrs[0] == qp->handle && fake.ioctl_lens[0] == 0 && fake.ioctl_num == 2);
	CHECK(metaroce_dv_query_conn(qp, &older, 7) == EINVAL);
	teardown();
}

static void query_paths__as_many_as_fit(void)
{
	struct metaroce_dv_path paths[32];

	CALL(setup(IBV_QPT_RC));
	CHECK(metaroce_dv_query_paths(qp, paths, 32) == 16);
	CHECK(paths[0].index == 0 && paths[15].index == 15 && paths[15].spurious == 115);
	CHECK(metaroce_dv_query_paths(qp, paths, 5) == 5);
	CHECK(fake.ioctl_lens[2] == 5 * sizeof(paths[0]));
	fake.ioctl = 0;
	CHECK(metaroce_dv_query_paths(qp, paths, 0) == -EINVAL);
	CHECK(_metaroce_dv_query_paths(qp, paths, 1, 7) == -EINVAL);
	CHECK(fake.ioctl == 0);
	teardown();
}

/* A program built with a longer struct, and one that has room for more than an attribute can hold. */
static void query_paths__of_other_releases(void)
{
	static char room[200000];
	struct metaroce_dv_path *p = (void *)(room + 256);

	CALL(setup(IBV_QPT_RC));
	CHECK(_metaroce_dv_query_paths(qp, (void *)room, 2, 256) == 2);
	CHECK(p->index == 1 && p->spurious == 101);
	CHECK(_metaroce_dv_query_paths(qp, (void *)room, 2000, 100) == 16);
	CHECK(fake.ioctl_lens[2] == 65500);
	teardown();
}

static void modify_conn__only_what_is_asked(void)
{
	struct metaroce_dv_modify m = {
		.comp_mask = METAROCE_DV_MODIFY_PLANE_MASK, .max_paths = 5, .plane_mask = 0xa,
	};

	CALL(setup(IBV_QPT_RC));
	CHECK(metaroce_dv_modify_conn(qp, &m, sizeof(m)) == 0);
	CHECK(fake.ioctl == MROCE_METHOD_MODIFY_CONN && fake.ioctl_num == 2);
	CHECK(fake.ioctl_attrs[2] == 0xa && fake.ioctl_lens[2] == 4);
	m.comp_mask = METAROCE_DV_MODIFY_MAX_PATHS;
	CHECK(metaroce_dv_modify_conn(qp, &m, sizeof(m)) == 0);
	CHECK(fake.ioctl_num == 2 && fake.ioctl_attrs[1] == 5 && fake.ioctl_lens[1] == 4);
	fake.ioctl_err = ENETUNREACH;
	CHECK(metaroce_dv_modify_conn(qp, &m, sizeof(m)) == ENETUNREACH);
	teardown();
}

static void modify_conn__refuses_what_it_does_not_know(void)
{
	struct {
		struct metaroce_dv_modify m;
		uint64_t later;
	} newer = { .m = { .comp_mask = METAROCE_DV_MODIFY_MAX_PATHS, .max_paths = 1 } };

	CALL(setup(IBV_QPT_RC));
	CHECK(metaroce_dv_modify_conn(qp, &newer.m, sizeof(newer)) == 0);
	fake.ioctl = 0;
	newer.later = 1;
	CHECK(metaroce_dv_modify_conn(qp, &newer.m, sizeof(newer)) == EOPNOTSUPP);
	newer.later = 0;
	newer.m.comp_mask |= 1 << 2;
	CHECK(metaroce_dv_modify_conn(qp, &newer.m, sizeof(newer.m)) == EOPNOTSUPP);
	CHECK(metaroce_dv_modify_conn(qp, &newer.m, sizeof(newer.m) - 1) == EINVAL);
	CHECK(fake.ioctl == 0);
	teardown();
}

static void all__another_kernel(void)
{
	struct metaroce_dv_modify m = { .comp_mask = METAROCE_DV_MODIFY_MAX_PATHS, .max_paths = 1 };
	struct metaroce_dv_path path;
	struct metaroce_dv_conn conn;

	CALL(setup(IBV_QPT_RC));
	fake.ioctl_err = EPROTONOSUPPORT;
	CHECK(metaroce_dv_query_conn(qp, &conn, sizeof(conn)) == EOPNOTSUPP);
	CHECK(metaroce_dv_query_paths(qp, &path, 1) == -EOPNOTSUPP);
	fake.ioctl_err = ENOTTY;
	CHECK(metaroce_dv_modify_conn(qp, &m, sizeof(m)) == EOPNOTSUPP);
	fake.ioctl_err = ENOTCONN;
	CHECK(metaroce_dv_query_conn(qp, &conn, sizeof(conn)) == ENOTCONN);
	CHECK(metaroce_dv_query_paths(qp, &path, 1) == -ENOTCONN);
	teardown();
}

static void all__another_device_or_type(void)
{
	static struct verbs_device other;
	struct ibv_context foreign = { .device = &other.device };
	struct ibv_qp foreign_qp = { .context = &foreign, .qp_type = IBV_QPT_RC };
	struct metaroce_dv_modify m = {};
	struct metaroce_dv_path path;
	struct metaroce_dv_conn conn;

	CALL(setup(IBV_QPT_UD));
	CHECK(metaroce_dv_query_conn(qp, &conn, sizeof(conn)) == EOPNOTSUPP);
	CHECK(metaroce_dv_query_conn(&foreign_qp, &conn, sizeof(conn)) == EOPNOTSUPP);
	CHECK(metaroce_dv_query_paths(&foreign_qp, &path, 1) == -EOPNOTSUPP);
	CHECK(metaroce_dv_modify_conn(&foreign_qp, &m, sizeof(m)) == EOPNOTSUPP);
	CHECK(fake.ioctl == 0);
	teardown();
}

static const struct tap_case cases[] = {
	TAP_CASE(query_conn__cut_and_padded),
	TAP_CASE(query_paths__as_many_as_fit),
	TAP_CASE(query_paths__of_other_releases),
	TAP_CASE(modify_conn__only_what_is_asked),
	TAP_CASE(modify_conn__refuses_what_it_does_not_know),
	TAP_CASE(all__another_kernel),
	TAP_CASE(all__another_device_or_type),
};

TAP_MAIN(cases)
