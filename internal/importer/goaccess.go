package importer

import (
	"regexp"
	"strings"
)

// log-format of GoAccess, with date-format, time-format and datetime-format, as
// https://goaccess.io/man has them: a format alone, or the lines of a configuration file.

// goaccessFormats are those that GoAccess knows by name: log-format, date-format, time-format.
var goaccessFormats = map[string][3]string{
	"COMBINED":  {`%h %^[%d:%t %^] "%r" %s %b "%R" "%u"`, "%d/%b/%Y", "%T"},
	"VCOMBINED": {`%v:%^ %h %^[%d:%t %^] "%r" %s %b "%R" "%u"`, "%d/%b/%Y", "%T"},
	"COMMON":    {`%h %^[%d:%t %^] "%r" %s %b`, "%d/%b/%Y", "%T"},
	"VCOMMON":   {`%v:%^ %h %^[%d:%t %^] "%r" %s %b`, "%d/%b/%Y", "%T"},
	"SQUID":     {`%^ %^ %^ %v %^: %x.%^ %~%L %h %^/%s %b %m %U`, "", "%s"},
}

var goaccessLine = regexp.MustCompile(`(?m)^[ \t]*(?:--)?(log|date|time|datetime)-format(?:[ \t]+|[ \t]*=[ \t]*)(.*)$`)

var goaccessFields = map[byte]field{
	'h': {name: "host"},
	'e': {name: "user", dash: true},
	'v': {name: "vhost"},
	'C': {name: "cache_status", dash: true},
	'r': {name: "request"},
	'm': {name: "method"},
	'U': {name: "path"},
	'q': {name: "query"},
	'H': {name: "protocol"},
	's': {name: "status", typ: "u16"},
	'b': {name: "bytes", typ: "u64", dash: true},
	'R': {name: "referer", dash: true},
	'u': {name: "agent", dash: true},
	'K': {name: "tls_version", dash: true},
	'k': {name: "tls_cipher", dash: true},
	'M': {name: "mime_type", dash: true},
	'D': {name: "duration", typ: "dur(us)"},
	'T': {name: "duration", typ: "dur(s)"},
	'L': {name: "duration", typ: "dur(ms)"},
	'n': {name: "duration", typ: "dur(ns)"},
}

func readGoaccess(d *draft) {
	text, base := strings.TrimRight(d.text, "\n"), 0
	date, clock, both := "%d/%b/%Y", "%T", ""
	if m := goaccessLine.FindAllStringSubmatchIndex(d.text, -1); m != nil {
		text = ""
		for _, at := range m {
			value := strings.TrimRight(d.text[at[4]:at[5]], " \t\r")
			switch d.text[at[2]:at[3]] {
			case "log":
				text, base = value, at[4]
			case "date":
				date = value
			case "time":
				clock = value
			default:
				both = value
			}
		}
		if text == "" {
			d.fail(-1, "there is no log-format")
			return
		}
	}
	if known, ok := goaccessFormats[strings.TrimSpace(text)]; ok {
		text, date, clock, base = known[0], known[1], known[2], -1
	}
	if both == "" {
		both = clock
	}
	text, places := goaccessText(text)
	origin := func(at int) int {
		if base < 0 {
			return 0
		}
		return base + places[at]
	}
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '~' && strings.HasPrefix(text[at:], "~h"):
			d.fail(origin(at), "~h{…}, a list of addresses of which one is the client's, is not known here")
			return
		case c != '%' || at+1 == len(text):
			d.literal(origin(at), text[at:at+1])
			at++
			continue
		}
		c := text[at+1]
		quoted := at > 0 && text[at-1] == '"' && strings.HasPrefix(text[at+2:], `"`)
		f, known := goaccessFields[c]
		switch f.at = origin(at); {
		case c == '%':
			d.literal(f.at, "%")
		case c == '^':
			d.hole(field{at: f.at})
		case c == '~':
			d.note(f.at, "%%~ may stand for no blank at all in GoAccess; here there is one or more")
			d.blanks(f.at)
		case c == 'x':
			d.moment(f.at, "time", both)
		case c == 'd' || c == 't':
			first, second, other := date, clock, "%t"
			if c == 't' {
				first, second, other = clock, date, "%d"
			}
			name := map[byte]string{'d': "date", 't': "time"}[c]
			if i := strings.IndexByte(text[at+2:]+"%", '%'); i > 0 && strings.HasPrefix(text[at+2+i:], other) {
				first += text[at+2:at+2+i] + second // one time stamp
				at += i + 2
				name = "time"
			}
			d.moment(f.at, name, first)
		case !known:
			d.fail(f.at, "%%%c is no specifier of GoAccess", c)
			return
		default:
			if quoted && f.typ == "" {
				f.rule = d.define("backslash", `escape backslash = '\' { other keep }`)
			}
			if name := d.hole(f); c == 'r' {
				defer d.splitRequest(name)
			}
		}
		at += 2
	}
	d.spec.Rest("rest")
	d.used["rest"] = true
}

// goaccessText is a format without the escapes of a configuration file, and where each
// byte comes from.
func goaccessText(src string) (text string, places []int) {
	var b strings.Builder
	for i := 0; i < len(src); i++ {
		places = append(places, i)
		c := src[i]
		if c == '\\' && i+1 < len(src) && strings.IndexByte(`"\t`, src[i+1]) >= 0 {
			if i++; src[i] == 't' {
				c = '\t'
			} else {
				c = src[i]
			}
		}
		b.WriteByte(c)
	}
	return b.String(), append(places, len(src))
}
