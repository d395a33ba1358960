package dfa

import (
	"fmt"
	"strings"
)

func (k TypeKind) String() string {
	if int(k) >= NTypeKinds {
		return fmt.Sprintf("type(%d)", k)
	}
	return typeWords[k].Dump
}

func (u Unit) String() string { return nameOf([]string{"us", "s", "ms", "ns"}, int(u), "unit") }

func (d Duplicates) String() string {
	return nameOf([]string{"error", "first", "last", "list"}, int(d), "policy")
}

func (e Encoding) String() string {
	return nameOf([]string{"raw", "hex", "base64"}, int(e), "encoding")
}

// joined is how the rows become names.
func (h *Header) joined() string {
	if !h.Joined {
		return ""
	}
	return fmt.Sprintf(" joined %q", h.Between)
}

func (m HeaderMode) String() string {
	return nameOf([]string{"none", "skip", "names"}, int(m), "header")
}

// String is s as a spec says it.
func (s SkippedLines) String() string {
	switch {
	case len(s.Until) > 0:
		return "until " + quoteAll(s.Until)
	case len(s.Prefixes) > 0:
		return quoteAll(s.Prefixes)
	case s.Lines == 1:
		return "1 line"
	}
	return fmt.Sprintf("%d lines", s.Lines)
}

func (a DirectiveAction) String() string {
	return nameOf([]string{"ignore", "schema"}, int(a), "action")
}

func (r Ragged) String() string {
	return nameOf([]string{"error", "pad", "truncate", "pad truncate"}, int(r), "ragged")
}

func (m ErrorMode) String() string {
	return nameOf(errorModeNames[:], int(m), "mode")
}

func (p UTF8Policy) String() string {
	return nameOf(utf8PolicyNames[:], int(p), "policy")
}

func nameOf(names []string, i int, what string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", what, i)
}

// String is the type with those of its options that are set, as in text dumps:
// `timestamp unit=ms layout="%F %T"`. The automaton of a list or map is left
// out.
func (t *Type) String() string {
	s := t.Kind.String()
	if t.Kind == Decimal {
		s += fmt.Sprintf("(%d,%d)", t.Precision, t.Scale)
	}
	if t.Elem != nil && (t.Kind == List || t.Kind == Map) {
		s += "(" + t.Elem.String() + ")"
	}
	add := func(set bool, format string, arg any) {
		if set {
			s += fmt.Sprintf(" "+format, arg)
		}
	}
	add(t.Unit != 0, "unit=%s", t.Unit)
	add(t.Encoding != 0, "encoding=%s", t.Encoding)
	add(t.Layout != "", "layout=%q", t.Layout)
	add(t.Epoch, "epoch=%s", t.CountUnit)
	for _, f := range t.Or {
		add(f.Epoch, "or epoch=%s", f.CountUnit)
		add(!f.Epoch, "or layout=%q", f.Layout)
	}
	add(t.Kind == Duration && t.Layout == "", "counts=%s", t.CountUnit)
	for _, of := range []struct {
		what  string
		names []string
	}{{"months", t.Names.Months}, {"short months", t.Names.ShortMonths}, {"weekdays", t.Names.Weekdays}, {"short weekdays", t.Names.ShortWeekdays}} {
		add(len(of.names) > 0, of.what+"=%s", quoteAll(of.names))
	}
	for _, z := range t.Names.Zones {
		add(true, "%s", fmt.Sprintf("%q=%+ds", z.Name, z.Offset))
	}
	add(t.Zone != "", "zone=%q", t.Zone)
	add(t.NoZone, "zone=%s", "none")
	add(t.Bytes, "as=%s", "bytes")
	add(t.Year != 0, "year=%d", t.Year)
	add(len(t.True) > 0, "true=%s", quoteAll(t.True))
	add(len(t.False) > 0, "false=%s", quoteAll(t.False))
	add(len(t.Tokens) > 0, "tokens=%s", quoteAll(t.Tokens))
	add(t.Thousands != 0, "thousands=%s", FormatSymbol(t.Thousands))
	add(t.Point != 0, "point=%s", FormatSymbol(t.Point))
	add(t.Base16, "base=%d", 16)
	add(t.Implied, "point=%s", "implied")
	add(t.Size != 0, "size=%d", t.Size)
	for _, r := range t.In {
		add(true, "in=%q", r)
	}
	add(t.Duplicates != 0, "duplicates=%s", t.Duplicates)
	return s
}

func quoteAll(words []string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(q, ",")
}
