package importer

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Regular expressions with named groups, of RE2's kind: what Go, Fluent Bit, lnav, Vector
// and many others write, as far as one pass over a line can follow them. Text becomes text
// of a template, a named group a field, (…)? an optional group, and what a group or an
// unnamed part may hold becomes a dfa of its own. So a line is read if and only if the
// expression matches it, and the fields are its groups; what that cannot be done for is
// refused. Groups that match nothing are null.

func readRegex(d *draft) {
	re, err := syntax.Parse(d.text, syntax.Perl)
	if err != nil {
		d.syntaxError(err, d.text)
		return
	}
	r := &regexReader{draft: d, at: 0, place: func(name string) int {
		for _, open := range []string{"(?P<", "(?<"} {
			if at := strings.Index(d.text, open+name+">"); at >= 0 {
				return at
			}
		}
		return -1
	}}
	r.read(re)
}

// syntaxError says what is wrong with an expression, made of the description.
func (d *draft) syntaxError(err error, expr string) {
	e, ok := err.(*syntax.Error)
	if !ok {
		d.fail(-1, "%v", err)
		return
	}
	at := -1
	if i := strings.Index(d.text, e.Expr); i >= 0 && e.Expr != expr {
		at = i
	}
	d.fail(at, "%s, in %s", e.Code, e.Expr)
}

// shown is an expression as messages show it.
func shown(re *syntax.Regexp) string {
	return shorter.ReplaceAllString(re.String(), "$1")
}

var shorter = regexp.MustCompile(`\(\?-?[ism]+:(\.[*+]\??)\)`)

// regexReader walks over a parsed expression.
type regexReader struct {
	*draft
	place   func(group string) int // where in the description a group is
	at      int                    // the place of the last group that was read
	types   map[string]string      // of groups that are no text
	lenient bool                   // .* before something is read as .*?, and it is said
}

func (r *regexReader) read(re *syntax.Regexp) {
	parts := flat(re)
	start, end := len(parts) > 0 && isOp(parts[0], syntax.OpBeginText, syntax.OpBeginLine), false
	if start {
		parts = parts[1:]
	}
	if n := len(parts); n > 0 && isOp(parts[n-1], syntax.OpEndText, syntax.OpEndLine) {
		parts, end = parts[:n-1], true
	}
	if !start || !end {
		r.note(-1, "the expression matches anywhere in a line; here it has to match all of it, as ^(…)$ does")
	}
	r.sequence(parts, nil)
}

func isOp(re *syntax.Regexp, ops ...syntax.Op) bool {
	for _, op := range ops {
		if re.Op == op {
			return true
		}
	}
	return false
}

// flat is a concatenation as its parts; unnamed groups are nothing by themselves.
func flat(re *syntax.Regexp) []*syntax.Regexp {
	switch {
	case re.Op == syntax.OpConcat:
		var parts []*syntax.Regexp
		for _, sub := range re.Sub {
			parts = append(parts, flat(sub)...)
		}
		return parts
	case re.Op == syntax.OpCapture && re.Name == "":
		return flat(re.Sub[0])
	case re.Op == syntax.OpEmptyMatch:
		return nil
	}
	return []*syntax.Regexp{re}
}

// named reports whether a group with a name is in re.
func named(re *syntax.Regexp) bool {
	if re.Op == syntax.OpCapture && re.Name != "" {
		return true
	}
	for _, sub := range re.Sub {
		if named(sub) {
			return true
		}
	}
	return false
}

// blanksOf reports whether re is one or more (or, optional, any number) of a blank, and whether
// tabs are among them.
func blanksOf(re *syntax.Regexp) (optional, tabs, ok bool) {
	if !isOp(re, syntax.OpPlus, syntax.OpStar) {
		return false, false, false
	}
	sub := re.Sub[0]
	switch {
	case sub.Op == syntax.OpLiteral && string(sub.Rune) == " ":
	case sub.Op == syntax.OpCharClass:
		for c := range rune(0x80) {
			has := inClass(sub.Rune, c)
			tabs = tabs || has && c == '\t'
			if has && !strings.ContainsRune(" \t\n\f\r", c) || c == ' ' && !has {
				return false, false, false
			}
		}
		if sub.Rune[len(sub.Rune)-1] >= 0x80 {
			return false, false, false
		}
	default:
		return false, false, false
	}
	return re.Op == syntax.OpStar, tabs, true
}

func inClass(ranges []rune, c rune) bool {
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i] <= c && c <= ranges[i+1] {
			return true
		}
	}
	return false
}

// sequence adds parts; after them come those of after.
func (r *regexReader) sequence(parts, after []*syntax.Regexp) {
	for i, p := range parts {
		if r.failure != nil {
			return
		}
		rest := append(parts[i+1:len(parts):len(parts)], after...)
		optional, tabs, blanks := blanksOf(p)
		switch {
		case p.Op == syntax.OpLiteral && p.Flags&syntax.FoldCase == 0:
			r.literal(r.at, string(p.Rune))
		case p.Op == syntax.OpCapture:
			r.group(p, rest)
		case blanks:
			if !tabs {
				r.note(r.at, "%s: a tab counts as a space", shown(p))
			}
			if optional {
				r.optional(r.at, func() { r.blanks(r.at) })
			} else {
				r.blanks(r.at)
			}
		case p.Op == syntax.OpQuest:
			r.optional(r.at, func() { r.sequence(flat(p.Sub[0]), rest) })
		case !named(p):
			r.form("_", p, rest, r.at)
		case p.Op == syntax.OpAlternate:
			r.fail(r.placeIn(p), "alternatives with named groups are several shapes of records; make an expression of each")
		default:
			r.fail(r.placeIn(p), "a named group in what is repeated: a record has one field of a name")
		}
	}
}

// placeIn is the place of the first named group in re.
func (r *regexReader) placeIn(re *syntax.Regexp) int {
	if re.Op == syntax.OpCapture && re.Name != "" {
		return r.place(re.Name)
	}
	for _, sub := range re.Sub {
		if named(sub) {
			return r.placeIn(sub)
		}
	}
	return r.at
}

// group adds a named group.
func (r *regexReader) group(p *syntax.Regexp, rest []*syntax.Regexp) {
	r.at = r.place(p.Name)
	if named(p.Sub[0]) {
		r.fail(r.at, "a named group within %s: fields do not hold each other", p.Name)
		return
	}
	r.form(p.Name, p.Sub[0], rest, r.at)
}

// form adds a field that re matches.
func (r *regexReader) form(name string, re *syntax.Regexp, rest []*syntax.Regexp, at int) {
	f := field{at: at, name: name, typ: r.types[name]}
	parts := flat(re)
	if len(parts) == 1 && isOp(parts[0], syntax.OpStar, syntax.OpPlus) && isOp(parts[0].Sub[0], syntax.OpAnyChar, syntax.OpAnyCharNotNL) {
		lazy := parts[0].Flags&syntax.NonGreedy != 0
		switch {
		case len(rest) == 0 && parts[0].Op == syntax.OpStar:
			r.toEnd(f)
			return
		case len(rest) == 0:
		case lazy || r.lenient:
			if why := "it ends at the first place where what follows begins, without going back"; lazy {
				r.note(at, "%s: %s", shown(parts[0]), why)
			} else {
				r.note(at, "%s before something else is read as %s?: %s", shown(parts[0]), shown(parts[0]), why)
			}
			r.hole(f)
			return
		default:
			r.fail(at, "%s goes to the last place where what follows matches, which one pass cannot know; write %s?, or a class without the sign that follows", shown(parts[0]), shown(parts[0]))
			return
		}
	}
	if c, ok := plain(parts, rest); ok && c {
		r.hole(f)
		return
	}
	a, err := newForm(re)
	if err != nil {
		r.fail(at, "%s: %v", shown(re), err)
		return
	}
	if next, err := firstOf(rest); err != nil {
		r.fail(at, "what follows %s: %v", shown(re), err)
		return
	} else if b, witness, ok := a.goesOn(next); ok {
		r.fail(at, "where %s ends cannot be known in one pass: after %q comes %q, of it or of what follows", shown(re), witness, string(rune(b)))
		return
	}
	f.rule = r.defineForm(name, re.String(), a)
	r.hole(f)
}

// plain reports whether parts are any number of all but one sign, which is what follows.
func plain(parts, rest []*syntax.Regexp) (yes, ok bool) {
	if len(parts) != 1 || parts[0].Op != syntax.OpStar || parts[0].Sub[0].Op != syntax.OpCharClass || len(rest) == 0 ||
		rest[0].Op != syntax.OpLiteral || rest[0].Flags&syntax.FoldCase != 0 || len(rest[0].Rune) != 1 || rest[0].Rune[0] >= 0x80 {
		return false, false
	}
	class, c := parts[0].Sub[0].Rune, rest[0].Rune[0]
	// What follows the sign may be text as well, which a plain hole would look for together with it.
	alone := len(rest) == 1 || !isOp(rest[1], syntax.OpLiteral, syntax.OpQuest)
	return alone && !inClass(class, c) && len(class) == 4 && class[0] == 0 && class[1] == c-1 && class[2] == c+1, true
}

// formNames are the names of frequent forms.
var formNames = map[string]string{
	`\d+`: "digits", `[0-9]+`: "digits", `\S+`: "nonspace", `[^\t\n\f\r ]+`: "nonspace", `\w+`: "word", `[0-9A-Z_a-z]+`: "word", `[A-Z]+`: "capitals", `[a-z]+`: "letters", `[A-Za-z]+`: "letters_",
}

// defineForm defines a form as a dfa, each once.
func (r *regexReader) defineForm(column, text string, a *form) string {
	if r.forms == nil {
		r.forms = map[string]string{}
	}
	if name := r.forms[text]; name != "" {
		return name
	}
	name := formNames[text]
	if name == "" {
		name = word(strings.Trim(column, "_") + "_form")
		for n := 2; r.defined[name]; n++ {
			name = fmt.Sprintf("%s_form_%d", word(column), n)
		}
	}
	r.forms[text], r.defined[name] = name, true
	r.spec.Definitions(a.table(name))
	return name
}
