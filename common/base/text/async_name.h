/* SPDX-License-Identifier: MIT */
/*
 * The part of a frame in running an async method, by its name in the log. An async method's body is
 * the MoveNext of a class made by the compiler; iterators have such names too, and only the frames
 * around a body tell both apart. Pure; any thread.
 */
#ifndef PV_BASE_ASYNC_NAME_H
#define PV_BASE_ASYNC_NAME_H

#include <stdbool.h>
#include <stddef.h>

enum pv_async_role {
	PV_ASYNC_NONE,      /* code with no part in async methods */
	PV_ASYNC_BODY,      /* code of the method, up to an await or after it */
	PV_ASYNC_START,     /* runs a body up to the first await, for the caller */
	PV_ASYNC_RESUMED,   /* goes on with a body: resumption.h */
	PV_ASYNC_CONTEXT,   /* likewise, directly above a body: the execution context */
	PV_ASYNC_CONTINUES, /* runs the code that awaits an ended task */
	PV_ASYNC_SETS,      /* ends a task other than the caller's own */
	PV_ASYNC_PLUMBING   /* other frames between the above */
};

/* By nothing but the name. */
enum pv_async_role pv_async_role_of(const char *name, size_t len);

/* Whether `method` is the method itself, which starts `body`. */
bool pv_async_is_method(const char *method, size_t method_len, const char *body, size_t body_len);

#endif
