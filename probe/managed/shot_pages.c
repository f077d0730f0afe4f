/* SPDX-License-Identifier: MIT */
/* Encodes the events of a heap shot into mapped pages, and sends the pages to the writer's sink. */
#include "probe/managed/shot_pages.h"

#include <sys/mman.h>
#include <sys/uio.h>

enum { OBJECT_ROOM = 16 << 10 /* more than any event of a shot needs */ };

static const struct mlpd_format format = { MLPD_NEWEST, 3, 8, 0 };

void pvp_shot_pages_begin(struct pvp_shot_pages *s, uint64_t thread, size_t most)
{
	*s = (struct pvp_shot_pages){ .thread = thread, .most = most };
	s->end = &s->first;
}

static struct pvp_shot_page *room(struct pvp_shot_pages *s, uint64_t object)
{
	struct pvp_shot_page *p = s->last;
	if (p && sizeof p->bytes - p->n >= OBJECT_ROOM)
		return p;
	if (s->bytes + sizeof *p > s->most)
		return NULL;
	p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	p->header = (struct mlpd_buffer_header){
		.time_base = s->time, .thread = s->thread, .obj_base = object >> 3
	};
	mlpd_bases_init(&s->bases, &p->header);
	*s->end = s->last = p;
	s->end = &p->next;
	s->bytes += sizeof *p;
	return p;
}

bool pvp_shot_put(struct pvp_shot_pages *s, struct pv_event *ev, const struct pv_batch *pools,
	uint64_t object)
{
	struct pvp_shot_page *p = s->failed ? NULL : room(s, object);
	ev->time = s->time;
	size_t n = p ? mlpd_encode(p->bytes + p->n, sizeof p->bytes - p->n, &s->bases, &format, ev,
			       pools)
		     : 0;
	s->failed |= n == 0;
	if (n)
		p->n += n;
	return n > 0;
}

bool pvp_shot_put_kind(struct pvp_shot_pages *s, uint8_t kind)
{
	struct pv_event ev = { .kind = kind };
	return pvp_shot_put(s, &ev, NULL, 0);
}

bool pvp_shot_send(struct pvp_writer *w, struct pvp_shot_page *all)
{
	uint8_t head[MLPD_BUFFER_HEADER];
	bool whole = true;
	for (struct pvp_shot_page *p = all; p && whole; p = p->next) {
		p->header.length = (uint32_t)p->n;
		struct iovec parts[2] = {
			{ head, mlpd_put_buffer_header(head, &p->header) },
			{ p->bytes, p->n },
		};
		whole = pvp_writer_send(w, parts, 2);
		w->amid = true; /* a new reader gets no rest of a shot */
	}
	w->amid = false;
	return whole;
}

size_t pvp_shot_release(struct pvp_shot_page *all)
{
	size_t bytes = 0;
	while (all) {
		struct pvp_shot_page *next = all->next;
		bytes += sizeof *all;
		munmap(all, sizeof *all);
		all = next;
	}
	return bytes;
}
