/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution traces of Chakra, which ASTRA-sim reads: a file for each GPU with one pass over all layers, in which every
 * node waits for the one before it. Kernels are nodes of computation with their time; what GPUs that share a layer add
 * up is a collective, whose time the reader's network model finds. A file is a sequence of messages of Protocol
 * Buffers, each behind its length (schema/protobuf/et_def.proto of mlcommons/chakra).
 */
#include "base/allocate.h"
#include "base/file.h"
#include "cli/profile/write.h"

#include <stdlib.h>
#include <string.h>

enum { COMPUTATION = 4, COLLECTIVE = 7, ALL_REDUCE = 0 };
enum { VARINT = 0, DELIMITED = 2 };
enum { INT64_VALUE = 9, UINT64_VALUE = 13, BOOL_VALUE = 27 };
enum { MESSAGE = 1024 };

struct message {
    uint8_t bytes[MESSAGE];
    uint32_t count;
};

static void put_varint(struct message *to, uint64_t value)
{
    for (; value > 127 && to->count < MESSAGE - 1; value >>= 7)
        to->bytes[to->count++] = (uint8_t)(value | 128);
    if (to->count < MESSAGE)
        to->bytes[to->count++] = (uint8_t)(value & 127);
}

static void put_number(struct message *to, uint32_t field, uint64_t value)
{
    put_varint(to, field << 3 | VARINT);
    put_varint(to, value);
}

static void put_bytes(struct message *to, uint32_t field, const void *bytes, size_t count)
{
    put_varint(to, field << 3 | DELIMITED);
    put_varint(to, count);
    if (to->count + count <= MESSAGE) {
        memcpy(to->bytes + to->count, bytes, count);
        to->count += (uint32_t)count;
    }
}

static void put_attribute(struct message *node, const char *name, uint32_t kind, uint64_t value)
{
    struct message attribute = {.count = 0};
    put_bytes(&attribute, 1, name, strlen(name));
    put_number(&attribute, kind, value);
    put_bytes(node, 10, attribute.bytes, attribute.count);
}

static void write_message(const struct message *message, FILE *out)
{
    struct message length = {.count = 0};
    put_varint(&length, message->count);
    fwrite(length.bytes, 1, length.count, out);
    fwrite(message->bytes, 1, message->count, out);
}

/* ===== a pass ===== */

struct pass {
    const struct profile *profile;
    FILE *out;
    uint64_t id;
    uint32_t batch, tokens, context; /* tokens: of all sequences; context 0: of prompts */
    double owed;                     /* microseconds by which times are longer than what stands for them so far */
};

static struct message begin_node(struct pass *pass, const char *name, uint32_t type)
{
    struct message node = {.count = 0};
    put_number(&node, 1, pass->id);
    put_bytes(&node, 2, name, strlen(name));
    put_number(&node, 3, type);
    if (pass->id)
        put_number(&node, 5, pass->id - 1);
    pass->id++;
    return node;
}

static void add_time(struct pass *pass, const char *name, const struct profile_time *time)
{
    struct message node = begin_node(pass, name, COMPUTATION);
    double us = time->us[PROFILE_MEDIAN];
    /* Whole microseconds, at least one, of which a pass has as many as its kernels take. */
    uint64_t whole = pass->owed + us >= 1.5 ? (uint64_t)(pass->owed + us + 0.5) : 1;
    pass->owed += us - (double)whole;
    put_number(&node, 7, whole);
    put_attribute(&node, "is_cpu_op", BOOL_VALUE, 0);
    put_attribute(&node, "runtime_ns", UINT64_VALUE, (uint64_t)(us * 1e3 + 0.5));
    put_attribute(&node, "runtime_ns_min", UINT64_VALUE, (uint64_t)(time->us[PROFILE_LEAST] * 1e3 + 0.5));
    put_attribute(&node, "runtime_ns_max", UINT64_VALUE, (uint64_t)(time->us[PROFILE_MOST] * 1e3 + 0.5));
    put_attribute(&node, "interpolated", BOOL_VALUE, time->source != PROFILE_SIMULATED);
    write_message(&node, pass->out);
}

static void add_operation(struct pass *pass, enum profile_operation operation, uint32_t tokens)
{
    struct profile_time time = cli_profile_time(pass->profile, operation, tokens);
    add_time(pass, cli_profile_operations[operation], &time);
}

static void add_attention(struct pass *pass)
{
    struct profile_time time = pass->context ? cli_profile_decode_time(pass->profile, pass->batch, pass->context)
                                             : cli_profile_time(pass->profile, PROFILE_PREFILL, pass->tokens);
    add_time(pass, pass->context ? "attn_decode" : "attn_prefill", &time);
}

static void add_sum(struct pass *pass)
{
    if (pass->profile->gpus == 1)
        return;
    struct message node = begin_node(pass, "all_reduce", COLLECTIVE);
    put_attribute(&node, "is_cpu_op", BOOL_VALUE, 0);
    put_attribute(&node, "comm_type", INT64_VALUE, ALL_REDUCE);
    put_attribute(&node, "comm_size", INT64_VALUE, (uint64_t)pass->tokens * pass->profile->model.hidden * 2);
    write_message(&node, pass->out);
}

static void write_pass(struct pass *pass)
{
    static const enum profile_operation first[] = {PROFILE_NORM, PROFILE_PRE_PROJECTION, PROFILE_ROTARY, PROFILE_CACHE};
    static const enum profile_operation second[] = {PROFILE_ADD, PROFILE_NORM, PROFILE_UP_PROJECTION,
                                                    PROFILE_ACTIVATION, PROFILE_DOWN_PROJECTION};
    add_operation(pass, PROFILE_EMBEDDING, pass->tokens);
    for (uint32_t layer = 0; layer < pass->profile->model.layers; layer++) {
        for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
            add_operation(pass, first[i], pass->tokens);
        add_attention(pass);
        add_operation(pass, PROFILE_POST_PROJECTION, pass->tokens);
        add_sum(pass);
        for (size_t i = 0; i < sizeof second / sizeof second[0]; i++)
            add_operation(pass, second[i], pass->tokens);
        add_sum(pass);
        add_operation(pass, PROFILE_ADD, pass->tokens);
    }
    add_operation(pass, PROFILE_NORM, pass->tokens);
    add_operation(pass, PROFILE_HEAD, pass->batch);
}

static bool write_trace(const struct profile *profile, const char *folder, const char *name, struct pass pass,
                        struct mnp_error *error)
{
    for (uint32_t gpu = 0; gpu < profile->gpus; gpu++) {
        struct mnp_output output;
        char path[64];
        snprintf(path, sizeof path, "astra-sim/%s.%u.et", name, gpu);
        if (!cli_profile_open(&output, folder, path, error))
            return false;
        struct message metadata = {.count = 0};
        put_bytes(&metadata, 1, "0.0.4", 5);
        write_message(&metadata, output.stream);
        pass.out = output.stream;
        pass.id = 0, pass.owed = 0;
        write_pass(&pass);
        if (!cli_profile_close(&output, error))
            return false;
    }
    return true;
}

bool cli_profile_write_astra_sim(const struct profile *profile, const char *folder, struct mnp_error *error)
{
    uint32_t prompt = cli_profile_last(&profile->tokens), batch = cli_profile_last(&profile->batches);
    const struct pass prefill = {.profile = profile, .batch = 1, .tokens = prompt};
    const struct pass decode = {
        .profile = profile, .batch = batch, .tokens = batch, .context = cli_profile_last(&profile->contexts)};
    return write_trace(profile, folder, "prefill", prefill, error) &&
           write_trace(profile, folder, "decode", decode, error);
}
