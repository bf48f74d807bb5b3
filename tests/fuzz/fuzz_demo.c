/* fuzz_demo.c: a libFuzzer target: any text as a demo: `play --check`, and as the script of `show`, which carries
 * out the commands of the screen, too. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const panels[] = {"bits", "update", "scale", "train"};
    char *play[] = {(char *)(uintptr_t) "ulpscope", (char *)(uintptr_t) "play", (char *)(uintptr_t) "--check",
                    (char *)(uintptr_t) "file", NULL};
    char *show[] = {(char *)(uintptr_t) "ulpscope", (char *)(uintptr_t) "show",
                    (char *)(uintptr_t)panels[size ? data[0] % 4 : 0], (char *)(uintptr_t) "--script=file",
                    NULL};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    fuzz_bound_script(text);
    fuzz_write("file", text, size);
    fuzz_call(4, size % 2 ? show : play);
    free(text);
    return 0;
}
