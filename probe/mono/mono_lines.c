/* SPDX-License-Identifier: MIT */
/*
 * Source lines of compiled code (`lines`): the places where a method's code changes from a line to
 * another, from the runtime's debug information. Reported after the method's definition.
 */
#include <mono/metadata/appdomain.h>
#include <mono/metadata/mono-debug.h>
#include <stdlib.h>
#include <string.h>

#include "probe/mono/host_mono.h"
#include "probe/mono/mono_methods.h"
#include "probe/managed/managed_names.h"

enum { MOST = 1500 }; /* places of a method */

/* The runtime's layout; declared in no header. */
struct _MonoDebugLineNumberEntry {
	uint32_t il_offset, native_offset;
};

struct table {
	uint64_t pairs[2 * MOST]; /* offset in the code, line */
	size_t n;
	char *file;
};

static void add_source_line(
	struct table *t, MonoMethod *method, MonoDomain *domain, uint32_t offset)
{
	MonoDebugSourceLocation *at = mono_debug_lookup_source_location(method, offset, domain);
	if (!at)
		return;
	bool same = t->n > 0 && t->pairs[t->n - 1] == at->row;
	if (!same && t->n + 2 <= 2 * MOST) {
		t->pairs[t->n++] = offset;
		t->pairs[t->n++] = at->row;
	}
	if (!t->file && at->source_file)
		t->file = strdup(at->source_file);
	mono_debug_free_source_location(at);
}

static void define_lines(const struct table *t, uint64_t method)
{
	const struct pv_batch pools = { .pool = { (uint64_t *)(uintptr_t)t->pairs, t->n, t->n } };
	struct pv_event ev = { .kind = PV_KIND_EXT_LINES,
		.lines = { .method = method,
			.pairs = { 0, (uint32_t)t->n },
			.file = { t->file, strlen(t->file) } } };
	pvp_names_define_list(&ev, &pools);
}

void pvp_mono_lines(MonoMethod *method)
{
	MonoDomain *domain = mono_domain_get();
	MonoDebugMethodJitInfo *info = mono_debug_find_method(method, domain);
	if (!info)
		return;
	struct table *t = calloc(1, sizeof *t);
	for (uint32_t i = 0; t && i < info->num_line_numbers; i++)
		if (info->line_numbers[i].native_offset < info->code_size)
			add_source_line(t, method, domain, info->line_numbers[i].native_offset);
	mono_debug_free_method_jit_info(info);
	if (t && t->n && t->file)
		define_lines(t, pvp_mono_method(method));
	if (t)
		free(t->file);
	free(t);
}

void pvp_mono_lines_init(void)
{
	if (!mono_debug_enabled())
		mono_debug_init(MONO_DEBUG_FORMAT_MONO);
}
