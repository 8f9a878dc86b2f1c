/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/code/share.h"

#include "base/allocate.h"
#include "execute/code/timing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    FEWEST = 1 << 11, /* operations, below which a copy is cheaper than a file */
    MOST = 256        /* descriptors that such files may take: the program needs some, too */
};

/* A file of the system's memory, and the place where it is mapped; -1: there is none, as it would be too small, or the
 * system refuses. */
static int make_file(size_t bytes, void **place)
{
    int file = bytes < FEWEST * sizeof(struct execute_op) ? -1 : memfd_create("operations", MFD_CLOEXEC);
    if (file < 0)
        return -1;
    bool good = file < MOST && ftruncate(file, (off_t)bytes) == 0;
    *place = good ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (*place != MAP_FAILED)
        return file;
    close(file);
    return -1;
}

void execute_share_begin(struct execute_code *code, uint32_t count)
{
    struct execute_share *share = mnp_allocate(1, sizeof *share);
    void *place;
    share->users = 1;
    share->bytes = count * sizeof(struct execute_op);
    share->file = make_file(share->bytes, &place);
    if (share->file >= 0)
        code->ops = (struct mnp_array){.items = place, .capacity = count};
    code->share = share;
}

void execute_share_close(struct execute_code *code)
{
    const struct execute_share *share = code->share;
    if (share && share->file >= 0)
        mprotect(code->ops.items, share->bytes, PROT_READ);
}

/* The code, which has none, takes the operations of another. */
static void take_operations(struct execute_code *code, const struct execute_code *from)
{
    struct execute_share *share = from->share;
    uint32_t count = from->ops.count;
    share->users++;
    code->share = share;
    if (share->file < 0) {
        struct execute_op *ops = mnp_array_add(&code->ops, count, sizeof *ops);
        memcpy(ops, from->ops.items, count * sizeof *ops);
        return;
    }
    void *place = mmap(NULL, share->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, share->file, 0);
    MNP_NEED_MEMORY(place != MAP_FAILED, "operations");
    code->ops = (struct mnp_array){.items = place, .count = count, .capacity = count};
}

static void copy_array(struct mnp_array *array, size_t size)
{
    const void *items = array->items;
    uint32_t count = array->count;
    *array = (struct mnp_array){0};
    if (count)
        memcpy(mnp_array_add(array, count, size), items, count * size);
}

struct execute_code *execute_share_copy(const struct execute_code *from, const struct execute_module *module,
                                        const char *name)
{
    struct execute_code *code = mnp_allocate(1, sizeof *code);
    MNP_REQUIRE(from->share && !from->function_index, "a code that cannot be shared");
    *code = *from;
    code->module = module;
    code->name = name;
    code->ops = (struct mnp_array){0};
    copy_array(&code->functions, sizeof(struct execute_code_function));
    copy_array(&code->list, sizeof(uint32_t));
    copy_array(&code->targets, sizeof(uint32_t));
    copy_array(&code->calls, sizeof(struct execute_call));
    copy_array(&code->transfers, sizeof(struct execute_transfer));
    copy_array(&code->matrices, sizeof(struct execute_matrix_form));
    copy_array(&code->constants, 1);
    copy_array(&code->wide, sizeof(uint64_t));
    copy_array(&code->parameters, sizeof(struct execute_transfer));
    copy_array(&code->bank, sizeof(struct execute_bank_word));
    take_operations(code, from);
    return code;
}

void execute_share_release(struct execute_code *code)
{
    struct execute_share *share = code->share;
    if (!share)
        return;
    if (share->file >= 0) {
        munmap(code->ops.items, share->bytes);
        code->ops = (struct mnp_array){0};
    }
    code->share = NULL;
    if (--share->users)
        return;
    if (share->file >= 0)
        close(share->file);
    execute_timing_drop(share->timing);
    free(share);
}
