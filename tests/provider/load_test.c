// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The provider as it is installed, opened as libibverbs opens it: every symbol resolves at once, its
 * constructor registers it, and it adds its direct verbs alone to the process's symbols. Runs beside the .so.
 */
#include "compat/rdma-core.h"
#include "tap.h"

#include <dlfcn.h>
#include <rdma/metaroce-abi.h>
#include <stdlib.h>
#include <string.h>

#define PROVIDER "./libmetaroce-rdmav34.so"

static const struct verbs_device_ops *registered;

/* Stands before libibverbs' own in the search order. */
__attribute__((visibility("default"))) void verbs_register_driver_34(const struct verbs_device_ops *ops)
{
	registered = ops;
}

static void load__resolves_and_registers(void)
{
	void *lib = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_GLOBAL), *provider;

	CHECK(lib);
	provider = dlopen(PROVIDER, RTLD_NOW);
	if (!provider)
		printf("# %s\n", dlerror());
	CHECK(provider);
	CHECK(registered && !strcmp(registered->name, "metaroce"));
	CHECK(registered->match_table[0].u.driver_id == MROCE_DRIVER_ID);
}

static void load__exports_direct_verbs_alone(void)
{
	CHECK(system("nm -D --defined-only " PROVIDER " | grep -vE ' (A METAROCE_|T _?metaroce_dv_)'") != 0);
	CHECK(system("nm -D --defined-only " PROVIDER " | grep -q ' T metaroce_dv_query_conn@@METAROCE_1.0'") == 0);
}

/* Each symbol taken from libibverbs has a version, so that a library without it is refused when loading. */
static void load__symbols_are_versioned(void)
{
	CHECK(system("nm -D --undefined-only " PROVIDER
		     " | grep -E ' (_?verbs_|ibv_)' | grep -v '@IBVERBS'") != 0);
}

/* libibverbs itself accepts it as a driver by environment; no device is needed, and none is there. */
static void load__by_environment(void)
{
	if (system("command -v ibv_devices >/dev/null"))
		return;
	CHECK(!system("! IBV_DRIVERS=$PWD/libmetaroce IBV_SHOW_WARNINGS=1 ibv_devices 2>&1 | grep -i metaroce"));
}

static const struct tap_case cases[] = {
	TAP_CASE(load__resolves_and_registers),
	TAP_CASE(load__exports_direct_verbs_alone),
	TAP_CASE(load__symbols_are_versioned),
	TAP_CASE(load__by_environment),
};

TAP_MAIN(cases)
