/* SPDX-License-Identifier: MIT */
/*
 * Portable PDBs that the SDK's compiler wrote (tests/fuzz/corpus-pdb; its source is in embedded.dll),
 * in each place where one may lie, and with each of their bytes changed.
 */
#include "tests/kit/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/system/small_file.h"
#include "common/pdb/pdb_find.h"
#include "tests/kit/ask_pdb.h"

enum { WAIT = 2, EACH = 3, EACH_NEXT = 13, WAIT_NEXT = 20, LAMBDA = 10 };

static char folder[] = "/tmp/profview-pdb-XXXXXX";

static uint8_t *bytes_of(const char *name, size_t *n)
{
	char path[4096];
	snprintf(path, sizeof path, CORPUS "/%s", name);
	uint8_t *bytes = (uint8_t *)pv_small_file(path, 1 << 20, n, NULL);
	ck_assert_ptr_nonnull(bytes);
	return bytes;
}

static struct pv_pdb *plain(void)
{
	size_t n;
	uint8_t *bytes = bytes_of("plain.pdb", &n);
	struct pv_pdb *p = pv_pdb_open(bytes, n, NULL);
	ck_assert_ptr_nonnull(p);
	return p;
}

static const char *in_folder(const char *name)
{
	static char path[2][4096];
	static int turn;
	turn = !turn;
	snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
	return path[turn];
}

static void put(const char *name, const void *bytes, size_t n)
{
	int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

static void copy(const char *from, const char *to)
{
	size_t n;
	uint8_t *bytes = bytes_of(from, &n);
	put(to, bytes, n);
	free(bytes);
}

static void make_folder(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
	char command[4200];
	snprintf(command, sizeof command, "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(integers_are_those_of_the_specification)
{
	static const struct {
		uint8_t bytes[4];
		size_t n;
		uint32_t is;
		int32_t is_signed;
	} cases[] = {
		{ { 0x06 }, 1, 6, 3 },
		{ { 0x7b }, 1, 0x7b, -3 },
		{ { 0x01 }, 1, 1, -64 },
		{ { 0x80, 0x80 }, 2, 0x80, 64 },
		{ { 0x80, 0x01 }, 2, 1, -8192 },
		{ { 0xae, 0x57 }, 2, 0x2e57, 0x172b - 0x2000 },
		{ { 0xc0, 0x00, 0x40, 0x00 }, 4, 0x4000, 8192 },
		{ { 0xdf, 0xff, 0xff, 0xfe }, 4, 0x1ffffffe, 268435455 },
		{ { 0xc0, 0x00, 0x00, 0x01 }, 4, 1, -268435456 },
	};
	for (size_t i = 0; i < PV_COUNT_OF(cases); i++) {
		struct pv_cursor c = { .at = cases[i].bytes, .end = cases[i].bytes + cases[i].n };
		struct pv_cursor again = c;
		ck_assert_uint_eq(pv_pdb_get(&c), cases[i].is);
		ck_assert_int_eq(pv_pdb_get_signed(&again), cases[i].is_signed);
		ck_assert(pv_cursor_ok(&c) && c.at == c.end);
	}
	static const uint8_t bad[] = { 0xe0, 0, 0, 0, 0 };
	struct pv_cursor c = { .at = bad, .end = bad + sizeof bad };
	pv_pdb_get(&c);
	ck_assert(!pv_cursor_ok(&c));
}
END_TEST

static uint32_t line_at(
	const struct pv_pdb *p, uint32_t method, uint32_t offset, uint32_t *document)
{
	struct pv_pdb_point at;
	if (!pv_pdb_point_at(p, method, offset, &at))
		return 0;
	*document = at.document;
	return at.line;
}

START_TEST(an_offset_has_the_line_of_the_statement)
{
	uint32_t document = 0;
	struct pv_pdb *p = plain();
	ck_assert_uint_eq(
		line_at(p, WAIT_NEXT, 0, &document), 10); /* hidden: the first statement */
	ck_assert_uint_eq(line_at(p, WAIT_NEXT, 38, &document), 10);
	ck_assert_uint_eq(line_at(p, WAIT_NEXT, 60, &document), 10); /* hidden: the await before */
	ck_assert_uint_eq(line_at(p, WAIT_NEXT, 118, &document), 11);
	ck_assert_uint_eq(line_at(p, WAIT_NEXT, 166, &document), 12);
	ck_assert_uint_eq(line_at(p, WAIT_NEXT, UINT32_MAX, &document), 14);
	ck_assert_uint_eq(line_at(p, EACH_NEXT, 71, &document), 18);
	ck_assert_uint_eq(document, 1);
	ck_assert_uint_eq(line_at(p, LAMBDA, 0, &document), 100);
	ck_assert_uint_eq(document, 2);
	ck_assert_uint_eq(line_at(p, WAIT, 0, &document), 0); /* only starts the state machine */
	ck_assert_uint_eq(line_at(p, 0, 0, &document), 0);
	ck_assert_uint_eq(line_at(p, 1000, 0, &document), 0);
	pv_pdb_close(p);
}
END_TEST

START_TEST(documents_have_names_and_hashes)
{
	struct pv_pdb_document d;
	struct pv_pdb *p = plain();
	ck_assert(pv_pdb_document(p, 1, &d));
	ck_assert_str_eq(d.name, "/s/seed.cs");
	ck_assert_int_eq(d.algorithm, PV_CHECKSUM_SHA256);
	ck_assert_uint_eq(d.hash.n, 32);
	ck_assert_uint_eq(d.hash.at[0], 0x75);
	ck_assert(!pv_pdb_document(p, 0, &d));
	ck_assert(!pv_pdb_document(p, 3, &d));
	pv_pdb_close(p);
}
END_TEST

START_TEST(state_machines_lead_to_the_method)
{
	struct pv_pdb_await a;
	struct pv_pdb *p = plain();
	ck_assert_uint_eq(pv_pdb_kickoff(p, WAIT_NEXT), WAIT);
	ck_assert_uint_eq(pv_pdb_kickoff(p, EACH_NEXT), EACH);
	ck_assert_uint_eq(pv_pdb_kickoff(p, WAIT), 0);
	ck_assert_uint_eq(pv_pdb_kickoff(p, 0), 0);
	ck_assert(pv_pdb_await(p, WAIT_NEXT, 1, &a));
	ck_assert_uint_eq(a.yield, 166);
	ck_assert_uint_eq(a.resume, 190);
	ck_assert(!pv_pdb_await(p, WAIT_NEXT, 2, &a));
	ck_assert(!pv_pdb_await(p, EACH_NEXT, 0, &a));
	pv_pdb_close(p);
}
END_TEST

START_TEST(sources_have_addresses)
{
	char room[64], small[25];
	struct pv_pdb *p = pv_pdb_find(CORPUS "/embedded.dll", NULL, NULL);
	ck_assert_ptr_nonnull(p);
	ck_assert(pv_pdb_source_address(p, "/s/seed.cs", room, sizeof room));
	ck_assert_str_eq(room, "https://example.org/a b/seed.cs#x");
	ck_assert(pv_pdb_source_address(p, "/S/\\\xc3\xbc ?.cs", room, sizeof room));
	ck_assert_str_eq(room, "https://example.org/a b//%C3%BC%20%3F.cs#x");
	ck_assert(pv_pdb_source_address(p, "/s/other.cs", room, sizeof room)); /* no pattern */
	ck_assert_str_eq(room, "https://example.org/one");
	ck_assert(pv_pdb_source_address(p, "/s/other.cs", small, 24));
	ck_assert(!pv_pdb_source_address(p, "/s/other.cs", small, 23));
	ck_assert(!pv_pdb_source_address(p, "/s/seed.cs", small, sizeof small));
	ck_assert(!pv_pdb_source_address(p, "/t", room, sizeof room)); /* not of the web */
	ck_assert(!pv_pdb_source_address(p, "/u", room, sizeof room));
	pv_pdb_close(p);
	p = plain();
	ck_assert(!pv_pdb_source_address(p, "/s/seed.cs", room, sizeof room));
	pv_pdb_close(p);
}
END_TEST

START_TEST(sources_are_embedded)
{
	size_t n;
	struct pv_error e = { .code = PV_EIO };
	struct pv_pdb *p = pv_pdb_find(CORPUS "/embedded.dll", NULL, NULL);
	ck_assert_ptr_nonnull(p);
	uint8_t *text = pv_pdb_source(p, 1, &n, NULL);
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(strstr((char *)text, "await Task.Delay(1);"));
	ck_assert_uint_eq(strlen((char *)text), n);
	free(text);
	pv_pdb_close(p);
	p = plain();
	ck_assert_ptr_null(pv_pdb_source(p, 1, &n, &e));
	ck_assert_int_eq(e.code, PV_OK);
	pv_pdb_close(p);
}
END_TEST

static void found(const char *symbols)
{
	struct pv_error e = { .code = PV_OK };
	struct pv_pdb *p = pv_pdb_find(in_folder("app.dll"), symbols, &e);
	ck_assert_msg(p, "%s", e.what);
	ck_assert_uint_eq(pv_pdb_kickoff(p, WAIT_NEXT), WAIT);
	pv_pdb_close(p);
}

static void refused(enum pv_code code, const char *why)
{
	struct pv_error e = { .code = PV_OK };
	ck_assert_ptr_null(pv_pdb_find(in_folder("app.dll"), in_folder("symbols"), &e));
	ck_assert_msg(strstr(e.what, why), "%s: not in: %s", why, e.what);
	ck_assert_int_eq(e.code, code);
}

START_TEST(a_pdb_is_found_where_it_lies)
{
	make_folder();
	copy("plain.dll", "app.dll");
	refused(PV_EIO, "has no PDB here (plain.pdb)");
	copy("plain.pdb", "plain.pdb"); /* as the module says */
	found(NULL);
	ck_assert_int_eq(
		rename(in_folder("plain.pdb"), in_folder("app.pdb")), 0); /* as it is called */
	found(NULL);
	ck_assert_int_eq(mkdir(in_folder("symbols"), 0700), 0);
	ck_assert_int_eq(rename(in_folder("app.pdb"), in_folder("symbols/plain.pdb")), 0);
	found(in_folder("symbols"));
	remove_folder();
}
END_TEST

START_TEST(a_pdb_is_found_as_symbol_servers_have_it)
{
	char guid[33], path[200];
	struct pv_pdb *p = plain();
	const uint8_t *g = pv_pdb_tables(p)->id;
	snprintf(guid, sizeof guid, "%02X%02X%02X%02X%02X%02X%02X%02X", g[3], g[2], g[1], g[0],
		g[5], g[4], g[7], g[6]);
	for (int i = 8; i < 16; i++)
		sprintf(guid + 2 * i, "%02X", g[i]);
	pv_pdb_close(p);
	make_folder();
	copy("plain.dll", "app.dll");
	ck_assert_int_eq(mkdir(in_folder("symbols"), 0700), 0);
	ck_assert_int_eq(mkdir(in_folder("symbols/plain.pdb"), 0700), 0);
	snprintf(path, sizeof path, "symbols/plain.pdb/%sffffffff", guid);
	ck_assert_int_eq(mkdir(in_folder(path), 0700), 0);
	strcat(path, "/plain.pdb");
	copy("plain.pdb", path);
	found(in_folder("symbols"));
	remove_folder();
}
END_TEST

START_TEST(a_pdb_of_another_build_is_said)
{
	size_t n;
	make_folder();
	copy("plain.dll", "app.dll");
	uint8_t *bytes = bytes_of("plain.pdb", &n);
	const struct pv_pdb_tables *t;
	struct pv_pdb *p = plain();
	t = pv_pdb_tables(p);
	uint8_t *id = memmem(bytes, n, t->id, PV_PDB_ID);
	pv_pdb_close(p);
	ck_assert_ptr_nonnull(id);
	id[PV_PDB_ID - 1] ^= 1; /* the stamp counts, too */
	put("app.pdb", bytes, n);
	refused(PV_EBUSY, "app.pdb: it is of another build");
	id[PV_PDB_ID - 1] ^= 1;
	id[0] ^= 1;
	put("app.pdb", bytes, n);
	refused(PV_EBUSY, "it is of another build");
	copy("plain.pdb", "plain.pdb"); /* one that is right is taken */
	found(NULL);
	free(bytes);
	remove_folder();
}
END_TEST

START_TEST(what_is_no_pdb_is_said)
{
	make_folder();
	copy("plain.dll", "app.dll");
	put("app.pdb", "Microsoft C/C++ MSF 7.00\r\n\032DS\0\0\0", 32);
	refused(PV_EVERSION, "a PDB of Windows");
	put("app.pdb", "", 0);
	refused(PV_EVERSION, "no portable PDB");
	unlink(in_folder("app.pdb"));
	ck_assert_int_eq(mkfifo(in_folder("app.pdb"), 0600), 0);
	refused(PV_EIO, "not a regular file");
	unlink(in_folder("app.pdb"));
	ck_assert_int_eq(symlink("/dev/zero", in_folder("app.pdb")), 0);
	refused(PV_EIO, "not a regular file");
	unlink(in_folder("app.pdb"));
	put("app.pdb", "", 0);
	ck_assert_int_eq(truncate(in_folder("app.pdb"), PV_PDB_MOST), 0);
	refused(PV_EIO, "20 MiB or more");
	put("app.dll", "#!/bin/sh\n", 10);
	refused(PV_ECORRUPT, "cut off");
	unlink(in_folder("app.dll"));
	ck_assert_int_eq(mkfifo(in_folder("app.dll"), 0600), 0);
	refused(PV_EIO, "not a regular file");
	remove_folder();
}
END_TEST

START_TEST(each_byte_of_a_pdb_may_be_any)
{
	size_t n;
	uint8_t *bytes = bytes_of("plain.pdb", &n);
	for (size_t i = 0; i < n; i++) {
		static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
		const uint8_t was = bytes[i];
		for (size_t k = 0; k < sizeof values; k++) {
			bytes[i] = values[k];
			ask_pdb(bytes, n);
		}
		bytes[i] = was;
		ask_pdb(bytes, i);
	}
	free(bytes);
}
END_TEST

START_TEST(each_byte_of_a_module_may_be_any)
{
	size_t n;
	uint8_t *bytes = bytes_of("embedded.dll", &n);
	make_folder();
	for (size_t i = 0; i < n; i += i < 1024 ? 1 : 61) {
		const uint8_t was = bytes[i];
		bytes[i] ^= 0xff;
		put("app.dll", bytes, n);
		pv_pdb_close(pv_pdb_find(in_folder("app.dll"), NULL, NULL));
		bytes[i] = was;
		put("app.dll", bytes, i);
		pv_pdb_close(pv_pdb_find(in_folder("app.dll"), NULL, NULL));
	}
	free(bytes);
	remove_folder();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pdb");
	TCase *t = tcase_create("portable");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, integers_are_those_of_the_specification);
	tcase_add_test(t, an_offset_has_the_line_of_the_statement);
	tcase_add_test(t, documents_have_names_and_hashes);
	tcase_add_test(t, state_machines_lead_to_the_method);
	tcase_add_test(t, sources_have_addresses);
	tcase_add_test(t, sources_are_embedded);
	tcase_add_test(t, a_pdb_is_found_where_it_lies);
	tcase_add_test(t, a_pdb_is_found_as_symbol_servers_have_it);
	tcase_add_test(t, a_pdb_of_another_build_is_said);
	tcase_add_test(t, what_is_no_pdb_is_said);
	tcase_add_test(t, each_byte_of_a_pdb_may_be_any);
	tcase_add_test(t, each_byte_of_a_module_may_be_any);
	suite_add_tcase(s, t);
	return run_suite(s);
}
