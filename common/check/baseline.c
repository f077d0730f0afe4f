/* SPDX-License-Identifier: MIT */
/* Figures of an earlier log, kept as JSON. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/check/check.h"

enum { SCHEMA = 1 };

static bool add_figure(struct pv_check_baseline *b, const char *id, const struct pv_check_figure *f)
{
	const char *kept = pv_arena_copy(&b->arena, id, strlen(id));
	if (!kept || !pv_reserve(&b->figure, 1))
		return false;
	b->figure.v[b->figure.n] = *f;
	b->figure.v[b->figure.n++].id = kept;
	return true;
}

bool pv_check_baseline_of(const struct pv_check *c, struct pv_check_baseline *ret)
{
	*ret = (struct pv_check_baseline){ .duration_ns = c->duration_ns };
	ret->args = pv_arena_copy(&ret->arena, c->args, strlen(c->args));
	bool ok = ret->args != NULL;
	for (size_t i = 0; ok && i < c->result.n; i++) {
		const struct pv_check_result *r = &c->result.v[i];
		const struct pv_check_figure f = { NULL, r->value, r->error, r->unit, r->measured };
		ok = add_figure(ret, r->rule->id, &f);
	}
	return ok;
}

static const char *json_text_of(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
	return text ? text : "";
}

static bool take_figure(struct pv_check_baseline *b, const cJSON *item)
{
	static const char *const unit[] = { "count", "bytes", "ns", "percent" };
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, "value"),
		    *error = cJSON_GetObjectItemCaseSensitive(item, "error");
	struct pv_check_figure f = { .measured = cJSON_IsNumber(value) };
	f.value = f.measured ? cJSON_GetNumberValue(value) : 0;
	f.error = cJSON_IsNumber(error) ? cJSON_GetNumberValue(error) : 0;
	for (size_t i = 0; i < PV_COUNT_OF(unit); i++)
		if (strcmp(json_text_of(item, "unit"), unit[i]) == 0)
			f.unit = (enum pv_check_unit)i;
	return add_figure(b, json_text_of(item, "id"), &f);
}

bool pv_check_baseline_read(
	const char *text, size_t len, struct pv_check_baseline *ret, struct pv_error *reterr)
{
	cJSON *root = cJSON_ParseWithLength(text, len);
	const cJSON *item, *list = cJSON_GetObjectItemCaseSensitive(root, "baseline"),
			   *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
	*ret = (struct pv_check_baseline){ .args = NULL };
	bool known = cJSON_IsArray(list) && cJSON_IsNumber(schema) &&
		     (int)cJSON_GetNumberValue(schema) == SCHEMA;
	bool ok = known || pv_fail(reterr, PV_EUSAGE, 0,
				   "this is neither a log nor a baseline of schema %d", SCHEMA);
	const char *args = json_text_of(root, "options");
	const cJSON *lasted = cJSON_GetObjectItemCaseSensitive(root, "duration_ns");
	if (cJSON_IsNumber(lasted) && lasted->valuedouble > 0 && lasted->valuedouble < 9e18)
		ret->duration_ns = (int64_t)lasted->valuedouble;
	if (ok && !(ret->args = pv_arena_copy(&ret->arena, args, strlen(args))))
		ok = pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	cJSON_ArrayForEach(item, list)
	{
		if (ok && !take_figure(ret, item))
			ok = pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	}
	cJSON_Delete(root);
	return ok;
}

static void put_json_quoted(FILE *out, const char *text)
{
	char *json = pv_showable_json(text, strlen(text));
	fputs(json ? json : "\"\"", out);
	free(json);
}

void pv_check_baseline_write(const struct pv_check *c, FILE *out)
{
	static const char *const unit[] = { "count", "bytes", "ns", "percent" };
	fprintf(out, "{\"profview\": \"%s\", \"schema\": %d, \"options\": ", PV_VERSION, SCHEMA);
	put_json_quoted(out, c->args);
	fprintf(out, ", \"duration_ns\": %" PRId64 ",\n  \"baseline\": [", c->duration_ns);
	for (size_t i = 0; i < c->result.n; i++) {
		const struct pv_check_result *r = &c->result.v[i];
		fputs(i ? ",\n    {\"id\": " : "\n    {\"id\": ", out);
		put_json_quoted(out, r->rule->id);
		fprintf(out, ", \"unit\": \"%s\", \"value\": ", unit[r->unit]);
		if (r->measured)
			fprintf(out, "%.17g, \"error\": %.17g}", r->value, r->error);
		else
			fputs("null, \"error\": null}", out);
	}
	fputs("\n  ]}\n", out);
}

void pv_check_baseline_clear(struct pv_check_baseline *b)
{
	pv_array_finish(&b->figure);
	pv_arena_finish(&b->arena);
}
