/* save_auto.c: the session that saves itself: where, what is kept of the one before, and whether that was cut off. */
#include "probe_text.h"
#include "save.h"
#include "session_internal.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool save_auto_path(char *path, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = state && *state == '/' ? snprintf(path, size, "%s/ulpscope/autosave", state)
                 : home && *home == '/' ? snprintf(path, size, "%s/.local/state/ulpscope/autosave", home)
                                        : -1;
    return length > 0 && (size_t)length < size;
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

bool save_auto(struct session *s, const char *path, bool first, char *error)
{
    char copy[SAVE_PATH], last[SAVE_PATH + 8];
    text_format(copy, sizeof copy, "%s", path);
    make_folders(copy);
    snprintf(last, sizeof last, "%s.last", copy);
    if (first) { /* a second name, so that a kill between here and the new file leaves the old one in its place */
        unlink(last);
        if (link(copy, last) != 0)
            rename(copy, last); /* a file system without links */
    }
    if (!save_write(s, copy, error))
        return false;
    s->autosaved = true;
    return true;
}

static void mark_path(char *to, size_t size, const char *path)
{
    snprintf(to, size, "%s.open", path);
}

void save_auto_mark(const char *path, bool open)
{
    char mark[SAVE_PATH + 8], error[160];
    struct whole_file file;
    mark_path(mark, sizeof mark, path);
    if (!open)
        remove(mark);
    else if (whole_file_open(&file, mark, error))
        whole_file_close(&file, fprintf(file.out, "%ld\n", (long)getpid()) > 0, error);
}

bool save_auto_cut_off(const char *path)
{
    char mark[SAVE_PATH + 8];
    long process = 0;
    mark_path(mark, sizeof mark, path);
    FILE *file = fopen(mark, "r");
    bool read = file && fscanf(file, "%ld", &process) == 1 && process > 0;
    if (file)
        fclose(file);
    return read && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

bool session_restore_command(struct session *s, const char *argument, char *error)
{
    char path[SAVE_PATH], last[SAVE_PATH + 8];
    (void)argument;
    if (!save_auto_path(path, sizeof path))
        return session_refuse(error, "neither XDG_STATE_HOME nor HOME says where it would be");
    snprintf(last, sizeof last, "%s.last", path);
    return session_load_command(s, s->autosaved ? last : path, error);
}
