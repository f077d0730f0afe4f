/* SPDX-License-Identifier: MIT */
/* Entries of the index on disk: names, choice of the best entry, replacing, removal of old ones. */
#include "common/ingest/index_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/fd.h"

#define PART         "part."
#define PART_SECONDS (24 * 60 * 60) /* then the writer must be gone */

_Static_assert(8 + PV_PRINT_BYTES <= PV_SEALED_ABOUT, "what an entry says of itself");

static void close_one(int *fd)
{
	int own = *fd - 1;
	pv_fd_close(&own);
	*fd = 0;
}

/* --- listing entries */

struct entry {
	char name[PV_INDEX_ENTRY];
	struct timespec used;
	uint64_t bytes;
};

struct entries {
	PV_ARRAY(struct entry) entry;
};

static bool is_older(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return is_older(x->used, y->used) - is_older(y->used, x->used);
}

static bool note_entry(struct entries *e, int folder, const char *name)
{
	struct stat st;
	if (strlen(name) >= PV_INDEX_ENTRY || !pv_reserve(&e->entry, 1) ||
		fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	struct entry *x = &e->entry.v[e->entry.n++];
	strcpy(x->name, name);
	x->used = st.st_mtim;
	x->bytes = st.st_size > 0 ? (uint64_t)st.st_size : 0;
	return true;
}

/* Entries with this prefix, except the key; the last used first. */
static struct entries entries_of(int folder, const char *prefix)
{
	struct entries ret = { 0 };
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again >= 0 ? fdopendir(again) : NULL;
	if (!dir) {
		pv_fd_close(&again);
		return ret;
	}
	for (struct dirent *d; (d = readdir(dir));)
		if (d->d_name[0] != '.' && strcmp(d->d_name, "key") != 0 &&
			strncmp(d->d_name, prefix, strlen(prefix)) == 0)
			note_entry(&ret, folder, d->d_name);
	closedir(dir);
	if (ret.entry.n)
		qsort(ret.entry.v, ret.entry.n, sizeof *ret.entry.v, by_use);
	return ret;
}

static bool is_part(const struct entry *e)
{
	return strncmp(e->name, PART, strlen(PART)) == 0;
}

/* Whether the writer of the part was killed, by the part's age. */
static bool is_orphan(const struct entry *part)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - part->used.tv_sec > PART_SECONDS;
}

void pv_index_trim(int folder, uint64_t room)
{
	struct entries all = entries_of(folder, "");
	uint64_t used = 0;
	for (size_t i = 0; i < all.entry.n; i++) {
		const struct entry *e = &all.entry.v[i];
		used += e->bytes;
		if (is_part(e) ? is_orphan(e) : used > room)
			unlinkat(folder, e->name, 0);
	}
	pv_array_finish(&all.entry);
}

/* --- entries of a log */

struct said {
	uint64_t layout;
	struct pv_log_print print;
};

static bool said_by(int fd, const uint8_t key[PV_PRIVATE_KEY], struct said *ret)
{
	uint8_t about[PV_SEALED_ABOUT];
	if (!pv_sealed_about(fd, key, about, NULL))
		return false;
	memcpy(&ret->layout, about, 8);
	pv_log_print_unpack(&ret->print, about + 8);
	return true;
}

/* A log, and the folder and names of its entries. */
struct place {
	int folder, log;
	uint8_t key[PV_PRIVATE_KEY];
	char prefix[PV_PRINT_NAME + 1];
};

static void leave_place(struct place *p)
{
	pv_fd_close(&p->folder);
	pv_fd_close(&p->log);
}

static bool find_place(struct place *p, const char *log)
{
	char name[PV_PRINT_NAME];
	p->folder = -1;
	p->log = pv_log_open(log);
	if (p->log >= 0 && pv_log_name(p->log, name))
		p->folder = pv_private_folder(PV_PRIVATE_CACHE, "index");
	if (p->folder < 0 || !pv_private_key(p->folder, p->key)) {
		leave_place(p);
		return false;
	}
	snprintf(p->prefix, sizeof p->prefix, "%s.", name);
	return true;
}

/* --- writing */

bool pv_index_create(struct pv_index_out *out)
{
	uint8_t key[PV_PRIVATE_KEY];
	*out = (struct pv_index_out){ 0 };
	int folder = pv_private_folder(PV_PRIVATE_CACHE, "index");
	out->folder = folder + 1;
	int fd = folder >= 0 && pv_private_key(folder, key)
			 ? pv_private_create(folder, PART, out->temporary, sizeof out->temporary)
			 : -1;
	out->fd = fd + 1;
	if (fd < 0)
		out->temporary[0] = 0;
	if (fd < 0 || fchmod(fd, 0600) < 0 || !pv_sealed_create(&out->sealed, fd, key)) {
		pv_index_abandon(out);
		return false;
	}
	out->sealed.limit = PV_INDEX_ROOM;
	return true;
}

bool pv_index_write(void *ctx, const void *bytes, size_t n)
{
	return pv_sealed_write(&((struct pv_index_out *)ctx)->sealed, bytes, n);
}

/* Whether the entry is of this log, or useless: not sealed by us. */
static bool is_superseded(const struct place *p, const char *name)
{
	struct said said;
	int fd = pv_private_open(p->folder, name);
	bool ret = fd < 0 || !said_by(fd, p->key, &said) || pv_log_print_holds(p->log, &said.print);
	pv_fd_close(&fd);
	return ret;
}

/* Takes the name of the first superseded entry, and removes the others. */
static bool put_in_place(struct pv_index_out *out, const struct place *p)
{
	char name[PV_INDEX_ENTRY];
	bool placed = false;
	struct entries same = entries_of(p->folder, p->prefix);
	for (size_t i = 0; i < same.entry.n && i < PV_INDEX_SAME_NAME; i++) {
		const char *old = same.entry.v[i].name;
		if (!is_superseded(p, old))
			continue;
		if (placed || renameat(p->folder, out->temporary, p->folder, old) < 0)
			unlinkat(p->folder, old, 0);
		else
			placed = true;
	}
	pv_array_finish(&same.entry);
	if (!placed) {
		snprintf(name, sizeof name, "%s%s", p->prefix, out->temporary + strlen(PART));
		placed = renameat(p->folder, out->temporary, p->folder, name) == 0;
	}
	if (placed)
		out->temporary[0] = 0;
	return placed;
}

bool pv_index_commit(struct pv_index_out *out, uint64_t layout, uint64_t covers, const char *log)
{
	struct place place;
	struct pv_log_print print;
	uint8_t about[PV_SEALED_ABOUT] = { 0 };
	if (!find_place(&place, log))
		return false;
	bool ok = pv_log_print_take(place.log, covers, &print);
	if (ok) {
		memcpy(about, &layout, 8);
		pv_log_print_pack(&print, about + 8);
		ok = pv_sealed_finish(&out->sealed, about) && put_in_place(out, &place);
	}
	if (ok)
		pv_index_trim(place.folder, PV_INDEX_ROOM);
	leave_place(&place);
	return ok;
}

void pv_index_abandon(struct pv_index_out *out)
{
	if (out->temporary[0])
		unlinkat(out->folder - 1, out->temporary, 0);
	out->temporary[0] = 0;
	pv_sealed_drop(&out->sealed);
	close_one(&out->fd);
	close_one(&out->folder);
}

/* --- reading */

/* Descriptor of the entry that covers most, or -1. */
static int find_best(const struct place *p, uint64_t layout, const bool *stop, uint64_t *ret_covers)
{
	struct entries same = entries_of(p->folder, p->prefix);
	int best = -1;
	*ret_covers = 0;
	for (size_t i = 0; i < same.entry.n && i < PV_INDEX_SAME_NAME; i++) {
		struct said said;
		int fd = pv_private_open(p->folder, same.entry.v[i].name);
		if (!(stop && __atomic_load_n(stop, __ATOMIC_ACQUIRE)) && fd >= 0 &&
			said_by(fd, p->key, &said) && said.layout == layout &&
			said.print.covers > *ret_covers &&
			pv_log_print_holds(p->log, &said.print)) {
			int other = best;
			best = fd;
			fd = other;
			*ret_covers = said.print.covers;
		}
		pv_fd_close(&fd);
	}
	pv_array_finish(&same.entry);
	return best;
}

bool pv_index_open(struct pv_index_in *in, const char *log, uint64_t layout, const bool *stop)
{
	struct place place;
	*in = (struct pv_index_in){ 0 };
	if (!find_place(&place, log))
		return false;
	int fd = find_best(&place, layout, stop, &in->covers);
	in->fd = fd + 1;
	if (fd >= 0)
		in->sealed = pv_sealed_open(fd, place.key, stop, &in->bytes);
	if (in->sealed)
		futimens(fd, NULL); /* marks the use */
	leave_place(&place);
	if (!in->sealed)
		pv_index_close(in);
	return in->sealed != NULL;
}

bool pv_index_read(void *ctx, void *to, size_t n)
{
	return pv_sealed_read(((struct pv_index_in *)ctx)->sealed, to, n);
}

void pv_index_close(struct pv_index_in *in)
{
	pv_sealed_close(in->sealed);
	in->sealed = NULL;
	close_one(&in->fd);
}
