/* SPDX-License-Identifier: MIT */
/* Callbacks for calls of methods: recorded, summed up, limited in depth; and the filters. */
#include <limits.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>

#include "probe/core/call_tree.h"
#include "probe/core/emit.h"
#include "probe/mono/host_mono.h"
#include "probe/managed/managed_filter.h"
#include "probe/mono/mono_methods.h"
#include "probe/managed/managed_names.h"

enum {
	TRACED = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER |
		 MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
		 MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL |
		 MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE,
};

static void entered(MonoProfiler *p, MonoMethod *method, MonoProfilerCallContext *context)
{
	(void)p, (void)context;
	pvp_call(PVP_ENTER, pvp_mono_called(method));
}

static void left(MonoProfiler *p, MonoMethod *method, MonoProfilerCallContext *context)
{
	(void)p, (void)context;
	pvp_call(PVP_LEAVE, pvp_mono_called(method));
}

/* The method's frame is gone; the target enters by itself. */
static void tail_called(MonoProfiler *p, MonoMethod *method, MonoMethod *target)
{
	(void)p, (void)target;
	pvp_call(PVP_LEAVE, pvp_mono_called(method));
}

/*
 * Reported for every frame whose method the filter takes, also for code compiled ahead of time,
 * which never calls us and so never entered.
 */
static void thrown_out_of(MonoProfiler *p, MonoMethod *method, MonoObject *exception)
{
	(void)p, (void)exception;
	uint64_t key = pvp_mono_method(method);
	if (pvp_names_calls(key))
		pvp_call(PVP_EXC_LEAVE, key);
}

/* --- summed up: the thread's call tree takes them */

static void tree_entered(MonoProfiler *p, MonoMethod *method, MonoProfilerCallContext *context)
{
	(void)p, (void)context;
	if (PVP_UNLIKELY(!pvp_guard_on())) {
		pvp_nested();
		return;
	}
	pvp_tree_enter(pvp_mono_called(method));
	pvp_guard_off();
}

static void tree_leaves(MonoMethod *method, bool exceptional)
{
	if (PVP_UNLIKELY(!pvp_guard_on())) {
		pvp_nested();
		return;
	}
	pvp_tree_leave(pvp_mono_called(method), exceptional);
	pvp_guard_off();
}

static void tree_left(MonoProfiler *p, MonoMethod *method, MonoProfilerCallContext *context)
{
	(void)p, (void)context;
	tree_leaves(method, false);
}

static void tree_tail_called(MonoProfiler *p, MonoMethod *method, MonoMethod *target)
{
	(void)p, (void)target;
	tree_leaves(method, false);
}

static void tree_thrown_out_of(MonoProfiler *p, MonoMethod *method, MonoObject *exception)
{
	(void)p, (void)exception;
	if (pvp_names_calls(pvp_mono_method(method)))
		tree_leaves(method, true);
}

/* --- calldepth=N: what has more than N callers is left out */

struct callbacks {
	MonoProfilerMethodEnterCallback enter;
	MonoProfilerMethodLeaveCallback leave;
	MonoProfilerMethodTailCallCallback tail_call;
	MonoProfilerMethodExceptionLeaveCallback exception_leave;
};

static const struct callbacks each = { entered, left, tail_called, thrown_out_of },
			      summed = { tree_entered, tree_left, tree_tail_called,
				      tree_thrown_out_of };

static const struct callbacks *shallow; /* receives the calls not too deep */
static _Thread_local unsigned depth __attribute__((tls_model("initial-exec")));

static bool leaves_shallow(const MonoProfiler *p)
{
	depth -= depth > 0; /* may have entered before calls were reported */
	return depth <= p->options.call_depth;
}

static void shallow_entered(MonoProfiler *p, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (depth++ <= p->options.call_depth)
		shallow->enter(p, method, context);
}

static void shallow_left(MonoProfiler *p, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (leaves_shallow(p))
		shallow->leave(p, method, context);
}

static void shallow_tail_called(MonoProfiler *p, MonoMethod *method, MonoMethod *target)
{
	if (leaves_shallow(p))
		shallow->tail_call(p, method, target);
}

static void shallow_thrown_out_of(MonoProfiler *p, MonoMethod *method, MonoObject *exception)
{
	if (pvp_names_calls(pvp_mono_method(method)) && leaves_shallow(p))
		shallow->exception_leave(p, method, exception);
}

static const struct callbacks counting_depth = { shallow_entered, shallow_left, shallow_tail_called,
	shallow_thrown_out_of };

/* --- */

static uint32_t il_size(MonoMethod *method)
{
	uint32_t n = 0;
	MonoMethodHeader *header = mono_method_get_header(method);
	if (header) {
		mono_method_header_get_code(header, &n, NULL);
		mono_metadata_free_mh(header);
	}
	return n;
}

bool pvp_mono_filter(const char *filter, MonoMethod *method)
{
	if (!*filter)
		return true;
	MonoClass *klass = mono_method_get_class(method);
	struct pvp_managed_method m = {
		.assembly = mono_image_get_name(mono_class_get_image(klass)),
		.name_space = mono_class_get_namespace(klass),
		.class_name = mono_class_get_name(klass),
		.name = mono_method_get_name(method),
		.il = il_size(method),
	};
	return pvp_filter_takes(filter, &m);
}

/* Functions of the runtime, used by the stock profiler; in no header, not in old versions. */
extern mono_bool mono_callspec_parse(const char *text, void *ret, char **ret_error)
	__attribute__((weak));
extern mono_bool mono_callspec_eval(MonoMethod *method, const void *spec) __attribute__((weak));

static union {
	void *align;
	char room[128]; /* less than 32 are used */
} spec;

bool pvp_mono_callspec_sound(const char *text)
{
	char *error = NULL;
	return !*text || (mono_callspec_parse && mono_callspec_eval &&
				 mono_callspec_parse(text, &spec, &error));
}

/* Whether a wrapper of the runtime for calling profilers: calls no code of the program. */
static bool only_tells(MonoMethod *method)
{
	static const char prefix[] = "__icall_wrapper_mono_profiler_";
	return strncmp(mono_method_get_name(method), prefix, sizeof prefix - 1) == 0;
}

static MonoProfilerCallInstrumentationFlags traced(MonoProfiler *p, MonoMethod *method)
{
	bool chosen = !only_tells(method) && pvp_mono_filter(p->options.filter, method) &&
		      (!p->options.callspec[0] || mono_callspec_eval(method, &spec));
	pvp_mono_compile_asked(chosen ? pvp_mono_called(method) : 0);
	return chosen ? (MonoProfilerCallInstrumentationFlags)TRACED
		      : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

void pvp_mono_calls_init(struct _MonoProfiler *p)
{
	const struct callbacks *c = &each;
	mono_profiler_set_call_instrumentation_filter_callback(p->handle, traced);
	if (p->options.groups & PVP_MANAGED_TREE) {
		pvp_tree_use(true, p->options.tree_cpu, p->options.tree_bytes);
		c = &summed;
	}
	if (p->options.call_depth != UINT_MAX) {
		shallow = c;
		c = &counting_depth;
	}
	mono_profiler_set_method_enter_callback(p->handle, c->enter);
	mono_profiler_set_method_leave_callback(p->handle, c->leave);
	mono_profiler_set_method_tail_call_callback(p->handle, c->tail_call);
	mono_profiler_set_method_exception_leave_callback(p->handle, c->exception_leave);
}
