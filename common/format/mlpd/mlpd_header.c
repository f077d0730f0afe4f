/* SPDX-License-Identifier: MIT */
/* Headers of files and buffers: reading with the reasons of a refusal, and writing. */
#include "common/format/mlpd/mlpd.h"

#include <inttypes.h>

enum { MAX_STRING = 1 << 20 }; /* header strings are command lines and short words */

/* The length includes the NUL. A string of another length is refused. */
static struct pv_text get_counted(struct pv_cursor *c)
{
	const uint8_t *start = c->at;
	uint32_t n = pv_get_u32(c);
	const uint8_t *p = n > MAX_STRING ? NULL : pv_get_bytes(c, n);
	if (n > MAX_STRING || (p && n && memchr(p, 0, n) != p + n - 1)) {
		c->malformed = true;
		c->at = start;
	}
	if (!p || n == 0 || c->malformed)
		return (struct pv_text){ "", 0 };
	return (struct pv_text){ (const char *)p, n - 1 };
}

enum { AT_VERSION = 6, AT_POINTER_SIZE = 7 };

static enum mlpd_status check(const struct mlpd_header *h, const struct pv_cursor *c, uint64_t at,
	struct pv_error *reterr)
{
	unsigned version = h->format.data_version, size = h->format.pointer_size;
	if (version == 0)
		pv_fail(reterr, PV_EVERSION, AT_VERSION,
			"data version 0 is not Mono's format "
			"(CitizenFX writes such files); it cannot be read");
	else if (c->malformed)
		pv_fail(reterr, PV_ECORRUPT, at, "a header string does not end where it should");
	else if (c->short_read)
		return MLPD_SHORT;
	else if (version > MLPD_NEWEST)
		pv_fail(reterr, PV_EVERSION, AT_VERSION,
			"data version %u is newer than the newest known (%u)", version,
			(unsigned)MLPD_NEWEST);
	else if (size != 4 && size != 8)
		pv_fail(reterr, PV_ECORRUPT, AT_POINTER_SIZE,
			"pointer size %u in the header is neither 4 nor 8", size);
	else if (h->flags)
		pv_fail(reterr, PV_ECORRUPT, h->format.header_major >= 3 ? 28 : 20,
			"flags 0x%" PRIx32 " in the header, where only 0 is known", h->flags);
	else
		return MLPD_OK;
	return MLPD_BAD;
}

static void get_fixed(struct pv_cursor *c, struct mlpd_header *h)
{
	h->format.header_major = pv_get_u8(c);
	h->header_minor = pv_get_u8(c);
	h->format.data_version = pv_get_u8(c);
	h->format.pointer_size = pv_get_u8(c);
	/* The only development layout visible in the header. */
	if (h->format.data_version == 16 && h->format.header_major == 2)
		h->format.layout = MLPD_EARLY_16;
	h->start_time_ms = pv_get_u64(c);
	if (h->format.header_major >= 3)
		h->startup_ns = pv_get_u64(c);
	h->timer_overhead_ns = pv_get_u32(c);
	h->flags = pv_get_u32(c);
	h->pid = pv_get_u32(c);
	h->port = pv_get_u16(c);
}

enum mlpd_status mlpd_get_header(
	struct pv_cursor *cursor, struct mlpd_header *ret, struct pv_error *reterr)
{
	struct pv_cursor c = *cursor;
	struct mlpd_header h = { .args = { "", 0 }, .arch = { "", 0 }, .os = { "", 0 } };
	uint32_t id = pv_get_u32(&c);
	if (!c.short_read && id != MLPD_FILE_ID) {
		pv_fail(reterr, PV_ECORRUPT, 0, "no MLPD header: id 0x%08" PRIx32, id);
		return MLPD_BAD;
	}
	get_fixed(&c, &h);
	if (c.short_read)
		return MLPD_SHORT;
	if (h.format.header_major == 0) {
		pv_get_u16(&c); /* system id, always 0 */
	} else {
		h.args = get_counted(&c);
		h.arch = get_counted(&c);
		h.os = get_counted(&c);
	}
	enum mlpd_status s = check(&h, &c, (uint64_t)(c.at - cursor->at), reterr);
	*ret = h;
	if (s != MLPD_SHORT)
		*cursor = (struct pv_cursor){ .at = c.at, .end = c.end };
	return s;
}

enum mlpd_status mlpd_get_buffer_header(struct pv_cursor *cursor, struct mlpd_buffer_header *ret)
{
	struct pv_cursor c = *cursor;
	uint32_t id = pv_get_u32(&c);
	if (!c.short_read && id != MLPD_BUFFER_ID)
		return MLPD_BAD;
	struct mlpd_buffer_header h = { .length = pv_get_u32(&c) };
	h.time_base = pv_get_u64(&c);
	h.ptr_base = pv_get_u64(&c);
	h.obj_base = pv_get_u64(&c);
	h.thread = pv_get_u64(&c);
	h.method_base = pv_get_u64(&c);
	if (!pv_cursor_ok(&c))
		return MLPD_SHORT;
	*cursor = c;
	*ret = h;
	return MLPD_OK;
}

void mlpd_bases_init(struct mlpd_bases *b, const struct mlpd_buffer_header *h)
{
	*b = (struct mlpd_bases){ .time = h->time_base,
		.method = h->method_base,
		.ptr = h->ptr_base,
		.obj = h->obj_base };
}

static uint8_t *put_counted(uint8_t *to, struct pv_text t)
{
	to = pv_put_u32(to, (uint32_t)t.len + 1);
	if (t.len)
		memcpy(to, t.at, t.len);
	to[t.len] = 0;
	return to + t.len + 1;
}

size_t mlpd_put_header(uint8_t *to, size_t room, const struct mlpd_header *h)
{
	size_t fixed = 4 + 4 + 8 + 8 + 4 + 4 + 4 + 2;
	size_t need = fixed + 3 * 5 + h->args.len + h->arch.len + h->os.len;
	if (room < need)
		return 0;
	uint8_t *p = pv_put_u32(to, MLPD_FILE_ID);
	*p++ = h->format.header_major;
	*p++ = h->header_minor;
	*p++ = h->format.data_version;
	*p++ = h->format.pointer_size;
	p = pv_put_u64(p, h->start_time_ms);
	if (h->format.header_major >= 3)
		p = pv_put_u64(p, h->startup_ns);
	p = pv_put_u32(p, h->timer_overhead_ns);
	p = pv_put_u32(p, h->flags);
	p = pv_put_u32(p, h->pid);
	p = pv_put_u16(p, h->port);
	if (h->format.header_major == 0)
		return (size_t)(pv_put_u16(p, 0) - to);
	p = put_counted(p, h->args);
	p = put_counted(p, h->arch);
	p = put_counted(p, h->os);
	return (size_t)(p - to);
}

size_t mlpd_put_buffer_header(uint8_t to[MLPD_BUFFER_HEADER], const struct mlpd_buffer_header *h)
{
	uint8_t *p = pv_put_u32(to, MLPD_BUFFER_ID);
	p = pv_put_u32(p, h->length);
	p = pv_put_u64(p, h->time_base);
	p = pv_put_u64(p, h->ptr_base);
	p = pv_put_u64(p, h->obj_base);
	p = pv_put_u64(p, h->thread);
	p = pv_put_u64(p, h->method_base);
	return (size_t)(p - to);
}
