/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 wide;

static const char not_whole[] = "is not a whole number";
static const char negative[] = "is negative";
static const char too_large[] = "is too large (at most 9223372036854775807)";

const char *mnp_parse_number(const char *text, uint64_t *value)
{
    if (text[0] == '-')
        return isdigit((unsigned char)text[1]) ? negative : not_whole;
    unsigned base = 10;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    if (!*text)
        return not_whole;
    uint64_t sum = 0;
    for (; *text; text++) {
        int c = tolower((unsigned char)*text);
        unsigned digit = isdigit(c) ? (unsigned)(c - '0') : base == 16 && isxdigit(c) ? (unsigned)(c - 'a' + 10) : base;
        if (digit >= base)
            return not_whole;
        if (sum > (MNP_NUMBER_MAX - digit) / base)
            return too_large;
        sum = sum * base + digit;
    }
    *value = sum;
    return NULL;
}

struct unit {
    const char *name;
    uint64_t factor;
};

/* A decimal number: its digits as an integer, and ten to the power of the number of decimals. Both stay below 10^30, so
 * that the product with a unit can be checked without overflow. */
struct decimal {
    wide digits;
    wide divisor;
};

static const char *parse_decimal(const char **text, struct decimal *decimal)
{
    const char *at = *text;
    if (*at == '-')
        return negative;
    if (!isdigit((unsigned char)*at))
        return "is not a number";
    *decimal = (struct decimal){.digits = 0, .divisor = 1};
    int point = 0;
    for (; isdigit((unsigned char)*at) || (*at == '.' && !point && isdigit((unsigned char)at[1])); at++) {
        if (*at == '.') {
            point = 1;
            continue;
        }
        decimal->digits = decimal->digits * 10 + (unsigned)(*at - '0');
        if (point)
            decimal->divisor *= 10;
        if (decimal->divisor > (wide)1000000000000)
            return "has more than 12 decimals";
        if (decimal->digits > (wide)MNP_NUMBER_MAX * 1000000000)
            return too_large;
    }
    *text = at;
    return NULL;
}

static const char *parse_with_unit(const char *text, const struct unit *units, const char *bad_unit, const char *broken,
                                   uint64_t *value)
{
    struct decimal decimal;
    const char *problem = parse_decimal(&text, &decimal);
    if (problem)
        return problem;
    if (*text == ' ')
        text++;
    const struct unit *unit = units;
    while (unit->name && strcmp(unit->name, text) != 0)
        unit++;
    if (!unit->name)
        return bad_unit;
    wide product = decimal.digits * unit->factor;
    if (product % decimal.divisor)
        return broken;
    if (product / decimal.divisor > MNP_NUMBER_MAX)
        return too_large;
    *value = (uint64_t)(product / decimal.divisor);
    return NULL;
}

const char *mnp_parse_size(const char *text, uint64_t *value)
{
    static const struct unit units[] = {{"", 1},
                                        {"B", 1},
                                        {"KiB", UINT64_C(1) << 10},
                                        {"MiB", UINT64_C(1) << 20},
                                        {"GiB", UINT64_C(1) << 30},
                                        {"TiB", UINT64_C(1) << 40},
                                        {NULL, 0}};
    return parse_with_unit(text, units, "has no known unit of size (use B, KiB, MiB, GiB or TiB)",
                           "is not a whole number of bytes", value);
}

const char *mnp_parse_hertz(const char *text, uint64_t *value)
{
    static const struct unit units[] = {{"", 1},          {"Hz", 1},           {"kHz", 1000},
                                        {"MHz", 1000000}, {"GHz", 1000000000}, {NULL, 0}};
    return parse_with_unit(text, units, "has no known unit of frequency (use Hz, kHz, MHz or GHz)",
                           "is not a whole number of hertz", value);
}

const char *mnp_format_size(char text[MNP_NUMBER_TEXT], uint64_t bytes)
{
    static const char *const names[] = {"TiB", "GiB", "MiB", "KiB"};
    for (unsigned i = 0; bytes && i < 4; i++) {
        uint64_t unit = UINT64_C(1) << (40 - 10 * i);
        if (bytes % unit == 0) {
            snprintf(text, MNP_NUMBER_TEXT, "%" PRIu64 "%s", bytes / unit, names[i]);
            return text;
        }
    }
    snprintf(text, MNP_NUMBER_TEXT, "%" PRIu64, bytes);
    return text;
}

const char *mnp_format_hertz(char text[MNP_NUMBER_TEXT], uint64_t hertz)
{
    if (hertz < 1000000) {
        snprintf(text, MNP_NUMBER_TEXT, "%" PRIu64, hertz);
        return text;
    }
    int length = snprintf(text, MNP_NUMBER_TEXT, "%" PRIu64 ".%06u", hertz / 1000000, (unsigned)(hertz % 1000000));
    while (text[length - 1] == '0')
        length--;
    if (text[length - 1] == '.')
        length--;
    snprintf(text + length, (size_t)(MNP_NUMBER_TEXT - length), "MHz");
    return text;
}

const char *mnp_format_grouped(char text[MNP_NUMBER_TEXT], uint64_t value)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *at = text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *at++ = ',';
        *at++ = digits[i];
    }
    *at = 0;
    return text;
}

const char *mnp_format_ratio_decimals(char text[MNP_NUMBER_TEXT], uint64_t numerator, uint64_t scale,
                                      uint64_t denominator, unsigned decimals)
{
    wide power = 1;
    for (unsigned i = 0; i < decimals; i++)
        power *= 10;
    wide scaled = denominator ? ((wide)numerator * scale * power + denominator / 2) / denominator : 0;
    char reversed[MNP_NUMBER_TEXT];
    unsigned length = 0;
    for (unsigned place = 0; place <= decimals || scaled; place++) {
        if (place == decimals && decimals)
            reversed[length++] = '.';
        reversed[length++] = (char)('0' + (int)(scaled % 10));
        scaled /= 10;
    }
    for (unsigned i = 0; i < length; i++)
        text[i] = reversed[length - 1 - i];
    text[length] = 0;
    return text;
}

const char *mnp_format_ratio(char text[MNP_NUMBER_TEXT], uint64_t numerator, uint64_t scale, uint64_t denominator)
{
    return mnp_format_ratio_decimals(text, numerator, scale, denominator, 6);
}

enum { WORD_MAX = 96 };

/* Levenshtein distance: insertions, deletions and replacements that turn `a` into `b`; WORD_MAX for words that are too
 * long. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    if (m >= WORD_MAX || n >= WORD_MAX)
        return WORD_MAX;
    size_t row[WORD_MAX];
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[n];
}

const char *mnp_nearest_word(const char *misspelt, const char *const *words, size_t count)
{
    if (strlen(misspelt) >= WORD_MAX)
        return NULL;
    size_t best = 1 + strlen(misspelt) / 3; /* a suggestion that changes more than a third of the word is noise */
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(misspelt, words[i]);
        if (distance < best || (distance == best && !nearest && distance < strlen(words[i]))) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

/* ===== texts of others ===== */

size_t mnp_utf8_length(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    size_t length = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;
    if (length < 2)
        return length;
    uint32_t code = at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0 : length;
}

/* Whether a three-byte character controls the direction of text (U+200E, 200F, 202A to 202E, 2066 to 2069), or ends a
 * line (U+2028, 2029). */
static bool turns_writing(const unsigned char *at)
{
    uint32_t code = (at[0] & 15u) << 12 | (at[1] & 63u) << 6 | (at[2] & 63u);
    return code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

size_t mnp_steering_bytes(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = mnp_utf8_length(text);
    if (at[0] < ' ' || at[0] == 127 || length == 0)
        return 1;
    if (length == 2 && at[0] == 0xc2 && at[1] < 0xa0) /* control characters from U+0080 */
        return 2;
    return length == 3 && turns_writing(at) ? 3 : 0;
}

const char *mnp_escape(char *out, size_t room, const char *text)
{
    size_t used = 0;
    while (*text) {
        size_t steering = mnp_steering_bytes(text), bytes = steering ? steering : mnp_utf8_length(text);
        if (used + (steering ? 4 * bytes : bytes) >= room)
            break;
        for (size_t i = 0; i < bytes; i++, text++)
            if (steering)
                used += (size_t)snprintf(out + used, room - used, "\\x%02x", (unsigned char)*text);
            else
                out[used++] = *text;
    }
    out[used] = 0;
    return out;
}

uint64_t mnp_text_hash(uint64_t seed, const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ seed;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}
