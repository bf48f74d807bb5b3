/* whole_file.c: temporary names, and renaming. */
#include "whole_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(char *error, const char *file, const char *why)
{
    snprintf(error, 160, "%.80s: %.70s", file, why);
    return false;
}

/* Where a link leads to; the name itself where nothing is there yet. */
static bool follow(const char *file, char *to, char *error)
{
    struct stat about;
    char *path = NULL;
    if (!*file)
        return fail(error, file, strerror(ENOENT));
    if (lstat(file, &about) == 0 && S_ISLNK(about.st_mode) && !(path = realpath(file, NULL)))
        return fail(error, file, strerror(errno));
    int length = snprintf(to, SAVE_PATH, "%s", path ? path : file);
    free(path);
    if (length < 0 || length >= SAVE_PATH)
        return fail(error, file, "too long a name");
    if (stat(to, &about) == 0 && !S_ISREG(about.st_mode))
        return fail(error, file, S_ISDIR(about.st_mode) ? "is a directory" : "is no regular file");
    return true;
}

/* A rename is lasting only when its folder is on disk. */
static void sync_folder(const char *file)
{
    char folder[SAVE_PATH];
    const char *slash = strrchr(file, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

bool whole_file_open(struct whole_file *w, const char *file, char *error)
{
    w->out = NULL;
    if (!follow(file, w->target, error))
        return false;
    int length = snprintf(w->temporary, sizeof w->temporary, "%s.%ld.tmp", w->target, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof w->temporary)
        return fail(error, file, "too long a name");
    int fd = open(w->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    w->out = fd < 0 ? NULL : fdopen(fd, "w");
    if (w->out)
        return true;
    fail(error, file, strerror(errno));
    if (fd >= 0)
        close(fd);
    return false;
}

bool whole_file_close(struct whole_file *w, bool keep, char *error)
{
    bool written = fflush(w->out) == 0 && !ferror(w->out) && fsync(fileno(w->out)) == 0;
    int why = errno;
    written = fclose(w->out) == 0 && written;
    w->out = NULL;
    if (keep && written && rename(w->temporary, w->target) == 0) {
        sync_folder(w->target);
        return true;
    }
    if (keep && written)
        why = errno;
    unlink(w->temporary);
    return !keep || fail(error, w->target, strerror(why));
}
