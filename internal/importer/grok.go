package importer

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/internal/near"
)

// Patterns of grok: regular expressions in which %{NAME:field} stands for a pattern that has
// a name. The named patterns here are lean: they say how far a field goes in one pass, and
// leave it to the type of the column whether it is an address, a number or a time.

// grokPattern is a pattern with a name.
type grokPattern struct {
	expr string
	typ  string // of a field of it, "" for text
}

// grokPatterns are the usual names.
var grokPatterns = map[string]grokPattern{
	"WORD": {`\w+`, ""}, "NOTSPACE": {`\S+`, ""}, "SPACE": {`\s*`, ""}, "DATA": {`.*?`, ""}, "GREEDYDATA": {`.*`, ""},
	"INT": {`[+-]?[0-9]+`, "i64"}, "POSINT": {`[0-9]+`, "u64"}, "NONNEGINT": {`[0-9]+`, "u64"}, "NUMBER": {`[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)`, "f64"},
	"BASE10NUM": {`[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)`, "f64"}, "BASE16NUM": {`[+-]?(?:0x)?[0-9A-Fa-f]+`, ""},
	"USERNAME": {`[a-zA-Z0-9._-]+`, ""}, "USER": {`[a-zA-Z0-9._-]+`, ""}, "EMAILADDRESS": {`[^\s@]+@[0-9A-Za-z._-]+`, ""}, "HTTPDUSER": {`[a-zA-Z0-9._@+-]+`, ""},
	"IP": {`[0-9A-Fa-f:.]+`, "ip"}, "IPV4": {`[0-9.]+`, "ip"}, "IPV6": {`[0-9A-Fa-f:.]+`, "ip"}, "MAC": {`[0-9A-Fa-f:.-]+`, ""},
	"HOSTNAME": {`[0-9A-Za-z_.-]+`, ""}, "IPORHOST": {`[0-9A-Za-z_.:-]+`, ""}, "HOST": {`[0-9A-Za-z_.-]+`, ""}, "HOSTPORT": {`[0-9A-Za-z_.-]+:[0-9]+`, ""},
	"UUID": {`[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}`, "uuid"}, "LOGLEVEL": {`[A-Za-z]+`, ""},
	"QS": {`"(?:[^"\\]|\\.)*"`, ""}, "QUOTEDSTRING": {`"(?:[^"\\]|\\.)*"`, ""},
	"PATH": {`[^\s"]+`, ""}, "UNIXPATH": {`/[^\s"]*`, ""}, "URI": {`[A-Za-z][A-Za-z0-9+.-]*://[^\s"]*`, ""}, "URIPATH": {`/[^\s"?]*`, ""}, "URIPARAM": {`\?[^\s"]*`, ""},
	"URIPATHPARAM": {`/[^\s"]*`, ""}, "PROG": {`[^\s\[\]:]+`, ""}, "JAVACLASS": {`[A-Za-z0-9_$.]+`, ""}, "JAVAFILE": {`[A-Za-z0-9_. -]+`, ""}, "CISCOMAC": {`[0-9A-Fa-f.]+`, ""},
	"MONTH": {`[A-Z][a-z]+`, ""}, "MONTHNUM": {`[0-9]{1,2}`, "u8"}, "MONTHDAY": {`[0-9]{1,2}`, "u8"}, "DAY": {`[A-Z][a-z]+`, ""}, "YEAR": {`[0-9]{2,4}`, "u16"},
	"HOUR": {`[0-9]{1,2}`, "u8"}, "MINUTE": {`[0-9]{2}`, "u8"}, "SECOND": {`[0-9]{1,2}(?:[.,][0-9]+)?`, ""}, "TIME": {`[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?`, ""},
	"TZ": {`[A-Z]{3,4}`, ""}, "ISO8601_TIMEZONE": {`Z|[+-][0-9]{2}:?[0-9]{2}`, ""},
	"DATE_US": {`[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{2,4}`, ""}, "DATE_EU": {`[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}`, ""}, "DATE": {`[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}`, ""},
	"TIMESTAMP_ISO8601": {`[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:?[0-9]{2}(?::?[0-9]{2}(?:[.,][0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?`, ""},
	"HTTPDATE":          {`[0-9]{2}/[A-Za-z]{3}/[0-9]{4}:[0-9]{2}:[0-9]{2}:[0-9]{2} [+-][0-9]{4}`, `ts("%d/%b/%Y:%H:%M:%S %z")`},
	"SYSLOGTIMESTAMP":   {`[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}`, `ts("%b %e %H:%M:%S")`},
	"SYSLOGHOST":        {`[0-9A-Za-z_.:-]+`, ""},
	"SYSLOGPROG":        {`%{PROG:program}(?:\[%{POSINT:pid}\])?`, ""},
	"SYSLOGBASE":        {`%{SYSLOGTIMESTAMP:timestamp} %{SYSLOGHOST:logsource} %{SYSLOGPROG}:`, ""},
	"COMMONAPACHELOG": {`%{IPORHOST:clientip} %{HTTPDUSER:ident} %{HTTPDUSER:auth} \[%{HTTPDATE:timestamp}\] ` +
		`"%{WORD:verb} %{NOTSPACE:request} HTTP/%{NUMBER:httpversion}" %{INT:response} (?P<bytes>[0-9]+|-)`, ""},
	"COMBINEDAPACHELOG": {`%{COMMONAPACHELOG} %{QS:referrer} %{QS:agent}`, ""},
}

// grokTypes are what a field can be converted to.
var grokTypes = map[string]string{"int": "i64", "long": "i64", "float": "f64", "double": "f64", "boolean": "bool", "string": "str"}

var grokUse = regexp.MustCompile(`%\{([A-Za-z0-9_]+)(?::([^:}]+))?(?::([a-z]+))?\}`)

// maxGrokDepth bounds patterns within patterns.
const maxGrokDepth = 8

func readGrok(d *draft) {
	g := &grokReader{draft: d, places: map[string]int{}, types: map[string]string{}}
	expr := g.expand(d.text, -1, 0)
	if d.failure != nil {
		return
	}
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		d.syntaxError(err, expr)
		return
	}
	r := &regexReader{draft: d, types: g.types, lenient: true, place: func(name string) int {
		if at, ok := g.places[name]; ok {
			return at
		}
		return strings.Index(d.text, "<"+name+">")
	}}
	if g.used {
		d.note(-1, "named patterns say here how far a field goes, and not all that a field may look like: what is no number or address is an error of the column's type")
	}
	r.read(re)
}

type grokReader struct {
	*draft
	places map[string]int    // of fields
	types  map[string]string // of fields
	used   bool
}

// expand puts the expressions of named patterns in their place; at is that of the pattern
// which text is part of, -1 for the description itself.
func (g *grokReader) expand(text string, at, depth int) string {
	var b strings.Builder
	last := 0
	for _, m := range grokUse.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[last:m[0]])
		last = m[1]
		part := func(i int) string {
			if m[i] < 0 {
				return ""
			}
			return text[m[i]:m[i+1]]
		}
		name, column, convert := part(2), part(4), part(6)
		here := at
		if here < 0 {
			here = m[0]
		}
		p, ok := grokPatterns[name]
		switch {
		case !ok:
			g.fail(here, "there is no pattern %s here; write it out, as (?<field>…)%s", name, nearest(name))
			return ""
		case depth == maxGrokDepth:
			g.fail(here, "patterns within patterns more than %d deep", maxGrokDepth)
			return ""
		}
		g.used = true
		expr := g.expand(p.expr, here, depth+1)
		if column == "" {
			b.WriteString("(?:" + expr + ")")
			continue
		}
		field := word(strings.Trim(strings.NewReplacer("][", "_", "[", "", "]", "").Replace(column), "_"))
		if field != column {
			g.note(here, "the column of %s is called %s", column, field)
		}
		base := field
		for n := 2; g.has(field); n++ {
			field = fmt.Sprintf("%s_%d", base, n)
		}
		g.places[field], g.types[field] = here, p.typ
		if convert != "" {
			if g.types[field] = grokTypes[convert]; g.types[field] == "" {
				g.fail(here, "%q is no type of grok", convert)
			}
		}
		b.WriteString("(?P<" + field + ">" + expr + ")")
	}
	b.WriteString(text[last:])
	return b.String()
}

// has reports whether there is a field of a name already.
func (g *grokReader) has(field string) bool {
	_, ok := g.places[field]
	return ok
}

// nearest suggests the name of a pattern.
func nearest(name string) string {
	var known []string
	for k := range grokPatterns {
		known = append(known, k)
	}
	slices.Sort(known)
	if meant := near.Word(name, known); meant != "" {
		return fmt.Sprintf("; did you mean %s?", meant)
	}
	return ""
}
