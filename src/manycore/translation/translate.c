/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the code of a program by following it from its entry and functions, cuts it into blocks, and writes each as C.
 *
 * A block has one way in and several out. It is entered only when all of it can be executed before the core must stop
 * (its greatest time is known), so that time is looked at once a block; the interpreter does the rest. Heads of loops,
 * functions and return points can be entered from the interpreter, other blocks only from blocks: so inner loops keep
 * one head, and the host's compiler sees them as loops.
 */
#include "base/allocate.h"
#include "manycore/translation/translate.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_BLOCK = 48, LONGEST_STRETCH = 6000 /* words in a C function, so that compilers are done in time */ };

extern const char manycore_translated_text[]; /* translated.h, by embed.py */

/* ===== finding code ===== */

struct search {
    struct manycore_writer *writer;
    uint32_t *stack; /* words to go on from */
    uint32_t count;
};

static void find(struct search *search, uint32_t address, uint8_t marks)
{
    const struct manycore_code *code = search->writer->code;
    uint32_t word = (address - code->address) / 4;
    if (word >= code->words || (address & 3))
        return;
    if (!(search->writer->marks[word] & (MANYCORE_REACHED | MANYCORE_LEADER)))
        search->stack[search->count++] = word;
    search->writer->marks[word] |= (uint8_t)(marks | MANYCORE_LEADER);
}

/* LDRcc pc, [pc, register, LSL #2]: a table of addresses two words on. */
static void find_table(struct search *search, uint32_t word)
{
    const struct manycore_code *code = search->writer->code;
    for (uint32_t at = word + 2; at < code->words; at++) {
        uint32_t target;
        memcpy(&target, search->writer->segment->data + 4 * (size_t)at, 4);
        if ((target & 3) || (target - code->address) / 4 >= code->words ||
            (search->writer->marks[at] & MANYCORE_REACHED))
            break;
        find(search, target, MANYCORE_ENTRY);
    }
}

/* Follows the code from a word until it leads elsewhere without condition. */
static void follow(struct search *search, uint32_t word)
{
    const struct manycore_code *code = search->writer->code;
    uint8_t *marks = search->writer->marks;
    for (; word < code->words && !(marks[word] & MANYCORE_REACHED); word++) {
        const struct a32_op *op = &code->ops[word];
        uint32_t pc = code->address + 4 * word;
        marks[word] |= MANYCORE_REACHED;
        if (op->handler == A32_UNDEFINED || op->handler == A32_THUMB)
            break;
        if (op->handler == A32_BRANCH || op->handler == A32_BRANCH_LINK)
            find(search, op->value, op->handler == A32_BRANCH_LINK || op->value <= pc ? MANYCORE_ENTRY : 0);
        if (op->handler == A32_TRANSFER && op->d == 15 && op->n == 15 && (op->flags & A32_OFFSET_REGISTER))
            find_table(search, word);
        bool returns = op->handler == A32_BRANCH_LINK || op->handler == A32_BRANCH_LINK_EXCHANGE;
        if (returns || !manycore_translates(op))
            find(search, pc + 4, MANYCORE_ENTRY);
        if (returns || (manycore_branches(op) && op->condition == 14))
            break;
    }
}

static void find_code(struct manycore_writer *writer, const struct mnp_program *program)
{
    struct search search = {.writer = writer, .stack = mnp_allocate(writer->code->words + 1, sizeof *search.stack)};
    find(&search, program->entry, MANYCORE_ENTRY);
    for (uint32_t i = 0; i < program->function_count; i++)
        find(&search, program->functions[i].address, MANYCORE_ENTRY);
    while (search.count)
        follow(&search, search.stack[--search.count]);
    free(search.stack);
    uint32_t length = 0;
    for (uint32_t i = 0; i < writer->code->words; i++) {
        if (!(writer->marks[i] & MANYCORE_REACHED))
            writer->marks[i] = 0; /* a leader beyond the code's end */
        length = writer->marks[i] & MANYCORE_LEADER ? 0 : length + 1;
        if (length == LONGEST_BLOCK) {
            writer->marks[i] |= MANYCORE_LEADER;
            length = 0;
        }
    }
}

/* ===== time ===== */

/* The greatest time of a block. */
static uint32_t bound_of(const struct manycore_writer *writer, uint32_t word)
{
    const struct manycore_parameters *p = writer->parameters;
    const struct manycore_cache_shape *i = &p->instruction_shape, *d = &p->data_shape;
    uint32_t access = p->timing.private_access > p->timing.scratchpad ? p->timing.private_access : p->timing.scratchpad;
    uint64_t bound = 0, first = word;
    if (p->caches && d->miss + d->write_back_cycles > access)
        access = d->miss + d->write_back_cycles;
    for (; word < writer->last && (word == first || !(writer->marks[word] & MANYCORE_LEADER)); word++) {
        const struct a32_op *op = &writer->code->ops[word];
        uint32_t accesses = 0;
        if (op->handler == A32_BLOCK)
            accesses = (uint32_t)__builtin_popcount(op->value);
        else if (op->mix == A32_CLASS_LOAD || op->mix == A32_CLASS_STORE)
            accesses = 2;
        bound += 1 + p->timing.load_use + p->timing.multiply + p->timing.long_multiply + (uint64_t)accesses * access;
        bound += (p->caches ? i->miss : 0) + (manycore_branches(op) ? p->timing.branch : 0);
        if (!(writer->marks[word] & MANYCORE_REACHED))
            break;
    }
    return bound > UINT32_MAX ? UINT32_MAX : (uint32_t)bound;
}

/* ===== writing ===== */

static void write_block(struct manycore_writer *writer, uint32_t word)
{
    uint32_t address = writer->code->address + 4 * word, bound = bound_of(writer, word), first = word;
    writer->kind = MANYCORE_KIND_UNKNOWN;
    writer->line = 0;
    writer->loaded = 0;
    writer->loaded_known = true;
    writer->owed = (struct manycore_owed){0};
    if (writer->marks[word] & (MANYCORE_ENTRY | MANYCORE_CHECKED))
        fprintf(writer->out,
                "C_%x:\n if (clock + %uu > until) { pc = 0x%xu; goto leave; }\n"
                " if (loaded & 0x%xu) { clock += T_LOAD_USE; b += 1ull << 32; }\n goto B_%x;\n",
                address, bound, address, writer->code->ops[word].uses, address);
    fprintf(writer->out, "L_%x:\n if (clock + %uu > until) { pc = 0x%xu; loaded = 0; goto leave; }\n", address, bound,
            address);
    if (writer->marks[word] & (MANYCORE_ENTRY | MANYCORE_CHECKED))
        fprintf(writer->out, "B_%x:\n", address);
    bool goes_on = true;
    for (; goes_on && word < writer->last && (writer->marks[word] & MANYCORE_REACHED); word++) {
        if (word > first && (writer->marks[word] & MANYCORE_LEADER))
            break;
        writer->pc = writer->code->address + 4 * word;
        snprintf(writer->name[15], sizeof writer->name[15], "0x%xu", writer->pc + 8);
        goes_on = manycore_translate_instruction(writer, &writer->code->ops[word]);
    }
    if (!goes_on)
        return;
    manycore_translate_owed(writer, &writer->owed);
    writer->pc += 4;
    bool inside = word < writer->last && (writer->marks[word] & MANYCORE_REACHED);
    if (writer->loaded_known)
        fprintf(writer->out, " loaded = 0x%xu;", writer->loaded);
    if (!inside) {
        fprintf(writer->out, " pc = 0x%xu; more = 1; goto leave;\n", writer->pc);
    } else if (writer->loaded_known && !writer->loaded) {
        fprintf(writer->out, " goto L_%x;\n", writer->pc);
    } else {
        writer->marks[word] |= MANYCORE_CHECKED;
        fprintf(writer->out, " goto C_%x;\n", writer->pc);
    }
}

static void write_sites(struct manycore_writer *writer)
{
    fprintf(writer->out, "bail:\n switch (site) {\n");
    for (uint32_t i = 0; i < writer->site_count; i++) {
        const struct manycore_site *site = &writer->sites[i];
        fprintf(writer->out, " case %u: pc = 0x%xu;", i, site->pc);
        if (site->loaded_known)
            fprintf(writer->out, " loaded = 0x%xu;", site->loaded);
        manycore_translate_owed(writer, &site->owed);
        fprintf(writer->out, " break;\n");
    }
    fprintf(writer->out, " }\nleave:\n LEAVE\n}\n\n");
    writer->site_count = 0;
}

/* Goes to the entry that the pc names, on a GPU. */
static void write_dispatch(struct manycore_writer *writer)
{
    fprintf(writer->out, " enum { cached = %d };\n u32 site = 0, next = 0;\n ENTER\ndispatch:\n switch (pc) {\n",
            !writer->code->scratchpad);
    for (uint32_t i = writer->first; i < writer->last; i++) {
        uint32_t address = writer->code->address + 4 * i;
        if (writer->marks[i] & MANYCORE_ENTRY)
            fprintf(writer->out, " case 0x%xu: goto C_%x;\n", address, address);
    }
    fputs(" }\n", writer->out);
}

/* The same for the host: by a table, so that the compiler makes one jump of it. */
static void write_table(struct manycore_writer *writer)
{
    uint32_t entries = 0, base = writer->code->address + 4 * writer->first;
    FILE *out = writer->out;
    fprintf(out, " static const unsigned short entries[%u] = {", writer->last - writer->first);
    for (uint32_t i = writer->first; i < writer->last; i++)
        if (writer->marks[i] & MANYCORE_ENTRY)
            fprintf(out, "[%u] = %u, ", i - writer->first, ++entries);
    fprintf(out, "};\n enum { cached = %d };\n u32 site = 0, next = 0;\n ENTER\n", !writer->code->scratchpad);
    fprintf(out, "dispatch:\n x = (pc - 0x%xu) >> 2;\n switch (x < %uu ? entries[x] : 0) {\n", base,
            writer->last - writer->first);
    entries = 0;
    for (uint32_t i = writer->first; i < writer->last; i++)
        if (writer->marks[i] & MANYCORE_ENTRY)
            fprintf(out, " case %u: goto C_%x;\n", ++entries, writer->code->address + 4 * i);
    fprintf(out, " }\n");
}

/* A stretch of code as a function of C. */
static void write_stretch(struct manycore_writer *writer)
{
    FILE *out = writer->out;
    fprintf(out, "STRETCH u32 t_%x(u8 *core, const u8 *place, u64 until, const struct helpers *helpers)\n{\n",
            writer->code->address + 4 * writer->first);
    if (writer->device)
        write_dispatch(writer);
    else
        write_table(writer);
    fprintf(out, " more = 1;\n goto leave;\n");
    for (uint32_t i = writer->first; i < writer->last; i++)
        if (writer->marks[i] & MANYCORE_LEADER)
            write_block(writer, i);
    write_sites(writer);
}

/* Cuts a segment into stretches at places that can be entered, and writes them. */
static void write_code(struct manycore_writer *writer)
{
    const struct manycore_code *code = writer->code;
    uint32_t words = code->words;
    uint32_t *stretch_of = writer->stretch_of;
    uint32_t count = 0, stretches = 0;
    for (uint32_t i = 0; i < words; i++) {
        count += writer->marks[i] & MANYCORE_REACHED;
        if (count > LONGEST_STRETCH && (writer->marks[i] & MANYCORE_ENTRY)) {
            count = 0;
            stretches++;
        }
        stretch_of[i] = stretches;
    }
    for (uint32_t i = 0; i < words; i++) { /* branches from one to another */
        const struct a32_op *op = &code->ops[i];
        uint32_t target = (op->value - code->address) / 4;
        if ((writer->marks[i] & MANYCORE_REACHED) && op->handler == A32_BRANCH && target < words &&
            stretch_of[target] != stretch_of[i])
            writer->marks[target] |= MANYCORE_ENTRY;
    }
    for (writer->first = 0; writer->first < words; writer->first = writer->last) {
        writer->last = writer->first;
        while (writer->last < words && stretch_of[writer->last] == stretch_of[writer->first])
            writer->last++;
        write_stretch(writer);
    }
}

/* The table by which the library is entered (library.c), or what makes it on a GPU (gpu/translation.c), where those of
 * all code lie one behind the other, from `first` on. */
static void write_entries(const struct manycore_writer *writer, FILE *entries, size_t first)
{
    uint32_t base = 0;
    for (uint32_t i = 0; i < writer->code->words; i++) {
        uint32_t address = writer->code->address + 4 * i;
        if (i == 0 || writer->stretch_of[i] != writer->stretch_of[i - 1])
            base = address;
        if ((writer->marks[i] & MANYCORE_ENTRY) && writer->device)
            fprintf(entries, "to[%zu] = (u64)&t_%x;\n", first + i, base);
        else if (writer->marks[i] & MANYCORE_ENTRY)
            fprintf(entries, "{0x%xu, t_%x},\n", address, base);
    }
}

static void define(FILE *out, const char *name, uint64_t value)
{
    fprintf(out, "#define %s %lluu\n", name, (unsigned long long)value);
}

static void write_cache(FILE *out, char letter, const struct manycore_cache_shape *shape)
{
    fprintf(out, "#define T_%c_SETS %uu\n#define T_%c_WAYS %uu\n#define T_%c_SHIFT %u\n", letter, shape->sets, letter,
            shape->ways, letter, shape->line_shift);
    fprintf(out, "#define T_%c_LRU %d\n#define T_%c_WRITE_BACK %d\n#define T_%c_HIT %uu\n", letter, shape->lru, letter,
            shape->write_back, letter, shape->hit);
}

/* Constants of the code: parameters of the core and of caches, none of the number of cores. */
static void write_definitions(FILE *out, const struct manycore_parameters *p)
{
#define CORE(NAME, FIELD)  define(out, "T_" NAME, offsetof(struct manycore_core, FIELD))
#define PLACE(NAME, FIELD) define(out, "T_" NAME, offsetof(struct manycore_place, FIELD))
    CORE("R", r);
    CORE("N", flags.n);
    CORE("Z", flags.z);
    CORE("C", flags.c);
    CORE("V", flags.v);
    CORE("Q", q);
    CORE("CLOCK", clock);
    CORE("LOADED", loaded);
    CORE("FETCHED", fetch_line);
    CORE("MIX_ALU", mix[A32_CLASS_ALU]);
    CORE("MIX_LOAD", mix[A32_CLASS_LOAD]);
    CORE("MIX_BRANCH", mix[A32_CLASS_BRANCH]);
    CORE("MIX_STORE", mix[A32_CLASS_STORE]);
    CORE("MIX_MULTIPLY", mix[A32_CLASS_MULTIPLY]);
    CORE("MIX_MEDIA", mix[A32_CLASS_MEDIA]);
    CORE("BRANCH_CYCLES", branch_cycles);
    CORE("LOAD_USE_CYCLES", load_use_cycles);
    CORE("DATA_ACCESSES", data_cache.accesses);
    CORE("FETCH_ACCESSES", instruction_cache.accesses);
    PLACE("READABLE", readable);
    PLACE("WRITABLE", writable);
    PLACE("SCRATCHPAD_AT", scratchpad);
    PLACE("PRIVATE_BYTES", private_bytes);
    PLACE("DATA_WORDS", data_tags.words);
    PLACE("DATA_GUESS", data_tags.guess);
    PLACE("FETCH_WORDS", instruction_tags.words);
    PLACE("FETCH_GUESS", instruction_tags.guess);
#undef CORE
#undef PLACE
    define(out, "T_SCRATCHPAD", p->dspm);
    define(out, "T_GUESSES", MANYCORE_GUESSES);
    define(out, "T_BRANCH", p->timing.branch);
    define(out, "T_LOAD_USE", p->timing.load_use);
    define(out, "T_PRIVATE_ACCESS", p->timing.private_access);
    define(out, "T_SCRATCHPAD_ACCESS", p->timing.scratchpad);
    fprintf(out, "#define T_CACHES %d\n", p->caches != 0);
    write_cache(out, 'I', &p->instruction_shape);
    write_cache(out, 'D', &p->data_shape);
}

char *manycore_translate(const struct manycore_image *image, const struct manycore_parameters *parameters, bool device)
{
    const struct mnp_program *program = image->program;
    char *text = NULL, *table = NULL;
    size_t length = 0, table_length = 0, done = 0;
    FILE *out = open_memstream(&text, &length), *entries = open_memstream(&table, &table_length);
    MNP_REQUIRE(out && entries, "no stream in memory");
    if (device) {
        define(out, "T_LANES", MANYCORE_WARP);
        define(out, "T_PRIVATE", parameters->private_bytes);
    }
    write_definitions(out, parameters);
    fputs(manycore_translated_text, out);
    fputs(device ? "extern \"C\" __global__ void manycore_enter(u64 *to)\n{\n"
                 : "const struct entry translated[] = {\n",
          entries);
    for (uint32_t i = 0; i < image->code_count; done += image->code[i++].words + 1u) {
        struct manycore_writer writer = {
            .out = out, .parameters = parameters, .device = device, .code = &image->code[i]};
        for (uint32_t j = 0; j < program->segment_count; j++)
            if (program->segments[j].address == writer.code->address)
                writer.segment = &program->segments[j];
        for (uint32_t reg = 0; reg < 15; reg++)
            snprintf(writer.name[reg], sizeof writer.name[reg], "r%u", reg);
        writer.marks = mnp_allocate(writer.code->words + 1, 1);
        writer.stretch_of = mnp_allocate(writer.code->words + 1, sizeof *writer.stretch_of);
        find_code(&writer, program);
        write_code(&writer);
        write_entries(&writer, entries, done);
        free(writer.marks);
        free(writer.stretch_of);
        free(writer.sites);
    }
    fputs(device ? "}\n" : "{0, 0}};\n", entries);
    fclose(entries);
    fputs(table, out);
    free(table);
    fclose(out);
    return text;
}
