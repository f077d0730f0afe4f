/* SPDX-License-Identifier: MIT */
/* Texts as JSON strings that may stand in a page. */
#include "common/export/json_text.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"

bool pv_export_json(FILE *out, const char *text)
{
	char *json = pv_showable_json(text, strlen(text));
	if (!json)
		return false;
	for (const char *at = json; *at;) {
		size_t n = strcspn(at, "<");
		fwrite(at, 1, n, out);
		at += n;
		if (*at) {
			fputs("\\u003c", out);
			at++;
		}
	}
	free(json);
	return true;
}

bool pv_export_json_about(FILE *out, const struct pv_export_about *a)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	if (!to)
		return false;
	pv_showable_put(to, a->title);
	for (size_t i = 0; i < a->line.n; i++) {
		fputs("; ", to);
		pv_showable_put(to, a->line.v[i]);
	}
	bool ok = fclose(to) == 0 && pv_export_json(out, text);
	free(text);
	return ok;
}
