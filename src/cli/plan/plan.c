/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple plan`: which launches of a program to simulate, for an estimate of the whole. */
#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/plan/groups.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "results/database/database.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_METHOD = 256, OPTION_ERROR, OPTION_LEAST, OPTION_SEED, OPTION_BY, OPTION_LEAD };

struct planning {
    const char *folder, *output, *by;
    struct plan_order order;
    uint32_t lead;
    struct plan_launch *launches;
    uint32_t count;
    struct mnp_error error;
};

static const struct argp_option options[] = {
    {NULL, 'o', "FILE", 0, "the plan, for `maniple run --plan`", 0},
    {"method", OPTION_METHOD, "M", 0,
     "stem (default): launches of equal name, grid and block, drawn at random, as many as their deviation asks for; "
     "sieve: the first launch of each kind",
     0},
    {"error", OPTION_ERROR, "P", 0, "stem: per cent by which the mean of a group may be wrong; 1 to 50, default 5", 0},
    {"least", OPTION_LEAST, "N", 0, "stem: launches of a group that are simulated at least; default 5", 0},
    {"lead", OPTION_LEAD, "N", 0,
     "launches in front of each that are simulated too, for its caches, and not counted; 0 to 64, default 1", 0},
    {"seed", OPTION_SEED, "N", 0, "of what is drawn; default 1", 0},
    {"by", OPTION_BY, "STATISTIC", 0,
     "what says how much a launch does; default: gpu_sim_cycle, or gpgpu_n_tot_w_icount of a run without time", 0},
    {0}};

static void read_number(struct planning *planning, const char *option, const char *text, uint64_t most, uint64_t *value)
{
    if (mnp_parse_number(text, value) || *value < 1 || *value > most)
        mnp_fail(&planning->error, "--%s %.100s: state a whole number from 1 to %" PRIu64, option, text, most);
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct planning *planning = state->input;
    uint64_t number = 1;
    switch (key) {
    case 'o':
        planning->output = text;
        break;
    case OPTION_METHOD:
        planning->order.sieve = strcmp(text, "sieve") == 0;
        if (!planning->order.sieve && strcmp(text, "stem") != 0)
            mnp_fail(&planning->error, "--method %.100s: is not one of stem, sieve", text);
        break;
    case OPTION_ERROR:
        read_number(planning, "error", text, 50, &number);
        planning->order.error = (double)number / 100;
        break;
    case OPTION_LEAST:
        read_number(planning, "least", text, 1 << 20, &number);
        planning->order.least = (uint32_t)number;
        break;
    case OPTION_LEAD:
        if (mnp_parse_number(text, &number) || number > 64)
            mnp_fail(&planning->error, "--lead %.100s: state a whole number from 0 to 64", text);
        planning->lead = (uint32_t)number;
        break;
    case OPTION_SEED:
        read_number(planning, "seed", text, MNP_NUMBER_MAX, &planning->order.seed);
        break;
    case OPTION_BY:
        planning->by = text;
        break;
    case ARGP_KEY_ARG:
        if (planning->folder)
            mnp_fail(&planning->error, "there are two folders, %.200s and %.200s; give one", planning->folder, text);
        planning->folder = text;
        break;
    default:
        return key < 256 && key > 0 ? ARGP_ERR_UNKNOWN : 0;
    }
    return 0;
}

/* ===== launches ===== */

static void add_launch(struct planning *planning, sqlite3_stmt *query)
{
    planning->launches = mnp_reallocate(planning->launches, planning->count + 1, sizeof *planning->launches);
    struct plan_launch *launch = &planning->launches[planning->count++];
    *launch = (struct plan_launch){.number = (uint32_t)sqlite3_column_int64(query, 0),
                                   .amount = sqlite3_column_double(query, 8)};
    for (int i = 0; i < 3; i++) {
        launch->grid[i] = (uint32_t)sqlite3_column_int64(query, 2 + i);
        launch->block[i] = (uint32_t)sqlite3_column_int64(query, 5 + i);
    }
    const char *name = (const char *)sqlite3_column_text(query, 1);
    launch->name = strdup(name && *name ? name : "?");
}

/* Launches with one statistic each. */
static bool read_launches(struct planning *planning, sqlite3 *database, const char *by)
{
    sqlite3_stmt *query = results_sqlite_prepare(
        database,
        "SELECT kernel.id, kernel.name, grid_x, grid_y, grid_z, block_x, block_y, block_z, value.value FROM kernel"
        " JOIN value ON value.run = kernel.run AND value.kernel = kernel.id"
        " JOIN statistic ON statistic.id = value.statistic"
        " WHERE kernel.run = 1 AND kernel.partial = 0 AND statistic.name = ? ORDER BY kernel.id",
        &planning->error);
    int step = SQLITE_DONE;
    if (query)
        results_sqlite_bind(query, "t", by);
    while (query && (step = sqlite3_step(query)) == SQLITE_ROW)
        add_launch(planning, query);
    sqlite3_finalize(query);
    return query && (step == SQLITE_DONE || results_sqlite_fail(database, &planning->error));
}

static bool check_launches(struct planning *planning)
{
    if (!planning->count)
        return mnp_fail(&planning->error,
                        "%s: there are no launches with a statistic %s; give the folder of `maniple run "
                        "--functional -o DIR -- PROGRAM`, or of a run with time",
                        planning->folder, planning->by ? planning->by : "gpu_sim_cycle or gpgpu_n_tot_w_icount");
    for (uint32_t i = 0; i < planning->count; i++)
        if (planning->launches[i].number != i + 1)
            return mnp_fail(&planning->error,
                            "%s: launch %u is not in these results; a plan is made from a run of all launches, "
                            "without --kernels and --plan",
                            planning->folder, i + 1);
    return true;
}

static bool read_all(struct planning *planning)
{
    sqlite3 *database = results_database_open(planning->folder, &planning->error);
    bool good = database && read_launches(planning, database, planning->by ? planning->by : "gpu_sim_cycle");
    if (good && !planning->count && !planning->by)
        good = read_launches(planning, database, "gpgpu_n_tot_w_icount");
    sqlite3_close(database);
    return good && check_launches(planning);
}

/* ===== the plan ===== */

/* Share of the work of all launches that simulated ones do; in hundredths of a per cent. */
static uint64_t share(const struct planning *planning, const struct mnp_plan *plan)
{
    double all = 0, chosen = 0;
    for (uint32_t i = 0; i < planning->count; i++) {
        all += planning->launches[i].amount;
        chosen += mnp_plan_has(plan, planning->launches[i].number) ? planning->launches[i].amount : 0;
    }
    return all > 0 ? (uint64_t)(chosen / all * 1e4 + 0.5) : 0;
}

static bool write_plan(struct planning *planning, struct mnp_plan *plan)
{
    struct mnp_output output;
    if (!mnp_output_open(&output, planning->output, &planning->error))
        return false;
    mnp_plan_write(plan, output.stream);
    bool done = mnp_output_finish(&output, &planning->error) && mnp_output_commit(&output, &planning->error);
    mnp_output_discard(&output);
    return done;
}

static int make(struct planning *planning)
{
    struct mnp_plan *plan = NULL;
    if (read_all(planning)) {
        plan = cli_plan_make(planning->launches, planning->count, &planning->order);
        mnp_plan_sort(plan);
        mnp_plan_lead(plan, planning->lead);
        if (write_plan(planning, plan)) {
            uint64_t part = share(planning, plan);
            printf("%u launches in %u groups; %u are simulated, with %" PRIu64 ".%02" PRIu64 " %% of the work\n",
                   plan->launches, plan->group_count, plan->chosen_count, part / 100, part % 100);
        }
    }
    mnp_plan_free(plan);
    for (uint32_t i = 0; i < planning->count; i++)
        free(planning->launches[i].name);
    free(planning->launches);
    return planning->error.text[0] ? cli_report_error(&planning->error) : cli_finish_output(MNP_EXIT_DONE);
}

int cli_verb_plan(const struct command_line *line)
{
    static const struct argp argp = {
        .options = options,
        .parser = read_option,
        .args_doc = "DIR -o FILE",
        .doc = "Makes a plan of which launches of a program to simulate with time, for an estimate of the whole, from "
               "results of all of them in DIR: best of `maniple run --functional`, which takes little time. `maniple "
               "run --plan FILE` then simulates these, executes the others by value, and gives totals with intervals "
               "in which the true ones lie in 95 of 100 cases if launches of a group take alike but for chance; "
               "what was seen of that is in docs/sampling.md. A plan is good for other "
               "machines too.\v"
               "Exit status: 0 done; 2 an error.",
    };
    struct planning planning = {.order = {.error = 0.05, .least = 5, .seed = 1}, .lead = 1};
    cli_parse(&argp, line->argc, line->argv, &planning);
    if (line->program)
        mnp_fail(&planning.error, "%s takes nothing after --", line->argv[0]);
    if (!planning.folder)
        mnp_fail(&planning.error, "there is no folder; give that of `maniple run --functional -o DIR -- PROGRAM`");
    if (!planning.output)
        mnp_fail(&planning.error, "the plan has no file; state it with -o FILE");
    return planning.error.text[0] ? cli_report_error(&planning.error) : make(&planning);
}
