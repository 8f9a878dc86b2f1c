/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/live/printed.h"

#include "base/allocate.h"
#include "execute/live/live.h"

#include <stdlib.h>
#include <string.h>

static int by_time(const void *a, const void *b)
{
    const struct execute_printed *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void execute_printed_show(struct execute_device *device, struct mnp_array all)
{
    struct execute_printed *printed = all.items;
    if (all.count)
        qsort(printed, all.count, sizeof *printed, by_time);
    for (uint32_t i = 0; i < all.count; i++) {
        if (device->out && printed[i].text.count)
            fwrite(printed[i].text.items, 1, printed[i].text.count, device->out);
        mnp_array_release(&printed[i].text);
        device->printed++;
    }
    free(all.items);
}

/* ===== output of several processes, which one of them prints ===== */

struct sent_print { /* the text follows */
    uint64_t cycle;
    uint32_t core, number;
    uint64_t length;
};

size_t execute_printed_pack(struct mnp_array all, void **bytes)
{
    struct execute_printed *printed = all.items;
    size_t length = 0;
    for (uint32_t i = 0; i < all.count; i++)
        length += sizeof(struct sent_print) + printed[i].text.count;
    unsigned char *to = *bytes = mnp_allocate(length, 1);
    for (uint32_t i = 0; i < all.count; i++) {
        struct sent_print head = {printed[i].cycle, printed[i].core, printed[i].number, printed[i].text.count};
        memcpy(to, &head, sizeof head);
        if (head.length)
            memcpy(to + sizeof head, printed[i].text.items, head.length);
        to += sizeof head + head.length;
        mnp_array_release(&printed[i].text);
    }
    free(all.items);
    return length;
}

void execute_live_print_output(struct execute_device *device, const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    struct mnp_array all = {0};
    for (size_t at = 0; at < length;) {
        struct sent_print head;
        memcpy(&head, from + at, sizeof head);
        at += sizeof head;
        struct mnp_array text = {0};
        memcpy(mnp_array_add(&text, (uint32_t)head.length + 1, 1), from + at, head.length);
        text.count = (uint32_t)head.length;
        at += head.length;
        *(struct execute_printed *)mnp_array_add(&all, 1, sizeof(struct execute_printed)) =
            (struct execute_printed){head.cycle, head.core, head.number, text};
    }
    execute_printed_show(device, all);
}
