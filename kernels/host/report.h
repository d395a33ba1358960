// What stops a kernel, and who notices.
#pragma once

namespace host {

// fail reports a fault of the kernel that runs, and where it is, on standard
// error, and aborts.
[[noreturn]] void fail(const char* what);

// progress is called when another thread of a block runs; watch begins to
// watch that it is called: a thread that does not let others run for
// DFAPARSE_HOST_PATIENCE seconds (60; 0: for ever) spins on what nobody will
// write.
void progress();
void watch();

} // namespace host
