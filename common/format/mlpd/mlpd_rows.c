/* SPDX-License-Identifier: MIT */
/* The table of rows made from mlpd.def, with its lookups by byte and by kind. */
#include "common/format/mlpd/mlpd.h"

enum { ALWAYS = 1, NEWEST = 99 };

#define W(since, until, form, type, member)                                                        \
	{ MLPD_##type, MLPD_##form, since, until, offsetof(struct pv_event, member), #member },
#define V(since, until, type, member) W(since, until, PLAIN, type, member)
#define F(type, member)               V(ALWAYS, NEWEST, type, member)

const struct mlpd_row mlpd_rows[] = {
#define ROW(symbol, kind, byte, sub, since, until, time_since, layout, written, ...)               \
	{ symbol, kind, byte, sub, since, until, time_since, layout, written,                      \
		{ __VA_ARGS__{ 0 } } },
#define EVENT(symbol, kind, byte, sub, since, until, time_since, ...)                              \
	ROW(#symbol, PV_KIND_##kind, byte, sub, since, until, time_since, 0, true, __VA_ARGS__)
#define READ(symbol, kind, byte, sub, since, until, time_since, ...)                               \
	ROW(#symbol, PV_KIND_##kind, byte, sub, since, until, time_since, 0, false, __VA_ARGS__)
#define ALT(layout, symbol, kind, byte, sub, since, until, time_since, ...)                        \
	ROW(#symbol, PV_KIND_##kind, byte, sub, since, until, time_since, MLPD_##layout, true,     \
		__VA_ARGS__)
#define EXT(symbol, kind, ex, number, ...)                                                         \
	ROW("EXT_" #symbol, PV_KIND_##kind, MLPD_EXT_TYPE | ex << 4, number, ALWAYS, NEWEST,       \
		ALWAYS, 0, true, __VA_ARGS__)
#include "common/format/mlpd/mlpd_list.h"
#undef EVENT
#undef READ
#undef ALT
#undef EXT
#undef ROW
};

#undef F
#undef V
#undef W

const size_t mlpd_row_count = PV_COUNT_OF(mlpd_rows);

/*
 * First row of each event byte and of each kind of event, and the next row of the same kind; filled
 * once, before main or when the library is loaded, and before the constructors of writers: a probe
 * starts in a constructor, and with empty tables would write the first event as another kind.
 */
/* Likewise the row of each byte without a sub, in the layouts of releases, by data version. */
static uint16_t plain_row[MLPD_NEWEST + 1][256];
static uint16_t first_row[256], first_of_kind[256], next_of_kind[PV_COUNT_OF(mlpd_rows)];

static bool in_format(const struct mlpd_row *r, const struct mlpd_format *f)
{
	return f->data_version >= r->since && f->data_version <= r->until &&
	       (r->layout & f->layout) == r->layout;
}

static uint16_t row_index(const struct mlpd_row *r)
{
	if ((r->byte & 0xf) == MLPD_EXT_TYPE)
		return MLPD_NO_ROW;
	return r->sub == MLPD_SUB_NONE ? (uint16_t)(r - mlpd_rows) : MLPD_BY_SUB;
}

static void fill_plain_rows(const struct mlpd_format *f)
{
	uint16_t *row = plain_row[f->data_version];
	for (size_t i = 0; i < PV_COUNT_OF(plain_row[0]); i++)
		row[i] = MLPD_NO_ROW;
	for (size_t i = mlpd_row_count; i-- > 0;)
		if (in_format(&mlpd_rows[i], f))
			row[mlpd_rows[i].byte] = row_index(&mlpd_rows[i]);
}

__attribute__((constructor(102))) static void fill_rows(void)
{
	for (uint8_t v = 0; v <= MLPD_NEWEST; v++)
		fill_plain_rows(&(struct mlpd_format){ .data_version = v });
	for (size_t i = 0; i < PV_COUNT_OF(first_row); i++)
		first_row[i] = first_of_kind[i] = MLPD_NO_ROW;
	for (size_t i = mlpd_row_count; i-- > 0;) {
		const struct mlpd_row *r = &mlpd_rows[i];
		first_row[r->byte] = (uint16_t)i;
		next_of_kind[i] = first_of_kind[r->kind];
		first_of_kind[r->kind] = (uint16_t)i;
	}
}

const struct mlpd_row *mlpd_find_row(uint8_t byte, uint8_t sub, const struct mlpd_format *f)
{
	for (size_t i = first_row[byte]; i < mlpd_row_count && mlpd_rows[i].byte == byte; i++) {
		const struct mlpd_row *r = &mlpd_rows[i];
		bool sub_ok = r->sub == MLPD_SUB_NONE || r->sub == MLPD_SUB_ANY || r->sub == sub;
		if (sub_ok && in_format(r, f))
			return r;
	}
	return NULL;
}

const uint16_t *mlpd_plain_rows(const struct mlpd_format *f)
{
	return f->layout || f->data_version > MLPD_NEWEST ? NULL : plain_row[f->data_version];
}

bool mlpd_byte_has_sub(uint8_t byte, const struct mlpd_format *f)
{
	for (size_t i = first_row[byte]; i < mlpd_row_count && mlpd_rows[i].byte == byte; i++)
		if (in_format(&mlpd_rows[i], f))
			return mlpd_rows[i].sub != MLPD_SUB_NONE && (byte & 0xf) != MLPD_EXT_TYPE;
	return false;
}

static uint32_t stack_length(const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_ALLOC:
		return e->alloc.stack.n;
	case PV_KIND_GC_HANDLE_CREATED:
	case PV_KIND_GC_HANDLE_DESTROYED:
		return e->handle.stack.n;
	case PV_KIND_EXCEPTION_THROW:
		return e->thrown.stack.n;
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		return e->monitor.stack.n;
	default:
		return 0;
	}
}

static bool has_stack_field(const struct mlpd_row *r)
{
	for (const struct mlpd_field *f = r->field; f->type; f++)
		if (f->type == MLPD_BT)
			return true;
	return false;
}

const struct mlpd_row *mlpd_next_row(const struct pv_event *e, const struct mlpd_row *r)
{
	bool with_stack = stack_length(e) > 0;
	size_t i = r ? next_of_kind[r - mlpd_rows] : first_of_kind[e->kind];
	for (; i != MLPD_NO_ROW; i = next_of_kind[i]) {
		r = &mlpd_rows[i];
		if (r->written && has_stack_field(r) == with_stack && r->sub != MLPD_SUB_ANY)
			return r;
	}
	return NULL;
}

const struct mlpd_row *mlpd_row_for(const struct pv_event *e, const struct mlpd_format *f)
{
	const struct mlpd_row *r = mlpd_next_row(e, NULL);
	while (r && !in_format(r, f))
		r = mlpd_next_row(e, r);
	return r;
}

const char *pv_kind_name(unsigned kind)
{
	static const char *const name[] = {
#define KIND(symbol, text) [PV_KIND_##symbol] = text,
		PV_KINDS(KIND)
#undef KIND
	};
	return kind < PV_KIND_COUNT ? name[kind] : "?";
}
