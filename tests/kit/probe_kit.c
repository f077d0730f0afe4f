/* SPDX-License-Identifier: MIT */
#include "tests/kit/probe_kit.h"

#include <fcntl.h>
#include <time.h>

#include "common/format/batch_event.h"

char probe_dir[PROBE_PATH / 2];

static const struct probe_method no_method;
static const struct probe_thread no_thread;
static const struct probe_counter no_counter;

/* Not ck_assert(): that writes a line for each time it holds, and this runs for each event. */
static void need(bool ok)
{
	if (!ok)
		ck_abort_msg("out of memory");
}

void probe_log_init(struct probe_log *log)
{
	memset(log, 0, sizeof *log);
	need(mlpd_framer_init(&log->framer));
}

void probe_log_finish(struct probe_log *log)
{
	mlpd_framer_finish(&log->framer);
	pv_batch_finish(&log->batch);
	pv_map_finish(&log->method_index);
	pv_map_finish(&log->class_index);
	pv_array_finish(&log->methods);
	for (size_t i = 0; i < log->threads.n; i++)
		pv_array_finish(&log->threads.v[i].stack);
	pv_array_finish(&log->threads);
	pv_array_finish(&log->counters);
}

static struct probe_thread *thread_of(struct probe_log *log, uint64_t id)
{
	for (size_t i = 0; i < log->threads.n; i++)
		if (log->threads.v[i].id == id)
			return &log->threads.v[i];
	need(pv_reserve(&log->threads, 1));
	struct probe_thread *t = &log->threads.v[log->threads.n++];
	*t = (struct probe_thread){ .id = id };
	return t;
}

static struct probe_method *method_of(struct probe_log *log, uint64_t key)
{
	uint32_t i = pv_map_get(&log->method_index, key);
	if (i == PV_MAP_NONE) {
		i = (uint32_t)log->methods.n;
		need(pv_reserve(&log->methods, 1));
		log->methods.v[log->methods.n++] = (struct probe_method){ .key = key };
		need(pv_map_set(&log->method_index, key, i));
	}
	return &log->methods.v[i];
}

static struct probe_counter *counter_of(struct probe_log *log, uint64_t index)
{
	for (size_t i = 0; i < log->counters.n; i++)
		if (log->counters.v[i].index == index)
			return &log->counters.v[i];
	need(pv_reserve(&log->counters, 1));
	struct probe_counter *c = &log->counters.v[log->counters.n++];
	*c = (struct probe_counter){ .index = index };
	return c;
}

static void copy(char *to, size_t room, struct pv_text text)
{
	size_t n = text.len < room ? text.len : room - 1;
	memcpy(to, text.at, n);
	to[n] = 0;
}

static void take_call(struct probe_log *log, struct probe_thread *t, unsigned kind, uint64_t key)
{
	struct probe_method *m = method_of(log, key);
	log->unnamed += !m->described;
	m->enters += kind == PV_KIND_METHOD_ENTER;
	m->leaves += kind == PV_KIND_METHOD_LEAVE;
	m->exc_leaves += kind == PV_KIND_METHOD_EXC_LEAVE;
	t->enters += kind == PV_KIND_METHOD_ENTER;
	t->leaves += kind != PV_KIND_METHOD_ENTER;
	if (kind == PV_KIND_METHOD_ENTER) {
		need(pv_reserve(&t->stack, 1));
		t->stack.v[t->stack.n++] = key;
	} else if (t->stack.n && t->stack.v[t->stack.n - 1] == key) {
		t->stack.n--;
	} else {
		log->mismatches++;
	}
}

static void take_samples(
	struct probe_log *log, struct probe_thread *t, const struct pv_event *e, bool first)
{
	for (uint32_t i = 0; i < e->counters.list.n; i++) {
		const struct pv_counter_value *v = &log->batch.values.v[e->counters.list.at + i];
		struct probe_counter *c = counter_of(log, v->index);
		c->value += (int64_t)v->raw;
		c->samples++;
		if (strcmp(c->name, "lost events") != 0)
			continue;
		log->lost += v->raw;
		t->lost += v->raw;
		t->next_size += v->raw;
		t->stack.n = 0;
		/* Losses of no thread yet stand among the writer's own counters. */
		log->misplaced_losses += !first && t->enters > 0;
	}
}

static void take_rare(
	struct probe_log *log, struct probe_thread *t, const struct pv_event *e, bool first)
{
	switch (e->kind) {
	case PV_KIND_METHOD_JIT: {
		struct probe_method *m = method_of(log, e->jit.method);
		copy(m->name, sizeof m->name, e->jit.name);
		m->code = e->jit.code;
		m->size = e->jit.size;
		m->described++;
		break;
	}
	case PV_KIND_VTABLE_LOAD:
		need(pv_map_set(&log->class_index, e->meta.key, (uint32_t)e->meta.owner));
		break;
	case PV_KIND_THREAD_START:
		thread_of(log, e->meta.key)->starts++;
		break;
	case PV_KIND_THREAD_END:
		thread_of(log, e->meta.key)->ends++;
		break;
	case PV_KIND_THREAD_NAME:
		t = thread_of(log, e->meta.key);
		copy(t->name, sizeof t->name, e->meta.name);
		break;
	case PV_KIND_COUNTERS_DESCRIBE:
		for (uint32_t i = 0; i < e->counters.list.n; i++) {
			const struct pv_counter_desc *d =
				&log->batch.descs.v[e->counters.list.at + i];
			copy(counter_of(log, d->index)->name, 64, d->name);
		}
		break;
	case PV_KIND_COUNTERS_SAMPLE:
		take_samples(log, t, e, first);
		break;
	case PV_KIND_SYNC_POINT:
		log->last_sync = e->time;
		break;
	case PV_KIND_EXT_TREE_CALL: {
		struct probe_method *m = method_of(log, e->tree.method);
		log->unnamed += !m->described;
		log->tree_orphans += e->tree.back >= ++log->tree_places && e->tree.back;
		m->enters += e->tree.calls;
		m->exc_leaves += e->tree.exc_leaves;
		t->enters += e->tree.calls;
		t->tree_ns += (int64_t)e->tree.self_ns;
		break;
	}
	case PV_KIND_EXT_MARK:
		t->marks++;
		copy(log->last_mark, sizeof log->last_mark, e->ext.text);
		break;
	default:
		break;
	}
}

static void take_event(struct probe_log *log, uint64_t thread, size_t i)
{
	struct pv_batch *b = &log->batch;
	struct probe_thread *t = thread_of(log, thread);
	unsigned kind = b->kind[i];
	bool call = kind == PV_KIND_METHOD_ENTER || kind == PV_KIND_METHOD_LEAVE ||
		    kind == PV_KIND_METHOD_EXC_LEAVE;
	log->n[kind]++;
	if (call || kind == PV_KIND_ALLOC || kind == PV_KIND_EXT_MARK) {
		log->back_steps += b->time[i] < t->last_time;
		log->before_sync += b->time[i] < log->last_sync;
		t->last_time = b->time[i];
	}
	if (call) {
		take_call(log, t, kind, b->key[i]);
	} else if (kind == PV_KIND_ALLOC) {
		const struct pv_alloc *a = &b->allocs.v[b->key[i]];
		log->bytes_allocated += a->size;
		log->misnumbered += a->size != t->next_size++;
		log->unnamed += pv_map_get(&log->class_index, a->type) == PV_MAP_NONE;
		t->allocs++;
	} else {
		take_rare(log, t, pv_batch_event(b, i), i == 0);
	}
}

static void take_buffer(struct probe_log *log)
{
	const struct mlpd_framer *f = &log->framer;
	struct pv_batch *b = &log->batch;
	struct mlpd_bases bases;
	size_t used;
	pv_batch_reset(b);
	need(pv_reserve(&b->bytes, f->payload_len));
	memcpy(b->bytes.v, f->payload, f->payload_len);
	b->bytes.n = f->payload_len;
	b->offset = f->offset;
	mlpd_bases_init(&bases, &f->buffer);
	need(mlpd_decode_batch(b, &bases, &log->header.format, !f->whole, &used));
	log->damages += b->damaged;
	log->tree_places = 0;
	for (size_t i = 0; i < b->n; i++)
		take_event(log, f->buffer.thread, i);
}

static void take_pieces(struct probe_log *log)
{
	for (;;) {
		switch (mlpd_framer_next(&log->framer)) {
		case MLPD_MORE:
			return;
		case MLPD_HEADER:
			log->headers++;
			log->header = log->framer.header;
			copy(log->args, sizeof log->args, log->header.args);
			break;
		case MLPD_BUFFER:
			take_buffer(log);
			break;
		case MLPD_DAMAGE:
			log->damages++;
			break;
		case MLPD_FAILED:
			log->failures++;
			return;
		}
	}
}

void probe_log_feed(struct probe_log *log, const void *bytes, size_t len)
{
	while (len) {
		size_t room;
		uint8_t *to = mlpd_framer_room(&log->framer, &room);
		need(to);
		size_t n = len < room ? len : room;
		memcpy(to, bytes, n);
		mlpd_framer_filled(&log->framer, n);
		bytes = (const char *)bytes + n;
		len -= n;
		take_pieces(log);
	}
}

void probe_log_end(struct probe_log *log)
{
	mlpd_framer_end(&log->framer);
	take_pieces(log);
}

void probe_log_read(struct probe_log *log, const char *path)
{
	static char block[1 << 16];
	probe_log_init(log);
	int fd = open(path, O_RDONLY);
	ck_assert_msg(fd >= 0, "%s cannot be opened", path);
	for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;)
		probe_log_feed(log, block, (size_t)n);
	close(fd);
	probe_log_end(log);
}

void probe_log_check(const struct probe_log *log)
{
	ck_assert_uint_eq(log->headers, 1);
	ck_assert_uint_eq(log->damages, 0);
	ck_assert_uint_eq(log->failures, 0);
	ck_assert_uint_eq(log->tree_orphans, 0);
	ck_assert_uint_eq(log->unnamed, 0);
	ck_assert_uint_eq(log->back_steps, 0);
	ck_assert_uint_eq(log->before_sync, 0);
	ck_assert_uint_eq(log->misplaced_losses, 0);
	ck_assert_uint_eq(log->n[PV_KIND_EXT_UNKNOWN], 0);
}

const struct probe_method *probe_log_method(const struct probe_log *log, const char *name)
{
	for (size_t i = 0; i < log->methods.n; i++)
		if (strcmp(log->methods.v[i].name, name) == 0)
			return &log->methods.v[i];
	return &no_method;
}

const struct probe_thread *probe_log_thread(const struct probe_log *log, const char *name)
{
	for (size_t i = 0; i < log->threads.n; i++)
		if (strcmp(log->threads.v[i].name, name) == 0)
			return &log->threads.v[i];
	return &no_thread;
}

const struct probe_counter *probe_log_counter(const struct probe_log *log, const char *name)
{
	for (size_t i = 0; i < log->counters.n; i++)
		if (strcmp(log->counters.v[i].name, name) == 0)
			return &log->counters.v[i];
	return &no_counter;
}

uint64_t probe_log_events(const struct probe_log *log)
{
	return log->n[PV_KIND_METHOD_ENTER] + log->n[PV_KIND_METHOD_LEAVE] +
	       log->n[PV_KIND_METHOD_EXC_LEAVE] + log->n[PV_KIND_ALLOC] + log->n[PV_KIND_EXT_MARK];
}

void probe_setup(void)
{
	const char *tmp = getenv("TMPDIR");
	snprintf(probe_dir, sizeof probe_dir, "%s/profview-test-XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(probe_dir));
}

void probe_teardown(void)
{
	char command[PROBE_PATH];
	snprintf(command, sizeof command, "rm -rf '%s'", probe_dir);
	ck_assert_int_eq(system(command), 0);
}

const char *probe_path(char path[PROBE_PATH], const char *name)
{
	snprintf(path, PROBE_PATH, "%s/%s", probe_dir, name);
	return path;
}

int64_t probe_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void probe_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}
