/* main.c: temporary: the command line without screens. */
#include "cli.h"

int main(int argc, char **argv)
{
    static const struct cli_hooks hooks = {0};
    return cli_main(argc, argv, &hooks);
}
