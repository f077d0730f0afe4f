/* SPDX-License-Identifier: MIT */
/* The part of a frame in running an async method, by the frame's name. */
#include "common/base/text/async_name.h"

#include <string.h>

#include "common/base/text/resumption.h"
#include "common/base/status.h"

struct text {
	const char *at;
	size_t len;
};

static bool text_begins(struct text t, const char *with)
{
	size_t n = strlen(with);
	return t.len >= n && memcmp(t.at, with, n) == 0;
}

static bool text_has(struct text t, const char *part)
{
	return t.len && memmem(t.at, t.len, part, strlen(part)) != NULL;
}

static struct text from(struct text t, size_t at)
{
	return (struct text){ t.at + at, t.len - at };
}

static size_t digits(struct text t)
{
	size_t n = 0;
	while (n < t.len &&
		((t.at[n] >= '0' && t.at[n] <= '9') || (t.at[n] >= 'A' && t.at[n] <= 'F')))
		n++;
	return n;
}

/* The length of "<...>" at the beginning, with brackets inside; 0: not closed. */
static size_t bracketed(struct text t)
{
	size_t depth = 0;
	for (size_t i = 0; i < t.len; i++) {
		depth += t.at[i] == '<';
		if (t.at[i] == '>' && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* After "<X>": "d", "d__3", or Mono's compiler's "c__async0", and nothing else of the class's name. */
static bool is_machine(struct text t)
{
	size_t n = 1;
	if (text_begins(t, "c__async"))
		n = strlen("c__async") + digits(from(t, strlen("c__async")));
	else if (text_begins(t, "d__"))
		n = strlen("d__") + digits(from(t, strlen("d__")));
	else if (!text_begins(t, "d"))
		return false;
	return n < t.len && strchr(":`<[", t.at[n]) != NULL;
}

/* The X of a class made by the compiler for a method X; empty: another class. */
static struct text made_for(struct text class)
{
	for (size_t i = 0; i + 1 < class.len; i++) {
		if ((class.at[i] != '/' && class.at[i] != '+') || class.at[i + 1] != '<')
			continue;
		struct text rest = from(class, i + 1);
		size_t n = bracketed(rest);
		if (n > 2 && is_machine(from(rest, n)))
			return (struct text){ rest.at + 1, n - 2 };
	}
	return (struct text){ "", 0 };
}

/* Splits "Class:Method (args)"; the class keeps its colon. False: no such name. */
static bool part(struct text name, struct text *ret_class, struct text *ret_method)
{
	const char *colon = name.len ? memchr(name.at, ':', name.len) : NULL;
	if (!colon)
		return false;
	size_t n = (size_t)(colon - name.at) + 1;
	*ret_class = (struct text){ name.at, n };
	*ret_method = from(name, n);
	return true;
}

/* --- symbols of code compiled ahead of time: "Cart__A_d__0__MoveNext", A's body */

/* The length of the method's symbol within its body's; 0: not a body's. */
static size_t symbol_of_method(struct text name)
{
	static const char sign[] = "_d__", goes_on[] = "__MoveNext";
	const char *at = memchr(name.at, '<', name.len) ? NULL : memmem(name.at, name.len, sign, 4);
	if (!at)
		return 0;
	size_t n = (size_t)(at - name.at), end = n + 4;
	end += digits(from(name, end));
	return text_begins(from(name, end), goes_on) ? n : 0;
}

static enum pv_async_role role_of_symbol(struct text name)
{
	if (symbol_of_method(name))
		return PV_ASYNC_BODY;
	if (!text_has(name, "System_")) /* most symbols end here */
		return PV_ASYNC_NONE;
	if (text_has(name, "System_Threading_ExecutionContext__Run"))
		return PV_ASYNC_CONTEXT;
	if (text_has(name, "System_Runtime_CompilerServices_Async"))
		return text_has(name, "__Start") ? PV_ASYNC_START : PV_ASYNC_PLUMBING;
	if (!text_has(name, "System_Threading_Tasks_") || text_has(name, "__Execute") ||
		text_has(name, "__InnerInvoke"))
		return PV_ASYNC_NONE;
	if (text_has(name, "CompletionSource") || text_has(name, "_Sources_"))
		return PV_ASYNC_SETS;
	return text_has(name, "Continuation") ? PV_ASYNC_CONTINUES : PV_ASYNC_PLUMBING;
}

/* --- managed names */

/* Whether the frame runs a task of others: code that awaits the task does not await the caller. */
static bool is_of_others(struct text class, struct text method)
{
	static const char *const classes[] = { "System.Threading.Tasks.TaskScheduler",
		"System.Threading.Tasks.Parallel", "System.Threading.Tasks.TaskFactory",
		"System.Threading.Tasks.ThreadPool" };
	static const char *const methods[] = { "Execute", "InnerInvoke", "Wait", "SpinThenBlocking",
		"WrappedTryRunInline", "TryRunInline", "RunSynchronously",
		"InternalRunSynchronously", "InternalWait", "Start", "ScheduleAndStart",
		"System.Threading.IThreadPoolWorkItem" };
	for (size_t i = 0; i < PV_COUNT_OF(classes); i++)
		if (text_begins(class, classes[i]))
			return true;
	for (size_t i = 0; i < PV_COUNT_OF(methods); i++)
		if (text_begins(method, methods[i]))
			return true;
	return false;
}

static enum pv_async_role role_of_machinery(struct text class, struct text method)
{
	if (text_begins(class, "System.Threading.ExecutionContext:"))
		return text_begins(method, "Run") ? PV_ASYNC_CONTEXT : PV_ASYNC_NONE;
	if (text_begins(class, "System.Runtime.CompilerServices.Async") ||
		text_begins(class, "System.Runtime.CompilerServices.PoolingAsync"))
		return text_begins(method, "Start") ? PV_ASYNC_START : PV_ASYNC_PLUMBING;
	if (!text_begins(class, "System.Threading.Tasks.") || is_of_others(class, method))
		return PV_ASYNC_NONE;
	if (text_begins(class, "System.Threading.Tasks.TaskCompletionSource") ||
		text_begins(class, "System.Threading.Tasks.Sources."))
		return PV_ASYNC_SETS;
	return text_has(class, "Continuation") || text_has(method, "Continuation")
		       ? PV_ASYNC_CONTINUES
		       : PV_ASYNC_PLUMBING;
}

enum pv_async_role pv_async_role_of(const char *name, size_t len)
{
	const struct text all = { name, len };
	struct text class, method;
	if (len == strlen(PV_RESUMED) && memcmp(name, PV_RESUMED, len) == 0)
		return PV_ASYNC_RESUMED;
	if (!part(all, &class, &method))
		return len && memchr(name, '_', len) ? role_of_symbol(all) : PV_ASYNC_NONE;
	if (text_begins(method, "MoveNext ") && made_for(class).len)
		return PV_ASYNC_BODY;
	return text_begins(class, "System.") ? role_of_machinery(class, method) : PV_ASYNC_NONE;
}

bool pv_async_is_method(const char *method, size_t method_len, const char *body, size_t body_len)
{
	const struct text stub = { method, method_len }, of = { body, body_len };
	struct text class, rest;
	if (!part(of, &class, &rest)) {
		size_t n = of.len ? symbol_of_method(of) : 0;
		return n && stub.len >= n && memcmp(stub.at, of.at, n) == 0 &&
		       (stub.len == n || stub.at[n] == ' ' || stub.at[n] == '<');
	}
	const struct text x = made_for(class);
	if (!x.len || !part(stub, &class, &rest) || rest.len <= x.len)
		return false;
	return memcmp(rest.at, x.at, x.len) == 0 && strchr(" <(", rest.at[x.len]);
}
