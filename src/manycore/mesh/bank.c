/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bank of shared memory. All accesses are performed here, one after the other, so that any program sees sequential
 * consistency.
 *
 * Exclusives: a store succeeds when nothing has been written to its doubleword since the load. That is the smallest
 * granule that ARM permits for reservations (8 to 2,048 bytes). A failure means that somebody else's write succeeded,
 * so that no number of contending cores can keep each other from ever succeeding, as a monitor with few entries would
 * allow. Each word of shared memory has a version, the count of its writes, of 32 bits; that of a doubleword is the
 * sum.
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

/* Version of the doubleword that a word lies in. */
MNP_DEVICE static uint32_t version_of(const uint32_t *versions, uint32_t word)
{
    return versions[word & ~1u] + versions[word | 1];
}

/* Answer to an exclusive access: to a load, the versions of doubleword and word; to a store that
 * failed, whether the other word alone was written. */
MNP_DEVICE static void answer_exclusive(const uint32_t *versions, uint32_t word, struct manycore_request *request,
                                        bool fails)
{
    if (request->action == MANYCORE_READ_EXCLUSIVE) {
        request->version = version_of(versions, word);
        request->mark = (uint16_t)versions[word];
    } else if (request->action == MANYCORE_WRITE_EXCLUSIVE) {
        request->data = fails;
        request->version = 0;
        request->mark = fails && request->mark == (uint16_t)versions[word];
    }
}

MNP_APART bool manycore_bank_serve(const struct manycore_bank *bank, unsigned char *bytes,
                                   struct manycore_packet *packet)
{
    struct manycore_request *request = &packet->request;
    unsigned char *at = bytes + (request->address - MANYCORE_SHARED);
    uint32_t word = (request->address - MANYCORE_SHARED) / 4, old = read_bytes(at, request->bytes);
    uint32_t mask = request->bytes == 4 ? UINT32_MAX : (1u << 8 * request->bytes) - 1;
    bool writes = request->action == MANYCORE_WRITE || request->action == MANYCORE_SWAP, fails = false, changes;
    if (request->action == MANYCORE_WRITE_EXCLUSIVE) {
        fails = version_of(bank->versions, word) != request->version;
        writes = !fails;
    }
    changes = writes && ((request->data ^ old) & mask) != 0;
    if (changes)
        note_writer(bank, request->address, packet->from);
    if (writes) {
        memcpy(at, &request->data, request->bytes);
        bank->versions[word]++;
    }
    request->data = old;
    answer_exclusive(bank->versions, word, request, fails);
    uint16_t from = packet->from;
    packet->from = packet->to;
    packet->to = from;
    return changes;
}
