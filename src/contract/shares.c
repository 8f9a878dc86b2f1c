/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/shares.h"

#include "base/arena.h"
#include "engine/count/keep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char heading[16] = "maniple share 1";

/* ===== the writing end ===== */

static bool write_all(int pipe, const unsigned char *bytes, size_t length, struct mnp_error *error)
{
    while (length > 0) {
        ssize_t written = write(pipe, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return mnp_fail(error, "--shares: the results of a share cannot be handed over: %s", strerror(errno));
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

bool mnp_share_give(const struct mnp_share *share, const struct mnp_results *results, struct mnp_error *error)
{
    struct mnp_snapshot kept = {0};
    mnp_snapshot_put(&kept, heading, sizeof heading);
    mnp_snapshot_put_number(&kept, share->first);
    mnp_snapshot_put_number(&kept, results->end);
    mnp_snapshot_put_number(&kept, results->run.cpu_ns);
    mnp_snapshot_put_number(&kept, results->run.peak_bytes);
    mnp_snapshot_put_number(&kept, results->log.warning_count);
    for (uint32_t i = 0; i < results->log.warning_count; i++)
        mnp_snapshot_put_text(&kept, results->log.warnings[i].text);
    mnp_keep_parts(&kept, results);
    bool done = write_all(share->pipe, kept.bytes, kept.length, error);
    close(share->pipe);
    mnp_snapshot_release(&kept);
    return done;
}

/* ===== the reading end ===== */

/* A launch that two shares have simulated. */
struct twice {
    uint32_t launch;
    uint64_t cycles; /* cycles in the share that does not count it */
};

struct gathering {
    struct mnp_results *results;
    const struct mnp_model **models; /* [total.block_count] */
    struct twice leads[MNP_MOST_SHARES];
    uint32_t lead_count;
};

/* Reads a pipe until its other end is closed, by the writer or by its end. */
static void read_all(int pipe, struct mnp_snapshot *kept)
{
    unsigned char bytes[65536];
    ssize_t length;
    while ((length = read(pipe, bytes, sizeof bytes)) != 0)
        if (length > 0)
            mnp_snapshot_put(kept, bytes, (size_t)length);
        else if (errno != EINTR)
            break;
    close(pipe);
}

static uint64_t cycles_of(const struct mnp_statistic_set *statistics)
{
    return mnp_statistics_get(statistics, "gpu_sim_cycle");
}

/* Takes the launches in front of a share out of the results from part `from` on, and notes the last of them. */
static void take_leads(struct gathering *gathering, uint32_t first, uint32_t from)
{
    struct mnp_results *results = gathering->results;
    for (uint32_t i = from; i < results->part_count;) {
        const struct mnp_part_results *part = results->parts[i];
        if (part->id + 1 == first)
            gathering->leads[gathering->lead_count++] = (struct twice){part->id, cycles_of(&part->statistics)};
        if (part->id < first)
            mnp_results_drop_part(results, i);
        else
            i++;
    }
}

static bool take_warnings(struct mnp_snapshot_reader *reader, struct mnp_results *results)
{
    uint64_t count;
    if (!mnp_snapshot_take_number(reader, &count))
        return false;
    for (; count > 0; count--) {
        char *text = mnp_snapshot_take_text(reader);
        if (!text)
            return false;
        mnp_warn(&results->log, "%s", text);
        free(text);
    }
    return true;
}

/* Adds what a share has written. Returns false if it is incomplete, or damaged. */
static bool take_share(struct gathering *gathering, struct mnp_snapshot_reader *reader)
{
    struct mnp_results *results = gathering->results;
    uint64_t first, end, cpu_ns, peak_bytes;
    uint32_t from = results->part_count;
    const unsigned char *begin = mnp_snapshot_take(reader, sizeof heading);
    if (!begin || memcmp(begin, heading, sizeof heading) != 0 || !mnp_snapshot_take_number(reader, &first) ||
        first > UINT32_MAX || !mnp_snapshot_take_number(reader, &end) || end > MNP_END_SNAPSHOT ||
        !mnp_snapshot_take_number(reader, &cpu_ns) || !mnp_snapshot_take_number(reader, &peak_bytes) ||
        !take_warnings(reader, results) ||
        !mnp_take_parts(reader, results, gathering->models, results->total.block_count))
        return false;
    if (results->end == MNP_END_FINISHED)
        results->end = (enum mnp_end)end;
    results->run.cpu_ns += cpu_ns;
    results->run.peak_bytes += peak_bytes;
    take_leads(gathering, (uint32_t)first, from);
    return true;
}

static bool gather_one(struct gathering *gathering, const struct mnp_share *share, uint32_t number,
                       struct mnp_error *error)
{
    struct mnp_snapshot kept = {0};
    struct mnp_error ignored = {{0}};
    read_all(share->pipe + (int)number - 1, &kept);
    struct mnp_snapshot_reader reader = mnp_snapshot_read(&kept, &ignored);
    bool taken = take_share(gathering, &reader);
    mnp_snapshot_release(&kept);
    return taken || mnp_fail(error,
                             "--shares: share %u of %u has ended without its results, so that its launches are not in "
                             "these; what it said is in share-%u.txt of the folder of -o",
                             number, share->count, number);
}

/* ===== the whole ===== */

/* Computes the total of all parts. Times of shares are each from its own beginning, so that they say nothing of the
 * whole, and are removed. */
static void add_up(struct gathering *gathering)
{
    struct mnp_results *results = gathering->results;
    const struct mnp_settings *machine = results->total.machine;
    uint32_t count = results->total.block_count;
    mnp_statistics_release(&results->total);
    mnp_statistics_init(&results->total, gathering->models, count, false);
    results->total.machine = machine;
    for (uint32_t i = 0; i < results->part_count; i++) {
        mnp_statistics_merge(&results->total, &results->parts[i]->statistics);
        results->parts[i]->from = results->parts[i]->to = 0;
    }
}

/* Cycles by which the launches differ that were simulated twice. */
static uint64_t difference(const struct gathering *gathering)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < gathering->lead_count; i++)
        for (uint32_t j = 0; j < gathering->results->part_count; j++) {
            const struct mnp_part_results *part = gathering->results->parts[j];
            if (part->id != gathering->leads[i].launch)
                continue;
            uint64_t cycles = cycles_of(&part->statistics), other = gathering->leads[i].cycles;
            sum += cycles > other ? cycles - other : other - cycles;
        }
    return sum;
}

static void tell(const struct gathering *gathering, const struct mnp_share *share)
{
    struct mnp_results *results = gathering->results;
    uint64_t cycles = cycles_of(&results->total), apart = difference(gathering);
    mnp_warn(&results->log,
             "--shares %u: launches were simulated in %u processes, so that the total is of launches alone, and the "
             "first ones of a share find the caches that the launch before leaves; the %u launches that were simulated "
             "twice differ by %" PRIu64 " cycles, %" PRIu64 ".%02" PRIu64 " %% of all",
             share->count, share->count, gathering->lead_count, apart, cycles ? apart * 100 / cycles : 0,
             cycles ? apart * 10000 / cycles % 100 : 0);
}

bool mnp_share_gather(const struct mnp_share *share, struct mnp_results *results, struct mnp_error *error)
{
    struct gathering gathering = {.results = results,
                                  .models = mnp_allocate(results->total.block_count + 1, sizeof *gathering.models)};
    bool done = true;
    for (uint32_t i = 0; i < results->total.block_count; i++)
        gathering.models[i] = results->total.blocks[i].model;
    take_leads(&gathering, share->first, 0);
    for (uint32_t number = 1; number < share->count; number++)
        done = gather_one(&gathering, share, number, error) && done;
    mnp_results_sort_parts(results);
    add_up(&gathering);
    results->hash[0] = 0; /* no machine has gone through all launches */
    tell(&gathering, share);
    free((void *)gathering.models);
    return done;
}
