package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
)

// Marked is a piece of a line, and what it is said to be.
type Marked struct {
	Offset int64  `json:"offset"` // in the input
	Size   int    `json:"size"`
	As     string `json:"as"`   // field, time, optional, text, or skip
	Name   string `json:"name"` // of the field; "" for one that is found
}

// What a Marked may be.
var markings = []string{"field", "time", "optional", "text", "skip"}

// segment is a part of a template with what it is in a line.
type segment struct {
	kind       byte // 't' text, 'h' hole, 'b' blanks, '[', ']'
	text       string
	start, end int  // in the line; equal if it is not there
	there      bool // it is in the line
}

var holeSource = regexp.MustCompile(`^\{[^{}]*\}`)

// segments are the parts of a template, not yet held to a line.
func segments(template string) (out []segment) {
	depth := 0
	text := func(s string) {
		if n := len(out); n > 0 && out[n-1].kind == 't' {
			out[n-1].text += s
			return
		}
		out = append(out, segment{kind: 't', text: s})
	}
	for rest := template; rest != ""; {
		n := 1
		switch hole := holeSource.FindString(rest); {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"), strings.HasPrefix(rest, "[["), depth > 0 && strings.HasPrefix(rest, "]]"):
			text(rest[:1])
			n = 2
		case hole == "{[}" || hole == "{]}":
			text(hole[1:2])
			n = 3
		case hole != "" && strings.Trim(hole, "{ }") == "":
			out, n = append(out, segment{kind: 'b', text: hole}), len(hole)
		case hole != "":
			out, n = append(out, segment{kind: 'h', text: hole}), len(hole)
		case rest[0] == '[':
			depth++
			out = append(out, segment{kind: '['})
		case rest[0] == ']' && depth > 0:
			depth--
			out = append(out, segment{kind: ']'})
		default:
			text(rest[:1])
		}
		rest = rest[n:]
	}
	return out
}

// source is a segment as it is written in a template.
func (s *segment) source(depth int) string {
	switch s.kind {
	case 't':
		text := strings.NewReplacer("{", "{{", "}", "}}", "[", "[[").Replace(s.text)
		if depth > 0 {
			text = strings.ReplaceAll(text, "]", "{]}")
		}
		return runOfBlanks.ReplaceAllString(text, "{ }")
	case 'h', 'b':
		return s.text
	}
	return string(s.kind)
}

var runOfBlanks = regexp.MustCompile(`[ \t]{2,}`)

// hold says where in a line the segments are. of gives the place of the k-th hole, if it is
// known; what is not goes to where the text after it begins.
func hold(segs []segment, line string, of func(k int) (start, end int, ok bool)) {
	at, hole := 0, 0
	for i := range segs {
		s := &segs[i]
		s.start, s.end = at, at
		switch s.kind {
		case 't':
			if s.there = strings.HasPrefix(line[at:], s.text); s.there {
				s.end = at + len(s.text)
			}
		case 'b':
			for s.end < len(line) && (line[s.end] == ' ' || line[s.end] == '\t') {
				s.end++
			}
			s.there = s.end > at
		case 'h':
			start, end, ok := of(hole)
			hole++
			if ok && start >= at {
				s.start, s.end, s.there = start, end, true
				break
			}
			s.there = true
			for _, next := range segs[i+1:] {
				if next.kind == 't' {
					if k := strings.Index(line[at:], next.text); k >= 0 && !ok {
						s.end = at + k
					}
					break
				}
			}
			if i == len(segs)-1 {
				s.end = len(line)
			}
		}
		at = s.end
	}
}

// cutter makes a template of one, of which line[from:to] becomes something else.
type cutter struct {
	line     string
	from, to int
	as, name string
	used     map[string]bool // names of fields

	out   []segment // the template as far as it is made
	inner []segment // what was where the piece is
	put   bool      // out has the piece
}

// mark puts something into segments that are held to a line, at line[from:to].
func mark(segs []segment, line string, from, to int, as, name string) ([]segment, error) {
	m := &cutter{line: line, from: from, to: to, as: as, name: name, used: names(segs)}
	for _, s := range segs {
		switch {
		case s.end <= from && (s.end > s.start || s.start < from || !m.put && s.end < from):
			m.out = append(m.out, s)
		case s.start >= to:
			m.place()
			m.out = append(m.out, s)
		case s.kind == '[' || s.kind == ']' || !s.there || s.start == s.end:
			if s.start <= from && !m.put && len(m.inner) == 0 {
				m.out = append(m.out, s)
			} else {
				m.inner = append(m.inner, s)
			}
		case s.kind == 'h':
			m.cutHole(s)
		case s.kind == 't':
			m.cutText(s)
		case s.start < from || s.end > to: // blanks
			m.out = append(m.out, s)
		default:
			m.inner = append(m.inner, s)
		}
	}
	m.place()
	if !balanced(m.out) {
		return nil, errors.New("the piece begins in an optional group and ends outside of it, or the other way round")
	}
	return m.out, nil
}

// balanced reports whether each group is opened before it is closed, and closed.
func balanced(segs []segment) bool {
	depth := 0
	for _, s := range segs {
		switch s.kind {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// place puts the piece behind what is there, once.
func (m *cutter) place() {
	if m.put {
		return
	}
	m.put = true
	switch m.as {
	case "field", "time":
		m.out = append(m.out, segment{kind: 'h', text: "{" + m.name + "}"})
	case "skip":
		m.out = append(m.out, segment{kind: 'h', text: "{_}"})
	case "text":
		m.text(m.line[m.from:m.to])
	case "optional":
		m.out = append(append(append(m.out, segment{kind: '['}), m.inner...), segment{kind: ']'})
	}
}

// text puts a text behind what is there, if it is not empty.
func (m *cutter) text(s string) {
	if s != "" {
		m.out = append(m.out, segment{kind: 't', text: s})
	}
}

// cutHole takes the piece out of a hole that it lies in, or that reaches into it.
func (m *cutter) cutHole(s segment) {
	left, right := m.line[s.start:max(s.start, min(m.from, s.end))], m.line[max(s.start, min(m.to, s.end)):s.end]
	middle := m.line[max(s.start, m.from):min(s.end, m.to)]
	if left != "" {
		body := strings.TrimRightFunc(left, isBetween)
		tail := left[len(body):]
		head := body[:len(body)-len(strings.TrimLeft(body, openers))]
		m.text(head)
		own := strings.TrimLeftFunc(right, isBetween) == "" && (m.as == "optional" || right != "" || !toEnd(s.text))
		m.out = append(m.out, fieldsOf(body[len(head):], tail, s.text, own, m.used)...)
		m.text(tail)
	}
	switch {
	case m.as != "optional":
	case left == "" && right == "":
		m.inner = append(m.inner, s)
	default:
		m.inner = append(m.inner, around(middle, m.used)...)
	}
	if right != "" {
		m.place()
		body := strings.TrimLeftFunc(right, isBetween)
		m.text(right[:len(right)-len(body)])
		if body != "" {
			m.out = append(m.out, s)
		}
	}
}

// cutText takes the piece out of a text that it lies in, or that reaches into it.
func (m *cutter) cutText(s segment) {
	if s.start < m.from {
		m.text(m.line[s.start:m.from])
	}
	if m.as == "optional" {
		m.inner = append(m.inner, segment{kind: 't', text: m.line[max(s.start, m.from):min(s.end, m.to)]})
	}
	if s.end > m.to {
		m.place()
		m.text(m.line[m.to:s.end])
	}
}

// openers are what a piece may begin with that is rather text.
const openers = "[({<\"'|"

// fieldsOf are fields for a piece of a line that text follows, which ends a field where it first
// stands: so there is one between each two of it. own: the last has the hole that the piece was of.
func fieldsOf(body, tail, hole string, own bool, used map[string]bool) (out []segment) {
	if body == "" {
		return nil
	}
	parts := []string{body}
	if tail != "" {
		parts = strings.Split(body, tail)
	}
	for i, part := range parts {
		if i > 0 {
			out = append(out, segment{kind: 't', text: tail})
		}
		switch {
		case part == "":
		case own && i == len(parts)-1:
			out = append(out, segment{kind: 'h', text: strings.Replace(hole, "...", "", 1)})
		default:
			out = append(out, segment{kind: 'h', text: "{" + free("text", used) + "}"})
		}
	}
	return out
}

// around is a piece of text as a group has it: what is a word is a field, what is not is text.
func around(piece string, used map[string]bool) (out []segment) {
	body := strings.TrimFunc(piece, isBetween)
	if body == "" {
		return []segment{{kind: 't', text: piece}}
	}
	i := strings.Index(piece, body)
	if i > 0 {
		out = append(out, segment{kind: 't', text: piece[:i]})
	}
	out = append(out, segment{kind: 'h', text: "{" + free("extra", used) + "}"})
	if rest := piece[i+len(body):]; rest != "" {
		out = append(out, segment{kind: 't', text: rest})
	}
	return out
}

// isBetween reports whether a character rather stands between fields than in them.
func isBetween(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }

func toEnd(hole string) bool { return strings.Contains(hole, "...") }

// nameOf is the name of a hole.
func nameOf(hole string) string {
	name, _, _ := strings.Cut(strings.Trim(hole, "{}"), ":")
	return strings.TrimSuffix(name, "...")
}

func names(segs []segment) map[string]bool {
	used := map[string]bool{}
	for _, s := range segs {
		if s.kind == 'h' {
			used[nameOf(s.text)] = true
		}
	}
	return used
}

// free is a name that no field has.
func free(name string, used map[string]bool) string {
	for i := 1; ; i++ {
		n := name
		if i > 1 {
			n += strconv.Itoa(i)
		}
		if !used[n] {
			used[n] = true
			return n
		}
	}
}

// write is the template of segments.
func write(segs []segment) string {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(segs); i++ {
		s := segs[i]
		for s.kind == 't' && i+1 < len(segs) && segs[i+1].kind == 't' {
			i++
			s.text += segs[i].text
		}
		if s.kind == '[' {
			depth++
		}
		b.WriteString(s.source(depth))
		if s.kind == ']' {
			depth--
		}
	}
	return b.String()
}

// parsed is the template of a spec's last format, nil if it has none of one shape, or
// several, or it stands in another file.
func parsed(file string, src []byte) (*compile.Format, *compile.Record) {
	f, err := compile.Parse(file, src)
	if err != nil {
		return nil, nil
	}
	var format *compile.Format
	for _, d := range f.Definitions {
		if x, ok := d.(*compile.Format); ok {
			format = x
		}
	}
	if format == nil {
		return nil, nil
	}
	var found *compile.Record
	for _, item := range format.Items {
		if r, ok := item.(*compile.Record); ok {
			if found != nil || r.Shape != nil || r.Append {
				return format, nil
			}
			found = r
		}
	}
	return format, found
}

// templateOf is the text of the one template of a spec; "" if it has none, or more.
func templateOf(src []byte) string {
	if _, r := parsed("", src); r != nil {
		return r.Template.Value()
	}
	return ""
}

// validName is what the name of a field has to be.
var validName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Changed is a spec after a piece of a line was marked.
type Changed struct {
	Spec     string `json:"spec"`
	Template string `json:"template"`
	Name     string `json:"name,omitempty"` // of the new field
	Type     string `json:"type,omitempty"` // that its values in the window have
	Note     string `json:"note,omitempty"`
}

// Mark changes the template of a spec so that a piece of a line is what it is said to be. A
// spec that has nothing yet begins with a template of the line alone.
func (a *Analysis) Mark(ctx context.Context, file string, src []byte, m Marked) (*Changed, error) {
	if !slices.Contains(markings, m.As) {
		return nil, fmt.Errorf("%q: a piece may be %s", m.As, strings.Join(markings, ", "))
	}
	if m.Name != "" && !validName.MatchString(m.Name) {
		return nil, fmt.Errorf("%q is not a name of a field: letters, digits and _", m.Name)
	}
	line, start := a.lineAround(m.Offset)
	from := int(m.Offset - start)
	if from < 0 || m.Size < 1 || from+m.Size > len(line) {
		return nil, errors.New("mark a piece of one line")
	}
	format, r := parsed(file, src)
	template, whole := "{text...}", format == nil || len(strings.TrimSpace(string(src))) == 0
	switch {
	case r != nil:
		template = r.Template.Value()
	case !whole:
		return nil, errors.New("the spec says what its bytes look like otherwise than by one template, record `…`: only that can be changed by marking")
	}
	segs := segments(template)
	holes, err := a.holesOf(m.Offset, start)
	if err != nil && r != nil {
		return nil, err
	}
	hold(segs, line, holes)
	used := names(segs)
	name := m.Name
	if m.As == "field" || m.As == "time" {
		if name == "" {
			name = free(map[string]string{"field": "field", "time": "time"}[m.As], used)
		}
		if names(segs)[name] && name != nameOf(within(segs, from, from+m.Size)) {
			return nil, fmt.Errorf("there is a field %q already", name)
		}
	}
	segs, err = mark(segs, line, from, from+m.Size, m.As, name)
	if err != nil {
		return nil, err
	}
	a.constants(ctx, file, src, r, segs)
	out := &Changed{Template: write(segs), Name: name}
	if m.As != "field" && m.As != "time" {
		out.Name = ""
	}
	text := put(src, r, out.Template, file)
	text = without(file, text, names(segs))
	if out.Name != "" {
		if out.Type = a.typeOf(ctx, file, text, out.Name, line[from:from+m.Size], m.As == "time"); out.Type != "" {
			text = typed(file, text, out.Name, out.Type)
		}
		if got, ok := a.reads(ctx, file, text, out.Name, m.Offset); ok && got != line[from:from+m.Size] {
			out.Note = fmt.Sprintf("%s is %q now, for a field ends where the text after it first stands: mark more of what stands before it", out.Name, got)
		} else if out.Type != "" {
		} else if m.As == "time" {
			out.Note = "no layout of a time reads it; write one behind the field's name: ts(\"…\")"
		}
	}
	if pretty, err := compile.Reformat(file, text); err == nil {
		text = pretty
	}
	out.Spec = string(text)
	return out, nil
}

// constants makes text of the holes that are new and have the same value in each record of the
// window, if there are several.
func (a *Analysis) constants(ctx context.Context, file string, src []byte, r *compile.Record, segs []segment) {
	spec, err := compile.Compile(file, without(file, put(src, r, write(segs), file), names(segs)), compile.WithResolver(formats.Resolve), compile.WithContext(ctx))
	if err != nil {
		return
	}
	for i := range segs {
		s := &segs[i]
		if s.kind != 'h' || toEnd(s.text) || !found.MatchString(nameOf(s.text)) {
			continue
		}
		values := a.valuesOf(ctx, spec.Program.OfText(), nameOf(s.text))
		if len(values) > 1 && !slices.ContainsFunc(values, func(v []byte) bool { return string(v) != string(values[0]) }) {
			*s = segment{kind: 't', text: string(values[0])}
		}
	}
}

// found are the names of fields that nobody has named.
var found = regexp.MustCompile(`^(text|extra)\d*$`)

// reads is the value that a field has in the record that a byte is in, if it can be read.
func (a *Analysis) reads(ctx context.Context, file string, src []byte, name string, offset int64) (string, bool) {
	w := *a.window
	_, start := a.lineAround(offset)
	line, _, _ := strings.Cut(string(w.Data[start-w.Offset:]), "\n")
	w.Data, w.Head, w.Last = []byte(line+"\n"), nil, true
	spec, err := compile.Compile(file, src, compile.WithResolver(formats.Resolve), compile.WithContext(ctx))
	if err != nil {
		return "", false
	}
	b := &Analysis{window: &w}
	values := b.valuesOf(ctx, spec.Program.OfText(), name)
	if len(values) == 0 {
		return "", false
	}
	return string(values[0]), true
}

// within is the hole that has all of a piece of the line, "" if none has.
func within(segs []segment, from, to int) string {
	for _, s := range segs {
		if s.kind == 'h' && s.start <= from && to <= s.end {
			return s.text
		}
	}
	return ""
}

// lineAround is the line that has a byte, without its end, and where it begins.
func (a *Analysis) lineAround(offset int64) (string, int64) {
	data, at := a.window.Data, int(offset-a.window.Offset)
	if at < 0 || at >= len(data) {
		return "", offset
	}
	start := strings.LastIndexByte(string(data[:at]), '\n') + 1
	end := len(data)
	if i := strings.IndexByte(string(data[at:]), '\n'); i >= 0 {
		end = at + i
	}
	line := string(data[start:end])
	return strings.TrimSuffix(line, "\r"), a.window.Offset + int64(start)
}

// holesOf is where the holes are in the record that a byte is in, from the start of its line.
func (a *Analysis) holesOf(offset, start int64) (func(k int) (int, int, bool), error) {
	none := func(int) (int, int, bool) { return 0, 0, false }
	if a.program == nil {
		return none, errors.New("the spec does not compile: mend it first")
	}
	at := a.window.at(offset)
	i := a.recordAt(at)
	if i < 0 {
		return none, nil
	}
	r := &a.records[i]
	if r.kind != 0 || r.reject > 0 && !a.Rejects[r.reject-1].FieldOnly {
		return none, errors.New("the template does not read this line; mark one that it reads")
	}
	b := a.bytesOf(i)
	from := map[int]int{}
	to := map[int]int{}
	for k, what := range b.what {
		if what < 0 {
			continue
		}
		if _, ok := from[what]; !ok {
			from[what] = k
		}
		to[what] = k + 1
	}
	shift := int(a.window.offset(r.start) - start)
	return func(k int) (int, int, bool) {
		_, ok := from[k]
		return from[k] + shift, to[k] + shift, ok
	}, nil
}

// put writes the template into the spec.
func put(src []byte, r *compile.Record, template, file string) []byte {
	token := "`" + template + "`"
	if strings.Contains(template, "`") {
		token = strconv.Quote(template)
	}
	if r != nil {
		at := r.Template.Pos.Offset
		return slices.Concat(src[:at], []byte(token), src[at+len(r.Template.Token):])
	}
	return []byte("format " + formatName(file) + " {\n  record " + token + "\n}\n")
}

// without takes the types of fields out of the spec that the template has no more.
func without(file string, src []byte, has map[string]bool) []byte {
	format, r := parsed(file, src)
	if format == nil || r == nil || format.Extends != nil {
		return src
	}
	type cut struct{ from, to int }
	var cuts []cut
	for _, item := range format.Items {
		f, ok := item.(*compile.Fields)
		if !ok {
			continue
		}
		for i, field := range f.List {
			if has[field.Name.String()] {
				continue
			}
			end := field.Pos.Offset + strings.IndexAny(string(src[field.Pos.Offset:]), "\n}")
			if i+1 < len(f.List) {
				end = f.List[i+1].Pos.Offset
			}
			cuts = append(cuts, cut{field.Pos.Offset, end})
		}
	}
	slices.SortFunc(cuts, func(x, y cut) int { return cmp.Compare(y.from, x.from) })
	for _, c := range cuts {
		src = slices.Concat(src[:c.from], src[c.to:])
	}
	return src
}

// typed gives a field a type.
func typed(file string, src []byte, name, typ string) []byte {
	format, r := parsed(file, src)
	if format == nil || r == nil {
		return src
	}
	for _, item := range format.Items {
		f, ok := item.(*compile.Fields)
		if !ok {
			continue
		}
		for _, field := range f.List {
			if field.Name.String() == name {
				at, end := field.Type.Pos.Offset, field.Pos.Offset+strings.IndexAny(string(src[field.Pos.Offset:]), "\n}")
				return slices.Concat(src[:at], []byte(typ), src[end:])
			}
		}
		at := f.Pos.Offset + strings.IndexByte(string(src[f.Pos.Offset:]), '{') + 1
		if n := len(f.List); n > 0 { // behind the last, if it ends its line
			last := f.List[n-1].Pos.Offset
			if k := strings.IndexAny(string(src[last:]), "\n}"); k >= 0 && src[last+k] == '\n' {
				at = last + k
			}
		}
		return slices.Concat(src[:at], []byte("\n    "+name+" "+typ), src[at:])
	}
	at := r.Template.Pos.Offset + len(r.Template.Token)
	return slices.Concat(src[:at], []byte("\n  fields {\n    "+name+" "+typ+"\n  }"), src[at:])
}

var notInNames = regexp.MustCompile(`[^a-z0-9_]+`)

// formatName is a name of a format for a file.
func formatName(file string) string {
	name := file[strings.LastIndexAny(file, `/\`)+1:]
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "."), ".")
	name = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "mine_" + name
	}
	return strings.TrimSuffix(name, "_")
}
