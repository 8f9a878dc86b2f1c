/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/mtrace/groups.h"

#include <inttypes.h>
#include <stdio.h>

void mtrace_groups_init(struct groups *groups, struct file *file, struct block *blocks, uint64_t *first_ctas,
                        uint64_t count, uint32_t index_count)
{
    *groups = (struct groups){
        .file = file, .blocks = blocks, .first_ctas = first_ctas, .count = count, .index_count = index_count};
    pthread_mutex_init(&groups->lock, NULL);
    pthread_cond_init(&groups->loaded, NULL);
}

static void free_group(struct group *group)
{
    free(group->raw);
    free(group);
}

void mtrace_groups_release(struct groups *groups)
{
    while (groups->open) {
        struct group *first = groups->open;
        groups->open = first->next;
        free_group(first);
    }
    while (groups->free_scratch) {
        struct scratch *first = groups->free_scratch;
        groups->free_scratch = first->next;
        free(first->predictor.pcs);
        free(first);
    }
    free(groups->blocks);
    free(groups->first_ctas);
    pthread_mutex_destroy(&groups->lock);
    pthread_cond_destroy(&groups->loaded);
}

/* ===== under the lock ===== */

static uint64_t number_of(const struct groups *groups, uint64_t cta)
{
    uint64_t low = 0, high = groups->count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (groups->first_ctas[middle] <= cta)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct group *find(const struct groups *groups, uint64_t cta)
{
    for (struct group *group = groups->open; group; group = group->next)
        if (cta - group->first_cta < group->cta_count && !group->failed)
            return group;
    return NULL;
}

static void unlink_group(struct groups *groups, struct group *group)
{
    struct group **at = &groups->open;
    while (*at != group)
        at = &(*at)->next;
    *at = group->next;
}

/* Lets go of idle groups: those that are read to the end, and the oldest ones beyond the bound. */
static void trim(struct groups *groups)
{
    for (;;) {
        struct group *oldest = NULL, *done = NULL;
        uint64_t idle = 0, bytes = 0;
        for (struct group *group = groups->open; group; group = group->next) {
            if (group->users)
                continue;
            idle++;
            bytes += group->block.raw;
            if (group->failed || group->taken >= group->cta_count)
                done = group;
            if (!oldest || group->last_use < oldest->last_use)
                oldest = group;
        }
        if (!done && (idle <= MOST_IDLE_GROUPS && (bytes <= most_idle_bytes || idle < 2)))
            return;
        struct group *victim = done ? done : oldest;
        unlink_group(groups, victim);
        free_group(victim);
    }
}

static struct scratch *take_scratch(struct groups *groups)
{
    struct scratch *scratch = groups->free_scratch;
    if (scratch) {
        groups->free_scratch = scratch->next;
        return scratch;
    }
    scratch = mnp_allocate(1, sizeof *scratch);
    scratch->predictor.pcs = mnp_allocate(groups->index_count, sizeof *scratch->predictor.pcs);
    return scratch;
}

/* ===== the interface ===== */

/* Reads a group that the caller has entered into the list. The lock is let go of meanwhile. */
static void load(struct groups *groups, struct group *group)
{
    pthread_mutex_unlock(&groups->lock);
    char what[96];
    snprintf(what, sizeof what, "the group of thread blocks %" PRIu64 " to %" PRIu64, group->first_cta,
             group->first_cta + group->cta_count - 1);
    uint8_t *raw = mtrace_block_read(groups->file, &group->block, what, &group->error);
    pthread_mutex_lock(&groups->lock);
    group->raw = raw;
    group->failed = !raw;
    groups->decompressed++;
    pthread_cond_broadcast(&groups->loaded);
}

struct group *mtrace_groups_take(struct groups *groups, uint64_t cta, struct scratch **scratch, struct mnp_error *error)
{
    pthread_mutex_lock(&groups->lock);
    struct group *group = find(groups, cta);
    if (group) {
        group->users++;
        while (!group->raw && !group->failed)
            pthread_cond_wait(&groups->loaded, &groups->lock);
    } else {
        uint64_t number = number_of(groups, cta);
        group = mnp_allocate(1, sizeof *group);
        *group = (struct group){.number = number,
                                .first_cta = groups->first_ctas[number],
                                .cta_count = groups->first_ctas[number + 1] - groups->first_ctas[number],
                                .block = groups->blocks[number],
                                .users = 1,
                                .next = groups->open};
        groups->open = group;
        load(groups, group);
    }
    group->last_use = ++groups->clock;
    group->taken++;
    if (group->failed) {
        mnp_fail(error, "%s", group->error.text);
        group->users--;
        trim(groups);
        group = NULL;
    } else {
        *scratch = take_scratch(groups);
    }
    pthread_mutex_unlock(&groups->lock);
    return group;
}

void mtrace_groups_give_back(struct groups *groups, struct group *group, struct scratch *scratch)
{
    pthread_mutex_lock(&groups->lock);
    scratch->next = groups->free_scratch;
    groups->free_scratch = scratch;
    group->users--;
    trim(groups);
    pthread_mutex_unlock(&groups->lock);
}

/* A group begins with the ends of its CTAs, counted from behind this table. */
bool mtrace_group_find(const struct file *file, const struct group *group, uint64_t cta, struct reader *reader,
                       struct mnp_error *error)
{
    uint64_t place = cta - group->first_cta, table = 4 * group->cta_count;
    if (table <= group->block.raw) {
        const uint8_t *ends = group->raw;
        uint32_t first = place ? load32(ends + 4 * (place - 1)) : 0, last = load32(ends + 4 * place);
        if (first <= last && last <= group->block.raw - table) {
            *reader = (struct reader){.at = ends + table + first, .end = ends + table + last};
            return true;
        }
    }
    return mtrace_fail_in(file, group->block.offset, error, "thread block %" PRIu64 " does not lie in its group", cta);
}
