/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple disassemble`: the machine code of a cubin, a fat binary or a CUDA program, as text. */
#include "base/demangle.h"
#include "base/file.h"
#include "base/print.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "frontend/cuda/fatbin.h"
#include "frontend/sass/cubin.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/text.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_KERNEL = 256, KEY_CONTROL, MOST_BYTES = 1 << 30, MOST_UNKNOWN = 32 };

/* Words of one operation of one architecture that no form fits. */
struct unknown {
    unsigned architecture, operation;
    size_t count;
    char first[160]; /* kernel and address */
    const char *nearest;
};

struct disassemble {
    const char *file, *kernel; /* kernel: NULL: all */
    bool control;
    unsigned architecture;
    size_t cubins, kernels, unknown_words, unknown_count;
    struct unknown unknown[MOST_UNKNOWN]; /* in the order in which they were met; further ones are counted alone */
    struct mnp_error error;
};

static const struct argp_option options[] = {
    {.name = "kernel", .key = KEY_KERNEL, .arg = "NAME", .doc = "Only this kernel, as the listing or C++ names it."},
    {.name = "control", .key = KEY_CONTROL, .doc = "Also the control bits: waits, read, written, yield, stall."},
    {0},
};

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct disassemble *order = state->input;
    switch (key) {
    case KEY_KERNEL:
        order->kernel = text;
        return 0;
    case KEY_CONTROL:
        order->control = true;
        return 0;
    case ARGP_KEY_ARG:
        if (order->file)
            mnp_fail(&order->error, "there are two files, %.200s and %.200s; give one", order->file, text);
        order->file = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* "B01----:R-:W2:Y:S05": counters waited for, counters that reading and writing lower, yield, stall. */
static void print_control(struct sass_control control)
{
    char waits[] = "------", read = '-', written = '-';
    for (unsigned i = 0; i < 6; i++)
        if (control.waits >> i & 1)
            waits[i] = (char)('0' + i);
    if (control.read != SASS_NO_COUNTER)
        read = (char)('0' + control.read);
    if (control.written != SASS_NO_COUNTER)
        written = (char)('0' + control.written);
    mnp_print_text(stdout, "B%s:R%c:W%c:%c:S%02u  ", waits, read, written, control.yield ? 'Y' : '-', control.stall);
}

/* The place of an operation among the unknown ones; NULL: there are too many. */
static struct unknown *unknown_of(struct disassemble *order, unsigned operation)
{
    struct unknown *unknown = order->unknown;
    for (size_t i = 0; i < order->unknown_count; i++, unknown++)
        if (unknown->operation == operation && unknown->architecture == order->architecture)
            return unknown;
    if (order->unknown_count == MOST_UNKNOWN)
        return NULL;
    order->unknown_count++;
    *unknown = (struct unknown){.architecture = order->architecture, .operation = operation};
    return unknown;
}

/* A word that no form fits: its bits, as data, and what is known of it. */
static void print_unknown(struct disassemble *order, const struct sass_decoder *decoder,
                          const struct sass_kernel *kernel, const struct sass_instruction *instruction,
                          uint64_t address, enum sass_decoded decoded)
{
    struct sass_word word = instruction->word;
    unsigned operation = (unsigned)sass_bits(&word, 0, 11);
    const char *nearest = decoded == SASS_UNKNOWN ? sass_nearest_form(decoder, word) : instruction->form->name;
    struct unknown *unknown = unknown_of(order, operation);
    char bits[SASS_BITS_MOST] = "";
    if (decoded == SASS_UNNAMED)
        sass_unnamed_text(instruction, bits);
    mnp_print_text(stdout, ".word 0x%016" PRIx64 "%016" PRIx64 "  # no form: operation 0x%03x, nearest %s%s%s\n",
                   word.high, word.low, operation, nearest ? nearest : "none", *bits ? " but for " : "", bits);
    order->unknown_words++;
    if (!unknown || unknown->count++)
        return;
    unknown->nearest = nearest ? nearest : "none";
    snprintf(unknown->first, sizeof unknown->first, "kernel %.120s, address 0x%" PRIx64, kernel->name, address);
}

/* An instruction that no form fits is written as its word, and told at the end. */
static void print_instruction(struct disassemble *order, const struct sass_decoder *decoder,
                              const struct sass_kernel *kernel, size_t index)
{
    char text[SASS_TEXT_MOST];
    struct sass_instruction instruction;
    struct sass_word word = sass_kernel_word(kernel, index);
    uint64_t address = (uint64_t)index * SASS_WORD_BYTES;
    printf("    %04" PRIx64 "  ", address);
    if (order->control)
        print_control(sass_control_of(&word));
    enum sass_decoded decoded = sass_decode(decoder, word, &instruction);
    if (decoded == SASS_DECODED) {
        sass_text(&instruction, address, text);
        mnp_print_text(stdout, "%s\n", text);
        return;
    }
    print_unknown(order, decoder, kernel, &instruction, address, decoded);
}

static void print_kernel(struct disassemble *order, const struct sass_decoder *decoder,
                         const struct sass_kernel *kernel, const char *name)
{
    mnp_print_text(stdout, "\n%s %s", kernel->entry ? "kernel" : "function", kernel->name);
    if (strcmp(name, kernel->name) != 0)
        mnp_print_text(stdout, " (%s)", name);
    printf("\n    # %zu instructions, %u registers, %" PRIu64
           " bytes of shared memory, %u of stack, %u of parameters\n",
           kernel->words, kernel->registers, kernel->shared_bytes, kernel->frame, kernel->parameter_bytes);
    for (size_t i = 0; i < kernel->words; i++)
        print_instruction(order, decoder, kernel, i);
    order->kernels++;
}

static bool is_meant(const char *wanted, const struct sass_kernel *kernel, const char *name)
{
    size_t length = strcspn(name, "(");
    return !wanted || strcmp(wanted, kernel->name) == 0 || strcmp(wanted, name) == 0 ||
           (strlen(wanted) == length && strncmp(wanted, name, length) == 0);
}

static bool print_cubin(struct disassemble *order, const unsigned char *image, size_t bytes)
{
    struct sass_cubin *cubin = sass_cubin_open(order->file, image, bytes, &order->error);
    if (!cubin)
        return false;
    struct sass_decoder *decoder = sass_decoder_create(sass_cubin_architecture(cubin));
    order->architecture = sass_cubin_architecture(cubin);
    printf(order->cubins++ ? "\n# machine code for sm_%u\n" : "# machine code for sm_%u\n",
           sass_cubin_architecture(cubin));
    for (size_t i = 0; i < sass_cubin_kernel_count(cubin); i++) {
        const struct sass_kernel *kernel = sass_cubin_kernel(cubin, i);
        char *name = mnp_demangle(kernel->name);
        if (is_meant(order->kernel, kernel, name))
            print_kernel(order, decoder, kernel, name);
        free(name);
    }
    sass_decoder_free(decoder);
    sass_cubin_free(cubin);
    return true;
}

static bool print_fatbin(struct disassemble *order, const unsigned char *image, size_t bytes)
{
    struct cuda_fatbin fatbin;
    struct cuda_entry entry;
    if (!fatbin_open(&fatbin, order->file, image, bytes, &order->error))
        return false;
    while (fatbin_next(&fatbin, &entry, &order->error)) {
        size_t length;
        if (entry.kind != CUDA_ENTRY_MACHINE_CODE)
            continue;
        unsigned char *content = fatbin_content(&fatbin, &entry, &length, &order->error);
        bool good = content && print_cubin(order, content, length);
        free(content);
        if (!good)
            return false;
    }
    return !order->error.text[0];
}

static bool is_cubin(const unsigned char *image, size_t bytes)
{
    static const unsigned char magic[] = {0x7f, 'E', 'L', 'F'};
    return bytes >= 20 && memcmp(image, magic, sizeof magic) == 0 && (image[18] | image[19] << 8) == SASS_CUBIN_MACHINE;
}

/* A program holds fat binaries, each at a multiple of eight bytes. */
static bool print_program(struct disassemble *order, const unsigned char *image, size_t bytes)
{
    for (size_t at = 0; at + CUDA_CONTAINER_HEADER <= bytes; at += 8) {
        uint64_t length = fatbin_bytes(image + at);
        if (length == 0 || length > bytes - at)
            continue;
        if (!print_fatbin(order, image + at, bytes - at))
            return false;
        at += (length - 1) / 8 * 8;
    }
    return true;
}

/* How many words have no form, and, of each operation, the first place and the form that it is nearest to. */
static void report_unknown(const struct disassemble *order)
{
    size_t told = 0;
    if (!order->unknown_words)
        return;
    mnp_print_text(stderr, "maniple: %s: %zu words have no form; they are written as .word\n", order->file,
                   order->unknown_words);
    for (size_t i = 0; i < order->unknown_count; i++) {
        const struct unknown *unknown = &order->unknown[i];
        mnp_print_text(stderr, "  sm_%u, operation 0x%03x, nearest %s: %zu, the first in %s\n", unknown->architecture,
                       unknown->operation, unknown->nearest, unknown->count, unknown->first);
        told += unknown->count;
    }
    if (told < order->unknown_words)
        fprintf(stderr, "  further operations: %zu\n", order->unknown_words - told);
}

static int print_file(struct disassemble *order)
{
    size_t bytes;
    unsigned char *image = (unsigned char *)mnp_read_file(order->file, MOST_BYTES, &bytes, &order->error);
    if (!image)
        return cli_report_error(&order->error);
    bool good = is_cubin(image, bytes) ? print_cubin(order, image, bytes) : print_program(order, image, bytes);
    free(image);
    if (good && order->cubins == 0)
        mnp_fail(&order->error, "%s: there is no machine code in it; give a cubin, a fat binary or a CUDA program",
                 order->file);
    else if (good && order->kernels == 0)
        mnp_fail(&order->error, "%s: it has no kernel %s; `maniple disassemble` without --kernel lists all",
                 order->file, order->kernel ? order->kernel : "at all");
    if (order->error.text[0])
        return cli_report_error(&order->error);
    int status = cli_finish_output(order->unknown_words ? MNP_EXIT_DIFFERENT : MNP_EXIT_DONE);
    report_unknown(order);
    return status;
}

int cli_verb_disassemble(const struct command_line *line)
{
    static const struct argp argp = {
        .options = options,
        .parser = read_option,
        .args_doc = "FILE",
        .doc = "Prints the machine code of a cubin, a fat binary or a CUDA program: each kernel with the addresses and "
               "the text of its instructions, for Volta to Blackwell as NVIDIA's disassembler writes them.\v"
               "A word that no form fits is written as .word with its bits, and counted on standard error at the end, "
               "with the form that it is nearest to.\n\n"
               "Exit status: 0 all instructions are known; 1 the listing is whole, but has words that are not; 2 an "
               "error.",
    };
    struct disassemble order = {0};
    cli_parse(&argp, line->argc, line->argv, &order);
    if (line->program)
        mnp_fail(&order.error, "%s takes nothing after --", line->argv[0]);
    if (!order.file)
        mnp_fail(&order.error, "there is no file; give a cubin, a fat binary or a CUDA program");
    return order.error.text[0] ? cli_report_error(&order.error) : print_file(&order);
}
