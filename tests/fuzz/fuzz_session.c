/* fuzz_session.c: a libFuzzer target: any text as a saved session, loaded by `train --load`; mostly with the
 * first line and the last that such a file must have, so that what lies between is reached. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *arguments[] = {(char *)(uintptr_t) "ulpscope", (char *)(uintptr_t) "train",
                                (char *)(uintptr_t) "--load",   (char *)(uintptr_t) "file",
                                (char *)(uintptr_t) "--device", (char *)(uintptr_t) "cpu"};
    static const char heading[] = "# ulpscope session 1\n", end[] = "\n# end\n";
    bool whole = size % 8 != 0;
    char *text = malloc(sizeof heading + size + sizeof end);
    if (!text)
        return 0;
    size_t n = whole ? strlen(heading) : 0;
    memcpy(text, heading, n);
    memcpy(text + n, data, size);
    n += size;
    memcpy(text + n, end, sizeof end);
    fuzz_bound_script(text); /* up to a zero byte; the rest stays */
    fuzz_write("file", text, n + (whole ? strlen(end) : 0));
    fuzz_call(6, arguments);
    free(text);
    return 0;
}
