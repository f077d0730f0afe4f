/* SPDX-License-Identifier: MIT */
/*
 * Calls: a method is hooked or not once and for all when compiled; methods not hooked cost nothing.
 * Frames unwound by an exception raise no leave: the runtime reports them separately.
 */
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>

#include "probe/clr/clr_hot.h"
#include "probe/clr/clr_runtime.h"
#include "probe/core/call_tree.h"
#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_filter.h"

enum {
	TEXT = 1024,    /* UTF-16 units of a name */
	UNWINDING = 16, /* frames whose finally clauses threw again */
	OSXSAVE = 1 << 27,
	FAT = 3,
	TINY = 2, /* kinds of IL headers, in the low bits */
};

/* A hooked method's number: its key if its calls are recorded, above it the kind of work. */
enum { WORK = 32 };

enum { TRACED = PVP_MANAGED_CALLS | PVP_MANAGED_TREE };

void pvp_clr_entered_slow(uint64_t method, const struct pvp_clr_hooked *at)
{
	(void)at;
	pvp_call(PVP_ENTER, method);
}

void pvp_clr_left_slow(uint64_t method, const struct pvp_clr_hooked *at)
{
	(void)at;
	pvp_call(PVP_LEAVE, method);
}

void pvp_clr_entered_some_slow(uint64_t method, const struct pvp_clr_hooked *at)
{
	if ((uint32_t)method)
		pvp_call(PVP_ENTER, (uint32_t)method);
	if (method >> WORK)
		pvp_clr_file_begins((unsigned)(method >> WORK), at);
}

void pvp_clr_left_some_slow(uint64_t method, const struct pvp_clr_hooked *at)
{
	(void)at;
	if (method >> WORK)
		pvp_clr_file_ends(false);
	if ((uint32_t)method)
		pvp_call(PVP_LEAVE, (uint32_t)method);
}

static void tree_call(enum pvp_call_event event, uint32_t method)
{
	if (!pvp_guard_on()) {
		pvp_nested();
		return;
	}
	if (event == PVP_ENTER)
		pvp_tree_enter(method);
	else
		pvp_tree_leave(method, event == PVP_EXC_LEAVE);
	pvp_guard_off();
}

void pvp_clr_entered_tree_slow(uint64_t method, const struct pvp_clr_hooked *at)
{
	if ((uint32_t)method)
		tree_call(PVP_ENTER, (uint32_t)method);
	if (method >> WORK)
		pvp_clr_file_begins((unsigned)(method >> WORK), at);
}

void pvp_clr_left_tree_slow(uint64_t method, const struct pvp_clr_hooked *at)
{
	(void)at;
	if (method >> WORK)
		pvp_clr_file_ends(false);
	if ((uint32_t)method)
		tree_call(PVP_LEAVE, (uint32_t)method);
}

/* Whether this processor can save vector registers as the stubs do. */
static bool stubs_work(void)
{
	unsigned a, b, c, d;
	return __get_cpuid(1, &a, &b, &c, &d) && c & OSXSAVE;
}

/* --- the filter */

static uint32_t il_size(uint64_t module, uint32_t token)
{
	struct pvp_clr_info *info = pvp_clr.info;
	const uint8_t *il = NULL;
	uint32_t n = 0, size;
	if (info->is->il_body(info, module, token, &il, &n) < 0 || !il || !n)
		return 0;
	if ((*il & 3) == TINY)
		return *il >> 2;
	if ((*il & 3) != FAT || n < 12)
		return 0;
	memcpy(&size, il + 4, sizeof size);
	return size;
}

struct names {
	char assembly[TEXT], space[TEXT], name[TEXT], method[TEXT];
};

static void class_names(struct pvp_clr_metadata *m, uint32_t type, struct names *n)
{
	pvp_char text[TEXT];
	uint32_t len = 0, flags = 0, ignored;
	for (unsigned depth = 0; depth < 8; depth++) {
		char full[TEXT];
		if (m->is->type(m, type, text, TEXT, &len, &flags, &ignored) < 0)
			return;
		pvp_clr_utf8(text, len, full, sizeof full);
		char *dot = strrchr(full, '.');
		if (depth == 0)
			memcpy(n->name, dot ? dot + 1 : full, strlen(dot ? dot + 1 : full) + 1);
		if (dot)
			*dot = 0;
		memcpy(n->space, dot ? full : "", strlen(dot ? full : "") + 1);
		if ((flags & 7) < 2 || m->is->nested(m, type, &type) < 0)
			return;
	}
}

static bool taken(const char *filter, uint64_t function)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct names *n = calloc(1, sizeof *n);
	uint64_t class, module, assembly, domain, home;
	uint32_t token, len = 0, type = 0, ignored;
	const uint8_t *bytes;
	pvp_char text[TEXT];
	bool in = false;
	if (!n || info->is->function_info(
			  info, function, 0, &class, &module, &token, 0, &ignored, NULL) < 0)
		goto done;
	if (info->is->module_info(info, module, &bytes, 0, &len, NULL, &assembly) >= 0 &&
		info->is->assembly_info(info, assembly, TEXT, &len, text, &domain, &home) >= 0)
		pvp_clr_utf8(text, len, n->assembly, sizeof n->assembly);
	struct pvp_clr_metadata *m = pvp_clr_metadata(module);
	if (m && m->is->method(m, token, &type, text, TEXT, &len, &ignored, &bytes, &ignored,
			 &ignored, &ignored) >= 0) {
		pvp_clr_utf8(text, len, n->method, sizeof n->method);
		class_names(m, type, n);
	}
	if (m)
		m->is->unknown.release(m);
	in = pvp_filter_takes(filter, &(struct pvp_managed_method){ n->assembly, n->space, n->name,
					      n->method, il_size(module, token) });
done:
	free(n);
	return in;
}

static uint64_t map(uint64_t function, void *ctx, int32_t *ret_hook)
{
	const char *filter = pvp_clr.options.m.filter;
	(void)ctx;
	bool calls = pvp_clr_groups() & TRACED;
	bool traced = calls && (!*filter || taken(filter, function));
	unsigned work = pvp_clr_more() & PVP_CLR_FILES ? pvp_clr_file_work(function) : 0;
	uint64_t number = traced || work ? pvp_clr_method_hook(function, traced, work) : 0;
	*ret_hook = number != 0;
	if (!number)
		return function;
	return (traced ? number : 0) | (uint64_t)work << WORK;
}

/* An inlined method would call no hook. */
static pvp_hr inlining(void *self, uint64_t into, uint64_t function, int32_t *ret_may)
{
	(void)self, (void)into;
	if (pvp_clr_file_work(function))
		*ret_may = 0;
	return 0;
}

/* --- exceptions */

struct unwinding {
	uint32_t n;
	uint32_t method[UNWINDING]; /* 0: not traced; may have IS_WORK set */
};
#define IS_WORK (UINT32_C(1) << 31)

static _Thread_local struct unwinding unwinding __attribute__((tls_model("initial-exec")));

static pvp_hr unwinding_out_of(void *self, uint64_t function)
{
	struct unwinding *u = &unwinding;
	(void)self;
	if (u->n == UNWINDING) { /* the oldest was taken over by another exception */
		memmove(u->method, u->method + 1, sizeof u->method - sizeof u->method[0]);
		u->n--;
	}
	bool work;
	uint32_t key = (uint32_t)pvp_clr_method_if_hooked(function, &work);
	u->method[u->n++] = key | (work ? IS_WORK : 0);
	return 0;
}

static pvp_hr unwound(void *self)
{
	struct unwinding *u = &unwinding;
	(void)self;
	uint32_t method = u->n ? u->method[--u->n] : 0;
	if (method & IS_WORK)
		pvp_clr_file_ends(true);
	method &= ~IS_WORK;
	if (method && pvp_clr_groups() & PVP_MANAGED_TREE)
		tree_call(PVP_EXC_LEAVE, method);
	else if (method)
		pvp_call(PVP_EXC_LEAVE, method);
	return 0;
}

void pvp_clr_calls_caught(void)
{
	struct unwinding *u = &unwinding;
	if (u->n)
		u->n--; /* the catching method goes on */
}

void pvp_clr_calls_init(struct pvp_clr_mask *mask)
{
	bool files = pvp_clr_more() & PVP_CLR_FILES;
	const struct pvp_managed_options *o = &pvp_clr.options.m;
	pvp_tree_use(o->groups & PVP_MANAGED_TREE, o->tree_cpu, o->tree_bytes);
	if (!(o->groups & TRACED) && !files)
		return;
	if (files)
		pvp_clr.slots[PVP_CLR_JITInlining] = (pvp_clr_slot)inlining;
	mask->low |= PVP_CLR_CALLS | PVP_CLR_EXCEPTIONS;
	if (pvp_clr_more() & PVP_CLR_EVERY_CALL)
		mask->low |= PVP_CLR_NO_INLINING;
	pvp_clr.slots[PVP_CLR_ExceptionUnwindFunctionEnter] = (pvp_clr_slot)unwinding_out_of;
	pvp_clr.slots[PVP_CLR_ExceptionUnwindFunctionLeave] = (pvp_clr_slot)unwound;
}

bool pvp_clr_calls_hook(void)
{
	struct pvp_clr_info *info = pvp_clr.info;
	bool files = pvp_clr_more() & PVP_CLR_FILES;
	if (!(pvp_clr_groups() & TRACED) && !files)
		return true;
	if (files && !pvp_clr_files_init())
		return false;
	if (!stubs_work() || info->is->set_function_mapper(info, map, NULL) < 0)
		return false;
	if (pvp_clr_more() & PVP_CLR_EMPTY)
		return info->is->set_hooks(info, pvp_clr_empty_hook, pvp_clr_empty_hook,
			       pvp_clr_empty_hook) >= 0;
	if (pvp_clr_groups() & PVP_MANAGED_TREE)
		return info->is->set_hooks(info, pvp_clr_enter_tree_hook, pvp_clr_leave_tree_hook,
			       pvp_clr_tail_tree_hook) >= 0;
	if (files)
		return info->is->set_hooks(info, pvp_clr_enter_some_hook, pvp_clr_leave_some_hook,
			       pvp_clr_tail_some_hook) >= 0;
	return info->is->set_hooks(
		       info, pvp_clr_enter_hook, pvp_clr_leave_hook, pvp_clr_tail_hook) >= 0;
}
