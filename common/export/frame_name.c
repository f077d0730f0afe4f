#include "common/export/frame_name.h"

bool pv_export_frame(struct pv_profile *p, const char *raw, uint32_t *ret)
{
	return pv_profile_frame(p, raw[0] ? raw : "(no name)", ret);
}

bool pv_export_class(struct pv_profile *p, const char *raw, uint32_t *ret)
{
	return pv_profile_class(p, raw[0] ? raw : "(no name)", ret);
}
