/* SPDX-License-Identifier: MIT */
/*
 * Tests whether calls of the allocator pass the probe's functions, and names the library that
 * answers.
 */
#include "probe/native/native_front.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/code/modules.h"
#include "probe/native/native_next.h"

enum { NAME = 64 };

/* The file's name, in characters allowed in an option. */
static const char *library_of(void *at, char to[NAME])
{
	Dl_info info;
	const char *path = dladdr(at, &info) && info.dli_fname ? info.dli_fname : "unknown";
	const char *slash = strrchr(path, '/');
	size_t n = 0;
	for (const char *c = slash ? slash + 1 : path; *c && n + 1 < NAME; c++) {
		bool plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
			     (*c >= 'A' && *c <= 'Z') || strchr("._-", *c);
		to[n++] = *c;
		if (!plain)
			to[n - 1] = '_';
	}
	to[n] = 0;
	return to;
}

static void *base_of(void *at)
{
	Dl_info info;
	return at && dladdr(at, &info) ? info.dli_fbase : NULL;
}

static void *first(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

/* Whether a block allocated, or freed, by the first function of the process passes ours. */
static bool comes_by(const char *name, bool give_back)
{
	void *(*get)(size_t) = NULL;
	void (*give)(void *) = NULL;
	void *at = first(give_back ? "malloc" : name), *back = first("free");
	memcpy(&get, &at, sizeof at);
	memcpy(&give, &back, sizeof back);
	if (!get || !give)
		return true; /* they cannot be called */
	atomic_fetch_or(&pvp_recording, PVP_RECORD_TRY);
	pvp_operator.tried = false;
	void *volatile block = get(1); /* volatile, or the compiler removes the call */
	bool got = pvp_operator.tried;
	pvp_operator.tried = false;
	give(block);
	bool gave = pvp_operator.tried;
	atomic_fetch_and(&pvp_recording, ~(unsigned)PVP_RECORD_TRY);
	return give_back ? gave : got;
}

static size_t add_front_word(char *words, size_t room, const char *word, const char *library)
{
	size_t n = strlen(words);
	return (size_t)snprintf(words + n, room - n, "%s%s", word, library);
}

/* Only compared, not called: the program's operators may not be ready yet. */
static void look_at_new(char *words, size_t room)
{
	char name[NAME];
	Dl_info mine;
	void *at = first("_Znwm");
	if (at && dladdr((void *)(uintptr_t)pvp_front_look, &mine) && base_of(at) != mine.dli_fbase)
		add_front_word(words, room, ",new-of=", library_of(at, name));
}

static bool one_family(char *words, size_t room)
{
	void *malloc_at, *free_at, *realloc_at;
	char one[NAME], other[NAME];
	memcpy(&malloc_at, &pvp_next.malloc, sizeof malloc_at);
	memcpy(&free_at, &pvp_next.free, sizeof free_at);
	memcpy(&realloc_at, &pvp_next.realloc, sizeof realloc_at);
	void *base = base_of(malloc_at);
	void *stranger = base_of(free_at) != base      ? free_at
			 : base_of(realloc_at) != base ? realloc_at
						       : NULL;
	if (!stranger) {
		add_front_word(words, room, ",allocator=", library_of(malloc_at, one));
		return true;
	}
	add_front_word(words, room, ",mixed=", library_of(malloc_at, one));
	add_front_word(words, room, "+", library_of(stranger, other));
	return false;
}

bool pvp_front_look(char *words, size_t room)
{
	char name[NAME];
	if (!pvp_next_ready() || !one_family(words, room))
		return false;
	bool get = comes_by("malloc", false);
	if (!get || !comes_by("free", true))
		add_front_word(words, room, get ? ",bypassed=free:" : ",bypassed=malloc:",
			library_of(first(get ? "free" : "malloc"), name));
	look_at_new(words, room);
	return true;
}

bool pvp_front_passes(uint64_t address)
{
	static const char *const names[] = { "malloc", "calloc", "realloc", "free", "memalign",
		"aligned_alloc", "posix_memalign", "valloc", "pvalloc", "malloc_usable_size",
		"free_sized", "free_aligned_sized", "pthread_create", "syscall", "prctl" };
	static uint64_t next[sizeof names / sizeof *names];
	uint64_t start = pvp_modules_start(address);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!next[i])
			next[i] = (uintptr_t)dlsym(RTLD_NEXT, names[i]);
		if (start && next[i] == start)
			return true;
	}
	return false;
}
