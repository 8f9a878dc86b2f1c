/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/device/topology.h"

#include "gpu/device/parameters.h"
#include "gpu/network/part_link.h"

static uint64_t sum_of(const struct mnp_list *list, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += list->value[i];
    return sum;
}

/* Without a list SMs are dealt out as evenly as it goes, the first GPCs having one more. */
uint32_t gpu_first_sm(const struct gpu_parameters *p, uint64_t gpc)
{
    if (p->gpc.sms.count)
        return (uint32_t)sum_of(&p->gpc.sms, gpc);
    uint64_t base = p->sm.count / p->gpc.count, more = p->sm.count % p->gpc.count;
    return (uint32_t)(gpc * base + (gpc < more ? gpc : more));
}

uint32_t gpu_group_count(const struct gpu_parameters *p)
{
    return (uint32_t)(p->gpc.groups.count ? p->gpc.groups.count : p->gpc.count);
}

struct dispatch_group gpu_group_at(const struct gpu_parameters *p, uint32_t index)
{
    if (p->gpc.groups.count)
        return (struct dispatch_group){(uint32_t)sum_of(&p->gpc.groups, index), (uint32_t)p->gpc.groups.value[index]};
    uint32_t first = gpu_first_sm(p, index);
    return (struct dispatch_group){first, gpu_first_sm(p, index + 1) - first};
}

/* Appends the SM at one place of each GPC: the first GPC of each part of the L2, then the second ones. */
static uint32_t append_place(const struct gpu_parameters *p, uint32_t place, uint32_t *order, uint32_t count)
{
    uint64_t gpcs = p->gpc.count, parts = p->partition.halves;
    for (uint64_t rank = 0; rank < gpcs; rank++)
        for (uint64_t part = 0; part < parts; part++) {
            uint64_t gpc = gpu_first_of_part(part, gpcs, parts) + rank;
            if (gpc < gpu_first_of_part(part + 1, gpcs, parts) &&
                gpu_first_sm(p, gpc) + place < gpu_first_sm(p, gpc + 1))
                order[count++] = gpu_first_sm(p, gpc) + place;
        }
    return count;
}

void gpu_placement_order(const struct gpu_parameters *p, uint32_t *order)
{
    uint32_t count = 0;
    if (p->dispatch.order == DISPATCH_ORDER_SMS) {
        for (; count < p->sm.count; count++)
            order[count] = count;
        return;
    }
    for (uint32_t side = 0; side < GPU_TPC_SMS; side++)
        for (uint32_t place = side; place < p->sm.count; place += GPU_TPC_SMS)
            count = append_place(p, place, order, count);
}

uint64_t gpu_clusters_held(const struct gpu_parameters *p, uint64_t per_sm, uint64_t size)
{
    uint64_t clusters = 0;
    for (uint32_t i = 0; i < gpu_group_count(p); i++)
        clusters += gpu_group_at(p, i).count * per_sm / size;
    return clusters;
}

/* Whether a group lies in one GPC. */
static bool is_in_one_gpc(const struct gpu_parameters *p, struct dispatch_group group)
{
    for (uint64_t gpc = 0; gpc < p->gpc.count; gpc++)
        if (group.first >= gpu_first_sm(p, gpc) && group.first + group.count <= gpu_first_sm(p, gpc + 1))
            return true;
    return false;
}

bool gpu_topology_check(const struct gpu_parameters *p, struct mnp_error *error)
{
    const struct mnp_list *sms = &p->gpc.sms, *groups = &p->gpc.groups;
    if (sms->count && sms->count != p->gpc.count)
        return mnp_fail(error, "gpc.sms states %lu GPCs, and gpc.count is %lu; state as many, or gpc.sms=[]",
                        (unsigned long)sms->count, (unsigned long)p->gpc.count);
    if (sms->count && sum_of(sms, sms->count) != p->sm.count)
        return mnp_fail(error, "gpc.sms has %lu SMs in all, and sm.count is %lu; make them equal, or state gpc.sms=[]",
                        (unsigned long)sum_of(sms, sms->count), (unsigned long)p->sm.count);
    if (groups->count && sum_of(groups, groups->count) != p->sm.count)
        return mnp_fail(error,
                        "gpc.groups has %lu SMs in all, and sm.count is %lu; make them equal, or state gpc.groups=[]",
                        (unsigned long)sum_of(groups, groups->count), (unsigned long)p->sm.count);
    for (uint32_t i = 0; i < groups->count; i++)
        if (!is_in_one_gpc(p, gpu_group_at(p, i)))
            return mnp_fail(error, "gpc.groups: number %u has SMs of two GPCs; state groups of one GPC each", i + 1);
    for (uint64_t gpc = 0; p->sm2sm.lanes && gpc < p->gpc.count; gpc++)
        if (gpu_first_sm(p, gpc + 1) - gpu_first_sm(p, gpc) > GPU_SM2SM_PLACES)
            return mnp_fail(error, "GPC %lu has more than %d SMs, which is the most with sm2sm.lanes; raise gpc.count",
                            (unsigned long)gpc, GPU_SM2SM_PLACES);
    return true;
}
