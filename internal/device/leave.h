// Of leave.c.
#pragma once

void dfaparse_leave(int code);
