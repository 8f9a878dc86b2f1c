/* SPDX-License-Identifier: BSD-3-Clause */
/* What the toy's models share: queues, channels with credits, and the loop over cycles. */
#include "toy.h"

#include <string.h>

void toy_push(struct toy_queue *queue, const struct toy_packet *packet)
{
    MNP_REQUIRE(queue->count < TOY_DEPTH, "a queue overflows: credits are wrong");
    queue->packet[(queue->head + queue->count++) % TOY_DEPTH] = *packet;
}

void toy_pop(struct toy_queue *queue)
{
    memset(&queue->packet[queue->head], 0, sizeof queue->packet[0]);
    queue->head = (queue->head + 1) % TOY_DEPTH;
    queue->count--;
}

void toy_send(struct toy_port *port, struct mnp_link *link, const struct toy_packet *packet, mnp_time time)
{
    MNP_REQUIRE(port->credits[packet->class] > 0, "a packet is sent without a credit");
    struct toy_packet *sent = mnp_link_send(link, time);
    *sent = *packet;
    sent->hop = port->sent++;
    port->credits[packet->class]--;
}

void toy_give_back(struct mnp_link *link, uint32_t class, mnp_time time)
{
    struct toy_credit *credit = mnp_link_send(link, time);
    credit->count[class] = 1;
}

void toy_receive(struct toy_port *port, struct mnp_unit *unit, const struct toy_packet *packet)
{
    MNP_REQUIRE(packet->hop == port->received, "%s: packet %llu of a link comes as number %llu", unit->name,
                (unsigned long long)packet->hop, (unsigned long long)port->received);
    port->received++;
}

mnp_time toy_run(struct mnp_unit *unit, mnp_time until, struct toy_progress *progress,
                 uint64_t (*step)(struct mnp_unit *, uint64_t cycle, mnp_time time),
                 void (*idle)(struct mnp_unit *, uint64_t cycles))
{
    uint64_t end = mnp_cursor_cycle_at(&unit->clock, until);
    while (progress->cycle < end) {
        mnp_time arrival = unit->inbox.next;
        uint64_t act = arrival == MNP_NEVER ? UINT64_MAX : mnp_cursor_cycle_at(&unit->clock, arrival);
        if (progress->next < act)
            act = progress->next;
        if (act > progress->cycle && !unit->no_skip) {
            if (act > end)
                act = end;
            idle(unit, act - progress->cycle);
            progress->cycle = act;
            continue;
        }
        mnp_visit(unit, progress->cycle);
        progress->next = step(unit, progress->cycle, mnp_cursor_edge(&unit->clock, progress->cycle));
        progress->cycle++;
    }
    mnp_pass(unit, end);
    mnp_cursor_move(&unit->clock, progress->cycle);
    if (progress->next == UINT64_MAX)
        return MNP_NEVER;
    mnp_time horizon = mnp_cursor_edge(&unit->clock, progress->next);
    return horizon > until ? horizon : until;
}
