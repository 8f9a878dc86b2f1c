/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses that an L2 slice performs, of a machine that executes (DESIGN §3): atomics, reductions, strong loads and
 * stores, and what an SM sends behind them to the same sectors. Their values come ahead of the requests, by links of
 * their own, and wait here. A request is performed when it is looked up, so in the order in which the slice received
 * it; what is read goes back ahead of the reply. The slices of a partition have disjoint addresses and share an
 * overlay.
 */
#include "gpu/partition/state.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_VALUES = 64 };

static void grow(struct gpu_partition_live *live)
{
    uint32_t more = live->capacity ? 2 * live->capacity : FIRST_VALUES;
    live->values = mnp_reallocate(live->values, more, sizeof *live->values);
    live->next = mnp_reallocate(live->next, more, sizeof *live->next);
    for (uint32_t i = live->capacity; i < more; i++)
        live->next[i] = i + 1 < more ? i + 1 : MNP_NO_ENTRY;
    live->free = live->capacity;
    live->capacity = more;
}

void gpu_values_init(struct gpu_partition *partition)
{
    struct gpu_partition_live *live = partition->live = mnp_allocate(1, sizeof *live);
    live->atomic = partition->config.atomic;
    for (uint32_t i = 0; i < GPU_VALUE_CHAINS; i++)
        live->chains[i] = MNP_EMPTY_CHAIN;
    grow(live);
}

void gpu_values_lay_out(struct gpu_partition *partition, struct mnp_arena *arena)
{
    if (partition->live)
        partition->live->digest = mnp_arena_take(arena, 1, sizeof *partition->live->digest);
}

void gpu_values_release(struct gpu_partition *partition)
{
    struct gpu_partition_live *live = partition->live;
    if (!live)
        return;
    free(live->values);
    free(live->next);
    free(live);
}

void gpu_partition_give_overlay(struct gpu_partition *partition, struct mnp_overlay *overlay)
{
    partition->live->overlay = overlay;
}

static struct mnp_chain *chain_of(struct gpu_partition_live *live, uint32_t sm, uint32_t ticket)
{
    return &live->chains[(sm * 31 + ticket) % GPU_VALUE_CHAINS];
}

static uint64_t digest_of(const struct gpu_values *values)
{
    uint64_t words[sizeof *values / 8], digest = 0;
    memcpy(words, values, sizeof words);
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        digest = ((digest ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15)) ^ digest >> 29;
    return digest;
}

void gpu_values_take(struct gpu_partition *partition, const struct gpu_values *values)
{
    struct gpu_partition_live *live = partition->live;
    if (live->free == MNP_NO_ENTRY)
        grow(live);
    uint32_t index = live->free;
    live->free = live->next[index];
    live->values[index] = *values;
    *live->digest += digest_of(values);
    mnp_chain_append(chain_of(live, values->sm, values->ticket), live->next, index);
}

/* Keeps who has changed a word, or how often it has been found unchanged since. */
static void note_word(struct gpu_partition *partition, const struct gpu_values *values, uint64_t address,
                      uint64_t value, bool changed)
{
    value &= UINT64_MAX >> (64 - 8 * values->bytes);
    struct gpu_word *word = &partition->live->words[(address * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (GPU_WORDS - 1)];
    if (changed) {
        *word = (struct gpu_word){.address = address, .value = value, .since = partition->l2_time};
        word->cta = values->cta;
        word->sm = values->sm;
        word->warp = values->warp;
        return;
    }
    if (word->address != address) {
        if (word->polls)
            return;
        *word = (struct gpu_word){.address = address, .value = value};
    }
    word->polls++;
    word->poller = values->cta;
    word->poller_sm = values->sm;
    word->poller_warp = values->warp;
}

/* SMs of other devices have numbers behind those of this one (gpu/hub/hub.h). */
static void name_sm(const struct gpu_partition *partition, uint32_t sm, FILE *out)
{
    uint32_t sms = partition->config.sms;
    if (sms && sm >= sms)
        fprintf(out, "GPU %u ", sm / sms - 1);
    fprintf(out, "SM %u", sms ? sm % sms : sm);
}

void gpu_values_report(const struct gpu_partition *partition, FILE *out)
{
    enum { MANY = 64, NAMED = 4 };
    uint32_t polled = 0;
    for (uint32_t i = 0; partition->live && i < GPU_WORDS; i++) {
        const struct gpu_word *word = &partition->live->words[i];
        if (word->polls < MANY || polled++ >= NAMED)
            continue;
        fprintf(out, "%s: address 0x%lx is 0x%lx, ", partition->unit->name, (unsigned long)word->address,
                (unsigned long)word->value);
        if (word->since) {
            fputs("which ", out);
            name_sm(partition, word->sm, out);
            fprintf(out, " CTA %u warp %u has made it at %lu ns; ", word->cta, word->warp,
                    (unsigned long)(word->since / (MNP_SECOND / 1000000000)));
        } else {
            fputs("which no kernel has changed; ", out);
        }
        fprintf(out, "polled %lu times since, last by ", (unsigned long)word->polls);
        name_sm(partition, word->poller_sm, out);
        fprintf(out, " CTA %u warp %u\n", word->poller, word->poller_warp);
    }
    if (polled > NAMED)
        fprintf(out, "%s: %u further words are polled\n", partition->unit->name, polled - NAMED);
}

/* Whether memory holds what both pieces of a comparison of 16 bytes expect; its halves lie side by side. */
static bool pair_matches(const struct gpu_partition *partition, const struct gpu_values *values, uint32_t first)
{
    _Static_assert(GPU_VALUES % 2 == 0, "both pieces of a pair come in one message");
    uint64_t old[2];
    mnp_overlay_read(partition->live->overlay, values->line + values->offset[first], sizeof old, old);
    return old[0] == values->value[first] && old[1] == values->value[first + 1];
}

/* Performs the pieces in their order, which is that of the lanes. Whether memory is changed. */
static bool perform_pieces(struct gpu_partition *partition, struct gpu_values *values)
{
    struct gpu_partition_live *live = partition->live;
    bool good = true, changed = false, exchanges = false;
    for (uint32_t i = 0; i < values->count; i++) {
        uint64_t address = values->line + values->offset[i], old = 0, made = values->value[i];
        if (values->paired && i % 2 == 0)
            exchanges = pair_matches(partition, values, i);
        mnp_overlay_read(live->overlay, address, values->bytes, &old);
        if (values->paired)
            made = exchanges ? values->swap[i] : old;
        else if (values->kind == MNP_LIVE_ATOMIC || values->kind == MNP_LIVE_REDUCTION)
            made = live->atomic(values->operation, values->type, old, values->value[i], values->swap[i]);
        if (values->kind != MNP_LIVE_LOAD && values->kind != MNP_LIVE_COMBINED) {
            good = good && mnp_overlay_write(live->overlay, address, values->bytes, &made);
        } else {
            made = old;
        }
        bool differs = memcmp(&made, &old, values->bytes) != 0;
        note_word(partition, values, address, made, differs);
        changed |= differs;
        values->value[i] = old;
    }
    if (!good) {
        struct mnp_error error = mnp_overlay_full(live->overlay);
        mnp_unit_fault(partition->unit, partition->l2_time, &error);
    }
    return changed;
}

/* Takes an entry out of its chain; `before`: the one in front of it. Returns the one behind it. */
static uint32_t take_out(struct gpu_partition_live *live, struct mnp_chain *chain, uint32_t before, uint32_t index)
{
    uint32_t after = live->next[index];
    if (before == MNP_NO_ENTRY)
        chain->first = after;
    else
        live->next[before] = after;
    if (chain->last == index)
        chain->last = before;
    live->next[index] = live->free;
    live->free = index;
    return after;
}

bool gpu_values_perform(struct gpu_partition *partition, const struct gpu_transaction *transaction)
{
    bool changed = false, found = false;
    struct gpu_partition_live *live = partition->live;
    struct mnp_chain *chain = chain_of(live, transaction->sm, transaction->ticket);
    uint32_t before = MNP_NO_ENTRY, index = chain->first;
    while (index != MNP_NO_ENTRY) {
        struct gpu_values *values = &live->values[index];
        if (values->sm != transaction->sm || values->ticket != transaction->ticket ||
            values->line != transaction->line) {
            before = index;
            index = live->next[index];
            continue;
        }
        found = true;
        *live->digest -= digest_of(values);
        changed |= perform_pieces(partition, values);
        if (mnp_live_answers(values->kind))
            *(struct gpu_values *)mnp_link_send(live->results[transaction->gpc], partition->l2_time) = *values;
        index = take_out(live, chain, before, index);
    }
    MNP_REQUIRE(found || partition->unit->relaxed, "%s: a request has come before its values", partition->unit->name);
    return changed;
}
