#include "common/base/new_file.h"
#include "common/base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot(struct pv_error *reterr, int error)
{
	return pv_fail(reterr, PV_EOUTPUT, 0, "cannot write: %s", strerror(error));
}

bool pv_new_file_begin(struct pv_new_file *f, const char *path, struct pv_error *reterr)
{
	mode_t mask = umask(0);
	umask(mask);
	*f = (struct pv_new_file){ .path = path };
	if (access(path, F_OK) == 0)
		return pv_fail(reterr, PV_EUSAGE, 0, "%s exists already; it is left as it is",
			PV_FIT(path, 60));
	if ((size_t)snprintf(f->temp, sizeof f->temp, "%s.XXXXXX", path) >= sizeof f->temp)
		return pv_fail(reterr, PV_EUSAGE, 0, "the name of the output is too long");
	int fd = mkstemp(f->temp);
	if (fd < 0)
		return cannot(reterr, errno);
	f->out = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "wb") : NULL;
	if (f->out)
		return true;
	int error = errno;
	close(fd);
	unlink(f->temp);
	return cannot(reterr, error);
}

bool pv_new_file_finish(struct pv_new_file *f, bool ok, struct pv_error *reterr)
{
	if (fclose(f->out) != 0 && ok)
		ok = cannot(reterr, errno);
	/* A link refuses where a rename would replace a file that came there meanwhile. */
	if (ok && link(f->temp, f->path) != 0)
		ok = cannot(reterr, errno);
	unlink(f->temp);
	f->out = NULL;
	return ok;
}
