package compile

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
)

// What there is of each kind of node, in the order in which messages name them.
var (
	definitions = []Definition{&Format{}, &Escape{}, &Table{}}
	items       = []Item{&Doc{}, &Delimited{}, &Lines{}, &Record{}, &Fixed{}, &Binary{}, &ShapeColumn{}, &TableUse{}, &SkipItem{}, &Header{}, &Stop{}, &Fields{}, &Months{}, &Weekdays{}, &Zones{}, &Null{}, &Empty{},
		&OnError{}, &RaggedItem{}, &Blank{}, &EncodingItem{}, &UTF8{}, &MaxRecord{}, &Split{}, &Keyed{}, &Multiline{}, &Directive{}, &Rest{}, &Test{}}
	delimitedOptions = []DelimitedOption{&Sep{}, &Quote{}, &EscapeUse{}, &Bracket{}, &Blanks{}, &Comment{}, &EOL{}, &Lax{}}
)

// The parsers are built, as the lexer is, when they are first needed: it takes some milliseconds,
// which a program that runs a compiled Program need not spend.
var grammar = sync.OnceValue(func() *participle.Parser[File] {
	return participle.MustBuild[File](
		participle.Lexer(tokens()),
		participle.UseLookahead(0), // the first token decides: faults are then reported where they are
		participle.Union(definitions...),
		participle.Union(items...),
		participle.Union(delimitedOptions...),
		participle.Union[Outcome](&Row{}, &Rejected{}, &Nothing{}),
	)
})

var typeGrammar = sync.OnceValue(mustProduction[TypeExpr])

func mustProduction[P any]() *participle.Parser[P] {
	p, err := participle.ParserForProduction[P](grammar())
	if err != nil {
		panic(err) // only for a production that the grammar does not have
	}
	return p
}

// parseTokens parses what scan gave.
func parseTokens[P any](p *participle.Parser[P], file string, src []byte, toks []lexer.Token) (*P, error) {
	end := lexer.Position{Filename: file, Line: 1, Column: 1}
	end.Advance(string(src))
	peeking, err := lexer.Upgrade(&scanned{toks, lexer.EOFToken(end)})
	if err != nil {
		return nil, err
	}
	return p.ParseFromLexer(peeking)
}

// scanned is a lexer of tokens that are there already.
type scanned struct {
	toks []lexer.Token
	eof  lexer.Token
}

func (s *scanned) Next() (lexer.Token, error) {
	if len(s.toks) == 0 {
		return s.eof, nil
	}
	t := s.toks[0]
	s.toks = s.toks[1:]
	return t, nil
}

// parseType reads a type alone.
func parseType(text string) (*TypeExpr, error) {
	toks, fault := scan("", []byte(text))
	if fault != nil {
		return nil, Faults{fault}
	}
	x, err := parseTokens(typeGrammar(), "", []byte(text), toks)
	if err != nil {
		return nil, Faults{syntaxFault(toks, err)}
	}
	return x, nil
}

// What begins a statement in each kind of block, for messages.
var (
	definitionWords = firstWords(definitions)
	itemWords       = firstWords(items)
	delimitedWords  = firstWords(delimitedOptions)
	linesWords      = []string{"comment", "eol", "lax"}
	multilineWords  = []string{"start", "continue", "into", "max"}
	modifierWords   = []string{"null", "empty", "default", "trim", "in"}
)

// firstWords are the keywords that nodes begin with, by their grammar.
func firstWords[N any](nodes []N) []string {
	words := make([]string, len(nodes))
	for i, n := range nodes {
		_, rest, _ := strings.Cut(string(reflect.TypeOf(n).Elem().Field(1).Tag), "'") // the field after Pos
		words[i], _, _ = strings.Cut(rest, "'")
	}
	return words
}

// What a keyword wants after it.
var wordsAfter = map[string]string{
	"skip": "a number of lines, until or a prefix", "header": "none, skip or names", "on_error": oneOf(dfa.ErrorModes()), "ragged": "error, pad or truncate",
	"blank": "skip or keep", "utf8": oneOf(dfa.UTF8Policies()), "else": "null or error", "eol": "lf, crlf, cr, any or a text",
	"stop": "at", "at": "blank or a prefix", "other": "keep, drop or error", "=>": "{ a row }, reject or none",
}

// oneOf names values: a, b or c.
func oneOf[T fmt.Stringer](all []T) string {
	text := all[0].String()
	for i, v := range all[1:] {
		if i < len(all)-2 {
			text += ", " + v.String()
		} else {
			text += " or " + v.String()
		}
	}
	return text
}

// Parse reads the text of a spec file. Its error is Faults.
func Parse(file string, src []byte) (*File, error) {
	toks, fault := scan(file, src)
	if fault != nil {
		return nil, Faults{fault}
	}
	f, err := parseTokens(grammar(), file, src, toks)
	if err != nil {
		return nil, Faults{syntaxFault(toks, err)}
	}
	if len(f.Definitions) == 0 {
		return nil, Faults{faultf(f.Pos, "the spec is empty; it wants a format: format NAME { … }")}
	}
	return f, nil
}

// syntaxFault says what participle found wrong in the words of the language.
func syntaxFault(toks []lexer.Token, err error) *Fault {
	var perr participle.Error
	if !errors.As(err, &perr) {
		return &Fault{Message: err.Error()}
	}
	pos := perr.Position()
	at := 0
	for at < len(toks) && toks[at].Pos.Offset < pos.Offset {
		at++
	}
	b := blockAt(toks[:at])
	expected := ""
	if m := expectation.FindStringSubmatch(perr.Message()); m != nil {
		expected = m[1]
	}
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) && expected == "" {
		return &Fault{pos, perr.Message()}
	}
	if at == len(toks) {
		if b.kind != "" {
			return faultf(pos, "the file ends inside %s, which begins at line %d; %s", b, b.line, b.wants(expected))
		}
		return faultf(pos, "the file ends here; expected %s", wanted(expected))
	}
	found := toks[at]
	if word := tokenNames()[found.Type] == "Ident"; word && b.words != nil && (expected == "" || expected == `"}"`) {
		return faultf(pos, "%q is no item of %s%s", found.Value, b, b.noItem(found.Value, toks[max(at-1, 0)]))
	}
	if at == 0 {
		return faultf(pos, "unexpected %s; %s", shown(found), b.wants(expected))
	}
	last := toks[at-1].Value
	slip := b.slip(found, toks[:at])
	switch {
	case b.kind == "fields" && strings.HasPrefix(expected, "TypeExpr"):
		return faultf(pos, "expected the type of column %s, found %s%s", last, shown(found), quotedColumn(last)+nullsEnd(toks[:at])+slip)
	case b.kind == "fields" && slip == "":
		return faultf(pos, "unexpected %s in fields; %s%s", shown(found), b.wants(expected), quotedColumn(last))
	case wordsAfter[last] != "":
		return faultf(pos, "unexpected %s after %s; expected %s", shown(found), last, wordsAfter[last])
	}
	return faultf(pos, "unexpected %s in %s; %s%s", shown(found), b, b.wants(expected), slip)
}

// nullsEnd explains why a column in quotes was taken for a null token: toks
// end with the token and what was then taken for a column.
func nullsEnd(toks []lexer.Token) string {
	i := len(toks) - 2
	if i < 0 || !isText(toks[i]) {
		return ""
	}
	for i > 0 && isText(toks[i]) {
		i--
	}
	if toks[i].Value != "null" && toks[i].Value != "empty" {
		return ""
	}
	return fmt.Sprintf("; if %s is a column and no %s token, a comma stands before it", toks[len(toks)-2].Value, toks[i].Value)
}

func isText(t lexer.Token) bool {
	name := tokenNames()[t.Type]
	return name == "Char" || name == "String" || name == "Raw"
}

var expectation = regexp.MustCompile(`\(expected (.*)\)$`)

// quotedColumn explains why a modifier is not taken for a column.
func quotedColumn(word string) string {
	for _, m := range modifierWords {
		if word == m {
			return fmt.Sprintf("; a column that is called %s is written in quotes: %q", m, m)
		}
	}
	return ""
}

func shown(t lexer.Token) string {
	switch {
	case !isText(t):
		return fmt.Sprintf("%q", t.Value)
	case len(t.Value) > 40 || strings.Contains(t.Value, "\n"):
		return fmt.Sprintf("text %q…", clip(t.Value[1:len(t.Value)-1], 30))
	}
	return t.Value
}

// block is the innermost pair of braces around a place in a spec.
type block struct {
	kind  string // the keyword it belongs to; "" outside of all
	name  string // of the definition
	line  int
	words []string // what begins a statement in it
}

func (b block) String() string {
	switch {
	case b.kind == "":
		return "a spec file"
	case b.name != "":
		return b.kind + " " + b.name
	}
	return b.kind
}

// wants says what may stand where something else was found.
func (b block) wants(expected string) string {
	if b.kind == "test row" && strings.HasPrefix(expected, "(") {
		return "expected a value: a text, a number, a word or null"
	}
	if expected != "" && expected != `"}"` {
		return "expected " + wanted(expected)
	}
	switch b.kind {
	case "keyed":
		return "expected a key and its type, or }"
	case "fields":
		return "expected a column and its type, or }"
	case "fixed":
		return "expected a column and its width, or }"
	case "binary":
		return "expected a column and its width or form, or }"
	case "test row":
		return "expected a column and its value, or }"
	}
	if b.words != nil {
		return "expected " + strings.Join(b.words, ", ") + map[bool]string{true: " or }"}[b.kind != ""]
	}
	return "expected }"
}

// blockAt is the block open after the tokens given.
func blockAt(toks []lexer.Token) block {
	var open []block
	for i, t := range toks {
		switch t.Value {
		case "{":
			open = append(open, opener(toks[:i], len(open)))
		case "}":
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) == 0 {
		return block{words: definitionWords}
	}
	return open[len(open)-1]
}

// opener is the block that a brace after toks opens.
func opener(toks []lexer.Token, depth int) block {
	for i := len(toks) - 1; i >= 0 && (i >= len(toks)-7 || depth == 0); i-- {
		name := ""
		if i+1 < len(toks) {
			name = toks[i+1].Value
		}
		line := toks[i].Pos.Line
		switch w := toks[i].Value; w {
		case "format":
			if depth == 0 {
				return block{w, name, line, itemWords}
			}
		case "escape", "dfa":
			return block{w, name, line, nil}
		case "delimited":
			return block{w, "", line, delimitedWords}
		case "lines":
			return block{w, "", line, linesWords}
		case "multiline":
			return block{w, "", line, multilineWords}
		case "fields", "fixed", "binary", "keyed":
			return block{w, "", line, nil}
		case "=>", "}", "reject", "none":
			return block{"test row", "", line, nil}
		case "{":
			return block{"block", "", line, nil}
		}
	}
	return block{"block", "", 0, nil}
}

// Productions of the grammar in words.
var productions = map[string]string{
	"Text": "a text ('c', \"…\" or `…`)", "Name": "a name", "Word": "a word", "Size": "a size, as 64MiB",
	"TypeExpr": "a type", "Arg": "an argument", "Atom": "an argument", "Width": "a column and its width", "BinaryColumn": "a column and its width or form",
	"Field": "a column and its type", "Cell": "a column and its value", "Outcome": "{ a row }, reject or none",
	"EscapeRule": "an escape", "Rows": "group", "Group": "a symbol group, as Q='\"'", "State": "a state and its cells",
	"Symbols": "a symbol", "Entry": "a cell: a state and . d f or r, or !", "Action": "an action: . d f or r",
	"AtEOF": "states and ok, r or !", "SepAlt": `a separator, as ',' or '\t'`, "Item": "an item", "Definition": "a definition",
	"MultilineOption": "an option",
}

var ebnfWord = regexp.MustCompile(`"[^"]*"|<[a-z]+>|[A-Za-z]+`)

// wanted is the first thing of an EBNF expression, in words.
func wanted(expected string) string {
	var out []string
	if strings.HasPrefix(expected, "(") && strings.Contains(expected, " | ") {
		for _, alt := range strings.Split(strings.Trim(expected[:strings.IndexByte(expected+")", ')')], "() "), " | ") {
			out = append(out, wanted(alt))
		}
		return strings.Join(out, " or ")
	}
	w := ebnfWord.FindString(expected)
	switch {
	case w == "":
		return expected
	case w == "<ident>":
		return "a word"
	case w == "<number>":
		return "a number"
	case productions[w] != "":
		return productions[w]
	}
	return strings.Trim(w, `"`)
}
