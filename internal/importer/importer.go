package importer

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/internal/near"
)

// Kind is one way in which other tools describe formats.
type Kind struct {
	Name    string
	What    string // the description that it reads, in a few words
	Example string

	read func(*draft)
}

// kinds are all of them, in the order in which they are listed.
var kinds = []Kind{
	{"apache", "Apache httpd: LogFormat", `%h %l %u %t "%r" %>s %b`, readApache},
	{"nginx", "nginx: log_format", nginxCombined, readNginx},
	{"dissect", "dissect, of Elasticsearch, Beats and Logstash", `%{ts} %{level} [%{thread}] %{message}`, readDissect},
	{"loki", "Grafana Loki: the pattern parser", `<ip> - - <_> "<method> <path> <_>" <status> <_>`, readLoki},
	{"goaccess", "GoAccess: log-format", `%h %^[%d:%t %^] "%r" %s %b "%R" "%u"`, readGoaccess},
	{"haproxy", "HAProxy: log-format", `%ci:%cp [%tr] %ft %b/%s %ST %B %{+Q}r`, readHaproxy},
	{"aws", "AWS: lists of ${field}, of VPC flow logs", `${version} ${srcaddr} ${dstaddr} ${action}`, readAWS},
	{"grok", "grok, of Logstash and others", `%{IPORHOST:client} %{WORD:method} %{NUMBER:bytes:int} %{GREEDYDATA:message}`, readGrok},
	{"regex", "regular expressions with named groups", `^(?P<ts>\S+) \[(?P<level>[A-Z]+)\] (?P<message>.*)$`, readRegex},
	{"options", "options of DuckDB's and Spark's readers of CSV", `delim='|', quote='"', header=true`, readOptions},
	{"frictionless", "Frictionless: Table Dialect and Table Schema, JSON", `{"fields": [{"name": "id", "type": "integer"}]}`, readFrictionless},
	{"csvw", "CSV on the Web: metadata, JSON", `{"url": "a.csv", "tableSchema": {"columns": [{"name": "id", "datatype": "integer"}]}}`, readCSVW},
}

// Kinds are the kinds that there are.
func Kinds() []Kind { return slices.Clone(kinds) }

// Names are their names.
func Names() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return names
}

// Cut takes KIND:TEXT apart; ok if there is such a kind.
func Cut(s string) (kind, text string, ok bool) {
	kind, text, ok = strings.Cut(s, ":")
	return kind, text, ok && slices.Contains(Names(), kind)
}

// Options are what a description itself does not say.
type Options struct {
	Name     string   // of the format; "" for that of the kind
	Continue []string // how further lines of a record begin
	Joiner   string   // dissect: what stands between the parts of a key that are put together
}

// Imported is a spec made of a description.
type Imported struct {
	Source []byte // the text of the spec
	Notes  []Note // what the spec does not say, in the order of the description

	joins map[string][]string // dissect: the columns that a key is put together of
}

// Note is something that a description means and its spec does not say.
type Note struct {
	Kind    string
	Place   string // line:column of the description, "" for all of it
	Message string
}

// String is "apache:1:5: message".
func (n Note) String() string { return placed(n.Kind, n.Place) + n.Message }

func placed(kind, place string) string {
	if place != "" {
		kind += ":" + place
	}
	return kind + ": "
}

// Error is why no spec can be made of a description.
type Error struct {
	Kind    string
	Text    string // the description
	At      int    // the byte of Text that it is about; -1: all of it
	Message string
}

// Error is "apache:1:5: message".
func (e *Error) Error() string {
	place := ""
	if e.At >= 0 {
		place = placeOf(e.Text, e.At)
	}
	return placed(e.Kind, place) + e.Message
}

// placeOf is line:column of a byte, both from 1, columns in code points.
func placeOf(text string, at int) string {
	before := text[:min(at, len(text))]
	line := strings.LastIndexByte(before, '\n') + 1
	return fmt.Sprintf("%d:%d", 1+strings.Count(before, "\n"), 1+utf8.RuneCountInString(before[line:]))
}

// Import makes a spec of a description. An error is an *Error.
func Import(kind, text string, o Options) (*Imported, error) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == kind })
	if i < 0 {
		msg := fmt.Sprintf("nothing is known of %q; the kinds are %s", kind, strings.Join(Names(), ", "))
		if meant := near.Word(kind, Names()); meant != "" {
			msg = fmt.Sprintf("nothing is known of %q; did you mean %q?", kind, meant)
		}
		return nil, &Error{Kind: "import", Text: text, At: -1, Message: msg}
	}
	d := newDraft(&kinds[i], text, o)
	return d.finish()
}
