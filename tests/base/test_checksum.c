/* SPDX-License-Identifier: MIT */
/* MD5 and SHA-1 of lengths around the ends of blocks, as Python's hashlib has them. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/checksum.h"
#include "tests/kit/suite.h"

static void hex(const uint8_t *bytes, size_t n, char *to)
{
	for (size_t i = 0; i < n; i++)
		snprintf(to + 2 * i, 3, "%02x", bytes[i]);
}

START_TEST(published_texts)
{
	static const struct {
		const char *text, *md5, *sha1;
	} known[] = { /* of RFC 1321, A.5, and FIPS 180-4's examples */
		{ "", "d41d8cd98f00b204e9800998ecf8427e",
			"da39a3ee5e6b4b0d3255bfef95601890afd80709" },
		{ "abc", "900150983cd24fb0d6963f7d28e17f72",
			"a9993e364706816aba3e25717850c26c9cd0d89d" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"8215ef0796a20bcaaae116d3876c664a",
			"84983e441c3bd26ebaae4aa1f95129e5e54670f1" },
		{ "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
			"57edf4a22be3c955ac49da2e2107b67a",
			"50abf5706a150990a08b2c5ea40fa0e585554732" }
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		uint8_t md5[PV_MD5_BYTES], sha1[PV_SHA1_BYTES];
		char text[2 * PV_SHA1_BYTES + 1];
		pv_md5(known[i].text, strlen(known[i].text), md5);
		hex(md5, sizeof md5, text);
		ck_assert_str_eq(text, known[i].md5);
		pv_sha1(known[i].text, strlen(known[i].text), sha1);
		hex(sha1, sizeof sha1, text);
		ck_assert_str_eq(text, known[i].sha1);
	}
}
END_TEST

/* The checksum of all checksums of 0 to 200 bytes: one that is wrong changes it. */
START_TEST(every_length_around_a_block)
{
	enum { MOST = 200 };
	uint8_t bytes[MOST], md5[(MOST + 1) * PV_MD5_BYTES], sha1[(MOST + 1) * PV_SHA1_BYTES];
	uint8_t all[PV_SHA1_BYTES];
	char text[2 * PV_SHA1_BYTES + 1];
	for (size_t n = 0; n < MOST; n++)
		bytes[n] = (uint8_t)n;
	for (size_t n = 0; n <= MOST; n++) {
		pv_md5(bytes, n, md5 + n * PV_MD5_BYTES);
		pv_sha1(bytes, n, sha1 + n * PV_SHA1_BYTES);
	}
	pv_sha1(md5, sizeof md5, all);
	hex(all, sizeof all, text);
	ck_assert_str_eq(text, "dc944788e0543bf26c584ceb7910add9a64311ff");
	pv_sha1(sha1, sizeof sha1, all);
	hex(all, sizeof all, text);
	ck_assert_str_eq(text, "30f906e3c78b841ee4b73d0cb2850660435758b3");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("checksum");
	TCase *t = tcase_create("checksum");
	tcase_add_test(t, published_texts);
	tcase_add_test(t, every_length_around_a_block);
	suite_add_tcase(s, t);
	return run_suite(s);
}
