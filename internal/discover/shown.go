package discover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/formats/identify"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/render"
)

// ErrJSON is an input that is JSON, which is no table.
var ErrJSON = errors.New("it is JSON, and neither a list of objects nor an object a line")

// NoTable is the error of an input that begins with head, and is JSON: with what makes a table of
// it.
func NoTable(head []byte) error {
	if listsByLine(head, true) || listsByLine(head, false) {
		if nested.Match(head) {
			return fmt.Errorf("%w; jq -r 'map(tostring) | @csv' makes a table of its lists", ErrJSON)
		}
		return fmt.Errorf("%w; jq -r @csv makes a table of its lists", ErrJSON)
	}
	if head = dfa.WithoutMark(head); isList(head) {
		if first := listed.FindSubmatch(head); len(first[1]) > 0 {
			return fmt.Errorf("%w; jq -r '.[] | @csv' makes a table of its lists", ErrJSON)
		}
		return fmt.Errorf("%w; jq -r '.[]' makes lines of it", ErrJSON)
	}
	if key := listIn(head); key != "" {
		return fmt.Errorf("%w; jq -c '%s[]' makes lines of the list in it", ErrJSON, key)
	}
	return fmt.Errorf("%w; jq -c . makes a line of it", ErrJSON)
}

// listIn is the path of the first list of objects in an object of JSON, as far as head goes, as jq
// has it; "" if there is none.
func listIn(head []byte) string {
	head = dfa.WithoutMark(head)
	d := json.NewDecoder(bytes.NewReader(head))
	var path []string // keys of the objects that the decoder is in
	for key := false; ; {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		switch of := token.(type) {
		case json.Delim:
			switch {
			case of == '{':
				path, key = append(path, ""), true
				continue
			case of == '}':
				path = path[:len(path)-1]
			case of == '[' && d.More():
				var first json.RawMessage
				err := d.Decode(&first)
				if len(first) > 0 && first[0] == '{' || err != nil && bytes.HasPrefix(bytes.TrimSpace(head[d.InputOffset():]), []byte{'{'}) {
					return jqPath(path)
				}
				for d.More() {
					if d.Decode(&first) != nil {
						return ""
					}
				}
			}
		case string:
			if key {
				path[len(path)-1], key = of, false
				continue
			}
		}
		if key = len(path) > 0; !key {
			return ""
		}
	}
}

// soleList is the path of the only list of objects in an object of JSON, as jq has it, and how many these
// are; "" if there is none, or several.
func soleList(object []byte) (path string, n int) {
	var found [][]string
	var look func(value json.RawMessage, keys []string)
	look = func(value json.RawMessage, keys []string) {
		var members map[string]json.RawMessage
		var items []map[string]json.RawMessage
		switch {
		case len(found) > 1 || len(keys) > mostKeysIn:
		case json.Unmarshal(value, &members) == nil:
			for key, member := range members {
				look(member, append(slices.Clip(keys), key))
			}
		case len(keys) > 0 && json.Unmarshal(value, &items) == nil && len(items) > 0 && !slices.ContainsFunc(items, func(i map[string]json.RawMessage) bool { return i == nil }):
			found, n = append(found, keys), len(items)
		}
	}
	if look(dfa.WithoutMark(object), nil); len(found) != 1 {
		return "", 0
	}
	return jqPath(found[0]), n
}

// mostKeysIn are those of a path to a list that is looked for.
const mostKeysIn = 4

// listed is how a list begins, and whether with a list.
var listed = regexp.MustCompile(`^\s*\[\s*(\[?)`)

// isOther reports whether an input is JSON of another kind: a list that begins with no object, and goes on
// to the end of head at least.
func isOther(head []byte, whole bool) bool {
	head = dfa.WithoutMark(head)
	begin := listed.Find(head)
	if begin == nil || len(begin) < len(head) && head[len(begin)] == '{' {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(head))
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return !whole && errors.Is(err, io.ErrUnexpectedEOF)
	}
	_, err := d.Token()
	return err == io.EOF && whole
}

// listsByLine reports whether an input has several lines, each a list of JSON with several values, no objects.
func listsByLine(head []byte, whole bool) bool {
	if !isList(head) {
		return false
	}
	lines := bytes.Split(bytes.TrimSpace(dfa.WithoutMark(head)), []byte{'\n'})
	if !whole { // the last one may be cut off
		lines = lines[:len(lines)-1]
	}
	return len(lines) > 1 && !slices.ContainsFunc(lines, func(line []byte) bool {
		if len(bytes.TrimSpace(line)) == 0 {
			return false
		}
		var values []json.RawMessage
		return json.Unmarshal(line, &values) != nil || len(values) < 2 || values[0][0] == '{'
	})
}

// nested is a list or an object in a list.
var nested = regexp.MustCompile(`[\[,]\s*[\[{]`)

// isHollow reports whether an input is JSON without a value: an object or a list that has nothing in it.
func isHollow(head []byte) bool {
	return hollow.Match(dfa.WithoutMark(head))
}

var hollow = regexp.MustCompile(`^\s*(\[\s*\]|\{\s*\})\s*$`)

// jqPath are keys as jq goes by them, in single quotes of a shell.
func jqPath(keys []string) string {
	var path strings.Builder
	for _, key := range keys {
		if aKey.MatchString(key) {
			path.WriteString("." + key)
		} else {
			path.WriteString("." + strings.ReplaceAll(strconv.QuoteToASCII(key), "'", `'\''`))
		}
	}
	return path.String()
}

var aKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Shown is the built-in format that an input is of.
type Shown struct {
	Name    string
	Matches identify.Matches // the first of which its content shows; nil: the name of the input says so
	NoTable error            // where the name says so: why the input is no table
	Log     *infer.Log       // a template in place of a format that is built in; else nil

	level   *bool  // of a log whose records could not all be looked at: whether it has a level, as its beginning does; else nil
	local   *Shown // of a log whose times have their offset from UTC: what shows it where these have none; nil if nothing does
	mislaid bool   // such a log is read without, because not all of its times have one
	cut     bool   // the last line is likely cut off inside of its time
}

// Doubt says what all records might tell otherwise, and how the input ends, as the end of a sentence; "" if nothing.
func (s *Shown) Doubt() string {
	if s.cut {
		return s.doubt() + "; its last line looks cut off inside of its time, and is read as a part of the message before it"
	}
	return s.doubt()
}

func (s *Shown) doubt() string {
	switch {
	case s.mislaid && s.Log != nil && s.Log.SomeOffsets:
		return "; not all times have the offset from UTC that the first have"
	case s.mislaid:
		return "; not all times have the offset from UTC that the first have: it stays in the messages"
	case s.level == nil:
		return ""
	case *s.level:
		return "; that all records have the level is a guess from its beginning"
	}
	return "; in its beginning a level stands in the messages, and stays there: not all records can be looked at before they are read"
}

// Decide says how an input is to be read: by a built-in format, or where that is nil, as a table.
// free says that nobody has told how it is written.
func (f *Found) Decide(ctx context.Context, path string, given *infer.Given, free bool) (*infer.Table, *Shown, error) {
	byName, named := formats.ByExtension(input.Bare(path))
	var matches identify.Matches
	log := free && len(f.Head) > 0 && slices.Contains([]string{".log", ".logfmt", ".ltsv"}, extension(path))
	if log { // it is of a format more often than not, and to look at it as a table takes longer; one of LTSV may look like one
		var err error
		if matches, err = f.identify(ctx); err != nil {
			return nil, nil, err
		}
		if s := shownBy(matches); s != nil {
			return f.keyed(ctx, f.withLevel(ctx, s), given)
		}
	}
	t, guessed := f.guess(given)
	if !named && (free || given.IsFree()) {
		switch {
		case f.Whole && isHollow(f.Head):
			n := int64(bytes.Count(f.Head, []byte{'{'}))
			return nil, &Shown{Name: "json", Matches: identify.Matches{{Name: "json", Records: n, Read: n}}}, nil
		case isOther(f.Head, f.Whole), listsByLine(f.Head, f.Whole):
			return t, nil, fmt.Errorf("%s: %w", render.Printable(f.Name), NoTable(f.Head))
		}
	}
	if errors.Is(guessed, ErrJSON) && !named && (free || given.IsFree()) && !severalObjects(f.Head) {
		first, _, _ := bytes.Cut(bytes.TrimLeft(dfa.WithoutMark(f.lines()), " \t\r\n"), []byte{'\n'})
		switch {
		case isList(f.Head):
			return f.keyed(ctx, &Shown{Name: "json"}, given)
		case isObject(first):
		case f.Whole && listIn(f.Head) == "":
			return f.keyed(ctx, &Shown{Name: "json"}, given)
		case !f.Whole && bytes.IndexByte(bytes.TrimSpace(f.Head), '\n') < 0 && listIn(f.Head) == "": // a line that does not end in it
			return f.keyed(ctx, &Shown{Name: "jsonl"}, given)
		default:
			return t, nil, guessed
		}
	}
	empty := errors.Is(guessed, infer.ErrNoTable)
	switch {
	case empty && named:
		return t, &Shown{Name: byName, NoTable: guessed}, nil // which says what is missing
	case empty && len(f.Head) == 0:
		return t, nil, fmt.Errorf("%s: the input is empty, and nobody has said its format", render.Printable(f.Name))
	case named, guessed == nil && isTable(t, path):
		return t, nil, guessed
	case !free: // of values something may have been said
		if !given.IsFree() {
			return t, nil, guessed
		}
		m, err := f.identify(ctx)
		if err != nil {
			return t, nil, err
		}
		if s := shownBy(m); s != nil {
			if k, _, err := f.keyed(ctx, s, given); k != nil || err != nil {
				return k, nil, err
			}
		}
		if k, _, err := f.broken(ctx, path, given, guessed, m); k != nil || err != nil {
			return k, nil, err
		}
		return t, nil, guessed
	}
	if !log {
		var err error
		if matches, err = f.identify(ctx); err != nil {
			return t, nil, err
		}
		if s := shownBy(matches); s != nil && !(guessed == nil && t.Measures() && f.isAnyLog(s)) {
			return f.keyed(ctx, f.withLevel(ctx, s), given)
		}
	}
	if guessed == nil && !matches.Named() && len(t.Given.Types) == 0 && !t.Given.AllStrings {
		if l := infer.ClockedLog(f.Head, f.Whole, f.Whole && !f.several); l != nil && rather(l, t) && l.Fit(ctx, f.lines(), f.options...) {
			return nil, &Shown{Log: l}, nil
		}
	}
	if k, s, err := f.broken(ctx, path, given, guessed, matches); k != nil || s != nil || err != nil {
		return k, s, err
	}
	f.plain = guessed == nil && t.Width == 1
	return t, nil, guessed
}

// Nearest is, of lines of several words that Decide says nothing takes apart, the built-in format that reads some of them, but
// not enough, from as many as a dialect is inferred from; nil if none does.
func (f *Found) Nearest(ctx context.Context) (*identify.Match, error) {
	if !f.plain {
		return nil, nil
	}
	lines := f.lines()
	if len(lines) > infer.SampleBytes {
		lines = lines[:bytes.LastIndexByte(lines[:infer.SampleBytes], '\n')+1]
	}
	if bytes.Count(lines, []byte{' '}) < bytes.Count(lines, []byte{'\n'}) {
		return nil, nil
	}
	m, err := identify.Bytes(ctx, lines)
	return m.Nearest(), err
}

// broken is the table of JSON Lines of which some are broken, or were cut off; nil if most lines are no objects.
func (f *Found) broken(ctx context.Context, path string, given *infer.Given, guessed error, m identify.Matches) (*infer.Table, *Shown, error) {
	if m.Named() {
		return nil, nil, nil
	}
	if ext := extension(path); ext == ".jsonl" || ext == ".ndjson" {
		if k, _, err := f.keyed(ctx, &Shown{Name: "jsonl"}, given); k != nil || err != nil {
			return k, nil, err
		}
	}
	if errors.Is(guessed, ErrJSON) {
		if n, read := jsonLines(f.lines()); 2*read > n {
			return f.keyed(ctx, &Shown{Name: "jsonl", Matches: identify.Matches{{Name: "jsonl", Records: n, Read: read}}}, given)
		}
	}
	return nil, nil, nil
}

// withLevel is s, or where it is a time and a message alone and a level stands in that, or what the format has not
// in its times, as digits of nanoseconds in some or an offset from UTC in some or all, the template of it.
func (f *Found) withLevel(ctx context.Context, s *Shown) *Shown {
	if m := &s.Matches[0]; anyLog(s) {
		l := infer.ClockedLog(f.Head, f.Whole, f.Whole && !f.several)
		zoned := l != nil && (l.Offset || l.SomeOffsets)
		if l != nil && (l.Nanoseconds && m.Read < m.Records || zoned && l.Read >= m.Records) && l.Fit(ctx, f.lines(), f.options...) &&
			(!zoned || l.Holds(ctx, f.lines(), f.options...)) { // a number as -1999 looks like an offset, and is none
			if !l.Offset {
				s = nil
			}
			return &Shown{Log: l, local: s}
		}
	}
	return f.levelled(ctx, s)
}

// levelled is s, or where it is a time and a message alone and a level stands in that, the template of it.
func (f *Found) levelled(ctx context.Context, s *Shown) *Shown {
	if l := infer.LevelledLog(ctx, s.Name, f.lines(), f.Whole && !f.several, f.options...); l != nil && l.Fit(ctx, f.lines(), f.options...) && l.Levelled() {
		s.Log = l
	}
	return s
}

// keyed is the table that an input of a built-in format is, if its records are keys and values; else
// that format reads it as it is.
func (f *Found) keyed(ctx context.Context, s *Shown, given *infer.Given) (*infer.Table, *Shown, error) {
	if s.Log != nil || len(s.Matches.Ties()) > 0 {
		return nil, s, nil
	}
	t, err := infer.NewKeyed(ctx, s.Name, f.lines(), f.Whole, given, f.options...)
	if t == nil || err != nil {
		if s.Matches == nil { // no record of the sample is whole, or there are too many keys
			s.Matches = identify.Matches{{Name: s.Name}}
		}
		return nil, s, err
	}
	if f.Whole && t.Keyed.Seen == 1 {
		if path, rows := soleList(f.Head); path != "" {
			t.Hint = fmt.Sprintf("%s is a list of %s: jq -c '%s[]' makes lines of them", path, render.Count(int64(rows), "object"), path)
		}
	}
	t.Keyed.Enough = f.wanted > 0 && t.Keyed.Seen >= f.wanted
	t.Keyed.Rest = t.Keyed.Rest || f.endless && !t.Keyed.Enough // nobody knows the keys to come
	return t, nil, nil
}

// guess finds out how the input is written, as if it were delimited.
func (f *Found) guess(given *infer.Given) (*infer.Table, error) {
	if given.Separator == "" && IsJSON(f.Head) {
		return nil, fmt.Errorf("%s: %w", render.Printable(f.Name), NoTable(f.Head))
	}
	if f.several {
		one := *given
		one.Several, given = true, &one
	}
	if !f.Whole && !given.Exact && bytes.IndexByte(f.Head, '\n') < 0 && bytes.IndexByte(f.Head, '\r') < 0 {
		return nil, fmt.Errorf("%s: %w: its first line has more than %s bytes", render.Printable(f.Name), infer.ErrNoTable, render.Grouped(int64(len(f.Head))))
	}
	t, err := infer.Guess(f.Head, f.Whole, given)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", render.Printable(f.Name), err)
	}
	if t.Unclosed > 0 {
		t.Unclosed += f.skipped
	}
	if f.several && !given.Exact && !given.Lax {
		t.ForEach()
	}
	if f.file != "" {
		if err := f.footer(t); err != nil {
			return nil, fmt.Errorf("%s: %w", render.Printable(f.Name), input.Pathless(err))
		}
	}
	return t, nil
}

func (f *Found) identify(ctx context.Context) (identify.Matches, error) {
	return identify.Best(ctx, f.lines())
}

// lines is the beginning of the input without a last line that is cut off.
func (f *Found) lines() []byte {
	if f.Whole {
		return f.Head
	}
	if i := bytes.LastIndexByte(f.Head, '\n'); i >= 0 {
		return f.Head[:i+1]
	}
	return f.Head[:min(len(f.Head), infer.SampleBytes)]
}

// shownBy is the format that matches show, nil if there is none that is not inferred.
func shownBy(m identify.Matches) *Shown {
	if !m.Named() {
		return nil
	}
	if _, delimited := infer.Delimited(m[0].Name); delimited {
		return nil
	}
	return &Shown{Name: m[0].Name, Matches: m}
}

// extension is that of an input's name, as it is without compression and in small letters.
func extension(path string) string { return strings.ToLower(filepath.Ext(input.Bare(path))) }

// From which score on a sample is a table without a doubt.
const (
	tableScore = 0.7
	namedScore = 0.4 // if it has a header for sure
)

// isTable reports whether an input is a delimited one for sure, so that nobody has to ask
// which log it may be.
func isTable(t *infer.Table, path string) bool {
	switch extension(path) {
	case ".psv", ".tab", ".ssv":
		return true
	case ".log":
		return false
	}
	if t.Sure {
		return true
	}
	if t.Comment != "" || t.Skip > 0 && !t.Header || t.Width < 2 || t.Rival != nil || !strings.ContainsRune(",;\t|", rune(t.Separator)) {
		return false
	}
	return t.Score >= tableScore || t.Header && !t.Unsure && t.Score >= namedScore
}

// cells reports whether a table has columns that nothing but a separator divides, the same number in all
// records.
func cells(t *infer.Table) bool {
	return t.Width > 2 && !t.Short && !t.Open && t.Rival == nil && strings.ContainsRune(",;\t|", rune(t.Separator))
}

// rather reports whether an input that may be a log or a table is a log: a table has neither times with the names of its
// columns, nor parts of times and messages.
func rather(l *infer.Log, t *infer.Table) bool {
	switch {
	case t.Width == 1, t.Header, t.Skip > 0, t.Separator == ':', t.Separator == ' ' && t.Short:
		return true
	}
	return !cells(t) && (l.Levelled() || l.Torn(t.Separator))
}

// isAnyLog reports whether a format that an input shows is a time and a message alone, which the first line has not.
func (f *Found) isAnyLog(s *Shown) bool {
	m := &s.Matches[0]
	return anyLog(s) && m.Read < m.Records && len(f.Head) > 0 && (f.Head[0] < '0' || f.Head[0] > '9')
}

// anyLog reports whether a format is a time and a message alone.
func anyLog(s *Shown) bool {
	p, err := formats.Program(s.Name)
	return err == nil && len(p.Columns) == 2 && p.Columns[0].Name == "time" && p.Columns[1].Name == "message"
}

// IsJSON reports whether an input that begins with head is JSON for sure: an
// object with a member, or a list that begins with one, as far as head goes, and
// nothing else but objects on the line where it ends. What is wrong further on in a list
// makes it no other thing.
func IsJSON(head []byte) bool {
	head = bytes.TrimSpace(dfa.WithoutMark(head))
	if !jsonBegins.Match(head) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(head))
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return head[0] == '[' || errors.Is(err, io.ErrUnexpectedEOF) // right so far
	}
	line, _, _ := bytes.Cut(head[d.InputOffset():], []byte{'\n'})
	line = bytes.TrimSpace(line)
	return len(line) == 0 || head[0] == '{' && IsJSON(line)
}

// isList reports whether an input that is JSON is a list.
func isList(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(dfa.WithoutMark(head), " \t\r\n"), []byte{'['})
}

// severalObjects reports whether an input that is JSON begins with two objects.
func severalObjects(head []byte) bool {
	head = dfa.WithoutMark(head)
	d := json.NewDecoder(bytes.NewReader(head))
	var first, second map[string]json.RawMessage
	return d.Decode(&first) == nil && (d.Decode(&second) == nil && second != nil || second == nil && bytes.HasPrefix(bytes.TrimSpace(head[d.InputOffset():]), []byte{'{'}))
}

// jsonLines counts the lines of a sample, and those that are an object.
func jsonLines(sample []byte) (lines, objects int64) {
	for line := range bytes.Lines(sample) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if lines++; isObject(line) {
			objects++
		}
	}
	return lines, objects
}

// isObject reports whether a text is an object of JSON.
func isObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}

// jsonBegins is how an object with a member begins, alone or in a list.
var jsonBegins = regexp.MustCompile(`^(\[\s*)?\{\s*"([^"\\]|\\.)*"\s*:`)

// FormatName is a name of a format for a file.
func FormatName(path string) string {
	name := filepath.Base(input.Bare(path))
	name = strings.TrimSuffix(name, filepath.Ext(name))
	name = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "t_" + name
	}
	return strings.TrimSuffix(name, "_")
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_]+`)
