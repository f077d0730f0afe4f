/* SPDX-License-Identifier: MIT */
#include "tests/kit/host_fake.h"

#include <stdatomic.h>
#include <stdio.h>

#include "probe/control/session.h"

static char name[64];
static _Atomic uint64_t gone_from, gone_to, generation, times_as_fast;

uint64_t pvp_fake_key(unsigned number)
{
	return UINT64_C(0x100000) + 16 * (uint64_t)number;
}

void pvp_fake_unload(unsigned first, unsigned last)
{
	atomic_store(&gone_from, pvp_fake_key(first));
	atomic_fetch_add(&generation, 1);
	atomic_store(&gone_to, pvp_fake_key(last) + 1);
}

void pvp_fake_speed(unsigned times)
{
	atomic_store(&times_as_fast, times);
}

static uint64_t speed(void)
{
	uint64_t times = atomic_load(&times_as_fast);
	return times ? times : 1;
}

static const char *again_with;

static void again(void)
{
	pvp_session_start(again_with, &pvp_host_fake);
}

void pvp_fake_again(const char *options)
{
	again_with = options;
}

static void refresh(void (*gone)(void *ctx, uint64_t from, uint64_t to), void *ctx)
{
	uint64_t to = atomic_exchange(&gone_to, 0);
	if (to)
		gone(ctx, atomic_load(&gone_from), to);
}

static bool method(uint64_t key, struct pvp_method *ret)
{
	if (key < pvp_fake_key(0))
		return false;
	uint64_t number = (key - pvp_fake_key(0)) / 16, times = atomic_load(&generation);
	int n = times ? snprintf(name, sizeof name, "fake.method_%llu#%llu",
				(unsigned long long)number, (unsigned long long)times)
		      : snprintf(name, sizeof name, "fake.method_%llu", (unsigned long long)number);
	*ret = (struct pvp_method){ .code = key, .size = 16, .name = name, .name_len = (size_t)n };
	return true;
}

const struct pvp_host pvp_host_fake = {
	.name = "fake",
	.refresh = refresh,
	.method = method,
	.speed = speed,
	.again = again,
};
