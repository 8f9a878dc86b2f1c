/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoding takes two passes over a warp: first its records, by runs, then the addresses. The counts at the head of a
 * CTA determine the allocation, so they are first checked against the number of bytes.
 */
#include "frontend/mtrace/decode.h"

#include "frontend/mtrace/encode.h"

enum {
    SHRINK_BYTES = 4096, /* unused memory that is worth giving back */
    NARROW_OFFSET = 31,  /* bits of offsets, and of deltas of 31 lanes, whose differences fit into 32 bits */
    NARROW_DELTA = 26,
    MOST_FEW = 8,           /* number of lanes up to which get_wide is faster than processing all 32 at a time */
    MOST_PAIRED_WIDTH = 28, /* bits of a number, two of which one load of eight bytes holds at any bit */
};

struct decoder {
    struct packed_kernel *kernel;
    struct predictor *predictor;
    struct reader control, addresses;
    struct mnp_record *records, *record, *record_end;
    uint64_t *words, *word;
    /* number of address words declared for the CTA, and used by the records so far */
    uint64_t declared_words, control_words;
    uint64_t warp_words; /* number of words used by the records of the last warp */
    bool warp_changes;   /* reading its addresses will change some of its records */
    const char *what;
};

static bool wrong(struct decoder *decoder, const char *what)
{
    decoder->what = what;
    return false;
}

/* ===== control ===== */

struct control {
    uint32_t mask, before;
    uint32_t next;
};

static uint32_t next_mask(struct decoder *decoder, const struct control *control, uint32_t action)
{
    switch (action) {
    case MASK_SAME:
        return control->mask;
    case MASK_BEFORE:
        return control->before;
    case MASK_ZERO:
        return 0;
    case MASK_FULL:
        return UINT32_MAX;
    default:
        return get32(&decoder->control);
    }
}

static bool is_dropped(const struct decoder *decoder, const struct mnp_record *record)
{
    return decoder->kernel->drops && decoder->kernel->instructions[record->index].space == MNP_SPACE_NONE;
}

/* Whether a record with addresses looks different once they are read: lists become narrower, some are dropped. */
static bool changes(const struct decoder *decoder, const struct mnp_record *record)
{
    return (record->record_flags & MNP_RECORD_LIST) || is_dropped(decoder, record);
}

/* The records of a run with one mask; `stated` is 1 + the form of the first one, or 0. */
static bool expand(struct decoder *decoder, uint32_t index, uint64_t length, uint32_t mask, uint32_t stated)
{
    const struct static_text *texts = decoder->kernel->texts + index;
    uint8_t lanes = mask == UINT32_MAX ? 32 : (uint8_t)__builtin_popcount(mask);
    const struct mnp_record shapes[] = {
        /* indexed by 1 + form; a record without lanes has no addresses */
        {.mask = mask},
        {.mask = mask},
        {.mask = mask, .address_words = lanes ? 2 : 0},
        {.mask = mask, .address_words = lanes, .record_flags = lanes ? MNP_RECORD_LIST : 0}};
    struct mnp_record *record = decoder->record;
    uint64_t total = 0, unknown = 0;
    for (uint64_t i = 0; i < length; i++) {
        uint32_t form = texts[i].form;
        unknown += form == 0;
        record[i] = shapes[form];
        record[i].index = (uint16_t)(index + i);
        total += shapes[form].address_words;
        decoder->warp_changes |= shapes[form].address_words && changes(decoder, &record[i]);
    }
    if (unknown)
        return wrong(decoder, "names an instruction that its kernel lacks");
    if (stated) {
        if (stated > 1 && lanes == 0)
            return wrong(decoder, "has addresses without a lane");
        total += (uint64_t)shapes[stated].address_words - record->address_words;
        *record = shapes[stated];
        record->index = (uint16_t)index;
        decoder->warp_changes |= record->address_words && changes(decoder, record);
    }
    decoder->control_words += total;
    decoder->record += length;
    return true;
}

static bool read_token(struct decoder *decoder, struct control *control, uint64_t left)
{
    struct reader *r = &decoder->control;
    uint32_t token = get8(r), action = token & TOKEN_MASK;
    if (action > MASK_STATED)
        return wrong(decoder, "has an unknown coding of a mask");
    uint32_t mask = next_mask(decoder, control, action);
    if (action != MASK_SAME)
        control->before = control->mask;
    control->mask = mask;
    uint64_t index = control->next, length = token >> TOKEN_LENGTH_SHIFT;
    if (token & TOKEN_JUMP)
        index += unzigzag(get_varint(r));
    if (length == 0)
        length = get_varint(r);
    if (r->short_of)
        return wrong(decoder, "has too few bytes for its instructions");
    uint64_t most = decoder->kernel->index_count;
    if (length == 0 || length > left || index >= most || length > most - index)
        return wrong(decoder, "has a run of instructions beyond its end, or its kernel's");
    control->next = (uint32_t)(index + length);
    return expand(decoder, (uint32_t)index, length, mask, token >> TOKEN_FORM_SHIFT & 3);
}

/* `before` is the preceding warp, or NULL. A warp that repeats it shares its records, unless they must be changed; its
 * own space in the block then stays unused. */
static bool read_control(struct decoder *decoder, const struct mnp_warp_stream *before, struct mnp_warp_stream *stream)
{
    uint64_t room = (uint64_t)(decoder->record_end - decoder->record);
    uint32_t coding = get8(&decoder->control);
    stream->records = decoder->record;
    if (coding == WARP_AS_BEFORE && before) {
        if (before->count > room)
            return wrong(decoder, "has more instructions than it declares");
        stream->count = before->count;
        if (decoder->warp_changes)
            memcpy(decoder->record, before->records, before->count * sizeof *before->records);
        else
            stream->records = before->records;
        decoder->record += before->count;
        decoder->control_words += decoder->warp_words; /* the preceding warp is the one decoded last */
        return true;
    }
    if (coding != WARP_TOKENS)
        return wrong(decoder, "has an unknown coding of a warp");
    stream->count = get_varint(&decoder->control);
    if (stream->count > room)
        return wrong(decoder, "has more instructions than it declares");
    struct control control = {.mask = UINT32_MAX};
    const struct mnp_record *end = decoder->record + stream->count;
    uint64_t words = decoder->control_words;
    decoder->warp_changes = false;
    while (decoder->record < end)
        if (!read_token(decoder, &control, (uint64_t)(end - decoder->record)))
            return false;
    decoder->warp_words = decoder->control_words - words;
    return true;
}

/* ===== addresses ===== */

/* A number of up to eight bytes; eight may be loaded, as zero bytes follow every block. */
static inline uint64_t get_low(struct reader *reader, uint32_t count)
{
    if ((size_t)(reader->end - reader->at) < count) {
        reader->short_of = true;
        return 0;
    }
    uint64_t number = load64(reader->at) & low_bits(8 * count);
    reader->at += count;
    return number;
}

static inline uint64_t get_base(struct decoder *decoder, const struct pc_state *state, uint32_t tag)
{
    if ((tag & ADDRESS_BASE) == BASE_PREDICTED)
        return state->base + state->step;
    uint64_t number = get_low(&decoder->addresses, (tag >> ADDRESS_BYTES_SHIFT & 7) + 1);
    if ((tag & ADDRESS_BASE) == BASE_STATED)
        return number;
    uint64_t from = (tag & ADDRESS_BASE) == BASE_FROM_PC ? state->base : decoder->predictor->last;
    return from + unzigzag(number);
}

static bool get_stride(struct decoder *decoder, struct pc_state *state, uint32_t coding)
{
    struct reader *r = &decoder->addresses;
    switch (coding) {
    case STRIDE_SAME:
        break;
    case STRIDE_1:
        state->stride = (uint64_t)(int64_t)(int8_t)get_low(r, 1);
        break;
    case STRIDE_2:
        state->stride = (uint64_t)(int64_t)(int16_t)get_low(r, 2);
        break;
    case STRIDE_4:
        state->stride = (uint64_t)(int64_t)(int32_t)get_low(r, 4);
        break;
    case STRIDE_8:
        state->stride = get_low(r, 8);
        break;
    default:
        return wrong(decoder, "has an unknown coding of a stride");
    }
    return true;
}

static inline uint64_t get_bits(const uint8_t *from, size_t at, uint64_t mask)
{
    return load64(from + at / 8) >> at % 8 & mask;
}

struct list { /* an encoded list of addresses */
    const uint8_t *numbers;
    uint64_t base;
    uint32_t width, shift, lanes;
    bool by_lane;
};

union numbers { /* numbers of a list, and one more that nobody reads */
    uint32_t number[MNP_WARP_SIZE + 2];
    uint64_t pair[MNP_WARP_SIZE / 2 + 1];
};
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first number of a pair is its lower half");

/* `count` numbers of more than MOST_PAIRED_WIDTH and of up to 31 bits. */
static void get_single_numbers(const struct list *list, uint32_t count, union numbers *numbers)
{
    uint64_t mask = low_bits(list->width);
    for (uint32_t i = 0; i < count; i++)
        numbers->number[i] = (uint32_t)get_bits(list->numbers, (size_t)i * list->width, mask);
}

struct pairs {          /* how two numbers of one width, side by side in a word of eight bytes, come apart */
    uint64_t low, high; /* the bits of the first number, and those of the second where it goes */
    uint64_t apart;     /* factor that moves the second one there */
};

static inline uint64_t get_pair(const struct pairs *pairs, const uint8_t *from, uint32_t bit)
{
    uint64_t bits = load64(from) >> bit;
    return (bits & pairs->low) | (bits * pairs->apart & pairs->high);
}

/* `count` numbers of up to 31 bits. Eight numbers fill as many bytes as one has bits, so that each of their four pairs
 * begins at the same place in every eight. */
static void get_numbers(const struct list *list, uint32_t count, union numbers *numbers)
{
    uint32_t width = list->width, i = 0, byte[4], bit[4];
    if (width > MOST_PAIRED_WIDTH) {
        get_single_numbers(list, count, numbers);
        return;
    }
    const struct pairs pairs = {
        .low = low_bits(width), .high = low_bits(width) << 32, .apart = UINT64_C(1) << (32 - width)};
    const uint8_t *from = list->numbers;
    for (uint32_t k = 0; k < 4; k++) {
        byte[k] = 2 * k * width / 8;
        bit[k] = 2 * k * width % 8;
    }
    for (; i + 8 <= count; i += 8, from += width) {
        numbers->pair[i / 2] = get_pair(&pairs, from, 0);
        numbers->pair[i / 2 + 1] = get_pair(&pairs, from + byte[1], bit[1]);
        numbers->pair[i / 2 + 2] = get_pair(&pairs, from + byte[2], bit[2]);
        numbers->pair[i / 2 + 3] = get_pair(&pairs, from + byte[3], bit[3]);
    }
    for (uint32_t k = 0; i < count; i += 2, k++)
        numbers->pair[i / 2] = get_pair(&pairs, from + byte[k], bit[k]);
}

/* Decodes the differences of the further lanes from the first one, all of which fit into 32 bits; unused entries are
 * zero. Returns a mask of the bits that are significant in any of them, besides the sign. */
static uint32_t get_differences(const struct list *list, int32_t differences[static MNP_WARP_SIZE], uint64_t *first)
{
    union numbers all;
    uint32_t *numbers = all.number, lanes = list->lanes, shift = list->shift, from = 0, beyond = 0;
    *first = list->base;
    if (list->by_lane) {
        get_numbers(list, lanes - 1, &all);
        for (uint32_t i = 0; i < lanes - 1; i++)
            differences[i] = (int32_t)(from += (uint32_t)unzigzag(numbers[i]) << shift);
    } else {
        get_numbers(list, lanes, &all);
        *first += numbers[0] << shift;
        for (uint32_t i = lanes; i <= MNP_WARP_SIZE; i++)
            numbers[i] = numbers[0];
        for (uint32_t i = 0; i < MNP_WARP_SIZE; i++) /* all 32 lanes, because compilers vectorise this loop */
            differences[i] = (int32_t)((numbers[i + 1] - numbers[0]) << shift);
    }
    for (uint32_t i = lanes - 1; i < MNP_WARP_SIZE; i++)
        differences[i] = 0;
    for (uint32_t i = 0; i < MNP_WARP_SIZE; i++)
        beyond |= (uint32_t)(differences[i] ^ differences[i] >> 31);
    return beyond;
}

/* Produces the same words as mnp_pack_addresses for a list whose differences all fit into 32 bits, without computing
 * the addresses. There are more than MOST_FEW lanes, and room for a word of each: all 32 differences fit behind the
 * first word as numbers of 16 bits, and with more than 16 lanes as numbers of 32. Copies of a fixed size are cheap. */
static void get_narrow(const struct list *list, struct mnp_record *record, uint64_t *words)
{
    _Static_assert(MOST_FEW + 1 > MNP_WARP_SIZE / 4, "32 differences of 16 bits and the first word are in the room");
    int32_t differences[MNP_WARP_SIZE];
    uint32_t lanes = list->lanes, beyond = get_differences(list, differences, &words[0]);
    record->record_flags = MNP_RECORD_LIST;
    if (beyond <= INT16_MAX) {
        int16_t narrow[MNP_WARP_SIZE];
        for (uint32_t i = 0; i < MNP_WARP_SIZE; i++)
            narrow[i] = (int16_t)differences[i];
        record->record_flags |= MNP_RECORD_NEAR;
        memcpy(words + 1, narrow, sizeof narrow);
    } else if (lanes > MNP_WARP_SIZE / 2) {
        record->record_flags |= MNP_RECORD_MIDDLE;
        memcpy(words + 1, differences, sizeof differences);
    } else {
        record->record_flags |= MNP_RECORD_MIDDLE;
        memcpy(words + 1, differences, lanes / 2 * sizeof *words);
    }
    record->address_words = (uint8_t)mnp_list_words(lanes, record->record_flags);
}

static void get_wide(const struct list *list, struct mnp_record *record, uint64_t *words)
{
    uint64_t mask = low_bits(list->width);
    if (list->by_lane) {
        words[0] = list->base;
        for (uint32_t i = 1; i < list->lanes; i++) {
            uint64_t number = get_bits(list->numbers, (size_t)(i - 1) * list->width, mask);
            words[i] = words[i - 1] + (unzigzag(number) << list->shift);
        }
    } else {
        for (uint32_t i = 0; i < list->lanes; i++)
            words[i] = list->base + (get_bits(list->numbers, (size_t)i * list->width, mask) << list->shift);
    }
    mnp_pack_addresses(record, words, list->lanes);
}

/* A list of addresses behind its base. */
static bool get_list(struct decoder *decoder, uint64_t base, uint32_t shift, struct mnp_record *record, uint64_t *words)
{
    struct reader *r = &decoder->addresses;
    uint32_t how = get8(r), width = how & LIST_WIDTH;
    if (width > MOST_PACKED_WIDTH && width != 64)
        return wrong(decoder, "has a list of addresses of an impossible width");
    uint32_t lanes = record->address_words; /* number of lanes, as declared */
    bool by_lane = how & LIST_DELTAS;
    size_t bits = (size_t)width * (by_lane ? lanes - 1 : lanes), length = (bits + 7) / 8;
    const uint8_t *from = get_bytes(r, length);
    if (!from)
        return wrong(decoder, "has too few bytes for its addresses");
    struct list list = {
        .numbers = from, .base = base, .width = width, .shift = shift, .lanes = lanes, .by_lane = by_lane};
    if (lanes > MOST_FEW && width + shift <= (by_lane ? NARROW_DELTA : NARROW_OFFSET))
        get_narrow(&list, record, words);
    else
        get_wide(&list, record, words);
    return true;
}

/* The words of one access, at `words`, which has room for an address of each lane. */
static bool read_access(struct decoder *decoder, struct mnp_record *record, uint64_t *words)
{
    uint32_t tag = get8(&decoder->addresses), detail = tag >> ADDRESS_DETAIL_SHIFT;
    struct pc_state *state = predictor_at(decoder->predictor, record->index);
    uint64_t base = get_base(decoder, state, tag);
    predictor_update(decoder->predictor, state, base);
    bool good;
    if (record->record_flags & MNP_RECORD_LIST) {
        good = get_list(decoder, base, detail, record, words);
    } else {
        good = get_stride(decoder, state, detail);
        words[0] = base;
        words[1] = state->stride;
    }
    if (good && decoder->addresses.short_of)
        return wrong(decoder, "has too few bytes for its addresses");
    return good;
}

static bool read_addresses(struct decoder *decoder, struct mnp_warp_stream *stream)
{
    stream->addresses = decoder->word;
    if (decoder->declared_words == 0)
        return true;
    struct mnp_record *record = decoder->records + (stream->records - decoder->records);
    for (const struct mnp_record *end = record + stream->count; record < end; record++) {
        if (record->address_words == 0)
            continue;
        uint64_t dropped[MNP_WARP_SIZE];
        bool keep = !is_dropped(decoder, record);
        if (!read_access(decoder, record, keep ? decoder->word : dropped))
            return false;
        if (!keep) {
            record->address_words = 0;
            record->record_flags = 0;
        }
        decoder->word += record->address_words;
    }
    return true;
}

/* ===== the CTA ===== */

static void count_unknown(struct packed_kernel *kernel, const struct mnp_cta_code *code)
{
    uint64_t unknown = 0;
    for (uint32_t warp = 0; warp < code->warp_count; warp++)
        for (uint64_t i = 0; i < code->warps[warp].count; i++)
            unknown += (kernel->instructions[code->warps[warp].records[i].index].flags & MNP_FLAG_UNKNOWN) != 0;
    if (unknown)
        atomic_fetch_add_explicit(&kernel->unknown_records, unknown, memory_order_relaxed);
}

static bool read_warps(struct decoder *decoder, struct mnp_cta_code *code)
{
    for (uint32_t warp = 0; warp < code->warp_count; warp++)
        if (!read_control(decoder, warp ? &code->warps[warp - 1] : NULL, &code->warps[warp]))
            return false;
    if (decoder->record != decoder->record_end || decoder->control.at != decoder->control.end)
        return wrong(decoder, "has fewer instructions than it declares");
    if (decoder->control_words != decoder->declared_words)
        return wrong(decoder, "has another number of addresses than it declares");
    for (uint32_t warp = 0; warp < code->warp_count; warp++)
        if (!read_addresses(decoder, &code->warps[warp]))
            return false;
    if (decoder->addresses.at != decoder->addresses.end)
        return wrong(decoder, "has bytes behind its addresses");
    if (decoder->kernel->counts_unknown)
        count_unknown(decoder->kernel, code);
    return true;
}

/* Allocates one block for warps, records and addresses, assuming that lists have the declared sizes. */
static void allocate(struct decoder *decoder, uint64_t records, struct mnp_cta_code *code)
{
    size_t warp_bytes = code->warp_count * sizeof *code->warps, record_bytes = records * sizeof *decoder->records;
    size_t word_bytes = decoder->declared_words * sizeof *decoder->words;
    size_t bytes = sizeof(struct cta_block) + warp_bytes + record_bytes + word_bytes;
    struct cta_block *block = mnp_reallocate(NULL, bytes, 1);
    *block = (struct cta_block){.bytes = bytes};
    code->owner = block;
    char *memory = (char *)(block + 1);
    code->warps = (struct mnp_warp_stream *)memory;
    memset(code->warps, 0, warp_bytes);
    decoder->records = decoder->record = (struct mnp_record *)(memory + warp_bytes);
    decoder->record_end = decoder->records + records;
    decoder->words = decoder->word = (uint64_t *)(memory + warp_bytes + record_bytes);
}

/* Returns memory that narrower forms of lists did not need. The block may move. */
static void shrink(const struct decoder *decoder, struct mnp_cta_code *code)
{
    size_t unused = decoder->declared_words - (size_t)(decoder->word - decoder->words);
    size_t bytes = (size_t)((char *)decoder->word - (char *)code->owner);
    if (unused * sizeof *decoder->words < SHRINK_BYTES)
        return;
    char *before = code->owner, *after = mnp_reallocate(before, bytes, 1);
    struct cta_block *block = code->owner = after;
    block->bytes = bytes;
    code->warps = (struct mnp_warp_stream *)(block + 1);
    for (uint32_t warp = 0; warp < code->warp_count; warp++) {
        struct mnp_warp_stream *stream = &code->warps[warp];
        stream->records = (const struct mnp_record *)(after + ((const char *)stream->records - before));
        stream->addresses = (const uint64_t *)(after + ((const char *)stream->addresses - before));
    }
}

static bool read_place(const struct mnp_kernel *kernel, struct reader *reader, uint64_t cta, uint32_t block[static 3])
{
    place_of(kernel, cta, block);
    uint32_t elsewhere = get8(reader);
    for (uint32_t i = 0; elsewhere == 1 && i < 3; i++) {
        uint64_t place = get_varint(reader);
        if (place >= kernel->grid[i])
            return false;
        block[i] = (uint32_t)place;
    }
    return elsewhere <= 1;
}

bool mtrace_decode_cta(struct packed_kernel *kernel, struct predictor *predictor, struct reader reader, uint64_t cta,
                       struct mnp_cta_code *code, const char **what)
{
    struct decoder decoder = {.kernel = kernel, .predictor = predictor};
    bool good = read_place(&kernel->kernel, &reader, cta, code->block);
    uint64_t records = get_varint(&reader), words = get_varint(&reader), control = get_varint(&reader);
    code->instructions = kernel->instructions;
    code->warp_count = (kernel->kernel.threads + MNP_WARP_SIZE - 1) / MNP_WARP_SIZE;
    decoder.declared_words = words;
    if (!good || reader.short_of || control > (size_t)(reader.end - reader.at)) {
        wrong(&decoder, "begins with impossible numbers");
    } else if (records > most_cta_records || words > most_cta_words || words > MNP_WARP_SIZE * records ||
               words > MNP_WARP_SIZE * (uint64_t)(reader.end - reader.at) ||
               records > control * (uint64_t)kernel->instruction_count * code->warp_count) {
        wrong(&decoder, "declares more instructions or addresses than it can hold");
    } else {
        decoder.control = (struct reader){.at = reader.at, .end = reader.at + control};
        decoder.addresses = (struct reader){.at = reader.at + control, .end = reader.end};
        allocate(&decoder, records, code);
        predictor_start(predictor);
        if (read_warps(&decoder, code)) {
            shrink(&decoder, code);
            return true;
        }
        free(code->owner);
        code->owner = NULL;
    }
    *what = decoder.what;
    return false;
}
