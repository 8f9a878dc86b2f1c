/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/async.h"

#include "base/text.h"
#include "contract/async.h"
#include "execute/warp/warp.h"
#include "frontend/sass_trace/addresses.h"
#include "frontend/sass_trace/decode.h"
#include "isa/opcodes.h"
#include "isa/widths.h"

#include <string.h>

enum { MOST_TRANSFERS = 1 << 20, MOST_REGISTERS = 16, MODE_LIST = 3, MODE_DIFFERENCES = 4, SECTOR = 32 };

/* ===== the opcode ===== */

/* The opcode in "n [destinations] opcode n [sources] ". */
static const char *opcode_in(const char *text)
{
    const char *at = trace_skip_spaces(text);
    for (int skip = *at - '0' + 1; skip > 0; skip--)
        at = trace_skip_spaces(at + strcspn(at, " "));
    return at;
}

/* Whether a part stands in the opcode's text. */
static bool holds(const char *opcode, const char *part)
{
    return memmem(opcode, strcspn(opcode, " "), part, strlen(part)) != NULL;
}

/* How many of the sources behind an opcode are general ones (R), or uniform ones (U). */
static uint32_t registers_in(const char *opcode, char kind)
{
    uint32_t found = 0;
    const char *source = trace_skip_spaces(opcode + strcspn(opcode, " "));
    for (int count = *source - '0'; count > 0; count--) {
        source = trace_skip_spaces(source + strcspn(source, " "));
        found += *source == kind;
    }
    return found;
}

enum trace_command_kind trace_command_of(uint16_t opcode, const char *text)
{
    if (isa_opcode_copies(opcode))
        return TRACE_COPY;
    switch (opcode) {
    case ISA_HGMMA:
    case ISA_IGMMA:
    case ISA_QGMMA:
    case ISA_BGMMA:
        return TRACE_PRODUCT;
    case ISA_SYNCS:
    case ISA_ARRIVES:
        return holds(opcode_in(text), "TRANSCNT") ? TRACE_COMMAND_NONE : TRACE_MBARRIER;
    case ISA_UTMACMDFLUSH:
        return TRACE_COPIES_COMMIT;
    case ISA_DEPBAR:
        return trace_counted_groups(opcode_in(text)) < 0 ? TRACE_COPIES_WAIT : TRACE_COMMAND_NONE;
    case ISA_WARPGROUP:
        return holds(opcode_in(text), "DEPBAR") ? TRACE_PRODUCTS_WAIT : TRACE_PRODUCTS_BEGIN;
    case ISA_BAR:
        return TRACE_BARRIER;
    case ISA_UCGABAR_ARV:
        return TRACE_CLUSTER_ARRIVE;
    case ISA_UCGABAR_WAIT:
        return TRACE_CLUSTER_WAIT;
    case ISA_USETMAXREG:
        return TRACE_REGISTERS;
    case ISA_PREEXIT:
        return TRACE_GRID_RELEASE;
    case ISA_ACQBULK:
        return TRACE_GRID_WAIT;
    default:
        return TRACE_COMMAND_NONE;
    }
}

/* ===== numbers and values ===== */

/* The text behind an instruction's addresses, parsed. */
struct tail {
    int64_t immediate[2];
    uint32_t registers; /* number of registers with values: destinations, then sources */
    uint64_t value[MOST_REGISTERS][MNP_WARP_SIZE];
};

/* A number without a sign, from 0 to `most`; NULL: something else. */
static const char *read_count(const char *at, int64_t most, int64_t *number)
{
    at = at ? trace_read_decimal(trace_skip_spaces(at), number) : NULL;
    return at && (*at == ' ' || *at == '\r' || *at == '\n') && *number >= 0 && *number <= most ? at : NULL;
}

static const char *read_hex(const char *at, uint64_t *number)
{
    at = at ? trace_read_hex(trace_skip_spaces(at), number) : NULL;
    return at && (*at == ' ' || *at == '\r' || *at == '\n') ? at : NULL;
}

static const char *line_end(const char *at)
{
    at = at ? trace_skip_spaces(at) : NULL;
    if (at && *at == '\r')
        at++;
    return at && *at == '\n' ? at : NULL;
}

/* "1 value" or "32 values". */
static const char *read_register(const char *at, uint64_t value[MNP_WARP_SIZE])
{
    int64_t count;
    at = read_count(at, MNP_WARP_SIZE, &count);
    if (at && count != 1 && count != MNP_WARP_SIZE)
        return NULL;
    for (int64_t i = 0; at && i < count; i++)
        at = read_hex(at, &value[i]);
    for (int64_t i = count; at && i < MNP_WARP_SIZE; i++)
        value[i] = value[0];
    return at;
}

/* Parses "immediate [immediate] NoVal|Val values…" */
static const char *read_tail(const char *at, struct tail *tail)
{
    tail->immediate[1] = tail->registers = 0;
    at = at ? trace_read_decimal(trace_skip_spaces(at), &tail->immediate[0]) : NULL;
    if (!at)
        return NULL;
    at = trace_skip_spaces(at);
    if (*at >= '0' && *at <= '9')
        at = trace_read_decimal(at, &tail->immediate[1]);
    at = at ? trace_skip_spaces(at) : NULL;
    if (!at || line_end(at)) /* no values at all */
        return line_end(at);
    if (strncmp(at, "NoVal", 5) == 0)
        return line_end(at + 5);
    if (strncmp(at, "Val", 3) != 0)
        return NULL;
    at += 3;
    while (tail->registers < MOST_REGISTERS && at && !line_end(at))
        at = read_register(at, tail->value[tail->registers++]);
    return line_end(at);
}

const char *trace_pass_values(const char *at)
{
    struct tail tail;
    return read_tail(at, &tail);
}

/* Parses the line's end; before version 6, only an immediate. */
static const char *read_end(const char *at, bool values, struct tail *tail)
{
    if (values || !at)
        return read_tail(at, tail);
    tail->immediate[1] = tail->registers = 0;
    return line_end(trace_read_decimal(trace_skip_spaces(at), &tail->immediate[0]));
}

/* The values of a source, which follow those of the destinations; NULL: there are none. */
static const uint64_t *source_value(const struct tail *tail, const char *text, uint32_t source)
{
    uint32_t place = (uint32_t)(*trace_skip_spaces(text) - '0') + source;
    return place < tail->registers ? tail->value[place] : NULL;
}

/* ===== commands ===== */

static void add_pair(struct trace_commands *commands, struct trace_command *command, uint64_t at, uint64_t value)
{
    *(struct trace_pair *)mnp_array_add(&commands->pairs, 1, sizeof(struct trace_pair)) =
        (struct trace_pair){.at = at, .value = value};
    command->pairs++;
}

/* Adds a sector of a copy: extends the preceding run, or begins a new one. */
static void add_sector(struct trace_commands *commands, struct trace_command *command, uint64_t address)
{
    struct trace_pair *pairs = commands->pairs.items;
    struct trace_pair *last = command->pairs ? &pairs[commands->pairs.count - 1] : NULL;
    if (last && last->at + last->value == address)
        last->value += SECTOR;
    else
        add_pair(commands, command, address, SECTOR);
}

static const char *read_sectors(const char *at, struct trace_commands *commands, struct trace_command *command)
{
    int64_t mode, count, difference;
    uint64_t address = 0;
    at = read_count(at, MODE_DIFFERENCES, &mode);
    if (!at || mode < MODE_LIST)
        return NULL;
    if (mode == MODE_DIFFERENCES)
        at = read_hex(at, &address);
    at = read_count(at, MOST_TRANSFERS, &count);
    for (int64_t i = 0; at && i < count; i++) {
        if (mode == MODE_LIST) {
            at = read_hex(at, &address);
        } else if (i) {
            at = trace_read_decimal(trace_skip_spaces(at), &difference);
            address += at ? (uint64_t)difference : 0;
        }
        if (at)
            add_sector(commands, command, address);
    }
    return at;
}

static enum mnp_copy_direction direction_of(const char *opcode)
{
    if (mnp_begins(opcode, "UTMAPF") || mnp_begins(opcode, "UBLKPF"))
        return MNP_COPY_PREFETCH;
    if (mnp_begins(opcode, "UTMALDG") || (mnp_begins(opcode, "UBLKCP") && holds(opcode, "S.G")))
        return MNP_COPY_IN;
    if (mnp_begins(opcode, "UBLK") && holds(opcode, "S.S"))
        return MNP_COPY_ACROSS;
    return mnp_begins(opcode, "UTMAREDG") || mnp_begins(opcode, "UBLKRED") ? MNP_COPY_REDUCE : MNP_COPY_OUT;
}

static const char *read_copy(const char *text, const char *at, bool values, struct tail *tail,
                             struct trace_commands *commands, struct trace_command *command)
{
    int64_t several, bytes, ignored;
    uint64_t targets = 0;
    const char *opcode = opcode_in(text), *dimensions = memchr(opcode, '.', strcspn(opcode, " "));
    at = read_hex(read_count(at, INT32_MAX, &ignored), &command->address); /* behind the width */
    at = read_count(at, 1, &several);
    if (at && several)
        at = read_hex(at, &targets);
    at = read_count(read_count(at, INT32_MAX, &bytes), INT32_MAX, &ignored); /* bytes outside of the tensor */
    at = read_end(read_sectors(at, commands, command), values, tail);
    if (!at)
        return NULL;
    command->operation = (uint8_t)direction_of(opcode);
    command->several = several;
    command->targets = (uint16_t)targets;
    command->count = (uint32_t)bytes;
    if (mnp_begins(opcode, "UTMA"))
        command->rank = dimensions && dimensions[1] >= '1' && dimensions[1] <= '5' ? (uint8_t)(dimensions[1] - '0') : 1;
    const uint64_t *map = command->rank ? source_value(tail, text, 0) : NULL;
    command->map = map ? map[0] : 0;
    return at;
}

/* Parses "HGMMA.64xNxK…". A comes from registers if there is another general register besides that of the sums and the
 * descriptor of B, or if the second immediate says so. */
static const char *read_product(const char *text, const char *at, bool values, struct tail *tail,
                                struct trace_command *command)
{
    int64_t commit, ignored, n = 0, k = 0;
    const char *opcode = opcode_in(text), *shape = memmem(opcode, strcspn(opcode, " "), ".64x", 4);
    shape = shape ? trace_read_decimal(shape + 4, &n) : NULL;
    if (!shape || *shape != 'x' || !trace_read_decimal(shape + 1, &k) || n < 8 || n > 256 || k < 1 || k > 1 << 10)
        return NULL;
    at = read_end(read_count(read_count(at, 1, &commit), 0, &ignored), values, tail);
    command->commits = commit;
    command->n = (uint16_t)n;
    command->k = (uint16_t)k;
    command->registers = at && (tail->immediate[1] || (registers_in(opcode, 'U') && registers_in(opcode, 'R') > 1));
    command->sparse = holds(opcode, ".SP");
    command->halves = holds(opcode, ".F16");
    return at;
}

/* Identifies an mbarrier operation; EXECUTE_REMOTE_COMBINED: an arrival that also expects bytes. Returns false if it is
 * not one. */
static bool name_operation(const char *opcode, struct trace_command *command)
{
    if (mnp_begins(opcode, "SYNCS.EXCH"))
        command->operation = EXECUTE_MBARRIER_INIT;
    else if (mnp_begins(opcode, "SYNCS.PHASECHK"))
        command->operation = EXECUTE_MBARRIER_WAIT_UPPER;
    else if (holds(opcode, "A0TX"))
        command->operation = EXECUTE_MBARRIER_COMPLETE;
    else if (holds(opcode, "A0T")) /* A0TR, A0T1 */
        command->operation = EXECUTE_MBARRIER_EXPECT;
    else if (mnp_begins(opcode, "ARRIVES") || holds(opcode, "ART0") || holds(opcode, "A1T0"))
        command->operation = EXECUTE_MBARRIER_ARRIVE;
    else if (mnp_begins(opcode, "SYNCS.ARRIVE"))
        command->operation = EXECUTE_MBARRIER_ARRIVE | EXECUTE_REMOTE_COMBINED;
    else
        return false;
    command->waits = holds(opcode, "TRYWAIT");
    return true;
}

static const char *read_mbarrier(const char *text, const char *at, uint32_t mask, struct tail *tail,
                                 struct trace_commands *commands, struct trace_command *command)
{
    int64_t width;
    uint64_t words[MNP_WARP_SIZE];
    bool strided = false;
    const char *opcode = opcode_in(text);
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    at = read_count(at, 1024, &width);
    at = at && width ? read_tail(trace_read_lanes(trace_skip_spaces(at), lanes, words, &strided), tail) : NULL;
    const uint64_t *value = at ? source_value(tail, text, 1) : NULL;
    bool one = holds(opcode, "A1T0") || holds(opcode, "A0T1") || mnp_begins(opcode, "ARRIVES");
    if (!at || !name_operation(opcode, command) || (!value && !one))
        return NULL;
    for (uint32_t i = 0, rest = mask; rest; rest &= rest - 1, i++)
        add_pair(commands, command, strided ? words[0] + i * words[1] : words[i], one ? 1 : value[__builtin_ctz(rest)]);
    return at;
}

/* Barrier number and thread count: both are immediates, or the number is in the first destination. */
static void name_barrier(const char *text, const struct tail *tail, struct trace_command *command)
{
    bool by_value = *trace_skip_spaces(text) > '0' && tail->registers && !tail->immediate[1];
    command->waits = !holds(opcode_in(text), "ARV");
    command->number = by_value ? (uint32_t)tail->value[0][0] : (uint32_t)tail->immediate[0];
    command->count = (uint32_t)tail->immediate[by_value ? 0 : 1];
}

static const char *read_other(const char *text, const char *at, uint32_t mask, struct tail *tail,
                              struct trace_command *command)
{
    int64_t width;
    uint64_t words[MNP_WARP_SIZE];
    bool strided = false;
    at = read_count(at, 1024, &width);
    if (at && width)
        at = trace_read_lanes(trace_skip_spaces(at), (uint32_t)__builtin_popcount(mask), words, &strided);
    at = read_tail(at, tail);
    if (!at)
        return NULL;
    command->number = (uint32_t)tail->immediate[0];
    command->read = tail->immediate[1] == 1 || !holds(opcode_in(text), ".BULK");
    if (command->kind == TRACE_BARRIER)
        name_barrier(text, tail, command);
    if (command->kind == TRACE_REGISTERS)
        command->waits = !holds(opcode_in(text), "DEALLOC");
    return at;
}

const char *trace_read_command(enum trace_command_kind kind, const char *text, const char *at, uint32_t mask,
                               bool values, struct trace_commands *commands)
{
    struct tail tail;
    struct trace_command command = {.kind = (uint8_t)kind, .first = commands->pairs.count};
    if (!mask && !trace_command_is_formed(kind)) /* placeholder for the addresses if no lane is active */
        return strchr(at, '\n');
    at = kind == TRACE_COPY       ? read_copy(text, at, values, &tail, commands, &command)
         : kind == TRACE_PRODUCT  ? read_product(text, at, values, &tail, &command)
         : kind == TRACE_MBARRIER ? read_mbarrier(text, at, mask, &tail, commands, &command)
                                  : read_other(text, at, mask, &tail, &command);
    if (at && mask)
        *(struct trace_command *)mnp_array_add(&commands->all, 1, sizeof command) = command;
    return at;
}

bool trace_is_marker(const char *at, const char *end)
{
    static const char start[] = "0 REPLAY_START ", stop[] = "0 REPLAY_END ";
    return ((size_t)(end - at) >= sizeof start && memcmp(at, start, sizeof start - 1) == 0) ||
           ((size_t)(end - at) >= sizeof stop && memcmp(at, stop, sizeof stop - 1) == 0);
}

/* ===== static instructions ===== */

/* Resets an instruction to the given class and flags. */
static void plain(struct mnp_static_instruction *instruction, enum mnp_execution_class class, uint8_t flags)
{
    instruction->class = (uint8_t) class;
    instruction->flags = (uint8_t)((instruction->flags & MNP_FLAG_PREDICATE) | flags);
}

/* An operation on an mbarrier; a wait or a question takes no part in the memory's pipeline. */
static void form_mbarrier(const char *opcode, struct mnp_static_instruction *instruction)
{
    bool asks = mnp_begins(opcode, "SYNCS.PHASECHK");
    plain(instruction, asks ? MNP_CLASS_SPECIAL : MNP_CLASS_MEMORY, 0);
    instruction->space = MNP_SPACE_SHARED;
    instruction->operation = asks ? MNP_LOAD : MNP_ATOMIC;
    instruction->width = asks ? 0 : 8;
}

/* A product: the sums are not written through registers, and it reads only descriptors and, if in registers, A. */
static void form_product(const char *opcode, struct mnp_static_instruction *instruction)
{
    instruction->destination = (struct mnp_registers){0, 0};
    for (uint32_t i = 0; i < instruction->source_count; i++)
        instruction->source[i].count = instruction->source[i].count < 2 ? instruction->source[i].count : 2;
    instruction->tensor_cycles =
        /* issue cost, depending on where the descriptors are */
        registers_in(opcode, 'U') ? ISA_PRODUCT_ISSUE_UNIFORM : ISA_PRODUCT_ISSUE;
    instruction->products = 0;
}

void trace_live_form(const char *text, struct mnp_static_instruction *instruction)
{
    enum trace_command_kind kind = trace_command_of(instruction->opcode, text);
    const char *opcode = opcode_in(text);
    switch (kind) {
    case TRACE_MBARRIER:
        form_mbarrier(opcode, instruction);
        break;
    case TRACE_COPY:
        plain(instruction, MNP_CLASS_MEMORY, 0);
        instruction->space = MNP_SPACE_GLOBAL;
        instruction->operation = direction_of(opcode) == MNP_COPY_IN ? MNP_LOAD : MNP_STORE;
        instruction->width = 16;
        break;
    case TRACE_PRODUCT:
        form_product(opcode, instruction);
        break;
    case TRACE_PRODUCTS_WAIT:
    case TRACE_PRODUCTS_BEGIN:
    case TRACE_CLUSTER_WAIT:
        plain(instruction, MNP_CLASS_SYNC, MNP_FLAG_BARRIER);
        break;
    case TRACE_CLUSTER_ARRIVE:
        plain(instruction, MNP_CLASS_SYNC, (uint8_t)(MNP_FLAG_ARRIVE | (holds(opcode, "RELAX") ? 0 : MNP_FLAG_FENCE)));
        break;
    case TRACE_COPIES_WAIT: /* DEPBAR.LE waits for LDGSTS, too, but where we have written it */
        plain(instruction, MNP_CLASS_SYNC, holds(opcode, ".BULK") ? 0 : MNP_FLAG_FENCE);
        break;
    case TRACE_COPIES_COMMIT:
    case TRACE_REGISTERS:
    case TRACE_GRID_RELEASE:
    case TRACE_GRID_WAIT:
        plain(instruction, MNP_CLASS_SYNC, 0);
        break;
    case TRACE_BARRIER:
    case TRACE_COMMAND_NONE:
        break;
    }
    if (instruction->opcode == ISA_ATOMS && !instruction->destination.count)
        instruction->operation = MNP_REDUCTION;
    if (instruction->opcode == ISA_MEMBAR)
        instruction->fence = holds(opcode, ".GPU") || holds(opcode, ".SYS") ? MNP_FENCE_FAR : 0;
    if (instruction->opcode == ISA_CCTL && holds(opcode, ".IVALL"))
        instruction->fence = MNP_FENCE_FORGETS;
    mnp_complete_registers(instruction);
}
