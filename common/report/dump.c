#include "common/report/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/utf8.h"
#include "common/format/block07.h"
#include "common/format/framer.h"
#include "common/io/source.h"
#include "common/report/dump07.h"

struct pv_dump {
	FILE *out;
	struct mlpd_framer framer;
	struct pv_dump07 *old; /* a log of 2007 is read with this instead */
	bool chosen;           /* which of the two it is */
	struct pv_dump_totals totals;
	int64_t zero;
	bool have_zero;

	/* Names seen so far: what a key meant last. */
	struct pv_intern text;
	struct pv_map methods, entities; /* key -> interned name */

	/* The buffer being read. */
	struct mlpd_bases bases;
	struct pv_batch pools;
	PV_ARRAY(uint8_t) carry; /* an event cut by the end of a piece of a very large buffer */
	uint64_t next_offset;    /* of the byte behind what was decoded, in the stream */
	bool skip;               /* the rest of this buffer is damaged */
};

struct pv_dump *pv_dump_create(FILE *out)
{
	struct pv_dump *d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	d->out = out;
	if (!mlpd_framer_init(&d->framer)) {
		free(d);
		return NULL;
	}
	d->framer.may_join = true;
	return d;
}

void pv_dump_destroy(struct pv_dump *d)
{
	if (!d)
		return;
	mlpd_framer_finish(&d->framer);
	pv_dump07_destroy(d->old);
	pv_intern_finish(&d->text);
	pv_map_finish(&d->methods);
	pv_map_finish(&d->entities);
	pv_batch_finish(&d->pools);
	pv_array_finish(&d->carry);
	free(d);
}

void pv_dump_totals(const struct pv_dump *d, struct pv_dump_totals *ret)
{
	*ret = d->totals;
	ret->complete = d->totals.damages == 0;
}

/* --- names --- */

static bool remember(struct pv_dump *d, struct pv_map *map, uint64_t key, const struct pv_text *t)
{
	uint32_t id;
	return pv_intern_add(&d->text, t->at, t->len, &id) && pv_map_set(map, key, id);
}

static bool learn(struct pv_dump *d, const struct pv_event *e)
{
	uint32_t class;
	switch (e->kind) {
	case PV_KIND_METHOD_JIT:
		return remember(d, &d->methods, e->jit.method, &e->jit.name);
	case PV_KIND_CLASS_LOAD:
	case PV_KIND_IMAGE_LOAD:
	case PV_KIND_ASSEMBLY_LOAD:
	case PV_KIND_DOMAIN_NAME:
	case PV_KIND_THREAD_NAME:
		return remember(d, &d->entities, e->meta.key, &e->meta.name);
	case PV_KIND_VTABLE_LOAD:
		class = pv_map_get(&d->entities, e->meta.owner);
		return class == PV_MAP_NONE || pv_map_set(&d->entities, e->meta.key, class);
	default:
		return true;
	}
}

/* --- fields --- */

/* Quoted; what is not printable UTF-8 as \xNN, so that one event stays one line. */
static void put_text(FILE *out, const char *text, size_t len)
{
	putc('"', out);
	for (const char *p = text, *end = text + len; p < end;) {
		size_t n;
		uint32_t code = pv_utf8_next(p, end, &n);
		bool bad = code == PV_UTF8_BAD || code < ' ' || (code >= 0x7f && code < 0xa0);
		for (size_t i = 0; i < n && bad; i++)
			fprintf(out, "\\x%02x", (unsigned char)p[i]);
		if (!bad && (*p == '"' || *p == '\\'))
			putc('\\', out);
		if (!bad)
			fwrite(p, 1, n, out);
		p += n;
	}
	putc('"', out);
}

static void put_key(const struct pv_dump *d, const struct pv_map *map, uint64_t key)
{
	fprintf(d->out, "0x%" PRIx64, key);
	uint32_t id = map ? pv_map_get(map, key) : PV_MAP_NONE;
	if (id == PV_MAP_NONE || id == 0)
		return;
	const char *name = pv_intern_text(&d->text, id);
	putc(' ', d->out);
	put_text(d->out, name, strlen(name));
}

static void put_list(const struct pv_dump *d, struct pv_span s, const struct pv_map *map)
{
	putc('[', d->out);
	for (uint32_t i = 0; i < s.n; i++) {
		if (i)
			fputs(", ", d->out);
		put_key(d, map, d->pools.pool.v[s.at + i]);
	}
	putc(']', d->out);
}

/* Groups of `width` numbers: old -> new, offset -> object, slot -> object. */
static void put_groups(const struct pv_dump *d, struct pv_span s, uint32_t width)
{
	putc('[', d->out);
	for (uint32_t i = 0; i + width <= s.n; i += width) {
		fputs(i ? ", " : "", d->out);
		for (uint32_t k = 0; k < width; k++)
			fprintf(d->out, "%s0x%" PRIx64, k ? " -> " : "",
				d->pools.pool.v[s.at + i + k]);
	}
	putc(']', d->out);
}

static void put_descs(const struct pv_dump *d, struct pv_span s)
{
	putc('[', d->out);
	for (uint32_t i = 0; i < s.n; i++) {
		const struct pv_counter_desc *c = &d->pools.descs.v[s.at + i];
		fprintf(d->out, "%s%" PRIu64 ": section=0x%" PRIx64 " ", i ? ", " : "", c->index,
			c->section);
		if (c->section_name.at && c->section_name.len) {
			put_text(d->out, c->section_name.at, c->section_name.len);
			putc(' ', d->out);
		}
		put_text(d->out, c->name.at ? c->name.at : "", c->name.len);
		fprintf(d->out, " type=%" PRIu64 " unit=0x%" PRIx64 " variance=0x%" PRIx64, c->type,
			c->unit, c->variance);
	}
	putc(']', d->out);
}

static void put_values(const struct pv_dump *d, struct pv_span s)
{
	putc('[', d->out);
	for (uint32_t i = 0; i < s.n; i++) {
		const struct pv_counter_value *v = &d->pools.values.v[s.at + i];
		fprintf(d->out, "%s%" PRIu64 ": ", i ? ", " : "", v->index);
		double number;
		memcpy(&number, &v->raw, sizeof number);
		switch (v->type) {
		case PV_COUNTER_STRING:
			if (v->raw && v->text.at)
				put_text(d->out, v->text.at, v->text.len);
			else
				fputs("null", d->out);
			break;
		case PV_COUNTER_DOUBLE:
			fprintf(d->out, "%.17g", number);
			break;
		case PV_COUNTER_UINT:
		case PV_COUNTER_ULONG:
			fprintf(d->out, "%" PRIu64, v->raw);
			break;
		default:
			fprintf(d->out, "%" PRId64, (int64_t)v->raw);
		}
	}
	putc(']', d->out);
}

static const char *step_name(uint64_t step)
{
	static const char *const name[] = { "start", "mark start", "mark end", "reclaim start",
		"reclaim end", "end", "pre stop world", "post stop world", "pre start world",
		"post start world", "pre stop world locked", "post start world unlocked" };
	return step < PV_COUNT_OF(name) ? name[step] : "?";
}

/* The last word of "alloc.type", which is what people call the field. */
static const char *short_name(const struct mlpd_field *f)
{
	const char *dot = strrchr(f->name, '.');
	return dot ? dot + 1 : f->name;
}

static void put_pointer(const struct pv_dump *d, const char *name, uint64_t v)
{
	static const char *const named[] = { "type", "image", "owner", "domain", "thread" };
	const struct pv_map *map = NULL;
	for (size_t i = 0; i < PV_COUNT_OF(named); i++)
		if (strcmp(name, named[i]) == 0)
			map = &d->entities;
	put_key(d, map, v);
}

static void put_field(const struct pv_dump *d, const struct pv_event *e, const struct mlpd_field *f)
{
	const void *at = (const char *)e + f->member;
	const char *name = short_name(f);
	uint64_t v;
	struct pv_span s;
	struct pv_text t;
	memcpy(&v, at, sizeof v);
	memcpy(&s, at, sizeof s);
	fprintf(d->out, " %s=", name);
	switch (f->type) {
	case MLPD_PTR:
	case MLPD_SPTR:
	case MLPD_OBJ:
		put_pointer(d, name, v);
		break;
	case MLPD_METH:
		put_key(d, &d->methods, v);
		break;
	case MLPD_BT:
	case MLPD_FRAMES:
		put_list(d, s, &d->methods);
		break;
	case MLPD_IPS:
		put_list(d, s, NULL);
		break;
	case MLPD_OBJS:
	case MLPD_REFS:
	case MLPD_ROOTS:
		put_groups(d, s, 2);
		break;
	case MLPD_OLD_ROOTS:
		put_groups(d, s, 3);
		break;
	case MLPD_DESCS:
		put_descs(d, s);
		break;
	case MLPD_VALUES:
		put_values(d, s);
		break;
	case MLPD_CSTR:
	case MLPD_HELPER_NAME:
		memcpy(&t, at, sizeof t);
		put_text(d->out, t.at ? t.at : "", t.at ? t.len : 0);
		break;
	case MLPD_SLEB:
		fprintf(d->out, "%" PRId64, (int64_t)v);
		break;
	default:
		fprintf(d->out, "%" PRIu64, v);
		if (e->kind == PV_KIND_GC_EVENT && strcmp(name, "step") == 0)
			fprintf(d->out, " (%s)", step_name(v));
	}
}

/* Seconds since the recording's zero, exact to the ns; negative times are real. */
static void put_time(const struct pv_dump *d, uint64_t time)
{
	int64_t ns = (int64_t)(time - (uint64_t)d->zero);
	uint64_t abs = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	fprintf(d->out, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", abs / 1000000000,
		abs % 1000000000);
}

static void put_event(const struct pv_dump *d, const struct pv_event *e, uint64_t offset)
{
	const struct mlpd_row *row = &mlpd_rows[e->row < mlpd_row_count ? e->row : 0];
	fprintf(d->out, "%10" PRIu64 " 0x%" PRIx64 " ", offset, d->framer.buffer.thread);
	put_time(d, e->time);
	fprintf(d->out, " %s", pv_kind_name(e->kind));
	unsigned version = d->framer.header.format.data_version;
	for (const struct mlpd_field *f = row->field; f->type != MLPD_END; f++)
		if (version >= f->since && version <= f->until)
			put_field(d, e, f);
	putc('\n', d->out);
}

static void put_damage(struct pv_dump *d, uint64_t offset, uint64_t bytes, const char *reason)
{
	d->totals.damages++;
	fprintf(d->out, "%10" PRIu64 " damage: %" PRIu64 " bytes: %s\n", offset, bytes, reason);
}

/* --- pieces --- */

static void put_header(struct pv_dump *d)
{
	const struct mlpd_header *h = &d->framer.header;
	d->zero = (int64_t)h->startup_ns;
	d->have_zero = h->startup_ns != 0;
	fprintf(d->out, "%10" PRIu64 " header: data version %u, header %u.%u, %u-byte pointers, "
		"started %" PRIu64 " ms, startup %" PRIu64 " ns, timer overhead %u ns, pid %u, port %u, "
		"args ", d->framer.offset, h->format.data_version, h->format.header_major,
		h->header_minor, h->format.pointer_size, h->start_time_ms, h->startup_ns,
		h->timer_overhead_ns, h->pid, h->port);
	put_text(d->out, h->args.at, h->args.len);
	fputs(", arch ", d->out);
	put_text(d->out, h->arch.at, h->arch.len);
	fputs(", os ", d->out);
	put_text(d->out, h->os.at, h->os.len);
	fputs(d->framer.joined ? ", joined in mid-stream\n" : "\n", d->out);
}

static void put_buffer(struct pv_dump *d)
{
	const struct mlpd_buffer_header *b = &d->framer.buffer;
	if (!d->have_zero)
		d->zero = (int64_t)b->time_base;
	d->have_zero = true;
	d->totals.buffers++;
	fprintf(d->out, "%10" PRIu64 " buffer: %u bytes, thread 0x%" PRIx64 ", time base ",
		d->framer.offset, b->length, b->thread);
	put_time(d, b->time_base);
	fprintf(d->out, ", pointers 0x%" PRIx64 ", objects 0x%" PRIx64 ", methods 0x%" PRIx64 "\n",
		b->ptr_base, b->obj_base << 3, b->method_base);
	mlpd_bases_init(&d->bases, b);
	d->next_offset = d->framer.offset + MLPD_BUFFER_HEADER;
	d->carry.n = 0;
	d->skip = false;
}

static const char *why(enum mlpd_status s, const struct pv_cursor *c, char text[64])
{
	if (s == MLPD_SHORT)
		return "an event runs past the end of its buffer";
	snprintf(text, 64, "event byte 0x%02x is not understood", *c->at);
	return text;
}

/* Every event of these bytes; what is left over is an event that goes on in the next piece. */
static bool put_events(struct pv_dump *d, struct pv_cursor *c, bool more_follows)
{
	uint64_t offset = d->next_offset;
	const uint8_t *start = c->at;
	while (c->at < c->end) {
		struct pv_event e;
		const uint8_t *at = c->at;
		pv_batch_reset(&d->pools);
		enum mlpd_status s = mlpd_decode(c, &d->bases, &d->framer.header.format, &d->pools,
			&e);
		if (s == MLPD_NOMEM)
			return false;
		if (s == MLPD_SHORT && more_follows)
			break;
		uint64_t here = offset + (uint64_t)(at - start);
		if (s != MLPD_OK) {
			char text[64];
			put_damage(d, here, (uint64_t)(c->end - at), why(s, c, text));
			d->skip = true;
			c->at = c->end;
			break;
		}
		put_event(d, &e, here);
		d->totals.events++;
		if (!learn(d, &e))
			return false;
	}
	d->next_offset = offset + (uint64_t)(c->at - start);
	return true;
}

static bool put_piece(struct pv_dump *d)
{
	const struct mlpd_framer *f = &d->framer;
	if (!f->continues)
		put_buffer(d);
	if (d->skip)
		return true;
	struct pv_cursor c = { .at = f->payload, .end = f->payload + f->payload_len };
	if (d->carry.n) {
		if (!pv_reserve(&d->carry, f->payload_len))
			return false;
		memcpy(d->carry.v + d->carry.n, f->payload, f->payload_len);
		d->carry.n += f->payload_len;
		c = (struct pv_cursor){ .at = d->carry.v, .end = d->carry.v + d->carry.n };
	}
	/* A cut buffer's last event is short too, but the damage behind it says so. */
	if (!put_events(d, &c, !f->last_piece || !f->whole))
		return false;
	size_t left = (size_t)(c.end - c.at);
	if (d->carry.n < left && !pv_reserve(&d->carry, left - d->carry.n))
		return false;
	if (left)
		memmove(d->carry.v, c.at, left);
	d->carry.n = left;
	return true;
}

static bool print(struct pv_dump *d, struct pv_error *reterr)
{
	for (;;) {
		bool ok = true;
		switch (mlpd_framer_next(&d->framer)) {
		case MLPD_MORE:
			return true;
		case MLPD_HEADER:
			put_header(d);
			break;
		case MLPD_BUFFER:
			ok = put_piece(d);
			break;
		case MLPD_DAMAGE:
			put_damage(d, d->framer.damage.offset, d->framer.damage.bytes,
				d->framer.damage.reason);
			break;
		case MLPD_FAILED:
			if (reterr)
				*reterr = d->framer.error;
			return false;
		}
		if (!ok)
			return pv_fail(reterr, PV_ENOMEM, d->framer.offset, "out of memory");
		if (fflush(d->out) != 0 || ferror(d->out))
			return pv_fail(reterr, PV_EIO, d->framer.offset, "cannot write: %s",
				strerror(errno));
	}
}

/* By the first bytes; they go over to the other reader when it is a log of 2007. */
static bool choose(struct pv_dump *d, struct pv_error *reterr)
{
	const uint8_t *bytes = d->framer.window + d->framer.start;
	size_t n = d->framer.filled - d->framer.start;
	enum b07_sniffed s = b07_sniff(bytes, n);
	d->chosen = s != B07_UNSURE;
	if (s != B07_YES)
		return true;
	d->old = pv_dump07_create(d->out, &d->totals);
	if (!d->old)
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	return pv_dump07_push(d->old, bytes, n, reterr);
}

bool pv_dump_push(struct pv_dump *d, const void *bytes, size_t n, struct pv_error *reterr)
{
	const uint8_t *at = bytes;
	d->totals.bytes += n;
	while (n && !d->old) {
		size_t room;
		uint8_t *to = mlpd_framer_room(&d->framer, &room);
		if (!to)
			return pv_fail(reterr, PV_ENOMEM, d->totals.bytes, "out of memory");
		size_t take = n < room ? n : room;
		memcpy(to, at, take);
		mlpd_framer_filled(&d->framer, take);
		at += take;
		n -= take;
		if (!d->chosen && !choose(d, reterr))
			return false;
		if (d->chosen && !d->old && !print(d, reterr))
			return false;
	}
	return !n || pv_dump07_push(d->old, at, n, reterr);
}

bool pv_dump_gap(struct pv_dump *d, uint64_t bytes, struct pv_error *reterr)
{
	d->chosen = true;
	if (d->old)
		return pv_dump07_gap(d->old, bytes, reterr);
	mlpd_framer_gap(&d->framer, bytes, "dropped unread");
	return print(d, reterr);
}

bool pv_dump_end(struct pv_dump *d, struct pv_error *reterr)
{
	d->chosen = true;
	if (d->old)
		return pv_dump07_end(d->old, reterr);
	mlpd_framer_end(&d->framer);
	return print(d, reterr);
}

/* --- a whole input --- */

enum turn { GO_ON, DONE, FAILED };

static void wait_for_more(struct pv_source *s, const volatile int *stop)
{
	struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
	if (!(stop && *stop))
		poll(&p, p.fd >= 0, 1000); /* interrupted by the signal that sets *stop */
	pv_source_wait_clear(s);
}

static enum turn restart(struct pv_dump **d, FILE *out, struct pv_error *reterr)
{
	if (!pv_dump_end(*d, reterr))
		return FAILED;
	struct pv_dump *fresh = pv_dump_create(out);
	if (!fresh) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return FAILED;
	}
	fresh->totals = (*d)->totals;
	pv_dump_destroy(*d);
	*d = fresh;
	return GO_ON;
}

static enum turn pump(struct pv_dump **d, struct pv_source *s, const volatile int *stop, FILE *out,
	struct pv_error *reterr)
{
	uint8_t bytes[64 << 10];
	uint64_t n = 0;
	switch (pv_source_read(s, bytes, sizeof bytes, &n, reterr)) {
	case PV_READ_BYTES:
		if (!pv_dump_push(*d, bytes, (size_t)n, reterr))
			return FAILED;
		if ((*d)->framer.have_header)
			pv_source_set_target(s, (*d)->framer.header.pid,
				(*d)->framer.header.start_time_ms);
		return GO_ON;
	case PV_READ_NOTHING:
		wait_for_more(s, stop);
		return GO_ON;
	case PV_READ_GAP:
		return pv_dump_gap(*d, n, reterr) ? GO_ON : FAILED;
	case PV_READ_RESTART:
		return restart(d, out, reterr);
	case PV_READ_END:
		return DONE;
	default:
		return FAILED;
	}
}

bool pv_dump_path(const char *path, bool follow, const volatile int *stop, FILE *out,
	struct pv_dump_totals *ret_totals, struct pv_error *reterr)
{
	struct pv_source *s = pv_source_open(path, &(struct pv_source_options){ .follow = follow },
		reterr);
	if (!s)
		return false;
	struct pv_dump *d = pv_dump_create(out);
	enum turn turn = d ? GO_ON : FAILED;
	if (!d)
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	while (turn == GO_ON && !(stop && *stop))
		turn = pump(&d, s, stop, out, reterr);
	/* Stopped by the user: what is still on its way is no damage. */
	bool ok = turn == GO_ON || (turn == DONE && pv_dump_end(d, reterr));
	if (d && ret_totals)
		pv_dump_totals(d, ret_totals);
	pv_dump_destroy(d);
	pv_source_close(s);
	return ok;
}
