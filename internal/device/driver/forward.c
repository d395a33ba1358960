// The driver's functions, forwarded to libcuda.so.1 once it is loaded.
//
// What is linked against libcuda.so itself does not even start where there is
// no driver; and the Go binding calls cuInit when the program starts, and ends
// the program if that fails. Linked against these functions instead, it starts
// everywhere: nothing is loaded before the first call of dfaparse_driver_load,
// which says what is missing, and until then cuInit does nothing, at no cost,
// and every other function returns an error. A driver that lacks a function
// which is never called will do. No driver is needed for building.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

// Of CUresult.
enum { kSuccess = 0, kNotInitialized = 3, kSymbolNotFound = 302 };

static int succeed(void) { return kSuccess; }
static int not_loaded(void) { return kNotInitialized; }
static int lacking(void) { return kSymbolNotFound; }

typedef int (*function)(void);

// Where each function goes. The code below names them as symbols.
#define HIDDEN __attribute__((visibility("hidden"), used))
HIDDEN function dfaparse_to_cuInit = succeed;
#define F(name) HIDDEN function dfaparse_to_##name = not_loaded;
#include "functions.h"
#undef F

// A function jumps to where it goes, whatever its parameters are. None is
// visible to libcuda.so.1, which has functions of the same names.
#if defined(__x86_64__)
#define JUMP(to) "endbr64\n\tjmp *" to "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(to) "hint #34\n\tadrp x16, " to "\n\tldr x16, [x16, :lo12:" to "]\n\tbr x16\n"
#else
#error "no forwarding for this processor"
#endif
#define F(name)                                                       \
  __asm__(".text\n\t.p2align 4\n\t.globl " #name "\n\t.hidden " #name \
          "\n\t.type " #name ", %function\n" #name ":\n\t"            \
          JUMP("dfaparse_to_" #name) "\t.size " #name ", .-" #name "\n");
F(cuInit)
#include "functions.h"
#undef F

static const struct {
  const char *name;
  function *to;
} functions[] = {
    {"cuInit", &dfaparse_to_cuInit},
#define F(name) {#name, &dfaparse_to_##name},
#include "functions.h"
#undef F
};

// dfaparse_driver_load loads the driver and initialises it. It gives the
// driver's result, and in *why, which is NULL if there is nothing to say, what
// the system says of a library that cannot be loaded. It is called once.
int dfaparse_driver_load(const char **why) {
  *why = NULL;
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == NULL) {
    *why = dlerror();
    return kNotInitialized;
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    function found = (function)dlsym(driver, functions[i].name);
    *functions[i].to = found != NULL ? found : lacking;
  }
  return ((int (*)(unsigned))(void *)dfaparse_to_cuInit)(0);
}
