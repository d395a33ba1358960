package expr

import (
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// Order is the columns that --sort asks for.
type Order struct {
	Pos  lexer.Position
	Keys []*OrderKey `parser:"@@ (','? @@)*"`
}

// OrderKey is a column to sort by.
type OrderKey struct {
	Pos       lexer.Position
	Of        *Operand `parser:"@@"`
	Direction string   `parser:"@('asc' | 'desc')?"`
	Nulls     string   `parser:"('nulls' @('first' | 'last'))?"`
}

var orderGrammar = sync.OnceValue(build[Order])

// orderWords are the words that are columns of an Order only in backquotes.
var orderWords = []string{"asc", "desc", "nulls", "first", "last"}

// ParseOrder reads an order.
func ParseOrder(src Source) (*Order, error) {
	if strings.TrimSpace(src.Text) == "" {
		return nil, src.faultf(lexer.Position{}, "it is empty; expected columns, as time, host desc")
	}
	o, err := parse(orderGrammar(), src)
	if err != nil {
		return nil, err
	}
	for _, k := range o.Keys {
		if n := k.Of.Name; n != nil && k.Of.Call == nil && slices.Contains(orderWords, *n) {
			as := ""
			if *n == "nulls" {
				as = ", as nulls first or nulls last"
			}
			return nil, src.faultf(k.Of.Pos, "%s comes behind a column%s; one that is called so is written in backquotes: `%s`", *n, as, *n)
		}
	}
	return o, nil
}
