package infer

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// This file is about lines that look like comments, and are the names or records.

// commentsNames reports whether what d takes for its only comment are the names: a line
// above all records with as many fields as they have, which have no header.
func commentsNames(sample []byte, d *Dialect, rows []row) bool {
	if d.Comment == "" || !bytes.HasPrefix(sample, []byte(d.Comment)) || bytes.Contains(sample, []byte("\n"+d.Comment)) {
		return false
	}
	plain := *d
	plain.Comment = ""
	if plain.Quote == 0 { // which the names alone may need
		plain.Quote = '"'
	}
	line, _, _ := bytes.Cut(sample, []byte{'\n'})
	first, _, _ := cut(line, &plain, true)
	width, from, _ := table(rows)
	has, _ := hasHeader(rows, width)
	return len(first) == 1 && len(first[0].fields) == width && width > 1 && from == 0 && !has
}

// commentsRecords reports whether what d takes for comments are records whose first column holds signs, as hashtags and
// colours have them: below the names all of these lines are like records, and they are more than the other records,
// which begin with no figures where these have one behind the sign, as a record does that was made a comment.
func commentsRecords(sample []byte, d *Dialect, rows []row, whole bool) bool {
	if !d.begins(sample) {
		return false
	}
	like, others, records := d.likeRecords(sample, rows, whole)
	if len(like) <= records || others > 0 && (records > 0 || others > len(like)) {
		return false
	}
	width, from, _ := table(rows)
	if has, _ := hasHeader(rows, width); !has || from > 0 {
		return false
	}
	signed := slices.ContainsFunc(like, func(r row) bool { return isFigure(bytes.TrimPrefix(r.fields[0].text, []byte(d.Comment))) })
	return !signed || !slices.ContainsFunc(rows[1:], func(r row) bool { return isFigure(r.fields[0].text) })
}

// doubtedSign is what lines of a table begin with that may be comments or records, "" if there are none: comments that
// are like records, or records of which others do not begin with a sign for comments.
func (d *Dialect) doubtedSign(sample []byte, rows []row, width int, whole bool) string {
	if d.Comment != "" {
		if like, _, _ := d.likeRecords(sample, rows, whole); len(like) > 0 && width > 1 {
			return d.Comment
		}
		return ""
	}
	i := slices.IndexFunc(commentSigns, func(sign string) bool {
		other := *d
		other.Comment = sign
		if !other.begins(sample) {
			return false
		}
		left, _, _ := cut(sample, &other, whole)
		return (len(left) > 1 || !d.Header) && commentsRecords(sample, &other, left, whole)
	})
	if i < 0 {
		return ""
	}
	return commentSigns[i]
}

// begins reports whether a line of sample but the first is a comment.
func (d *Dialect) begins(sample []byte) bool {
	return d.Comment != "" && (bytes.Contains(sample, []byte("\n"+d.Comment)) || bytes.Contains(sample, []byte("\r"+d.Comment)))
}

// likeRecords gives the lines below the first of rows that d takes for comments and that are records without it: the
// sign stands before a word, and they have as many fields as the table has columns, divided by more than blanks, or
// are one word. It counts the other comments, and the records in the same lines, which are not all of a long sample.
func (d *Dialect) likeRecords(sample []byte, rows []row, whole bool) (like []row, others, records int) {
	if d.Separator == ' ' || len(rows) == 0 {
		return nil, 0, 0
	}
	plain := *d
	plain.Comment = ""
	all, _, _ := cut(sample, &plain, whole)
	width, _, _ := table(rows)
	for _, r := range all {
		if r.line <= rows[0].line {
			continue
		}
		behind, ok := bytes.CutPrefix(r.raw, []byte(d.Comment))
		switch {
		case !ok:
			records++
		case len(r.fields) == width && len(behind) > 0 && isWordy(behind[0]) && (width > 1 || bytes.IndexByte(behind, ' ') < 0):
			like = append(like, r)
		default:
			others++
		}
	}
	return like, others, records
}

// isWordy reports whether a word or a number may begin with c.
func isWordy(c byte) bool { return isLetter(c) || isDigit(c) || c >= utf8.RuneSelf }
