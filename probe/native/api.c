/* SPDX-License-Identifier: MIT */
/* The functions of the public interface (profview_probe.h). */
#include "probe/profview_probe.h"

#include <string.h>

#include "probe/core/emit.h"
#include "probe/native/host_native.h"
#include "probe/native/native_record.h"
#include "probe/core/registry.h"
#include "probe/control/session.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int profview_start(const char *options)
{
	return pvp_native_start(options);
}

EXPORT int profview_stop(void)
{
	return pvp_session_stop();
}

EXPORT int profview_flush(void)
{
	return pvp_session_flush();
}

EXPORT void profview_enter(profview_method method)
{
	if (method)
		pvp_call(PVP_ENTER, method);
}

EXPORT void profview_leave(profview_method method)
{
	if (method)
		pvp_call(PVP_LEAVE, method);
}

EXPORT profview_method profview_region(const char *name)
{
	return pvp_region(name);
}

EXPORT profview_class_id profview_class(const char *name)
{
	return pvp_class(name);
}

EXPORT void profview_alloc(profview_class_id type, const void *object, size_t bytes)
{
	if (type && pvp_native_taken(bytes))
		pvp_alloc(type, (uint64_t)(uintptr_t)object, bytes);
}

EXPORT void profview_mark(const char *text)
{
	pvp_mark(text);
}

EXPORT void profview_thread_name(const char *name)
{
	if (!name || !pvp_lock())
		return;
	struct pvp_thread *t = pvp_thread_here();
	if (t) {
		size_t n = strnlen(name, PVP_NAME_MAX - 1);
		memcpy(t->name, name, n);
		t->name[n] = 0;
		t->name_new = true;
	}
	pvp_unlock();
}

EXPORT struct profview_counter *profview_counter(const char *name, enum profview_unit unit)
{
	return pvp_counter(name, (uint64_t)unit << 24);
}

EXPORT void profview_counter_set(struct profview_counter *counter, int64_t value)
{
	if (!counter)
		return;
	atomic_store_explicit(&counter->value, value, memory_order_relaxed);
	atomic_store_explicit(&counter->given, true, memory_order_release);
}

EXPORT void profview_counter_add(struct profview_counter *counter, int64_t value)
{
	if (!counter)
		return;
	atomic_fetch_add_explicit(&counter->value, value, memory_order_relaxed);
	atomic_store_explicit(&counter->given, true, memory_order_release);
}
