#include "common/format/families/family.h"

#include "common/format/nettrace/nettrace.h"
#include "common/format/stacks/stacks_text.h"

enum pv_family pv_family_of(const uint8_t *bytes, size_t n, bool ended)
{
	static const enum pv_family family[] = { PV_FAMILY_2007, PV_FAMILY_NETTRACE,
		PV_FAMILY_STACKS };
	bool unsure = n == 0;
	for (size_t i = 0; n && i < PV_COUNT_OF(family); i++) {
		enum b07_sniffed is = family[i] == PV_FAMILY_2007 ? b07_sniff(bytes, n)
				      : family[i] == PV_FAMILY_NETTRACE
					      ? pv_nettrace_sniff(bytes, n)
					      : pv_stack_text_sniff(bytes, n, ended);
		if (is == B07_YES)
			return family[i];
		unsure |= is == B07_UNSURE;
	}
	return unsure && !ended ? PV_FAMILY_UNSURE : PV_FAMILY_MLPD;
}

bool pv_family_init(enum pv_family family, struct b07_stream *s)
{
	switch (family) {
	case PV_FAMILY_STACKS:
		return pv_stack_text_init(s);
	case PV_FAMILY_NETTRACE:
		return pv_nettrace_init(s);
	default:
		return b07_init(s);
	}
}
