package importer

import (
	"cmp"
	"slices"
	"strings"
)

// log-format of HAProxy: https://docs.haproxy.org/3.0/configuration.html#8.2.6. It is read as
// a configuration has it, blanks and quotes escaped or the whole in quotes, with the
// word log-format or without.

// haproxyFormats are those that HAProxy has words for.
var haproxyFormats = map[string]string{
	"httplog":  `%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r`,
	"httpslog": `%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r %[fc_err]/%[ssl_fc_err,hex]/%[ssl_c_err]/%[ssl_c_ca_err]/%[ssl_fc_is_resumed] %[ssl_fc_sni]/%sslv/%sslc`,
	"tcplog":   `%ci:%cp [%t] %ft %b/%s %Tw/%Tc/%Tt %B %ts %ac/%fc/%bc/%sc/%rc %sq/%bq`,
	"clf":      `%{+Q}o %{-Q}ci - - [%trg] %r %ST %B "" "" %cp %ms %ft %b %s %TR %Tw %Tc %Tr %Ta %tsc %ac %fc %bc %sc %rc %sq %bq %CC %CS %hrl %hsl`,
}

const (
	haproxyTime  = `ts("%d/%b/%Y:%T.%L")`
	haproxyZoned = `ts("%d/%b/%Y:%T %z")`
	haproxyTook  = "dur(ms)" // -1: it did not come to that
)

var haproxyFields = map[string]field{
	"ac": {name: "active_connections", typ: "u32"}, "fc": {name: "frontend_connections", typ: "u32"}, "bc": {name: "backend_connections", typ: "u32"},
	"sc": {name: "server_connections", typ: "u32"}, "rc": {name: "retries"}, "sq": {name: "server_queue", typ: "u32"}, "bq": {name: "backend_queue", typ: "u32"},
	"B": {name: "bytes_read", typ: "u64"}, "U": {name: "bytes_uploaded", typ: "u64"},
	"bi": {name: "backend_source_ip", typ: "ip"}, "bp": {name: "backend_source_port", typ: "u16"},
	"ci": {name: "client_ip", typ: "ip"}, "cp": {name: "client_port", typ: "u16"},
	"fi": {name: "frontend_ip", typ: "ip"}, "fp": {name: "frontend_port", typ: "u16"},
	"si": {name: "server_ip", typ: "ip"}, "sp": {name: "server_port", typ: "u16"},
	"b": {name: "backend"}, "f": {name: "frontend"}, "ft": {name: "frontend"}, "s": {name: "server"}, "H": {name: "hostname"},
	"CC": {name: "request_cookie"}, "CS": {name: "response_cookie"}, "hrl": {name: "request_headers"}, "hsl": {name: "response_headers"},
	"HM": {name: "method"}, "HP": {name: "path"}, "HPO": {name: "path"}, "HQ": {name: "query"}, "HU": {name: "uri"}, "HV": {name: "protocol"}, "r": {name: "request"},
	"ID": {name: "unique_id"}, "lc": {name: "log_counter", typ: "u64"}, "rt": {name: "request_counter", typ: "u64(hex)"}, "pid": {name: "pid", typ: "u32"}, "ms": {name: "milliseconds", typ: "u16"},
	"ST": {name: "status", typ: "u16"}, "ts": {name: "termination_state"}, "tsc": {name: "termination_state"}, "sslc": {name: "ssl_cipher"}, "sslv": {name: "ssl_version"},
	"t": {name: "time", typ: haproxyTime}, "tr": {name: "time", typ: haproxyTime},
	"T": {name: "time", typ: haproxyZoned}, "Tl": {name: "time", typ: haproxyZoned}, "trg": {name: "time", typ: haproxyZoned}, "trl": {name: "time", typ: haproxyZoned},
	"Ts": {name: "time", typ: "ts(epoch(s))"},
	"Ta": {name: "active_time", typ: haproxyTook}, "Tc": {name: "connect_time", typ: haproxyTook}, "Td": {name: "data_time", typ: haproxyTook}, "Th": {name: "handshake_time", typ: haproxyTook},
	"Ti": {name: "idle_time", typ: haproxyTook}, "Tq": {name: "client_time", typ: haproxyTook}, "TR": {name: "request_time", typ: haproxyTook}, "Tr": {name: "response_time", typ: haproxyTook},
	"Tt": {name: "total_time", typ: haproxyTook}, "Tu": {name: "user_time", typ: haproxyTook}, "Tw": {name: "wait_time", typ: haproxyTook},
}

// haproxyNames are the variables, the longest first.
var haproxyNames = func() []string {
	names := []string{"hr", "hs", "o"}
	for n := range haproxyFields {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return names
}()

// haproxyText is the format without what a configuration has around it.
func haproxyText(d *draft) (text string, origin []int) {
	src, at := strings.TrimRight(d.text, " \t\r\n"), 0
	if known, ok := haproxyFormats[strings.TrimSpace(src)]; ok {
		return known, make([]int, len(known)+1)
	}
	at = len(src) - len(strings.TrimLeft(src, " \t"))
	if rest, ok := strings.CutPrefix(src[at:], "log-format"); ok && strings.TrimLeft(rest, " \t") != rest {
		at = len(src) - len(strings.TrimLeft(rest, " \t"))
	}
	whole := len(src) > at+1 && (src[at] == '"' || src[at] == '\'') && src[len(src)-1] == src[at]
	if whole {
		at, src = at+1, src[:len(src)-1]
	}
	var b strings.Builder
	for ; at < len(src); at++ {
		if src[at] == '\\' && at+1 < len(src) && strings.IndexByte(` "\'`, src[at+1]) >= 0 {
			at++
		}
		b.WriteByte(src[at])
		origin = append(origin, at)
	}
	return b.String(), append(origin, len(src))
}

func readHaproxy(d *draft) {
	text, origin := haproxyText(d)
	quotes := false // %{+Q}o: all that follow are in quotes
	for at := 0; at < len(text); {
		if text[at] != '%' {
			d.literal(origin[at], text[at:at+1])
			at++
			continue
		}
		from, quoted := origin[at], quotes
		rest := text[at+1:]
		flags := ""
		if strings.HasPrefix(rest, "{") {
			var ok bool
			if flags, rest, ok = strings.Cut(rest[1:], "}"); !ok {
				d.fail(from, "this { is not closed")
				return
			}
			quoted = strings.Contains(flags, "+Q") || quotes && !strings.Contains(flags, "-Q")
			if strings.Contains(flags, "+E") {
				d.note(from, "+E: what is escaped is kept as it was written")
			}
		}
		f, name := field{}, ""
		switch {
		case strings.HasPrefix(rest, "%"):
			d.literal(from, "%")
			at = len(text) - len(rest) + 1
			continue
		case strings.HasPrefix(rest, "["):
			expr, after, ok := strings.Cut(rest[1:], "]")
			if !ok {
				d.fail(from, "this [ is not closed")
				return
			}
			f, rest = field{name: strings.Trim(snake(strings.NewReplacer(".", "_", "(", "_", ")", "", ",", "_").Replace(expr)), "_"), dash: true}, after
		default:
			i := slices.IndexFunc(haproxyNames, func(n string) bool { return strings.HasPrefix(rest, n) })
			if i < 0 {
				d.fail(from, "%s is no variable of HAProxy", clip(text[at:]))
				return
			}
			name, rest = haproxyNames[i], rest[len(haproxyNames[i]):]
			f = haproxyFields[name]
		}
		f.at = from
		switch {
		case name == "o":
			quotes = quoted
			rest = strings.TrimPrefix(rest, " ")
		case name == "hr" || name == "hs":
			// {a|b}, and nothing, not even the blank, where nothing is captured.
			if !strings.HasPrefix(rest, " ") {
				d.fail(from, "%%%s is followed by a space, or nothing tells whether it is there", name)
				return
			}
			rest = rest[1:]
			both := name == "hr" && strings.HasPrefix(rest, "%hs ")
			if both {
				rest = rest[len("%hs "):]
				d.note(from, "of %%hr and %%hs one that is there alone is taken for %%hr")
			}
			d.optional(from, func() {
				haproxyHeaders(d, from, name)
				if both {
					d.optional(from, func() {
						d.literal(from, " ")
						haproxyHeaders(d, from, "hs")
					})
				}
				d.literal(from, " ")
			})
		default:
			if name == "ci" && strings.HasPrefix(rest, ":") {
				d.note(from, "%%ci ends at the first colon: a record with an IPv6 address is rejected")
			}
			if name == "rc" {
				d.note(from, "%%rc is text, because it may begin with a plus")
			}
			if f.typ == haproxyTook || name == "ST" {
				f.modifiers = append(f.modifiers, nulls("-1"))
			}
			f.dash = f.dash || strings.HasPrefix(name, "C") || f.typ == "ip"
			if quoted {
				d.literal(from, `"`)
			}
			column := d.hole(f)
			if quoted {
				d.literal(from, `"`)
			}
			if name == "r" {
				defer d.splitRequest(column)
			}
		}
		at = len(text) - len(rest)
	}
}

// haproxyHeaders adds headers that were captured, in braces.
func haproxyHeaders(d *draft, at int, name string) {
	d.literal(at, "{")
	d.hole(field{at: at, name: map[string]string{"hr": "request_headers", "hs": "response_headers"}[name]})
	d.literal(at, "}")
}
