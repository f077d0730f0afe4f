/* SPDX-License-Identifier: MIT */
#include "tests/kit/event_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct out {
	char *at;
	size_t left;
};

__attribute__((format(printf, 2, 3))) static void say(struct out *o, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(o->at, o->left, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < o->left) {
		o->at += n;
		o->left -= (size_t)n;
	}
}

static void say_list(struct out *o, uint8_t type, struct pv_span s, const struct pv_batch *p)
{
	say(o, "[");
	for (uint32_t i = 0; i < s.n; i++) {
		if (i)
			say(o, " ");
		if (type == MLPD_DESCS) {
			const struct pv_counter_desc *d = &p->descs.v[s.at + i];
			say(o, "%" PRIx64 "/%s/%s/%" PRIx64 "/%" PRIx64 "/%" PRIx64 "/%" PRIu64,
				d->section, d->section_name.at, d->name.at, d->type, d->unit,
				d->variance, d->index);
		} else if (type == MLPD_VALUES) {
			const struct pv_counter_value *v = &p->values.v[s.at + i];
			say(o, "%" PRIu64 ":%" PRIu64 ":%" PRIx64 ":%s", v->index, v->type, v->raw,
				v->text.at);
		} else {
			say(o, "%" PRIx64, p->pool.v[s.at + i]);
		}
	}
	say(o, "]");
}

void event_text(char *buf, size_t size, const struct pv_event *e, const struct pv_batch *pools,
	uint8_t version)
{
	struct out o = { buf, size };
	const struct mlpd_row *r = &mlpd_rows[e->row];
	say(&o, "%s t=%" PRIu64, r->symbol, e->time);
	for (const struct mlpd_field *f = r->field; f->type; f++) {
		const void *member = (const char *)e + f->member;
		if (version < f->since || version > f->until || f->type == MLPD_FLAGS)
			continue;
		const char *dot = strchr(f->name, '.');
		say(&o, " %s=", dot ? dot + 1 : f->name);
		if (f->type == MLPD_CSTR || f->type == MLPD_HELPER_NAME)
			say(&o, "\"%s\"", ((const struct pv_text *)member)->at);
		else if (f->type >= MLPD_BT)
			say_list(&o, f->type, *(const struct pv_span *)member, pools);
		else
			say(&o, "%" PRIx64, *(const uint64_t *)member);
	}
}
