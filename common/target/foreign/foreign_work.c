/* SPDX-License-Identifier: MIT */
/*
 * Files found, folders made and removed, files copied, each with the rights of the process's user.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/fd.h"
#include "common/target/foreign/foreign.h"
#include "common/target/foreign/left_folder.h"
#include "common/target/foreign/rights.h"

static const char prefix[] = "profview-join-";
static const int no_fds[PV_RIGHTS_FDS] = { -1, -1, -1 };

static bool is_own_kind(int fd, mode_t kind, mode_t without)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return false;
	if ((st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() && !(st.st_mode & without))
		return true;
	errno = EPERM;
	return false;
}

/* ---- an existing file */

struct find {
	char path[2200];
};

static bool may_read(const struct pv_tree_of *t, int fd)
{
	char name[16];
	if (t->self < 0)
		return true; /* opening the file will fail */
	snprintf(name, sizeof name, "%d", fd);
	return faccessat(t->self, name, R_OK, 0) == 0;
}

static int find_file(const struct pv_tree_of *t, void *what, int fds[PV_RIGHTS_FDS])
{
	const struct find *w = what;
	struct stat st;
	fds[0] = pv_fd_above_standard(pv_rights_open(t, w->path, O_PATH));
	bool ok = fds[0] >= 0 && fstat(fds[0], &st) == 0 && may_read(t, fds[0]);
	int why = !ok ? errno : S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) ? 0 : EINVAL;
	if (why)
		pv_fd_close(&fds[0]);
	return why;
}

int pv_foreign_find(const struct pv_foreign *f, const char *path)
{
	struct find w;
	int fds[PV_RIGHTS_FDS];
	if (strlen(path) >= sizeof w.path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memset(&w, 0, sizeof w);
	memcpy(w.path, path, strlen(path));
	return pv_rights_do(f, find_file, &w, sizeof w, no_fds, fds) ? fds[0] : -1;
}

/* ---- folders left by a killed viewer */

static void remove_pipe(int folder)
{
	struct stat st;
	if (fstatat(folder, "log", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISFIFO(st.st_mode))
		unlinkat(folder, "log", 0);
}

/* A process id says nothing across containers, but the lock does. */
static void remove_left(int base, const char *name)
{
	int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && is_own_kind(fd, S_IFDIR, 077) && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		remove_pipe(fd);
		unlinkat(base, name, AT_REMOVEDIR); /* if empty */
	}
	pv_fd_close(&fd);
}

static void sweep(int base)
{
	int fd = openat(base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
		if (pv_folder_is_left(e->d_name, prefix))
			remove_left(base, e->d_name);
	}
	if (dir)
		closedir(dir);
	else
		pv_fd_close(&fd);
}

/* ---- a folder with a pipe */

struct make {
	pid_t maker;
	char base[PV_FOREIGN_PATH], name[40];
};

static bool make_folder(int base, struct make *w)
{
	enum { TRIES = 100, DRAWN = 6 };
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEF";
	for (int i = 0; i < TRIES; i++) {
		unsigned char drawn[DRAWN];
		if (getrandom(drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn)
			return false;
		int n = snprintf(w->name, sizeof w->name, "%s%ld-", prefix, (long)w->maker);
		for (int k = 0; k < DRAWN; k++)
			w->name[n + k] = letters[drawn[k] % (sizeof letters - 1)];
		w->name[n + DRAWN] = 0;
		if (mkdirat(base, w->name, 0700) == 0)
			return true;
		if (errno != EEXIST)
			return false;
	}
	return false;
}

enum { BASE, FOLDER, LOG };

static bool make_all(struct make *w, int fds[PV_RIGHTS_FDS])
{
	fds[FOLDER] = pv_fd_above_standard(
		openat(fds[BASE], w->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (fds[FOLDER] < 0 || !is_own_kind(fds[FOLDER], S_IFDIR, 077) ||
		flock(fds[FOLDER], LOCK_EX | LOCK_NB) != 0 ||
		mkfifoat(fds[FOLDER], "log", 0600) != 0)
		return false;
	fds[LOG] =
		pv_fd_above_standard(openat(fds[FOLDER], "log", O_PATH | O_NOFOLLOW | O_CLOEXEC));
	return fds[LOG] >= 0 && is_own_kind(fds[LOG], S_IFIFO, 077);
}

static void remove_all(const char *name, const int fds[PV_RIGHTS_FDS])
{
	struct stat named, held;
	remove_pipe(fds[FOLDER]);
	if (fstatat(fds[BASE], name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
		fstat(fds[FOLDER], &held) == 0 && named.st_ino == held.st_ino &&
		named.st_dev == held.st_dev)
		unlinkat(fds[BASE], name, AT_REMOVEDIR);
}

static void close_all(int fds[PV_RIGHTS_FDS])
{
	for (int i = 0; i < PV_RIGHTS_FDS; i++)
		pv_fd_close(&fds[i]);
}

static int make_folders(const struct pv_tree_of *t, void *what, int fds[PV_RIGHTS_FDS])
{
	struct make *w = what;
	fds[BASE] = pv_fd_above_standard(pv_rights_open(t, w->base, O_PATH | O_DIRECTORY));
	if (fds[BASE] < 0)
		return errno;
	sweep(fds[BASE]);
	bool made = make_folder(fds[BASE], w);
	if (made && make_all(w, fds))
		return 0;
	int why = errno;
	if (made && fds[FOLDER] >= 0)
		remove_all(w->name, fds);
	close_all(fds);
	return why;
}

bool pv_foreign_make(struct pv_foreign_folder *ret, const struct pv_foreign *f, const char *base,
	struct pv_error *reterr)
{
	struct make w;
	int fds[PV_RIGHTS_FDS];
	*ret = (struct pv_foreign_folder){ .of = *f, .base = -1, .fd = -1, .log = -1 };
	memset(&w, 0, sizeof w);
	w.maker = getpid();
	if (strlen(base) + sizeof w.name + sizeof "/log" >= sizeof ret->path)
		return pv_fail(reterr, PV_EIO, 0,
			"no folder for a pipe in %s: its path is too long", base);
	memcpy(w.base, base, strlen(base));
	if (!pv_rights_do(f, make_folders, &w, sizeof w, no_fds, fds)) {
		if (pv_foreign_is_ours(f))
			return pv_fail(reterr, PV_EIO, 0, "no folder for a pipe in %s: %s", base,
				strerror(errno));
		return pv_fail(reterr, PV_EIO, 0,
			"no folder for a pipe can be made in %s as user %u, whose process %ld "
			"must write it: %s",
			base, (unsigned)f->uid, (long)f->pid, strerror(errno));
	}
	snprintf(ret->path, sizeof ret->path, "%s/%s", base, w.name);
	ret->base = fds[BASE];
	ret->fd = fds[FOLDER];
	ret->log = fds[LOG];
	return true;
}

struct removal {
	char name[40];
};

static int remove_made(const struct pv_tree_of *t, void *what, int fds[PV_RIGHTS_FDS])
{
	(void)t;
	remove_all(((const struct removal *)what)->name, fds);
	for (int i = 0; i < PV_RIGHTS_FDS; i++)
		fds[i] = -1;
	return 0;
}

void pv_foreign_remove(struct pv_foreign_folder *d)
{
	struct removal w;
	int fds[PV_RIGHTS_FDS] = { d->base, d->fd, -1 }, none[PV_RIGHTS_FDS];
	if (!*d->path)
		return;
	memset(&w, 0, sizeof w);
	snprintf(w.name, sizeof w.name, "%s", strrchr(d->path, '/') + 1);
	if (!pv_rights_do(&d->of, remove_made, &w, sizeof w, fds, none)) {
		d->of.pid = 0; /* the process has ended */
		pv_rights_do(&d->of, remove_made, &w, sizeof w, fds, none);
	}
	pv_fd_close(&d->base);
	pv_fd_close(&d->fd);
	pv_fd_close(&d->log);
	d->path[0] = 0;
}

/* ---- a copy of a file of ours */

struct keep {
	char base[PV_FOREIGN_PATH], name[40], as[128];
	pid_t maker;
};

enum { OURS, KEPT = OURS };

static bool pour(int from, int to, off_t size)
{
	while (size > 0) {
		ssize_t n = sendfile(to, from, NULL, (size_t)size);
		if (n <= 0)
			return false;
		size -= n;
	}
	return true;
}

static bool copy_file(int from, int folder, const struct keep *w)
{
	char fresh[sizeof w->as + 24];
	struct stat ours, theirs;
	if (fstat(from, &ours) != 0)
		return false;
	if (fstatat(folder, w->as, &theirs, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(theirs.st_mode) &&
		theirs.st_size == ours.st_size)
		return true;
	snprintf(fresh, sizeof fresh, "%s.%ld", w->as, (long)w->maker);
	int out = openat(folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0755);
	bool ok = out >= 0 && pour(from, out, ours.st_size) && fchmod(out, 0755) == 0 &&
		  renameat(folder, fresh, folder, w->as) == 0;
	int why = errno;
	if (out >= 0 && !ok)
		unlinkat(folder, fresh, 0);
	pv_fd_close(&out);
	errno = why;
	return ok;
}

static int keep_file(const struct pv_tree_of *t, void *what, int fds[PV_RIGHTS_FDS])
{
	const struct keep *w = what;
	int base = pv_rights_open(t, w->base, O_PATH | O_DIRECTORY), folder = -1;
	bool made = base >= 0 && (mkdirat(base, w->name, 0755) == 0 || errno == EEXIST);
	if (made)
		folder = openat(base, w->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ok =
		folder >= 0 && is_own_kind(folder, S_IFDIR, 022) && copy_file(fds[OURS], folder, w);
	int why = ok ? 0 : errno;
	pv_fd_close(&base);
	if (!ok)
		pv_fd_close(&folder);
	fds[KEPT] = folder;
	return why;
}

bool pv_foreign_keep(struct pv_foreign_copy *ret, const struct pv_foreign *f, const char *base,
	const char *name, const char *from, const char *as)
{
	struct keep w;
	int kept[PV_RIGHTS_FDS];
	*ret = (struct pv_foreign_copy){ .of = *f, .folder = -1 };
	memset(&w, 0, sizeof w);
	w.maker = getpid();
	snprintf(w.base, sizeof w.base, "%s", base);
	snprintf(w.name, sizeof w.name, "%s", name);
	snprintf(w.as, sizeof w.as, "%s", as);
	int fd = pv_fd_above_standard(open(from, O_RDONLY | O_CLOEXEC));
	int fds[PV_RIGHTS_FDS] = { fd, -1, -1 };
	bool ok = fd >= 0 && pv_rights_do(f, keep_file, &w, sizeof w, fds, kept);
	int why = errno;
	pv_fd_close(&fd);
	if (ok) {
		memcpy(ret->as, w.as, sizeof ret->as);
		ret->folder = kept[KEPT];
	}
	errno = why;
	return ok;
}

static int remove_kept(const struct pv_tree_of *t, void *what, int fds[PV_RIGHTS_FDS])
{
	(void)t;
	unlinkat(fds[KEPT], what, 0);
	fds[KEPT] = -1;
	return 0;
}

void pv_foreign_unkeep(struct pv_foreign_copy *c)
{
	int fds[PV_RIGHTS_FDS] = { c->folder, -1, -1 }, none[PV_RIGHTS_FDS];
	if (!*c->as)
		return;
	if (!pv_rights_do(&c->of, remove_kept, c->as, sizeof c->as, fds, none)) {
		c->of.pid = 0; /* the process has ended */
		pv_rights_do(&c->of, remove_kept, c->as, sizeof c->as, fds, none);
	}
	pv_fd_close(&c->folder);
	c->as[0] = 0;
}
