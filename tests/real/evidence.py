# SPDX-License-Identifier: MIT
"""How much must be met before something is said of it: no machine takes the same number of samples of the same work."""
import math

DOUBLINGS = 6
SIGMAS = 4  # a share of samples is off by more once in 16,000 comparisons


def enough(record, work, count, least):
    """What `record(work)` gave, made again with twice the work until `count` of it is at least `least`; the last one
    where that never is, so that the caller's own comparison says it."""
    for _ in range(DOUBLINGS):
        got = record(work)
        if count(got) >= least:
            break
        work *= 2
    return got


def points(percent, samples):
    """Within how many points of `percent` the share of so many samples lies by chance."""
    share = min(max(percent, 0), 100) / 100
    return 100 * SIGMAS * math.sqrt(share * (1 - share) / max(samples, 1)) + 100 / max(samples, 1)
