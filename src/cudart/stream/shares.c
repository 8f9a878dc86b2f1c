/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/shares.h"

#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/stream/profiler_ranges.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/streams.h"

bool cudart_join_shares(struct cudart *rt, struct mnp_error *error)
{
    const struct mnp_share *share = &rt->calls.options.share;
    struct mnp_results *results = &rt->simulation->results;
    if (mnp_share_gives(share))
        return mnp_share_give(share, results, error);
    if (!mnp_share_gathers(share))
        return true;
    bool done = mnp_share_gather(share, results, error);
    for (uint32_t i = 0; i < results->part_count; i++)
        results->parts[i]->range = cudart_range_of(cudart_device_at(rt, 0), results->parts[i]->id);
    return done && (share->launches == rt->streams->kernels ||
                    mnp_fail(error,
                             "--shares: the program has made %u launches, and %u when it ran by value, so that the "
                             "shares are of other ones; leave --shares out",
                             rt->streams->kernels, share->launches));
}
