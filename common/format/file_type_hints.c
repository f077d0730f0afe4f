/* SPDX-License-Identifier: MIT */
/* Guesses the type of a file by its first bytes. */
#include "common/format/file_type_hints.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"

struct look {
	const char *magic;
	size_t len;
	const char *what;
};

static const struct look hints[] = {
	{ "\x7f"
	  "ELF",
		4, "it looks like an ELF program or library" },
	{ "MZ", 2, "it looks like a Windows or .NET program" },
	{ "BSJB", 4, "it looks like a portable pdb, the symbols of a .NET program" },
	{ "Microsoft C/C++ ", 16, "it looks like a pdb, the symbols of a Windows program" },
	{ "PK\x03\x04", 4, "it looks like a zip archive" },
	{ "version https://git-lfs.github.com/", 35,
		"it is a Git LFS pointer in place of the file: fetch that with git lfs pull" },
	{ "\xff\xfe", 2,
		"it looks like text in UTF-16: convert it first, iconv -f UTF-16 -t UTF-8" },
	{ "\xfe\xff", 2,
		"it looks like text in UTF-16: convert it first, iconv -f UTF-16 -t UTF-8" },
	{ "\x14\0\0\0!FastSerialization.1", 24,
		"it is a .netperf, of .NET Core 2: record a .nettrace, with dotnet-trace and .NET Core "
		"3.0 or later" },
	{ "Nettrace", 8, "it looks like a .nettrace of dotnet-trace" },
	{ "PERFILE2", 8, "it looks like a perf.data of perf" },
	{ "JAVA PROFILE", 12, "it looks like a heap dump of Java" },
	{ "\xd1\xfd\xab\x4e", 4, "it looks like an .omap of heap-shot" },
	{ "\xd1\xbd\xab\x4e", 4, "it looks like a log of heap-buddy or heap-shot" },
	{ "# callgrind", 11, "it looks like a file of callgrind" },
	{ "version: 1\ncreator: ", 20, "it looks like a file of callgrind" },
	{ "SQLite format 3", 15, "it looks like an SQLite database" },
	{ "\xfd"
	  "7zXZ",
		5, "it looks compressed with xz: unpack it first" },
	{ "\x28\xb5\x2f\xfd", 4, "it looks compressed with zstd: unpack it first" },
	{ "BZh", 3, "it looks compressed with bzip2: unpack it first" },
	{ "\x89PNG", 4, "it looks like a picture" },
	{ "\xff\xd8\xff", 3, "it looks like a picture" },
	{ "GIF8", 4, "it looks like a picture" },
	{ "%PDF", 4, "it looks like a PDF document" },
	{ "<", 1, "it looks like XML or HTML" },
	{ "#!", 2, "it looks like a script" },
};

static const char utf16le[] =
	"it looks like text in UTF-16: convert it first, iconv -f UTF-16LE -t UTF-8";
static const char utf16be[] =
	"it looks like text in UTF-16: convert it first, iconv -f UTF-16BE -t UTF-8";

static const struct look json[] = {
	{ "speedscope.app", 14, "it looks like JSON of speedscope" },
	{ "\"traceEvents\"", 13, "it looks like JSON of Chrome's tracing" },
	{ "\"profview\"", 10, "it looks like a report of profview itself" },
	{ "", 0, "it looks like JSON" },
};

static const char *json_of(const uint8_t *bytes, size_t n)
{
	size_t i = 0;
	while (json[i].len && !memmem(bytes, n, json[i].magic, json[i].len))
		i++;
	return json[i].what;
}

static const char plain[] = "it looks like text";

/* UTF-8 counts as text without a closer look. */
static bool is_text_byte(uint8_t b)
{
	return (b >= ' ' && b != 0x7f) || b == '\n' || b == '\t' || b == '\r';
}

/* Letters of ASCII, each with a zero before or after it. */
static const char *utf16(const uint8_t *bytes, size_t n)
{
	size_t zeros[2] = { 0 }, text[2] = { 0 };
	for (size_t i = 0; i < n; i++) {
		zeros[i % 2] += bytes[i] == 0;
		text[i % 2] += is_text_byte(bytes[i]) && bytes[i] < 0x80;
	}
	if (n < 8 || zeros[0] + zeros[1] < n / 2 - 1 || text[0] + text[1] < n / 2 - 1)
		return NULL;
	return zeros[1] >= n / 2 - 1 ? utf16le : zeros[0] >= n / 2 - 1 ? utf16be : NULL;
}

const char *pv_file_type_hint(const uint8_t *bytes, size_t n)
{
	size_t zeros = 0, text = 0, high = 0, look = n < PV_HINT_BYTES ? n : PV_HINT_BYTES;
	const char *wide = utf16(bytes, look);
	if (wide)
		return wide;
	for (size_t i = 0; i < PV_COUNT_OF(hints); i++)
		if (n >= hints[i].len && memcmp(bytes, hints[i].magic, hints[i].len) == 0)
			return hints[i].what;
	for (size_t i = 0; i < look; i++) {
		zeros += bytes[i] == 0;
		text += is_text_byte(bytes[i]);
		high += bytes[i] >= 0x80;
	}
	if (look && zeros == look)
		return "it holds zeros";
	if (look == 0 || text < look || high > look / 2)
		return "its bytes are of no known format";
	return bytes[0] == '{' || bytes[0] == '[' ? json_of(bytes, look) : plain;
}

const char *pv_file_first_line(const uint8_t *bytes, size_t n, char room[PV_HINT_LINE])
{
	size_t len = 0, most = PV_HINT_LINE - 8;
	room[0] = 0;
	if (pv_file_type_hint(bytes, n) != plain)
		return room;
	for (; n && (*bytes == '\n' || *bytes == '\r'); bytes++)
		n--;
	while (len < n && bytes[len] != '\n' && bytes[len] != '\r')
		len++;
	bool cut = len > most;
	len = cut ? most : len;
	while (cut && len && (bytes[len] & 0xc0) == 0x80)
		len--; /* not inside a letter */
	snprintf(room, PV_HINT_LINE, ": \"%.*s%s\"", (int)len, (const char *)bytes,
		cut ? "..." : "");
	return room;
}
