/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat maps of units in a plane as SVG: every unit a square, every link a bar on the way to its neighbour, two between
 * two units, of which that of the unit to the left or above lies further up or left. Shapes of one colour are one path,
 * so that a map of thousands of units stays small.
 */
#include "results/charts/heat_map.h"
#include "base/print.h"
#include "base/text.h"

#include <string.h>

enum { LEVELS = 12, CELL = 14, SQUARE = 7, GAP = CELL - SQUARE, MARGIN = 12, HEADER = 44, NARROWEST = 560 };

/* From nothing to most: white over yellow and red to a dark red. */
static const char *const colours[LEVELS + 1] = {"#f4f4f4", "#fff7d6", "#ffefb0", "#ffe38a", "#fed26a",
                                                "#feb84f", "#fd9a40", "#fc7a35", "#f6572b", "#e53522",
                                                "#cb1a20", "#a60d23", "#6f0520"};

struct values {
    const struct mnp_statistic_block *block;
    size_t width, place; /* counters of a unit; place of the row */
    uint64_t most;
};

static uint64_t value_of(const struct values *values, uint32_t tile)
{
    return values->block->per_unit[tile * values->width + values->place];
}

static struct values find(const struct mnp_results *results, const char *name)
{
    struct values values = {0};
    struct mnp_statistic_value found;
    if (!mnp_statistics_find(&results->total, name, &found) || !found.block->per_unit)
        return values;
    const struct mnp_model *model = found.block->model;
    values = (struct values){.block = found.block, .width = mnp_statistic_width(model), .most = found.values[0]};
    values.place = mnp_statistic_place(model, (size_t)(found.row - model->statistics));
    return values;
}

static uint32_t level_of(uint64_t value, uint64_t most)
{
    return most && value ? 1 + (uint32_t)((unsigned __int128)(value - 1) * LEVELS / most) : 0;
}

static void rectangle(FILE *out, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    mnp_print_html(out, "M%u %uh%uv%uh-%uz", x, y, width, height, width);
}

/* The bar of a link that leaves a unit at (x, y); directions as the model names them. */
static void bar(FILE *out, uint32_t direction, uint32_t x, uint32_t y)
{
    enum { THICK = 2, LONG = GAP - 1 };
    switch (direction) {
    case 0: /* north */
        rectangle(out, x + 4, y - GAP + 1, THICK, LONG);
        break;
    case 1: /* east */
        rectangle(out, x + SQUARE, y + 1, LONG, THICK);
        break;
    case 2: /* south */
        rectangle(out, x + 1, y + SQUARE, THICK, LONG);
        break;
    default: /* west */
        rectangle(out, x - GAP + 1, y + 4, LONG, THICK);
        break;
    }
}

static void draw_tiles(const struct mnp_results *results, const struct values *values, FILE *out)
{
    for (uint32_t level = 0; level <= LEVELS; level++) {
        mnp_print_html(out, "<path fill=\"%s\" d=\"", colours[level]);
        for (uint32_t tile = 0; tile < values->block->unit_count; tile++)
            if (level_of(value_of(values, tile), values->most) == level)
                rectangle(out, MARGIN + tile % results->map_width * CELL, HEADER + tile / results->map_width * CELL,
                          SQUARE, SQUARE);
        mnp_print_html(out, "\"/>\n");
    }
}

static void draw_links(const struct mnp_results *results, const struct values *links, uint64_t most, FILE *out)
{
    for (uint32_t level = 0; level <= LEVELS; level++) {
        mnp_print_html(out, "<path fill=\"%s\" d=\"", colours[level]);
        for (uint32_t direction = 0; direction < 4; direction++)
            for (uint32_t tile = 0; tile < links[direction].block->unit_count; tile++) {
                uint32_t x = tile % results->map_width, y = tile / results->map_width;
                uint64_t value = value_of(&links[direction], tile);
                const bool edge[4] = {y == 0, x + 1 == results->map_width, y + 1 == results->map_height, x == 0};
                if (level_of(value, most) == level && (value || !edge[direction])) /* a torus uses links at the edge */
                    bar(out, direction, MARGIN + x * CELL, HEADER + y * CELL);
            }
        mnp_print_html(out, "\"/>\n");
    }
}

static void write_legend(const struct mnp_map *map, uint64_t tiles, uint64_t links, uint64_t cycles, uint32_t height,
                         FILE *out)
{
    char number[MNP_NUMBER_TEXT], share[MNP_NUMBER_TEXT];
    for (uint32_t level = 0; level <= LEVELS; level++)
        mnp_print_html(out, "<path fill=\"%s\" stroke=\"#999\" stroke-width=\".3\" d=\"M%u %uh12v10h-12z\"/>\n",
                       colours[level], MARGIN + level * 12, height - 46);
    mnp_print_html(out, "<text x=\"%d\" y=\"%u\">0 to the most, in equal steps</text>\n",
                   MARGIN + (LEVELS + 1) * 12 + 6, height - 37);
    mnp_print_html(out, "<text x=\"%d\" y=\"%u\">squares: %s, at most %s</text>\n", MARGIN, height - 22,
                   map->square_help, mnp_format_grouped(number, tiles));
    mnp_print_html(out, "<text x=\"%d\" y=\"%u\">links: %s, at most %s (%s %% of the cycles)</text>\n", MARGIN,
                   height - 8, map->bars_help, mnp_format_grouped(number, links),
                   mnp_format_ratio_decimals(share, links, 100, cycles, 1));
}

void results_write_map(const struct mnp_results *results, const struct mnp_map *map, FILE *out)
{
    static const char *const directions[] = {"north", "east", "south", "west"};
    struct values tiles = find(results, map->square), links[4];
    uint64_t most = 0, cycles = mnp_statistics_get(&results->total, "global_cycles");
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s", map->bars, directions[i]);
        links[i] = find(results, name);
        most = links[i].most > most ? links[i].most : most;
    }
    uint32_t width = 2 * MARGIN + results->map_width * CELL, height = HEADER + results->map_height * CELL + 60;
    width = width < NARROWEST ? NARROWEST : width;
    mnp_print_html(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        width, height, width, height);
    char number[MNP_NUMBER_TEXT];
    mnp_print_html(out, "<text x=\"%d\" y=\"18\" font-size=\"13\">%s, %u × %u %s, %s cycles</text>\n", MARGIN,
                   map->title, results->map_width, results->map_height, results->form->squares,
                   mnp_format_grouped(number, cycles));
    if (tiles.block && links[0].block) {
        draw_links(results, links, most, out);
        draw_tiles(results, &tiles, out);
    }
    write_legend(map, tiles.most, most, cycles, height, out);
    mnp_print_html(out, "</svg>\n");
}
