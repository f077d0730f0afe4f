/* SPDX-License-Identifier: MIT */
/* Parts of the native host by themselves: options, the walk over bad stacks, the blocks alive. */
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/map.h"
#include "probe/code/elf_syms.h"
#include "probe/unwind/native_walk.h"
#include "probe/ground/frames.h"
#include "probe/core/writer.h"
#include "probe/native/native_args.h"
#include "probe/native/native_blocks.h"
#include "probe/native/native_held.h"
#include "tests/kit/suite.h"

static const struct {
	const char *text, *words, *rest;
} known[] = {
	{ NULL, "", "" },
	{ "output=x,calls=off", "", "output=x,calls=off" },
	{ "malloc", ",gcalloc", "" },
	{ "alloc", ",gcalloc", "alloc=on" },
	{ "alloc=on,alloc=1", ",gcalloc", "alloc=on,alloc=on" },
	{ "alloc,alloc=off", "", "alloc=on,alloc=off" },
	{ "alloc=512k,noalloc,nocalls,zip", "", "alloc=off,calls=off,zip" },
	{ "cpu,nocpu,sample=7", ",sample=7,sample-timer=cpu:7", "" },
	{ "alloc=512k,zip", ",alloc=524288", "zip" },
	{ "malloc=1m,class=site", ",alloc=1048576,class=site", "" },
	{ "free", ",gcalloc,free", "" },
	{ "heapshot,malloc", ",gcalloc,blocks", "" },
	{ "heapshot-on-shutdown", ",blocks", "" },
	{ "heapshot=ondemand", ",blocks", "" },
	{ "heapshot=2000ms", ",blocks,heapshot=2000ms", "" },
	{ "sample-real=9", ",sample-real=9,sample-timer=cpu:9", "" },
	{ "cpu,sample=7", ",cpu,sample=7,sample-timer=cpu:7", "" },
	{ "sample=7,nodefaults", ",sample=7,sample-timer=cpu:7", "calls=off,alloc=off" },
};

START_TEST(options)
{
	struct pvp_native_options o;
	ck_assert_msg(pvp_native_parse(known[_i].text, &o), "%s", known[_i].text);
	ck_assert_str_eq(o.words, known[_i].words);
	ck_assert_str_eq(o.rest, known[_i].rest);
}
END_TEST

static const char *const refused[] = { "malloc=", "malloc=x", "alloc=5q", "sample=", "sample=x",
	"sample=20000", "maxframes=65", "class=", "class=colour", "heapshot=5gc", "free,malloc=1k",
	"heapshot=ms", "heapshot=0ms", "heapshot=-5ms", "heapshot=5", "heapshot=2s",
	"heapshot=999999999ms", "sample-real=", "sample-real=20000", "free=1" };

START_TEST(options_that_are_not)
{
	struct pvp_native_options o;
	bool taken = pvp_native_parse(refused[_i], &o);
	/* An unknown word is left to the core, which refuses it. */
	ck_assert_msg(!taken || strcmp(o.rest, refused[_i]) == 0, "%s", refused[_i]);
	if (strncmp(refused[_i], "free=", 5) != 0)
		ck_assert_msg(!taken, "%s", refused[_i]);
}
END_TEST

/* ---- the walk */

enum { PAGE = 4096 };

static uintptr_t *pages; /* two, and one after them that cannot be read */

static void make_pages(void)
{
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert_int_eq(mprotect((char *)pages + 2 * PAGE, PAGE, PROT_NONE), 0);
}

static void drop_pages(void)
{
	munmap(pages, 3 * PAGE);
}

static uintptr_t address(size_t word)
{
	return (uintptr_t)&pages[word];
}

static void frame(size_t word, uintptr_t caller, uintptr_t pc)
{
	pages[word] = caller;
	pages[word + 1] = pc;
}

START_TEST(a_sound_stack)
{
	enum pvp_walk_end end;
	uint64_t to[8];
	frame(4, address(10), 0x400100);
	frame(10, address(700), 0x400200); /* on the next page */
	frame(700, 0, 0x400300);
	ck_assert_uint_eq(pvp_native_walk(address(4), address(0), to, 8, &end), 2);
	ck_assert_int_eq(end, PVP_WALK_WHOLE);
	frame(700, address(701), 0x400300); /* to itself and upwards: no end of its own */
	frame(10, address(700), 0x400200);
	ck_assert_uint_eq(pvp_native_walk(address(4), address(0), to, 2, &end), 2);
	ck_assert_int_eq(end, PVP_WALK_DEEP);
	ck_assert_uint_eq(to[0], 0x400100);
	ck_assert_uint_eq(to[1], 0x400200);
}
END_TEST

START_TEST(bad_stacks)
{
	enum pvp_walk_end end;
	uint64_t to[8];
	size_t last = 2 * PAGE / sizeof(uintptr_t);
	frame(4, address(10), 0x400100);
	frame(10, address(last + 5), 0x400200); /* nothing can be read there */
	ck_assert_uint_eq(pvp_native_walk(address(4), address(0), to, 8, NULL), 2);
	frame(10, address(4), 0x400200); /* back down */
	ck_assert_uint_eq(pvp_native_walk(address(4), address(0), to, 8, NULL), 1);
	frame(10, address(50) + 1, 0x400200); /* not where a word can be */
	ck_assert_uint_eq(pvp_native_walk(address(4), address(0), to, 8, NULL), 2);
	frame(4, address(10), 7); /* no code there */
	ck_assert_uint_eq(pvp_native_walk(address(4), address(0), to, 8, NULL), 0);
	ck_assert_uint_eq(pvp_native_walk(0, 0, to, 8, &end), 0);
	ck_assert_int_eq(end, PVP_WALK_BROKEN);
	ck_assert_uint_eq(pvp_native_walk(0x1234, address(0), to, 8, NULL), 0);
	ck_assert_uint_eq(pvp_native_walk(UINTPTR_MAX - 7, address(0), to, 8, NULL), 0);
	ck_assert_uint_eq(pvp_native_walk(address(0) - 64, address(0), to, 8, NULL), 0);
	ck_assert_uint_eq(pvp_native_walk(address(last), address(0), to, 8, &end), 0);
	ck_assert_int_eq(end, PVP_WALK_UNREADABLE);
}
END_TEST

/* A frame of which half is on a page that cannot be read. */
START_TEST(a_frame_across_the_end)
{
	uint64_t to[8];
	size_t last = 2 * PAGE / sizeof(uintptr_t);
	pages[last - 1] = address(last + 1);
	ck_assert_uint_eq(pvp_native_walk(address(last - 1), address(0), to, 8, NULL), 0);
}
END_TEST

/* ---- blocks */

/* Many addresses in few places, taken and given back at random, next to a map. */
START_TEST(blocks_are_found_again)
{
	enum { ADDRESSES = 5000, STEPS = 200000 };
	struct pv_map expected = { 0 };
	uint64_t random = 1;
	for (int i = 0; i < STEPS; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint64_t at = 0x7f0000000000 + (random >> 40) % ADDRESSES * 16;
		uint32_t before = pv_map_get(&expected, at);
		bool there = before != PV_MAP_NONE && before;
		if (random >> 33 & 1) {
			unsigned n = (unsigned)i;
			ck_assert(pvp_blocks_add(
				at, (struct pvp_held_block){ 1000 + n, 1 + n % 1000, 7 * n + 1 }));
			ck_assert(pv_map_set(&expected, at, 1 + (unsigned)i));
			continue;
		}
		struct pvp_held_block was = pvp_blocks_remove(at);
		if (was.bytes != (there ? 999 + before : 0) ||
			was.type != (there ? 1 + (before - 1) % 1000 : 0) ||
			was.stack != (there ? 7 * (before - 1) + 1 : 0))
			ck_abort_msg("step %d: %lu bytes of class %u, stack %u", i,
				(unsigned long)was.bytes, was.type, was.stack);
		ck_assert(pv_map_set(&expected, at, 0));
	}
	pvp_blocks_clear();
	ck_assert_uint_eq(pvp_blocks_remove(0x7f0000000000).bytes, 0);
	pv_map_finish(&expected);
}
END_TEST

/* Two functions at 0x1000 and 0x2000; each calls its own hook 0x20 bytes after its beginning. */
START_TEST(calls_that_a_longjmp_left_are_over)
{
	struct pvp_frames *f = pvp_frames_create();
	ck_assert_ptr_nonnull(f);
	pvp_frames_push(f, 0x7000, 0x1020, 0x1000);
	/* inlined into the first, from further on in it; called by it; another one in its place */
	ck_assert_uint_eq(pvp_frames_dead(f, 0x7000, 0x1080, 0x3000), 0);
	ck_assert(pvp_frames_plain(f, 0x7000, 0x1080, 0x3000));
	ck_assert_uint_eq(pvp_frames_dead(f, 0x6ff0, 0x2020, 0x2000), 0);
	ck_assert(pvp_frames_plain(f, 0x6ff0, 0x2020, 0x2000));
	ck_assert_uint_eq(pvp_frames_dead(f, 0x7000, 0x2020, 0x2000), 1);
	ck_assert(!pvp_frames_plain(f, 0x7000, 0x2020, 0x2000));
	pvp_frames_push(f, 0x6ff0, 0x2020, 0x2000);
	ck_assert_uint_eq(pvp_frames_dead(f, 0x7000, 0x1020, 0x1000), 2);
	pvp_frames_destroy(f);
}
END_TEST

static bool planted(uint64_t key, struct pvp_method *ret)
{
	*ret = (struct pvp_method){
		.code = key & ~UINT64_C(0xff), .size = 256, .name = "planted", .name_len = 7
	};
	return true;
}

static size_t place_of(const struct pvp_out_buffer *p, const char *name)
{
	const uint8_t *at = memmem(p->bytes, p->n, name, strlen(name));
	return at ? (size_t)(at - p->bytes) : SIZE_MAX;
}

/* A reader that is greeted learns of a stack's functions before the stack, in the same page. */
START_TEST(a_greeting_has_the_functions_of_its_stacks)
{
	static const struct pvp_host host = { .method = planted };
	const uint64_t frames[] = { 0x4010, 0x5020 };
	struct pvp_writer *w = calloc(1, sizeof *w);
	ck_assert_ptr_nonnull(w);
	w->host = &host;
	ck_assert_uint_ne(pvp_held_got(frames, 2, 100), 0);
	ck_assert(pvp_held_tell(w, &w->hello, true));
	ck_assert_uint_eq(w->page.n, 0);
	ck_assert_uint_lt(place_of(&w->hello, "planted"), w->hello.n / 2);
	/* those that were described are not once more */
	ck_assert(pvp_held_tell(w, &w->page, true));
	ck_assert_uint_eq(place_of(&w->page, "planted"), SIZE_MAX);
	pvp_held_clear();
	pv_map_finish(&w->described);
	free(w);
}
END_TEST

/* It is no file: its symbols are read from memory, and a shorter image is refused. */
START_TEST(the_vdso_has_names)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	if (!image)
		return;
	const ElfW(Ehdr) *h = (const void *)image;
	const ElfW(Phdr) *headers = (const void *)(image + h->e_phoff);
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE), found = 0;
	bytes = (h->e_shoff + h->e_shnum * sizeof(ElfW(Shdr)) + bytes - 1) / bytes * bytes;
	struct pvp_elf e;
	ck_assert(pvp_elf_load_image(&e, image, bytes, headers, h->e_phnum));
	for (size_t i = 0; i < e.n; i++)
		found += strstr(e.strings + e.symbols[i].name, "clock_gettime") != NULL;
	ck_assert_uint_ge(found, 1);
	pvp_elf_finish(&e);
	ck_assert(!pvp_elf_load_image(&e, image, h->e_shoff, headers, h->e_phnum));
	ck_assert(!pvp_elf_load_image(&e, image, 10, headers, h->e_phnum));
}
END_TEST

/* A file may hold anything: whatever its bytes are, reading it ends, and reads nothing else. */
START_TEST(damaged_files_have_fewer_names)
{
	FILE *f = fopen("/proc/self/exe", "rb");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	const size_t bytes = (size_t)ftell(f);
	ck_assert_int_eq(fseek(f, 0, SEEK_SET), 0);
	uint8_t *image = malloc(bytes);
	ck_assert(image && fread(image, 1, bytes, f) == bytes);
	fclose(f);
	const ElfW(Ehdr) h = *(const ElfW(Ehdr) *)(const void *)image;
	const ElfW(Phdr) *headers = (const void *)(uintptr_t)getauxval(AT_PHDR);
	struct pvp_elf e;
	ck_assert(pvp_elf_load_image(&e, image, bytes, headers, h.e_phnum));
	ck_assert_uint_gt(e.n, 10);
	pvp_elf_finish(&e);
	uint64_t seed = 1;
	for (int i = 0; i < 200;
		i++) { /* of the headers of sections, where all places and sizes are */
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		size_t at = h.e_shoff + (seed >> 33) % (h.e_shnum * sizeof(ElfW(Shdr)));
		uint8_t was = image[at];
		image[at] = (uint8_t)(seed >> 25);
		if (pvp_elf_load_image(&e, image, bytes, headers, h.e_phnum))
			pvp_elf_find(&e, seed);
		pvp_elf_finish(&e);
		image[at] = was;
	}
	free(image);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("native_parts");
	TCase *t = tcase_create("parts");
	tcase_add_checked_fixture(t, make_pages, drop_pages);
	tcase_add_loop_test(t, options, 0, (int)(sizeof known / sizeof *known));
	tcase_add_loop_test(t, options_that_are_not, 0, (int)(sizeof refused / sizeof *refused));
	tcase_add_test(t, a_greeting_has_the_functions_of_its_stacks);
	tcase_add_test(t, the_vdso_has_names);
	tcase_add_test(t, damaged_files_have_fewer_names);
	tcase_add_test(t, calls_that_a_longjmp_left_are_over);
	tcase_add_test(t, a_sound_stack);
	tcase_add_test(t, bad_stacks);
	tcase_add_test(t, a_frame_across_the_end);
	tcase_add_test(t, blocks_are_found_again);
	suite_add_tcase(s, t);
	return run_suite(s);
}
