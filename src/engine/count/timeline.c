/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/count/timeline.h"

void mnp_timeline_add(struct mnp_timeline *timeline, const struct mnp_span *span)
{
    if (timeline->spans.count >= (timeline->most ? timeline->most : MNP_TIMELINE_MOST))
        timeline->left_out++;
    else
        *(struct mnp_span *)mnp_array_add(&timeline->spans, 1, sizeof *span) = *span;
}

void mnp_timeline_join(struct mnp_timeline *timeline, const struct mnp_timeline *from)
{
    const struct mnp_span *spans = from->spans.items;
    for (uint32_t i = 0; i < from->spans.count; i++)
        mnp_timeline_add(timeline, &spans[i]);
    timeline->left_out += from->left_out;
}

void mnp_timeline_release(struct mnp_timeline *timeline)
{
    mnp_array_release(&timeline->spans);
    *timeline = (struct mnp_timeline){0};
}
