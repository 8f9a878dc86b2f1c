/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/device/print.h"

#include "execute/warp/frame.h"

#include <stdio.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

enum {
    MOST_ARGUMENTS = 32,   /* number of arguments behind the format; further conversions are printed literally */
    MOST_BYTES = 1 << 20,  /* maximum length of a format or a string: the hardware's buffer is no larger */
    MOST_WIDTH = 64 * 1024 /* larger widths and precisions count as this */
};

enum { NONE = -1 };

struct printing { /* a call */
    struct execute_warp *warp;
    uint32_t lane;
    uint64_t arguments; /* address of the next argument, before alignment */
    uint32_t taken;     /* arguments so far */
    bool failed;        /* memory could not be read: the warp has faulted */
    struct mnp_array *text;
};

struct conversion { /* one conversion specification of a format */
    char flags[8];
    int32_t width, precision; /* NONE: not stated */
    uint32_t shorts, longs;   /* letters of its size: h or hh; l, ll, z, t, j: 8 bytes */
    char letter;
};

static char read_char(struct printing *p, uint64_t address)
{
    uint64_t addresses[32] = {0};
    char c = 0;
    addresses[p->lane] = address;
    if (!p->failed)
        p->failed = !execute_access(p->warp, EXECUTE_SPACE_GENERIC, false, 1u << p->lane, addresses, 1, &c, 0);
    return p->failed ? 0 : c;
}

static void put(struct printing *p, char c)
{
    *(char *)mnp_array_add(p->text, 1, 1) = c;
}

/* ===== arguments ===== */

/* Arguments lie one after the other, aligned to their size: 8 bytes for doubles, pointers, long numbers, else 4. False:
 * there are no more, or the warp has faulted. */
static bool take_argument(struct printing *p, unsigned bytes, uint64_t *value)
{
    *value = 0;
    if (p->taken == MOST_ARGUMENTS)
        return false;
    p->taken++;
    p->arguments = (p->arguments + bytes - 1) & ~(uint64_t)(bytes - 1);
    for (unsigned i = 0; i < bytes; i++)
        ((char *)value)[i] = read_char(p, p->arguments + i);
    p->arguments += bytes;
    return !p->failed;
}

/* ===== reading conversions ===== */

static void read_flags(struct printing *p, uint64_t *format, struct conversion *c)
{
    size_t count = 0;
    for (char flag; (flag = read_char(p, *format)) && strchr("-+ #0", flag); (*format)++)
        if (!memchr(c->flags, flag, count))
            c->flags[count++] = flag;
}

/* A width or a precision: digits, or an argument. False: there is no such argument. */
static bool read_number(struct printing *p, uint64_t *format, int32_t *number)
{
    char c = read_char(p, *format);
    uint64_t value;
    if (c == '*') {
        (*format)++;
        bool taken = take_argument(p, 4, &value);
        *number = (int32_t)value;
        *number = *number > MOST_WIDTH ? MOST_WIDTH : *number < -MOST_WIDTH ? -MOST_WIDTH : *number;
        return taken;
    }
    for (; c >= '0' && c <= '9'; c = read_char(p, ++*format)) {
        *number = (*number == NONE ? 0 : *number) * 10 + (c - '0');
        *number = *number > MOST_WIDTH ? MOST_WIDTH : *number;
    }
    return true;
}

static void read_size(struct printing *p, uint64_t *format, struct conversion *c)
{
    for (char size; (size = read_char(p, *format)) && strchr("hlztj", size); (*format)++) {
        c->shorts += size == 'h';
        c->longs += size != 'h';
    }
}

/* Parses a conversion behind its '%'. Returns false if an argument is missing, or if the warp has faulted; the
 * conversion is still parsed to its end. */
static bool read_conversion(struct printing *p, uint64_t *format, struct conversion *c)
{
    *c = (struct conversion){.width = NONE, .precision = NONE};
    read_flags(p, format, c);
    bool good = read_number(p, format, &c->width);
    if (read_char(p, *format) == '.') {
        c->precision = 0;
        (*format)++;
        good = read_number(p, format, &c->precision) && good;
    }
    read_size(p, format, c);
    c->letter = read_char(p, *format);
    *format += c->letter != 0;
    return good && !p->failed;
}

/* ===== writing ===== */

/* The host's library writes one value. */
static void put_value(struct printing *p, const struct conversion *c, uint64_t value, const char *string)
{
    char format[24];
    bool wide = c->longs && strchr("diouxX", c->letter);
    snprintf(format, sizeof format, "%%%s*.*%s%c", c->flags, wide ? "ll" : "", c->letter);
    int width = c->width == NONE ? 0 : c->width, length;
    double real;
    memcpy(&real, &value, sizeof real);
    for (size_t room = 0;; room = (size_t)length + 1) { /* first how long it is */
        char *to = room ? mnp_array_add(p->text, (uint32_t)room, 1) : NULL;
        if (strchr("fFeEgGaA", c->letter))
            length = snprintf(to, room, format, width, c->precision, real);
        else if (c->letter == 's')
            length = snprintf(to, room, format, width, c->precision, string);
        else if (c->letter == 'p')
            length = snprintf(to, room, format, width, c->precision, (void *)(uintptr_t)value);
        else if (wide)
            length = snprintf(to, room, format, width, c->precision, (unsigned long long)value);
        else
            length = snprintf(to, room, format, width, c->precision, (unsigned)value);
        if (length < 0)
            return;
        if (room) {
            p->text->count--; /* the zero byte */
            return;
        }
    }
}

static void put_string(struct printing *p, const struct conversion *c, uint64_t address)
{
    struct mnp_array string = {0};
    uint32_t most = c->precision >= 0 ? (uint32_t)c->precision : MOST_BYTES;
    char each = 1;
    for (uint32_t i = 0; address && each && i < most; i++)
        *(char *)mnp_array_add(&string, 1, 1) = each = read_char(p, address + i);
    if (address && each)
        mnp_array_add(&string, 1, 1);
    if (!p->failed)
        put_value(p, c, 0, string.items);
    mnp_array_release(&string);
}

/* An integer of less than a word. */
static uint64_t shorten(const struct conversion *c, uint64_t value)
{
    bool is_signed = strchr("di", c->letter), is_char = c->shorts > 1;
    if (!c->shorts || !strchr("diouxX", c->letter))
        return value;
    if (is_signed)
        return (uint64_t)(int64_t)(is_char ? (int8_t)value : (int16_t)value);
    return is_char ? (uint8_t)value : (uint16_t)value;
}

/* False: an argument is missing, or the warp has faulted. */
static bool put_conversion(struct printing *p, const struct conversion *c)
{
    bool large = strchr("fFeEgGaAps", c->letter) || (c->longs && c->letter != 'c');
    uint64_t value;
    if (!take_argument(p, large ? 8 : 4, &value))
        return false;
    if (c->letter == 's')
        put_string(p, c, value);
    else
        put_value(p, c, shorten(c, value), NULL);
    return !p->failed;
}

/* A conversion that is none, or has no argument, is printed as it stands. */
static void put_as_it_stands(struct printing *p, uint64_t from, uint64_t to)
{
    for (; from < to && !p->failed; from++)
        put(p, read_char(p, from));
}

int32_t execute_print(struct execute_warp *warp, uint32_t lane, uint64_t format, uint64_t arguments,
                      struct mnp_array *text)
{
    struct printing p = {.warp = warp, .lane = lane, .arguments = arguments, .text = text};
    struct execute_record *record = warp->record; /* the system's accesses are none of the kernel's */
    uint64_t first = format;
    warp->record = NULL;
    while (format && format - first < MOST_BYTES) {
        uint64_t place = format;
        char c = read_char(&p, format++);
        struct conversion conversion;
        if (!c)
            break;
        if (c != '%') {
            put(&p, c);
            continue;
        }
        bool good = read_conversion(&p, &format, &conversion);
        if (conversion.letter == '%')
            put(&p, '%');
        else if (!good || !conversion.letter || !strchr("fFeEgGaAdiouxXcps", conversion.letter) ||
                 !put_conversion(&p, &conversion))
            put_as_it_stands(&p, place, format);
    }
    warp->record = record;
    return format ? (int32_t)p.taken : -1;
}

void execute_read_text(struct execute_warp *warp, uint32_t lane, uint64_t address, char *text, size_t size)
{
    struct printing p = {.warp = warp, .lane = lane};
    size_t length = 0;
    while (length + 1 < size && (text[length] = read_char(&p, address + length)))
        length++;
    text[length] = 0;
}
