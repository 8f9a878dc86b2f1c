/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine with flat memory that is spread over processes (DESIGN §2.11) shows the bytes of the reference. The
 * processes are threads of this test here, each with a machine of its own, and memory is what carries their messages.
 */
#include "toy.h"

#include "engine/spread/ranks.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_RANKS = 4 };

struct network {
    pthread_barrier_t barrier;
    const void *gathered[MOST_RANKS];
    const struct mnp_message *sent[MOST_RANKS];
    uint32_t count;
};

struct place { /* of one process */
    struct network *network;
    struct mnp_transport transport;
    uint64_t seed;
    const struct mnp_run_options *options;
    struct toy_result result;
};

static void gather(void *context, const void *mine, size_t length, void *all)
{
    struct place *place = context;
    struct network *network = place->network;
    network->gathered[place->transport.rank] = mine;
    pthread_barrier_wait(&network->barrier);
    for (uint32_t r = 0; r < network->count; r++)
        memcpy((unsigned char *)all + r * length, network->gathered[r], length);
    pthread_barrier_wait(&network->barrier);
}

static void exchange(void *context, const struct mnp_message *out, const struct mnp_message *in)
{
    struct place *place = context;
    struct network *network = place->network;
    uint32_t rank = place->transport.rank;
    network->sent[rank] = out;
    pthread_barrier_wait(&network->barrier);
    for (uint32_t r = 0; r < network->count; r++) {
        if (r == rank)
            continue;
        const struct mnp_message *message = &network->sent[r][rank];
        MNP_REQUIRE(message->length == in[r].length, "process %u expects other lengths", rank);
        if (message->length)
            memcpy(in[r].bytes, message->bytes, message->length);
    }
    pthread_barrier_wait(&network->barrier);
}

static void leave(void *context)
{
    (void)context;
}

/* Builds and runs the machine of a seed; alone where there is no transport. */
static void run_machine(struct place *place, const struct mnp_transport *transport)
{
    struct toy_parameters parameters = toy_random_parameters(place->seed);
    struct toy_machine *machine = mnp_allocate(1, sizeof *machine);
    struct toy_program(*programs)[TOY_THREADS] = mnp_allocate(parameters.cores, sizeof *programs);
    toy_random_programs(&parameters, place->seed, 2, programs);
    toy_build(machine, &parameters, (const struct toy_program(*)[TOY_THREADS])programs);
    if (transport)
        mnp_ranks_spread(&machine->engine, transport);
    toy_observe(machine, place->options, &place->result);
    mnp_ranks_release(&machine->engine);
    toy_release(machine);
    free(programs);
    free(machine);
}

static void *run_place(void *context)
{
    struct place *place = context;
    run_machine(place, &place->transport);
    return NULL;
}

static void expect_same(uint64_t seed, uint32_t ranks, const struct mnp_run_options *options)
{
    struct network network = {.count = ranks};
    struct place reference = {.seed = seed, .options = options}, places[MOST_RANKS] = {0};
    pthread_t threads[MOST_RANKS];
    run_machine(&reference, NULL);
    assert_int_equal(reference.result.stop, MNP_STOP_FINISHED);
    assert_int_equal(pthread_barrier_init(&network.barrier, NULL, ranks), 0);
    for (uint32_t r = 0; r < ranks; r++) {
        places[r] = (struct place){.network = &network, .seed = seed, .options = options};
        places[r].transport = (struct mnp_transport){.rank = r, .count = ranks, .context = &places[r],
                                                     .gather = gather, .exchange = exchange, .leave = leave};
        assert_int_equal(pthread_create(&threads[r], NULL, run_place, &places[r]), 0);
    }
    for (uint32_t r = 0; r < ranks; r++)
        pthread_join(threads[r], NULL);
    pthread_barrier_destroy(&network.barrier);
    if (!toy_same(&reference.result, &places[0].result))
        fail_msg("seed %llu in %u processes", (unsigned long long)seed, ranks);
    for (uint32_t r = 0; r < ranks; r++)
        free(places[r].result.bytes);
    free(reference.result.bytes);
}

static void same_bytes(void **state)
{
    (void)state;
    struct mnp_run_options options = {.executor = &mnp_executor_serial, .threads = 1, .hash_epochs = true,
                                      .limit = MNP_SECOND / 1000};
    for (uint64_t seed = 7000; seed < 7000 + toy_effort(12); seed++)
        expect_same(seed, 2 + (uint32_t)(seed % 3), &options);
    options.hash_epochs = false;
    for (uint64_t seed = 7100; seed < 7100 + toy_effort(12); seed++)
        expect_same(seed, 2 + (uint32_t)(seed % 3), &options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
