package symbols

// has16: every arm64 has NEON. Tests take it away.
var has16 = true
