/* SPDX-License-Identifier: MIT */
/* Errors as values: filling an error, names of codes. */
#include "common/base/status.h"

#include <stdio.h>

#include "common/base/utf8.h"

bool pv_fail(struct pv_error *e, enum pv_code code, uint64_t offset, const char *format, ...)
{
	if (!e)
		return false;
	e->code = code;
	e->offset = offset;
	va_list args;
	va_start(args, format);
	if (vsnprintf(e->what, sizeof e->what, format, args) >= (int)sizeof e->what)
		pv_utf8_cut(e->what, sizeof e->what);
	va_end(args);
	return false;
}

const char *pv_code_text(enum pv_code code)
{
	static const char *const text[] = {
		[PV_OK] = "no error",
		[PV_ENOMEM] = "out of memory",
		[PV_EIO] = "input or output error",
		[PV_ETRUNCATED] = "truncated",
		[PV_ECORRUPT] = "damaged",
		[PV_EVERSION] = "unknown format",
		[PV_EUSAGE] = "bad request",
		[PV_EBUSY] = "in use",
		[PV_ECANCELLED] = "cancelled",
		[PV_EOUTPUT] = "cannot write",
	};
	return (unsigned)code < PV_COUNT_OF(text) ? text[code] : "unknown error";
}
