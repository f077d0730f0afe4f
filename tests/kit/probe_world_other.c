/* SPDX-License-Identifier: MIT */
#include "tests/kit/probe_world.h"

static volatile int sink;

static __attribute__((noinline)) void twin(int x)
{
	sink = x;
}

void world_other_twins(int n)
{
	for (int i = 0; i < n; i++)
		twin(i);
}
