#include "common/target/join_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder is ours only, so that no other user can put something else under the name. */
static bool own_folder(const char *path)
{
	struct stat st;
	if (mkdir(path, 0755) != 0 && errno != EEXIST)
		return false;
	if (lstat(path, &st) != 0)
		return false;
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022))
		return true;
	errno = EPERM;
	return false;
}

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

static bool copy(const char *from, const char *to, off_t size)
{
	char fresh[PV_PROGRAM_PATH];
	snprintf(fresh, sizeof fresh, "%.*s.%ld", (int)sizeof fresh - 24, to, (long)getpid());
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = in < 0 ? -1 : open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	bool ok = out >= 0 && pour(in, out, size) && fchmod(out, 0755) == 0;
	ok = ok && rename(fresh, to) == 0;
	int why = errno;
	if (out >= 0) {
		close(out);
		if (!ok)
			unlink(fresh);
	}
	if (in >= 0)
		close(in);
	errno = why;
	return ok;
}

bool pv_join_copy(const struct pv_dotnet *d, const char *library, char to[PV_PROGRAM_PATH],
	struct pv_error *reterr)
{
	char folder[sizeof d->root + sizeof d->temporary + 32], path[PV_PROGRAM_PATH];
	const char *name = strrchr(library, '/');
	struct stat ours, theirs;
	bool ok = stat(library, &ours) == 0;
	snprintf(folder, sizeof folder, "%s%s/profview-lib-%u", d->root, d->temporary,
		(unsigned)geteuid());
	ok = ok && own_folder(folder);
	int n = snprintf(path, sizeof path, "%s/%llx-%s", folder,
		ok ? (unsigned long long)ours.st_mtim.tv_sec << 30 | (unsigned)ours.st_mtim.tv_nsec
		   : 0,
		name ? name + 1 : library);
	ok = ok && n < (int)sizeof path;
	if (ok && (lstat(path, &theirs) != 0 || theirs.st_size != ours.st_size))
		ok = copy(library, path, ours.st_size);
	if (!ok)
		return pv_fail(reterr, PV_EIO, 0,
			"the probe's library cannot be put into %s, where process %ld could load "
			"it: %s",
			folder, (long)d->pid, strerror(errno));
	memcpy(to, path + strlen(d->root), strlen(path + strlen(d->root)) + 1);
	return true;
}
