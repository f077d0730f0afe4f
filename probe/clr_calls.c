/*
 * Calls: which methods are hooked is decided once, when a method is compiled; what is left out
 * costs nothing. Frames that an exception unwinds raise no leave: the runtime tells of them apart.
 */
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>

#include "probe/clr_hot.h"
#include "probe/emit.h"
#include "probe/host_clr.h"
#include "probe/mono_filter.h"

enum {
	TEXT = 1024,    /* UTF-16 units of a name */
	UNWINDING = 24, /* frames whose finally clauses threw again */
	OSXSAVE = 1 << 27,
	FAT = 3,
	TINY = 2, /* kinds of IL headers, in the low bits */
};

void pvp_clr_entered_slow(uint64_t method)
{
	pvp_call(PVP_ENTER, method);
}

void pvp_clr_left_slow(uint64_t method)
{
	pvp_call(PVP_LEAVE, method);
}

bool pvp_clr_stubs_work(void)
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
	in = pvp_filter_takes(filter, &(struct pvp_mono_method){ n->assembly, n->space, n->name,
					      n->method, il_size(module, token) });
done:
	free(n);
	return in;
}

static uint64_t map(uint64_t function, void *ctx, int32_t *ret_hook)
{
	const char *filter = pvp_clr.options.m.filter;
	(void)ctx;
	*ret_hook = !*filter || taken(filter, function);
	uint64_t number = *ret_hook ? pvp_clr_method_traced(function) : 0;
	if (!number)
		*ret_hook = 0;
	return number ? number : function;
}

/* --- exceptions */

struct unwinding {
	uint32_t n;
	uint32_t method[UNWINDING]; /* 0: not traced */
};

static _Thread_local struct unwinding unwinding __attribute__((tls_model("initial-exec")));

static pvp_hr unwinding_out_of(void *self, uint64_t function)
{
	struct unwinding *u = &unwinding;
	(void)self;
	if (u->n == UNWINDING) { /* the oldest is one that another exception took over */
		memmove(u->method, u->method + 1, sizeof u->method - sizeof u->method[0]);
		u->n--;
	}
	u->method[u->n++] = (uint32_t)pvp_clr_method_if_traced(function);
	return 0;
}

static pvp_hr unwound(void *self)
{
	struct unwinding *u = &unwinding;
	(void)self;
	if (u->n && u->method[--u->n])
		pvp_call(PVP_EXC_LEAVE, u->method[u->n]);
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
	if (!(pvp_clr.options.m.groups & PVP_MONO_CALLS))
		return;
	mask->low |= PVP_CLR_CALLS | PVP_CLR_EXCEPTIONS;
	if (pvp_clr.options.more & PVP_CLR_EVERY_CALL)
		mask->low |= PVP_CLR_NO_INLINING;
	pvp_clr.slots[PVP_CLR_ExceptionUnwindFunctionEnter] = (pvp_clr_slot)unwinding_out_of;
	pvp_clr.slots[PVP_CLR_ExceptionUnwindFunctionLeave] = (pvp_clr_slot)unwound;
}

bool pvp_clr_calls_hook(void)
{
	struct pvp_clr_info *info = pvp_clr.info;
	if (!(pvp_clr.options.m.groups & PVP_MONO_CALLS))
		return true;
	if (!pvp_clr_stubs_work() || info->is->set_function_mapper(info, map, NULL) < 0)
		return false;
	if (pvp_clr.options.more & PVP_CLR_EMPTY)
		return info->is->set_hooks(info, pvp_clr_empty_hook, pvp_clr_empty_hook,
			       pvp_clr_empty_hook) >= 0;
	return info->is->set_hooks(
		       info, pvp_clr_enter_hook, pvp_clr_leave_hook, pvp_clr_tail_hook) >= 0;
}
