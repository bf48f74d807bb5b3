/* term.c: the terminal, by curses.  The only file that knows curses; escape sequences are taken apart in
 * term_input.c, signals are in term_signal.c. */
#define NCURSES_WIDECHAR 1
#include "term.h"
#include "glyph.h"
#include "term_input.h"
#include "term_signal.h"
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

/* Codes for sequences that terminfo has no key name for; beyond those that curses gives to extended keys. */
enum { CODE_MOUSE = 2000, CODE_PASTE, CODE_PASTE_END };

enum { SPLIT_MS = 25 }; /* how long the rest of a sequence may take, as ESCDELAY */

struct term {
    FILE *in, *out;
    bool own_in, own_out; /* opened here */
    SCREEN *screen;
    WINDOW *keys; /* a pad: reading from it draws nothing */
    struct grid *shown;
    bool shown_valid;
    bool cursor_shown;
    bool ascii, braille, gone;
    bool mouse_able, mouse; /* the terminal can report it; reports are on */
    enum depth depth;
    const char *paste_on, *paste_off; /* terminfo's BE and BD, or NULL */
    struct input_reader reader;
};

static bool curses_read(void *context, bool wait, struct input *in);

/* --- opening --- */

/* A stream on the terminal: the standard one if it is a terminal, else another way to it. */
static FILE *stream_open(FILE *standard, const char *mode, bool *own)
{
    *own = false;
    if (isatty(fileno(standard)))
        return standard;
    const char *path = ttyname(STDOUT_FILENO);
    path = path ? path : ttyname(STDIN_FILENO);
    int fd = open(path ? path : "/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && path)
        fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, mode) : NULL;
    if (!file && fd >= 0)
        close(fd);
    *own = file != NULL;
    return file;
}

/* Whether the terminal takes UTF-8; asks the locale, as other programs do, and leaves LC_NUMERIC alone. */
static bool charset_is_utf8(enum term_charset wanted)
{
    setlocale(LC_CTYPE, "");
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (wanted == TERM_CHARSET_UNICODE && !utf8)
        utf8 = setlocale(LC_CTYPE, "C.UTF-8") || setlocale(LC_CTYPE, "en_US.UTF-8");
    return utf8 && wanted != TERM_CHARSET_ASCII;
}

/* A string of terminfo by its short name, or NULL. */
static const char *capability(const char *name)
{
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%s", name);
    const char *value = tigetstr(buffer);
    return value == NULL || value == (const char *)-1 || value[0] == '\0' ? NULL : value;
}

/* Appends a string of terminfo without its $<delay> marks. */
static void append(char *text, size_t size, const char *string)
{
    size_t length = strlen(text);
    for (; string && *string && length + 1 < size; string++) {
        const char *end = string[0] == '$' && string[1] == '<' ? strchr(string, '>') : NULL;
        if (end)
            string = end;
        else
            text[length++] = *string;
    }
    text[length] = '\0';
}

static void write_all(int fd, const char *text)
{
    for (size_t done = 0, length = strlen(text); done < length;) {
        ssize_t written = write(fd, text + done, length - done);
        if (written <= 0 && errno != EINTR)
            return;
        done += written > 0 ? (size_t)written : 0;
    }
}

/* The modes that curses does not manage.  1000: presses and the wheel; 1006: in decimal, beyond column 223.
 */
static const char MOUSE_ON[] = "\033[?1000h\033[?1006h", MOUSE_OFF[] = "\033[?1006l\033[?1000l";

static void modes_on(struct term *t)
{
    if (t->paste_on)
        write_all(fileno(t->out), t->paste_on);
    if (t->mouse)
        write_all(fileno(t->out), MOUSE_ON);
}

static void modes_off(struct term *t)
{
    if (t->mouse)
        write_all(fileno(t->out), MOUSE_OFF);
    if (t->paste_on)
        write_all(fileno(t->out), t->paste_off);
}

/* What the crash handler writes: everything that is on goes off, in the order of modes_off and endwin. */
static void restore_prepare(const struct term *t)
{
    char text[SIGNAL_RESTORE_MAX] = "";
    if (t->mouse_able)
        append(text, sizeof text, MOUSE_OFF);
    if (t->paste_on)
        append(text, sizeof text, t->paste_off);
    append(text, sizeof text, capability("sgr0"));
    if (!capability("rmcup")) /* no other screen to go back to: below what is there */
        append(text, sizeof text, tiparm(capability("cup"), 998, 0));
    append(text, sizeof text, capability("rmcup"));
    append(text, sizeof text, capability("rmkx"));
    append(text, sizeof text, capability("cnorm"));
    append(text, sizeof text, capability("rmcup") ? "\r" : "\r\n");
    signal_set_restore(text);
}

static void colors_open(struct term *t, enum color_when when)
{
    bool able = has_colors() && start_color() == OK && use_default_colors() == OK;
    t->depth = able ? theme_depth(when, getenv("NO_COLOR"), COLORS) : DEPTH_MONO;
    if (ROLE_COUNT >= COLOR_PAIRS)
        t->depth = DEPTH_MONO;
    for (int role = 0; role < ROLE_COUNT && t->depth != DEPTH_MONO; role++) {
        struct style style = theme_style((enum role)role, 0, t->depth);
        if (init_extended_pair(role + 1, style.color, -1) != OK)
            t->depth = DEPTH_MONO;
    }
}

static void keys_open(struct term *t, bool mouse, const char *name)
{
    keypad(t->keys, TRUE);
    nodelay(t->keys, TRUE);
    if (!getenv("ESCDELAY"))
        set_escdelay(25); /* curses's own second makes Esc feel broken */
    const char *begin = capability("PS"), *end = capability("PE");
    t->paste_on = capability("BE");
    t->paste_off = capability("BD");
    if (!begin || !end || !t->paste_off)
        t->paste_on = NULL;
    if (t->paste_on) {
        define_key(begin, CODE_PASTE);
        define_key(end, CODE_PASTE_END);
    }
    /* GNU screen has no mode 1006, but tmux often says that it is "screen". */
    bool decimal = strncmp(name, "screen", 6) != 0 || getenv("TMUX") != NULL;
    t->mouse_able = capability("kmous") && decimal;
    t->mouse = mouse && t->mouse_able;
    if (t->mouse_able)
        define_key("\033[<", CODE_MOUSE);
}

/* Ctrl-S would freeze the screen, and with it the program, which then waits in write.  curses has no call for
 * that flag alone; def_prog_mode makes it one of the modes that curses sets again after a stop. */
static void flow_control_off(const struct term *t)
{
    struct termios modes;
    if (tcgetattr(fileno(t->in), &modes) != 0)
        return;
    modes.c_iflag &= ~(tcflag_t)IXON;
    if (tcsetattr(fileno(t->in), TCSANOW, &modes) == 0)
        def_prog_mode();
}

/* curses is up: everything else. */
static bool screen_open(struct term *t, const struct term_options *options, const char *name, char *error)
{
    if (!capability("cup")) {
        snprintf(error, TERM_ERROR,
                 "TERM=%.64s cannot move the cursor; use a terminal emulator, or `ulpscope show PANEL`",
                 name);
        return false;
    }
    t->keys = newpad(1, 1);
    t->shown = grid_create(LINES, COLS);
    if (!t->keys || !t->shown) {
        snprintf(error, TERM_ERROR, "out of memory for the screen");
        return false;
    }
    cbreak();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    flow_control_off(t);
    leaveok(stdscr, FALSE);
    curs_set(0);
    colors_open(t, options->color);
    keys_open(t, options->mouse, name);
    t->braille = !t->ascii && strcmp(name, "linux") != 0; /* the console's fonts have no dots */
    restore_prepare(t);
    modes_on(t);
    return true;
}

static bool curses_open(struct term *t, const struct term_options *options, char *error)
{
    const char *name = getenv("TERM");
    if (!name || name[0] == '\0') {
        snprintf(error, TERM_ERROR,
                 "TERM is not set, so the terminal's kind is unknown; try TERM=xterm-256color");
        return false;
    }
    t->in = stream_open(stdin, "r", &t->own_in);
    t->out = stream_open(stdout, "w", &t->own_out);
    if (!t->in || !t->out) {
        snprintf(error, TERM_ERROR, "no terminal to draw on: %s; `ulpscope show PANEL` needs none",
                 strerror(errno));
        return false;
    }
    t->ascii = !charset_is_utf8(options->charset);
    unsetenv("LINES"); /* exported by some shells; they would freeze the size */
    unsetenv("COLUMNS");
    if (!signal_open(fileno(t->in),
                     fileno(t->out))) { /* first, so that curses installs no handlers of its own */
        snprintf(error, TERM_ERROR, "no pipe for signals: %s", strerror(errno));
        return false;
    }
    t->screen = newterm(NULL, t->out, t->in);
    if (!t->screen) {
        snprintf(error, TERM_ERROR, "TERM=%.64s is not known on this machine; try TERM=xterm-256color", name);
        return false;
    }
    restore_prepare(t); /* the other screen is on; the modes that follow are added by screen_open */
    return screen_open(t, options, name, error);
}

struct term *term_open(const struct term_options *options, char *error)
{
    struct term *t = calloc(1, sizeof *t);
    if (!t) {
        snprintf(error, TERM_ERROR, "out of memory for the screen");
        return NULL;
    }
    t->reader = (struct input_reader){.read = curses_read, .context = t};
    if (!curses_open(t, options, error)) {
        term_close(t);
        return NULL;
    }
    return t;
}

void term_close(struct term *t)
{
    if (!t)
        return;
    if (t->screen) {
        modes_off(t);
        endwin();
        tcflush(fileno(t->in), TCIFLUSH); /* mouse reports must not become the shell's input */
        if (t->keys)
            delwin(t->keys);
        delscreen(t->screen);
    }
    signal_close();
    if (t->own_in && t->in)
        fclose(t->in);
    if (t->own_out && t->out)
        fclose(t->out);
    grid_free(t->shown);
    input_close(&t->reader);
    free(t);
}

void term_die(struct term *t, int signal_number)
{
    term_close(t);
    signal_raise_default(signal_number);
}

void term_size(const struct term *t, int *rows, int *cols)
{
    *rows = t->shown->rows;
    *cols = t->shown->cols;
}

bool term_ascii(const struct term *t)
{
    return t->ascii;
}

bool term_braille(const struct term *t)
{
    return t->braille;
}

int term_fd(const struct term *t)
{
    return fileno(t->in);
}

int term_signal_fd(const struct term *t)
{
    (void)t;
    return signal_fd();
}

void term_mouse(struct term *t, bool on)
{
    on = on && t->mouse_able;
    if (on != t->mouse)
        write_all(fileno(t->out), on ? MOUSE_ON : MOUSE_OFF);
    t->mouse = on;
}

/* --- drawing --- */

/* The cell to show at a place of the screen: blank beyond the grid, and where half of a wide glyph would be.
 */
static struct cell cell_wanted(const struct term *t, const struct grid *g, int row, int col)
{
    const struct cell *cell = grid_at(g, row, col);
    const struct cell *next = grid_at(g, row, col + 1);
    bool half = cell && next && next->glyph == 0 && col + 1 >= t->shown->cols;
    struct cell wanted = cell && !half ? *cell : (struct cell){' ', ROLE_TEXT, 0};
    if (t->ascii && wanted.glyph != 0)
        wanted.glyph = (unsigned char)glyph_ascii(wanted.glyph);
    else if (t->ascii)
        wanted.glyph = ' ';
    return wanted;
}

/* The terminal's library must agree on the width of a glyph, or the rest of the line would shift. */
static wchar_t glyph_agreed(const struct term *t, uint32_t glyph)
{
    if (t->ascii)
        return (wchar_t)glyph;
    return wcwidth((wchar_t)glyph) == glyph_width(glyph) ? (wchar_t)glyph : L'?';
}

static void cell_send(const struct term *t, int row, int col, const struct cell *cell)
{
    struct style style = cell_style(cell, t->depth);
    short pair = style.color < 0 ? 0 : (short)(cell->role + 1); /* only known roles have a colour */
    attr_t attributes = (style.attributes & ATTR_BOLD ? A_BOLD : 0) |
                        (style.attributes & ATTR_DIM ? A_DIM : 0) |
                        (style.attributes & ATTR_UNDERLINE ? A_UNDERLINE : 0) |
                        (style.attributes & ATTR_REVERSE ? A_REVERSE : 0);
    wchar_t text[2] = {glyph_agreed(t, cell->glyph), L'\0'};
    cchar_t c;
    if (setcchar(&c, text, attributes, pair, NULL) == OK)
        mvadd_wch(row, col, &c); /* ERR in the last cell, which has no next: it is written all the same */
}

/* A row goes to curses whole, so that no half of a wide glyph is left behind; curses sends what differs. */
static bool row_present(struct term *t, const struct grid *g, int row)
{
    bool differs = !t->shown_valid;
    for (int col = 0; col < t->shown->cols; col++) {
        struct cell wanted = cell_wanted(t, g, row, col);
        struct cell *shown = &t->shown->cells[(size_t)row * (size_t)t->shown->cols + (size_t)col];
        differs = differs || !cell_equal(&wanted, shown);
        *shown = wanted;
    }
    for (int col = 0; differs && col < t->shown->cols; col++) {
        const struct cell *cell = grid_at(t->shown, row, col);
        bool refused = cell->glyph == 0 && col > 0 && glyph_agreed(t, cell[-1].glyph) == L'?';
        struct cell filler = {' ', cell->role, cell->attributes};
        if (cell->glyph != 0 || refused)
            cell_send(t, row, col, refused ? &filler : cell);
    }
    return differs;
}

void term_present(struct term *t, const struct grid *g)
{
    bool differs = false;
    for (int row = 0; row < t->shown->rows; row++)
        differs = row_present(t, g, row) || differs;
    t->shown_valid = true;
    bool moved = g->cursor_row != t->shown->cursor_row || g->cursor_col != t->shown->cursor_col;
    if (g->cursor_shown != t->cursor_shown) {
        curs_set(g->cursor_shown ? 1 : 0);
        t->cursor_shown = g->cursor_shown;
        moved = true;
    }
    if (!differs && !moved)
        return;
    t->shown->cursor_row = g->cursor_row;
    t->shown->cursor_col = g->cursor_col;
    move(g->cursor_row < LINES ? g->cursor_row : LINES - 1, g->cursor_col < COLS ? g->cursor_col : COLS - 1);
    wnoutrefresh(stdscr);
    doupdate();
}

void term_redraw(struct term *t)
{
    (void)t;
    clearok(curscr, TRUE);
    wrefresh(curscr);
}

/* --- signals --- */

/* Takes over the terminal's size; true when it changed. */
static bool size_follow(struct term *t)
{
    struct winsize size;
    if (ioctl(fileno(t->out), TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
        return false;
    if (size.ws_row == t->shown->rows && size.ws_col == t->shown->cols)
        return false;
    if (!grid_resize(t->shown, size.ws_row, size.ws_col))
        return false;
    resize_term(size.ws_row, size.ws_col); /* not resizeterm, which would push a key */
    clearok(curscr, TRUE);
    t->shown_valid = false;
    return true;
}

static void suspend(struct term *t)
{
    modes_off(t);
    endwin();
    signal_stop_here();
    signal_take_continue();
    modes_on(t);
}

/* The terminal may have got other modes and another screen while the process was stopped. */
static bool resume(struct term *t)
{
    reset_prog_mode();
    if (size_follow(t))
        return true; /* the program draws anew */
    term_redraw(t);
    return false;
}

static bool named(struct term_key *key, const char *name)
{
    snprintf(key->name, sizeof key->name, "%s", name);
    return true;
}

static bool signal_key(struct term *t, struct term_key *key)
{
    signal_drain();
    key->signal = signal_take_fatal();
    if (key->signal != 0)
        return named(key, "Signal");
    bool changed = false;
    if (signal_take_stop()) {
        suspend(t);
        changed = resume(t);
    } else if (signal_take_continue()) {
        modes_on(t);
        changed = resume(t);
    }
    if (signal_take_resize())
        changed = size_follow(t) || changed;
    return changed && named(key, "Resize");
}

/* --- keys --- */

static const struct {
    int code;
    const char *name;
} curses_keys[] = {
    {KEY_LEFT, "Left"},
    {KEY_RIGHT, "Right"},
    {KEY_UP, "Up"},
    {KEY_DOWN, "Down"},
    {KEY_HOME, "Home"},
    {KEY_END, "End"},
    {KEY_FIND, "Home"},
    {KEY_SELECT, "End"},
    {KEY_A1, "Home"},
    {KEY_C1, "End"},
    {KEY_A3, "PgUp"},
    {KEY_C3, "PgDn"},
    {KEY_PPAGE, "PgUp"},
    {KEY_NPAGE, "PgDn"},
    {KEY_IC, "Insert"},
    {KEY_DC, "Delete"},
    {KEY_BACKSPACE, "Backspace"},
    {KEY_ENTER, "Enter"},
    {KEY_BTAB, "S-Tab"},
    {KEY_SLEFT, "S-Left"},
    {KEY_SRIGHT, "S-Right"},
    {KEY_SR, "S-Up"},
    {KEY_SF, "S-Down"},
};

/* Keys that curses knows by terminfo's extended names only. */
static const struct {
    const char *extended, *name;
} extended_keys[] = {
    {"kLFT5", "C-Left"}, {"kRIT5", "C-Right"}, {"kUP5", "C-Up"},
    {"kDN5", "C-Down"},  {"kUP", "S-Up"},      {"kDN", "S-Down"},
};

static const char *code_name(int code)
{
    for (size_t i = 0; i < sizeof curses_keys / sizeof *curses_keys; i++)
        if (curses_keys[i].code == code)
            return curses_keys[i].name;
    static const char *const function[] = {"F1", "F2", "F3", "F4",  "F5",  "F6",
                                           "F7", "F8", "F9", "F10", "F11", "F12"};
    if (code >= KEY_F(1) && code <= KEY_F(12))
        return function[code - KEY_F(1)];
    const char *extended = code > KEY_MAX ? keyname(code) : NULL;
    for (size_t i = 0; extended && i < sizeof extended_keys / sizeof *extended_keys; i++)
        if (strcmp(extended, extended_keys[i].extended) == 0)
            return extended_keys[i].name;
    return NULL;
}

/* What curses has read, for term_input.c. */
static bool curses_read(void *context, bool wait, struct input *in)
{
    struct term *t = context;
    wint_t code = 0;
    int kind = wget_wch(t->keys, &code);
    if (kind == ERR && wait) {
        struct pollfd fd = {fileno(t->in), POLLIN, 0};
        kind = poll(&fd, 1, SPLIT_MS) == 1 ? wget_wch(t->keys, &code) : ERR;
    }
    *in = (struct input){INPUT_CHARACTER, (uint32_t)code, NULL};
    if (kind == KEY_CODE_YES) {
        in->kind = code == CODE_MOUSE       ? INPUT_MOUSE
                   : code == CODE_PASTE     ? INPUT_PASTE
                   : code == CODE_PASTE_END ? INPUT_PASTE_END
                                            : INPUT_NAMED;
        in->name = code_name((int)code);
    }
    return kind != ERR;
}

/* A terminal that went away reads as end of file for ever. */
static bool hung_up(struct term *t)
{
    struct pollfd fd = {fileno(t->in), POLLIN, 0};
    int waiting = 0;
    if (t->gone || poll(&fd, 1, 0) < 1)
        return false;
    bool end = (fd.revents & POLLIN) && ioctl(fileno(t->in), FIONREAD, &waiting) == 0 && waiting == 0;
    t->gone = end || (fd.revents & (POLLHUP | POLLERR | POLLNVAL));
    return t->gone;
}

bool term_key(struct term *t, struct term_key *key)
{
    *key = (struct term_key){.name = ""};
    if (signal_key(t, key) || input_key(&t->reader, key))
        return true;
    if (!hung_up(t))
        return false;
    *key = (struct term_key){.name = "Signal", .signal = SIGHUP};
    return true;
}
