package expr

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar: each struct is a production and, once parsed, the node of it.

// Or is a test of a row: it holds if one of Any does.
type Or struct {
	Pos lexer.Position
	Any []*And `parser:"@@ ('or' @@)*"`
}

// And holds if all of All do.
type And struct {
	Pos lexer.Position
	All []*Not `parser:"@@ ('and' @@)*"`
}

// Not is a test, or what holds if it does not.
type Not struct {
	Pos  lexer.Position
	Not  *Not  `parser:"  'not' @@"`
	Test *Test `parser:"| @@"`
}

// Test is a test in parentheses, a comparison, or a column that is true or false.
type Test struct {
	Pos   lexer.Position
	Group *Or      `parser:"  '(' @@ ')'"`
	Left  *Operand `parser:"| @@"`
	Op    string   `parser:"  ( @('=' | '!=' | '<=' | '>=' | '<' | '>')"`
	Right *Operand `parser:"    @@"`
	Is    *Is      `parser:"  | @@ )?"`
}

// Is asks whether a value is there.
type Is struct {
	Pos lexer.Position
	Not bool `parser:"'is' @'not'? 'null'"`
}

// Operand is a literal, a function of operands, or a column.
type Operand struct {
	Pos    lexer.Position
	Text   *string `parser:"  @String"`
	Number *string `parser:"| @Number"`
	Quoted *string `parser:"| @Quoted"`
	Name   *string `parser:"| @Ident"`
	Call   *Call   `parser:"    @@?"`
}

// Call are the arguments of a function.
type Call struct {
	Pos  lexer.Position
	Args []*Operand `parser:"'(' (@@ (',' @@)*)? ')'"`
}

// List is the columns that --by or --agg asks for.
type List struct {
	Pos   lexer.Position
	Items []*Item `parser:"@@ (','? @@)*"`
}

// Item is one column, and what it shall be called.
type Item struct {
	Pos  lexer.Position
	Of   *Operand `parser:"@@"`
	Name *Operand `parser:"('as' @@)?"`
}

var tokens = sync.OnceValue(func() *lexer.StatefulDefinition {
	return lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Space", Pattern: `\s+`},
		{Name: "String", Pattern: `'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`},
		{Name: "Quoted", Pattern: "`[^`]+`"},
		{Name: "Number", Pattern: `[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?`},
		{Name: "Ident", Pattern: `[\p{L}_][\p{L}\p{N}_.]*`},
		{Name: "Op", Pattern: `!=|<=|>=|[=<>]`},
		{Name: "Mark", Pattern: `[(),]`},
	})
})

// The parsers are built when they are first needed, as those of package compile.
var (
	whereGrammar = sync.OnceValue(build[Or])
	listGrammar  = sync.OnceValue(build[List])
)

func build[P any]() *participle.Parser[P] {
	return participle.MustBuild[P](participle.Lexer(tokens()), participle.Elide("Space"), participle.UseLookahead(1))
}

// reserved are the words that are columns only in backquotes.
var reserved = []string{"and", "or", "not", "is", "null", "as"}

// Bounds of what is parsed: nobody writes more, and a parser that calls itself
// should not be led deep.
const (
	maxLength = 64 << 10
	maxDepth  = 200
)
