package infer

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/internal/spread"
)

// Dialect is how the records of a delimited file are written.
type Dialect struct {
	Separator byte   // 0: none, a line is one field
	Wide      string // all of a separator of several symbols, the first of which is Separator
	Run       bool   // the separator may be repeated: columns that are aligned by blanks
	Quote     byte   // 0: no field is in quotes
	Escape    byte   // in quotes, or where there are none anywhere; 0: a quote is doubled
	Bare      bool   // the escape holds outside of quotes too, where there are some
	Comment   string
	LineEnd   string // "": LF or CRLF; "lf", "crlf", "cr", or "any"
	Skip      int    // lines before the first record
	Header    bool   // the first record names the columns
	Names     int    // records of the header, if more than one: the last of them names the columns
	Joined    bool   // all of them do, together
	Lax       bool   // quotes stand where RFC 4180 has none
	Short     bool   // records may lack their last fields
	Surplus   bool   // all records but the header end with a separator
	Filler    byte   // where there is no separator: a symbol that is not in the sample
	Rule      bool   // the last line of the header is drawn, of dashes
	Padded    bool   // blanks around fields are no data
	Open      bool   // the last column goes on to the end of the record, separators and all
	Copied    bool   // escapes are those of COPY … TO
	NoValue   bool   // \N stands for null
	Placed    bool   // columns are told by their places in the line
	Above     bool   // the comment above the records names the columns
	Foot      int    // lines behind the records that are none
	StopAt    string // what the first of them begins with; "": it is empty
}

// Rating is a dialect, and what it makes of a sample.
type Rating struct {
	Dialect
	Columns int
	Score   float64 // 0 to 1: how regular the records are, and how many fields are something in particular
	rows    []row
	named   bool      // the first of rows names the columns for sure
	unnamed bool      // no row does, for sure
	sure    bool      // no format that is built in can be meant
	widths  []int     // of columns that are told by their places, else nil
	names   []string  // of the columns, where they stand above the table; else nil
	ends    []*Footer // ways to tell the footer, the best first
}

// String says what tells the dialect from others.
func (d *Dialect) String() string {
	parts := []string{"one column"}
	if d.Separator != 0 {
		parts[0] = "separated by " + nameOf(d.Separator)
		if d.Wide != "" {
			parts[0] = fmt.Sprintf("separated by %q", d.Wide)
		}
		if d.Run {
			parts[0] = "aligned by " + nameOf(d.Separator) + "s"
		}
	}
	if d.Placed {
		parts[0] = "columns by their places in the line"
	}
	if d.Quote != 0 {
		quoted := "quoted by " + nameOf(d.Quote)
		if d.Escape != 0 {
			quoted += ", escaped by " + nameOf(d.Escape)
		}
		if d.Lax {
			quoted += ", in odd places too"
		}
		parts = append(parts, quoted)
	} else if d.Escape != 0 {
		parts = append(parts, "escaped by "+nameOf(d.Escape))
	}
	if d.Copied {
		parts[len(parts)-1] = "as PostgreSQL's COPY writes it"
	} else if d.Comment != "" {
		parts = append(parts, fmt.Sprintf("comments from %q", d.Comment))
	}
	switch d.LineEnd {
	case "lf", "crlf", "cr":
		parts = append(parts, "lines that end in "+strings.ToUpper(d.LineEnd))
	case "any":
		parts = append(parts, "lines that end in CR, LF or both")
	}
	switch d.Skip {
	case 0:
	case 1:
		parts = append(parts, "one line before the table")
	default:
		parts = append(parts, fmt.Sprintf("%d lines before the table", d.Skip))
	}
	switch {
	case d.Rule:
		parts = append(parts, "a header with a line drawn under it")
	case d.Names > 1:
		parts = append(parts, fmt.Sprintf("a header of %d lines", d.Names))
	case d.Header:
		parts = append(parts, "a header")
	case d.Above:
		parts = append(parts, "names in the comment above")
	default:
		parts = append(parts, "no header")
	}
	if d.Open {
		parts = append(parts, "the last column up to the end of the line")
	}
	if d.Foot > 0 {
		parts = append(parts, "a footer of "+render.Count(d.Foot, "line")+" left out")
	}
	return strings.Join(parts, ", ")
}

func nameOf(c byte) string {
	switch c {
	case '\t':
		return "tab"
	case ' ':
		return "space"
	case ',':
		return "comma"
	case ';':
		return "semicolon"
	}
	return fmt.Sprintf("%q", rune(c))
}

// separators are the symbols that may separate fields, those that do it more
// often first: of equals the first is taken.
var separators = []byte(",;\t|: ~^\x01\x1e\x1f\x07\x08")

// likely is how often the separator separates fields where it looks so: blanks stand
// between words, and colons in times.
func (d *Dialect) likely() float64 {
	if d.Wide != "" {
		return 0.8
	}
	switch d.Separator {
	case 0, ',', ';', '\t', '|':
		return 1
	case ' ', ':':
		return 0.5
	}
	return 0.8
}

// betweenFigures is it of a blank between figures alone, of which there are no sentences.
const betweenFigures = 0.8

// How regular a file is that has one field a line, and one whose lines are all dates
// or times, which hold what separates fields elsewhere.
const (
	singleColumn = 0.3
	singleTimes  = 0.6
)

// commentSigns begin lines that are no records.
var commentSigns = []string{"#", "//", "%", "!"}

// Bounds of what a sample is cut into.
const (
	maxSampleRows = 2000
	maxPreamble   = 32
	judgedRows    = 300 // of which the fields are looked at, about
)

// Rate gives the dialects that sample may be written in, the best first, without those
// whose score is at most closeScore of the best. whole says that the sample is all of
// the input; otherwise its last record is not looked at, which may be incomplete.
func Rate(sample []byte, whole bool, given *Given) []Rating {
	sample = dfa.WithoutMark(sample)
	end := given.lineEnd(sample)
	if end == "" { // a carriage return at the end ends the last line, or is half of what does
		sample = bytes.TrimSuffix(sample, []byte{'\r'})
	}
	returns := end == "" && given.LineEnd == "" && !given.Exact && bytes.Count(sample, []byte{'\r'}) > bytes.Count(sample, []byte("\r\n"))
	candidates := given.candidates(sample)
	outlines := make([]*outline, len(candidates))
	spread.Over(goruntime.GOMAXPROCS(0), len(candidates), func(i int) {
		d := candidates[i]
		d.LineEnd = end
		rows, faults, spaced := cut(sample, &d, whole)
		if returns {
			rows, faults, spaced = d.endLines(sample, whole, rows, faults, spaced)
		}
		d.Lax = spaced
		if len(rows) == 0 || commentsNames(sample, &d, rows) || given.Comment == "" && commentsRecords(sample, &d, rows, whole) {
			return
		}
		if o := newOutline(d, rows, faults, i, given.Header == ""); given.Separator != "" || !o.stands() {
			outlines[i] = o
		}
	})
	outlines = slices.DeleteFunc(outlines, func(o *outline) bool { return o == nil })
	// Looking at all fields of a sample takes longer than all else: so those that
	// can be best are looked at first, and those that can be no rival of it not at all.
	slices.SortStableFunc(outlines, func(a, b *outline) int { return cmp.Compare(b.Score, a.Score) })
	met := worths{}
	best := 0.0
	all := outlines
	for i, o := range outlines {
		if i > 0 && o.Score <= closeScore*best {
			outlines = outlines[:i]
			break
		}
		o.rate(met)
		best = max(best, o.Score)
	}
	slices.SortFunc(outlines, func(a, b *outline) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.order, b.order))
	})
	outlines = reconsidered(outlines, all)
	var ratings []Rating
	for _, o := range outlines {
		if o.Score > closeScore*best {
			ratings = append(ratings, o.Rating)
		}
	}
	return ratings
}

// reconsidered is the best outlines, the best first, where commas divide lines of which the first has
// none: what is cut there may be numbers of another of all outlines, which scores less.
func reconsidered(best, all []*outline) []*outline {
	if len(best) == 0 || best[0].Separator != ',' || best[0].Skip != 1 {
		return best
	}
	if i := slices.IndexFunc(all, (*outline).aligned); i >= 0 {
		all[i].Score = 1
		return all[i : i+1]
	}
	i := slices.IndexFunc(all, func(o *outline) bool { return o.Separator == 0 && o.Columns == 1 && o.Skip == 0 })
	if i < 0 || !best[0].fractions() && !best[0].cutDates() {
		return best
	}
	single := all[i]
	single.Score = best[0].Score // so that the other one is said
	return append([]*outline{single}, slices.DeleteFunc(slices.Clone(best), func(o *outline) bool { return o == single })...)
}

// lineEnd is what ends the lines of sample.
func lineEnd(sample []byte) string {
	feeds, pairs, returns := bytes.Count(sample, []byte{'\n'}), bytes.Count(sample, []byte("\r\n")), bytes.Count(sample, []byte{'\r'})
	switch {
	case returns > 0 && feeds == 0:
		return "cr"
	case returns > pairs+feeds/2:
		return "any"
	}
	return ""
}

// endLines chooses what ends the lines of a sample in which carriage returns stand alone, and gives what cut makes of
// it. Where one stands outside of quotes its record cannot be read: that ends a line if all records are then of one
// width, or else is data if all are, and no line ends in CR LF. Of LF or CRLF rows, faults and spaced are given.
func (d *Dialect) endLines(sample []byte, whole bool, rows []row, faults int, spaced bool) ([]row, int, bool) {
	if !slices.ContainsFunc(rows, returnsBare) {
		return rows, faults, spaced
	}
	for _, end := range []string{"any", "lf"} {
		if end == "lf" && bytes.Contains(sample, []byte("\r\n")) {
			break
		}
		other := *d
		other.LineEnd = end
		if rows, faults, spaced := cut(sample, &other, whole); faults == 0 && !spaced && alike(rows) {
			*d = other
			return rows, faults, spaced
		}
	}
	return rows, faults, spaced
}

// returnsBare reports whether a carriage return stands in a field of a row that is not in quotes, or behind quotes.
func returnsBare(r row) bool {
	n := bytes.Count(r.raw, []byte{'\r'}) - bytes.Count(r.raw, []byte("\r\n"))
	for _, f := range r.fields {
		if f.quoted {
			n -= bytes.Count(f.text, []byte{'\r'}) - bytes.Count(f.text, []byte("\r\n"))
		}
	}
	return n > 0
}

// alike reports whether rows have the same number of fields, more than one.
func alike(rows []row) bool {
	return len(rows) > 0 && len(rows[0].fields) > 1 && !slices.ContainsFunc(rows, func(r row) bool { return len(r.fields) != len(rows[0].fields) })
}

// outline is what is known of a dialect by the number of fields that each record has
// alone. Its Score is the most that it may come to.
type outline struct {
	Rating
	order     int     // among the candidates
	sentences bool    // many rows are sentences which the separator does not cut
	rest      float64 // what the score is multiplied by for other reasons
	above     []byte  // all of the only row before the table; nil if there are others, or none
}

// newOutline begins to judge the rows that a dialect makes of a sample. A table is
// regular: its records have one number of fields. And its fields are something:
// numbers, dates, words, nothing at all. What is cut at the wrong places is neither
// (van den Burg, Nazábal and Sutton, Wrangling messy CSV files by detecting row and type
// patterns, 2019, whose two measures these are). free says that nobody has told of the header.
func newOutline(d Dialect, rows []row, faults, order int, free bool) *outline {
	o := &outline{Rating: Rating{Dialect: d}, order: order}
	rows, spoilt := unspoilt(rows, d.Quote)
	faults -= spoilt
	if d.Run && faults == 0 && !quotes(rows) {
		if open, header, ok := openEnd(rows); ok {
			o.Open, o.named, o.Skip, o.Quote = true, header, open[0].line, 0
			rows = open
		}
	}
	if strings.IndexByte("|;,\t", d.Separator) >= 0 && d.Wide == "" && faults == 0 && free && !quotes(rows) {
		if open := openLog(rows); open != nil && (d.Separator == '|' || levelled(open)) {
			o.Open, o.unnamed, o.Quote = true, true, 0
			rows = open
		}
	}
	width, from, surplus := table(rows)
	o.Columns, o.Surplus = width, surplus
	if from > 0 && !(d.Run && from == 1 && sumsUp(rows, width)) && isRecord(rows, from, width) {
		from = 0
	}
	if from == 1 && free {
		if o.names = oneLess(rows, width); o.names != nil {
			o.named, from = true, 0
		}
	}
	if from > 0 {
		o.Skip = rows[from].line
	}
	if from == 1 && len(rows[0].fields) == 1 {
		o.above = rows[0].fields[0].text
	}
	rows = rows[from:]
	o.rows, o.sentences = rows, width > 1 && sentences(rows)
	o.Lax = d.Lax || faults > 0
	for i, row := range rows {
		o.Short = o.Short || len(row.fields) < width && !(i == 0 && o.names != nil)
	}
	o.rest = (1 - float64(from)/float64(2*(from+len(rows)))) / (1 + 4*float64(faults)/float64(len(rows)))
	if d.Quote == 0 && cutsFooter(rows) {
		o.rest /= 1 + 4/float64(len(rows))
	}
	switch {
	case width > 1:
	case d.Separator != 0:
		o.rest *= separatesNothing
	case besideTabs(rows):
		o.rest *= tabsBeside
	}
	likely := d.likely()
	if d.Separator == ' ' {
		likely = betweenFigures
	}
	o.Score = o.regular(width == 1) * likely * o.rest
	return o
}

// cutsFooter reports whether the last of rows alone has quotes, of which one opens a field and another one closes one
// behind it: what stands between is one text, which separators cut.
func cutsFooter(rows []row) bool {
	quotes := func(text []byte) int { return bytes.Count(text, []byte{'"'}) }
	last := rows[len(rows)-1]
	if quotes(last.raw) != 2 || slices.ContainsFunc(rows[:len(rows)-1], func(r row) bool { return quotes(r.raw) > 0 }) {
		return false
	}
	opens := func(f field) bool { return quotes(f.text) == 1 && f.text[0] == '"' }
	closes := func(f field) bool { return quotes(f.text) == 1 && f.text[len(f.text)-1] == '"' }
	i := slices.IndexFunc(last.fields, opens)
	return i >= 0 && slices.ContainsFunc(last.fields[i+1:], closes)
}

// besideTabs reports whether all rows but the first, which may be of names with a tab, begin or end with a tab: a field
// that is empty stands on its other side.
func besideTabs(rows []row) bool {
	return len(rows) > 1 && bytes.IndexByte(rows[0].fields[0].text, '\t') >= 0 && !slices.ContainsFunc(rows[1:], func(r row) bool {
		text := r.fields[0].text
		return len(text) == 0 || text[0] != '\t' && text[len(text)-1] != '\t'
	})
}

// unspoilt is rows without those that a quote spoils which is not closed where its field ends, and how
// many faults these have: they cannot be read, and say nothing of how the others are written. There are at
// least as many rows with quotes that are closed, or the only one is the last line.
func unspoilt(rows []row, quote byte) (kept []row, faults int) {
	spoilt, closed := 0, 0
	for _, r := range rows {
		switch {
		case r.runs > 0:
			spoilt, faults = spoilt+1, faults+r.runs
		case slices.ContainsFunc(r.fields, func(f field) bool { return f.quoted }):
			closed++
		}
	}
	if spoilt == 0 || spoilt == len(rows) {
		return rows, 0
	}
	if last := rows[len(rows)-1]; closed < spoilt && !(quote == '"' && spoilt == 1 && last.runs > 0 && last.inOneLine()) {
		return rows, 0
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.runs > 0 }), faults
}

// stands reports whether the separator stands in text as well: where it separates nothing in most
// records, or is a colon, as in times, or a blank, some have more fields than there are columns. So it
// does where settings are, where many rows are sentences, and in a log.
func (o *outline) stands() bool {
	if o.sentences || o.settings() || o.logged() {
		return true
	}
	if o.Separator == 0 || o.Columns > 1 && o.Separator != ':' && o.Separator != ' ' {
		return false
	}
	return slices.ContainsFunc(o.rows, func(r row) bool {
		n := len(r.fields)
		return n > o.Columns && !(o.Surplus && n == o.Columns+1 && len(r.fields[n-1].text) == 0)
	})
}

// logged reports whether a day and a time, in which colons stand, are in every row outside of quotes, and blanks in
// messages of any length.
func (o *outline) logged() bool {
	return (o.Separator == ':' || o.Separator == ' ' && o.Short) && !slices.ContainsFunc(o.rows, func(r row) bool {
		return !dayAndTime.Match(r.raw) || slices.ContainsFunc(r.fields, func(f field) bool { return f.quoted && dayAndTime.Match(f.text) })
	})
}

var dayAndTime = lazily(`\d\d[-/.]\d\d[T ]\d\d:\d\d:\d\d`)

// sentences reports whether a quarter of the rows, and more than one, are of one field with several words.
func sentences(rows []row) bool {
	n := 0
	for _, r := range rows {
		if len(r.fields) == 1 && bytes.Count(r.fields[0].text, []byte{' '}) >= severalBlanks {
			n++
		}
	}
	return n > 1 && 4*n >= len(rows)
}

// severalBlanks are more than fields have, as a rule.
const severalBlanks = 5

// settings reports whether the rows are settings, "name = value", between lines of other kinds, which no
// columns tell.
func (o *outline) settings() bool {
	return o.Separator == ' ' && o.Columns == 3 && (o.Short || o.Skip > 0) && !slices.ContainsFunc(o.rows, func(r row) bool {
		return len(r.fields) == o.Columns && string(r.fields[1].text) != "="
	})
}

// aligned reports whether blanks divide a table with names above, of which there are as many as fields in every record:
// commas, of which none is among the names, stand within numbers.
func (o *outline) aligned() bool {
	return o.Separator == ' ' && o.Columns > 2 && o.Skip == 0 && !o.Short && !o.Open && len(o.rows) > 2 && named(o.rows[0].fields) && bytes.IndexByte(o.rows[0].raw, ',') < 0 &&
		!slices.ContainsFunc(o.rows[1:], func(r row) bool {
			return len(r.fields) != o.Columns || slices.ContainsFunc(r.fields, func(f field) bool {
				return bytes.IndexByte(f.text, ',') >= 0 && (!isFigure(f.text) || !isDigit(f.text[len(f.text)-1]))
			})
		})
}

// fractions reports whether two columns of whole numbers are one of numbers with a decimal comma: one name stands
// above them, and no zero ends what is behind a comma where that is not of one length.
func (o *outline) fractions() bool {
	if o.Separator != ',' || o.Columns != 2 || o.Skip != 1 || len(o.rows) == 0 || !oneName.Match(o.above) {
		return false
	}
	even, zero := true, false // what is behind the commas
	for _, r := range o.rows {
		if len(r.fields) != 2 || r.fields[0].quoted || r.fields[1].quoted || !signedWhole.Match(r.fields[0].text) || !whole.Match(r.fields[1].text) {
			return false
		}
		after := r.fields[1].text
		even = even && len(after) == len(o.rows[0].fields[1].text)
		zero = zero || len(after) > 1 && after[len(after)-1] == '0'
	}
	return even || !zero
}

var (
	oneName     = lazily(`^"?[\pL_][\pL\d_.()/%°#-]*( [\pL\d_.()/%°#-]+)?"?$`)
	signedWhole = lazily(`^-?\d+$`)
	whole       = lazily(`^\d+$`)
)

// regular is how regular the records are. times says whether those of one field are all
// dates or times, or numbers with commas between thousands.
func (o *outline) regular(times bool) float64 {
	lengths := make(map[int]int)
	for i, row := range o.rows {
		length := len(row.fields)
		if i == 0 && o.names != nil {
			length = o.Columns
		}
		lengths[length]++
	}
	pattern, same := 0.0, 0.0 // same: how likely two records have one number of fields
	for _, length := range slices.Sorted(maps.Keys(lengths)) {
		n, regular := lengths[length], singleColumn
		switch {
		case length > 1:
			regular = float64(length-1) / float64(length)
		case times:
			regular = singleTimes
		}
		share := float64(n) / float64(len(o.rows))
		pattern += share * regular
		same += share * share
	}
	return pattern * same
}

// rate looks at the fields.
func (o *outline) rate(met worths) {
	known, fields := 0.0, 0
	telling, times := o.Separator != ' ', o.Columns == 1
	groups, grouped := false, false             // numbers have commas, and these cannot be but between thousands
	figures, threes := o.Separator == ' ', true // threes: the blanks may stand between thousands
	each := max(len(o.rows)/judgedRows, 1)
	for n, row := range o.rows {
		if n%each > 0 {
			continue
		}
		names := n == 0 && len(o.rows) > 1 && named(row.fields)
		for i := range row.fields {
			figures = figures && (names || isFigure(row.fields[i].text))
			threes = threes && (i == 0 || names || threeDigits.Match(row.fields[i].text))
			if o.Separator == ' ' && !o.Run && len(row.fields[i].text) == 0 {
				known += unknownWorth // blanks in a row align, or stand in text
				continue
			}
			known += met.kindOf(&row.fields[i], o.Separator)
			if !times && telling {
				continue
			}
			f := bytes.TrimSpace(row.fields[i].text)
			if times && !date.Match(f) {
				groups, grouped = groups || bytes.IndexByte(f, ',') >= 0, grouped || surelyGrouped.Match(f)
				times = inGroups.Match(f) || n == 0 && len(o.rows) > 1 && bytes.IndexByte(f, ',') < 0
			}
			telling = telling || number.Match(f) || date.Match(f)
		}
		fields += len(row.fields)
	}
	likely := o.likely()
	if figures && !threes {
		likely = betweenFigures
	}
	o.Score = o.regular(times && (grouped || !groups)) * known / float64(fields) * likely * o.rest
	if !telling && !(o.Run && inLine(o.rows)) {
		o.Score /= 2 // words, as in any sentence
	}
	if o.Run && o.Short && shifted(o.rows, o.Columns) {
		o.Score *= noColumns
	}
}

// table finds where the table begins: the first row of the width that most have,
// if there are at most maxPreamble of other widths before it. The names above it may
// be more than most rows have fields, or one less, if all rows end with a separator.
func table(rows []row) (width, from int, surplus bool) {
	count := make(map[int]int)
	for _, r := range rows {
		count[len(r.fields)]++
	}
	for length, n := range count {
		if n > count[width] || n == count[width] && length > width {
			width = length
		}
	}
	for from < min(len(rows), maxPreamble+1) && len(rows[from].fields) != width {
		from++
	}
	if wide, at := inner(rows, width); wide > 0 {
		return wide, at, endEmpty(rows[at+1:], wide+1)
	}
	if from == min(len(rows), maxPreamble+1) {
		return width, 0, false
	}
	if from == 0 || width == 1 || !named(rows[from-1].fields) {
		return width, from, false
	}
	switch n := len(rows[from-1].fields); {
	case n > width:
		return n, from - 1, false
	case n == width-1 && n > 1 && endEmpty(rows[from:], width):
		return n, from - 1, true
	}
	return width, from, false
}

// oneLess gives the names of columns of which the first of rows has all but one: the first column has none where R wrote
// the table, with names of rows in quotes, and the last one where it alone is in quotes, as Windows writes events. It
// gives nil if that is not so.
func oneLess(rows []row, width int) (names []string) {
	first := rows[0].fields
	if len(first) != width-1 || width < 3 || !named(first) || len(rows) < 2 {
		return nil
	}
	bare := func(f field) bool { return !f.quoted }
	quoted := !slices.ContainsFunc(first, bare)
	begins, ends := quoted, !slices.ContainsFunc(first, func(f field) bool { return f.quoted })
	for _, r := range rows[1:] {
		if len(r.fields) != width {
			return nil
		}
		begins = begins && r.fields[0].quoted
		ends = ends && r.fields[width-1].quoted && !slices.ContainsFunc(r.fields[:width-1], func(f field) bool { return f.quoted })
	}
	if !begins && !ends {
		return nil
	}
	for _, f := range first {
		names = append(names, string(f.text))
	}
	if begins {
		return append([]string{""}, names...)
	}
	return append(names, "")
}

// isRecord reports whether the row above the first of the table's width is a short record, not
// something that stands before the table: it has fields, too, and nothing below it is a header.
func isRecord(rows []row, from, width int) bool {
	above, first := &rows[from-1], &rows[from]
	if len(above.fields) < 2 || named(above.fields) || named(first.fields) {
		return false
	}
	if !hasFigures(above.fields) && leastWidth(rows[from:]) == width && figured(rows[from:]) >= max(2, width-2) {
		return false // words above figures
	}
	has, sure := hasHeader(rows[from:min(len(rows), from+judgedRows)], width)
	return !has || !sure
}

// separatesNothing is for separators that most records do not have.
const separatesNothing = 0.9

// tabsBeside is for lines that all begin or end with a tab, taken as one field.
const tabsBeside = 0.1

// noColumns is for blanks that stand between words, of which each row has others.
const noColumns = 0.1

// What makes a wide table among lines of names and values: records of one width that
// follow each other, several times as wide as those lines.
const (
	innerRows  = 3
	innerTimes = 4
)

// inner finds the table in a file in which pairs of names and values stand around it, as
// programs that write reports do, and outnumber its records: its width, and where it
// begins; 0 if there is none.
func inner(rows []row, width int) (wide, at int) {
	if width != 2 {
		return 0, 0
	}
	for i := 1; i < min(len(rows), maxPreamble+1); i++ {
		n := len(rows[i].fields)
		if n < innerTimes*width || !named(rows[i].fields) {
			continue
		}
		end := i
		for end < len(rows) && (len(rows[end].fields) == n || len(rows[end].fields) == n+1) {
			end++ // one more where all end with a separator
		}
		if end-i >= innerRows {
			return n, i
		}
	}
	return 0, 0
}

// endEmpty reports whether the last of width fields is empty in every row.
func endEmpty(rows []row, width int) bool {
	for _, r := range rows {
		if n := len(r.fields); n > width || n == width && len(r.fields[n-1].text) > 0 {
			return false
		}
	}
	return true
}
