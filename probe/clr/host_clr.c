/* SPDX-License-Identifier: MIT */
/*
 * Entry points of the .NET module: the runtime loads the library by path and asks DllGetClassObject
 * for a factory, this for a profiler, and the profiler's table of callbacks to begin.
 */
#include "probe/unwind/unwind_set.h"
#include "probe/clr/host_clr.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/coreclr.h"
#include "probe/clr/clr_heap.h"
#include "probe/clr/clr_lines.h"
#include "probe/clr/clr_runtime.h"
#include "probe/managed/managed_filter.h"
#include "probe/code/allowed.h"
#include "probe/code/kernel_stack.h"
#include "probe/code/modules.h"
#include "probe/managed/managed_names.h"
#include "probe/managed/managed_places.h"
#include "probe/code/native_samples.h"
#include "probe/code/stack_ends.h"
#include "probe/ground/sample_rate.h"
#include "probe/control/session.h"

#define EXPORT __attribute__((visibility("default")))

static const uint8_t our_guid[16] = PV_CORECLR_GUID_BYTES;

static const struct pvp_guid unknown_iid = { 0, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };
static const struct pvp_guid factory_iid = { 1, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };

/* ICorProfilerCallback, 2, ... 11. */
static const struct pvp_guid callback_iids[] = {
	{ 0x176fbed1, 0xa55c, 0x4796, { 0x98, 0xca, 0xa9, 0xda, 0x0e, 0xf8, 0x83, 0xe7 } },
	{ 0x8a8cc829, 0xccf2, 0x49fe, { 0xbb, 0xae, 0x0f, 0x02, 0x22, 0x28, 0x07, 0x1a } },
	{ 0x4fd2ed52, 0x7731, 0x4b8d, { 0x94, 0x69, 0x03, 0xd2, 0xcc, 0x30, 0x86, 0xc5 } },
	{ 0x7b63b2e3, 0x107d, 0x4d48, { 0xb2, 0xf6, 0xf6, 0x1e, 0x22, 0x94, 0x70, 0xd2 } },
	{ 0x8dfba405, 0x8c9f, 0x45f8, { 0xbf, 0xfa, 0x83, 0xb1, 0x4c, 0xef, 0x78, 0xb5 } },
	{ 0xfc13df4b, 0x4448, 0x4f4f, { 0x95, 0x0c, 0xba, 0x8d, 0x19, 0xd0, 0x0c, 0x36 } },
	{ 0xf76a2dba, 0x1d52, 0x4539, { 0x86, 0x6c, 0x2a, 0xa5, 0x18, 0xf9, 0xef, 0xc3 } },
	{ 0x5bed9b15, 0xc079, 0x4d47, { 0xbf, 0xe2, 0x21, 0x5a, 0x14, 0x0c, 0x07, 0xe0 } },
	{ 0x27583ec3, 0xc8f5, 0x482f, { 0x80, 0x52, 0x19, 0x4b, 0x8c, 0xe4, 0x70, 0x5a } },
	{ 0xcec5b60e, 0xc69c, 0x495f, { 0x87, 0xf6, 0x84, 0xd2, 0x8e, 0xe1, 0x6f, 0xfb } },
	{ 0x42350846, 0xaaed, 0x47f7, { 0xb1, 0x28, 0xfd, 0x0c, 0x98, 0x88, 0x1c, 0xde } },
};

/* ICorProfilerInfo15 and earlier, newest first. */
static const struct {
	int version;
	struct pvp_guid iid;
} info_iids[] = {
	{ 15, { 0xb446462d, 0xbd22, 0x41dd, { 0x87, 0x2d, 0xdc, 0x71, 0x4c, 0x49, 0xeb, 0x56 } } },
	{ 14, { 0xf460e352, 0xd76d, 0x4fe9, { 0x83, 0x5f, 0xf6, 0xaf, 0x9d, 0x6e, 0x86, 0x2d } } },
	{ 13, { 0x6e6c7ee2, 0x0701, 0x4ec2, { 0x9d, 0x29, 0x2e, 0x87, 0x33, 0xb6, 0x69, 0x34 } } },
	{ 12, { 0x27b24ccd, 0x1cb1, 0x47c5, { 0x96, 0xee, 0x98, 0x19, 0x0d, 0xc3, 0x09, 0x59 } } },
	{ 11, { 0x06398876, 0x8987, 0x4154, { 0xb6, 0x21, 0x40, 0xa0, 0x0d, 0x6e, 0x4d, 0x04 } } },
	{ 10, { 0x2f1b5152, 0xc869, 0x40c9, { 0xaa, 0x5f, 0x3a, 0xbe, 0x02, 0x6b, 0xd7, 0x20 } } },
	{ 9, { 0x008170db, 0xf8cc, 0x4796, { 0x9a, 0x51, 0xdc, 0x8a, 0xa0, 0xb4, 0x70, 0x12 } } },
	{ 8, { 0xc5ac80a6, 0x782e, 0x4716, { 0x80, 0x44, 0x39, 0x59, 0x8c, 0x60, 0xcf, 0xbf } } },
	{ 7, { 0x9aeecc0d, 0x63e0, 0x4187, { 0x8c, 0x00, 0xe3, 0x12, 0xf5, 0x03, 0xf6, 0x63 } } },
};

static bool same_guid(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct pvp_guid)) == 0;
}

static const char *clr_words(void)
{
	return pvp_clr.options.words;
}

static bool tell_clr(struct pvp_writer *w, struct pvp_out_buffer *page, bool again)
{
	if (!again)
		pvp_clr_heap_seen();
	if (pvp_clr_classes_waiting())
		pvp_clr_agent_name();
	pvp_clr_heap_tick();
	bool ok = pvp_names_tell(w, page, again) && pvp_clr_counters_tell(w, page, again);
	if (ok && pvp_clr_groups() & PVP_MANAGED_SAMPLES)
		ok = pvp_modules_tell(w, page, again);
	if (!again && pvp_clr.options.m.frames)
		pvp_unwind_refresh(); /* used to walk stacks of events */
	if (ok && !again) {
		pvp_clr_samples_tell(w, page);
	} else if (ok) {
		pvp_clr_lines_again();
		pvp_stack_ends_again();
	}
	return ok;
}

/* The runtime's methods, else native functions that samples met. */
static bool clr_method(uint64_t key, struct pvp_method *ret)
{
	static const char unknown[] = "[unknown code]";
	if (key == PVP_CLR_UNKNOWN) {
		*ret = (struct pvp_method){ 0, 0, unknown, sizeof unknown - 1 };
		return true;
	}
	return pvp_names_method(key, ret) || pvp_modules_method(key, ret);
}

static void stop_clr(void)
{
	pvp_native_samples_stop();
	pvp_modules_finish();
	pvp_clr_stopped();
}

static void flushed(struct pvp_writer *w)
{
	pvp_names_flushed(w);
	pvp_clr_heap_flushed(w);
}

/* The lookup of precompiled code is set up at the start only. */
static enum pvp_reply set_clr_option(const char *key, const char *value, char *say, size_t room)
{
	enum pvp_reply switched = pvp_clr_switch(key, value, say, room);
	if (switched != PVP_REPLY_UNKNOWN)
		return switched;
	const struct pvp_managed_options *m = &pvp_clr.options.m;
	struct pvp_sample_order order;
	enum pvp_reply r = pvp_sample_rate(key, value, m->sample_hz, &order, say, room);
	if (r != PVP_REPLY_OK)
		return r;
	if (!(m->groups & PVP_MANAGED_SAMPLES)) {
		snprintf(say, room, "samples have to be asked for at the start");
		return PVP_REPLY_ERROR;
	}
	pvp_native_samples_order(order);
	pvp_sample_say(order.hz, say, room);
	return r;
}

static const struct pvp_host host = {
	.name = "coreclr",
	.stop = stop_clr,
	.refresh = pvp_modules_refresh,
	.method = clr_method,
	.place = pvp_managed_place_method,
	.tell = tell_clr,
	.on_flushed = flushed,
	.on_reader_lost = pvp_clr_reader_lost,
	.discarded_shots = pvp_clr_heap_discarded,
	.forces_collections = true,
	.heapshot = pvp_clr_heap_ask,
	.set = set_clr_option,
	.enabled_events = clr_words,
};

static void complain(const char *what)
{
	if (pvp_clr.attached)
		return; /* the client gets this as the answer */
	char line[256];
	int n = snprintf(
		line, sizeof line, "profview: %.200s: the program runs unprofiled\n", what);
	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
		return;
}

/* --- the profiler */

static bool find_info(struct pvp_clr_unknown *runtime)
{
	void *found = NULL;
	for (size_t i = 0; i < PV_COUNT_OF(info_iids); i++) {
		if (runtime->is->query(runtime, &info_iids[i].iid, &found) == 0 && found) {
			pvp_clr.info = found;
			pvp_clr.version = info_iids[i].version;
			return true;
		}
	}
	complain("this .NET runtime is too old");
	return false;
}

/* Variables set over the diagnostics socket are in the runtime's environment only. */
static const char *options_text(char *to, size_t room)
{
	pvp_char name[sizeof PV_CORECLR_OPTIONS], value[PVP_MANAGED_TEXT];
	struct pvp_clr_info *info = pvp_clr.info;
	const char *text = secure_getenv(PV_CORECLR_OPTIONS);
	uint32_t n = 0;
	if (text || pvp_clr.version < 11)
		return text ? text : "";
	for (size_t i = 0; i < sizeof PV_CORECLR_OPTIONS; i++)
		name[i] = (pvp_char)PV_CORECLR_OPTIONS[i];
	if (info->is->get_environment(info, name, PVP_MANAGED_TEXT, &n, value) != 0)
		return "";
	pvp_clr_utf8(value, n, to, room);
	return to;
}

static bool kernel_wanted(const struct pvp_managed_options *m)
{
	return m->groups & PVP_MANAGED_KERNEL && m->groups & PVP_MANAGED_SAMPLES;
}

/* 0, or why not: an option, or something else. */
static pvp_hr start_session(const char *text)
{
	char core[2 * PVP_MANAGED_TEXT], why[PVP_CLR_WHY];
	struct pvp_clr_options *o = &pvp_clr.options;
	if (!pvp_clr_parse(text, pvp_clr.version >= 12, o, why)) {
		complain(why);
		return PVP_HR_ARGUMENT;
	}
	if (!pvp_filter_sound(o->m.filter)) {
		complain("the filter in " PV_CORECLR_OPTIONS " is not understood");
		return PVP_HR_ARGUMENT;
	}
	if (o->more & PVP_CLR_NO_SDK && !pvp_clr.attached && pvp_clr_is_sdks())
		return PVP_HR_CANCEL;
	if (o->more & PVP_CLR_ASK)
		return PVP_HR_FILTERED(
			(uint32_t)pvp_call_forbidden_runtime() & PV_CORECLR_FILTERED_CALL);
	int forbidden =
		pvp_call_forbidden(true); /* a runtime has made threads before it loads this */
	if (forbidden != PVP_CALL_NONE) {
		snprintf(core, sizeof core, "its filter of system calls forbids %s",
			pvp_call_name(forbidden));
		complain(core);
		return PVP_HR_FILTERED(forbidden);
	}
	pvp_calls_say(o->words, sizeof o->words);
	size_t used = strlen(o->words);
	const char *kernel = pvp_kernel_want_word(kernel_wanted(&o->m));
	if (*kernel)
		snprintf(o->words + used, sizeof o->words - used, "%s%s", used ? "," : "", kernel);
	snprintf(core, sizeof core, "calls=%s,alloc=%s%s%.1000s",
		o->m.groups & (PVP_MANAGED_CALLS | PVP_MANAGED_TREE) ? "on" : "off",
		o->m.groups & PVP_MANAGED_ALLOC ? "on" : "off", o->m.rest[0] ? "," : "", o->m.rest);
	int error = pvp_session_start(core, &host);
	/* Of several processes under one launch the first is recorded; the others say nothing. */
	if (error == EINVAL) {
		complain("an option in " PV_CORECLR_OPTIONS " is not understood");
		return PVP_HR_ARGUMENT;
	}
	if (error && error != EBUSY && error != ECANCELED) {
		snprintf(core, sizeof core, "cannot record: %.100s", strerror(error));
		complain(core);
	}
	return error ? PVP_HR_CANCEL : 0;
}

/* The mask first: hooks are refused before it. */
static bool watch(void)
{
	struct pvp_clr_mask mask = { 0, 0 };
	struct pvp_clr_info *info = pvp_clr.info;
	pvp_clr_meta_init(&mask);
	pvp_clr_threads_init(&mask);
	pvp_clr_events_init(&mask);
	pvp_clr_calls_init(&mask);
	pvp_clr_alloc_init(&mask);
	pvp_clr_pipe_init(&mask);
	pvp_clr_heap_init(&mask);
	pvp_clr_samples_init(&mask);
	pvp_clr_moves_init(&mask);
	pvp_clr_crossings_init(&mask);
	pvp_clr_leave_mask(&mask);
	if (info->is->set_event_mask(info, mask.low, mask.high) == 0 && pvp_clr_calls_hook()) {
		pvp_clr_pipe_open();
		return true;
	}
	complain("the .NET runtime refuses to tell what was asked for");
	return false;
}

/* The writer runs from the start on; the agent waits until the mask is set. */
static pvp_hr begin_session(const char *text)
{
	pvp_clr_counters_begin();
	pvp_clr_leave_begin();
	pvp_hr wrong = start_session(text);
	bool refused = !wrong && !watch();
	if (refused)
		pvp_clr_leave_ending();
	pvp_clr_leave_ready();
	if (refused)
		pvp_session_stop();
	return refused ? PVP_HR_CANCEL : wrong;
}

static pvp_hr initialize(void *self, struct pvp_clr_unknown *runtime)
{
	char text[3 * PVP_MANAGED_TEXT];
	(void)self;
	if (pvp_clr.info || !find_info(runtime))
		return PVP_HR_CANCEL;
	return begin_session(options_text(text, sizeof text)) ? PVP_HR_CANCEL : 0;
}

/* Options only possible at a program's start are refused, so no client waits for their events. */
static pvp_hr initialize_attached(
	void *self, struct pvp_clr_unknown *runtime, const void *data, uint32_t n)
{
	char text[PVP_MANAGED_TEXT] = "", why[PVP_CLR_WHY];
	const struct pvp_managed_options *o = &pvp_clr.options.m;
	(void)self;
	if (pvp_clr.info || n >= sizeof text || !find_info(runtime))
		return PVP_HR_CANCEL;
	if (data)
		memcpy(text, data, n);
	text[data ? n : 0] = 0;
	pvp_clr.attached = true;
	bool parsed = pvp_clr_parse(text, pvp_clr.version >= 12, &pvp_clr.options, why);
	bool only_at_start =
		parsed && (o->groups & (PVP_MANAGED_CALLS | PVP_MANAGED_TREE) ||
				  pvp_clr_more() & (PVP_CLR_CROSSINGS | PVP_CLR_FILES) ||
				  (o->groups & PVP_MANAGED_ALLOC && !o->alloc_period));
	pvp_clr_agent_joining(true);
	pvp_hr wrong = !parsed         ? PVP_HR_ARGUMENT
		       : only_at_start ? PVP_HR_NOT_ATTACHED
				       : begin_session(text);
	if (wrong) {
		pvp_clr_agent_joining(false);
		pvp_clr.info = NULL;
	}
	return wrong;
}

static pvp_hr attach_complete(void *self)
{
	(void)self;
	if (pvp_clr.attached && pvp_clr.info)
		pvp_clr_tell_all();
	pvp_clr_agent_joining(false);
	return 0;
}

/* Everything is to be in the log before the runtime is gone. */
static pvp_hr shut_down(void *self)
{
	(void)self;
	pvp_clr_leave_ending();
	pvp_clr_pipe_close();
	pvp_clr_heap_last();
	pvp_clr_classes_name();
	pvp_session_stop();
	return 0;
}

static pvp_hr ignored(void)
{
	return 0;
}

static uint32_t keep_reference(void *self)
{
	(void)self;
	return 1; /* never freed */
}

static struct {
	const pvp_clr_slot *is;
} profiler = { pvp_clr.slots };

static pvp_hr query_profiler(void *self, const struct pvp_guid *iid, void **ret)
{
	if (!ret)
		return PVP_HR_POINTER;
	*ret = NULL;
	bool ours = same_guid(iid, &unknown_iid);
	for (size_t i = 0; i < PV_COUNT_OF(callback_iids); i++)
		ours |= same_guid(iid, &callback_iids[i]);
	if (ours)
		*ret = self;
	return ours ? 0 : PVP_HR_NO_INTERFACE;
}

/* --- the factory */

static pvp_hr create(void *self, void *outer, const struct pvp_guid *iid, void **ret)
{
	(void)self;
	if (outer)
		return PVP_HR_NO_INTERFACE;
	if (!pvp_clr.info) /* callbacks of an earlier session are over */
		for (size_t i = 0; i < PVP_CLR_SLOTS; i++)
			pvp_clr.slots[i] = (pvp_clr_slot)ignored;
	pvp_clr.slots[PVP_CLR_QueryInterface] = (pvp_clr_slot)query_profiler;
	pvp_clr.slots[PVP_CLR_AddRef] = pvp_clr.slots[PVP_CLR_Release] =
		(pvp_clr_slot)keep_reference;
	pvp_clr.slots[PVP_CLR_Initialize] = (pvp_clr_slot)initialize;
	pvp_clr.slots[PVP_CLR_InitializeForAttach] = (pvp_clr_slot)initialize_attached;
	pvp_clr.slots[PVP_CLR_ProfilerAttachComplete] = (pvp_clr_slot)attach_complete;
	pvp_clr.slots[PVP_CLR_ProfilerDetachSucceeded] = (pvp_clr_slot)pvp_clr_detached;
	pvp_clr.slots[PVP_CLR_Shutdown] = (pvp_clr_slot)shut_down;
	return query_profiler(&profiler, iid, ret);
}

static pvp_hr query_factory(void *self, const struct pvp_guid *iid, void **ret)
{
	if (!ret)
		return PVP_HR_POINTER;
	bool ours = same_guid(iid, &unknown_iid) || same_guid(iid, &factory_iid);
	*ret = ours ? self : NULL;
	return ours ? 0 : PVP_HR_NO_INTERFACE;
}

static pvp_hr lock_server(void *self, int32_t on)
{
	(void)self, (void)on;
	return 0;
}

static const struct factory_table {
	struct pvp_clr_unknown_table unknown;
	pvp_hr (*create)(void *self, void *outer, const struct pvp_guid *iid, void **ret);
	pvp_hr (*lock_server)(void *self, int32_t on);
} factory_table = { { query_factory, keep_reference, keep_reference }, create, lock_server };

static struct {
	const struct factory_table *is;
} factory = { &factory_table };

EXPORT pvp_hr DllGetClassObject(
	const struct pvp_guid *class, const struct pvp_guid *iid, void **ret);
EXPORT pvp_hr DllGetClassObject(
	const struct pvp_guid *class, const struct pvp_guid *iid, void **ret)
{
	if (!ret)
		return PVP_HR_POINTER;
	*ret = NULL;
	return same_guid(class, our_guid) ? query_factory(&factory, iid, ret) : PVP_HR_NO_CLASS;
}
