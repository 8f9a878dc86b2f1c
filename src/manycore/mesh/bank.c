/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bank of shared memory. All accesses are performed here, one after the other, so that any program sees sequential
 * consistency.
 *
 * Exclusives: a store succeeds when nothing has been written to its doubleword (or to another one that shares its
 * version) since the load. A failure means that somebody else's write succeeded, so that no number of contending cores
 * can keep each other from ever succeeding, as a monitor with few entries would allow. A version is a count of 32 bits.
 */
#include "manycore/mesh/block.h"

#include <string.h>

MNP_DEVICE static uint32_t read_bytes(const unsigned char *from, uint32_t bytes)
{
    uint32_t value = 0;
    memcpy(&value, from, bytes);
    return value;
}

MNP_APART uint32_t manycore_bank_writer(const struct manycore_bank *bank, uint32_t address)
{
    uint32_t word = (address - MANYCORE_SHARED) / 4;
    const struct manycore_last_writer *writer = &bank->writers[word % bank->writer_count];
    bool same = writer->tag == (uint16_t)(word / bank->writer_count);
    return same && writer->core ? writer->core - 1u : UINT32_MAX;
}

MNP_DEVICE static void note_writer(const struct manycore_bank *bank, uint32_t address, uint32_t core)
{
    uint32_t word = (address - MANYCORE_SHARED) / 4;
    bank->writers[word % bank->writer_count] =
        (struct manycore_last_writer){(uint16_t)(core + 1), (uint16_t)(word / bank->writer_count)};
}

MNP_APART bool manycore_bank_serve(const struct manycore_bank *bank, unsigned char *bytes,
                                   struct manycore_packet *packet)
{
    struct manycore_request *request = &packet->request;
    unsigned char *at = bytes + (request->address - MANYCORE_SHARED);
    uint32_t *version = &bank->versions[request->address / 8 % bank->version_count],
             old = read_bytes(at, request->bytes);
    uint32_t mask = request->bytes == 4 ? UINT32_MAX : (1u << 8 * request->bytes) - 1;
    bool writes = request->action == MANYCORE_WRITE || request->action == MANYCORE_SWAP, fails = false, changes;
    if (request->action == MANYCORE_WRITE_EXCLUSIVE) {
        fails = *version != request->version;
        writes = !fails;
    }
    changes = writes && ((request->data ^ old) & mask) != 0;
    if (changes)
        note_writer(bank, request->address, packet->from);
    if (writes) {
        memcpy(at, &request->data, request->bytes);
        ++*version;
    }
    request->data = request->action == MANYCORE_WRITE_EXCLUSIVE ? fails : old;
    request->version = *version;
    uint16_t from = packet->from;
    packet->from = packet->to;
    packet->to = from;
    return changes;
}
