/* What the control socket's thread wants of the writer: left where it looks in each round. */
#include <errno.h>
#include <string.h>

#include "probe/writer.h"

int pvp_writer_stats(struct pvp_stats *ret)
{
	pthread_mutex_lock(&pvp_core.lock);
	struct pvp_writer *w = pvp_writer_now();
	if (w) {
		*ret = w->stats;
		ret->chunks = pvp_pool_chunks(pvp_core.pool);
		ret->chunks_free = pvp_chunks_free();
	}
	pthread_mutex_unlock(&pvp_core.lock);
	return w ? 0 : EALREADY;
}

int pvp_writer_hello(void)
{
	pthread_mutex_lock(&pvp_core.lock);
	struct pvp_writer *w = pvp_writer_now();
	if (w)
		w->hello_wanted = true;
	pthread_mutex_unlock(&pvp_core.lock);
	return w ? 0 : EALREADY;
}

int pvp_writer_move(const char *path)
{
	size_t len = strlen(path);
	if (len >= PVP_PATH_MAX)
		return ENAMETOOLONG;
	struct pvp_sink next;
	struct pvp_config options = { .zip = false };
	pthread_mutex_lock(&pvp_core.lock);
	struct pvp_writer *w = pvp_writer_now();
	if (w) {
		options.zip = w->config.zip;
		options.maxsize = w->config.maxsize;
	}
	pthread_mutex_unlock(&pvp_core.lock);
	int error = pvp_sink_open(&next, path, &options);
	if (error)
		return error;
	pthread_mutex_lock(&pvp_core.lock);
	w = pvp_writer_now();
	error = !w ? EALREADY : w->moving ? EBUSY : 0;
	if (!error) {
		memcpy(w->next_path, path, len + 1);
		w->next = next;
		w->moving = true;
	}
	pthread_mutex_unlock(&pvp_core.lock);
	if (error)
		pvp_sink_forget(&next);
	return error;
}
