/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/profile/parquet.h"

#include "base/allocate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 32 };
/* Types of fields in Thrift's compact protocol. */
enum { I32 = 5, I64 = 6, BINARY = 8, LIST = 9, STRUCT = 12 };
/* Physical types of Parquet, a converted type, encodings, a kind of page. */
enum { TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTES = 6, UTF8 = 0, PLAIN = 0, RLE = 3, DATA_PAGE = 0, REQUIRED = 0 };

struct bytes {
    uint8_t *at;
    size_t count, room;
};

struct parquet {
    const char *types;
    const char *const *names;
    uint32_t columns;
    uint64_t rows;
    struct bytes values[COLUMNS];
};

static void put(struct bytes *to, const void *from, size_t count)
{
    if (to->count + count > to->room) {
        to->room = (to->count + count) * 2;
        to->at = mnp_reallocate(to->at, to->room, 1);
    }
    memcpy(to->at + to->count, from, count);
    to->count += count;
}

static void put_byte(struct bytes *to, unsigned byte)
{
    uint8_t value = (uint8_t)byte;
    put(to, &value, 1);
}

static void put_little(struct bytes *to, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put_byte(to, value >> 8 * i & 255);
}

/* ===== Thrift's compact protocol ===== */

static void put_varint(struct bytes *to, uint64_t value)
{
    for (; value > 127; value >>= 7)
        put_byte(to, (value & 127) | 128);
    put_byte(to, (unsigned)value);
}

static void put_text(struct bytes *to, const char *text)
{
    put_varint(to, strlen(text));
    put(to, text, strlen(text));
}

/* A field whose number is `step` above the last one's. */
static void put_field(struct bytes *to, unsigned step, unsigned type)
{
    put_byte(to, step << 4 | type);
}

static void put_number(struct bytes *to, unsigned step, unsigned type, uint64_t value)
{
    put_field(to, step, type);
    put_varint(to, value << 1); /* zigzag; none is negative */
}

static void put_list(struct bytes *to, unsigned step, unsigned type, uint64_t count)
{
    put_field(to, step, LIST);
    put_byte(to, (count < 15 ? (unsigned)count : 15u) << 4 | type);
    if (count >= 15)
        put_varint(to, count);
}

static void put_stop(struct bytes *to)
{
    put_byte(to, 0);
}

/* ===== the file ===== */

static unsigned type_of(char type)
{
    return type == 't' ? TYPE_BYTES : type == 'd' ? TYPE_DOUBLE : TYPE_INT64;
}

static void put_page_header(struct bytes *to, const struct parquet *table, uint32_t column)
{
    put_number(to, 1, I32, DATA_PAGE);
    put_number(to, 1, I32, table->values[column].count);
    put_number(to, 1, I32, table->values[column].count);
    put_field(to, 2, STRUCT);
    put_number(to, 1, I32, table->rows);
    put_number(to, 1, I32, PLAIN);
    put_number(to, 1, I32, RLE);
    put_number(to, 1, I32, RLE);
    put_stop(to);
    put_stop(to);
}

static void put_schema(struct bytes *to, const struct parquet *table)
{
    put_list(to, 1, STRUCT, table->columns + 1);
    put_field(to, 4, BINARY);
    put_text(to, "schema");
    put_number(to, 1, I32, table->columns);
    put_stop(to);
    for (uint32_t i = 0; i < table->columns; i++) {
        put_number(to, 1, I32, type_of(table->types[i]));
        put_number(to, 2, I32, REQUIRED);
        put_field(to, 1, BINARY);
        put_text(to, table->names[i]);
        if (table->types[i] == 't')
            put_number(to, 2, I32, UTF8);
        put_stop(to);
    }
}

static void put_column(struct bytes *to, const struct parquet *table, uint32_t i, uint64_t at, uint64_t bytes)
{
    put_number(to, 2, I64, at);
    put_field(to, 1, STRUCT);
    put_number(to, 1, I32, type_of(table->types[i]));
    put_list(to, 1, I32, 1);
    put_varint(to, PLAIN << 1);
    put_list(to, 1, BINARY, 1);
    put_text(to, table->names[i]);
    put_number(to, 1, I32, 0); /* no compression */
    put_number(to, 1, I64, table->rows);
    put_number(to, 1, I64, bytes);
    put_number(to, 1, I64, bytes);
    put_number(to, 2, I64, at);
    put_stop(to);
    put_stop(to);
}

struct parquet *cli_parquet_begin(const char *types, const char *const *names)
{
    struct parquet *table = mnp_allocate(1, sizeof *table);
    table->types = types;
    table->names = names;
    table->columns = (uint32_t)strlen(types);
    return table;
}

void cli_parquet_add(struct parquet *table, ...)
{
    va_list values;
    va_start(values, table);
    for (uint32_t i = 0; i < table->columns; i++) {
        struct bytes *to = &table->values[i];
        uint64_t bits;
        if (table->types[i] == 't') {
            const char *text = va_arg(values, const char *);
            put_little(to, strlen(text), 4);
            put(to, text, strlen(text));
        } else if (table->types[i] == 'i') {
            put_little(to, (uint64_t)va_arg(values, int64_t), 8);
        } else {
            double number = va_arg(values, double);
            memcpy(&bits, &number, sizeof bits);
            put_little(to, bits, 8);
        }
    }
    va_end(values);
    table->rows++;
}

void cli_parquet_end(struct parquet *table, FILE *out)
{
    struct bytes file = {0}, footer = {0};
    uint64_t at[COLUMNS], bytes[COLUMNS], all = 0;
    put(&file, "PAR1", 4);
    for (uint32_t i = 0; i < table->columns; i++) {
        at[i] = file.count;
        put_page_header(&file, table, i);
        put(&file, table->values[i].at ? table->values[i].at : (uint8_t *)"", table->values[i].count);
        bytes[i] = file.count - at[i];
        all += bytes[i];
        free(table->values[i].at);
    }
    put_number(&footer, 1, I32, 1);
    put_schema(&footer, table);
    put_number(&footer, 1, I64, table->rows);
    put_list(&footer, 1, STRUCT, 1);
    put_list(&footer, 1, STRUCT, table->columns);
    for (uint32_t i = 0; i < table->columns; i++)
        put_column(&footer, table, i, at[i], bytes[i]);
    put_number(&footer, 1, I64, all);
    put_number(&footer, 1, I64, table->rows);
    put_stop(&footer);
    put_field(&footer, 2, BINARY);
    put_text(&footer, "maniple");
    put_stop(&footer);
    put(&file, footer.at, footer.count);
    put_little(&file, footer.count, 4);
    put(&file, "PAR1", 4);
    fwrite(file.at, 1, file.count, out);
    free(file.at);
    free(footer.at);
    free(table);
}
