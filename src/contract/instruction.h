/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface between front-ends and GPU models: kernels, CTAs and the instructions of their warps.
 *
 * Static instructions are decoded once and stored in tables, which CTAs share where possible. A warp is a stream of
 * records. A record names a static instruction, its active lanes and, for a memory access, its addresses in a compact
 * format.
 */
#ifndef MNP_CONTRACT_INSTRUCTION_H
#define MNP_CONTRACT_INSTRUCTION_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MNP_WARP_SIZE = 32, MNP_ZERO_REGISTER = 255 };

/* Execution class: the unit that an instruction occupies. Latency, lanes and initiation interval of each class are
 * machine parameters. */
enum mnp_execution_class {
    MNP_CLASS_INT,  /* integer arithmetic, logic, shifts, moves on the integer pipe */
    MNP_CLASS_FP32, /* single precision */
    MNP_CLASS_HALF, /* packed half precision */
    MNP_CLASS_FP64,
    MNP_CLASS_SFU,     /* MUFU: reciprocal, square root, sine, … */
    MNP_CLASS_CONVERT, /* F2F, F2I, I2F, POPC, FLO …: quarter-rate conversions */
    MNP_CLASS_TENSOR,  /* HMMA, IMMA, DMMA, … */
    MNP_CLASS_UNIFORM, /* the uniform datapath */
    MNP_CLASS_BRANCH,  /* BRA, EXIT, CALL, BSSY, … */
    MNP_CLASS_SYNC,    /* BAR, MEMBAR, DEPBAR, … */
    MNP_CLASS_MEMORY,  /* all instructions of the memory pipeline except SHFL and S2R */
    MNP_CLASS_SPECIAL, /* S2R, SHFL, VOTE, …: variable latency, no memory */
    MNP_CLASS_IMAD,    /* integer multiplication: on the integer or the FP32 pipe, depending on the machine */
    MNP_CLASS_COUNT,
};

enum mnp_memory_space { /* for MNP_CLASS_MEMORY; SHARED with MNP_CLASS_SPECIAL: a query of an mbarrier */
                        MNP_SPACE_NONE,
                        /* includes generic accesses, unless their addresses lie in the shared or local window */
                        MNP_SPACE_GLOBAL,
                        MNP_SPACE_SHARED,
                        MNP_SPACE_LOCAL,
                        MNP_SPACE_CONSTANT,
                        MNP_SPACE_TEXTURE,
};

enum mnp_memory_operation { MNP_LOAD, MNP_STORE, MNP_ATOMIC /* returns a value */, MNP_REDUCTION /* returns none */ };

/* Operation of an arithmetic instruction of MNP_CLASS_FP32, HALF or FP64, in the categories of roofline models.
 * Half-precision instructions process two numbers per lane. Of MNP_CLASS_CONVERT: I2F with rounding up
 * (.RP), which ptxas puts once into each reciprocal of an integer that is unknown when it compiles; of MNP_CLASS_IMAD:
 * IMAD.HI.U32 of two registers, once in such a reciprocal and once in each division by it. */
enum mnp_operation_group {
    MNP_GROUP_OTHER,
    MNP_GROUP_FADD,
    MNP_GROUP_FMUL,
    MNP_GROUP_FFMA,
    MNP_GROUP_HADD,
    MNP_GROUP_HMUL,
    MNP_GROUP_HFMA,
    MNP_GROUP_DADD,
    MNP_GROUP_DMUL,
    MNP_GROUP_DFMA,
    MNP_GROUP_DIVISION_U32,
    MNP_GROUP_DIVISION_S32,
    MNP_GROUP_DIVISION_64,
    MNP_GROUP_HIGH,
    MNP_GROUP_COUNT,
};

enum mnp_instruction_flag {
    MNP_FLAG_EXIT = 1 << 0,    /* ends the warp if it is the last record of its stream */
    MNP_FLAG_BRANCH = 1 << 1,  /* may redirect the flow: when taken, the instruction buffer is refilled */
    MNP_FLAG_BARRIER = 1 << 2, /* CTA-wide barrier (BAR.SYNC, BAR.RED) */
    /* MEMBAR: waits for the warp's earlier accesses; or a wait for groups of its copies */
    MNP_FLAG_FENCE = 1 << 3,
    MNP_FLAG_BYPASS_L1 = 1 << 4, /* .CG, .STRONG.GPU/.SYS, volatile */
    MNP_FLAG_PREDICATE = 1 << 5, /* writes predicates (ISETP, FSETP, …); with MNP_FLAG_BRANCH: waits for them */
    MNP_FLAG_UNKNOWN = 1 << 6,   /* opcode missing in the table; treated as INT (--unknown=alu) */
    MNP_FLAG_ARRIVE = 1 << 7,    /* barrier arrival without waiting (BAR.ARV) */
};

/* Additional effects of a fence. */
enum mnp_fence {
    MNP_FENCE_FAR = 1,     /* its scope is the cluster, the GPU or the system */
    MNP_FENCE_FORGETS = 2, /* invalidates the L1 (CCTL.IVALL), so that later loads see other SMs' stores */
    MNP_FENCE_CLOSES = 4,  /* LDGDEPBAR: does not wait, but closes a group of the warp's copies (LDGSTS) */
};

/* Consecutive registers: a pair for 64-bit operands, four for 128-bit loads, … */
struct mnp_registers {
    uint8_t first, count;
};

enum { MNP_MAX_SOURCES = 5 };

/* One instruction of a kernel. 32 bytes. R255 (RZ) never appears among the registers. */
struct mnp_static_instruction {
    uint32_t pc;       /* bytes from the first instruction of its function, or of the kernel */
    uint16_t opcode;   /* row of the opcode table, for names and per-opcode statistics */
    uint8_t class;     /* enum mnp_execution_class */
    uint8_t flags;     /* enum mnp_instruction_flag */
    uint8_t space;     /* enum mnp_memory_space */
    uint8_t operation; /* enum mnp_memory_operation */
    union {
        uint8_t width;   /* memory: bytes per lane, 1 … 16 */
        uint8_t barrier; /* MNP_FLAG_BARRIER, MNP_FLAG_ARRIVE: number of the CTA's barrier, below MNP_CTA_BARRIERS */
        uint8_t counter; /* depbar: dependence counter, below MNP_COUNTERS */
        uint8_t group;   /* MNP_CLASS_FP32, HALF, FP64, CONVERT, IMAD: enum mnp_operation_group */
        struct {
            uint8_t products : 5; /* MNP_CLASS_TENSOR: log2 of the warp's multiplications and additions; 0: none */
            uint8_t operand : 3;  /* … log2 of the bits of an element of A and B (mnp_operand_bits); 6 count as 8 */
        };
    };
    union {
        uint8_t tensor_cycles; /* MNP_CLASS_TENSOR: relative cost of the shape, in units of a quarter of HMMA.16816 */
        /* MNP_FLAG_BARRIER, MNP_FLAG_ARRIVE: number of participating warps; 0: all of the CTA */
        uint8_t barrier_warps;
        /* depbar: waits until the counter, or the number of pending copy groups, is at most this */
        uint8_t counter_value;
        uint8_t fence;  /* MNP_CLASS_SYNC except barriers and depbar: enum mnp_fence */
        uint8_t copies; /* MNP_CLASS_MEMORY: 1 if the loaded data goes to shared memory (LDGSTS) */
        uint8_t matrix; /* MNP_CLASS_HALF: 1 if it takes the pipe of doubles and matrices (HFMA2.MMA) */
    };
    uint8_t source_count : 5;
    uint8_t carries : 1; /* adds the carry of the instruction that wrote the register below its destination */
    uint8_t selects : 1; /* has a predicate operand */
    uint8_t guarded : 1; /* has a guard predicate; traces show its effect only in masks */
    uint8_t reuse : 5;   /* control bits: one bit per source that stays in the register cache */
    /* At most three sources and one destination, each of one register; not of class memory, no carry. Unused entries
     * repeat a register that is used, so that models need not check the counts (mnp_mark_instruction). */
    uint8_t narrow : 1;
    /* The instruction only occupies the pipe of its class; it waits for nothing but that pipe and its registers. */
    uint8_t simple : 1;
    struct mnp_registers destination; /* count 0: none */
    struct mnp_registers source[MNP_MAX_SOURCES];
    uint8_t reads[2];      /* number of even and of odd registers read; set by mnp_complete_registers */
    uint8_t stall;         /* control bits: cycles before the warp may issue again, 0 … 15 */
    uint8_t write_counter; /* control bits: counter decremented when the result is written; MNP_COUNTERS: none */
    uint8_t read_counter;  /* control bits: counter decremented when the sources have been read; MNP_COUNTERS: none */
    uint8_t wait;          /* control bits: counters to wait for, one bit each; MNP_WAIT_YIELD, MNP_WAIT_DEPBAR */
};

/* Elements of matrices from their width in bits, rounded up to a power of two, to `operand` and back. */
static inline uint8_t mnp_operand_of(uint32_t bits)
{
    return (uint8_t)(bits > 1 ? 32 - __builtin_clz(bits - 1) : 0);
}

static inline uint32_t mnp_operand_bits(const struct mnp_static_instruction *instruction)
{
    return 1u << instruction->operand;
}

enum {
    MNP_CTA_BARRIERS = 16,    /* named barriers of a CTA, numbered from 0 */
    MNP_CLUSTER_BARRIER = 16, /* live warps: number of the cluster's barrier, behind those of the CTA */
    MNP_COUNTERS = 6
};
enum mnp_wait_flag {
    MNP_WAIT_YIELD = 1 << 6, /* the warp does not issue in the next cycle */
    /* DEPBAR.LE: waits until `counter` falls to `counter_value`; with MNP_FLAG_FENCE, also for copy groups */
    MNP_WAIT_DEPBAR = 1 << 7,
};

/* Makes an instruction the end of a group of the warp's copies to shared memory (LDGDEPBAR, cp.async.commit_group). */
static inline void mnp_set_group_end(struct mnp_static_instruction *instruction)
{
    instruction->flags |= MNP_FLAG_FENCE;
    instruction->fence = MNP_FENCE_CLOSES;
}

/* Makes an instruction wait until at most `groups` groups of copies are under way, or its counter is that low
 * (DEPBAR.LE). */
static inline void mnp_set_group_wait(struct mnp_static_instruction *instruction, uint64_t groups)
{
    instruction->wait |= MNP_WAIT_DEPBAR;
    instruction->counter_value = groups < UINT8_MAX ? (uint8_t)groups : UINT8_MAX;
}

_Static_assert(sizeof(struct mnp_static_instruction) == 32, "an instruction is half a cache line");

/* Whether an instruction is `simple`. */
static inline bool mnp_is_simple(const struct mnp_static_instruction *instruction)
{
    const uint32_t others = 1u << MNP_CLASS_TENSOR | 1u << MNP_CLASS_BRANCH | 1u << MNP_CLASS_SYNC |
                            1u << MNP_CLASS_MEMORY | 1u << MNP_CLASS_SPECIAL;
    return !(others >> instruction->class & 1) && !instruction->flags && instruction->space == MNP_SPACE_NONE &&
           !instruction->selects && !instruction->guarded;
}

/* Whether an instruction is `narrow`; its unused entries need not repeat a register yet. */
static inline bool mnp_is_narrow(const struct mnp_static_instruction *instruction)
{
    uint32_t sources = instruction->source_count;
    bool narrow = sources + instruction->destination.count > 0 && instruction->class != MNP_CLASS_MEMORY &&
                  !instruction->carries && sources <= 3 && instruction->destination.count <= 1;
    for (uint32_t i = 0; i < sources; i++)
        narrow &= instruction->source[i].count == 1;
    return narrow;
}

/* Fills in `narrow` and `simple`; all other members must be set. */
static inline void mnp_mark_instruction(struct mnp_static_instruction *instruction)
{
    instruction->simple = mnp_is_simple(instruction);
    instruction->narrow = mnp_is_narrow(instruction);
    if (!instruction->narrow)
        return;
    uint8_t some = instruction->destination.count ? instruction->destination.first : instruction->source[0].first;
    instruction->destination.first = some;
    for (uint32_t i = instruction->source_count; i < 3; i++)
        instruction->source[i].first = some;
}

/* Fills in `reads`, `narrow` and `simple`, the summaries that models query most often; decoders call it last. */
static inline void mnp_complete_registers(struct mnp_static_instruction *instruction)
{
    uint8_t reads[2] = {0, 0};
    for (uint32_t i = 0; i < instruction->source_count; i++)
        for (uint32_t k = 0; k < instruction->source[i].count; k++)
            reads[(instruction->source[i].first + k) & 1]++;
    instruction->reads[0] = reads[0];
    instruction->reads[1] = reads[1];
    mnp_mark_instruction(instruction);
}

enum { MNP_INDEX_BITS = 23 }; /* a kernel has fewer than 2^23 static instructions */

/* One executed warp instruction. It owns `address_words` words of the warp's address stream. With n active lanes:
 *   no flag, 0 words  no memory access (mask zero, or not a memory instruction)
 *   no flag, 2 words  base, stride (both uint64_t, stride as two's complement): the active lanes' addresses in lane
 *                     order are base, base + stride, … counted over ACTIVE lanes
 *   MNP_RECORD_LIST   one address per active lane, in lane order, in the narrowest of three forms:
 *                     with MNP_RECORD_NEAR    the first lane's address, then the differences of the n - 1 further ones
 *                                             from it as int16_t, four to a word
 *                     with MNP_RECORD_MIDDLE  the same as int32_t, two to a word
 *                     otherwise               n addresses
 * Front-ends write lists with mnp_pack_addresses, so that all of them choose the same form. */
struct mnp_record {
    uint32_t mask;
    uint32_t index : MNP_INDEX_BITS; /* index into the CTA's static instructions */
    uint32_t address_words : 6;      /* at most 32 */
    uint32_t record_flags : 3;
};

enum mnp_record_flag { MNP_RECORD_LIST = 1 << 0, MNP_RECORD_MIDDLE = 1 << 1, MNP_RECORD_NEAR = 1 << 2 };

enum { MNP_PAGE_RECORDS = 128 };

struct mnp_record_page { /* MNP_PAGE_RECORDS records of a warp (the last page may have fewer) and their addresses */
    uint64_t number;     /* page number within the warp; UINT64_MAX: no page is loaded */
    uint64_t first_word; /* index of `addresses` in the warp's address stream */
    const struct mnp_record *records;
    const uint64_t *addresses;
};

/* A warp whose records are stored elsewhere and loaded by pages. Two pages are held: the last one used, and the one
 * used before it. Not thread-safe. */
struct mnp_paged_warp {
    struct mnp_record_page last, before;
    void (*fetch)(struct mnp_paged_warp *warp,
                  uint64_t number); /* loads a page into `last`; the previous `last` moves to `before` */
};

struct mnp_live_warp;

struct mnp_warp_stream {
    const struct mnp_record *records; /* NULL: the stream is paged, or empty */
    uint64_t count;
    const uint64_t *addresses;
    struct mnp_paged_warp *paged; /* source of the records if `records` is NULL */
    /* a live warp, which executes while it is simulated (contract/live.h); `count` is unknown */
    struct mnp_live_warp *live;
};

/* Returns the page of a record, loading it if necessary; the previously used page stays valid. */
static inline const struct mnp_record_page *mnp_page_of(struct mnp_paged_warp *paged, uint64_t record)
{
    uint64_t number = record / MNP_PAGE_RECORDS;
    if (paged->last.number == number)
        return &paged->last;
    if (paged->before.number == number)
        return &paged->before;
    paged->fetch(paged, number);
    return &paged->last;
}

static inline const struct mnp_record *mnp_paged_record(struct mnp_paged_warp *paged, uint64_t record)
{
    return &mnp_page_of(paged, record)->records[record % MNP_PAGE_RECORDS];
}

/* Returns the address words of a record, which begin at index `word` of the warp's address stream. */
static inline const uint64_t *mnp_paged_words(struct mnp_paged_warp *paged, uint64_t record, uint64_t word)
{
    const struct mnp_record_page *page = mnp_page_of(paged, record);
    return page->addresses + (word - page->first_word);
}

/* The instructions of one CTA, in buffers that the front-end owns and fills in; valid until released. */
struct mnp_live_core;

struct mnp_cta_code {
    uint32_t warp_count;
    uint32_t block[3];             /* its coordinates in the grid */
    struct mnp_warp_stream *warps; /* [warp_count] */
    /* Table that the records' indices refer to. CTAs may have different tables, because one PC may have several
     * texts. */
    const struct mnp_static_instruction *instructions;
    void *owner;                /* private to the front-end */
    struct mnp_live_core *core; /* source with memory: set by the caller of load_cta */
    /* Source with memory: the CTA's shared memory. `end_phase` completes the current phase of the cluster's barrier for
     * this CTA, when all CTAs of its cluster have arrived, and returns the CTA's barriers that have opened, one bit
     * each. */
    unsigned char *shared;
    uint32_t shared_bytes;
    uint32_t (*end_phase)(struct mnp_cta_code *code);
};

enum { MNP_KERNEL_NAME = 2048 }; /* size of a buffer for a kernel's mangled name; PyTorch's reach 1,222 characters */

struct mnp_kernel {
    char name[MNP_KERNEL_NAME];
    uint32_t id; /* number of the launch, counted from 1 */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   /* CTAs of a cluster along each axis; 0 means 1 */
    uint64_t cta_count;    /* grid[0]·grid[1]·grid[2] */
    uint32_t threads;      /* per CTA */
    uint32_t shared_bytes; /* static and dynamic, per CTA */
    uint32_t registers;    /* per thread */
    uint32_t architecture; /* 70, 75, 80, 86, 89, 90 */
    uint64_t code_bytes;   /* size of its instructions; 0: unknown, as in a trace */
    uint64_t stream;
    uint64_t shared_base, local_base; /* windows of the generic address space */
    bool has_control;                 /* its instructions have control bits */
    bool pairs;                       /* its CTAs of ranks 2i and 2i + 1 need the two SMs of a TPC */
    /* may begin once all CTAs of the preceding grid in its stream have allowed it (programmatic dependent launch) */
    bool early;
    bool prepared;    /* follows another kernel in a graph that was launched as a whole */
    bool queued;      /* was added to its stream behind a kernel that had not ended, or behind events after one, */
    uint32_t records; /* … so many of which are recorded there */
    const char *code; /* form of the program's code, "ptx" or "sass"; NULL: a trace */
    void *owner;
};

/* The number of CTAs of a cluster: at least one. */
static inline uint32_t mnp_cluster_size(const uint32_t cluster[3])
{
    return cluster[0] ? cluster[0] * cluster[1] * cluster[2] : 1;
}

/* The CTA's number in the grid, from its cluster's number and its rank. */
static inline uint64_t mnp_cluster_cta(const uint32_t grid[3], const uint32_t size[3], uint64_t cluster, uint32_t rank)
{
    if (!size[0])
        return cluster;
    uint64_t across = grid[0] / size[0], down = grid[1] / size[1];
    uint64_t x = cluster % across * size[0] + rank % size[0];
    uint64_t y = cluster / across % down * size[1] + rank / size[0] % size[1];
    uint64_t z = cluster / across / down * size[2] + rank / size[0] / size[1];
    return x + grid[0] * (y + grid[1] * z);
}

/* The number in the grid of the CTA of a rank, in the cluster that contains the CTA `cta`. */
static inline uint64_t mnp_cluster_member(const uint32_t grid[3], const uint32_t size[3], uint64_t cta, uint32_t rank)
{
    if (!size[0])
        return cta;
    uint64_t x = cta % grid[0] / size[0], y = cta / grid[0] % grid[1] / size[1], z = cta / grid[0] / grid[1] / size[2];
    uint64_t across = grid[0] / size[0], down = grid[1] / size[1];
    return mnp_cluster_cta(grid, size, x + across * (y + down * z), rank);
}

/* The launch that is the next command, as far as it is known before its trace is opened. */
struct mnp_upcoming {
    uint32_t launch; /* its number, from 1 */
    uint32_t first;  /* the first launch that uses the same trace; may be this one */
    uint32_t times;  /* total number of launches of that trace; 1 if unknown */
    uint64_t bytes;  /* size of its trace; 0 if unknown */
    bool gone;       /* whether it had ended before a snapshot, so that it can only be passed over */
};

struct mnp_memory;

enum mnp_command_kind {
    MNP_COMMAND_END,
    MNP_COMMAND_COPY,
    MNP_COMMAND_KERNEL,
    MNP_COMMAND_NONE, /* none at present; wake the machine when there are more */
};

struct mnp_command {
    enum mnp_command_kind kind;
    uint64_t address, bytes;   /* MNP_COMMAND_COPY to the device: address and length of a row */
    uint64_t rows, pitch;      /* copies of several rows: their number, and the distance in bytes between them */
    struct mnp_kernel *kernel; /* MNP_COMMAND_KERNEL; owned by the front-end, valid until kernel_done */
};

/*
 * A source of kernels. All calls but `load_cta` and `release_cta` come from one thread at a time, in a fixed order.
 * `load_cta` and `release_cta` may come from any thread, for any CTA, at any time between `next` and `kernel_done`;
 * their results depend only on the kernel and the CTA's number.
 */
struct mnp_source {
    /* If not NULL, warps execute on this memory while they are simulated (contract/live.h). `prepare` is called after a
     * machine with `cores` cores has been built, `between` between windows, and `atomic` by L2 slices. */
    struct mnp_memory *memory;
    void (*prepare)(struct mnp_source *source, uint32_t cores);
    void (*between)(struct mnp_source *source);
    uint64_t (*atomic)(uint8_t operation, uint8_t type, uint64_t old, uint64_t a, uint64_t b);
    /* Combines what memories of a multicast object hold (mnp_live_combine). NULL: nothing loads such objects. */
    uint64_t (*combine)(uint8_t operation, uint8_t type, uint32_t bytes, const uint64_t *values, uint32_t count);

    /* Returns the next completed copy or fill that the machine has not been told about. The machine inserts its lines
     * into the L2 immediately, whatever kernels run. Returns false if there is none. NULL: copies are commands, as in a
     * trace. */
    bool (*copied)(struct mnp_source *source, struct mnp_command *command);

    /* Returns the next command of the host program, in order. Returns false on an error. */
    bool (*next)(struct mnp_source *source, struct mnp_command *command, struct mnp_error *error);

    /* Peeks at the next command; returns false if it is not a launch. `pass_over` skips that launch without opening it.
     * Both are NULL if launches have no trace. */
    bool (*upcoming)(const struct mnp_source *source, struct mnp_upcoming *upcoming);
    void (*pass_over)(struct mnp_source *source);

    /* Loads CTA number `cta` (0 … cta_count-1, in the order of the input). The caller zeroes `code` before the first
     * call, and may reuse it after release_cta, which keeps its buffers for the next load. */
    bool (*load_cta)(struct mnp_source *source, struct mnp_kernel *kernel, uint64_t cta, struct mnp_cta_code *code,
                     struct mnp_error *error);
    void (*release_cta)(struct mnp_source *source, struct mnp_cta_code *code);

    /* The kernel has ended: frees its memory. */
    void (*kernel_done)(struct mnp_source *source, struct mnp_kernel *kernel);

    void (*close)(struct mnp_source *source);

    const char *(*opcode_name)(const struct mnp_source *source, uint16_t opcode);

    /* Returns the text of a static instruction that a CTA uses, as its decoder reads it (contract/decoder.h). The text
     * is not zero-terminated and is valid until the CTA is released. Returns NULL if it has none. */
    const char *(*instruction_text)(const struct mnp_source *source, const struct mnp_kernel *kernel,
                                    const struct mnp_cta_code *code, uint32_t index, uint32_t *length);

    /* Writes a static instruction with its operands as zero-terminated text. NULL: instruction_text has them. */
    void (*instruction_print)(const struct mnp_source *source, const struct mnp_kernel *kernel, uint32_t index,
                              char *text, size_t room);

    /* Writes the source location of a static instruction: "file.cu:12". Returns false if it is unknown. May be NULL. */
    bool (*instruction_place)(const struct mnp_source *source, const struct mnp_kernel *kernel, uint32_t index,
                              char *text, size_t room);

    /* Does a piece of work for future CTAs that takes well below a second; callable from any thread while the source is
     * open. Returns false if there is none at present. May be NULL. */
    bool (*work_ahead)(struct mnp_source *source);
    _Atomic uint32_t ahead_wanted; /* nonzero if work_ahead may have work */

    /* Set when the source is opened: number of launches (0: unknown), architecture of the first kernel, total size of
     * its files, and a hash of its commands with the sizes of the files that they name. */
    uint32_t kernel_count;
    uint32_t architecture;
    uint64_t input_bytes, input_hash;
    /* launches before the first one returned by `next`: a snapshot was taken after they had ended */
    uint32_t skipped;
    uint64_t unknown_opcodes; /* counted with --unknown=alu; read after the run */
    /* kernels of a trace with bulk copies, which a trace does not execute; read after the run */
    uint32_t still_copies;
};

/* Returns the number of words of a list of addresses, in the form that a record's flags name. */
static inline uint32_t mnp_list_words(uint32_t lanes, uint32_t flags)
{
    return flags & MNP_RECORD_NEAR ? 1 + (lanes + 2) / 4 : flags & MNP_RECORD_MIDDLE ? 1 + lanes / 2 : lanes;
}

/* Packs a list of addresses (one per active lane, in lane order) in place. The narrowest form that fits is used. Sets
 * the record's word count and flags. `lanes` is at least 1. */
static inline void mnp_pack_addresses(struct mnp_record *record, uint64_t *words, uint32_t lanes)
{
    uint64_t first = words[0], beyond = 0;
    for (uint32_t i = 1; i < lanes; i++) {
        uint64_t difference = words[i] - first;
        /* magnitude bits: for a negative difference, its complement */
        beyond |= difference ^ (0 - (difference >> 63));
    }
    uint8_t flags = MNP_RECORD_LIST;
    if (beyond <= INT16_MAX && lanes > 2) {
        int16_t differences[MNP_WARP_SIZE] = {0};
        for (uint32_t i = 1; i < lanes; i++)
            differences[i - 1] = (int16_t)(words[i] - first);
        flags |= MNP_RECORD_NEAR;
        memcpy(words + 1, differences, (mnp_list_words(lanes, flags) - 1) * sizeof *words);
    } else if (beyond <= INT32_MAX && lanes > 2) {
        int32_t differences[MNP_WARP_SIZE] = {0};
        for (uint32_t i = 1; i < lanes; i++)
            differences[i - 1] = (int32_t)(words[i] - first);
        flags |= MNP_RECORD_MIDDLE;
        memcpy(words + 1, differences, (mnp_list_words(lanes, flags) - 1) * sizeof *words);
    }
    record->record_flags = flags;
    record->address_words = (uint8_t)mnp_list_words(lanes, flags);
}

/* Expands a list of addresses into one per active lane. */
static inline void mnp_expand_list(const struct mnp_record *record, const uint64_t *words, uint32_t lanes,
                                   uint64_t addresses[static MNP_WARP_SIZE])
{
    addresses[0] = words[0];
    if (record->record_flags & MNP_RECORD_NEAR) {
        int16_t differences[MNP_WARP_SIZE];
        memcpy(differences, words + 1, (record->address_words - 1U) * sizeof *words);
        for (uint32_t i = 1; i < lanes; i++)
            addresses[i] = words[0] + (uint64_t)(int64_t)differences[i - 1];
    } else if (record->record_flags & MNP_RECORD_MIDDLE) {
        int32_t differences[MNP_WARP_SIZE];
        memcpy(differences, words + 1, (record->address_words - 1U) * sizeof *words);
        for (uint32_t i = 1; i < lanes; i++)
            addresses[i] = words[0] + (uint64_t)(int64_t)differences[i - 1];
    } else {
        memcpy(addresses, words, lanes * sizeof *words);
    }
}

/* Expands the addresses of a record into one per active lane, in lane order; returns their number.
 * `words` is the record's part of the address stream. */
static inline uint32_t mnp_expand_addresses(const struct mnp_record *record, const uint64_t *words,
                                            uint64_t addresses[static MNP_WARP_SIZE])
{
    if (record->address_words == 0)
        return 0;
    uint32_t lanes = (uint32_t)__builtin_popcount(record->mask);
    if (record->record_flags & MNP_RECORD_LIST) {
        mnp_expand_list(record, words, lanes, addresses);
        return lanes;
    }
    for (uint32_t i = 0; i < lanes; i++)
        addresses[i] = words[0] + i * words[1];
    return lanes;
}

#endif
