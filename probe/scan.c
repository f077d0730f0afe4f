#include "probe/scan.h"

#include "common/base/cursor.h"
#include "probe/emit.h"

enum { TYPE = 0x0f, EXTENSION = 0x0f };

/* What stands behind byte and time of an event that is no call. */
static void skip(struct pv_cursor *c, uint8_t byte)
{
	if (byte == PVP_ALLOC) {
		pv_get_sleb(c);
		pv_get_sleb(c);
		pv_get_uleb(c);
	} else if ((byte & TYPE) == EXTENSION) {
		pv_get_bytes(c, (size_t)pv_get_uleb(c));
	} else {
		c->malformed = true;
	}
}

static bool is_call(uint8_t byte)
{
	return byte == PVP_ENTER || byte == PVP_LEAVE || byte == PVP_EXC_LEAVE;
}

bool pvp_scan(struct pvp_scan *s, const uint8_t *at, const uint8_t *end)
{
	struct pv_cursor c = { .at = at, .end = end };
	bool first = true;
	while (c.at != end) {
		uint8_t byte = pv_get_u8(&c);
		s->time += pv_get_uleb(&c);
		if (is_call(byte)) {
			int64_t step = pv_get_sleb(&c);
			s->method += (uint64_t)step;
			if (step || first)
				s->use(s->ctx, s->method);
			first = false;
		} else {
			skip(&c, byte);
		}
		if (!pv_cursor_ok(&c))
			return false;
		s->events++;
	}
	return true;
}
