#include "probe/mono/host_mono.h"

struct _MonoProfiler pvp_mono;
