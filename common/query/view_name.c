#include "common/query/view_list.h"
#include "common/query/views.h"

const char *pv_view_name(enum pv_view view)
{
	static const char *const name[] = {
#define VIEW(symbol, text) [PV_VIEW_##symbol] = text,
		PV_VIEWS(VIEW)
#undef VIEW
	};
	return name[view];
}
