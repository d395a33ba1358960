package main

// This file is about what a terminal shows of a file that nobody has described: its
// first rows, and how many there are. All of the file has been read by then, to be
// sure of the types; so its first rows alone are read again.

// knownRows is how many rows the run will have, if that is known before it begins and
// no more than terminalRows of them are looked at; else 0.
func (j *job) knownRows() int64 {
	w, r := j.w, j.r
	switch {
	case j.chosen.rows <= terminalRows || !j.glances():
	case w.stats || w.rejects != "" || w.progress == "always" || j.through != nil || j.counted != nil:
	case r.limit >= 0 || r.skip > 0 || r.shape != "" || r.utf8 != "" || r.growing:
	default:
		return j.chosen.rows
	}
	return 0
}

// glances reports whether the output is a table on a terminal that nobody asked for.
func (j *job) glances() bool {
	return j.kind == "table" && j.w.to == "" && j.w.out == ""
}
