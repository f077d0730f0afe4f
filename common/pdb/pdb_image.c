/* SPDX-License-Identifier: MIT */
/* Reads the debug directory and the MVID of a module. */
#include "common/pdb/pdb_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/pdb/pdb.h"
#include "common/pdb/pdb_inflate.h"

enum { DOS = 64, COFF = 24, OPTIONAL = 240, SECTION = 40, ENTRY = 28, RSDS = 24, MPDB = 8 };
enum { MOST_SECTIONS = 96, MOST_ENTRIES = 64, DEBUG_DIRECTORY = 6, CLI_HEADER = 14 };
enum {
	CLI = 16,
	ROOT = 512
}; /* bytes: of the header up to the metadata's place; of the metadata, with its streams */
enum { CODEVIEW = 2, EMBEDDED = 17, PORTABLE = 0x504d };
enum { PE32 = 0x10b, PE32_PLUS = 0x20b };

struct entry {
	uint32_t stamp, type, size, at;
	uint16_t minor;
};

static bool fail_image(enum pv_code code, const char *why, struct pv_error *reterr)
{
	return pv_fail(reterr, code, 0, "%s", why);
}

static bool read_exactly(int fd, uint64_t at, void *to, size_t n, struct pv_error *reterr)
{
	ssize_t got;
	do
		got = pread(fd, to, n, (off_t)at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return fail_image(PV_EIO, strerror(errno), reterr);
	return (size_t)got == n || fail_image(PV_ECORRUPT, "it is cut off", reterr);
}

static int open_module(const char *path, struct pv_error *reterr)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		fail_image(PV_EIO, strerror(errno), reterr);
	else if (S_ISREG(st.st_mode))
		return fd;
	else
		fail_image(PV_EIO, "it is not a regular file", reterr);
	if (fd >= 0)
		close(fd);
	return -1;
}

static uint32_t u32(const uint8_t *at)
{
	struct pv_cursor c = { .at = at, .end = at + 4 };
	return pv_get_u32(&c);
}

static uint16_t u16(const uint8_t *at)
{
	struct pv_cursor c = { .at = at, .end = at + 2 };
	return pv_get_u16(&c);
}

struct headers {
	uint64_t sections_at;
	uint16_t sections;
	uint32_t debug, debug_bytes; /* address when loaded */
	uint32_t cli;                /* likewise */
};

static bool read_headers(int fd, struct headers *h, struct pv_error *reterr)
{
	uint8_t dos[DOS], coff[COFF], optional[OPTIONAL] = { 0 };
	if (!read_exactly(fd, 0, dos, sizeof dos, reterr))
		return false;
	const uint64_t pe = u32(dos + 60);
	if (memcmp(dos, "MZ", 2) != 0 || !read_exactly(fd, pe, coff, sizeof coff, reterr))
		return fail_image(PV_ECORRUPT, "it is no module of .NET", reterr);
	const uint16_t size = u16(coff + 20), used = size < OPTIONAL ? size : OPTIONAL;
	if (memcmp(coff, "PE\0\0", 4) != 0)
		return fail_image(PV_ECORRUPT, "it is no module of .NET", reterr);
	if (!read_exactly(fd, pe + COFF, optional, used, reterr))
		return false;
	const uint16_t magic = u16(optional);
	if (magic != PE32 && magic != PE32_PLUS)
		return fail_image(PV_ECORRUPT, "it is no module of .NET", reterr);
	const uint8_t *directories = optional + (magic == PE32 ? 96 : 112);
	h->sections = u16(coff + 6) < MOST_SECTIONS ? u16(coff + 6) : MOST_SECTIONS;
	h->sections_at = pe + COFF + size;
	if (u32(directories - 4) > DEBUG_DIRECTORY) {
		h->debug = u32(directories + 8 * DEBUG_DIRECTORY);
		h->debug_bytes = u32(directories + 8 * DEBUG_DIRECTORY + 4);
	}
	if (u32(directories - 4) > CLI_HEADER)
		h->cli = u32(directories + 8 * CLI_HEADER);
	return true;
}

/* The file offset of an address; 0: none. */
static bool section_offset(
	int fd, const struct headers *h, uint32_t of, uint64_t *ret, struct pv_error *reterr)
{
	uint8_t section[SECTION];
	*ret = 0;
	for (uint16_t i = 0; i < h->sections; i++) {
		if (!read_exactly(fd, h->sections_at + (uint64_t)i * SECTION, section,
			    sizeof section, reterr))
			return false;
		const uint32_t address = u32(section + 12), bytes = u32(section + 16);
		if (of >= address && of - address < bytes)
			*ret = (uint64_t)u32(section + 20) + (of - address);
	}
	return true;
}

static bool codeview(
	int fd, const struct entry *e, struct pv_pdb_image *image, struct pv_error *reterr)
{
	uint8_t head[RSDS];
	const size_t n = e->size - RSDS;
	if (e->size <= RSDS || n >= sizeof image->path)
		return true;
	if (!read_exactly(fd, e->at, head, sizeof head, reterr))
		return false;
	if (memcmp(head, "RSDS", 4) != 0)
		return true;
	if (!read_exactly(fd, (uint64_t)e->at + RSDS, image->path, n, reterr))
		return false;
	image->path[n] = 0;
	memcpy(image->id, head + 4, PV_PDB_GUID);
	pv_put_u32(image->id + PV_PDB_GUID, e->stamp);
	image->portable = e->minor == PORTABLE;
	return true;
}

static bool read_entry(int fd, uint64_t at, struct pv_pdb_image *image, struct pv_error *reterr)
{
	uint8_t bytes[ENTRY];
	if (!read_exactly(fd, at, bytes, sizeof bytes, reterr))
		return false;
	const struct entry e = { .stamp = u32(bytes + 4),
		.minor = u16(bytes + 10),
		.type = u32(bytes + 12),
		.size = u32(bytes + 16),
		.at = u32(bytes + 24) };
	if (e.type == CODEVIEW && !image->portable)
		return codeview(fd, &e, image, reterr);
	if (e.type == EMBEDDED && e.size > MPDB && e.size < PV_PDB_MOST) {
		image->packed_at = e.at;
		image->packed = e.size;
	}
	return true;
}

/* The offset of the stream of GUIDs in the metadata's root; 0: none. */
static uint32_t guids_at(const uint8_t *root, size_t n)
{
	struct pv_cursor c = { .at = root, .end = root + n };
	enum { VERSIONS = 8, STREAMS = 32 };
	if (pv_get_u32(&c) != 0x424a5342)
		return 0;
	pv_get_bytes(&c, VERSIONS);
	pv_get_bytes(&c, pv_get_u32(&c));
	pv_get_u16(&c);
	for (uint16_t left = pv_get_u16(&c), i = 0; i < left && i < STREAMS; i++) {
		const uint32_t at = pv_get_u32(&c);
		pv_get_u32(&c);
		size_t len;
		const char *name = pv_get_cstr(&c, &len);
		if (!pv_cursor_ok(&c))
			return 0;
		if (strcmp(name, "#GUID") == 0)
			return at;
		pv_get_bytes(&c, 3 - len % 4);
	}
	return 0;
}

/* Reads the first GUID, at which compilers put the module's. */
static bool read_mvid(
	int fd, const struct headers *h, struct pv_pdb_image *image, struct pv_error *reterr)
{
	uint8_t cli[CLI], root[ROOT];
	uint64_t at;
	if (!section_offset(fd, h, h->cli, &at, reterr))
		return false;
	if (!h->cli || !at)
		return true;
	if (!read_exactly(fd, at, cli, sizeof cli, reterr) ||
		!section_offset(fd, h, u32(cli + 8), &at, reterr))
		return false;
	if (!at || !read_exactly(fd, at, root, sizeof root, reterr))
		return !at;
	const uint32_t guids = guids_at(root, sizeof root);
	return !guids || read_exactly(fd, at + guids, image->mvid, sizeof image->mvid, reterr);
}

static bool read_image(int fd, struct pv_pdb_image *image, struct pv_error *reterr)
{
	struct headers h = { .sections = 0 };
	uint64_t at;
	if (!read_headers(fd, &h, reterr) || !section_offset(fd, &h, h.debug, &at, reterr))
		return false;
	const uint32_t entries = at ? h.debug_bytes / ENTRY : 0;
	for (uint32_t i = 0; i < entries && i < MOST_ENTRIES; i++)
		if (!read_entry(fd, at + (uint64_t)i * ENTRY, image, reterr))
			return false;
	return read_mvid(fd, &h, image, reterr);
}

bool pv_pdb_image(const char *module, struct pv_pdb_image *ret, struct pv_error *reterr)
{
	memset(ret, 0, sizeof *ret);
	int fd = open_module(module, reterr);
	if (fd < 0)
		return false;
	const bool ok = read_image(fd, ret, reterr);
	close(fd);
	return ok;
}

static uint8_t *unpack(const uint8_t *bytes, size_t n, size_t *ret_len, struct pv_error *reterr)
{
	const uint32_t size = u32(bytes + 4);
	if (memcmp(bytes, "MPDB", 4) != 0 || size == 0 || size >= PV_PDB_MOST) {
		fail_image(PV_ECORRUPT, "the PDB within is damaged", reterr);
		return NULL;
	}
	*ret_len = size;
	return pv_pdb_inflate(bytes + MPDB, n - MPDB, size, reterr);
}

uint8_t *pv_pdb_embedded(const char *module, const struct pv_pdb_image *image, size_t *ret_len,
	struct pv_error *reterr)
{
	uint8_t *bytes = malloc(image->packed), *pdb = NULL;
	int fd = open_module(module, reterr);
	if (!bytes)
		fail_image(PV_ENOMEM, "out of memory", reterr);
	else if (fd >= 0 && read_exactly(fd, image->packed_at, bytes, image->packed, reterr))
		pdb = unpack(bytes, image->packed, ret_len, reterr);
	if (fd >= 0)
		close(fd);
	free(bytes);
	return pdb;
}
