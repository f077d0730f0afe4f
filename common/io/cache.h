/* profview's own folder among the user's caches. */
#ifndef PV_IO_CACHE_H
#define PV_IO_CACHE_H

#include <limits.h>

/* Its path, made (0700) if need be; "" when there is no place for one. Any thread. */
void pv_cache_folder(char ret_dir[PATH_MAX]);

#endif
