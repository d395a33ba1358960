package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// escaping is how far an escape has been read.
type escaping uint8

const (
	unescaped escaping = iota
	afterLead          // the lead
	afterHex           // the lead and the letter of a hexadecimal number
	afterHex1          // and one digit
	afterOct1          // the lead and one octal digit
	afterOct2          // and another
)

func (e *Escape) check(where string) error {
	if e == nil {
		return nil
	}
	decodes := len(e.To) > 0 || e.Hex != 0 || e.Octal
	if e.Other == KeepBoth && decodes {
		return &Fault{Where: where, What: "an escape rule that decodes some symbols cannot keep the others as they are written",
			Hint: `let other symbols be an error, or drop the lead`}
	}
	if _, named := e.To[e.Hex]; named && e.Hex != 0 {
		return &Fault{Where: where, What: fmt.Sprintf("%q stands for a symbol and introduces a number", e.Hex)}
	}
	if e.Octal {
		for b := byte('0'); b <= '3'; b++ {
			if _, named := e.To[b]; named {
				return &Fault{Where: where, What: fmt.Sprintf("%q stands for a symbol and begins an octal number", b)}
			}
		}
	}
	return nil
}

// opens reports whether b begins an escape.
func (e *Escape) opens(b byte) bool { return e != nil && b == e.Lead }

// open is the emission of the lead.
func (e *Escape) open() dfa.Emission {
	if e.Other == KeepBoth {
		return data
	}
	return lead
}

// takes reports whether the rule allows b directly after the lead.
func (e *Escape) takes(b byte) bool {
	if _, ok := e.To[b]; ok {
		return true
	}
	return e.Other != FaultOther || e.Hex != 0 && b == e.Hex || e.Octal && b >= '0' && b <= '3'
}

// step reads b after the lead. ok is false where the rule does not allow b;
// complaint then says what it does allow.
func (e *Escape) step(at escaping, b byte) (next escaping, emit dfa.Emission, ok bool) {
	switch at {
	case afterLead:
		if to, named := e.To[b]; named {
			if to == b {
				return unescaped, data, true
			}
			return unescaped, dfa.Emission{Kind: dfa.Data, Sub: dfa.ByByte, Byte: to}, true
		}
		switch {
		case e.Hex != 0 && b == e.Hex:
			return afterHex, lead, true
		case e.Octal && b >= '0' && b <= '3':
			return afterOct1, lead, true
		case e.Other != FaultOther:
			return unescaped, data, true
		}
	case afterHex:
		if hexDigit(b) {
			return afterHex1, lead, true
		}
	case afterHex1:
		if hexDigit(b) {
			return unescaped, dfa.Emission{Kind: dfa.Data, Sub: dfa.ByHex}, true
		}
	case afterOct1:
		if b >= '0' && b <= '7' {
			return afterOct2, lead, true
		}
	case afterOct2:
		if b >= '0' && b <= '7' {
			return unescaped, dfa.Emission{Kind: dfa.Data, Sub: dfa.ByOctal}, true
		}
	}
	return at, dfa.Emission{}, false
}

func hexDigit(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

// complaint says what was expected at a symbol that step did not allow.
func (e *Escape) complaint(at escaping) string {
	switch at {
	case afterHex, afterHex1:
		return fmt.Sprintf("two hexadecimal digits must follow %q", []byte{e.Lead, e.Hex})
	case afterOct1, afterOct2:
		return fmt.Sprintf("three octal digits up to 377 must follow %q", e.Lead)
	}
	allowed := slices.Collect(maps.Keys(e.To))
	if e.Hex != 0 {
		allowed = append(allowed, e.Hex)
	}
	if e.Octal {
		allowed = append(allowed, "0123"...)
	}
	slices.Sort(allowed)
	return fmt.Sprintf("after %q only one of %q is an escape", e.Lead, allowed)
}

// Suffixes of state names and words, by escaping.
var (
	escapeNames = [...]string{"", "_ESC", "_HEX", "_HEX1", "_OCT1", "_OCT2"}
	escapeDocs  = [...]string{"", ", after an escape", ", in a hexadecimal escape", ", in a hexadecimal escape",
		", in an octal escape", ", in an octal escape"}
)
