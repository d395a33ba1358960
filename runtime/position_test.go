package runtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestPositions: in the inputs, § stands before each byte at which a problem
// is reported, in order. Line and column are counted from the text itself.
func TestPositions(t *testing.T) {
	const (
		lf   = `delimited { sep ','  quote '"' doubled } fields { a i32  b str }`
		crlf = `delimited { sep ','  quote '"' doubled  eol crlf } fields { a i32  b str }`
		cr   = `delimited { sep ','  quote '"' doubled  eol cr } fields { a i32  b str }`
		all  = `delimited { sep ','  quote '"' doubled  eol any  comment "#" } fields { a i32  b str }`
	)
	for _, c := range []struct {
		spec, in string
		records  []int64
		fields   string
		kinds    []error
	}{
		{lf, "1,x\n§y,x\n2,x\n§z,\n", []int64{2, 4}, "a a", []error{runtime.ErrValue, runtime.ErrValue}},
		{lf, "\n\n§y,x\n\r\n\n§z,x", []int64{1, 2}, "a a", []error{runtime.ErrValue, runtime.ErrValue}},
		{lf, "1,\"a\nb\n\"\n§y,\"\n\"\n3§\n4,5,§6\n", []int64{2, 3, 4}, "a  ", []error{runtime.ErrValue, runtime.ErrTooFewFields, runtime.ErrTooManyFields}},
		{lf, "1,\"a\nb\n\"§x\n§y,\n", []int64{1, 2}, "b a", []error{runtime.ErrSyntax, runtime.ErrValue}},
		{lf, "1,2\n3,§\"4\n5,6\n", []int64{2}, "b", []error{runtime.ErrSyntax}},
		{lf, "1,é\n§é,2\n", []int64{2}, "a", []error{runtime.ErrValue}},
		{crlf, "1,x\r\n§y,\"\r\n\n\r\"\r\n§z,x\r\n3\r§\n", []int64{2, 3, 4}, "a a ", []error{runtime.ErrValue, runtime.ErrValue, runtime.ErrTooFewFields}},
		{cr, "1,x\r§y,\"a\rb\n\"\r§z,x\r3§", []int64{2, 3, 4}, "a a ", []error{runtime.ErrValue, runtime.ErrValue, runtime.ErrTooFewFields}},
		{all, "1,x\r\n#\n§y,x\r§z,\"\r\r\n\n\"\n\r3§\r\n#\r", []int64{2, 3, 4}, "a a ", []error{runtime.ErrValue, runtime.ErrValue, runtime.ErrTooFewFields}},
	} {
		p := spec(t, c.spec)
		in := strings.ReplaceAll(c.in, "§", "")
		o := text(t, p, in, runtime.WithErrorMode(dfa.Reject), runtime.WithName("file"))
		if o.err != nil {
			t.Errorf("%q: %v", c.in, o.err)
			continue
		}
		names := strings.Split(c.fields, " ")
		if len(o.rejects) != len(c.records) {
			t.Errorf("%q: %d rejects, want %d\n%s", c.in, len(o.rejects), len(c.records), o)
			continue
		}
		for i, offset := range marks(c.in) {
			r := o.rejects[i]
			line, column := place(in, offset, c.spec == cr || c.spec == all)
			want := fmt.Sprintf("file:%d:%d byte %d, record %d, field %q", line, column, offset, c.records[i], names[i])
			got := fmt.Sprintf("%s:%d:%d byte %d, record %d, field %q", r.File, r.Line, r.Column, r.Offset, r.Record, r.Field)
			if got != want {
				t.Errorf("%q: reject %d is at %s, want %s", c.in, i, got, want)
			}
			if !errors.Is(&r.ParseError, c.kinds[i]) {
				t.Errorf("%q: reject %d is %v, want %v", c.in, i, r.Err, c.kinds[i])
			}
		}
		// The first of them is the error of mode fail.
		o = text(t, p, in, runtime.WithErrorMode(dfa.Fail), runtime.WithName("file"))
		var e *runtime.ParseError
		if !errors.As(o.err, &e) || !errors.Is(o.err, c.kinds[0]) || e.Offset != int64(marks(c.in)[0]) || e.Record != c.records[0] {
			t.Errorf("%q: %v", c.in, o.err)
		}
	}
}

// marks are the offsets of § in a text, the marks themselves left out.
func marks(in string) (offsets []int) {
	at := 0
	parts := strings.Split(in, "§")
	for _, part := range parts[:len(parts)-1] {
		at += len(part)
		offsets = append(offsets, at)
	}
	return offsets
}

// place is the line and column of an offset; a carriage return ends a line too
// if cr.
func place(in string, offset int, cr bool) (line, column int) {
	line, column = 1, 1
	for i := range offset {
		switch {
		case in[i] == '\n' && cr && i > 0 && in[i-1] == '\r': // counted already
			column = 1
		case in[i] == '\n' || in[i] == '\r' && cr:
			line, column = line+1, 1
		default:
			column++
		}
	}
	return line, column
}

// TestSentinels: each kind of ParseError is met, and says by errors.Is and
// errors.As what it is.
func TestSentinels(t *testing.T) {
	met := map[error]bool{}
	for _, c := range []struct {
		want     error
		spec, in string
		opts     []runtime.Option
	}{
		{runtime.ErrSyntax, pairOf, "a\"b,c\n", nil},
		{runtime.ErrTooLong, pairOf, "1,2345\n", []runtime.Option{runtime.WithMaxRecord(5)}},
		{runtime.ErrTooFewFields, pairOf, "1\n", nil},
		{runtime.ErrTooManyFields, pairOf, "1,2,3\n", nil},
		{runtime.ErrEnclosure, "record `{a} {b} [[{c}]`", "a b c\n", nil},
		{runtime.ErrValue, `delimited { sep ',' } fields { a i32  b str }`, "a,b\n", nil},
		{runtime.ErrSplit, `delimited { sep ',' } fields { a str  b str  c str } split a "{b}-{c}" else error`, "x\n", nil},
		{runtime.ErrHeader, "csv", "", nil},
		{runtime.ErrHeader, typed, "x,y\n", nil},
		{runtime.ErrDirective, "w3c", "#Fields: a\nb\n#Fields: c\n", nil},
		{runtime.ErrTooManyRejects, pairOf, "1\n2\n", []runtime.Option{runtime.WithErrorMode(dfa.Reject), runtime.WithMaxRejects(1)}},
	} {
		opts := append([]runtime.Option{runtime.WithErrorMode(dfa.Fail), runtime.WithName("it")}, c.opts...)
		o := text(t, spec(t, c.spec), c.in, opts...)
		var e *runtime.ParseError
		if !errors.Is(o.err, c.want) || !errors.As(o.err, &e) || e.File != "it" || e.Line < 1 || e.Column < 1 || e.Error() != o.err.Error() {
			t.Errorf("%q gives %v, want %v", c.in, o.err, c.want)
		}
		met[c.want] = true
	}
	for _, kind := range sentinels {
		if !met[kind] {
			t.Errorf("no case for %v", kind)
		}
	}
	o := text(t, spec(t, pairOf), "1\n2\n", runtime.WithErrorMode(dfa.Reject), runtime.WithMaxRejects(1))
	if !errors.Is(o.err, runtime.ErrTooFewFields) {
		t.Errorf("too many rejects, but of what: %v", o.err)
	}
}

// TestCountLines: as many lines are counted in one piece, in several, and by several goroutines.
func TestCountLines(t *testing.T) {
	for _, size := range []int{0, 1, 300, runtime.CountBeside - 1, runtime.CountBeside, runtime.CountBeside + 1, runtime.CountBeside + 300_001} {
		data, want, behind := bytes.Repeat([]byte("x"), size), int64(0), 0
		for i := 0; i < size; i += 1 + i/3 {
			data[i] = '\n'
			want, behind = want+1, i+1
		}
		for _, at := range [][]int{nil, {size / 3}, {0, size / 2, size / 2}, {min(size, 1), size}} {
			if n, last := runtime.CountLines(data, at...); n != want || last != behind {
				t.Errorf("%d bytes, passed up to %d: %d lines, the last up to %d, want %d and %d", size, at, n, last, want, behind)
			}
		}
	}
}

// TestKnownLines: lines of which an engine has counted some are those that there are.
func TestKnownLines(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		data := make([]byte, r.IntN(300))
		oneIn := 1 + r.IntN(60)
		for i := range data {
			if data[i] = 'x'; r.IntN(oneIn) == 0 {
				data[i] = '\n'
			}
		}
		known := lineEnds(data, 1+r.IntN(40))
		var at []int
		for to := 0; r.IntN(5) > 0; at = append(at, to) {
			to += r.IntN(len(data) - to + 1)
		}
		n, behind := runtime.KnownLines(known, data, at...)
		if want, last := bytes.Count(data, []byte("\n")), bytes.LastIndexByte(data, '\n')+1; n != int64(want) || behind != last {
			t.Fatalf("%q, known %+v, passed up to %d: %d lines, the last up to %d, want %d and %d", data, known, at, n, behind, want, last)
		}
	}
}
