package cpu

// scatterRows is how many rows the vector code fills at a time, and up to how
// many marks it reads beyond the last.
const scatterRows = 8

// scatterColumn is where the fields of a column go, and how they have to be
// enclosed: those whose mark differs from want in the bits of check are not.
type scatterColumn struct {
	start, end  *uint32
	check, want mark
}

// scatterGeneric fills rows of the columns, from row number first on, from the
// marks of their fields, of which marks[0] is the one before. Marks lie delta
// before the places that are to be written. It reports whether all fields are
// enclosed as they have to be.
func scatterGeneric(columns []plainColumn, checks []scatterColumn, marks []mark, first, nrows int, delta uint32) bool {
	wrong := mark(0)
	n := len(columns)
	for c := range columns {
		start := columns[c].start[first : first+nrows]
		end := columns[c].end[first:][:len(start)]
		check, want := checks[c].check, checks[c].want
		k := c
		for r := range start {
			m := marks[k+1]
			around := uint32(min(m>>markEnclosed, 1))
			start[r] = uint32(marks[k]&markOffset) + delta + 1 + around
			end[r] = uint32(m&markOffset) + delta - around
			wrong |= m&check ^ want
			k += n
		}
	}
	return wrong == 0
}
