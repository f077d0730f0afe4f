#include "common/format/mlpd.h"

#include <inttypes.h>

enum { MAX_STRING = 1 << 20 }; /* header strings are command lines and short words */

static struct pv_text get_counted(struct pv_cursor *c, bool *bad)
{
	uint32_t n = pv_get_u32(c);
	if (n > MAX_STRING) {
		*bad = true;
		return (struct pv_text){ "", 0 };
	}
	const uint8_t *p = pv_get_bytes(c, n);
	if (!p || n == 0)
		return (struct pv_text){ "", 0 };
	const uint8_t *nul = memchr(p, 0, n);
	if (!nul) {
		*bad = true;
		return (struct pv_text){ "", 0 };
	}
	return (struct pv_text){ (const char *)p, (size_t)(nul - p) };
}

static enum mlpd_status check(const struct mlpd_header *h, struct pv_error *reterr)
{
	unsigned version = h->format.data_version, size = h->format.pointer_size;
	if (version == 0)
		pv_fail(reterr, PV_EVERSION, 0, "data version 0 is not Mono's format "
			"(CitizenFX writes such files); it cannot be read");
	else if (version > MLPD_NEWEST)
		pv_fail(reterr, PV_EVERSION, 0, "data version %u is newer than the newest known (%u)",
			version, (unsigned)MLPD_NEWEST);
	else if (size != 4 && size != 8)
		pv_fail(reterr, PV_ECORRUPT, 0, "pointer size %u in the header is neither 4 nor 8",
			size);
	else
		return MLPD_OK;
	return MLPD_BAD;
}

enum mlpd_status mlpd_get_header(struct pv_cursor *cursor, struct mlpd_header *ret,
	struct pv_error *reterr)
{
	struct pv_cursor c = *cursor;
	struct mlpd_header h = { 0 };
	bool bad = false;
	uint32_t id = pv_get_u32(&c);
	if (!c.short_read && id != MLPD_FILE_ID) {
		pv_fail(reterr, PV_ECORRUPT, 0, "no MLPD header: id 0x%08" PRIx32, id);
		return MLPD_BAD;
	}
	h.format.header_major = pv_get_u8(&c);
	h.header_minor = pv_get_u8(&c);
	h.format.data_version = pv_get_u8(&c);
	h.format.pointer_size = pv_get_u8(&c);
	/* The one layout of a development build that the header tells. */
	if (h.format.data_version == 16 && h.format.header_major == 2)
		h.format.layout = MLPD_EARLY_16;
	h.start_time_ms = pv_get_u64(&c);
	if (h.format.header_major >= 3)
		h.startup_ns = pv_get_u64(&c);
	h.timer_overhead_ns = pv_get_u32(&c);
	h.flags = pv_get_u32(&c);
	h.pid = pv_get_u32(&c);
	h.port = pv_get_u16(&c);
	h.args = h.arch = h.os = (struct pv_text){ "", 0 };
	if (h.format.header_major == 0) {
		pv_get_u16(&c); /* system id, always 0 */
	} else {
		h.args = get_counted(&c, &bad);
		h.arch = get_counted(&c, &bad);
		h.os = get_counted(&c, &bad);
	}
	if (bad) {
		pv_fail(reterr, PV_ECORRUPT, 0, "a header string has no end");
		return MLPD_BAD;
	}
	if (!pv_cursor_ok(&c))
		return MLPD_SHORT;
	enum mlpd_status s = check(&h, reterr);
	if (s == MLPD_OK) {
		*cursor = c;
		*ret = h;
	}
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
	*b = (struct mlpd_bases){ .time = h->time_base, .method = h->method_base,
		.ptr = h->ptr_base, .obj = h->obj_base };
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
