/* SPDX-License-Identifier: MIT */
/*
 * Writes a log with one heap shot of any size to standard output.
 *
 * usage: heap_log OBJECTS REFERENCES
 *
 * Objects of 16 to 64 bytes, of 1,000 classes. As programs make them: 4,096 that were made one
 * after another are a binary tree, whose first object one of the first objects of eight times fewer
 * trees holds; a static field holds the very first, so that all can be reached. What an object is
 * depends on how deep it stands. Of the references beyond that half are near, four tenths within
 * the tree, one tenth anywhere. Areas of 4,096 objects are listed in no order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cursor.h"
#include "common/base/status.h"
#include "common/format/mlpd/mlpd.h"

#define OBJ_BASE UINT64_C(0x7f0000000000)
#define PTR_BASE UINT64_C(0x560000000000)

enum {
	PAYLOAD = 60 << 10,
	EVENT_MAX = 4096,
	CLASSES = 1000,
	AREA = 4096,
	NEAR = 200,
	STRIDE = 64,
	FANOUT = 8
};
enum {
	CLASS = 1,
	VTABLE = 7,
	LOAD = 0x22,
	START = 0x06,
	END = 0x16,
	OBJECT = 0x26,
	ROOTS = 0x36,
	REGISTER = 0x46,
	STATIC = 3,
	SLOTS = 1 << 20
};

static uint8_t payload[PAYLOAD + EVENT_MAX], *at = payload;
static uint64_t dice = 1;

static uint64_t roll(uint64_t sides)
{
	dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (dice >> 20) % sides;
}

static void flush(void)
{
	uint8_t head[MLPD_BUFFER_HEADER];
	struct mlpd_buffer_header h = { .length = (uint32_t)(at - payload),
		.time_base = 1000000,
		.ptr_base = PTR_BASE,
		.obj_base = OBJ_BASE >> 3,
		.thread = 1,
		.method_base = PTR_BASE };
	mlpd_put_buffer_header(head, &h);
	if (fwrite(head, sizeof head, 1, stdout) != 1 || fwrite(payload, h.length, 1, stdout) != 1)
		exit(1);
	at = payload;
}

static void event(uint8_t byte)
{
	if (at - payload > PAYLOAD)
		flush();
	*at++ = byte;
	*at++ = 1; /* ns later */
}

static void text(const char *s)
{
	size_t n = strlen(s) + 1;
	memcpy(at, s, n);
	at += n;
}

static uint64_t class_ptr(uint64_t i)
{
	return SLOTS + 0x100 * i;
}

static void put_names(void)
{
	char name[64];
	for (uint64_t i = 0; i < CLASSES; i++) {
		snprintf(name, sizeof name, "Made.Class%u%s", (unsigned)i, i % 10 ? "" : "[]");
		event(LOAD);
		*at++ = CLASS;
		at = pv_put_sleb(at, (int64_t)class_ptr(i));
		at = pv_put_sleb(at, 64);
		text(name);
		event(LOAD);
		*at++ = VTABLE;
		at = pv_put_sleb(at, (int64_t)class_ptr(i) + 8);
		at = pv_put_sleb(at, 32);
		at = pv_put_sleb(at, (int64_t)class_ptr(i));
	}
	event(REGISTER);
	at = pv_put_sleb(at, 0);
	at = pv_put_uleb(at, 8);
	*at++ = STATIC;
	at = pv_put_sleb(at, (int64_t)class_ptr(1) + 8);
	text("Static Fields");
}

/* Those that others are built of have a class for each level, the leaves any of the rest. */
static uint64_t class_of(uint64_t i)
{
	uint64_t local = i % AREA, depth = 0, level = 0;
	for (uint64_t k = local; k; k = (k - 1) / 2)
		depth++;
	for (uint64_t tree = i / AREA; tree; tree = (tree - 1) / FANOUT)
		level++;
	return local >= AREA / 2 ? 200 + i % (CLASSES - 200) : (level * 12 + depth) % 200;
}

static uint64_t held(uint64_t i, uint64_t objects, uint64_t to[64])
{
	uint64_t local = i % AREA, tree = i / AREA, n = 0;
	for (uint64_t k = 2 * local + 1; k <= 2 * local + 2 && k < AREA; k++)
		to[n++] = tree * AREA + k;
	for (uint64_t k = 1; local == 0 && k <= FANOUT; k++)
		to[n++] = (tree * FANOUT + k) * AREA;
	while (n > 0 && to[n - 1] >= objects)
		n--;
	return n;
}

static void put_object(uint64_t i, uint64_t objects, uint64_t more)
{
	uint64_t to[64], n = held(i, objects, to);
	uint64_t extra = more / objects + (roll(objects) < more % objects);
	for (uint64_t k = 0; k < extra && n < 64; k++) {
		uint64_t die = roll(10);
		to[n++] = die < 5   ? (i + roll(NEAR)) % objects
			  : die < 9 ? (i - i % AREA + roll(AREA)) % objects
				    : roll(objects);
	}
	event(OBJECT);
	at = pv_put_sleb(at, (int64_t)(i * STRIDE >> 3));
	at = pv_put_sleb(at, (int64_t)class_ptr(class_of(i)) + 8);
	at = pv_put_uleb(at, 16 + 8 * roll(7));
	*at++ = 1;
	at = pv_put_uleb(at, n);
	for (uint64_t k = 0; k < n; k++) {
		at = pv_put_uleb(at, k ? 8 : 16);
		at = pv_put_sleb(at, (int64_t)(to[k] * STRIDE >> 3));
	}
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

static void put_shot(uint64_t objects, uint64_t references)
{
	uint64_t areas = (objects + AREA - 1) / AREA, step = areas / 2 + 1;
	while (common_divisor(areas, step) > 1)
		step++;
	event(START);
	event(ROOTS);
	at = pv_put_uleb(at, 1);
	at = pv_put_sleb(at, 0);
	at = pv_put_sleb(at, 0);
	for (uint64_t a = 0, area = 0; a < areas; a++, area = (area + step) % areas)
		for (uint64_t i = area * AREA; i < (area + 1) * AREA && i < objects; i++)
			put_object(i, objects, references - (objects - 1));
	event(END);
}

int main(int argc, char *argv[])
{
	uint64_t objects = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t references = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	uint8_t head[256];
	struct mlpd_header h = { .format = { 17, 3, 8, 0 },
		.startup_ns = 1,
		.args = { "log:heapshot", 12 },
		.arch = { "x86-64", 6 },
		.os = { "linux", 5 } };
	if (objects == 0 || references + 1 < objects) {
		fputs("usage: heap_log OBJECTS REFERENCES (at least OBJECTS - 1)\n", stderr);
		return 2;
	}
	size_t n = mlpd_put_header(head, sizeof head, &h);
	if (fwrite(head, n, 1, stdout) != 1)
		return 1;
	put_names();
	put_shot(objects, references);
	flush();
	return fflush(stdout) ? 1 : 0;
}
