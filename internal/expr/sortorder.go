package expr

import (
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/near"
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

// Check finds a column that is not in schema. One behind another may have been meant as the
// direction of that.
func (o *Order) Check(src Source, schema *arrow.Schema) error {
	for i, k := range o.Keys {
		err := src.Check(k.Of, schema)
		if err == nil {
			continue
		}
		if n := k.Of.Name; i > 0 && n != nil && k.Of.Call == nil {
			if meant := direction(*n); meant != "" {
				return src.faultf(k.Of.Pos, "there is no column %q, did you mean %q?", *n, meant)
			}
		}
		return err
	}
	return nil
}

// direction is asc or desc, if a word was probably meant to be one of them.
func direction(word string) string {
	for _, d := range []string{"asc", "desc"} {
		if strings.EqualFold(word, d+"ending") {
			return d
		}
	}
	return near.Word(word, []string{"desc", "asc"}) // dsc is as near to both
}
