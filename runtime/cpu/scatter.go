package cpu

import "unsafe"

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
	n := len(columns)
	ok := true
	if nrows == 0 {
		return ok
	}
	for c := 0; c < n; c++ {
		if c+4 <= n && checks[c].want|checks[c+1].want|checks[c+2].want|checks[c+3].want == 0 &&
			scatterFour((*[4]plainColumn)(columns[c:]), marks[c:], n, first, nrows, delta) {
			c += 3
			continue
		}
		ok = scatterOne(&columns[c], &checks[c], marks[c:], n, first, nrows, delta) && ok
	}
	return ok
}

// scatterFour fills rows of four columns, of n, of which marks[0] is the mark before
// the first, if none of their fields is enclosed. It reports whether that is so.
//
// The marks of a row are read without asking for each whether it is there.
func scatterFour(columns *[4]plainColumn, marks []mark, n, first, nrows int, delta uint32) bool {
	start0 := columns[0].start[first : first+nrows]
	end0 := columns[0].end[first:][:len(start0)]
	start1 := columns[1].start[first:][:len(start0)]
	end1 := columns[1].end[first:][:len(start0)]
	start2 := columns[2].start[first:][:len(start0)]
	end2 := columns[2].end[first:][:len(start0)]
	start3 := columns[3].start[first:][:len(start0)]
	end3 := columns[3].end[first:][:len(start0)]
	_ = marks[(nrows-1)*n+4]
	base, at, step := unsafe.Pointer(unsafe.SliceData(marks)), 0, n*int(unsafe.Sizeof(marks[0]))
	for r := range start0 {
		row := (*[5]mark)(unsafe.Add(base, at))
		at += step
		if (row[1]|row[2]|row[3]|row[4])&^markOffset != 0 {
			return false
		}
		start0[r] = uint32(row[0]&markOffset) + delta + 1
		m := uint32(row[1]) + delta
		end0[r], start1[r] = m, m+1
		m = uint32(row[2]) + delta
		end1[r], start2[r] = m, m+1
		m = uint32(row[3]) + delta
		end2[r], start3[r] = m, m+1
		end3[r] = uint32(row[4]) + delta
	}
	return true
}

// scatterOne is scatterGeneric for one column of n, of which marks[0] is the mark before
// the first.
func scatterOne(column *plainColumn, c *scatterColumn, marks []mark, n, first, nrows int, delta uint32) bool {
	start := column.start[first : first+nrows]
	end := column.end[first:][:len(start)]
	check, want, wrong := c.check, c.want, mark(0)
	_ = marks[(nrows-1)*n+1]
	base, at, step := unsafe.Pointer(unsafe.SliceData(marks)), 0, n*int(unsafe.Sizeof(marks[0]))
	for r := range start {
		row := (*[2]mark)(unsafe.Add(base, at))
		at += step
		m := row[1]
		around := uint32(min(m>>markEnclosed, 1))
		start[r] = uint32(row[0]&markOffset) + delta + 1 + around
		end[r] = uint32(m&markOffset) + delta - around
		wrong |= m&check ^ want
	}
	return wrong == 0
}
