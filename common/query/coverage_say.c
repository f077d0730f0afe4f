#include "common/query/coverage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/model/model.h"

void pv_coverage_say(struct pv_coverage *c, const char *format, ...)
{
	size_t at = strlen(c->detail);
	if (at && at + 2 < sizeof c->detail) {
		memcpy(c->detail + at, ", ", 3);
		at += 2;
	}
	va_list args;
	va_start(args, format);
	vsnprintf(c->detail + at, sizeof c->detail - at, format, args);
	va_end(args);
}

const char *pv_coverage_none(const struct pv_model *m)
{
	return m->only.threaded ? "none by this thread" : "none happened";
}
