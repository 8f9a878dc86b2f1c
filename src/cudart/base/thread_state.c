/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/thread_state.h"

#include "cudart/base/state.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The letter in a file of /proc; 0: there is none. */
static char state_in(const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    char *whole = fgets(line, sizeof line, file);
    fclose(file);
    const char *name_end = whole ? strrchr(line, ')') : NULL; /* a name may hold anything */
    return name_end && name_end[1] && name_end[2] ? name_end[2] : '?';
}

char cudart_thread_state(const char *id)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", id);
    return state_in(path);
}

static bool is_running(char state)
{
    return state == 'R' || state == 'D';
}

bool cudart_process_lives(int process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    char state = state_in(path);
    return state && state != 'Z' && state != 'X';
}

bool cudart_process_sleeps(int process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *folder = opendir(path);
    bool sleep = folder != NULL;
    for (struct dirent *each; folder && (each = readdir(folder)) != NULL;) {
        if (each->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", process, each->d_name);
        sleep = sleep && !is_running(state_in(path));
    }
    if (folder)
        closedir(folder);
    return sleep;
}

/* Findings of one look at the other threads. */
struct look {
    const struct cudart_polling *polling;
    struct cudart_asleep *last; /* findings of the look before about pollers, which this one replaces */
    uint32_t threads;
    bool wait;       /* each of them slept when its own state was read, or is a poller */
    bool asks;       /* pollers have run since the look before */
    bool in_vain;    /* each of these has asked often enough in this round */
    bool works;      /* one of them has run without a question, and sleeps */
    uint64_t digest; /* threads' numbers, how often each has given up a processor or, of pollers, has had an answer */
};

enum {
    STATUS = 8192, /* bytes of such a file, more than it has */
    ROUNDS = 4     /* rounds of questions in vain */
};

/* Reads a whole file. False: it cannot be read. */
static bool read_file(const char *path, char text[STATUS])
{
    size_t length = 0;
    ssize_t got = -1;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && length < STATUS - 1 && (got = read(file, text + length, STATUS - 1 - length)) > 0)
        length += (size_t)got;
    if (file >= 0)
        close(file);
    text[length] = 0;
    return file >= 0 && got >= 0;
}

static void digest(uint64_t *to, uint64_t value)
{
    *to = (*to ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    *to ^= *to >> 29;
}

/* Reads a thread's file `status`, which ends with how often it has given up a processor: `*switches` gets a digest of
 * that. False: the thread has ended. */
static bool read_thread(const char *path, bool *runs, uint64_t *switches)
{
    char text[STATUS];
    const char *state = read_file(path, text) ? strstr(text, "\nState:\t") : NULL;
    *switches = 0;
    *runs = state && is_running(state[8]);
    for (const char *each = state ? strstr(text, "\nvoluntary_ctxt_switches:") : NULL; each && *each; each++)
        digest(switches, (unsigned char)*each);
    return state != NULL;
}

bool cudart_process_waits(int process, uint64_t *to)
{
    char path[64];
    uint64_t switches;
    bool runs;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *folder = opendir(path);
    bool wait = true; /* a process that has ended */
    for (struct dirent *each; folder && wait && (each = readdir(folder)) != NULL;) {
        if (each->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/status", process, each->d_name);
        wait = read_thread(path, &runs, &switches) && !runs;
        digest(to, (uint64_t)atoi(each->d_name));
        digest(to, switches);
    }
    if (folder)
        closedir(folder);
    return wait;
}

/* Adds a thread that may ask in vain. `switches`: digest of how often it has given up a processor. */
static void add_poller(struct look *look, uint32_t place, bool runs, uint64_t switches)
{
    const struct cudart_poller *poller = &look->polling->pollers[place];
    struct cudart_asked *last = &look->last->pollers[place];
    uint64_t vain = atomic_load(&poller->vain);
    bool asks = runs || atomic_load(&poller->naps), ran = asks || switches != last->switches;
    look->asks |= ran;
    look->works |= ran && !asks && vain == last->vain;
    look->in_vain &= !ran || vain - last->begun >= CUDART_VAIN;
    last->vain = vain;
    last->switches = switches;
    digest(&look->digest, atomic_load(&poller->events));
}

/* Adds a thread. One that has ended meanwhile does not wait. */
static void add_thread(struct look *look, const char *id)
{
    char path[64];
    uint32_t place = cudart_poller_place(look->polling, atoi(id));
    uint64_t switches;
    bool runs;
    look->threads++;
    if (place < CUDART_POLLERS && atomic_load(&look->polling->pollers[place].waits))
        return; /* without a trace: threads that wait so look in turn, and have one memory */
    digest(&look->digest, (uint64_t)atoi(id));
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", id);
    bool lives = read_thread(path, &runs, &switches);
    look->wait &= lives && (!runs || place < CUDART_POLLERS);
    if (place < CUDART_POLLERS)
        add_poller(look, place, runs, switches);
    else
        digest(&look->digest, switches);
}

static struct look look_at_others(const struct cudart *rt, struct cudart_asleep *last)
{
    DIR *folder = opendir("/proc/self/task");
    struct look look = {.polling = &rt->polling, .last = last, .wait = folder != NULL, .in_vain = true};
    digest(&look.digest, rt->calls.count); /* a thread that let others make calls may have gone on, and be back */
    for (struct dirent *each; folder && (each = readdir(folder)) != NULL;)
        if (each->d_name[0] != '.' && atoi(each->d_name) != gettid())
            add_thread(&look, each->d_name);
    if (folder)
        closedir(folder);
    look.digest |= 1; /* 0 stands for no look */
    return look;
}

/* A round begins: questions count from here on. */
static void begin_round(struct cudart_asleep *asleep, uint32_t number, uint64_t digest_of_all)
{
    for (uint32_t i = 0; i < CUDART_POLLERS; i++)
        asleep->pollers[i].begun = asleep->pollers[i].vain;
    asleep->rounds = number;
    asleep->digest = digest_of_all;
}

bool cudart_others_sleep(struct cudart *rt, struct cudart_asleep *asleep, uint32_t *count)
{
    struct cudart_asleep own = {0}, *last = asleep ? asleep : &own;
    bool travel = cudart_bytes_are_under_way(&rt->polling);
    struct look look = look_at_others(rt, last);
    if (count)
        *count = look.threads;
    if (look.wait && !travel && (look.digest != last->digest || look.works)) {
        begin_round(last, 0, look.digest);
        look = look_at_others(rt, last);
    }
    if (!look.wait || travel || look.works || look.digest != last->digest) {
        last->digest = 0;
        return false;
    }
    if (look.asks && look.in_vain && last->rounds < ROUNDS)
        begin_round(last, last->rounds + 1, look.digest);
    return !look.asks || last->rounds == ROUNDS;
}
