/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limit of a run of the coprocessor: every cycle of every core, until the last one has ended, is one of an
 * instruction, of a wait, or of a core that had ended.
 */
#include "base/print.h"
#include "base/text.h"
#include "results/report/layout.h"
#include "results/report/page.h"
#include "results/report/polling.h"
#include "results/report/queries.h"

#include <math.h>
#include <string.h>

enum { BAR = 13, PARTS = 9, LONGER = 1, SHARED = 5, POLLING = 6, AGAIN = 7, ENDED = PARTS - 1, CAUSE = 240 };

static const struct part {
    const char *name, *statistic; /* NULL: what is left */
    const char *brief, *limit, *remedy;
} parts[PARTS] = {
    {"instructions", "instructions", "an instruction was executed", "issue (instructions)",
     "fewer instructions: work done once, stronger compiler options"},
    {"longer ones", NULL, "instructions of several cycles", "issue (longer instructions)",
     "fewer multiplications of 64 bits and transfers of many registers"},
    {"branches", "branch_penalty_cycles", "taken branches", "latency (branches)",
     "fewer taken branches: unrolling, conditional instructions"},
    {"load to use", "load_use_cycles", "a load's value was awaited", "latency (load to use)",
     "other instructions between a load and its use"},
    {"cache misses", "cache_miss_cycles", "misses of the tile's caches", "latency (cache misses)",
     "data that fit the caches, or lie in the scratchpads; larger caches"},
    {"shared memory", "s_event_wait_cycles", "shared memory was awaited", "latency (shared memory)",
     "fewer accesses, copies in the scratchpads, banks that lie near"},
    {"polling", NULL, "loops read a word until it changes", "waiting (loops that poll)",
     "work in equal shares, so that nobody waits long at a barrier, a lock or a mailbox; fewer of these; look at the "
     "cores that the others wait for"},
    {"trying again", NULL, "an atomic was to be tried again", "waiting (contended atomics)",
     "a counter of each core, or of a few cores, instead of atomic accesses to few words, added up at the end; locks "
     "for less; a back-off that is bounded by the number of cores"},
    {"ended", NULL, "the core had ended", "parallelism (cores that have ended)",
     "work in equal shares; fewer cores, or a larger problem"},
};

/* Remedies that other evidence beside the greatest part calls for. */
static const char more_cores[] =
    "more cores, as few of these wait; fewer instructions: work done once, stronger compiler "
    "options";
static const char spread[] =
    "accesses over more banks and less at a time, as most of the wait is for others' accesses: "
    "counters and flags of each core in banks of their own, sums and barriers in a tree";
static const char near_flags[] =
    "flags in the bank of the core that polls them, so that polls cross no mesh and hold up "
    "nobody; barriers in a tree; work in equal shares";

static const char apart[] =
    "words to which different cores add at least 8 bytes apart, as these are reserved together (LDREX): most failures "
    "are because of the word beside";

static const char few_atomics[] =
    "a counter of each core instead of atomic additions to few words, as many fail and are tried again, added up "
    "at the end; locks for less; work in equal shares";

/* The limit where cores wait for shared memory and one bank of it is full. */
static const struct part hot_bank = {NULL, NULL, "shared memory was awaited", "bandwidth (one bank)",
                                     "what many cores access in banks of their own: counters and flags of each core, "
                                     "sums and barriers in a tree; tables "
                                     "that all read in private memory"};

static const char more_places[] =
    "what many cores access in banks of their own: counters and flags of each core, sums and barriers in a tree; or "
    "banks that hold more replies (mesh.queue) for less time (shared.latency)";

/* The limit where they wait, and one router moves packets nearly all the time (mesh.selection=one). */
static const struct part hot_router = {NULL, NULL, "shared memory was awaited", "bandwidth (one router)",
                                       "fewer packets through that tile: counters and flags of each core in banks of "
                                       "their own, sums and barriers in a tree; routers that pass a packet to each "
                                       "output in a cycle (mesh.selection=output)"};

#define FULL                                                                                                           \
    0.6 /* share of what a bank can serve, or of the cycles in which a router moves, from which on it is the
                  * limit */

struct answer {
    double cycles, all, share[PARTS];
    int top;                  /* the part with most cycles */
    const struct part *limit; /* that part, or the bank that it waits for */
    int bank;                 /* tile of the bank with most accesses */
    double accesses;          /* … and their number */
    double rate;              /* accesses that a bank takes from the mesh in a cycle, at most */
    int router;               /* tile of the router with most packets */
    double routed;            /* … and their number */
    bool one;                 /* a router moves one packet a cycle: these are cycles in which it moves any */
    bool known; /* cycles of loops that poll are known; otherwise they are among instructions and shared memory */
    struct results_polling polling;
    double again, again_waits; /* cycles in which exclusive stores were to be tried again; … that waited for answers */
    double half;               /* cycle by which half of the cores had ended */
    int longest;               /* core with most of the former, */
    double longest_again;      /* … and these */
    int last;                  /* core that ended last */
    double waits;              /* cycles in which cores waited for shared memory, polls included */
    double way;                /* … those that their accesses take on their way and in the bank if they meet nobody */
    double accesses_of_all;
    double failing; /* share of the exclusive stores that failed, */
    double beside;  /* … and of these, those because of the other word of the doubleword */
    const char *remedy;
};

#define FAILING 0.3 /* share of the exclusive stores that fail, from which on they are what cores wait for */

#define FEW 0.02 /* share of the cycles in waits, polls and ended cores, below which more cores would help */

#define OFTEN 0.1 /* accesses to shared memory for each instruction, from which on loops that poll are likely */

bool results_has_tiles(const struct results_reading *reading)
{
    return results_counts(reading, "s_event_wait_cycles") && results_counts(reading, "global_cycles");
}

double results_report_end(const struct results_reading *reading)
{
    return results_sum(reading, &reading->total, results_has_tiles(reading) ? "global_cycles" : "gpu_sim_cycle");
}

/* The tile with most of a statistic, and that. Returns false if no tile has any. */
static bool find_busiest(const struct results_reading *reading, const char *statistic, int *tile, double *value)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *row = results_sqlite_prepare(
        reading->database,
        "SELECT unit_value.unit, value FROM unit_value JOIN statistic ON id = statistic WHERE run = ? AND name = ? "
        "ORDER BY value DESC, unit_value.unit LIMIT 1",
        &ignored);
    *value = 0;
    if (row && sqlite3_bind_int64(row, 1, reading->run) == SQLITE_OK &&
        sqlite3_bind_text(row, 2, statistic, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
        *tile = sqlite3_column_int(row, 0);
        *value = sqlite3_column_double(row, 1);
    }
    sqlite3_finalize(row);
    return *value > 0;
}

/* Polls as the run counted them; runs of earlier versions know those that --by-instruction has seen. */
static void find_polls(const struct results_reading *reading, struct answer *answer)
{
    answer->known = results_find_polling(reading, &answer->polling);
    if (!results_counts(reading, "poll_cycles"))
        return;
    answer->known = true;
    answer->polling.memory = results_sum(reading, &reading->total, "poll_wait_cycles");
    answer->polling.issues = results_sum(reading, &reading->total, "poll_cycles") - answer->polling.memory;
}

/* An access over h hops meets nobody for 2(h + 1) cycles and the bank's latency: its two packets make 2h hops. The
 * global space answers after a fixed time. */
static void find_way(const struct results_reading *reading, struct answer *answer)
{
    const struct results_group *total = &reading->total;
    bool mesh = results_sum(reading, total, "noc_packets") > 0;
    answer->waits = results_sum(reading, total, "s_event_wait_cycles");
    answer->accesses_of_all = results_sum(reading, total, "s_events");
    answer->way = results_sum(reading, total, "noc_hops") + results_sum(reading, total, "noc_packets") +
                  answer->accesses_of_all * results_key(reading, mesh ? "shared.latency" : "shared.global_latency");
}

bool results_tiles_moves_one(const struct results_reading *reading)
{
    sqlite3_stmt *row = results_report_ask(
        reading, "SELECT 1 FROM machine WHERE run = ? AND key = 'mesh.selection' AND trim(value, '\"') = 'one'");
    bool result = row && sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return result;
}

/* Whether most cores had ended while one tried atomic accesses again, for most of the time. */
static bool ends_with_atomics(const struct answer *answer)
{
    return answer->top == ENDED && answer->longest_again > answer->cycles / 2;
}

/* A bank takes an access a cycle. A reply waits in it for the latency, a cycle to the bank and one until its place is
 * free again, and there are as many places as in any queue. */
static double rate_of_banks(const struct results_reading *reading)
{
    double places = results_key(reading, "mesh.queue"), cycles = results_key(reading, "shared.latency") + 2;
    return places > 0 ? fmin(places / cycles, 1) : 1;
}

/* The hot spot that all wait for, where cores wait for shared memory: the router or the bank that is busy most. */
static void find_hot_spot(const struct results_reading *reading, struct answer *answer)
{
    bool awaits =
        answer->top == SHARED || ((answer->top == POLLING || answer->top == AGAIN) && 2 * answer->waits > answer->all);
    bool bank = find_busiest(reading, "bank_accesses", &answer->bank, &answer->accesses);
    answer->rate = rate_of_banks(reading);
    answer->one =
        find_busiest(reading, "router_packets", &answer->router, &answer->routed) && results_tiles_moves_one(reading);
    answer->limit = &parts[ends_with_atomics(answer) ? AGAIN : answer->top];
    if (awaits && answer->one && answer->routed >= FULL * answer->cycles && answer->routed >= answer->accesses)
        answer->limit = &hot_router;
    else if (awaits && bank && answer->accesses >= FULL * answer->rate * answer->cycles)
        answer->limit = &hot_bank;
}

/* The remedy, by what the accesses wait for. */
static const char *find_remedy(const struct answer *answer)
{
    bool queues = answer->way < answer->waits / 2;
    double idle = answer->share[SHARED] + answer->share[POLLING] + answer->share[ENDED];
    if (answer->limit == &parts[0] && answer->known && idle < FEW)
        return more_cores;
    if (answer->limit == &hot_bank && answer->rate < 1)
        return more_places;
    if (answer->limit == &parts[SHARED] && queues)
        return spread;
    if (answer->limit == &parts[POLLING] && queues && answer->polling.memory > answer->polling.issues)
        return near_flags;
    bool waits = answer->limit == &parts[SHARED] || answer->limit == &parts[POLLING];
    if (answer->beside > 0.5 && (answer->limit == &parts[AGAIN] || (waits && answer->failing >= FAILING)))
        return apart;
    if (waits && answer->failing >= FAILING)
        return few_atomics;
    return answer->limit->remedy;
}

/* Failures of exclusive stores for which the other word of the doubleword alone was written, as a share of all. */
static double share_of_neighbours(const struct results_reading *reading)
{
    double failures = results_sum(reading, &reading->total, "exclusive_failures");
    bool known = failures > 0 && results_counts(reading, "exclusive_neighbour_failures");
    return known ? results_sum(reading, &reading->total, "exclusive_neighbour_failures") / failures : 0;
}

/* Ends of cores: which was the last, and when half of them had ended. */
static void find_ends(const struct results_reading *reading, struct answer *answer)
{
    double end = 0;
    struct mnp_error ignored = {0};
    find_busiest(reading, "core_cycles", &answer->last, &end);
    sqlite3_stmt *row = results_sqlite_prepare(reading->database,
                                               "SELECT value FROM unit_value JOIN statistic ON id = statistic WHERE "
                                               "run = ?1 AND name = 'core_cycles' ORDER BY "
                                               "value LIMIT 1 OFFSET (SELECT (count(*) - 1) / 2 FROM unit_value JOIN "
                                               "statistic ON id = statistic WHERE run = ?1 "
                                               "AND name = 'core_cycles')",
                                               &ignored);
    if (row && sqlite3_bind_int64(row, 1, reading->run) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW)
        answer->half = sqlite3_column_double(row, 0);
    sqlite3_finalize(row);
}

/* Cycles from failed exclusive stores to the end of the next try, back-off included; … of the core with most. */
static void find_again(const struct results_reading *reading, struct answer *answer)
{
    if (!results_counts(reading, "exclusive_again_cycles"))
        return;
    answer->again = results_sum(reading, &reading->total, "exclusive_again_cycles");
    answer->again_waits = results_sum(reading, &reading->total, "exclusive_again_wait_cycles");
    find_busiest(reading, "core_exclusive_again_cycles", &answer->longest, &answer->longest_again);
}

static void find_answer(const struct results_reading *reading, struct answer *answer)
{
    struct mnp_error ignored = {0};
    double cores = 0, worked = 0, known = 0;
    sqlite3_stmt *row = results_sqlite_prepare(
        reading->database,
        "SELECT count(*), sum(value) FROM unit_value JOIN statistic ON id = statistic WHERE run = ? AND name = "
        "'core_cycles'",
        &ignored);
    if (row && sqlite3_bind_int64(row, 1, reading->run) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
        cores = sqlite3_column_double(row, 0);
        worked = sqlite3_column_double(row, 1);
    }
    sqlite3_finalize(row);
    *answer = (struct answer){.cycles = results_sum(reading, &reading->total, "global_cycles")};
    answer->all = cores * answer->cycles;
    for (int i = 0; i < PARTS; i++)
        known += answer->share[i] = parts[i].statistic ? results_sum(reading, &reading->total, parts[i].statistic) : 0;
    answer->share[LONGER] = fmax(worked - known, 0);
    find_polls(reading, answer);
    find_way(reading, answer);
    double stores = results_sum(reading, &reading->total, "exclusive_stores");
    answer->failing = stores > 0 ? results_sum(reading, &reading->total, "exclusive_failures") / stores : 0;
    answer->beside = share_of_neighbours(reading);
    find_ends(reading, answer);
    find_again(reading, answer);
    answer->share[AGAIN] = answer->again;
    answer->share[POLLING] = answer->polling.issues + answer->polling.memory;
    answer->share[0] = fmax(answer->share[0] - answer->polling.issues - (answer->again - answer->again_waits), 0);
    answer->share[SHARED] = fmax(answer->share[SHARED] - answer->polling.memory - answer->again_waits, 0);
    answer->share[ENDED] = fmax(answer->all - worked, 0);
    for (int i = 0; i < PARTS; i++) {
        answer->share[i] = answer->all > 0 ? answer->share[i] / answer->all : 0;
        answer->top = answer->share[i] > answer->share[answer->top] ? i : answer->top;
    }
    double waits = answer->share[POLLING] + answer->share[AGAIN];
    if (waits > answer->share[answer->top]) /* two ways to wait for other cores */
        answer->top = answer->share[AGAIN] > answer->share[POLLING] ? AGAIN : POLLING;
    find_hot_spot(reading, answer);
    answer->remedy = find_remedy(answer);
}

const char *results_tiles_limit(const struct results_reading *reading)
{
    struct answer answer;
    find_answer(reading, &answer);
    return answer.limit->limit;
}

static void describe_bank(const struct answer *answer, char text[CAUSE])
{
    int used = snprintf(text, CAUSE, "%s, and the bank of tile %d served an access in %.1f %% of the cycles",
                        answer->top == POLLING ? ", most by loops that poll" : "", answer->bank,
                        100 * answer->accesses / answer->cycles);
    if (answer->rate < 1)
        snprintf(text + used, CAUSE - (size_t)used,
                 ", where it takes from the mesh one in at most %.1f %% (mesh.queue / (shared.latency + 2))",
                 100 * answer->rate);
}

/* The loop that polls most, where such loops limit; the bank that is full; or that instructions may be such loops. */
static void describe_cause(const struct results_reading *reading, const struct answer *answer, char text[CAUSE])
{
    double instructions = results_sum(reading, &reading->total, "instructions");
    double accesses = results_sum(reading, &reading->total, "s_events");
    text[0] = 0;
    if (ends_with_atomics(answer))
        snprintf(text, CAUSE, ", and core %d spent %.1f %% of the time so, while others had ended (%.1f %%)",
                 answer->longest, 100 * answer->longest_again / answer->cycles, 100 * answer->share[ENDED]);
    else if (answer->top == ENDED)
        snprintf(text, CAUSE, "; core %d was the last, and half of all had ended by %.1f %% of the time", answer->last,
                 100 * answer->half / answer->cycles);
    else if (answer->limit == &hot_router)
        snprintf(text, CAUSE, "%s, and the router of tile %d moved its one packet in %.1f %% of the cycles",
                 answer->top == POLLING ? ", most by loops that poll" : "", answer->router,
                 100 * answer->routed / answer->cycles);
    else if (answer->limit == &hot_bank)
        describe_bank(answer, text);
    else if (answer->top == POLLING && answer->polling.most > 0)
        snprintf(text, CAUSE, ", most of them %s (%.1f %%)", answer->polling.where,
                 100 * answer->polling.most / answer->all);
    else if (answer->top == SHARED || answer->top == POLLING)
        snprintf(text, CAUSE, "; an access took %.1f cycles, of which its way alone is %.1f",
                 answer->waits / answer->accesses_of_all, answer->way / answer->accesses_of_all);
    else if (!answer->known && answer->top == 0 && accesses > OFTEN * instructions)
        snprintf(text, CAUSE,
                 "; %.0f %% of them access shared memory, as loops that poll do: run with --by-instruction to tell "
                 "these from work",
                 100 * accesses / instructions);
}

static void describe(const struct results_reading *reading, const struct answer *answer, char time[160],
                     char evidence[400])
{
    char seconds[RESULTS_REPORT_TIME], cycles[MNP_NUMBER_TEXT], cause[CAUSE];
    snprintf(time, 160, "%s: %s cycles until the last core had ended",
             results_report_time(seconds, results_report_seconds(reading, answer->cycles)),
             mnp_format_grouped(cycles, (uint64_t)fmax(answer->cycles, 0)));
    describe_cause(reading, answer, cause);
    snprintf(evidence, 400, "in %.1f %% of the cycles of cores %s%s; %.2f instructions a cycle in all",
             100 * (ends_with_atomics(answer)              ? answer->share[AGAIN]
                    : answer->limit != &parts[answer->top] ? answer->waits / answer->all
                                                           : answer->share[answer->top]),
             answer->limit->brief, cause,
             answer->cycles > 0 ? results_sum(reading, &reading->total, "instructions") / answer->cycles : 0);
}

/* Words at which exclusive stores failed, one that each core names, those with most failures first. */
static void write_contended(const struct results_reading *reading, FILE *out)
{
    enum { WORDS = 3 };
    double stores = results_sum(reading, &reading->total, "exclusive_stores");
    double failures = results_sum(reading, &reading->total, "exclusive_failures");
    if (!(failures > 0))
        return;
    char text[400], count[MNP_NUMBER_TEXT];
    double neighbours = share_of_neighbours(reading);
    size_t used = (size_t)snprintf(text, sizeof text, "%.1f %% of %s failed (STREX: another core was first), most at",
                                   100 * failures / stores, mnp_format_grouped(count, (uint64_t)stores));
    sqlite3_stmt *rows = results_report_ask(
        reading,
        "SELECT word.value, sum(failed.value) FROM unit_value AS word JOIN unit_value AS failed ON failed.run = "
        "word.run "
        "AND failed.unit = word.unit WHERE word.run = ? AND word.value > 0 AND "
        "word.statistic = (SELECT id FROM statistic WHERE name = 'core_contended_word') AND failed.statistic = "
        "(SELECT id FROM statistic WHERE name = 'core_exclusive_failures') GROUP BY 1 ORDER BY 2 DESC, 1");
    int words = 0;
    for (; rows && sqlite3_step(rows) == SQLITE_ROW; words++)
        if (words < WORDS)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s 0x%llx", words ? "," : "",
                                     (unsigned long long)sqlite3_column_int64(rows, 0));
    sqlite3_finalize(rows);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s (of each core the word at which most of its own did)",
                             words > WORDS ? " and others" : "");
    if (neighbours > 0)
        snprintf(text + used, sizeof text - used,
                 "; %.1f %% of the failures because of the other word of the 8 bytes, which are reserved together",
                 100 * neighbours);
    results_report_paragraph("Atomics", text, out);
}

/* The gain that a second run has measured. */
static const char *describe_gain(const struct results_lift *lift, char text[MNP_NUMBER_TEXT])
{
    snprintf(text, MNP_NUMBER_TEXT, fabs(lift->gain - 1) < 0.005 ? "none (x%.2f)" : "x%.2f", lift->gain);
    return lift->gain > 0 ? text : "the second run failed";
}

static void write_lifts(const struct results_reading *reading, FILE *out)
{
    char text[MNP_NUMBER_TEXT];
    if (reading->lift_count)
        fputs("\nWhat if: the run made again, with\n", out);
    for (uint32_t i = 0; i < reading->lift_count; i++)
        mnp_print_text(out, "  %-28s %s\n", reading->lifts[i].keys, describe_gain(&reading->lifts[i], text));
}

/* Hot spots: the bank, the router and the link that were used most. */
static void write_busiest(const struct results_reading *reading, const struct answer *answer, FILE *out)
{
    static const char *const sides[] = {"north", "east", "south", "west"};
    int from = 0, side = 0;
    double packets = 0, cycles = answer->cycles;
    bool any = answer->accesses > 0;
    if (any)
        mnp_print_text(out, "Busiest bank  of tile %d: %.0f accesses in %.0f cycles (%.1f %%)\n", answer->bank,
                       answer->accesses, cycles, 100 * answer->accesses / cycles);
    if (answer->routed > 0)
        mnp_print_text(out,
                       answer->one ? "Busiest router of tile %d: %.0f packets, one a cycle (%.1f %% of the cycles)\n"
                                   : "Busiest router of tile %d: %.0f packets (%.1f %%; one for each output a cycle)\n",
                       answer->router, answer->routed, 100 * answer->routed / cycles);
    for (int i = 0; i < 4; i++) {
        char statistic[16];
        int at = 0;
        double value;
        snprintf(statistic, sizeof statistic, "link_%s", sides[i]);
        if (find_busiest(reading, statistic, &at, &value) && value > packets) {
            packets = value;
            from = at;
            side = i;
        }
    }
    if (packets > 0)
        mnp_print_text(out, "Busiest link  from tile %d to the %s: %.0f packets (%.1f %%)\n", from, sides[side],
                       packets, 100 * packets / cycles);
    write_contended(reading, out);
    if (any || packets > 0)
        fputc('\n', out);
}

void results_report_tiles(const struct results_reading *reading, FILE *out)
{
    struct answer answer;
    char time[160], evidence[400];
    find_answer(reading, &answer);
    describe(reading, &answer, time, evidence);
    results_report_paragraph("Time", time, out);
    results_report_paragraph("Limited by", answer.limit->limit, out);
    results_report_paragraph("Evidence", evidence, out);
    results_report_paragraph("Try", answer.remedy, out);
    write_lifts(reading, out);
    fputs("\nCycles of cores\n", out);
    for (int i = 0; i < PARTS; i++) {
        if ((i == POLLING && !answer.known) || (i == AGAIN && !(answer.again > 0)))
            continue;
        int bar = answer.share[i] > 0 ? (int)(fmin(answer.share[i], 1) * BAR + 0.5) : 0;
        mnp_print_text(out, "  %-19s %6.2f %%  ", parts[i].name, 100 * answer.share[i]);
        for (int k = 0; k < BAR; k++)
            putc(k < bar ? '#' : ' ', out);
        mnp_print_text(out, " %s\n", parts[i].brief);
    }
    fputc('\n', out);
    write_busiest(reading, &answer, out);
}

uint32_t results_tiles_shares(const struct results_reading *reading, struct results_share shares[RESULTS_TILE_PARTS])
{
    struct answer answer;
    _Static_assert((int)RESULTS_TILE_PARTS == (int)PARTS, "a share for each part");
    find_answer(reading, &answer);
    for (int i = 0; i < PARTS; i++)
        shares[i] = (struct results_share){parts[i].name, answer.share[i]};
    return PARTS;
}

void results_page_tiles(const struct results_reading *reading, FILE *out)
{
    struct answer answer;
    char time[160], evidence[400];
    find_answer(reading, &answer);
    describe(reading, &answer, time, evidence);
    fputs("<div class=\"card\"><p class=\"soft\">", out);
    results_page_subject(reading, out);
    mnp_print_html(out,
                   "</p><p class=\"big\">%s</p><p>Limited by <b>%s</b></p><p>%s</p><p><b>Try</b> "
                   "%s</p>",
                   time, answer.limit->limit, evidence, answer.remedy);
    for (uint32_t i = 0; i < reading->lift_count; i++) {
        char text[MNP_NUMBER_TEXT];
        mnp_print_html(out, "<p>With <b>%s</b>, measured: %s</p>", reading->lifts[i].keys,
                       describe_gain(&reading->lifts[i], text));
    }
    fputs("</div>\n<h3>Cycles of cores</h3><div class=\"legend\">", out);
    for (int i = 0; i < PARTS; i++)
        if ((i != POLLING || answer.known) && (i != AGAIN || answer.again > 0))
            mnp_print_html(out, "<span><i style=\"background:%s\"></i>%s: %s, %.2f %%</span>", results_page_colours[i],
                           parts[i].name, parts[i].brief, 100 * answer.share[i]);
    fputs("</div><div class=\"stack\">", out);
    for (int i = 0; i < PARTS; i++)
        if (answer.share[i] > 0)
            mnp_print_html(out, "<i style=\"width:%.2f%%;background:%s\" title=\"%s %.2f %%\"></i>",
                           100 * fmin(answer.share[i], 1), results_page_colours[i], parts[i].name,
                           100 * answer.share[i]);
    fputs("</div>\n", out);
}
