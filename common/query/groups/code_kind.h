/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: whether a method is the user's, a framework's or a runtime's. The
 * rule, first match:
 *
 * 1. Wrappers ("(wrapper ...)") and methods made at run time, of no class: runtime.
 * 2. A method whose class's image is known: framework where the path holds "/shared/Microsoft."
 *    or "/lib/mono/" and is no program (.exe), or where the file's name begins with System.,
 *    Microsoft., Mono., mscorlib, netstandard or WindowsBase; else user. A package that is shipped
 *    with the program counts as user.
 * 3. A method whose class was not recorded: framework where its namespace is System, Microsoft,
 *    Mono, Internal or Interop; else user.
 * 4. Native code: of .NET's and Mono's own libraries and of the probe: runtime. Everything else is
 *    native where there is managed code; where there is none, files outside of /lib and /usr/lib
 *    are the user's.
 * 5. Code in no file, made by another runtime than .NET and Mono ("... [jit]", "[unknown code]"): jit.
 */
#ifndef PV_QUERY_CODE_KIND_H
#define PV_QUERY_CODE_KIND_H

#include "common/query/groups/groups.h"

/* A flag of a column, with those of table.h: a letter on the screen shows whose code the row is. */
enum { PV_COLUMN_CODE = 4096 };

enum pv_code_kind {
	PV_CODE_USER,
	PV_CODE_FRAMEWORK,
	PV_CODE_RUNTIME,
	PV_CODE_NATIVE,
	PV_CODE_JIT,
	PV_CODE_UNKNOWN /* "(other)", and a managed method without a name */
};

/* "user", "framework", "runtime", "native", "jit": literals; NULL: not known. Any thread. */
const char *pv_code_kind_text(enum pv_code_kind kind);

/*
 * By row of a grouping of methods, enum pv_code_kind: user if any method of the row is user code.
 * Made at the first call, under the model's lock; lives as long as the grouping. NULL: out of
 * memory.
 */
const uint8_t *pv_groups_kinds(const struct pv_groups *g, const struct pv_model *m);

#endif
