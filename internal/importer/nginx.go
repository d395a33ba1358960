package importer

import (
	"regexp"
	"strings"
)

// log_format of nginx: https://nginx.org/en/docs/http/ngx_http_log_module.html. It is
// read as a configuration has it, with the words log_format NAME and the quotes
// or without.

// nginxCombined is the format that nginx itself defines.
const nginxCombined = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`

// nginxFields are the variables whose columns are no text; those without dash are
// always there.
var nginxFields = map[string]field{
	"remote_addr":         {},
	"request":             {},
	"hostname":            {},
	"remote_port":         {typ: "u16", dash: true},
	"server_addr":         {typ: "ip", dash: true},
	"server_port":         {typ: "u16", dash: true},
	"status":              {typ: "u16"},
	"body_bytes_sent":     {typ: "u64"},
	"bytes_sent":          {typ: "u64"},
	"bytes_received":      {typ: "u64"},
	"request_length":      {typ: "u64"},
	"content_length":      {typ: "u64", dash: true},
	"connection":          {typ: "u64"},
	"connection_requests": {typ: "u32"},
	"connection_time":     {typ: "dur(s)"},
	"request_time":        {typ: "dur(s)"},
	"session_time":        {typ: "dur(s)"},
	"gzip_ratio":          {typ: "f64", dash: true},
	"pid":                 {typ: "u32"},
	"msec":                {typ: "ts(epoch(s))"},
	"time_local":          {typ: `ts("%d/%b/%Y:%H:%M:%S %z")`},
	"time_iso8601":        {typ: "ts"},
}

// nginxClient are variables that hold what clients send.
var nginxClient = regexp.MustCompile(`^(request|request_uri|uri|document_uri|args|query_string|arg_.*|http_.*|cookie_.*|remote_user)$`)

// nginxSeveral are variables with a value for each server that was asked.
var nginxSeveral = regexp.MustCompile(`^upstream_(.*_time|.*_length|bytes_.*|status)$`)

var (
	nginxVariable = regexp.MustCompile(`^\$(?:\{(\w+)\}|(\w+))`)
	nginxHead     = regexp.MustCompile(`^\s*(?:log_format\s+\S+\s+)?`)
	nginxEscape   = regexp.MustCompile(`^escape=(\w+)\s+`)
)

// nginxText is the format of a log_format, without quotes, how it is escaped, and where
// each byte comes from.
func nginxText(d *draft) (text, escape string, origin []int) {
	src, escape := strings.TrimRight(d.text, " \t\n"), "default"
	if strings.TrimSpace(src) == "combined" {
		return nginxCombined, escape, make([]int, len(nginxCombined)+1)
	}
	at := len(nginxHead.FindString(src))
	whole := strings.Contains(src[:at], "log_format")
	if m := nginxEscape.FindStringSubmatchIndex(src[at:]); m != nil {
		switch escape = src[at+m[2] : at+m[3]]; escape {
		case "default", "json", "none":
		default:
			d.fail(at+m[2], "escape is default, json or none")
		}
		at += m[1]
	}
	if !whole {
		if at < len(src) && src[at] != '\'' {
			for i := at; i < len(src); i++ {
				origin = append(origin, i)
			}
			return src[at:], escape, append(origin, len(src))
		}
	}
	var b strings.Builder
	add := func(i int, c byte) {
		b.WriteByte(c)
		origin = append(origin, i)
	}
	for at < len(src) {
		switch quote := src[at]; {
		case quote == ';':
			return b.String(), escape, append(origin, at)
		case strings.IndexByte(" \t\r\n", quote) >= 0:
			at++
		case quote == '\'' || quote == '"':
			open := at
			for at++; at < len(src) && src[at] != quote; at++ {
				if src[at] == '\\' && at+1 < len(src) && strings.IndexByte(`'"\`, src[at+1]) >= 0 {
					at++
				}
				add(at, src[at])
			}
			if at == len(src) {
				d.fail(open, "this quote is not closed")
			}
			at++
		default:
			for at < len(src) && strings.IndexByte(" \t\r\n;", src[at]) < 0 {
				add(at, src[at])
				at++
			}
		}
	}
	return b.String(), escape, append(origin, len(src))
}

func readNginx(d *draft) {
	text, escape, origin := nginxText(d)
	for at := 0; at < len(text); {
		if text[at] != '$' {
			n := strings.IndexByte(text[at:]+"$", '$')
			if text[at:at+n] == " - " { // a field of its own, so that spaces end fields
				d.literal(origin[at], " ")
				d.hole(field{at: origin[at+1]})
				d.literal(origin[at+2], " ")
				at += n
				continue
			}
			for i := range n {
				d.literal(origin[at+i], text[at+i:at+i+1])
			}
			at += n
			continue
		}
		m := nginxVariable.FindStringSubmatch(text[at:])
		if m == nil {
			d.fail(origin[at], "a variable has a name after the $")
			return
		}
		end := at + len(m[0])
		name := m[1] + m[2]
		f, known := nginxFields[name]
		f.at, f.name = origin[at], name
		f.dash = f.dash || !known && escape == "default"
		quoted := at > 0 && text[at-1] == '"' && end < len(text) && text[end] == '"'
		switch {
		case !quoted || f.typ != "":
			if nginxClient.MatchString(name) && name != "remote_user" {
				d.note(f.at, "$%s is not in quotes: it ends at the first place where the text after it stands, which it may hold itself", name)
			}
		case escape == "json":
			f.rule = d.json()
			d.note(-1, `a \u and four digits, which escape=json writes for control characters, makes a record one that cannot be read`)
		case escape == "none":
			d.note(f.at, "with escape=none $%s may hold a quote, and ends at it", name)
		case known && name != "request":
		default:
			f.rule = d.nginxDefault()
		}
		if nginxSeveral.MatchString(name) {
			d.note(f.at, "$%s may hold several values, with commas, colons and spaces between them: it is text", name)
			if end == len(text) {
				d.toEnd(f)
				return
			}
		}
		column := d.hole(f)
		if name == "request" && quoted {
			defer d.splitRequest(column)
		}
		at = end
	}
}
