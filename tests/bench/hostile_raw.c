/* SPDX-License-Identifier: MIT */
/*
 * Logs whose bytes are as the format does not want them, or come in no end of small parts: what
 * frames them, searches for a place to go on, tries layouts and inflates is to take linear time,
 * too. And keys that were made for the hashes that tables once had. Each has its benign log: as
 * many parts, a thousand keys, in order, whole.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "common/base/map.h"
#include "common/format/call_summary.h"
#include "tests/bench/hostile_log.h"
#include "tests/kit/wire.h"

enum {
	KEYS = 1000,
	THREAD = 0x40000000,
	METHOD = 0x50000,
	TEXT = 30000, /* bytes of a long one */
	FEWER = 50,   /* long ones */
	LAYOUTS = 14, /* a data version that stands for several */
	FAR_PART = 20000,
	FAR_PARTS = 3000,
	FAR_ROOM = 80 << 10,
};
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)
#define MIX    UINT64_C(0xd6e8feb86659fd93)

struct writer {
	struct wire w;
	struct hostile_bytes z; /* in place of the log: packed */
	bool benign;
	unsigned i, n; /* parts: this one, all */
};

/* --- parts of a log */

static void put(struct writer *x, const void *bytes, size_t n)
{
	wire_end_buffer(&x->w);
	ck_assert(pv_reserve(&x->w.out, n));
	memcpy(x->w.out.v + x->w.out.n, bytes, n);
	x->w.out.n += n;
}

static void put_u32(struct writer *x, uint32_t v)
{
	put(x, &v, sizeof v);
}

static void put_events(struct writer *x, unsigned key)
{
	wire_enter(&x->w, METHOD + key * 16);
	wire_leave(&x->w, METHOD + key * 16);
}

static void put_buffer(struct writer *x, unsigned key)
{
	wire_buffer(&x->w, THREAD + key * 16);
	put_events(x, key);
	wire_end_buffer(&x->w);
}

/* A buffer header that promises what is not there. */
static void put_head(struct writer *x, uint32_t length, uint64_t time)
{
	const struct mlpd_buffer_header h = { .length = length,
		.time_base = time,
		.ptr_base = 0x1000,
		.obj_base = 0x2000,
		.thread = THREAD,
		.method_base = 0x5000 };
	uint8_t bytes[MLPD_BUFFER_HEADER];
	put(x, bytes, mlpd_put_buffer_header(bytes, &h));
}

/* The length in the last buffer's header. */
static void lie(struct writer *x, size_t from, uint32_t length)
{
	memcpy(x->w.out.v + from + 4, &length, sizeof length);
}

static void put_bad_buffer(struct writer *x, unsigned key)
{
	wire_buffer(&x->w, THREAD + key * 16);
	put_events(x, key);
	ck_assert(pv_reserve(&x->w.events, 4));
	memset(x->w.events.v + x->w.events.n, 0xff, 4);
	x->w.events.n += 4;
	wire_end_buffer(&x->w);
}

/* --- shapes: one part of each */

static void empty_buffer(struct writer *x)
{
	put_head(x, 0, x->w.now);
}

static void buffer_going_back(struct writer *x)
{
	x->w.now -= 1000;
	put_buffer(x, 1);
}

static void false_head(struct writer *x)
{
	put_u32(x, MLPD_BUFFER_ID);
	put(x, "nothing of it is true, from here on to its end.", 44);
	if (x->i % 2)
		put_head(x, 0, x->w.now);
}

static void false_magic(struct writer *x)
{
	put_u32(x, MLPD_BUFFER_ID);
}

static void head_past_the_end(struct writer *x)
{
	put_head(x, 60 << 20, x->w.now);
	put_u32(x, 0xffffffff);
}

/* Each one's end is half the log away, and a little less than a power of two. */
static void head_to_a_far_end(struct writer *x)
{
	static const uint8_t nothing[FAR_PART];
	uint32_t window = 1 << 20;
	if (x->i >= FAR_PARTS)
		return;
	while (window <= (uint64_t)(x->n < FAR_PARTS ? x->n : FAR_PARTS) * FAR_PART / 4)
		window *= 2;
	put_head(x, window - FAR_ROOM, x->w.now);
	put_u32(x, 0xffffffff);
	put(x, nothing, FAR_PART - MLPD_BUFFER_HEADER - 4);
}

/* Not beyond what has been read, nor at another one. */
static void head_too_long(struct writer *x)
{
	put_head(x, 40000, x->w.now);
	put_u32(x, 0xffffffff);
}

static void length_too_short(struct writer *x)
{
	size_t at = x->w.out.n;
	put_buffer(x, x->i);
	lie(x, at, 1);
	put_buffer(x, x->i); /* this one is believed */
}

static void length_of_nothing(struct writer *x)
{
	size_t at = x->w.out.n;
	put_buffer(x, x->i);
	lie(x, at, 0);
	put_buffer(x, x->i);
}

static void length_too_long(struct writer *x)
{
	size_t at = x->w.out.n;
	put_buffer(x, x->i);
	lie(x, at, 1000);
	put_buffer(x, x->i);
}

static void garbage_after(struct writer *x)
{
	put_buffer(x, x->i % KEYS);
	put_head(x, 0, x->w.now); /* so that the one before is believed */
	put(x, "\xff\xff\xff", 3);
}

static void thread_and_garbage(struct writer *x)
{
	put_buffer(x, x->i);
	put_head(x, 0, x->w.now);
	put(x, "\xff\xff\xff", 3);
}

static void bad_end(struct writer *x)
{
	put_bad_buffer(x, x->i);
}

/* Others stand in its tail, which does not decode; the first part puts them all. */
static void nested(struct writer *x, unsigned inner)
{
	size_t at = x->w.out.n;
	put_head(x, 0, x->w.now);
	put_u32(x, 0xffffffff);
	for (unsigned i = 0; i < inner; i++)
		put_buffer(x, i % KEYS);
	put(x, "\xff\xff", 2);
	lie(x, at, (uint32_t)(x->w.out.n - at - MLPD_BUFFER_HEADER));
}

static void all_nested(struct writer *x)
{
	if (x->i == 0)
		nested(x, x->n);
}

static void some_nested(struct writer *x)
{
	if (x->i % 10 == 0)
		nested(x, 10);
}

/* Each one's end is that of all. */
static void nested_deep(struct writer *x)
{
	put_head(x, (x->n - x->i - 1) * (MLPD_BUFFER_HEADER + 2), x->w.now);
	put(x, "\xff\xff", 2);
}

static void no_layout(struct writer *x)
{
	put_bad_buffer(x, x->i % KEYS);
}

static void no_layout_anywhere(struct writer *x)
{
	put_head(x, 100, x->w.now);
	for (unsigned i = 0; i < 25; i++)
		put_u32(x, 0xffffffff);
}

static void header_again(struct writer *x)
{
	wire_header(&x->w, 1, 1000);
	put_buffer(x, x->benign ? x->i % KEYS : x->i);
}

static void header_only(struct writer *x)
{
	wire_header(&x->w, 1, 1000);
}

static void other_header(struct writer *x)
{
	wire_header(&x->w, x->i + 2, 1000);
	put_buffer(x, 1);
}

static void bad_header(struct writer *x)
{
	size_t at = x->w.out.n;
	wire_header(&x->w, 1, 1000);
	memset(x->w.out.v + at + 38, 0xff, 4); /* of its first string */
	put_buffer(x, x->i % KEYS);
}

/* Its strings do not end where the file does. */
static void header_without_end(struct writer *x)
{
	size_t at = x->w.out.n;
	uint32_t length = 1 << 20;
	wire_header(&x->w, 1, 1000);
	memcpy(x->w.out.v + at + 38, &length, sizeof length);
	put_buffer(x, x->i % KEYS);
}

static void long_text(struct writer *x)
{
	static char text[TEXT];
	if (x->i % FEWER)
		return;
	memset(text, 'M', TEXT - 1);
	snprintf(text, 20, "N.C%u:", x->i);
	text[strlen(text)] = 'M';
	wire_buffer(&x->w, THREAD);
	wire_name(&x->w, METHOD + x->i * 16, text);
}

static void text_without_end(struct writer *x)
{
	if (x->i % FEWER)
		return;
	size_t at = x->w.out.n;
	long_text(x);
	wire_end_buffer(&x->w);
	lie(x, at, (uint32_t)(x->w.out.n - at - MLPD_BUFFER_HEADER - 1));
	x->w.out.n--;
}

static void long_numbers(struct writer *x)
{
	wire_buffer(&x->w, THREAD);
	for (unsigned i = 0; i < 4; i++) {
		wire_enter(&x->w, UINT64_MAX / 3 * (i + 1) + x->i);
		x->w.now += UINT64_C(1) << 40;
	}
}

static void text_of_magic(struct writer *x)
{
	char name[40];
	snprintf(name, sizeof name, "\1LPM\1LPM%u\1LPM", x->i);
	wire_buffer(&x->w, THREAD);
	wire_name(&x->w, METHOD + x->i * 16, name);
	put(x, "\xff", 1);
}

/* --- keys of one place */

static uint64_t inverse(uint64_t odd)
{
	uint64_t v = odd;
	for (int i = 0; i < 6; i++)
		v *= 2 - odd * v;
	return v;
}

static uint64_t unhashed(uint64_t hash)
{
	for (int i = 0; i < 2; i++) {
		hash ^= hash >> 32;
		hash *= inverse(MIX);
	}
	return hash ^ hash >> 32;
}

static void key_of_one_place(struct writer *x)
{
	char name[20];
	if (x->w.events.n == 0 || x->w.events.n > 40000)
		wire_buffer(&x->w, THREAD);
	snprintf(name, sizeof name, "N.C%u:M ()", x->i);
	wire_name(&x->w, x->benign ? METHOD + x->i * 16 : unhashed((uint64_t)x->i << 24), name);
}

static void text_of_one_hash(struct writer *x)
{
	uint64_t text[3] = { (x->i + 1) * GOLDEN | UINT64_C(0x0101010101010101), 0, 0 };
	text[1] = pv_hash(16 ^ text[0]) ^ GOLDEN;
	if (x->w.events.n == 0 || x->w.events.n > 40000)
		wire_buffer(&x->w, THREAD);
	if (!memchr(text, 0, 16))
		wire_name(&x->w, METHOD + x->i * 16, (const char *)text);
}

static void call_of_one_place(struct writer *x)
{
	uint64_t key = x->i * inverse(MIX) - PV_PATH_BASE * GOLDEN;
	if (x->w.events.n == 0 || x->w.events.n > 40000)
		wire_buffer(&x->w, THREAD);
	wire_enter(&x->w, key);
	wire_leave(&x->w, key);
}

/* --- packed */

static void pack(struct writer *x, const uint8_t *v, size_t n, int flush, size_t each)
{
	z_stream z = { 0 };
	ck_assert_int_eq(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	ck_assert(pv_reserve(&x->z, n * 20 + 200));
	z.next_in = (Bytef *)(uintptr_t)v;
	z.next_out = x->z.v + x->z.n;
	z.avail_out = (uInt)(x->z.room - x->z.n);
	for (size_t done = 0; done < n; done += each) {
		z.avail_in = (uInt)(n - done < each ? n - done : each);
		ck_assert_int_eq(deflate(&z, flush), Z_OK);
	}
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	x->z.n = x->z.room - z.avail_out;
	deflateEnd(&z);
}

static void pack_whole(struct writer *x)
{
	pack(x, x->w.out.v, x->w.out.n, Z_NO_FLUSH, x->w.out.n);
}

static void pack_members(struct writer *x)
{
	for (size_t done = 0; done < x->w.out.n; done += 50)
		pack(x, x->w.out.v + done, x->w.out.n - done < 50 ? x->w.out.n - done : 50,
			Z_NO_FLUSH, 50);
}

static void pack_empty_members(struct writer *x)
{
	pack_whole(x);
	for (unsigned i = 0; i < x->n; i++)
		pack(x, NULL, 0, Z_NO_FLUSH, 1);
}

static void pack_blocks(struct writer *x)
{
	pack(x, x->w.out.v, x->w.out.n, Z_FULL_FLUSH, 10);
}

/* --- all of them */

static void benign_buffer(struct writer *x)
{
	put_buffer(x, x->i % KEYS);
}

static const struct family {
	const char *name;
	void (*part)(struct writer *x);
	void (*pack)(struct writer *x);
	void (*like)(struct writer *x); /* a benign part, where it is no small buffer */
	uint8_t version;                /* 0: the newest */
} families[] = {
	{ "empty buffers", empty_buffer, NULL, NULL, 0 },
	{ "buffers going back", buffer_going_back, NULL, NULL, 0 },
	{ "false buffer headers", false_head, NULL, NULL, 0 },
	{ "false magic numbers", false_magic, NULL, NULL, 0 },
	{ "headers past the end", head_past_the_end, NULL, NULL, 0 },
	{ "headers to a far end", head_to_a_far_end, NULL, NULL, 0 },
	{ "headers that are too long", head_too_long, NULL, NULL, 0 },
	{ "lengths that are too short", length_too_short, NULL, NULL, 0 },
	{ "lengths of nothing", length_of_nothing, NULL, NULL, 0 },
	{ "lengths that are too long", length_too_long, NULL, NULL, 0 },
	{ "garbage between buffers", garbage_after, NULL, NULL, 0 },
	{ "garbage between threads", thread_and_garbage, NULL, NULL, 0 },
	{ "damaged ends", bad_end, NULL, NULL, 0 },
	{ "buffers in one buffer", all_nested, NULL, NULL, 0 },
	{ "buffers in buffers", some_nested, NULL, NULL, 0 },
	{ "buffers to one end", nested_deep, NULL, NULL, 0 },
	{ "layouts tried", no_layout, NULL, NULL, LAYOUTS },
	{ "layouts tried at every byte", no_layout_anywhere, NULL, NULL, LAYOUTS },
	{ "headers between threads", header_again, NULL, header_again, 0 },
	{ "headers alone", header_only, NULL, NULL, 0 },
	{ "headers of other programs", other_header, NULL, header_again, 0 },
	{ "damaged headers", bad_header, NULL, NULL, 0 },
	{ "headers without an end", header_without_end, NULL, NULL, 0 },
	{ "long texts", long_text, NULL, NULL, 0 },
	{ "texts without an end", text_without_end, NULL, long_text, 0 },
	{ "long numbers", long_numbers, NULL, NULL, 0 },
	{ "texts of magic numbers", text_of_magic, NULL, NULL, 0 },
	{ "keys of one place", key_of_one_place, NULL, key_of_one_place, 0 },
	{ "texts of one hash", text_of_one_hash, NULL, key_of_one_place, 0 },
	{ "calls of one place", call_of_one_place, NULL, NULL, 0 },
	{ "packed members", benign_buffer, pack_members, NULL, 0 },
	{ "packed members of nothing", benign_buffer, pack_empty_members, NULL, 0 },
	{ "packed blocks", benign_buffer, pack_blocks, NULL, 0 },
};

size_t hostile_families_raw(void)
{
	return PV_COUNT_OF(families);
}

const char *hostile_family_name_raw(size_t family)
{
	return families[family].name;
}

static void put_parts(struct writer *x, const struct family *f)
{
	void (*part)(struct writer *) = x->benign ? f->like ? f->like : benign_buffer : f->part;
	for (x->i = 0; x->i < x->n; x->i++)
		part(x);
	wire_end_buffer(&x->w);
}

void hostile_write_raw(size_t family, bool benign, unsigned n, struct hostile_bytes *ret)
{
	const struct family *f = &families[family];
	struct writer x = { .benign = benign, .n = n };
	wire_init(&x.w);
	if (f->version)
		x.w.format = (struct mlpd_format){ f->version, 2, 8, 0 };
	x.w.now = UINT64_C(1000000000000);
	wire_header(&x.w, 1, 1000);
	put_buffer(&x, 1);
	put_parts(&x, f);
	if (f->pack)
		(benign ? pack_whole : f->pack)(&x);
	*ret = x.z;
	if (!f->pack) {
		*ret = (struct hostile_bytes){ x.w.out.v, x.w.out.n, x.w.out.room };
		x.w.out.v = NULL;
		x.w.out.n = x.w.out.room = 0;
	}
	wire_finish(&x.w);
}
