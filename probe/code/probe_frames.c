/* SPDX-License-Identifier: MIT */
/* Recognizes the probe's own frames in stacks, and removes them. */
#include "probe/code/probe_frames.h"

#include <string.h>

#include "common/base/own_frame.h"
#include "probe/code/kernel_stack.h"
#include "probe/code/modules.h"
#include "probe/core/registry.h"
#include "probe/core/writer.h"

static bool (*passes_on)(uint64_t address);

void pvp_probe_frames_pass(bool (*passes)(uint64_t address))
{
	passes_on = passes;
}

static bool is_probe(uint64_t address)
{
	static uint64_t from, to;
	static const char here;
	if (!to && !pvp_modules_library((uintptr_t)&here, &from, &to))
		return false;
	return address >= from && address < to;
}

/* Whether in a library called by the probe, which otherwise calls only functions passed on. */
static bool serves_probe(uint64_t address)
{
	static const char *const names[] = { "libc.so", "libc-2", "ld-linux", "ld-musl",
		"linux-vdso", "libpthread", "libz.so", "libdl" };
	const char *file = pvp_modules_file(address);
	if (pvp_is_kernel(address))
		return true;
	for (size_t i = 0; file && i < sizeof names / sizeof *names; i++)
		if (strncmp(file, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Whether a function called by the probe at the address is the program's. */
static bool is_program(uint64_t address)
{
	return passes_on && (!serves_probe(address) || passes_on(address));
}

/* at[i] as an address in the call, which may be the last instruction of its function. */
static uint64_t call_place(const uint64_t *at, uint32_t i)
{
	return at[i] - (i > 0);
}

uint32_t pvp_probe_frames_fold(uint64_t *at, uint32_t n, bool *ret_own)
{
	uint32_t outer = n, kept = n; /* frames from `kept` on are kept */
	*ret_own = false;
	while (outer > 0 && !*ret_own) {
		uint32_t i = outer;
		while (i > 0 && is_probe(call_place(at, i - 1)))
			i--;
		if (i == outer) {
			at[--kept] = call_place(at, --outer) + 1;
			continue;
		}
		*ret_own = i == 0 || !is_program(call_place(at, i - 1));
		outer = i;
	}
	if (!*ret_own && n)
		at[kept]--; /* the innermost is no return address */
	memmove(at, at + kept, (n - kept) * sizeof *at);
	return n - kept;
}

uint64_t pvp_probe_frames_key(struct pvp_writer *w, uint64_t time)
{
	uint64_t key = pvp_region_of_writer(PV_OWN_FRAME);
	if (key)
		pvp_tell_method(w, key, time);
	return key;
}

uint32_t pvp_probe_frames_keys(struct pvp_writer *w, uint64_t time, uint64_t *at, uint32_t n,
	pvp_frame_key *innermost, pvp_frame_key *key, uint64_t *ret_keys, bool *ret_own)
{
	uint32_t left = pvp_probe_frames_fold(at, n, ret_own), own = *ret_own;
	if (own)
		ret_keys[0] = pvp_probe_frames_key(w, time);
	for (uint32_t i = 0; i < left; i++)
		ret_keys[own + i] =
			own + i > 0 ? key(w, at[i] - 1, time) : innermost(w, at[i], time);
	return own + left;
}
