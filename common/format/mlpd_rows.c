#include "common/format/mlpd.h"

enum { ALWAYS = 1, NEWEST = 99, ROWS_FIRST_NONE = 0xff };

#define NONE MLPD_SUB_NONE
#define ANY MLPD_SUB_ANY
#define NO_FIELDS
#define V(since, until, type, member)                                                              \
	{ MLPD_##type, since, until, offsetof(struct pv_event, member), #member },
#define F(type, member) V(ALWAYS, NEWEST, type, member)

const struct mlpd_row mlpd_rows[] = {
#define EVENT(symbol, kind, byte, sub, since, until, time_since, fields)                           \
	{ #symbol, PV_KIND_##kind, byte, sub, since, until, time_since, { fields { 0 } } },
#define EXT(symbol, kind, ex, number, fields)                                                      \
	{ "EXT_" #symbol, PV_KIND_##kind, MLPD_EXT_TYPE | ex << 4, number, ALWAYS, NEWEST, ALWAYS, \
		{ fields { 0 } } },
#include "common/format/mlpd.def"
#undef EVENT
#undef EXT
};

#undef NONE
#undef ANY
#undef F
#undef V
#undef NO_FIELDS

const size_t mlpd_row_count = PV_COUNT_OF(mlpd_rows);

/* First row of each event byte; filled once, before main or when the library is loaded. */
static uint8_t first_row[256];

_Static_assert(PV_COUNT_OF(mlpd_rows) < ROWS_FIRST_NONE, "first_row holds row numbers in a byte");

__attribute__((constructor)) static void fill_first_row(void)
{
	for (size_t i = 0; i < PV_COUNT_OF(first_row); i++)
		first_row[i] = ROWS_FIRST_NONE;
	for (size_t i = mlpd_row_count; i-- > 0;)
		first_row[mlpd_rows[i].byte] = (uint8_t)i;
}

static bool in_version(const struct mlpd_row *r, uint8_t version)
{
	return version >= r->since && version <= r->until;
}

const struct mlpd_row *mlpd_find_row(uint8_t byte, uint8_t sub, uint8_t data_version)
{
	for (size_t i = first_row[byte]; i < mlpd_row_count && mlpd_rows[i].byte == byte; i++) {
		const struct mlpd_row *r = &mlpd_rows[i];
		bool sub_ok = r->sub == MLPD_SUB_NONE || r->sub == MLPD_SUB_ANY || r->sub == sub;
		if (sub_ok && in_version(r, data_version))
			return r;
	}
	return NULL;
}

bool mlpd_byte_has_sub(uint8_t byte, uint8_t data_version)
{
	for (size_t i = first_row[byte]; i < mlpd_row_count && mlpd_rows[i].byte == byte; i++)
		if (in_version(&mlpd_rows[i], data_version))
			return mlpd_rows[i].sub != MLPD_SUB_NONE &&
				(byte & 0xf) != MLPD_EXT_TYPE;
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

const struct mlpd_row *mlpd_row_for(const struct pv_event *e, uint8_t data_version)
{
	bool with_stack = stack_length(e) > 0;
	for (size_t i = 0; i < mlpd_row_count; i++) {
		const struct mlpd_row *r = &mlpd_rows[i];
		if (r->kind == e->kind && in_version(r, data_version) &&
			has_stack_field(r) == with_stack && r->sub != MLPD_SUB_ANY)
			return r;
	}
	return NULL;
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
