package convert

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// text converts a column of strings. The bytes are copied first and checked
// for UTF-8 all at once afterwards; of a round that has a fault the rows that have
// one are looked for, and only these are done again.
type text struct {
	policy   dfa.UTF8Policy
	plain    bool // rows are taken one by one
	measured measured
	replaced []replacedRow // of the last round
	bad      []mendedRow   // memory for mend: rows that are not UTF-8,
	mended   []byte        // and what they become, one after the other
	expected bool          // the last round had some, so that they are looked for at once
	errors   []uint32      // memory for findSuspects
	suspects rowSet
}

// replacedRow is a row in which so many bytes of invalid UTF-8 are replaced.
type replacedRow struct {
	row    int
	nbytes int64
}

func newText(_ *dfa.Type, opt Options) (appender, error) { return &text{policy: opt.UTF8}, nil }

func (t *text) giveUp() { t.plain = true }

func (t *text) append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	if t.plain {
		t.replaced = t.replaced[:0]
		return t.checkRows(c, dst, f, errs)
	}
	rows, nulls, nerrs := dst.Len, dst.Nulls, len(errs)
	from := len(dst.Data)
	t.replaced = t.replaced[:0]
	copied, seen := t.copy(c, dst, f)
	if !copied {
		errs = t.copyRows(c, dst, f, errs)
	} else if m := &t.measured; m.any {
		dst.SetNulls(rows, m.nulls)
		if c.required {
			for i := m.nulls.next(0, none); i < f.Len(); i = m.nulls.next(i+1, none) {
				errs = append(errs, FieldError{rows + i, IsNull})
			}
		}
	}
	if seen == allUTF8 || t.policy == dfa.KeepUTF8 || !(copied && t.expected) && validRows(dst, rows, from, seen) {
		return errs
	}
	if copied && t.mend(c, dst, rows, from, &errs, nerrs) {
		return errs
	}
	dst.Truncate(rows, nulls)
	return t.checkRows(c, dst, f, errs[:nerrs])
}

// copy appends all rows of f, null ones as empty, unless their bytes are not
// simply those of the fields, or too many.
func (t *text) copy(c *Converter, dst *columns.Column, f *Fields) (copied bool, seen seenUTF8) {
	if c.trim || c.def != nil {
		return false, noUTF8
	}
	had := len(dst.Offsets)
	dst.GrowOffsets(f.Len())
	offsets := dst.Offsets[had-1:]
	if t.measured.atOnce(c, dst, f, offsets) {
		dst.AppendValid(f.Len())
		return true, noUTF8
	}
	if t.measured.measure(c, f, offsets) > uint64(columns.MaxData-len(dst.Data)) {
		dst.Offsets = dst.Offsets[:had]
		return false, noUTF8
	}
	seen = copyFields(dst, f, &t.measured, offsets)
	dst.AppendValid(f.Len())
	return true, seen
}

// copyRows appends the rows of f one by one, their bytes as they are.
func (t *text) copyRows(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	n, row := f.Len(), dst.Len
	dst.AppendValid(n)
	offsets := dst.GrowOffsets(n)
	for i := range offsets {
		b, ok := c.value(f, i)
		code := OK
		if !ok && c.def != nil {
			b = c.def.Data
		} else if !ok {
			code = IsNull
		}
		if code == OK && len(dst.Data)+len(b) > columns.MaxData {
			ok, code = true, BatchFull
		}
		if code == OK {
			dst.AppendData(b)
		} else {
			dst.SetNull(row + i)
			if ok || c.required {
				errs = append(errs, FieldError{row + i, code})
			}
		}
		offsets[i] = int32(len(dst.Data))
	}
	return errs
}

// checkRows appends the rows of f one by one as the policy has it.
func (t *text) checkRows(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	var scratch []byte
	for i := range f.Len() {
		b, ok := c.value(f, i)
		if !ok {
			errs = c.appendNoText(dst, errs)
			continue
		}
		if t.policy != dfa.KeepUTF8 && !utf8.Valid(b) {
			if t.policy == dfa.RejectUTF8 {
				dst.AppendNull()
				errs = append(errs, FieldError{dst.Len - 1, InvalidUTF8})
				continue
			}
			var n int
			scratch, n = replacer(t.plain)(scratch[:0], b)
			b, c.replaced = scratch, c.replaced+int64(n)
			t.replaced = append(t.replaced, replacedRow{i, int64(n)})
		}
		if !dst.AppendText(b) {
			errs = append(errs, FieldError{dst.Len - 1, BatchFull})
		}
	}
	return errs
}

// mendedRow is a row that is not UTF-8, its bytes, and where in text.mended ends what they become.
type mendedRow struct{ row, start, end, to int }

// mostMended is how much memory for mended rows is kept.
const mostMended = 1 << 20

// mendStep is how many rows are looked at together.
const mendStep = 16

// mend does what the policy says with the rows of dst from first on that are not UTF-8, and moves
// those behind them. Their bytes begin at from, and their errors in errs at before. It reports whether
// all of that fits into the column; if not, the rows have to be taken back.
func (t *text) mend(c *Converter, dst *columns.Column, first, from int, errs *[]FieldError, before int) bool {
	t.findBad(dst, first, from)
	if t.expected = len(t.bad) > 0; !t.expected {
		return true
	}
	if t.policy == dfa.RejectUTF8 {
		t.reject(c, dst, first, errs, before)
		return true
	}
	size := len(dst.Data) + len(t.mended)
	for _, r := range t.bad {
		size -= r.end - r.start
	}
	if size > columns.MaxData {
		t.replaced = t.replaced[:0]
		return false
	}
	for _, r := range t.replaced {
		c.replaced += r.nbytes
	}
	dst.Data = t.moveMended(dst, first, size)
	if cap(t.mended) > mostMended {
		t.mended = nil
	}
	return true
}

// reject makes the bad rows null, which are empty unless they are taken out.
func (t *text) reject(c *Converter, dst *columns.Column, first int, errs *[]FieldError, before int) {
	if !c.TakenOut {
		dst.Data = t.empty(dst, first)
	}
	for _, r := range t.bad {
		dst.SetNull(first + r.row)
		*errs = append(*errs, FieldError{first + r.row, InvalidUTF8})
	}
	if c.required {
		slices.SortFunc((*errs)[before:], func(a, b FieldError) int { return a.Row - b.Row })
	}
}

// empty makes the bad rows of dst empty, whose rows from first on they are numbered from, moves what is behind them, and
// gives all the bytes.
func (t *text) empty(dst *columns.Column, first int) []byte {
	src, ends, to := dst.Data, dst.Offsets[first+1:], t.bad[0].start
	for i, r := range t.bad {
		next, row := len(src), len(ends)
		if i+1 < len(t.bad) {
			next, row = t.bad[i+1].start, t.bad[i+1].row
		}
		shift(ends[r.row:row], to-r.end)
		to += copy(src[to:], src[r.end:next])
	}
	return src[:to]
}

// findBad finds the rows of dst from first on that are not UTF-8, and what they become.
func (t *text) findBad(dst *columns.Column, first, from int) {
	t.bad, t.mended = t.bad[:0], t.mended[:0]
	src, ends := dst.Data, dst.Offsets[first+1:]
	if hasAVX2 && len(src)-from >= UTF8Block {
		starts := dst.Offsets[first:]
		for k, w := range t.findSuspects(src, starts) {
			for ; w != 0; w &= w - 1 {
				row := k<<6 + bits.TrailingZeros64(w)
				t.check(src, row, int(starts[row]), int(ends[row]))
			}
		}
		return
	}
	start, before := from, 0 // before the last step there were so many bad rows
	for row := 0; row < len(ends); {
		to := min(row+mendStep, len(ends))
		if before == len(t.bad) && validRun(src, start, ends[row:to]) {
			row, start = to, int(ends[to-1])
			continue
		}
		before = len(t.bad)
		run := src[:ends[to-1]]
		beyond := beyondASCII(run, start)
		for ; row < to; row++ {
			end := int(ends[row])
			if beyond < end {
				t.check(src, row, start, end)
				beyond = beyondASCII(run, end)
			}
			start = end
		}
	}
}

// check notes a row if it is not UTF-8.
func (t *text) check(src []byte, row, start, end int) {
	b := src[start:end]
	if utf8.Valid(b) {
		return
	}
	if t.policy == dfa.ReplaceUTF8 {
		var n int
		t.mended, n = replaceInvalid(t.mended, b)
		t.replaced = append(t.replaced, replacedRow{row, int64(n)})
	}
	t.bad = append(t.bad, mendedRow{row, start, end, len(t.mended)})
}

// IsValue reports whether row i has a field that is not null.
func (c *Converter) IsValue(f *Fields, i int) bool {
	_, ok := c.value(f, i)
	return ok
}

// IsInvalid reports whether row i has a field that is not null, and not UTF-8.
func (c *Converter) IsInvalid(f *Fields, i int) bool {
	b, ok := c.value(f, i)
	return ok && !utf8.Valid(b)
}

// UTF8Block is how many bytes one word of UTF8Errors is of.
const UTF8Block = 32

// UTF8Errors appends, of each whole block of b, the bytes where it shows that b is not UTF-8, as bits. It finds none
// where there is no vector code for it.
func UTF8Errors(errors []uint32, b []byte) []uint32 {
	n := len(b) / UTF8Block
	if !hasAVX2 || n == 0 {
		return errors
	}
	errors = slices.Grow(errors, n)[:len(errors)+n]
	utf8ErrorsAVX2(&b[0], n, &errors[len(errors)-n])
	return errors
}

// findSuspects gives the rows that may not be UTF-8, of texts side by side in src, where they begin and the last ends.
// An error shows at a byte that is not what the ones before it announce: up to three, which may be in rows before.
func (t *text) findSuspects(src []byte, offsets []int32) rowSet {
	nrows, from := len(offsets)-1, int(offsets[0])
	t.errors = UTF8Errors(t.errors[:0], src[from:offsets[nrows]])
	suspects := slices.Grow(t.suspects[:0], (nrows+63)/64)[:(nrows+63)/64]
	t.suspects = suspects
	clear(suspects)
	add := func(row, at int) {
		suspects[row>>6] |= 1 << (row & 63)
		for start := int(offsets[row]); row > 0 && start > max(at-3, from) && src[start-1] >= utf8.RuneSelf; start = int(offsets[row]) {
			row--
			suspects[row>>6] |= 1 << (row & 63)
		}
	}
	row := 0
	for k, set := range t.errors {
		for ; set != 0; set &= set - 1 {
			at := from + k*UTF8Block + bits.TrailingZeros32(set)
			for int(offsets[row+1]) <= at {
				row++
			}
			add(row, at)
		}
	}
	last := nrows - 1
	for ; last >= 0 && int(offsets[last+1]) >= from+len(t.errors)*UTF8Block; last-- { // nobody has seen how it ends
		if o := offsets[last]; o < offsets[last+1] {
			add(last, int(o))
		}
	}
	for row, o := range offsets[:last+1] { // of itself, what continues a sequence is none
		if src[o]&^0x3f == 0x80 && o < offsets[row+1] {
			add(row, int(o))
		}
	}
	return suspects
}

// validRun reports whether texts side by side, from start on, are UTF-8, each for itself.
func validRun(src []byte, start int, ends []int32) bool {
	b := src[start:ends[len(ends)-1]]
	if isASCII(b) {
		return true
	}
	for _, end := range ends {
		if int(end) < len(src) && !utf8.RuneStart(src[end]) {
			return false
		}
	}
	return utf8.RuneStart(b[0]) && validUTF8(b)
}

// moveMended puts mended rows where the bad ones are in dst, whose rows from first on they are numbered from, moves
// what is behind them, and gives all the bytes, so many. They become longer, so that what is last moves first.
func (t *text) moveMended(dst *columns.Column, first, size int) []byte {
	src, ends := dst.Data, dst.Offsets[first+1:]
	had := len(src)
	data := dst.Grow(src, size-had)[:size]
	next, row, to := had, len(ends), size
	for i := len(t.bad) - 1; i >= 0; i-- {
		r, from := t.bad[i], 0
		if i > 0 {
			from = t.bad[i-1].to
		}
		shift(ends[r.row:row], to-next)
		to -= copy(data[to-(next-r.end):to], data[r.end:next])
		to -= copy(data[to-(r.to-from):to], t.mended[from:r.to])
		next, row = r.start, r.row
	}
	return data
}

// shift moves the ends of texts.
func shift(ends []int32, by int) {
	for i := range ends {
		ends[i] += int32(by)
	}
}

// beyondASCII is where in b, from an offset on, the first byte is that is not ASCII, or its length.
func beyondASCII(b []byte, from int) int {
	for ; from+8 <= len(b); from += 8 {
		if x := binary.LittleEndian.Uint64(b[from:]) & asciiHigh; x != 0 {
			return from + bits.TrailingZeros64(x)>>3
		}
	}
	for ; from < len(b) && b[from] < utf8.RuneSelf; from++ {
	}
	return from
}

// appendNoText appends what a null of a column of strings or binaries becomes.
func (c *Converter) appendNoText(dst *columns.Column, errs []FieldError) []FieldError {
	switch {
	case c.def != nil:
		if !dst.AppendText(c.def.Data) {
			errs = append(errs, FieldError{dst.Len - 1, BatchFull})
		}
	case c.required:
		dst.AppendNull()
		errs = append(errs, FieldError{dst.Len - 1, IsNull})
	default:
		dst.AppendNull()
	}
	return errs
}

// validRows reports whether the rows from first on, whose bytes begin at from,
// are UTF-8. They are if their concatenation is and no row begins inside a
// sequence, which may have been seen.
func validRows(c *columns.Column, first, from int, seen seenUTF8) bool {
	b := c.Data[from:]
	if isASCII(b) {
		return true
	}
	if !validUTF8(b) {
		return false
	}
	if seen == apartUTF8 {
		return true
	}
	data, offsets := c.Data, c.Offsets[first:len(c.Offsets)-1]
	for len(offsets) > 0 && int(offsets[len(offsets)-1]) == len(data) { // texts at the end are empty
		offsets = offsets[:len(offsets)-1]
	}
	for ; len(offsets) >= 4; offsets = offsets[4:] {
		inside := func(o int32) byte { return data[o]&^0x3f ^ 0x80 } // 0 of bytes that continue a sequence
		if a, b, c, d := inside(offsets[0]), inside(offsets[1]), inside(offsets[2]), inside(offsets[3]); a == 0 || b == 0 || c == 0 || d == 0 {
			return false
		}
	}
	for _, o := range offsets {
		if !utf8.RuneStart(data[o]) {
			return false
		}
	}
	return true
}

// replaceInvalid appends b to dst with U+FFFD for each invalid byte, and
// counts these.
func replaceInvalid(dst, b []byte) ([]byte, int) {
	const least, most = 0xC2, 0xF4 // bytes with which a sequence begins
	n, at := 0, len(dst)
	dst = slices.Grow(dst, len(utf8Replacement)*len(b))
	to := dst[:cap(dst)]
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			to[at] = b[i]
			i, at = i+1, at+1
			if i < len(b) && b[i] < utf8.RuneSelf {
				end := beyondASCII(b, i+1)
				if end-i <= 8 && i+8 <= len(b) { // as there is room for three times the rest
					binary.LittleEndian.PutUint64(to[at:], binary.LittleEndian.Uint64(b[i:]))
					at += end - i
				} else {
					at += copy(to[at:], b[i:end])
				}
				i = end
			}
			continue
		}
		if b[i] >= least && b[i] <= most && i+1 < len(b) && !utf8.RuneStart(b[i+1]) {
			if _, size := utf8.DecodeRune(b[i:]); size > 1 {
				at += copy(to[at:], b[i:i+size])
				i += size
				continue
			}
		}
		*(*[len(utf8Replacement)]byte)(to[at:]) = [len(utf8Replacement)]byte([]byte(utf8Replacement))
		n, i, at = n+1, i+1, at+len(utf8Replacement)
	}
	return dst[:at], n
}

// replacer is replaceInvalid, or what it is held against.
func replacer(plain bool) func(dst, b []byte) ([]byte, int) {
	if plain {
		return replaceEach
	}
	return replaceInvalid
}

// replaceEach is replaceInvalid, rune by rune.
func replaceEach(dst, b []byte) (_ []byte, n int) {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			n++
		}
		dst, b = utf8.AppendRune(dst, r), b[size:]
	}
	return dst, n
}

const utf8Replacement = "\uFFFD"
