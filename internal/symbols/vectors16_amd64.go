package symbols

import "golang.org/x/sys/cpu"

// has16 is what the machine has. Tests take it away.
var has16 = cpu.X86.HasSSSE3
