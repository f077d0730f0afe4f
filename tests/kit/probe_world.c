/* SPDX-License-Identifier: MIT */
#include "tests/kit/probe_world.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

static volatile int sink;
static jmp_buf back;

KEPT int world_leaf(int x)
{
	return sink = x;
}

static KEPT void through_static(int n)
{
	for (int i = 0; i < n; i++)
		world_leaf(i);
}

void world_calls(int n)
{
	through_static(n);
}

static KEPT void twin(int x)
{
	sink = x;
}

void world_twins(int n)
{
	for (int i = 0; i < n; i++)
		twin(i);
}

static KEPT void jumper(int x)
{
	sink = x;
	longjmp(back, 1);
}

static KEPT void after_jumps(void)
{
	sink = 1;
}

void world_jumps(int n)
{
	for (volatile int i = 0; i < n; i++)
		if (!setjmp(back))
			jumper(i);
	after_jumps();
}

static KEPT void third(int x)
{
	volatile char room[64];
	room[0] = (char)x;
	jumper(x + room[0]);
}

static KEPT void second(int x)
{
	volatile char room[64];
	room[0] = (char)x;
	third(x + (unsigned char)room[0]);
	sink = (unsigned char)room[0];
}

static KEPT void first(int x)
{
	if (!setjmp(back)) {
		second(x);
		sink = 2;
	}
	after_jumps();
}

void world_deep_jumps(int n)
{
	for (int i = 0; i < n; i++)
		first(i);
}

KEPT int world_recursion(int depth)
{
	return depth > 1 ? 1 + world_recursion(depth - 1) : sink + 1;
}

static inline __attribute__((always_inline)) int inlined_child(int x)
{
	return sink + x;
}

static inline __attribute__((always_inline)) int inlined_parent(int x)
{
	return inlined_child(x) + inlined_child(x + 1);
}

int world_inlined(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += inlined_parent(i);
	return sum;
}

static sigjmp_buf out_of_handler;

static void handler(int number)
{
	sink = number;
	siglongjmp(out_of_handler, 1);
}

void world_jump_from_handler(int n)
{
	static char room[1 << 16];
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_NODEFER };
	stack_t other = { .ss_sp = room, .ss_size = sizeof room }, before;
	sigaltstack(&other, &before);
	sigaction(SIGUSR2, &act, NULL);
	for (volatile int i = 0; i < n; i++)
		if (!sigsetjmp(out_of_handler, 1))
			raise(SIGUSR2);
	after_jumps();
	signal(SIGUSR2, SIG_DFL);
	sigaltstack(&before, NULL);
}
