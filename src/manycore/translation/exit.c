/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways out of a block of translated code (a jump, a branch taken, the interpreter), and what is owed there. */
#include "base/allocate.h"
#include "manycore/translation/translate.h"

void manycore_translate_owed(struct manycore_writer *writer, const struct manycore_owed *owed)
{
    for (uint32_t half = 0; half < 2; half++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < 4; i++)
            sum += (uint64_t)owed->counts[4 * half + i] << 16 * i;
        if (sum)
            fprintf(writer->out, " %c += 0x%llxull;", "ab"[half], (unsigned long long)sum);
    }
    if (owed->clock)
        fprintf(writer->out, " clock += %uu;", owed->clock);
}

const char *manycore_translate_hand_over(struct manycore_writer *writer)
{
    if (writer->site_count == writer->site_capacity) {
        writer->site_capacity = writer->site_capacity ? 2 * writer->site_capacity : 256;
        writer->sites = mnp_reallocate(writer->sites, writer->site_capacity, sizeof *writer->sites);
    }
    writer->sites[writer->site_count] = (struct manycore_site){
        .pc = writer->pc, .loaded = writer->loaded, .loaded_known = writer->loaded_known, .owed = writer->owed};
    snprintf(writer->bail, sizeof writer->bail, "{ site = %u; goto bail; }", writer->site_count++);
    return writer->bail;
}

void manycore_translate_jump(struct manycore_writer *writer, uint32_t target)
{
    uint32_t word = (target - writer->code->address) / 4;
    if (!(target & 3) && word >= writer->first && word < writer->last && (writer->marks[word] & MANYCORE_LEADER))
        fprintf(writer->out, " goto L_%x;", target);
    else
        fprintf(writer->out, " pc = 0x%xu; loaded = 0; more = 1; goto leave;", target);
}

/* The way out of a block by a branch taken. `owed` includes the instruction. */
void manycore_translate_taken(struct manycore_writer *writer, const struct manycore_owed *owed, uint32_t extra)
{
    struct manycore_owed taken = *owed;
    taken.clock += writer->parameters->timing.branch + extra;
    taken.counts[MANYCORE_FIELD_TAKEN]++;
    manycore_translate_owed(writer, &taken);
}
