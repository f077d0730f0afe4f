/* SPDX-License-Identifier: MIT */
/* Judges whose code a method is: the user's, a framework's, a runtime's. */
#include "common/query/groups/code_kind.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/own_frame.h"
#include "common/base/text/resumption.h"
#include "common/model/model.h"
#include "common/query/groups/groups_shared.h"
#include "common/query/membership.h"

const char *pv_code_kind_text(enum pv_code_kind kind)
{
	static const char *const text[] = { [PV_CODE_USER] = "user",
		[PV_CODE_FRAMEWORK] = "framework",
		[PV_CODE_RUNTIME] = "runtime",
		[PV_CODE_NATIVE] = "native",
		[PV_CODE_JIT] = "jit",
		[PV_CODE_UNKNOWN] = NULL };
	return text[kind];
}

static bool slice_begins(struct pv_slice s, const char *with)
{
	size_t n = strlen(with);
	return s.len >= n && memcmp(s.at, with, n) == 0;
}

static bool begins_one(struct pv_slice s, const char *const *with, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_begins(s, with[i]))
			return true;
	return false;
}

static bool slice_ends(struct pv_slice s, const char *with)
{
	size_t n = strlen(with);
	return s.len >= n && memcmp(s.at + s.len - n, with, n) == 0;
}

static struct pv_slice file_of(struct pv_slice path)
{
	const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
	size_t from = slash ? (size_t)(slash - path.at) + 1 : 0;
	return (struct pv_slice){ path.at + from, path.len - from };
}

static enum pv_code_kind kind_of_image(struct pv_slice path)
{
	static const char *const files[] = { "System.", "Microsoft.", "Mono.", "mscorlib",
		"netstandard", "WindowsBase" };
	bool installed = pv_slice_has(path, "/shared/Microsoft.") ||
			 (pv_slice_has(path, "/lib/mono/") && !slice_ends(path, ".exe"));
	return installed || begins_one(file_of(path), files, PV_COUNT_OF(files)) ? PV_CODE_FRAMEWORK
										 : PV_CODE_USER;
}

static enum pv_code_kind kind_of_name(const char *name)
{
	static const char *const spaces[] = { "System.", "Microsoft.", "Mono.", "Internal.",
		"Interop", "object:", "string:" };
	const struct pv_slice s = { name, strlen(name) };
	return begins_one(s, spaces, PV_COUNT_OF(spaces)) ? PV_CODE_FRAMEWORK : PV_CODE_USER;
}

static bool is_runtimes(struct pv_slice file)
{
	static const char *const ours[] = { "libcoreclr", "libclr", "libSystem.", "libhostfxr",
		"libhostpolicy", "libmscordac", "libmono", "libMono", "mono", "dotnet" };
	return begins_one(file, ours, PV_COUNT_OF(ours));
}

/* Logs joined as texts of stacks have no addresses: the file is in the name only. */
static bool is_unresolved_runtimes(const char *name)
{
	static const char in[] = "unresolved in ";
	const size_t n = sizeof in - 1;
	return strncmp(name, in, n) == 0 &&
	       is_runtimes((struct pv_slice){ name + n, strlen(name + n) });
}

static enum pv_code_kind kind_of_file(struct pv_slice path, const char *name, bool managed)
{
	static const char *const symbols[] = { "mono_", "sgen_" };
	static const char *const installed[] = { "/lib", "/usr/lib" };
	const struct pv_slice file = file_of(path), symbol = { name, strlen(name) };
	if (slice_begins(file, "libprofview"))
		return PV_CODE_RUNTIME;
	if (!managed && (slice_begins(file, "memfd:doublemapper") ||
				(slice_begins(file, "perf-") && slice_ends(file, ".map"))))
		return strchr(name, ':') && strstr(name, " (") ? kind_of_name(name) : PV_CODE_JIT;
	if (managed && (is_runtimes(file) ||
			       (!path.len && begins_one(symbol, symbols, PV_COUNT_OF(symbols)))))
		return PV_CODE_RUNTIME;
	if (managed || !slice_begins(path, "/") ||
		begins_one(path, installed, PV_COUNT_OF(installed)))
		return PV_CODE_NATIVE;
	return PV_CODE_USER;
}

/* Names that the probe gives to code in no file: perf_map.h. */
static bool is_jit(const char *name)
{
	const struct pv_slice s = { name, strlen(name) };
	return slice_ends(s, " [jit]") || strcmp(name, "[unknown code]") == 0;
}

/* The last image judged: most methods share the image of the method before. */
struct last_image {
	struct pv_slice path;
	enum pv_code_kind kind;
};

static enum pv_code_kind kind_of_last(struct last_image *last, struct pv_slice path)
{
	if (path.at != last->path.at || path.len != last->path.len)
		*last = (struct last_image){ path, kind_of_image(path) };
	return last->kind;
}

static enum pv_code_kind kind_of(
	const struct pv_membership *x, uint32_t method, bool managed, struct last_image *last)
{
	const struct pv_names *n = &x->m->names;
	const char *name = pv_intern_text(&n->text, pv_names_method_name(n, method));
	bool of_class;
	if (strcmp(name, PV_OWN_FRAME) == 0)
		return PV_CODE_RUNTIME;
	if (strncmp(name, "(wrapper ", 9) == 0 || strncmp(name, "(dynamic)", 9) == 0 ||
		strncmp(name, "[.NET ", 6) == 0)
		return PV_CODE_RUNTIME;
	if (strcmp(name, PV_RESUMED) == 0)
		return PV_CODE_FRAMEWORK;
	const struct pv_slice path = pv_membership_file(x, method, &of_class);
	if (of_class && path.len)
		return kind_of_last(last, path);
	if (!of_class && (strcmp(name, "_start") == 0 || strncmp(name, "_start [", 8) == 0))
		return PV_CODE_NATIVE; /* of the C library, though linked into each program */
	if (!of_class && is_jit(name))
		return PV_CODE_JIT;
	if (!of_class && managed && !path.len && is_unresolved_runtimes(name))
		return PV_CODE_RUNTIME;
	bool native = n->method.v[method].native || path.len;
	if (!of_class && native)
		return kind_of_file(path, name, managed);
	if (!name[0])
		return PV_CODE_UNKNOWN;
	return managed || strchr(name, ':') ? kind_of_name(name) : PV_CODE_USER;
}

static void find_kinds(const struct pv_membership *x, const struct pv_groups *g, uint8_t *kind)
{
	const struct pv_names *n = &x->m->names;
	struct last_image last = { 0 };
	bool managed =
		!pv_target_is_native(&x->m->target) && !pv_target_is_perf_text(&x->m->target);
	for (uint32_t i = 1; i < n->method.n && i < g->of_n; i++) {
		uint8_t *to = &kind[g->of[i]];
		if (*to == PV_CODE_USER || i == n->other_method)
			continue;
		enum pv_code_kind found = kind_of(x, i, managed, &last);
		if (found < *to)
			*to = (uint8_t)found;
	}
}

static uint8_t *make_kinds(const struct pv_groups *g, const struct pv_model *m)
{
	struct pv_membership x;
	uint8_t *kind = malloc(g->row.n ? g->row.n : 1);
	bool ok = pv_membership_init(&x, m) && kind;
	if (ok) {
		memset(kind, PV_CODE_UNKNOWN, g->row.n);
		find_kinds(&x, g, kind);
	}
	pv_membership_finish(&x);
	if (ok)
		return kind;
	free(kind);
	return NULL;
}

const uint8_t *pv_groups_kinds(const struct pv_groups *g, const struct pv_model *m)
{
	if (!g->shared->kind)
		g->shared->kind = make_kinds(g, m);
	return g->shared->kind;
}
