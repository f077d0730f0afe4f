/* SPDX-License-Identifier: MIT */
/* Classes of .NET that keep an async method's state, and classes on the way to its waiter. */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/heap/awaits_parts.h"

#define TASKS "System.Threading.Tasks."

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* True if a class's name has the word before its type arguments. */
static bool class_name_has(const char *name, const char *word)
{
	const char *at = strstr(name, word);
	return at && (size_t)(at - name) < strcspn(name, "<");
}

/* The call that makes such a task. */
static const char *call_of(const char *name)
{
	static const struct {
		const char *part, *call;
	} calls[] = {
		{ "WhenAll", "Task:WhenAll" },
		{ "WhenAny", "Task:WhenAny" },
		{ "CompleteOnInvoke", "Task:WhenAny" },
		{ "WhenEach", "Task:WhenEach" },
		{ "DelayPromise", "Task:Delay" },
		{ "CancellationPromise", "Task:WaitAsync" },
		{ "UnwrapPromise", "TaskExtensions:Unwrap" },
		{ "Continuation", "Task:ContinueWith" },
		{ "SetOn", "Task:Wait" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(calls); i++)
		if (class_name_has(name, calls[i].part))
			return calls[i].call;
	return NULL;
}

/* Role of the library's tasks, and of the objects that they keep for waiters. */
static enum pv_await_role role_of_task(const char *name, bool bare)
{
	if (class_name_has(name, "Promise"))
		return bare && !call_of(name) ? PV_ROLE_NONE : PV_ROLE_PROMISE;
	if (class_name_has(name, "ContinuationTask") ||
		class_name_has(name, "ContinuationResultTask"))
		return PV_ROLE_PROMISE;
	if (class_name_has(name, "SetOnInvokeMres") || class_name_has(name, "SetOnCountdownMres"))
		return PV_ROLE_THREAD;
	return class_name_has(name, "TaskContinuation") ? PV_ROLE_STEP : PV_ROLE_NONE;
}

enum pv_await_role pv_await_role_of_class(const char *name)
{
	static const struct {
		const char *name;
		uint8_t role;
	} whole[] = {
		{ "System.Object", PV_ROLE_DONE },
		{ "object", PV_ROLE_DONE },
		{ "System.Action", PV_ROLE_ACTION },
		{ "System.Object[]", PV_ROLE_ARRAY },
		{ "object[]", PV_ROLE_ARRAY },
		{ "System.Collections.Generic.List<System.Object>", PV_ROLE_LIST },
		{ "System.Collections.Generic.List<object>", PV_ROLE_LIST },
	};
	for (size_t i = 0; i < PV_COUNT_OF(whole); i++)
		if (strcmp(name, whole[i].name) == 0)
			return whole[i].role;
	/* The event stream leaves out the namespace or class around a class. */
	const bool bare = !class_name_has(name, ".");
	if (bare || starts(name, "System.Runtime.CompilerServices.")) {
		if (class_name_has(name, "StateMachineBox"))
			return PV_ROLE_METHOD;
		if (class_name_has(name, "ContinuationWrapper"))
			return PV_ROLE_STEP;
	}
	return bare || starts(name, TASKS) ? role_of_task(name, bare) : PV_ROLE_NONE;
}

/* The last type argument of a box is its state machine; NULL: none. */
static const char *machine(const char *name, size_t *ret_len)
{
	const char *open = strchr(name, '<'), *last = open ? open + 1 : NULL;
	const size_t n = strlen(name);
	unsigned deep = 0;
	if (!open || name[n - 1] != '>')
		return NULL;
	for (const char *p = open + 1; p < name + n - 1; p++) {
		deep += *p == '<' || *p == '[';
		deep -= deep && (*p == '>' || *p == ']');
		if (*p == ',' && deep == 0)
			last = p + 1;
	}
	*ret_len = (size_t)(name + n - 1 - last);
	return last;
}

const char *pv_await_name(
	const struct pv_graph *g, const struct pv_await_row *r, char buf[PV_AWAIT_NAME])
{
	const char *name = g->klass.v[r->klass].name;
	size_t len = 0;
	const char *text = r->kind == PV_AWAIT_METHOD ? machine(name, &len) : call_of(name);
	if (!text)
		return name;
	if (r->kind != PV_AWAIT_METHOD)
		snprintf(buf, PV_AWAIT_NAME, "%s%s ()", TASKS, text);
	else
		snprintf(
			buf, PV_AWAIT_NAME, "%.*s:MoveNext ()", (int)(len < 900 ? len : 900), text);
	return buf;
}
