package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// optionsAfter are the words of delimited that stand behind another one.
var optionsAfter = map[string]string{
	"doubled": `quote '"' doubled`, "max_lines": `quote '"' doubled max_lines 2`, "everywhere": `escape '\' everywhere`,
	"leading": `sep ' '+ leading`, "trailing": `sep ' '+ leading trailing`,
}

// unit is one of sizes, as other tools have it.
var unit = regexp.MustCompile(`^(?i:[kmgt]i?b?|b|bytes)$`)

// noItem says of a word what it might be where it is no item of b.
func (b block) noItem(word string, before lexer.Token) string {
	switch {
	case tokenNames()[before.Type] == "Number" && b.kind == "format" && unit.MatchString(word):
		return "; a size is a number with KiB, MiB or GiB right behind it, as 64MiB"
	case b.kind == "format" && slices.Contains(linesWords, word):
		return fmt.Sprintf("; it stands in delimited { … }, or beside a record in lines { %s … }", word)
	case b.kind == "format" && slices.Contains(delimitedWords, word):
		return fmt.Sprintf("; it stands in delimited { %s … }", word)
	case b.kind == "delimited" && optionsAfter[word] != "":
		return "; it stands behind another word, as in " + optionsAfter[word]
	case (b.kind == "delimited" || b.kind == "lines") && slices.Contains(itemWords, word):
		return fmt.Sprintf("; it stands in the format, behind the } of %s", b.kind)
	case b.kind == "delimited":
		words := slices.Clone(b.words)
		for option := range optionsAfter {
			words = append(words, option)
		}
		slices.Sort(words[len(b.words):])
		if meant := suggest(word, words); strings.Contains(meant, "did you mean") {
			return meant
		}
	}
	return suggest(word, b.words)
}

// slip says how something is written that other languages write as found is; toks
// are those before it.
func (b block) slip(found lexer.Token, toks []lexer.Token) string {
	last, kind := toks[len(toks)-1], tokenNames()[found.Type]
	columns := b.kind == "fields" || b.kind == "keyed"
	named := columns || b.kind == "fixed" || b.kind == "binary" || b.kind == "test row"
	switch {
	case named && (found.Value == ":" || found.Value == "=") && tokenNames()[last.Type] == "Ident":
		return fmt.Sprintf("; between %s and what belongs to it stands a blank, and no sign", last.Value)
	case columns && rangeBegins(append(slices.Clone(toks[max(len(toks)-4, 0):]), found)):
		return `; a range is written in 1..5, in 1.. or in ..5, and several with | between them`
	case named && (found.Value == "." || kind == "Number" && last.Value == "{"):
		return `; a name that is no word is written in quotes, as "a.b" or "2nd"`
	case columns && slices.Contains([]string{"nullable", "optional", "required", "not", "NOT"}, last.Value):
		return "; a column that is never null has a ! behind its type, one that the file need not have a ?"
	case b.kind == "fixed" && strings.HasPrefix(found.Value, "-"):
		return "; a column has its width, and no places: the next begins behind it, and _ 3 is a gap"
	case b.kind == "fixed" && kind == "Ident":
		return "; types stand in fields { … }"
	case found.Value == "-": // as in -- a comment
		return noSign('/')
	}
	return ""
}

// rangeBegins reports whether toks hold the in of a range, which is no column of that name.
func rangeBegins(toks []lexer.Token) bool {
	for i, t := range toks[:len(toks)-1] {
		next := toks[i+1]
		if t.Value == "in" && tokenNames()[next.Type] != "Ident" && next.Value != "}" && next.Value != "," {
			return true
		}
	}
	return false
}

// noSign says what those may have meant who write a sign that is none here.
func noSign(sign rune) string {
	switch sign {
	case '/':
		return "; a comment begins with #"
	case ';':
		return "; nothing ends an item, and a comma may stand between columns"
	case '[', ']', '<', '>':
		return "; what belongs to a type stands in ( ), as list(u16, sep ';')"
	case '%':
		return `; a layout is a text, as "%Y-%m-%d"`
	}
	return ""
}
