#include "probe/clr/host_clr.h"

struct pvp_clr pvp_clr;
