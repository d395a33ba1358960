package expr

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Source is the text of an expression, with the name that its faults have.
type Source struct {
	Name string // as "--where"
	Text string
}

// Fault is what is wrong with an expression, and where.
type Fault struct {
	Source  Source
	Offset  int // of Source.Text, in bytes
	Message string
}

func (f *Fault) position() (line, column int) {
	before := f.Source.Text[:f.Offset]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

// Error is name:line:column and the message, then the line with a mark below.
func (f *Fault) Error() string {
	line, column := f.position()
	text := strings.ReplaceAll(strings.Split(f.Source.Text, "\n")[line-1], "\t", " ")
	return fmt.Sprintf("%s:%d:%d: %s\n  %s\n  %s^", f.Source.Name, line, column, f.Message, text, strings.Repeat(" ", column-1))
}

func (s Source) faultf(pos lexer.Position, format string, args ...any) *Fault {
	return &Fault{s, min(pos.Offset, len(s.Text)), fmt.Sprintf(format, args...)}
}

// ParseWhere reads a test.
func ParseWhere(src Source) (*Or, error) { return parse(whereGrammar(), src) }

// ParseList reads columns; an empty text is an empty list.
func ParseList(src Source) (*List, error) {
	if strings.TrimSpace(src.Text) == "" {
		return &List{}, nil
	}
	return parse(listGrammar(), src)
}

func parse[P any](p *participle.Parser[P], src Source) (*P, error) {
	if strings.TrimSpace(src.Text) == "" {
		return nil, src.faultf(lexer.Position{}, "it is empty; expected a test, as status >= 500")
	}
	if err := src.scan(); err != nil {
		return nil, err
	}
	tree, err := p.ParseString("", src.Text)
	if err != nil {
		return nil, src.syntax(err)
	}
	return tree, nil
}

// scan looks at the tokens alone: for what none can begin with, for words where no
// column may be, and for how deep the parser would go.
func (s Source) scan() error {
	if len(s.Text) > maxLength {
		return s.faultf(lexer.Position{}, "it has %d bytes, more than %d", len(s.Text), maxLength)
	}
	lex, err := tokens().LexString("", s.Text)
	if err != nil {
		return s.faultf(lexer.Position{}, "%v", err)
	}
	depth, nots := 0, 0
	for {
		t, err := lex.Next()
		if err != nil {
			return s.unscanned(err)
		}
		switch {
		case t.EOF():
			return nil
		case t.Value == "(":
			depth++
		case t.Value == ")":
			depth--
		case t.Value == "not":
			nots++
		}
		if depth+nots > maxDepth {
			return s.faultf(t.Pos, "more than %d parentheses or nots", maxDepth)
		}
	}
}

func (s Source) unscanned(err error) error {
	var lerr *lexer.Error
	if !errors.As(err, &lerr) {
		return s.faultf(lexer.Position{}, "%v", err)
	}
	rest := s.Text[lerr.Pos.Offset:]
	switch c, _ := utf8.DecodeRuneInString(rest); c {
	case '\'', '"':
		return s.faultf(lerr.Pos, "a text begins here that does not end")
	case '`':
		return s.faultf(lerr.Pos, "a name begins here that does not end")
	case '&', '|', '!':
		return s.faultf(lerr.Pos, "unexpected %q; tests are put together with and, or and not", c)
	case '*':
		hint := ""
		if strings.HasSuffix(strings.TrimSpace(s.Text[:lerr.Pos.Offset]), "(") {
			hint = "; rows are counted by count()"
		}
		return s.faultf(lerr.Pos, "unexpected %q%s", c, hint)
	case '-':
		hint := ""
		if strings.Contains(s.Name, "sort") {
			hint = "; a column's largest values come first with desc behind it"
		}
		return s.faultf(lerr.Pos, "unexpected %q%s", c, hint)
	default:
		return s.faultf(lerr.Pos, "unexpected %q", c)
	}
}

// elsewhere says how that is written for which other languages have words and signs.
var elsewhere = map[string]string{
	"like": "texts are compared whole", "ilike": "texts are compared whole",
	"in": "several values are put together with or: a = 1 or a = 2", "between": "a range is a >= 1 and a <= 2",
	"isnull": "it is written a is null", "notnull": "it is written a is not null",
}

// asElsewhere says how that is written which begins at offset, "" if nobody knows what it is.
func (s Source) asElsewhere(found string, offset int) string {
	word := strings.ToLower(strings.Trim(found, `"`))
	before := s.Text[:offset]
	switch {
	case slices.Contains(reserved, word) && !strings.Contains(found, word):
		return "; it is written in small letters, " + word
	case found == `"="` && strings.HasSuffix(before, "="):
		return "; equal is written ="
	case found == `">"` && strings.HasSuffix(before, "<"):
		return "; unequal is written !="
	case strings.HasSuffix(strings.ToLower(strings.TrimSpace(before)), "(distinct"):
		return "; different values are counted by distinct(x)"
	case elsewhere[word] != "":
		return "; " + elsewhere[word]
	}
	return ""
}

var expectation = regexp.MustCompile(`\(expected (.*)\)$`)

// syntax says what participle found wrong.
func (s Source) syntax(err error) error {
	var perr participle.Error
	if !errors.As(err, &perr) {
		return s.faultf(lexer.Position{}, "%v", err)
	}
	expected := ""
	if m := expectation.FindStringSubmatch(perr.Message()); m != nil {
		expected = m[1]
	}
	found, pos := "the end", perr.Position()
	var unexpected *participle.UnexpectedTokenError
	if errors.As(err, &unexpected) && !unexpected.Unexpected.EOF() {
		found = fmt.Sprintf("%q", unexpected.Unexpected.Value)
	}
	switch {
	case strings.Contains(expected, "Or"), strings.Contains(expected, "And"), strings.Contains(expected, "Not"), strings.Contains(expected, "Test"):
		expected = "a test"
	case strings.Contains(expected, "Operand"), strings.Contains(expected, "Item"), strings.Contains(expected, "List"):
		expected = "a column, a value or a function"
	case strings.Contains(expected, `"null"`):
		expected = "null or not null"
	case strings.Contains(expected, "OrderKey"):
		expected = "a column or a function"
	case expected == "" && strings.Contains(s.Name, "sort") && strings.Trim(s.Text[:pos.Offset], " ,") == "":
		expected = "a column or a function"
	case expected == "" && strings.Contains(s.Name, "sort"):
		expected = "asc, desc, nulls first, nulls last, a column, or the end"
	case expected == "":
		expected = "and, or, or the end"
		if strings.Contains(s.Name, "where") && found != "the end" && len(found) > 2 {
			expected = "a comparison (= != < <= > >= is), and, or, or the end"
		}
	case strings.Contains(expected, `")"`):
		expected = "a closing parenthesis"
	}
	return s.faultf(pos, "unexpected %s; expected %s%s", found, expected, s.bareDate(pos.Offset)+s.asElsewhere(found, pos.Offset))
}

// dates are dates that are not in quotes, perhaps with a time of day.
var dates = regexp.MustCompile(`\b\d{4}-\d\d?-\d\d?(T[\d:.]+Z?)?`)

// bareDate says how the date is written in which an offset of the text is, "" if it is in none.
func (s Source) bareDate(offset int) string {
	for _, at := range dates.FindAllStringIndex(s.Text, -1) {
		if at[0] <= offset && offset < at[1] {
			return fmt.Sprintf("; a date is written '%s'", s.Text[at[0]:at[1]])
		}
	}
	return ""
}

// name is what an operand calls a column, or a fault where it is none.
func (s Source) name(o *Operand) (string, error) {
	switch {
	case o.Quoted != nil:
		return strings.Trim(*o.Quoted, "`"), nil
	case o.Name == nil || o.Call != nil:
		return "", s.faultf(o.Pos, "expected a column")
	case slices.Contains(reserved, *o.Name):
		if *o.Name == "null" {
			return "", s.faultf(o.Pos, "null is no column here, and no value is equal to it: is null asks for it, or is not null; a column that is called so is written in backquotes: `null`")
		}
		return "", s.faultf(o.Pos, "%s is no column here; one that is called so is written in backquotes: `%s`", *o.Name, *o.Name)
	}
	return *o.Name, nil
}

// String is the operand as it may be written: what its column is called.
func (o *Operand) String() string {
	switch {
	case o.Text != nil:
		return *o.Text
	case o.Number != nil:
		return *o.Number
	case o.Quoted != nil:
		return strings.Trim(*o.Quoted, "`")
	case o.Call == nil:
		return *o.Name
	}
	args := make([]string, len(o.Call.Args))
	for i, a := range o.Call.Args {
		args[i] = a.String()
	}
	return *o.Name + "(" + strings.Join(args, ", ") + ")"
}

// text is the text of a literal.
func (s Source) text(o *Operand) (string, error) {
	quoted := *o.Text
	body, out := quoted[1:len(quoted)-1], strings.Builder{}
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			out.WriteByte(body[i])
			continue
		}
		i++
		at := strings.IndexByte(`nrt0\'"`, body[i])
		if at < 0 {
			return "", s.faultf(o.Pos, `unknown escape \%c in a text; there are \\ \' \" \n \r \t and \0`, body[i])
		}
		out.WriteByte("\n\r\t\x00\\'\""[at])
	}
	return out.String(), nil
}

// Names appends the columns that an expression reads to names, each once.
func (s Source) Names(names []string, o *Operand) ([]string, error) {
	switch {
	case o == nil || o.Text != nil || o.Number != nil:
		return names, nil
	case o.Call != nil:
		for _, a := range o.Call.Args {
			var err error
			if names, err = s.Names(names, a); err != nil {
				return nil, err
			}
		}
		return names, nil
	}
	if o.Name != nil && isBool(*o.Name) {
		return names, nil
	}
	name, err := s.name(o)
	if err == nil && !slices.Contains(names, name) {
		names = append(names, name)
	}
	return names, err
}

func isBool(word string) bool { return word == "true" || word == "false" }

// Sure is what of a test has to hold of columns named, whatever the others have: nil if
// nothing has.
func (s Source) Sure(or *Or, names []string) *Or {
	known := func(or *Or) bool {
		all, err := s.TestNames(nil, or)
		return err == nil && len(all) > 0 && !slices.ContainsFunc(all, func(name string) bool { return !slices.Contains(names, name) })
	}
	if known(or) {
		return or
	}
	if len(or.Any) > 1 {
		return nil
	}
	sure := &And{Pos: or.Pos}
	for _, not := range or.Any[0].All {
		if known(&Or{Any: []*And{{All: []*Not{not}}}}) {
			sure.All = append(sure.All, not)
		}
	}
	if len(sure.All) == 0 {
		return nil
	}
	return &Or{Pos: or.Pos, Any: []*And{sure}}
}

// TestNames is Names of a test.
func (s Source) TestNames(names []string, or *Or) (_ []string, err error) {
	for t := range or.tests {
		for _, o := range []*Operand{t.Left, t.Right} {
			if names, err = s.Names(names, o); err != nil {
				return nil, err
			}
		}
	}
	return names, nil
}

// tests yields the tests of or that are no groups, those within groups too, in the order in which they are written.
func (or *Or) tests(yield func(*Test) bool) {
	var each func(or *Or) bool
	each = func(or *Or) bool {
		for _, and := range or.Any {
			for _, not := range and.All {
				for not.Not != nil {
					not = not.Not
				}
				if t := not.Test; t.Group != nil && !each(t.Group) || t.Group == nil && !yield(t) {
					return false
				}
			}
		}
		return true
	}
	each(or)
}
