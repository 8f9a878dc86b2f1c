/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/mtrace/encode.h"

void mtrace_encoder_init(struct encoder *encoder)
{
    *encoder = (struct encoder){.forms = mnp_allocate(MOST_INDEXES, 1)};
    encoder->predictor.pcs = mnp_allocate(MOST_INDEXES, sizeof *encoder->predictor.pcs);
}

void mtrace_encoder_release(struct encoder *encoder)
{
    free(encoder->forms);
    free(encoder->predictor.pcs);
    bytes_free(&encoder->control);
    bytes_free(&encoder->addresses);
}

void mtrace_encoder_start(struct encoder *encoder)
{
    memset(encoder->forms, 0, MOST_INDEXES);
}

void place_of(const struct mnp_kernel *kernel, uint64_t cta, uint32_t block[static 3])
{
    block[0] = (uint32_t)(cta % kernel->grid[0]);
    block[1] = (uint32_t)(cta / kernel->grid[0] % kernel->grid[1]);
    block[2] = (uint32_t)(cta / kernel->grid[0] / kernel->grid[1]);
}

/* ===== control: which instructions, which lanes ===== */

static bool is_well_formed(const struct mnp_record *record)
{
    uint32_t flags = record->record_flags;
    if (record->address_words == 0)
        return flags == 0;
    uint32_t lanes = (uint32_t)__builtin_popcount(record->mask);
    if (flags == 0)
        return lanes && record->address_words == 2;
    return lanes &&
           (flags == MNP_RECORD_LIST || flags == (MNP_RECORD_LIST | MNP_RECORD_MIDDLE) ||
            flags == (MNP_RECORD_LIST | MNP_RECORD_NEAR)) &&
           record->address_words == mnp_list_words(lanes, flags);
}

static enum form form_of(const struct mnp_record *record)
{
    if (record->address_words == 0)
        return FORM_NONE;
    return record->record_flags & MNP_RECORD_LIST ? FORM_LIST : FORM_STRIDE;
}

/* The form that the reader will predict for a record; it is learnt from the first record with an active lane. */
static enum form expected_form(struct encoder *encoder, const struct mnp_record *record)
{
    uint8_t *known = &encoder->forms[record->index];
    if (*known == 0)
        *known = 1;
    if (record->mask == 0)
        return FORM_NONE;
    if (*known == 1)
        *known = (uint8_t)(2 + form_of(record));
    return (enum form)(*known - 2);
}

struct control {           /* state from one record of a warp to the next */
    uint32_t mask, before; /* the last one, and the last one that differed from it */
    int32_t next;          /* index that follows without a jump */
};

static uint32_t choose_mask(const struct control *control, uint32_t mask)
{
    return mask == control->mask     ? MASK_SAME
           : mask == control->before ? MASK_BEFORE
           : mask == 0               ? MASK_ZERO
           : mask == UINT32_MAX      ? MASK_FULL
                                     : MASK_STATED;
}

/* Writes one token for as many records as one can stand for; returns their number. */
static uint64_t put_run(struct encoder *encoder, struct control *control, const struct mnp_record *records,
                        uint64_t count)
{
    struct bytes *out = &encoder->control;
    const struct mnp_record *first = records;
    uint32_t action = choose_mask(control, first->mask);
    uint32_t form = expected_form(encoder, first) == form_of(first) ? 0 : 1 + form_of(first);
    uint64_t length = 1;
    while (length < count && records[length].index == first->index + length && records[length].mask == first->mask &&
           expected_form(encoder, &records[length]) == form_of(&records[length]))
        length++;
    int32_t jump = (int32_t)first->index - control->next;
    put8(out, (uint8_t)(action | (jump ? TOKEN_JUMP : 0) | form << TOKEN_FORM_SHIFT |
                        (length < 4 ? (uint32_t)length << TOKEN_LENGTH_SHIFT : 0)));
    if (action == MASK_STATED)
        put32(out, first->mask);
    if (jump)
        put_varint(out, zigzag((uint64_t)(int64_t)jump));
    if (length >= 4)
        put_varint(out, length);
    if (action != MASK_SAME)
        control->before = control->mask;
    control->mask = first->mask;
    control->next = (int32_t)(first->index + length);
    return length;
}

/* Whether two warps executed the same; the forms in which lists of addresses are held may differ. */
static bool same_control(const struct mnp_warp_stream *a, const struct mnp_warp_stream *b)
{
    if (a->count != b->count)
        return false;
    for (uint64_t i = 0; i < a->count; i++)
        if (a->records[i].mask != b->records[i].mask || a->records[i].index != b->records[i].index ||
            form_of(&a->records[i]) != form_of(&b->records[i]))
            return false;
    return true;
}

static bool put_control(struct encoder *encoder, const struct mnp_cta_code *code, uint32_t warp)
{
    const struct mnp_warp_stream *stream = &code->warps[warp], *before = warp ? stream - 1 : NULL;
    for (uint64_t i = 0; i < stream->count; i++)
        if (!is_well_formed(&stream->records[i]))
            return false;
    if (before && stream->count && same_control(before, stream)) {
        put8(&encoder->control, WARP_AS_BEFORE);
        return true;
    }
    put8(&encoder->control, WARP_TOKENS);
    put_varint(&encoder->control, stream->count);
    struct control control = {.mask = UINT32_MAX};
    for (uint64_t i = 0; i < stream->count;)
        i += put_run(encoder, &control, stream->records + i, stream->count - i);
    return true;
}

/* ===== addresses ===== */

static uint32_t bytes_for(uint64_t number)
{
    uint32_t bits = bits_of(number);
    return bits ? (bits + 7) / 8 : 1;
}

/* Writes the tag, whose upper bits are `detail`, and the base in the shortest encoding. */
static void put_base(struct encoder *encoder, struct pc_state *state, uint64_t base, uint32_t detail)
{
    struct bytes *out = &encoder->addresses;
    uint32_t tag = detail << ADDRESS_DETAIL_SHIFT;
    if (base == state->base + state->step) {
        put8(out, (uint8_t)(tag | BASE_PREDICTED));
    } else {
        const uint64_t numbers[] = {[BASE_FROM_PC] = zigzag(base - state->base),
                                    [BASE_FROM_LAST] = zigzag(base - encoder->predictor.last),
                                    [BASE_STATED] = base};
        uint32_t best = BASE_FROM_PC;
        for (uint32_t i = BASE_FROM_LAST; i <= BASE_STATED; i++)
            if (bytes_for(numbers[i]) < bytes_for(numbers[best]))
                best = i;
        uint32_t length = bytes_for(numbers[best]);
        put8(out, (uint8_t)(tag | (length - 1) << ADDRESS_BYTES_SHIFT | best));
        put_low(out, numbers[best], length);
    }
    predictor_update(&encoder->predictor, state, base);
}

static void put_stride(struct encoder *encoder, struct pc_state *state, const uint64_t words[static 2])
{
    static const uint8_t lengths[] = {0, 1, 2, 4, 8};
    uint32_t coding = STRIDE_SAME;
    if (words[1] != state->stride) {
        int64_t stride = (int64_t)words[1];
        coding = stride == (int8_t)stride    ? STRIDE_1
                 : stride == (int16_t)stride ? STRIDE_2
                 : stride == (int32_t)stride ? STRIDE_4
                                             : STRIDE_8;
    }
    put_base(encoder, state, words[0], coding);
    put_low(&encoder->addresses, words[1], lengths[coding]);
    state->stride = words[1];
}

struct packing { /* encoding of the numbers behind a list's base */
    uint64_t numbers[MNP_WARP_SIZE];
    uint32_t count, width, shift;
};

/* Takes off the zero bits that all numbers end in, and finds how many bits remain. */
static void fit(struct packing *packing, bool zigzagged)
{
    uint64_t any = 0, all = 0;
    for (uint32_t i = 0; i < packing->count; i++)
        any |= packing->numbers[i];
    packing->shift = any ? (uint32_t)__builtin_ctzll(any) : 0;
    if (packing->shift > 7)
        packing->shift = 7;
    for (uint32_t i = 0; i < packing->count; i++) {
        uint64_t number = packing->numbers[i];
        number = zigzagged ? zigzag((uint64_t)((int64_t)number >> packing->shift)) : number >> packing->shift;
        packing->numbers[i] = number;
        all |= number;
    }
    packing->width = bits_of(all);
    if (packing->width > MOST_PACKED_WIDTH)
        packing->width = 64;
}

static void put_bits(struct bytes *out, const struct packing *packing)
{
    size_t bits = (size_t)packing->count * packing->width, length = (bits + 7) / 8;
    bytes_reserve(out, length + 8);
    uint8_t *to = out->data + out->length;
    memset(to, 0, length + 8);
    for (size_t i = 0, at = 0; i < packing->count; i++, at += packing->width)
        store64(to + at / 8, load64(to + at / 8) | packing->numbers[i] << at % 8);
    out->length += length;
}

static void put_list(struct encoder *encoder, struct pc_state *state, const uint64_t *words, uint32_t lanes)
{
    struct packing offsets = {.count = lanes}, deltas = {.count = lanes - 1};
    uint64_t least = words[0];
    for (uint32_t i = 1; i < lanes; i++)
        least = words[i] < least ? words[i] : least;
    for (uint32_t i = 0; i < lanes; i++)
        offsets.numbers[i] = words[i] - least;
    for (uint32_t i = 1; i < lanes; i++)
        deltas.numbers[i - 1] = words[i] - words[i - 1];
    fit(&offsets, false);
    fit(&deltas, true);
    bool by_lane = deltas.count * deltas.width <= offsets.count * offsets.width;
    const struct packing *best = by_lane ? &deltas : &offsets;
    put_base(encoder, state, by_lane ? words[0] : least, best->shift);
    put8(&encoder->addresses, (uint8_t)(best->width | (by_lane ? LIST_DELTAS : 0)));
    put_bits(&encoder->addresses, best);
}

static uint64_t put_addresses(struct encoder *encoder, const struct mnp_warp_stream *stream)
{
    const uint64_t *words = stream->addresses;
    uint64_t total = 0;
    for (uint64_t i = 0; i < stream->count; i++) {
        const struct mnp_record *record = &stream->records[i];
        if (record->address_words == 0)
            continue;
        struct pc_state *state = predictor_at(&encoder->predictor, record->index);
        if (form_of(record) == FORM_LIST) {
            uint64_t addresses[MNP_WARP_SIZE];
            uint32_t lanes = mnp_expand_addresses(record, words, addresses);
            put_list(encoder, state, addresses, lanes);
            total += lanes;
        } else {
            put_stride(encoder, state, words);
            total += 2;
        }
        words += record->address_words;
    }
    return total;
}

/* ===== the CTA ===== */

bool mtrace_encode_cta(struct encoder *encoder, const struct mnp_kernel *kernel, uint64_t cta,
                       const struct mnp_cta_code *code, struct bytes *out)
{
    encoder->control.length = encoder->addresses.length = 0;
    predictor_start(&encoder->predictor);
    uint64_t records = 0, words = 0;
    for (uint32_t warp = 0; warp < code->warp_count; warp++) {
        if (!put_control(encoder, code, warp))
            return false;
        records += code->warps[warp].count;
        words += put_addresses(encoder, &code->warps[warp]);
    }
    uint32_t place[3];
    place_of(kernel, cta, place);
    bool elsewhere = memcmp(place, code->block, sizeof place) != 0;
    put8(out, elsewhere);
    for (uint32_t i = 0; elsewhere && i < 3; i++)
        put_varint(out, code->block[i]);
    put_varint(out, records);
    put_varint(out, words);
    put_varint(out, encoder->control.length);
    put_bytes(out, encoder->control.data, encoder->control.length);
    put_bytes(out, encoder->addresses.data, encoder->addresses.length);
    return records <= most_cta_records && words <= most_cta_words;
}
