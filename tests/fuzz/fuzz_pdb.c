/* SPDX-License-Identifier: MIT */
/* Bytes as a portable PDB and, with "MZ" in front, as a module that may have one within. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/pdb/pdb_image.h"
#include "tests/kit/ask_pdb.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void ask_module(const uint8_t *bytes, size_t n)
{
	char path[40];
	struct pv_pdb_image image;
	size_t size;
	int fd = memfd_create("module", MFD_CLOEXEC);
	pdb_must(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (pv_pdb_image(path, &image, NULL)) {
		pdb_must(memchr(image.path, 0, sizeof image.path));
		uint8_t *pdb = image.packed ? pv_pdb_embedded(path, &image, &size, NULL) : NULL;
		if (pdb)
			ask_pdb(pdb, size);
		free(pdb);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n >= 2 && memcmp(bytes, "MZ", 2) == 0)
		ask_module(bytes, n);
	else
		ask_pdb(bytes, n);
	return 0;
}
