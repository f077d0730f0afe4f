/* SPDX-License-Identifier: MIT */
/*
 * Work on files as spans. Outside of Windows no event source of the framework reports such work, so
 * the last methods of the core library before the system are hooked, for all callers and threads,
 * like calls. The innermost methods may use each other: the outermost is reported. Only a method's
 * own argument, in its first register, is read here.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "probe/clr/clr_hot.h"
#include "probe/managed/code_ranges.h"
#include "probe/clr/clr_runtime.h"
#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"
#include "probe/unwind/native_walk.h"

enum { NAME = 300, FRAMES = 16, LONGEST = 4096 };

#define HANDLE "Microsoft.Win32.SafeHandles.SafeFileHandle"
#define ACCESS "System.IO.RandomAccess"
#define SYSTEM "System.IO.FileSystem"

static const char *const classes[] = { HANDLE, ACCESS, SYSTEM };

enum first { NOTHING, PATH, FILE_HANDLE }; /* meaning of a method's first register */

/* By the beginning of the full name; the first match counts. */
static const struct work {
	const char *method, *verb;
	enum first first;
} works[] = {
	{ HANDLE ":Open (string", "open", PATH },
	{ HANDLE ":ReleaseHandle (", "close", FILE_HANDLE },
	{ ACCESS ":ReadAtOffset (" HANDLE, "read", FILE_HANDLE },
	{ ACCESS ":ReadScatterAtOffset (" HANDLE, "read", FILE_HANDLE },
	{ ACCESS ":WriteAtOffset (" HANDLE, "write", FILE_HANDLE },
	{ ACCESS ":WriteGatherAtOffset (" HANDLE, "write", FILE_HANDLE },
	{ ACCESS ":FlushToDisk (" HANDLE, "flush", FILE_HANDLE },
	{ ACCESS ":SetFileLength (" HANDLE, "resize", FILE_HANDLE },
	{ SYSTEM ":CopyFile (string", "copy", PATH },
	{ SYSTEM ":MoveFile (string", "move", PATH },
	{ SYSTEM ":ReplaceFile (string", "replace", PATH },
	{ SYSTEM ":DeleteFile (string", "delete", PATH },
	{ SYSTEM ":FileExists (string", "look for", PATH },
	{ SYSTEM ":FileExists (", "look for", NOTHING },
	{ SYSTEM ":CreateDirectory (string", "create directory", PATH },
	{ SYSTEM ":MoveDirectory (string", "move directory", PATH },
	{ SYSTEM ":RemoveDirectory (string", "remove directory", PATH },
	{ SYSTEM ":DirectoryExists (string", "look for directory", PATH },
	{ SYSTEM ":DirectoryExists (", "look for directory", NOTHING },
};

struct span {
	const struct pvp_clr_hooked *at; /* above all functions called by the method */
	uint64_t since;
	size_t name_n, stack_n;
	char name[NAME];
	uint64_t stack[FRAMES];
};

/* Of the thread: the open span, and the depth of hooked methods inside. */
static _Thread_local struct {
	struct span *open;
	uint32_t depth;
} now __attribute__((tls_model("initial-exec")));

static struct {
	_Atomic uint64_t library;                     /* the core's module */
	_Atomic uint32_t class[PV_COUNT_OF(classes)]; /* their tokens */
	_Atomic uint32_t path;                        /* offset in a handle; 0: not known */
	uint32_t length, text;                        /* offsets within a string */
} places;

/* --- choosing methods */

static uint32_t token_of(struct pvp_clr_metadata *m, const char *name)
{
	pvp_char wide[64];
	uint32_t token = 0;
	size_t n = strlen(name) + 1;
	for (size_t i = 0; i < n; i++)
		wide[i] = (pvp_char)name[i];
	return m->is->find_type(m, wide, 0, &token) < 0 ? 0 : token;
}

/* The core library is the first module of all. */
static bool is_library(uint64_t module, struct pvp_clr_metadata *m)
{
	static const char name[] = "System.Private.CoreLib.dll";
	struct pvp_guid mvid;
	pvp_char wide[64];
	char text[3 * 64];
	uint32_t n = 0;
	uint64_t known = atomic_load(&places.library);
	if (known)
		return known == module;
	if (m->is->scope(m, wide, 64, &n, &mvid) < 0)
		return false;
	pvp_clr_utf8(wide, n < 64 ? n : 64, text, sizeof text);
	if (strcmp(text, name) != 0)
		return false;
	for (size_t i = 0; i < PV_COUNT_OF(classes); i++)
		atomic_store(&places.class[i], token_of(m, classes[i]));
	atomic_store(&places.library, module);
	return true;
}

static bool is_of_these(uint64_t module, uint32_t method)
{
	uint32_t type = 0, n, ignored;
	const uint8_t *sig;
	struct pvp_clr_metadata *m = pvp_clr_metadata(module);
	bool found = false;
	if (m && is_library(module, m) &&
		m->is->method(m, method, &type, NULL, 0, &n, &ignored, &sig, &ignored, &ignored,
			&ignored) >= 0)
		for (size_t i = 0; i < PV_COUNT_OF(classes) && type; i++)
			found |= type == atomic_load(&places.class[i]);
	if (m)
		m->is->unknown.release(m);
	return found;
}

/* Once the class of handles is loaded; at the latest with the first handle. */
static void find_path(void)
{
	struct pvp_clr_type handle = { .module = atomic_load(&places.library),
		.token = atomic_load(&places.class[0]) };
	uint64_t id = atomic_load(&places.path) || !handle.token ? 0 : pvp_clr_class_find(&handle);
	if (id)
		atomic_store(&places.path, pvp_clr_field_offset(id, "_path"));
}

/* By the number of a method in the core library: what find_work() said, + 1; 0: not looked yet. */
static _Atomic uint8_t looked[1 << 17];

static unsigned find_work(uint64_t function, uint64_t module, uint32_t token)
{
	char name[PVP_CLR_NAME];
	if (!is_of_these(module, token))
		return 0;
	pvp_clr_method_name(function, name);
	for (unsigned i = 0; i < PV_COUNT_OF(works); i++)
		if (strncmp(name, works[i].method, strlen(works[i].method)) == 0)
			return i + 1;
	return 0;
}

/* Called at every chance to inline, so must be quick. */
unsigned pvp_clr_file_work(uint64_t function)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t type, module = 0, library = atomic_load(&places.library);
	uint32_t token = 0, n, row;
	if (info->is->function_info(info, function, 0, &type, &module, &token, 0, &n, NULL) < 0 ||
		(library && module != library))
		return 0;
	row = token & 0xffffff;
	if (!library || row >= PV_COUNT_OF(looked))
		return find_work(function, module, token);
	unsigned known = atomic_load_explicit(&looked[row], memory_order_relaxed);
	if (!known) {
		known = find_work(function, module, token) + 1;
		atomic_store_explicit(&looked[row], (uint8_t)known, memory_order_relaxed);
	}
	if (known > 1 && works[known - 2].first == FILE_HANDLE)
		find_path();
	return known - 1;
}

bool pvp_clr_files_init(void)
{
	struct pvp_clr_info *info = pvp_clr.info;
	return info->is->string_layout(info, &places.length, &places.text) >= 0;
}

/* --- spans */

/* While a hooked method stands at its hook, its objects do not move. */
static size_t put_path_string(uint64_t string, char *to, size_t room)
{
	int32_t n = 0;
	if (!string)
		return 0;
	memcpy(&n, (const void *)(uintptr_t)(string + places.length), sizeof n);
	if (n <= 0 || n > LONGEST)
		return 0;
	return pvp_clr_utf8((const void *)(uintptr_t)(string + places.text), (uint32_t)n, to, room);
}

static size_t put_work_name(const struct work *w, uint64_t first, char to[NAME])
{
	if (w->first == FILE_HANDLE)
		find_path();
	uint32_t place = atomic_load_explicit(&places.path, memory_order_relaxed);
	size_t n = (size_t)snprintf(to, NAME, "%s ", w->verb);
	uint64_t path = w->first == PATH ? first : 0;
	if (w->first == FILE_HANDLE && first && place)
		memcpy(&path, (const void *)(uintptr_t)(first + place), sizeof path);
	size_t more = put_path_string(path, to + n, NAME - n);
	return more ? n + more : n - 1;
}

/* Outermost first, by frame pointers: hooked methods have frame pointers, others mostly. */
static size_t put_hooked_stack(const struct pvp_clr_hooked *at, uint64_t to[FRAMES])
{
	uint64_t ip[2 * FRAMES];
	size_t n = 1, known = 0;
	ip[0] = at->ip;
	n += pvp_native_walk(at->frame, (uintptr_t)at, ip + 1, 2 * FRAMES - 1, NULL);
	for (size_t i = 0; i < n && known < FRAMES; i++) {
		uint64_t method = pvp_ranges_find(ip[i] - 1);
		if (method)
			to[known++] = method;
	}
	for (size_t i = 0; i < known / 2; i++) {
		uint64_t other = to[known - 1 - i];
		to[known - 1 - i] = to[i];
		to[i] = other;
	}
	return known;
}

/* Drops the open span if its method was left without an event. */
static bool is_within(const struct pvp_clr_hooked *at)
{
	if (!now.depth)
		return false;
	if (now.open && now.open->at > at)
		return true;
	free(now.open);
	now.open = NULL;
	now.depth = 0;
	return false;
}

void pvp_clr_file_begins(unsigned work, const struct pvp_clr_hooked *at)
{
	if (work > PV_COUNT_OF(works) || is_within(at)) {
		now.depth++;
		return;
	}
	struct span *s = malloc(sizeof *s);
	if (!s)
		return;
	s->at = at;
	s->name_n = put_work_name(&works[work - 1], at->argument, s->name);
	s->stack_n = put_hooked_stack(at, s->stack);
	s->since = pvp_monotonic();
	now.open = s;
	now.depth = 1;
}

void pvp_clr_file_ends(bool failed)
{
	static const char what[] = "file";
	struct span *s = now.open;
	if (!now.depth || --now.depth || !s)
		return;
	now.open = NULL;
	const struct pv_batch pools = { .pool = { s->stack, s->stack_n, s->stack_n } };
	struct pv_event ev = { .kind = PV_KIND_EXT_SPAN,
		.span = { .took_ns = pvp_monotonic() - s->since,
			.failed = failed,
			.what = { what, sizeof what - 1 },
			.name = { s->name, s->name_n },
			.stack = { 0, (uint32_t)s->stack_n } } };
	pvp_event(&ev, &pools, 0);
	free(s);
}
