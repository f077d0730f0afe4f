/* SPDX-License-Identifier: MIT */
/* Parts of raw names, and the text being written. */
#include "common/base/text/readable_parts.h"

void pv_name_put(struct pv_name_out *o, const char *at, size_t len)
{
	pv_name_put_in(o, PV_NAME_READABLE, at, len);
	pv_name_put_in(o, PV_NAME_CANONICAL, at, len);
}

void pv_name_text(struct pv_name_out *o, const char *text)
{
	pv_name_put(o, text, strlen(text));
}

/* --- parts */

bool pv_part_begins(struct pv_part p, const char *text)
{
	size_t n = strlen(text);
	return p.len >= n && memcmp(p.at, text, n) == 0;
}

struct pv_part pv_part_from(struct pv_part p, size_t at)
{
	at = at < p.len ? at : p.len;
	return (struct pv_part){ p.at + at, p.len - at };
}

struct pv_part pv_part_until(struct pv_part p, size_t end)
{
	return (struct pv_part){ p.at, end < p.len ? end : p.len };
}

static bool opens(char c)
{
	return c == '<' || c == '(' || c == '[';
}

static bool closes(char c)
{
	return c == '>' || c == ')' || c == ']';
}

typedef uint8_t lanes __attribute__((vector_size(16)));

/* Bit i: the lowest bit of byte i; x86-64 has the first byte lowest. */
static unsigned gathered(uint64_t bytes)
{
	return (unsigned)((bytes & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >>
			  56);
}

/* Bit i: of 16 characters from `at` on, character i is a bracket, `one` or `other`. */
static unsigned noted(struct pv_part p, size_t at, char one, char other)
{
	lanes c = { 0 };
	uint64_t half[2];
	if (p.len - at >= sizeof c)
		memcpy(&c, p.at + at, sizeof c);
	else
		memcpy(&c, p.at + at, p.len - at);
	/* '(' and ')', '<' and '>' differ in a bit. */
	const lanes found = (lanes)((c | 1) == ')') | (lanes)((c | 2) == '>') | (lanes)(c == '[') |
			    (lanes)(c == ']') | (lanes)(c == (uint8_t)one) |
			    (lanes)(c == (uint8_t)other);
	memcpy(half, &found, sizeof half);
	return gathered(half[0]) | gathered(half[1]) << 8;
}

/* The first, or the last, of the two characters outside of all brackets. */
static size_t find_outside(struct pv_part p, char one, char other, bool last)
{
	size_t depth = 0, ret = p.len;
	for (size_t at = 0; at < p.len; at += sizeof(lanes)) {
		for (unsigned bits = noted(p, at, one, other); bits; bits &= bits - 1) {
			const size_t i = at + (unsigned)__builtin_ctz(bits);
			const char c = p.at[i];
			if (depth == 0 && (c == one || c == other)) {
				if (!last)
					return i;
				ret = i;
			}
			depth += opens(c);
			depth -= closes(c) && depth > 0;
		}
	}
	return ret;
}

bool pv_part_is_plain(struct pv_part p)
{
	for (size_t at = 0; at < p.len; at += sizeof(lanes))
		if (noted(p, at, '/', '+'))
			return false;
	return !memchr(p.at, '`', p.len);
}

size_t pv_part_find(struct pv_part p, const char *of)
{
	return find_outside(p, of[0], of[1] ? of[1] : of[0], false);
}

size_t pv_part_close(struct pv_part p)
{
	size_t depth = 0;
	for (size_t i = 0; i < p.len; i++) {
		depth += opens(p.at[i]);
		if (closes(p.at[i]) && --depth == 0)
			return i;
	}
	return p.len;
}

bool pv_part_inside(struct pv_part p, struct pv_part *ret)
{
	if (p.len < 2 || !opens(p.at[0]) || pv_part_close(p) != p.len - 1)
		return false;
	*ret = pv_part_until(pv_part_from(p, 1), p.len - 2);
	return true;
}

void pv_name_plain(struct pv_name_out *o, struct pv_part name)
{
	pv_name_put(o, name.at, pv_name_plain_length(name));
}

struct pv_part pv_name_without_space(struct pv_part name)
{
	const size_t dot = find_outside(name, '.', '.', true);
	return dot < name.len ? pv_part_from(name, dot + 1) : name;
}
