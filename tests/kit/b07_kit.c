/* SPDX-License-Identifier: MIT */
#include "tests/kit/b07_kit.h"

#include <stdlib.h>
#include <string.h>

/* --- writing */

void b07_kit_init(struct b07_kit *k, char stage, uint64_t rate)
{
	memset(k, 0, sizeof *k);
	k->stage = stage;
	k->rate = rate;
}

void b07_kit_byte(struct b07_kit *k, unsigned byte)
{
	if (k->n == sizeof k->bytes)
		abort();
	k->bytes[k->n++] = (uint8_t)byte;
}

static void put_fixed(struct b07_kit *k, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		b07_kit_byte(k, (unsigned)(v >> (8 * i)) & 0xff);
}

void b07_kit_var(struct b07_kit *k, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		b07_kit_byte(k, (unsigned)v & 0x7f);
	b07_kit_byte(k, (unsigned)v | 0x80);
}

void b07_kit_vars(struct b07_kit *k, size_t n, const uint64_t *v)
{
	for (size_t i = 0; i < n; i++)
		b07_kit_var(k, v[i]);
}

void b07_kit_text(struct b07_kit *k, const char *text)
{
	for (const char *at = k->lead; at && *at && *text; at++)
		b07_kit_byte(k, (unsigned char)*at);
	do
		b07_kit_byte(k, (unsigned char)*text);
	while (*text++);
}

void b07_kit_at(struct b07_kit *k, uint64_t us)
{
	b07_kit_var(k, us * k->rate);
}

void b07_kit_clock(struct b07_kit *k, uint64_t us)
{
	b07_kit_at(k, us);
	b07_kit_var(k, B07_KIT_START + us);
}

void b07_kit_begin(struct b07_kit *k, unsigned code)
{
	k->block = k->n;
	k->blocks[k->n_blocks++] = k->n;
	if (k->stage == 'x') {
		put_fixed(k, code, k->codes_of_one_byte ? 1 : 2);
		return;
	}
	put_fixed(k, code, 2);
	put_fixed(k, 0, 4);
	if (k->stage != 'A')
		put_fixed(k, k->n_blocks > 1 ? 77 : 0, 4);
}

void b07_kit_end(struct b07_kit *k)
{
	size_t size = k->n - k->block - (k->stage == 'A' ? 6 : 10), end = k->n;
	k->blocks[k->n_blocks] = k->n;
	if (k->stage == 'x')
		return;
	k->n = k->block + 2;
	put_fixed(k, size, 4);
	k->n = end;
}

/* --- whole logs */

void b07_kit_intro(struct b07_kit *k, uint64_t flags)
{
	b07_kit_begin(k, 1);
	b07_kit_var(k, 1);
	const char *lead = k->lead;
	k->lead = NULL; /* readers know the log by this name */
	b07_kit_text(k, "mono");
	k->lead = lead;
	if (k->stage != 'x')
		b07_kit_var(k, flags);
	b07_kit_clock(k, 0);
	b07_kit_end(k);
}

void b07_kit_directives(struct b07_kit *k, uint64_t us)
{
	b07_kit_begin(k, 10);
	b07_kit_clock(k, us);
	B07_VARS(k, 1, 2);
	if (k->stage >= 'C')
		b07_kit_var(k, 3);
	if (k->stage >= 'D')
		B07_VARS(k, 4, 5, 6);
	b07_kit_var(k, 0);
	b07_kit_clock(k, us);
	b07_kit_end(k);
}

static void put_load(struct b07_kit *k, unsigned kind, uint64_t id, const char *name, bool unload)
{
	bool draft = k->stage == 'x';
	b07_kit_begin(k, unload ? (draft ? 4 : 5) : (draft ? 3 : 4));
	b07_kit_byte(k, kind);
	b07_kit_at(k, 100 + id);
	b07_kit_at(k, 110 + id);
	b07_kit_var(k, 0x71);
	if (k->stage == 'D')
		b07_kit_var(k, id);
	b07_kit_text(k, name);
	if (k->stage == 'D' && (kind & 2) && !unload) {
		b07_kit_text(k, "corlib");
		B07_VARS(k, 2, 0, 5, 0);
		b07_kit_text(k, "neutral");
		b07_kit_text(k, "b77a5c561934e089");
		b07_kit_var(k, 0);
	}
	b07_kit_end(k);
}

static void put_class(struct b07_kit *k, uint64_t id, const char *name)
{
	b07_kit_var(k, id);
	if (k->stage == 'D')
		b07_kit_var(k, 2);
	b07_kit_text(k, name);
}

static void put_method(struct b07_kit *k, uint64_t id, uint64_t class, const char *name)
{
	B07_VARS(k, id, class);
	if (k->stage == 'D')
		b07_kit_var(k, 0);
	b07_kit_text(k, name);
}

static void put_mapping(struct b07_kit *k)
{
	bool draft = k->stage == 'x';
	b07_kit_begin(k, draft ? 5 : 3);
	if (draft)
		b07_kit_at(k, 200);
	else
		b07_kit_clock(k, 200);
	b07_kit_var(k, 0x71);
	put_class(k, 1, "System.String");
	put_class(k, 40, "App.Main");
	b07_kit_var(k, 0);
	put_method(k, 1, 40, "Run (int)");
	put_method(k, 33, 40, "Leaf ()");
	b07_kit_var(k, 0);
	if (draft)
		b07_kit_at(k, 201);
	else
		b07_kit_clock(k, 201);
	b07_kit_end(k);
}

/* Packed: the low 5 bits of the id in the byte, the rest after it. */
void b07_kit_packed(struct b07_kit *k, unsigned code, uint64_t id, uint64_t value)
{
	b07_kit_byte(k, code | (unsigned)(id & 31) << 3);
	B07_VARS(k, id >> 5, value);
}

void b07_kit_full(struct b07_kit *k, unsigned byte, uint64_t data, uint64_t value)
{
	b07_kit_byte(k, byte);
	B07_VARS(k, data, value);
}

static void put_alloc(
	struct b07_kit *k, uint64_t class, uint64_t size, uint64_t caller, uint64_t object)
{
	b07_kit_packed(k, 4, class, size);
	if (k->stage >= 'B')
		b07_kit_var(k, caller);
	if (k->stage >= 'C')
		b07_kit_var(k, object);
}

/* `valid` frames stay, one is new or none: method id << 1 | whether it is being compiled. */
static void put_section(struct b07_kit *k, uint64_t valid, uint64_t frame)
{
	if (k->stage < 'C' || k->stage == 'x')
		return;
	b07_kit_byte(k, 0x4f);
	B07_VARS(k, valid, frame != 0);
	if (frame)
		b07_kit_var(k, frame);
}

enum { METHOD = 5, CLASS = 6, OTHER = 7, END = 0x80 };

static unsigned full(unsigned group, unsigned code, unsigned end)
{
	return end | code << 3 | group;
}

static void put_gc(struct b07_kit *k)
{
	uint64_t r = k->rate, gc = k->stage == 'A' ? 1 : 7 << 8 | 1;
	if (k->stage >= 'B') {
		b07_kit_full(k, full(OTHER, 6, 0), gc, r);
		b07_kit_full(k, full(OTHER, 6, END), gc, r);
	}
	b07_kit_full(k, full(OTHER, 2, 0), gc, r);
	b07_kit_full(k, full(OTHER, 3, 0), gc, r);
	b07_kit_full(k, full(OTHER, 3, END), gc, r);
	b07_kit_full(k, full(OTHER, 4, 0), gc, r);
	b07_kit_full(k, full(OTHER, 4, END), gc, r);
	b07_kit_full(k, full(OTHER, 5, 0), 1 << 20, 7);
	b07_kit_full(k, full(OTHER, 2, END), gc, r);
	if (k->stage >= 'B') {
		b07_kit_full(k, full(OTHER, 7, 0), gc, r);
		b07_kit_full(k, full(OTHER, 7, END), gc, r);
	}
}

static void put_events(struct b07_kit *k)
{
	uint64_t r = k->rate;
	b07_kit_begin(k, 6);
	b07_kit_clock(k, 900);
	b07_kit_var(k, 0x71);
	b07_kit_at(k, 300);
	put_section(k, 0, 0); /* the stack as it was last written: nothing yet */
	b07_kit_full(k, full(OTHER, 1, 0), 0x71, r);
	b07_kit_full(k, full(METHOD, 0, 0), 1, r);
	b07_kit_full(k, full(METHOD, 0, END), 1, 4 * r);
	b07_kit_full(k, full(METHOD, 0, 0), 33, r);
	b07_kit_full(k, full(METHOD, 4, END), 33, 2 * r);
	b07_kit_full(k, full(CLASS, 0, 0), 40, r);
	b07_kit_full(k, full(CLASS, 0, END), 40, 3 * r);
	b07_kit_packed(k, 1, 1, r);
	put_section(k, 0, 1 << 1);
	put_alloc(k, 40, 24, 1, 0x1000);
	b07_kit_packed(k, 1, 33, 10 * r);
	put_section(k, 1, 33 << 1);
	put_alloc(k, 1, 32, 33, 0x1020);
	b07_kit_full(k, full(CLASS, 2, 0), 40, r);
	b07_kit_packed(k, 3, 33, 20 * r);
	if (k->stage == 'D') {
		b07_kit_full(k, full(CLASS, 3, 0), 40, r);
		B07_VARS(k, 1, 0x1000);
		b07_kit_full(k, full(CLASS, 3, 0), 40, 50 * r);
		B07_VARS(k, 2, 0x1000);
	}
	put_gc(k);
	if (k->stage >= 'B') { /* while Leaf is compiled */
		put_section(k, 1, 33 << 1 | 1);
		b07_kit_full(k, full(OTHER, 8, 0), 1, 48);
		b07_kit_var(k, 33);
		if (k->stage >= 'C')
			b07_kit_var(k, 0x1040);
	}
	b07_kit_packed(k, 3, 1, 5 * r);
	b07_kit_full(k, full(METHOD, 1, 0), 33, r);
	b07_kit_full(k, full(CLASS, 1, 0), 40, r);
	b07_kit_full(k, full(CLASS, 1, END), 40, r);
	b07_kit_full(k, full(OTHER, 1, END), 0x71, r);
	b07_kit_byte(k, 0);
	b07_kit_clock(k, 902);
	b07_kit_end(k);
}

static void put_draft_events(struct b07_kit *k)
{
	uint64_t r = k->rate;
	b07_kit_begin(k, 6);
	b07_kit_at(k, 299);
	b07_kit_var(k, 0x71);
	b07_kit_at(k, 300);
	b07_kit_full(k, 0x02, 0x71, r); /* thread */
	b07_kit_full(k, 0x21, 1, r);    /* JIT */
	b07_kit_full(k, 0x29, 1, 4 * r);
	b07_kit_full(k, 0x21, 33, r);
	b07_kit_full(k, 0x2d, 33, 2 * r); /* failed */
	b07_kit_full(k, 0x10, 40, r);     /* class load */
	b07_kit_full(k, 0x18, 40, 3 * r);
	b07_kit_full(k, 0x20, 1, r);   /* calls */
	b07_kit_full(k, 0x12, 40, 24); /* allocation */
	b07_kit_full(k, 0x20, 33, 10 * r);
	b07_kit_full(k, 0x13, 40, r); /* exception */
	b07_kit_full(k, 0x28, 33, 20 * r);
	b07_kit_full(k, 0x22, 1, r);      /* hit */
	b07_kit_full(k, 0x01, 0x7f00, r); /* unmanaged hit */
	b07_kit_full(k, 0x03, 1, r);      /* collection, mark, sweep, resize */
	b07_kit_full(k, 0x04, 1, r);
	b07_kit_full(k, 0x0c, 1, r);
	b07_kit_full(k, 0x05, 1, r);
	b07_kit_full(k, 0x0d, 1, r);
	b07_kit_full(k, 0x06, 1 << 20, r);
	b07_kit_full(k, 0x0b, 1, r);
	b07_kit_full(k, 0x28, 1, 5 * r);
	b07_kit_full(k, 0x23, 33, r); /* freed */
	b07_kit_full(k, 0x11, 40, r);
	b07_kit_full(k, 0x19, 40, r);
	b07_kit_full(k, 0x0a, 0x71, r);
	b07_kit_byte(k, 0);
	b07_kit_at(k, 899);
	b07_kit_end(k);
	b07_kit_begin(k, 7);
	b07_kit_at(k, 900);
	B07_VARS(k, 1, 33, 0, 5, 0);
	b07_kit_at(k, 901);
	b07_kit_end(k);
	b07_kit_begin(k, 2);
	b07_kit_clock(k, 902);
	b07_kit_end(k);
}

static void put_hits(struct b07_kit *k)
{
	unsigned bits = k->stage == 'A' ? 2 : 3;
	b07_kit_begin(k, 7);
	b07_kit_clock(k, 1000);
	b07_kit_var(k, bits == 2 ? 3 : 7); /* regions */
	B07_VARS(k, 0, 9, 0x600000, 0x1000, 0x40);
	b07_kit_text(k, "gone.so");
	b07_kit_var(k, 0);
	b07_kit_var(k, bits == 2 ? 3 : 7);
	B07_VARS(k, 9, 0, 2, 0x7f0000, 0x1000, 0x40);
	b07_kit_text(k, "libc.so.6");
	b07_kit_var(k, 0);
	const uint64_t unit = UINT64_C(1) << bits, region = bits == 2 ? 2 : 4;
	B07_VARS(k, 33 * unit + 1, 1);
	B07_VARS(k, 2 * unit + region, 0x123); /* in the region */
	B07_VARS(k, region, 0x55550000);
	if (bits == 3) {
		B07_VARS(k, 2 << 3 | 3, 5);
		b07_kit_text(k, "memcpy");
		B07_VARS(k, 2 << 3 | 5, 33 << 3 | 1, 1 << 3 | 1); /* < Leaf < Run */
		B07_VARS(k, 5 << 3 | 2);
	}
	b07_kit_var(k, 0);
	b07_kit_clock(k, 1100);
	b07_kit_end(k);
}

static void put_heap(struct b07_kit *k)
{
	bool a = k->stage == 'A';
	b07_kit_begin(k, 8);
	b07_kit_clock(k, 1200);
	b07_kit_clock(k, 1210);
	if (!a) {
		b07_kit_var(k, 7);
		b07_kit_clock(k, 1211);
	}
	B07_VARS(k, 40 << 2 | 2, 24);
	b07_kit_var(k, 0x1000 | 1);
	if (!a)
		B07_VARS(k, 40, 24);
	B07_VARS(k, 2, 0x1020, 0x1040);
	b07_kit_var(k, 0x1020 | 1);
	if (!a)
		B07_VARS(k, 1, 32);
	B07_VARS(k, 0, 0);
	b07_kit_clock(k, 1212);
	b07_kit_end(k);
	if (a)
		return;
	b07_kit_begin(k, 9);
	b07_kit_clock(k, 1300);
	b07_kit_var(k, 8);
	B07_VARS(k, 1, 3, 96, 2, 64, 40, 1, 24, 0, 0, 0);
	b07_kit_clock(k, 1301);
	b07_kit_end(k);
}

static void put_unknown(struct b07_kit *k)
{
	b07_kit_begin(k, 42);
	b07_kit_text(k, "something of the future");
	b07_kit_end(k);
}

void b07_kit_log(struct b07_kit *k)
{
	b07_kit_intro(k, 0x393df);
	if (k->stage >= 'B' && k->stage != 'x')
		b07_kit_directives(k, 2);
	put_load(k, 4 | 8, 1, "App.exe", false);
	put_load(k, 2 | 8, 2, "corlib, Version=2.0.5.0", false);
	put_load(k, 1 | 8, 3, "corlib.dll", false);
	put_load(k, 1 | 16, 4, "missing.dll", false);
	put_mapping(k);
	if (k->stage == 'x') {
		put_draft_events(k);
	} else {
		put_events(k);
		put_hits(k);
		put_heap(k);
		if (!k->known_blocks)
			put_unknown(k);
	}
	put_load(k, 1, 3, "corlib.dll", true);
	b07_kit_begin(k, k->stage == 'x' ? 8 : 2);
	b07_kit_var(k, 1);
	b07_kit_clock(k, 2000);
	b07_kit_end(k);
}
