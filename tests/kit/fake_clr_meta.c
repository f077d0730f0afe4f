/* SPDX-License-Identifier: MIT */
#include "tests/kit/fake_clr.h"

#include <check.h>
#include <string.h>

#include "common/base/status.h"

void fake_put(const char *text, uint32_t room, uint32_t *ret_n, pvp_char *to)
{
	uint32_t n = (uint32_t)strlen(text) + 1;
	for (uint32_t i = 0; i < n && i < room; i++)
		to[i] = (pvp_char)text[i];
	*ret_n = n;
}

static uint32_t counted(void *self)
{
	(void)self;
	return 1;
}

/* --- metadata: two types and three methods */

static pvp_hr scope(
	void *self, pvp_char *name, uint32_t room, uint32_t *ret_n, struct pvp_guid *ret_mvid)
{
	(void)self;
	fake_put("fake.dll", room, ret_n, name);
	*ret_mvid =
		(struct pvp_guid){ 0x01020304, 0x0506, 0x0708, { 9, 10, 11, 12, 13, 14, 15, 16 } };
	return 0;
}

static const char *const type_names[] = { "Fake.Thing`1", "Inner", "System.Int32", "System.String",
	"System.Object" };

static pvp_hr find_type(void *self, const pvp_char *name, uint32_t around, uint32_t *ret)
{
	(void)self, (void)around;
	for (uint32_t i = 0; i < PV_COUNT_OF(type_names); i++) {
		size_t n = 0;
		while (type_names[i][n] && name[n] == (pvp_char)type_names[i][n])
			n++;
		*ret = 0x02000002 + i;
		if (!type_names[i][n] && !name[n])
			return 0;
	}
	return PVP_HR(0x80131130);
}

/* The first is of another module, the second inside it, the third unknown. */
static pvp_hr type_ref(void *self, uint32_t token, uint32_t *ret_scope, pvp_char *name,
	uint32_t room, uint32_t *ret_n)
{
	static const char *const refs[] = { "Fake.Thing`1", "Inner", "No.Such" };
	uint32_t row = (token & 0xffffff) - 1;
	(void)self;
	if (row >= PV_COUNT_OF(refs))
		return PVP_HR(0x80131130);
	*ret_scope = row == 1 ? 0x01000001 : 0x23000001;
	fake_put(refs[row], room, ret_n, name);
	return 0;
}

static pvp_hr type(void *self, uint32_t token, pvp_char *name, uint32_t room, uint32_t *ret_n,
	uint32_t *ret_flags, uint32_t *ret_extends)
{
	uint32_t row = (token & 0xffffff) - 2;
	(void)self;
	*ret_extends = 0;
	if (token >> 24 != 2 || row >= PV_COUNT_OF(type_names))
		return PVP_HR(0x80131130);
	fake_put(type_names[row], room, ret_n, name);
	*ret_flags = row == 1 ? 2 : 1;
	return 0;
}

static pvp_hr nested(void *self, uint32_t token, uint32_t *ret_around)
{
	(void)self;
	*ret_around = 0x02000002;
	return token == 0x02000003 ? 0 : PVP_HR(0x80131130);
}

/* Do (!0, string[,], ref int); Make<T> (!!0); one whose signature goes on for ever. */
static const uint8_t do_sig[] = { 0x20, 3, 0x01, 0x13, 0, 0x14, 0x0e, 2, 0, 0, 0x10, 0x08 };
static const uint8_t make_sig[] = { 0x10, 1, 1, 0x01, 0x1e, 0 };
static const uint8_t endless_sig[] = { 0x00, 0x7f, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d, 0x1d,
	0x1d, 0x1d, 0x1d, 0x1d, 0x15 };

static pvp_hr method(void *self, uint32_t token, uint32_t *ret_type, pvp_char *name, uint32_t room,
	uint32_t *ret_n, uint32_t *ret_attributes, const uint8_t **ret_sig, uint32_t *ret_sig_n,
	uint32_t *ret_rva, uint32_t *ret_flags)
{
	static const char *const names[] = { "Do", "Make", "Endless" };
	static const uint8_t *const sigs[] = { do_sig, make_sig, endless_sig };
	static const uint32_t sizes[] = { sizeof do_sig, sizeof make_sig, sizeof endless_sig };
	uint32_t row = (token & 0xffffff) - 1;
	(void)self;
	*ret_attributes = *ret_rva = *ret_flags = 0;
	if (token >> 24 != 6 || row >= PV_COUNT_OF(names))
		return PVP_HR(0x80131130);
	*ret_type = 0x02000002;
	*ret_sig = sigs[row];
	*ret_sig_n = sizes[row];
	fake_put(names[row], room, ret_n, name);
	return 0;
}

/* One field, of int; two static ones of object, a literal and a static int. */
static pvp_hr field(void *self, uint32_t token, uint32_t *ret_type, pvp_char *name, uint32_t room,
	uint32_t *ret_n, uint32_t *ret_attributes, const uint8_t **ret_sig, uint32_t *ret_sig_n,
	uint32_t *ret_kind, const void **ret_value, uint32_t *ret_value_n)
{
	static const char *const names[] = { "ab", "shared", "own", "four", "count" };
	static const uint8_t sigs[][2] = { { 6, 8 }, { 6, 0x1c }, { 6, 0x1c }, { 6, 0x0e },
		{ 6, 8 } };
	static const uint32_t attributes[] = { 0, 0x10, 0x10, 0x50, 0x10 };
	uint32_t row = token - 0x04000001;
	(void)self, (void)ret_type, (void)ret_kind, (void)ret_value, (void)ret_value_n;
	ck_assert_uint_lt(row, PV_COUNT_OF(names));
	fake_put(names[row], room, ret_n, name);
	*ret_attributes = attributes[row];
	*ret_sig = sigs[row];
	*ret_sig_n = 2;
	return 0;
}

/* All of the class, at the first time. */
static pvp_hr enum_fields(
	void *self, void **list, uint32_t type_token, uint32_t *ret, uint32_t room, uint32_t *ret_n)
{
	static int open;
	(void)self;
	*ret_n = !*list && type_token == 0x02000002 ? 5 : 0;
	ck_assert_uint_ge(room, 5);
	for (uint32_t i = 0; i < *ret_n; i++)
		ret[i] = 0x04000001 + i;
	*list = &open;
	return *ret_n ? 0 : 1;
}

static void close_enum(void *self, void *list)
{
	(void)self;
	ck_assert_ptr_nonnull(list);
}

static const struct pvp_clr_metadata_table metadata_table = {
	.field = field,
	.enum_fields = enum_fields,
	.close_enum = close_enum,
	.find_type = find_type,
	.type_ref = type_ref,
	.unknown = { NULL, counted, counted },
	.scope = scope,
	.type = type,
	.method = method,
	.nested = nested,
};
struct pvp_clr_metadata fake_metadata = { &metadata_table };
