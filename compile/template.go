package compile

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// A template is text with holes: `{host} [[{time}] "{request:clf}"[ {extra}]`.
// docs/spec.md has its rules.

// part is a literal, a hole or another part of a template.
type part struct {
	pos  lexer.Position
	kind partKind
	text string // literal: its bytes
	hole hole
	in   []part // optional: what may be missing
}

type partKind uint8

const (
	literalPart  partKind = iota
	holePart              // {name}
	blanksPart            // { }: one or more blanks
	optionalPart          // [ … ]
)

// hole is where a field stands.
type hole struct {
	name   string
	rule   string // name of an escape or a table; "" for none
	width  int    // :3, so many bytes; 0: any number
	dash   bool   // :-, a dash is null
	toEnd  bool   // ..., up to the end of the record
	hidden bool   // {_}
}

// maxGroups bounds how deep optional groups nest.
const maxGroups = 6

// templateParser walks over the text of one template.
type templateParser struct {
	src string
	at  int
	bad *faults

	token string         // the literal that src is the value of
	from  []int          // where in it each byte of src comes from
	pos   lexer.Position // of the byte of src last asked for
	upto  int            // where in token that is
}

// parseTemplate reads a template; its faults go to bad.
func parseTemplate(t *Text, bad *faults) []part {
	p := &templateParser{bad: bad, token: t.Token, pos: t.Pos}
	p.src, p.from, _ = unquote(t.Token)
	parts, _ := p.parts(0)
	p.adjacent(parts)
	return parts
}

func (p *templateParser) fault(at int, format string, args ...any) {
	p.bad.addf(p.position(at), format, args...)
}

// position is that of byte at of the template. Asking for positions in order
// is cheap.
func (p *templateParser) position(at int) lexer.Position {
	to := p.from[min(at, len(p.from)-1)]
	if p.pos.Line == 0 {
		return p.pos
	}
	if to < p.upto {
		back := p.token[to:p.upto]
		if strings.Contains(back, "\n") {
			return p.pos // on an earlier line: no fault is that far back
		}
		pos := p.pos
		pos.Offset -= len(back)
		pos.Column -= utf8.RuneCountInString(back)
		return pos
	}
	p.pos.Advance(p.token[p.upto:to])
	p.upto = to
	return p.pos
}

// parts reads up to the end, or to the ] of a group that is depth deep.
func (p *templateParser) parts(depth int) (out []part, closed bool) {
	literal := func(from int, s string) {
		if n := len(out); n > 0 && out[n-1].kind == literalPart {
			out[n-1].text += s
			return
		}
		out = append(out, part{pos: p.position(from), kind: literalPart, text: s})
	}
	for p.at < len(p.src) {
		from := p.at
		rest := p.src[from:]
		switch {
		case strings.HasPrefix(rest, "{{"):
			p.at += 2
			literal(from, "{")
		case strings.HasPrefix(rest, "{[}"), strings.HasPrefix(rest, "{]}"):
			p.at += 3
			literal(from, rest[1:2])
		case rest[0] == '{':
			if h, ok := p.hole(); ok {
				out = append(out, h)
			}
		case strings.HasPrefix(rest, "[["):
			p.at += 2
			literal(from, "[")
		case rest[0] == '[':
			p.at++
			if depth == maxGroups {
				p.fault(from, "optional groups nested more than %d deep", maxGroups)
				p.at = len(p.src)
				return out, true
			}
			in, closed := p.parts(depth + 1)
			switch {
			case !closed:
				p.fault(from, "the optional group that begins here does not end: a ] is missing; a literal [ is written [[")
			case len(in) == 0:
				p.fault(from, "an empty optional group")
			}
			out = append(out, part{pos: p.position(from), kind: optionalPart, in: in})
		case depth > 0 && strings.HasPrefix(rest, "]]"):
			p.at += 2
			literal(from, "]")
		case depth > 0 && rest[0] == ']':
			p.at++
			return out, true
		case strings.HasPrefix(rest, "}}"):
			p.at += 2
			literal(from, "}")
		case rest[0] == '}':
			p.fault(from, "this } ends no hole; a literal } is written }}")
			p.at++
		default:
			n := 1 + strings.IndexAny(rest[1:]+"[", "{}[]")
			p.at += n
			literal(from, rest[:n])
		}
	}
	return out, false
}

// hole reads {name}, {name:rule:-}, {name...} or { }.
func (p *templateParser) hole() (part, bool) {
	from := p.at
	end := strings.IndexByte(p.src[from:], '}')
	if end < 0 {
		p.fault(from, "the hole that begins here does not end: a } is missing; a literal { is written {{")
		p.at = len(p.src)
		return part{}, false
	}
	body := p.src[from+1 : from+end]
	p.at = from + end + 1
	out := part{pos: p.position(from), kind: holePart}
	if body != "" && strings.Trim(body, " ") == "" {
		out.kind = blanksPart
		return out, true
	}
	name, options, _ := strings.Cut(body, ":")
	out.hole.name, out.hole.toEnd = strings.CutSuffix(name, "...")
	if out.hole.hidden = out.hole.name == "_"; !out.hole.hidden && !isWord(out.hole.name) {
		p.fault(from+1, "%q is not a column name: letters, digits, _ and - inside; a literal { is written {{", clip(out.hole.name, 40))
		return out, false
	}
	if len(options) == len(body)-len(name)-1 && len(body) > len(name) {
		at := from + 1 + len(name) + 1
		for _, o := range strings.Split(options, ":") {
			switch {
			case o == "-":
				out.hole.dash = true
			case isNumber(o):
				n, err := strconv.Atoi(o)
				switch {
				case err != nil || n < 1 || n > maxWidth:
					p.fault(at, "%s: a width is a number of bytes from 1 to %d", clip(o, 40), maxWidth)
				case out.hole.width != 0:
					p.fault(at, "a second width %s after %d", o, out.hole.width)
				case out.hole.toEnd:
					p.fault(at, "{%s...} goes to the end of the record, so it has no width", out.hole.name)
				default:
					out.hole.width = n
				}
			case !isWord(o):
				p.fault(at, "%q is no option of a hole: :- (a dash is null), :3 (so many bytes) or the name of an escape or dfa", clip(o, 40))
			case out.hole.rule != "":
				p.fault(at, "a second rule %q after %q; a field has one", o, out.hole.rule)
			default:
				out.hole.rule = o
			}
			at += len(o) + 1
		}
	}
	return out, true
}

// adjacent reports what follows a hole that goes to the end.
func (p *templateParser) adjacent(parts []part) {
	for i := range parts {
		if parts[i].kind == optionalPart {
			p.adjacent(parts[i].in)
		}
		if i == 0 || parts[i-1].kind != holePart {
			continue
		}
		if before := parts[i-1].hole; before.toEnd {
			p.bad.addf(parts[i].pos, "nothing can follow {%s...}, which goes to the end of the record", before.name)
		}
	}
}

// maxWidth bounds the width of a hole: each byte is a state of the automaton.
const maxWidth = 1 << 10

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isWord reports whether s can be a name without quotes.
func isWord(s string) bool {
	for i, r := range s {
		letter := unicode.IsLetter(r) || r == '_'
		inside := unicode.Is(unicode.Nd, r) || r == '-' && i+1 < len(s) && s[i+1] != '-'
		if !letter && (i == 0 || !inside) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}

// holes are the holes of a template in order, those of groups included.
func holes(parts []part) []part {
	var out []part
	for _, p := range parts {
		switch p.kind {
		case holePart:
			out = append(out, p)
		case optionalPart:
			out = append(out, holes(p.in)...)
		}
	}
	return out
}
