/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/figures/figures.h"

double results_report_seconds(const struct results_reading *reading, double cycles)
{
    double hertz = results_key(reading, "clock.core");
    return hertz > 0 ? cycles / hertz : 0;
}

double results_report_cycles(const struct results_reading *reading, const struct results_group *group)
{
    double sms = results_key(reading, "sm.count");
    return sms > 0 ? results_sum(reading, group, "sm_cycles") / sms : results_sum(reading, group, "gpu_sim_cycle");
}

double results_report_rate(const struct results_reading *reading, const struct results_group *group,
                           const struct results_peak *peak, double amount)
{
    double cycles = results_report_cycles(reading, group);
    double time = peak->scale == 1 ? cycles : results_report_seconds(reading, cycles);
    return time > 0 ? amount * peak->scale / time : 0;
}

const char *results_report_time(char text[RESULTS_REPORT_TIME], double seconds)
{
    static const struct {
        double from, scale;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    int unit = 0;
    while (unit < 3 && seconds < units[unit].from)
        unit++;
    snprintf(text, RESULTS_REPORT_TIME, "%.2f %s", seconds * units[unit].scale, units[unit].unit);
    return text;
}

double results_report_slots(const struct results_reading *reading, const struct results_group *group, int class)
{
    double all = results_sum(reading, group, "issue_slots");
    return all > 0 ? results_sum(reading, group, results_classes[class].statistic) / all : 0;
}
