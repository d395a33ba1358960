package gen

import "strconv"

// haproxy makes lines of HAProxy's `option httplog`, without syslog's header.
type haproxy struct{ ms int64 } // since haproxyStart

const haproxyStart = 1740700800000 // 2025-02-28 00:00:00 UTC, milliseconds since 1970

func (h *haproxy) appendRecord(dst []byte, _ int64, r *rng) []byte {
	h.ms += int64(r.skewed(60))
	bits := r.next()
	dst = appendIPv4(dst, bits)
	dst = append(dst, ':')
	dst = strconv.AppendInt(dst, int64(1024+bits>>32%64000), 10)
	dst = append(dst, " ["...)
	at := haproxyStart + h.ms
	y, m, d := civil(int(at / 86400000))
	dst = append2(dst, d)
	dst = append(dst, '/')
	dst = append(dst, months[m-1]...)
	dst = append(dst, '/')
	dst = appendPadded(dst, y, 4)
	dst = append(dst, ':')
	dst = appendClock(dst, int(at/1000%86400))
	dst = append(dst, '.')
	dst = appendPadded(dst, int(at%1000), 3)
	dst = append(dst, "] "...)
	front := &proxies[r.skewed(len(proxies))]
	dst = append(dst, front.name...)
	dst = append(dst, ' ')
	dst = append(dst, pick(r, front.backends)...)
	dst = append(dst, '/')

	status, term := pick(r, logStatus), "----"
	request, queue, connect := r.skewed(30), 0, r.skewed(6)
	if r.oneIn(12) {
		queue = r.skewed(400)
	}
	answer := r.quantile(proxyAnswers)
	whole := request + queue + connect + answer + r.skewed(40)
	cookie, set := "-", "-"
	if front.cookie != "" && r.n(3) > 0 {
		cookie, term = front.cookie, "--VN"
		if r.oneIn(20) {
			cookie, set, term = "-", front.cookie, "--NI"
		}
	}
	nowhere := r.oneIn(300)
	switch {
	case nowhere: // no server took it
		dst = append(dst, "<NOSRV>"...)
		status, term, set = 503, "SC--", "-"
		queue, connect, answer = -1, -1, -1
	case r.oneIn(150): // the client went away
		status, term, answer = -1, "CD--", -1
		fallthrough
	default:
		dst = append(dst, front.server...)
		dst = strconv.AppendInt(dst, int64(1+r.n(12)), 10)
	}
	dst = append(dst, ' ')
	for i, v := range [...]int{request, queue, connect, answer, whole} {
		if i > 0 {
			dst = append(dst, '/')
		}
		dst = strconv.AppendInt(dst, int64(v), 10)
	}
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = append(dst, ' ')
	if nowhere {
		dst = append(dst, "212"...)
	} else {
		dst = strconv.AppendInt(dst, int64(r.quantile(logBytes)), 10)
	}
	for _, c := range [...]string{cookie, set} {
		dst = append(dst, ' ')
		if c == "-" {
			dst = append(dst, '-')
			continue
		}
		dst = append(dst, c...)
		dst = append(dst, '=')
		dst = appendHex(dst, r.next(), 4+r.n(9))
	}
	dst = append(dst, ' ')
	dst = append(dst, term...)
	all := 1 + r.skewed(900)
	of := min(all, 1+r.skewed(all))
	back := r.n(of + 1)
	for i, v := range [...]int{all, of, back, r.n(back + 1), r.skewed(4) / 3} {
		dst = append(dst, " ////"[i])
		dst = strconv.AppendInt(dst, int64(v), 10)
	}
	dst = append(dst, ' ')
	queued := 0
	if queue > 0 {
		queued = r.skewed(40)
	}
	dst = strconv.AppendInt(dst, int64(queued/2), 10)
	dst = append(dst, '/')
	dst = strconv.AppendInt(dst, int64(queued), 10)
	if front.captures {
		dst = append(dst, " {"...)
		dst = append(dst, pick(r, proxyHosts)...)
		dst = append(dst, '|')
		agent := pick(r, logAgents)
		dst = append(dst, agent[:min(len(agent), 16)]...) // `capture request header User-Agent len 16`
		dst = append(dst, "} {"...)
		if status == 200 {
			dst = append(dst, pick(r, proxyTypes)...)
		}
		dst = append(dst, '}')
	}
	dst = append(dst, ` "`...)
	dst = append(dst, pick(r, logMethods)...)
	dst = append(dst, ' ')
	dst = appendPath(dst, r)
	return append(dst, " HTTP/1.1\"\n"...)
}

type proxy struct {
	name, server, cookie string
	backends             []string
	captures             bool
}

var (
	proxies = []proxy{
		{"https-in~", "web", "SRVID", []string{"bk_shop", "bk_shop", "bk_static", "bk_search"}, true},
		{"api", "api-srv", "", []string{"api-v1", "api-v2"}, false},
		{"prod_http_in~", "node-", "JSESSIONID", []string{"bk_admin", "bk_portal", "bk_files"}, true},
		{"http-in", "s", "", []string{"redirects", "static"}, false},
	}
	proxyAnswers = []int{0, 1, 2, 4, 7, 12, 20, 37, 62, 110, 240, 1457, 9000}
	proxyHosts   = []string{"www.example.com", "example.org", "shop.example.com", "api.example.net", "m.example.org", "static.example.com"}
	proxyTypes   = []string{"text/html", "text/html", "font/woff2", "application/json", "image/png", "text/css", ""}
)

// appendIPv4 appends an address.
func appendIPv4(dst []byte, bits uint64) []byte {
	for k := range 4 {
		if k > 0 {
			dst = append(dst, '.')
		}
		dst = strconv.AppendUint(dst, bits>>(8*k)&0xff, 10)
	}
	return dst
}

// appendHex appends n hexadecimal digits.
func appendHex(dst []byte, bits uint64, n int) []byte {
	for k := range n {
		dst = append(dst, "0123456789abcdef"[bits>>(4*k)&15])
	}
	return dst
}
