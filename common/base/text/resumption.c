/* SPDX-License-Identifier: MIT */
/* Recognises frames in which a runtime resumes an async method. */
#include "common/base/text/resumption.h"

#include <string.h>

#include "common/base/status.h"

static bool name_has(const char *name, size_t len, const char *part)
{
	return memmem(name, len, part, strlen(part)) != NULL;
}

/* The method's name in a symbol, as after the last ">" in "Box<Cart__A_d__0>__MoveNext_1 [aot]". */
static bool symbol_ends(const char *name, size_t len, const char *method)
{
	const char *at = memrchr(name, '>', len);
	at = at ? at : name;
	const char *end = memchr(at, ' ', len - (size_t)(at - name));
	end = end ? end : name + len;
	const char *number = end;
	while (number > at && number[-1] >= '0' && number[-1] <= '9')
		number--;
	if (number < end && number > at && number[-1] == '_')
		end = number - 1; /* of methods with the same name */
	size_t n = strlen(method);
	return (size_t)(end - at) >= n && memcmp(end - n, method, n) == 0;
}

/* ":MoveNext (" is somewhere. */
static bool method_goes_on(const char *name, size_t len)
{
	static const char *const methods[] = { ":MoveNext ", ":InstrumentedMoveNext ",
		":MoveNextAsDispatcher ", ":ExecutionContextCallback ", ":DispatchContinuations ",
		":InstrumentedDispatchContinuations ", ":InvokeMoveNext ", ":Run " };
	const char *end = name + len;
	for (const char *at = name; (at = memchr(at, ':', (size_t)(end - at))); at++)
		for (size_t i = 0; i < PV_COUNT_OF(methods); i++) {
			size_t n = strlen(methods[i]);
			if ((size_t)(end - at) >= n && memcmp(at, methods[i], n) == 0)
				return true;
		}
	return false;
}

/* A symbol ends with "__MoveNext". */
static bool symbol_goes_on(const char *name, size_t len)
{
	static const char *const symbols[] = { "__MoveNext", "__ExecutionContextCallback",
		"__DispatchContinuations" };
	for (size_t i = 0; i < PV_COUNT_OF(symbols); i++)
		if (symbol_ends(name, len, symbols[i]))
			return true;
	return false;
}

/* Whether the class is one that resumes methods. */
static bool is_carrier(const char *name, size_t len)
{
	static const char *const classes[] = { "StateMachineBox", "RuntimeAsyncTask",
		"AsyncMethodBuilderCore/MoveNextRunner:" };
	if (!name_has(name, len, "System.Runtime.CompilerServices.") &&
		!name_has(name, len, "System_Runtime_CompilerServices_"))
		return false;
	for (size_t i = 0; i < PV_COUNT_OF(classes); i++)
		if (name_has(name, len, classes[i]))
			return true;
	return false;
}

bool pv_is_resumption(const char *name, size_t len)
{
	static const char *const stubs[] = { "ContinuationWrapper:Continuation_Wrapper_",
		"IL_STUB_AsyncResume" };
	const bool symbol = memchr(name, '_', len); /* every stub and symbol has '_' */
	for (size_t i = 0; symbol && i < PV_COUNT_OF(stubs); i++)
		if (name_has(name, len, stubs[i]))
			return true;
	/* The dearer question last: most names are answered by their colon. */
	return (method_goes_on(name, len) || (symbol && symbol_goes_on(name, len))) &&
	       is_carrier(name, len);
}
