/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults worth mending: findings of the rules in a terminal and on the page, with estimates beside what second runs
 * have measured. */
#include "base/print.h"
#include "results/report/layout.h"
#include "results/report/page.h"

#include <stdlib.h>
#include <string.h>

/* A share of time that is saved, as how many times as fast. */
static double factor(double gain)
{
    return 1 / (1 - (gain < 0.999 ? gain : 0.999));
}

static const char *const bounds[] = {
    [RESULTS_GAIN_ABOUT] = "",
    [RESULTS_GAIN_MOST] = "at most ",
    [RESULTS_GAIN_LEAST] = "at least ",
};

/* Estimates may be too large, and are no bound from below. */
static const char *bound_of_estimate(const struct results_finding *finding)
{
    return finding->bound == RESULTS_GAIN_MOST ? bounds[finding->bound] : "";
}

/* Whether a second run was faster, as two decimals of a factor show it. */
static bool gains(double gain)
{
    return factor(gain) >= 1.005;
}

/* "x1.92 by estimate (47 % of the kernel's time without launch latency); x1.88 measured with ideal.banks=true". */
static void describe_gain(const struct results_finding *finding, char *text, size_t room)
{
    const char *of = finding->group ? "the kernel's time without launch latency" : "the run's time";
    const char *spread = finding->hope > 0 ? ", the same threads on all SMs" : "";
    bool measured = results_is_measured(finding);
    char gain[32], scale[72] = "";
    const char *bound = bounds[finding->bound];
    int length = snprintf(text, room, "%sx%.2f by estimate%s (%.0f %% of %s)", bound_of_estimate(finding),
                          factor(finding->gain), spread, 100 * finding->gain, of);
    snprintf(gain, sizeof gain, gains(finding->measured) ? "x%.2f" : "none (x%.2f)", factor(finding->measured));
    if (finding->scale != 1)
        snprintf(scale, sizeof scale, ", its time times %.3g for the other number of SMs", finding->scale);
    if (measured && !finding->lift[0])
        length +=
            snprintf(text + length, room - (size_t)length,
                     "; %s%s measured: all work at the pace of a second run, with samples, while SMs had their CTAs",
                     gains(finding->measured) ? bound : "", gain);
    else if (measured)
        length += snprintf(text + length, room - (size_t)length, "; %s%s measured with %s%s",
                           gains(finding->measured) ? bound : "", gain, finding->lift, scale);
    else if (finding->why[0])
        length += snprintf(text + length, room - (size_t)length, "; not measured: %s", finding->why);
    else if (!finding->lift[0] && !finding->sample && !finding->hope)
        length += snprintf(text + length, room - (size_t)length, "; no key of the machine lifts this limit");
    if (finding->hope > 0)
        snprintf(text + length, room - (size_t)length, "; at most x%.2f where threads share out their work, too",
                 factor(finding->hope));
}

static void describe_title(const struct results_finding *finding, char *text, size_t room)
{
    char name[60];
    if (finding->group)
        snprintf(text, room, "%s (%s), in %s", finding->rule->title, finding->rule->name,
                 results_report_fit_name(finding->group->name, name, sizeof name - 1));
    else
        snprintf(text, room, "%s (%s)", finding->rule->title, finding->rule->name);
}

/* ===== faults that are mended together ===== */

/* "banks and double", "coalescing, l1-bypass and dependence". */
static void describe_names(const struct results_joint *joint, uint32_t count, char *text, size_t room)
{
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < count && length < room; i++)
        length += (size_t)snprintf(text + length, room - length, "%s%s",
                                   !i               ? ""
                                   : i + 1 == count ? " and "
                                                    : ", ",
                                   joint->of[i].rule->name);
}

/* The bound of what is measured of two together: faults of either may leave work. */
static const char *bound_of_both(const struct results_joint *joint)
{
    bool least = joint->of[0].bound == RESULTS_GAIN_LEAST || joint->of[1].bound == RESULTS_GAIN_LEAST;
    return bounds[least ? RESULTS_GAIN_LEAST : RESULTS_GAIN_ABOUT];
}

/* "x3.11 by estimate, and x1.00 and x1.04 alone, as neither leaves what the other saves; x9.40 measured with …". */
static void describe_held(const struct results_joint *joint, char *text, size_t room)
{
    int length = snprintf(text, room,
                          "x%.2f by estimate where both are mended; x%.2f and x%.2f alone, as what one saves the other "
                          "one takes",
                          factor(joint->gain), factor(joint->of[0].gain), factor(joint->of[1].gain));
    struct results_finding both;
    if (joint->both > RESULTS_UNMEASURED && results_joint_lift(joint, 2, &both))
        snprintf(text + length, room - (size_t)length, "; %sx%.2f measured with %s", bound_of_both(joint),
                 factor(joint->both), both.lift);
    else if (joint->why[0])
        snprintf(text + length, room - (size_t)length, "; not measured: %s", joint->why);
}

/* "coalescing and l1-bypass: x5.80 measured with both limits lifted, x5.75 with the first alone". */
static void describe_leading(const struct results_joint *joint, char *text, size_t room)
{
    char names[200];
    describe_names(joint, 2, names, sizeof names);
    int length = snprintf(text, room, "%s: x%.2f measured with both limits lifted, x%.2f with the first alone", names,
                          factor(joint->both), factor(joint->of[0].measured));
    if (joint->all <= RESULTS_UNMEASURED)
        return;
    describe_names(joint, joint->count, names, sizeof names);
    snprintf(text + length, room - (size_t)length, "; %s: x%.2f", names, factor(joint->all));
}

/* Two faults that hold one another up, as one finding: no rule may have named either. */
static void report_held(const struct results_joint *joint, bool first, FILE *out)
{
    char text[1200], name[60];
    snprintf(text, sizeof text, "%s (%s) and %s (%s) together, in %s", joint->of[0].rule->title,
             joint->of[0].rule->name, joint->of[1].rule->title, joint->of[1].rule->name,
             results_report_fit_name(joint->of[0].group->name, name, sizeof name - 1));
    results_report_paragraph(first ? "Mend first" : "Then", text, out);
    snprintf(text, sizeof text, "%s; and %s", joint->of[0].evidence, joint->of[1].evidence);
    results_report_paragraph("  because", text, out);
    describe_held(joint, text, sizeof text);
    results_report_paragraph("  gain", text, out);
    snprintf(text, sizeof text, "%s; and %s", joint->of[0].rule->remedy, joint->of[1].rule->remedy);
    results_report_paragraph("  try", text, out);
}

/* Why there is nothing to mend. */
static const char *nothing(const struct results_findings *findings)
{
    return findings->count ? "nothing: what rules expected to save, second runs did not"
                           : "nothing: no rule expects to save 5 % of the time";
}

/* "the last CTAs leave SMs idle (tail), in conv: x1.08 by estimate, x1.00 measured with …". */
static void describe_dismissed(const struct results_finding *finding, char *text, size_t room)
{
    describe_title(finding, text, room);
    size_t length = strlen(text);
    snprintf(text + length, room - length, ": %sx%.2f by estimate, x%.2f measured with %s", bound_of_estimate(finding),
             factor(finding->gain), factor(finding->measured), finding->lift[0] ? finding->lift : "samples");
}

void results_report_findings(const struct results_reading *reading, const struct results_findings *findings, FILE *out)
{
    const struct results_finding *found = findings->all;
    const struct results_joint *joint = &findings->joint;
    uint32_t count = results_rules_kept(found, findings->count);
    char text[800];
    bool held = joint->count && joint->held;
    if (!count && !held)
        results_report_paragraph("Mend first", nothing(findings), out);
    for (uint32_t i = 0; i < count && i < RESULTS_FINDINGS_TOLD; i++) {
        describe_title(&found[i], text, sizeof text);
        results_report_paragraph(i ? "Then" : "Mend first", text, out);
        results_report_paragraph("  because", found[i].evidence, out);
        results_rules_blame(reading, &found[i], text, sizeof text);
        if (text[0])
            results_report_paragraph("  lines", text, out);
        describe_gain(&found[i], text, sizeof text);
        results_report_paragraph("  gain", text, out);
        results_report_paragraph("  try", found[i].rule->remedy, out);
    }
    if (count > RESULTS_FINDINGS_TOLD)
        mnp_print_text(out,
                       count == RESULTS_FINDINGS_TOLD + 1 ? "and one other, which gains less\n"
                                                          : "and %u others, which gain less\n",
                       count - RESULTS_FINDINGS_TOLD);
    if (held)
        report_held(joint, !count, out);
    for (uint32_t i = count; i < findings->count; i++) {
        describe_dismissed(&found[i], text, sizeof text);
        results_report_paragraph("No gain", text, out);
    }
    if (held || joint->count < 2 || joint->both <= RESULTS_UNMEASURED)
        return;
    describe_leading(joint, text, sizeof text);
    results_report_paragraph("Together", text, out);
}

/* The gain that a second run has measured: "x1.88", none, or a dash where there was none. */
static void write_measured(const struct results_finding *finding, FILE *out)
{
    if (!results_is_measured(finding))
        mnp_print_html(out, finding->why[0] ? "<td title=\"%s\">not measured" : "<td>-", finding->why);
    else
        mnp_print_html(out,
                       gains(finding->measured) ? "<td data-v=\"%.6f\" title=\"with %s\">%sx%.2f"
                                                : "<td data-v=\"%.6f\" title=\"with %s\">none%.0s (x%.2f)",
                       finding->measured * finding->weight, finding->lift[0] ? finding->lift : "samples",
                       bounds[finding->bound], factor(finding->measured));
}

void results_page_findings(const struct results_reading *reading, const struct results_findings *findings, FILE *out)
{
    const struct results_finding *found = findings->all;
    const struct results_joint *joint = &findings->joint;
    uint32_t count = findings->count;
    bool measured = false;
    char text[900] = "";
    for (uint32_t i = 0; i < count; i++)
        measured |= results_is_measured(&found[i]) || found[i].why[0];
    if (joint->count && joint->held)
        mnp_print_html(out, "<p><b>%s</b> and <b>%s</b> together: %s; and %s. ", joint->of[0].rule->title,
                       joint->of[1].rule->title, joint->of[0].evidence, joint->of[1].evidence);
    if (joint->count && joint->held)
        describe_held(joint, text, sizeof text);
    else if (joint->count && joint->both > RESULTS_UNMEASURED)
        describe_leading(joint, text, sizeof text);
    mnp_print_html(out, !joint->count ? "" : joint->held ? "Gain: %s.</p>\n" : "<p>Together: %s.</p>\n", text);
    if (!results_rules_kept(found, count) && !(joint->count && joint->held))
        mnp_print_html(out, "<p class=\"soft\">Mend first: %s.</p>\n", nothing(findings));
    if (!count && !(joint->count && joint->held))
        return;
    fputs("<div class=\"wide\"><table class=\"sorts wraps\"><thead><tr><th class=\"left\">What<th class=\"left\">in"
          "<th>gain by estimate",
          out);
    fputs(measured ? "<th>measured" : "", out);
    fputs("<th class=\"left\">because<th class=\"left\">lines<th class=\"left\">try</tr></thead><tbody>\n", out);
    for (uint32_t i = 0; i < count; i++) {
        mnp_print_html(out, "<tr><td class=\"left\"><b>%s</b><td class=\"left name\">", found[i].rule->title);
        if (found[i].group)
            results_page_kernel_name(found[i].group->name, out);
        else
            fputs("the run", out);
        mnp_print_html(out, "<td data-v=\"%.6f\">%sx%.2f", found[i].gain * found[i].weight,
                       bound_of_estimate(&found[i]), factor(found[i].gain));
        if (found[i].hope > 0)
            mnp_print_html(out, "; at most x%.2f where threads share out their work, too", factor(found[i].hope));
        if (measured)
            write_measured(&found[i], out);
        mnp_print_html(out, "<td class=\"left\">%s<td class=\"left code\">", found[i].evidence);
        results_rules_blame(reading, &found[i], text, sizeof text);
        mnp_put_html(text, out);
        mnp_print_html(out, "<td class=\"left\">%s</tr>\n", found[i].rule->remedy);
    }
    fputs("</tbody></table></div><p class=\"soft\">Gains are of the time of the kernel without launch latency, or of "
          "the run; ",
          out);
    fputs(measured ? "measured by runs with the limit lifted.</p>\n"
                   : "<code>maniple report RUN --what-if</code> measures them.</p>\n",
          out);
}
