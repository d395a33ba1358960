package infer

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// This file is about what databases write for themselves: COPY … TO of PostgreSQL and INTO OUTFILE of
// MySQL, which put tabs between fields, \N for null, and a backslash before what would mean
// something (https://www.postgresql.org/docs/current/sql-copy.html, "Text Format").

// noValue stands for null.
const noValue = `\N`

// dataEnd is the line behind the data.
const dataEnd = `\.`

// copyEscape is how such a text is escaped. Others than these are not written, and stand for
// themselves.
const copyEscape = `escape copied = '\' { '\' 'N' '\t' '\n' b f n r t v '0'='\x00' other drop }`

// copyStatement stands above the data of a table in what pg_dump writes.
var copyStatement = lazily(`(?m)^COPY [^\n(;]+ \(([^\n)]+)\) FROM stdin;\r?\n`)

// errDump is a dump of a database of which a sample does not show that it has one table alone.
var errDump = errors.New("it is a dump of PostgreSQL, which may hold several tables; COPY … TO writes one, and so does pg_restore --table")

// copied finds such a text, or a dump that has one.
func copied(sample []byte, whole bool) (r *Rating, err error) {
	if !bytes.Contains(sample, []byte(noValue)) && !bytes.Contains(sample, []byte("\n"+dataEnd)) && !bytes.Contains(sample, []byte(") FROM stdin;")) {
		return nil, nil
	}
	statements := copyStatement().FindAllSubmatchIndex(sample, 2)
	switch {
	case len(statements) > 1, len(statements) == 1 && !whole:
		return nil, errDump
	case len(statements) == 0:
		if r := copiedRows(sample, whole); r != nil {
			r.Comment = dataEnd
			return r, nil
		}
		return nil, nil
	}
	names, from := sample[statements[0][2]:statements[0][3]], statements[0][1]
	end := bytes.Index(sample[from:], []byte("\n"+dataEnd))
	if end < 0 {
		return nil, errDump
	}
	end += from + len("\n"+dataEnd)
	if r = copiedRows(sample[from:end], true); r == nil {
		return nil, nil
	}
	for _, name := range strings.Split(string(names), ",") {
		r.names = append(r.names, strings.Trim(name, ` "`))
	}
	if len(r.names) != r.Columns {
		return nil, nil
	}
	above := bytes.Count(sample[:from], []byte{'\n'})
	for i := range r.rows {
		r.rows[i].line += above
		r.rows[i].end += from
	}
	r.Skip, r.unnamed, r.StopAt = above, true, dataEnd
	r.Foot = bytes.Count(bytes.TrimSpace(sample[end:]), []byte{'\n'}) + 1
	return r, nil
}

// copiedRows are the rows of such a text, nil if it is none: they have one number of fields, and null
// or the line behind the data shows what they are.
func copiedRows(sample []byte, whole bool) *Rating {
	r := &Rating{Dialect: Dialect{Separator: '\t', Escape: '\\', Copied: true}, Score: 1, sure: true}
	rows, _, _ := cut(sample, &r.Dialect, whole)
	n := len(rows)
	ended := n > 0 && len(rows[n-1].fields) == 1 && string(rows[n-1].fields[0].text) == dataEnd
	if ended {
		n--
	}
	r.rows = rows[:n]
	if n == 0 || !ended && !hasNoValue(r.rows) {
		return nil
	}
	r.Columns = len(rows[0].fields)
	if leastWidth(r.rows) != r.Columns || widest(r.rows) != r.Columns || r.Columns == 1 && (!ended || dividedAlike(r.rows)) {
		return nil
	}
	backslash, escaped := escapes(r.rows)
	if has, _ := hasHeader(r.rows, r.Columns); !escaped || has && !backslash && !ended {
		return nil // others have this null, too, and take backslashes as they are
	}
	return r
}

// dividedAlike reports whether commas, semicolons or bars divide all rows, as many each: a table of several columns, no
// values of one, as "Doe, Jane" and the lists, objects and ranges of a database are.
func dividedAlike(rows []row) bool {
	all := func(is func(text []byte) bool) bool {
		return !slices.ContainsFunc(rows, func(r row) bool { return !is(r.raw) })
	}
	if len(rows) < leastAbove || all(func(text []byte) bool { return len(text) > 0 && bytes.IndexByte([]byte("{[("), text[0]) >= 0 }) {
		return false
	}
	return slices.ContainsFunc([]byte(",;|"), func(c byte) bool {
		n := bytes.Count(rows[0].raw, []byte{c})
		return n > 0 && all(func(text []byte) bool {
			return bytes.Count(text, []byte{c}) == n && bytes.Count(text, []byte{c, ' '}) < n
		})
	})
}

// escapes reports whether a backslash is escaped in rows, and whether none stands before what is not
// escaped.
func escapes(rows []row) (backslash, all bool) {
	for _, r := range rows {
		for _, f := range r.fields {
			for i := bytes.IndexByte(f.text, '\\'); i >= 0 && i < len(f.text); i++ {
				if f.text[i] != '\\' {
					continue
				}
				if i++; i == len(f.text) || bytes.IndexByte([]byte("\\\t\nNbfnrtv0"), f.text[i]) < 0 {
					return false, false
				}
				backslash = backslash || f.text[i] == '\\'
			}
		}
	}
	return backslash, true
}

// hasNoValue reports whether a field is what stands for null, and nothing else.
func hasNoValue(rows []row) bool {
	return slices.ContainsFunc(rows, func(r row) bool {
		return slices.ContainsFunc(r.fields, func(f field) bool { return !f.quoted && string(f.text) == noValue })
	})
}
