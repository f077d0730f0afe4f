/* SPDX-License-Identifier: MIT */
/* Documents of a portable PDB: names, hashes, embedded sources. */
#include <stdlib.h>

#include "common/pdb/pdb.h"
#include "common/pdb/pdb_inflate.h"

enum { NAME, ALGORITHM, HASH };

/*
 * 406ea660-64cf-4c82-b6f0-42d48172a799, ff1816ec-aa5e-4d10-87f7-6f4963833460,
 * 8829d00f-11b8-4213-878b-770e8597ac16
 */
static const uint8_t algorithms[][PV_PDB_GUID] = {
	[PV_CHECKSUM_MD5] = { 0x60, 0xa6, 0x6e, 0x40, 0xcf, 0x64, 0x82, 0x4c, 0xb6, 0xf0, 0x42,
		0xd4, 0x81, 0x72, 0xa7, 0x99 },
	[PV_CHECKSUM_SHA1] = { 0xec, 0x16, 0x18, 0xff, 0x5e, 0xaa, 0x10, 0x4d, 0x87, 0xf7, 0x6f,
		0x49, 0x63, 0x83, 0x34, 0x60 },
	[PV_CHECKSUM_SHA256] = { 0x0f, 0xd0, 0x29, 0x88, 0xb8, 0x11, 0x13, 0x42, 0x87, 0x8b, 0x77,
		0x0e, 0x85, 0x97, 0xac, 0x16 },
};

/* 0e8a571b-6926-466e-b4ad-8ab04611f5fe */
static const uint8_t embedded[PV_PDB_GUID] = { 0x1b, 0x57, 0x8a, 0x0e, 0x26, 0x69, 0x6e, 0x46, 0xb4,
	0xad, 0x8a, 0xb0, 0x46, 0x11, 0xf5, 0xfe };

struct name {
	char *text;
	size_t n, room;
	bool bad;
};

static void add_to_name(struct name *to, const void *bytes, size_t n)
{
	if (n == 0)
		return;
	if (n >= to->room - to->n || memchr(bytes, 0, n)) {
		to->bad = true;
		return;
	}
	memcpy(to->text + to->n, bytes, n);
	to->n += n;
}

/* Joins a name from its blob: a separator, then the indexes of the parts. */
static bool join_name(
	const struct pv_pdb_tables *t, struct pv_pdb_bytes blob, char *text, size_t room)
{
	struct pv_cursor c = pv_pdb_cursor(blob);
	struct name name = { .text = text, .room = room };
	const uint8_t separator = pv_get_u8(&c);
	for (bool first = true; pv_cursor_ok(&c) && !name.bad && c.at < c.end; first = false) {
		if (!first && separator)
			add_to_name(&name, &separator, 1);
		const struct pv_pdb_bytes part = pv_pdb_blob(t, pv_pdb_get(&c));
		add_to_name(&name, part.at, part.n);
	}
	text[name.n] = 0;
	return pv_cursor_ok(&c) && !name.bad && name.n > 0;
}

bool pv_pdb_document(const struct pv_pdb *p, uint32_t row, struct pv_pdb_document *ret)
{
	const struct pv_pdb_tables *t = pv_pdb_tables(p);
	const struct pv_pdb_bytes name =
		pv_pdb_blob(t, pv_pdb_field(t, PV_PDB_DOCUMENT, row, NAME));
	if (name.n == 0 || !join_name(t, name, ret->name, sizeof ret->name))
		return false;
	ret->algorithm = PV_CHECKSUM_NONE;
	for (int i = PV_CHECKSUM_MD5; i <= PV_CHECKSUM_SHA256; i++)
		if (pv_pdb_guid_is(
			    t, pv_pdb_field(t, PV_PDB_DOCUMENT, row, ALGORITHM), algorithms[i]))
			ret->algorithm = (enum pv_checksum)i;
	ret->hash = pv_pdb_blob(t, pv_pdb_field(t, PV_PDB_DOCUMENT, row, HASH));
	return true;
}

static uint8_t *copy_source(const struct pv_cursor *c, size_t *ret_len, struct pv_error *reterr)
{
	const size_t n = pv_cursor_left(c);
	uint8_t *text = n < PV_PDB_SOURCE_MOST ? malloc(n + 1) : NULL;
	if (!text) {
		pv_fail(reterr, PV_ENOMEM, 0, "no room for a source of %zu bytes", n);
		return NULL;
	}
	memcpy(text, c->at, n);
	text[n] = 0;
	*ret_len = n;
	return text;
}

uint8_t *pv_pdb_source(
	const struct pv_pdb *p, uint32_t document, size_t *ret_len, struct pv_error *reterr)
{
	const struct pv_pdb_bytes b =
		pv_pdb_custom(pv_pdb_tables(p), PV_PDB_OF_DOCUMENT, document, embedded);
	struct pv_cursor c = pv_pdb_cursor(b);
	if (reterr)
		reterr->code = PV_OK;
	if (b.n == 0 || document == 0)
		return NULL;
	const uint32_t unpacked = pv_get_u32(&c); /* 0: not packed */
	if (!pv_cursor_ok(&c) || unpacked >= PV_PDB_SOURCE_MOST) {
		pv_fail(reterr, PV_ECORRUPT, 0, "a source in the PDB is damaged");
		return NULL;
	}
	*ret_len = unpacked;
	return unpacked ? pv_pdb_inflate(c.at, pv_cursor_left(&c), unpacked, reterr)
			: copy_source(&c, ret_len, reterr);
}
