package importer

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
)

// LogFormat of Apache httpd: https://httpd.apache.org/docs/2.4/mod/mod_log_config.html,
// with the items of mod_logio. It is read as a configuration has it, quotes escaped or
// not, with the word LogFormat and a nickname or without; a nickname that httpd's
// own configuration defines stands for its format.

// apacheNicknames are the formats of httpd's own configuration.
var apacheNicknames = map[string]string{
	"common":         `%h %l %u %t "%r" %>s %b`,
	"combined":       `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`,
	"combinedio":     `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %I %O`,
	"vhost_common":   `%v %h %l %u %t "%r" %>s %b`,
	"vhost_combined": `%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i"`,
}

// apacheItem is text or a directive of a LogFormat.
type apacheItem struct {
	at          int
	text        string // of text
	code        string // of a directive: its letters
	arg         string // in braces
	conditional bool   // %400,501{…}i: else a dash is written
	layout      string // of a %{…}t, several that follow each other as one
}

// apacheText takes escapes off, and gives where each byte comes from.
func apacheText(d *draft) (text string, origin []int) {
	src, base := d.text, 0
	if known, ok := apacheNicknames[strings.TrimSpace(src)]; ok {
		return known, make([]int, len(known)+1)
	}
	trimmed := strings.TrimLeft(src, " \t\n")
	word := "logformat"
	whole := len(trimmed) > len(word) && strings.EqualFold(trimmed[:len(word)], word)
	if whole {
		base = strings.IndexAny(src, `"'`)
		if base < 0 {
			d.fail(0, `after LogFormat the format stands in quotes`)
			return "", nil
		}
		base++
	}
	src = strings.TrimRight(src, "\n")
	var b strings.Builder
	for i := base; i < len(src); i++ {
		c := src[i]
		switch {
		case whole && c == src[base-1]:
			return b.String(), append(origin, i)
		case c == '\\' && i+1 < len(src) && strings.IndexByte(`"\'nt`, src[i+1]) >= 0:
			i++
			if c = src[i]; c == 'n' {
				d.fail(i-1, "a line end in the format: a record would have several lines")
			} else if c == 't' {
				c = '\t'
			}
			b.WriteByte(c)
			origin = append(origin, i-1)
		default:
			b.WriteByte(c)
			origin = append(origin, i)
		}
	}
	if whole {
		d.fail(base-1, "this quote is not closed")
	}
	return b.String(), append(origin, len(src))
}

var apacheDirective = regexp.MustCompile(`^%(!?[0-9]{3}(?:,[0-9]{3})*)?[<>]?(?:\{([^}]*)\})?(\^t[io]|[%aABbCDefhHiklLmnopPqrRsStTuUvVXIO])`)

func apacheItems(d *draft) (items []apacheItem) {
	text, origin := apacheText(d)
	for at := 0; at < len(text); {
		if text[at] != '%' {
			n := strings.IndexByte(text[at:]+"%", '%')
			items = append(items, apacheItem{at: origin[at], text: text[at : at+n]})
			at += n
			continue
		}
		m := apacheDirective.FindStringSubmatch(text[at:])
		switch {
		case m == nil:
			d.fail(origin[at], "%s is no directive of LogFormat", clip(text[at:]))
			return nil
		case m[3] == "%":
			items = append(items, apacheItem{at: origin[at], text: "%"})
		default:
			items = append(items, apacheItem{at: origin[at], code: m[3], arg: m[2], conditional: m[1] != ""})
		}
		at += len(m[0])
	}
	return items
}

// clip is the start of a text, as messages show it.
func clip(s string) string {
	if i := strings.IndexAny(s, " \t\n\"]"); i > 0 {
		s = s[:i]
	}
	r := []rune(s)
	return string(r[:min(len(r), 24)])
}

// apacheMoment is a %{…}t as part of a layout; whole: it stands alone, with this type.
func apacheMoment(arg string) (layoutPart, whole string) {
	arg = strings.TrimPrefix(strings.TrimPrefix(arg, "begin:"), "end:")
	switch arg {
	case "sec":
		return "", "ts(epoch(s))"
	case "msec":
		return "", "ts(epoch(ms))"
	case "usec":
		return "", "ts(epoch(us))"
	case "msec_frac":
		return "%L", ""
	case "usec_frac":
		return "%f", ""
	}
	return arg, ""
}

// apacheMoments makes one time of %{…}t items with text between them, where together
// they are one: [%{%F %T}t.%{usec_frac}t %{%z}t].
func apacheMoments(items []apacheItem) []apacheItem {
	isPart := func(i int) bool {
		if i >= len(items) || items[i].code != "t" || items[i].arg == "" {
			return false
		}
		_, whole := apacheMoment(items[i].arg)
		return whole == ""
	}
	for i := 0; i < len(items); i++ {
		if !isPart(i) {
			continue
		}
		joined, _ := apacheMoment(items[i].arg)
		end := i + 1
		for {
			between, next := "", end
			if next < len(items) && items[next].code == "" {
				between, next = strings.ReplaceAll(items[next].text, "%", "%%"), next+1
			}
			if !isPart(next) {
				break
			}
			part, _ := apacheMoment(items[next].arg)
			if overlap(joined, part) {
				break
			}
			joined, end = joined+between+part, next+1
		}
		items[i].layout = joined
		items = slices.Delete(items, i+1, end)
	}
	return items
}

// overlap reports whether two layouts say the same part of a time.
func overlap(a, b string) bool {
	parts := func(s string) (set map[string]bool) {
		set = map[string]bool{}
		for i := 0; i+1 < len(s); i++ {
			if s[i] != '%' {
				continue
			}
			i++
			for _, part := range strings.Fields(timeMeans[s[i]]) {
				set[part] = true
			}
		}
		return set
	}
	of := parts(a)
	for p := range parts(b) {
		if of[p] {
			return true
		}
	}
	return false
}

// timeMeans are the parts of a time that a directive of strftime says.
var timeMeans = map[byte]string{
	'Y': "year", 'y': "year", 'm': "month", 'b': "month", 'B': "month", 'h': "month", 'd': "day", 'e': "day", 'j': "day",
	'F': "year month day", 'D': "year month day", 'H': "hour", 'I': "hour", 'M': "minute", 'S': "second", 'T': "hour minute second",
	'R': "hour minute", 'r': "hour minute second half", 'p': "half", 'L': "fraction", 'f': "fraction", 'z': "zone", 'Z': "zone", 's': "year month day hour minute second",
	'a': "weekday", 'A': "weekday",
}

// apacheFields are the columns of directives without an argument.
var apacheFields = map[string]field{
	"a": {name: "client_ip", typ: "ip"},
	"A": {name: "local_ip", typ: "ip"},
	"B": {name: "bytes", typ: "u64"},
	"b": {name: "bytes", typ: "u64", dash: true},
	"D": {name: "duration", typ: "dur(us)"},
	"T": {name: "duration", typ: "dur(s)"},
	"f": {name: "file", dash: true},
	"h": {name: "host"},
	"H": {name: "protocol"},
	"k": {name: "keepalive_requests", typ: "u32"},
	"l": {name: "ident", dash: true},
	"L": {name: "log_id", dash: true},
	"m": {name: "method"},
	"p": {name: "port", typ: "u16"},
	"P": {name: "pid", typ: "u32"},
	"q": {name: "query"},
	"r": {name: "request"},
	"R": {name: "handler", dash: true},
	"s": {name: "status", typ: "u16", modifiers: []*compile.Modifier{nulls("-")}},
	"u": {name: "user", dash: true},
	"U": {name: "path"},
	"v": {name: "vhost"},
	"V": {name: "server_name"},
	"X": {name: "connection", typ: `enum("X" "+" "-")`},
	"I": {name: "bytes_in", typ: "u64"},
	"O": {name: "bytes_out", typ: "u64"},
	"S": {name: "bytes_total", typ: "u64"},
}

// headerNames are the columns of the request headers that every access log has.
var headerNames = map[string]string{"referer": "referer", "user-agent": "agent"}

// apacheNamed are the directives that name something, and what their columns begin with.
var apacheNamed = map[string]string{"i": "", "o": "response_", "C": "cookie_", "e": "env_", "n": "note_", "^ti": "trailer_", "^to": "response_trailer_"}

// apacheArguments are columns of directives with an argument that is one of few.
var apacheArguments = map[string]map[string]field{
	"a": {"c": {name: "peer_ip", typ: "ip"}},
	"h": {"c": {name: "peer_host"}},
	"p": {"canonical": {name: "port", typ: "u16"}, "local": {name: "local_port", typ: "u16"}, "remote": {name: "remote_port", typ: "u16"}},
	"P": {"pid": {name: "pid", typ: "u32"}, "tid": {name: "thread", typ: "u64"}, "hextid": {name: "thread", typ: "u64(hex)"}},
	"T": {"s": {name: "duration", typ: "dur(s)"}, "ms": {name: "duration", typ: "dur(ms)"}, "us": {name: "duration", typ: "dur(us)"}},
	"L": {"c": {name: "connection_log_id", dash: true}},
}

func readApache(d *draft) {
	items := apacheMoments(apacheItems(d))
	for i, it := range items {
		if it.code == "" {
			d.literal(it.at, it.text)
			continue
		}
		quoted := i > 0 && i+1 < len(items) && strings.HasSuffix(items[i-1].text, `"`) && strings.HasPrefix(items[i+1].text, `"`)
		if it.code == "t" {
			apacheTime(d, it)
			continue
		}
		f, ok := apacheFields[it.code]
		if prefix, named := apacheNamed[it.code]; named {
			if it.arg == "" {
				d.fail(it.at, "%%%s wants a name in braces, as in %%{Referer}i", it.code)
				return
			}
			f, ok = field{name: prefix + snake(it.arg), dash: true}, true
			if known := headerNames[strings.ToLower(it.arg)]; known != "" && it.code == "i" {
				f.name = known
			}
		} else if it.arg != "" {
			if f, ok = apacheArguments[it.code][it.arg]; !ok {
				d.fail(it.at, "%%{%s}%s is not known", it.arg, it.code)
				return
			}
		}
		if !ok {
			d.fail(it.at, "%%%s is not known", it.code)
			return
		}
		f.at = it.at
		f.dash = f.dash || it.conditional
		_, named := apacheNamed[it.code]
		switch client := named || strings.Contains("rf", it.code); {
		case quoted && (client || strings.Contains("uUqmH", it.code)):
			f.rule = d.clf()
		case client:
			d.note(it.at, "%%%s is not in quotes: it ends at the first place where the text after it stands, which it may hold itself", braced(it))
		}
		name := d.hole(f)
		if it.code == "r" && quoted {
			defer d.splitRequest(name)
		}
	}
}

// braced is a directive as it was written, without its %.
func braced(it apacheItem) string {
	if it.arg == "" {
		return it.code
	}
	return "{" + it.arg + "}" + it.code
}

// apacheTime adds a %t, which writes brackets, or a %{…}t, which does not.
func apacheTime(d *draft, it apacheItem) {
	switch _, whole := apacheMoment(it.arg); {
	case it.arg == "":
		d.literal(it.at, "[")
		d.hole(field{at: it.at, name: "time", typ: `ts("%d/%b/%Y:%H:%M:%S %z")`})
		d.literal(it.at, "]")
	case whole != "":
		d.hole(field{at: it.at, name: "time", typ: whole})
	default:
		d.moment(it.at, "time", it.layout)
	}
}

// moment adds a field with a layout of strftime, as text where it cannot be said.
func (d *draft) moment(at int, name, format string) {
	text, _, why := layout(format)
	typ := timeType(text)
	switch {
	case why != "":
		d.note(at, "%s: %s is text", why, name)
	case typ == "":
		d.note(at, "the time format %q says neither a day nor a time of day: %s is text", format, name)
	}
	d.hole(field{at: at, name: name, typ: typ})
}
