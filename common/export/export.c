/* SPDX-License-Identifier: MIT */
/* The formats of exports, and writing a profile in one. */
#include "common/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/system/new_file.h"
#include "common/export/gzip_out.h"

static const struct pv_export_format formats[] = {
	{ "folded", ".folded", NULL, true, false, false, false, PV_LINES_NONE,
		"when, threads, lines", pv_export_folded },
	{ "pprof", ".pb.gz", NULL, false, true, false, false, PV_LINES_OF_FRAMES, "when",
		pv_export_pprof },
	{ "speedscope", ".speedscope.json", NULL, false, true, false, false, PV_LINES_OF_FUNCTIONS,
		"when, lines of samples", pv_export_speedscope },
	{ "callgrind", ".callgrind", ".callgrind.out", false, false, false, false,
		PV_LINES_OF_FRAMES, "when, threads, classes of objects, callers of callers",
		pv_export_callgrind },
	{ "html", ".html", ".htm", false, true, false, false, PV_LINES_OF_FUNCTIONS,
		"when, lines of samples", pv_export_html },
	{ "chrome", ".trace.json", NULL, false, true, true, false, PV_LINES_NONE, "", NULL },
	{ "firefox", ".firefox.json", NULL, true, true, false, true, PV_LINES_OF_FRAMES, "",
		pv_export_firefox },
};

const struct pv_export_format *pv_export_format(size_t i)
{
	return i < PV_COUNT_OF(formats) ? &formats[i] : NULL;
}

const struct pv_export_format *pv_export_of(const char *name)
{
	for (size_t i = 0; i < PV_COUNT_OF(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

/* Any format may also be gzipped. */
static bool ends_with(const char *name, const char *ending)
{
	static const char gz[] = ".gz";
	size_t n = strlen(name), len = ending ? strlen(ending) : n;
	if (n > len && strcmp(name + n - len, ending) == 0)
		return true;
	len += sizeof gz - 1;
	return ending && n > len && strncmp(name + n - len, ending, strlen(ending)) == 0 &&
	       strcmp(name + n - (sizeof gz - 1), gz) == 0;
}

const struct pv_export_format *pv_export_of_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	for (size_t i = 0; i < PV_COUNT_OF(formats); i++)
		if (ends_with(name, formats[i].ending) || ends_with(name, formats[i].ending_too))
			return &formats[i];
	return NULL;
}

static const struct pv_measure *first_of(const struct pv_profile *p)
{
	for (size_t i = 0; i < PV_MEASURES; i++)
		if (pv_profile_has(p, &pv_measures[i]))
			return &pv_measures[i];
	return NULL;
}

/* --- facts that a format lacks */

static void append_lack(char *text, size_t size, const char *lead, const char *what)
{
	size_t at = strlen(text);
	if (at < size)
		snprintf(text + at, size - at, "%s%s", at ? lead : "", what);
}

void pv_export_lacks(const struct pv_profile *p, const struct pv_export_format *format,
	const struct pv_export_options *o, char *text, size_t size)
{
	const struct pv_measure *shown = o->measure ? o->measure : first_of(p);
	char part[80];
	snprintf(text, size, "%s", format->lacks);
	for (size_t i = 0; format->one_measure && i < PV_MEASURES; i++)
		if (shown != &pv_measures[i] && pv_profile_has(p, &pv_measures[i]))
			append_lack(text, size, ", ", pv_measures[i].name);
	snprintf(part, sizeof part, "the outer callers of %llu stacks deeper than %d frames",
		(unsigned long long)p->cut, (int)PV_STACK_FRAMES);
	if (p->cut)
		append_lack(text, size, ", ", part);
}

/* --- writing */

bool pv_export_write(const struct pv_profile *p, const struct pv_export_format *format,
	const struct pv_export_options *options, FILE *out, struct pv_error *reterr)
{
	struct pv_export_options o = *options;
	if (o.measure && !pv_profile_has(p, o.measure))
		return pv_fail(
			reterr, PV_EUSAGE, 0, "the log has no %s: not recorded", o.measure->title);
	if (!first_of(p))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"the log has nothing with stacks: no samples, calls, allocations, waits or "
			"exceptions were recorded");
	if (!o.measure)
		o.measure = first_of(p);
	if (!format->write(p, &o, out))
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (o.stopped && o.stopped())
		return pv_fail(reterr, PV_ECANCELLED, 0, "stopped");
	if (fflush(out) != 0 || ferror(out))
		return pv_fail(reterr, PV_EOUTPUT, 0, "cannot write: %s",
			errno ? strerror(errno) : "the output failed");
	return true;
}

struct writing {
	const struct pv_profile *p;
	const struct pv_export_format *format;
	const struct pv_export_options *o;
};

static bool write_profile(const void *ctx, FILE *out, struct pv_error *reterr)
{
	const struct writing *w = ctx;
	return pv_export_write(w->p, w->format, w->o, out, reterr);
}

bool pv_export_new_file(const char *path, const void *ctx,
	bool (*write)(const void *ctx, FILE *out, struct pv_error *reterr), struct pv_error *reterr)
{
	struct pv_new_file f;
	if (!pv_new_file_begin(&f, path, reterr))
		return false;
	if (!pv_gzip_wanted(path))
		return pv_new_file_finish(&f, write(ctx, f.out, reterr), reterr);
	FILE *out = pv_gzip_begin(f.out);
	bool ok = out ? write(ctx, out, reterr) : pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (out && !pv_gzip_end(out) && ok)
		ok = pv_fail(reterr, PV_EOUTPUT, 0, "cannot write: %s",
			errno ? strerror(errno) : "the output failed");
	return pv_new_file_finish(&f, ok, reterr);
}

bool pv_export_file(const struct pv_profile *p, const struct pv_export_format *format,
	const struct pv_export_options *o, const char *path, struct pv_error *reterr)
{
	return pv_export_new_file(path, &(struct writing){ p, format, o }, write_profile, reterr);
}
