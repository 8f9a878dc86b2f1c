/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of the reader of comma-separated values: any bytes are read, or refused with an error, and whatever was
 * read has as many fields in each row as there are names. */
#include "results/encoding/csv.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file memory;
    struct mnp_error error = {0};
    struct results_csv csv;
    memory_file_open(&memory, data, size);
    if (results_csv_read(&csv, memory.path, &error)) {
        const struct results_csv_row *rows = csv.rows.items;
        for (uint32_t i = 0; i < csv.rows.count; i++)
            for (uint32_t k = 0; k < csv.columns; k++) {
                double value;
                struct mnp_error ignored = {0};
                if (!results_csv_number(&csv, &rows[i], k, &value, &ignored) && !ignored.text[0])
                    abort();
            }
        results_csv_release(&csv);
    } else if (!error.text[0]) {
        abort(); /* refused without a word */
    }
    memory_file_close(&memory);
    return 0;
}
