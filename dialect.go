package dfaparse

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
)

// This file has the options that say how a delimited input is written. Beside
// Format("csv"), Format("csv_lax") or Format("tsv") they say what is different from these,
// and nothing is guessed. Without a format what they do not say is inferred, and types are
// those of the whole input (docs/inference.md). Another format says all of it itself.

// None, for WithQuote, WithEscape and WithComment, says that there is no such thing.
const None = infer.None

// Infer reads inputs that nobody has described, as the command does without -f: the built-in
// format that their content shows, or encoding, dialect, header and types of a delimited
// input are found out. Of inputs that are read by OpenReader and
// cannot be sought, types are those of what comes first.
func Infer() Option { return given("Infer", func(*infer.Given) {}) }

// WithSeparator says what separates fields, of one or several bytes.
func WithSeparator(text string) Option {
	return given("WithSeparator", func(g *infer.Given) { g.Separator = text })
}

// WithQuote says what fields are quoted by: one byte, or None.
func WithQuote(symbol string) Option {
	return given("WithQuote", func(g *infer.Given) { g.Quote = symbol })
}

// WithEscape says what stands before a quote in a field: one byte, or None where quotes
// are doubled.
func WithEscape(symbol string) Option {
	return given("WithEscape", func(g *infer.Given) { g.Escape = symbol })
}

// WithComment says what lines begin with that are no records, or None.
func WithComment(prefix string) Option {
	return given("WithComment", func(g *infer.Given) { g.Comment = prefix })
}

// WithHeader says of how many lines the header is, the last of which names the columns; 0
// for no header.
func WithHeader(nlines int) Option {
	text := strconv.Itoa(nlines)
	if nlines == 0 {
		text = None
	}
	return given("WithHeader", func(g *infer.Given) { g.Header = text })
}

// WithLineEnd says what ends lines: "lf", "crlf", "cr" or "any".
func WithLineEnd(name string) Option {
	return given("WithLineEnd", func(g *infer.Given) { g.LineEnd = name })
}

// WithNulls are the texts that stand for no value, in every column.
func WithNulls(texts ...string) Option {
	return given("WithNulls", func(g *infer.Given) { g.Nulls = texts })
}

// WithTypes gives columns types, written as in `id: u64, "at: noon": ts("%F %T")`, in the
// words of docs/spec.md. Columns of folders (WithHive) are among them; beside a format that says
// the types of its own they are the only ones.
func WithTypes(types string) Option {
	return func(s *settings) {
		parsed, err := infer.ParseTypes(types)
		if err != nil && s.wrong == nil {
			s.wrong = &OptionError{Option: "WithTypes", Reason: err.Error()}
		}
		given("WithTypes", func(g *infer.Given) { g.Types = append(g.Types, parsed...) })(s)
	}
}

// What becomes of a value that is not of the type that those before it have.
const (
	MisfitWiden = "widen" // the column gets a type that all values have: the default, of what can be read again
	MisfitFail  = "fail"  // the reading fails
	MisfitNull  = "null"  // the value is null
)

// WithMisfits says what becomes of values that are not of the type that the first rows
// have: MisfitWiden, MisfitFail or MisfitNull.
func WithMisfits(what string) Option {
	return given("WithMisfits", func(g *infer.Given) { g.Misfits = what })
}

// WithAllStrings infers no types. Beside a format that says its own it is of columns of folders
// (WithHive).
func WithAllStrings() Option {
	return given("WithAllStrings", func(g *infer.Given) { g.AllStrings = true })
}

// WithDecimal says what stands before fractions: "." or ",".
func WithDecimal(point string) Option {
	return given("WithDecimal", func(g *infer.Given) { g.Point = point })
}

// WithThousands says what stands between thousands: ",", ".", "'" or " ", or None.
func WithThousands(sign string) Option {
	return given("WithThousands", func(g *infer.Given) { g.Thousands = sign })
}

// WithLax takes quotes in odd places as they stand, short records with nulls, and long
// ones without what is too much.
func WithLax() Option { return given("WithLax", func(g *infer.Given) { g.Lax = true }) }

// WithEncoding is the encoding of the input, of any format, by a name that IANA has
// registered: UTF-16LE, ISO-8859-1, windows-1252; or auto, the one that each input's own
// beginning shows.
func WithEncoding(name string) Option { return func(s *settings) { s.encoding = name } }

func given(option string, set func(*infer.Given)) Option {
	return func(s *settings) {
		if s.given == nil {
			s.given = &infer.Given{}
		}
		set(s.given)
		s.said, s.dialect = option, s.dialect || option != "Infer"
	}
}

// optionOf are the options by the flags that errors name.
var optionOf = map[string]string{"quote": "WithQuote", "escape": "WithEscape", "header": "WithHeader", "eol": "WithLineEnd", "decimal": "WithDecimal", "thousands": "WithThousands"}

// checkGiven says what cannot be meant.
func (s *settings) checkGiven() error {
	if s.wrong != nil {
		return s.wrong
	}
	if s.encoding != "" {
		if err := input.KnownEncoding(s.encoding); err != nil {
			return &OptionError{Option: "WithEncoding", Reason: err.Error()}
		}
	}
	if s.given == nil {
		return nil
	}
	err := s.given.Check()
	if wrong := (*infer.GivenError)(nil); errors.As(err, &wrong) {
		return &OptionError{Option: optionOf[wrong.What], Reason: fmt.Sprintf("%s %s: want %s", wrong.What, wrong.Text, wrong.Want)}
	}
	if err != nil {
		return &OptionError{Option: "WithMisfits", Reason: err.Error()}
	}
	return nil
}
