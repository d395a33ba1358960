package gen

import "strconv"

// combined makes lines of httpd's LogFormat
// "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"".
type combined struct{ sec int64 } // since combinedStart

const combinedStart = 1431856800 // 2015-05-17 10:00:00 UTC, seconds since 1970

var months = []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}

func (c *combined) appendRecord(dst []byte, _ int64, r *rng) []byte {
	c.sec += int64(r.skewed(4))
	dst = appendHost(dst, r)
	dst = append(dst, " - "...)
	if r.oneIn(40) {
		dst = append(dst, pick(r, logUsers)...)
	} else {
		dst = append(dst, '-')
	}
	dst = append(dst, ' ', '[')
	sec := combinedStart + c.sec
	y, m, d := civil(int(sec / 86400))
	dst = append2(dst, d)
	dst = append(dst, '/')
	dst = append(dst, months[m-1]...)
	dst = append(dst, '/')
	dst = appendPadded(dst, y, 4)
	dst = append(dst, ':')
	dst = appendClock(dst, int(sec%86400))
	dst = append(dst, " +0000] \""...)

	status := pick(r, logStatus)
	if r.oneIn(2000) { // the client connected and said nothing
		dst = append(dst, `-" 408 - "-" "-"`...)
		return append(dst, '\n')
	}
	dst = append(dst, pick(r, logMethods)...)
	dst = append(dst, ' ')
	dst = appendPath(dst, r)
	dst = append(dst, " HTTP/1."...)
	dst = append(dst, "11110"[r.n(5)], '"', ' ')
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = append(dst, ' ')
	if status == 304 || status == 301 && r.oneIn(2) {
		dst = append(dst, '-')
	} else {
		dst = strconv.AppendInt(dst, int64(r.quantile(logBytes)), 10)
	}

	dst = append(dst, ' ', '"')
	switch r.n(5) {
	case 0, 1:
		dst = append(dst, '-')
	default:
		dst = append(dst, pick(r, logSites)...)
		dst = appendPath(dst, r)
	}
	dst = append(dst, '"', ' ', '"')
	dst = append(dst, pick(r, logAgents)...)
	if r.oneIn(300) { // httpd writes a quote of the client's as \"
		dst = append(dst, ` (\"`...)
		dst = append(dst, pick(r, logSlugs)...)
		dst = append(dst, `\" build)`...)
	}
	return append(dst, '"', '\n')
}

// appendHost appends an address; one in 16 is of version 6.
func appendHost(dst []byte, r *rng) []byte {
	bits := r.next()
	if bits>>60 == 0 {
		dst = append(dst, "2001:db8:"...)
		dst = strconv.AppendUint(dst, bits&0xfff, 16)
		dst = append(dst, ':', ':')
		return strconv.AppendUint(dst, bits>>12&0xffff|1, 16)
	}
	return appendIPv4(dst, bits)
}

// appendPath appends the path of a page or of a file, some with a query.
func appendPath(dst []byte, r *rng) []byte {
	dst = append(dst, '/')
	for range r.n(4) {
		dst = append(dst, pick(r, logSlugs)...)
		dst = append(dst, '/')
	}
	if r.n(3) > 0 {
		dst = append(dst, pick(r, logSlugs)...)
		dst = append(dst, pick(r, logSuffixes)...)
	}
	if r.oneIn(6) {
		dst = append(dst, "?q="...)
		dst = append(dst, pick(r, logSlugs)...)
		dst = append(dst, "&page="...)
		dst = strconv.AppendInt(dst, int64(r.skewed(200)), 10)
	}
	return dst
}

var (
	logUsers    = []string{"frank", "alice", "m.weber", "ops", "deploy-bot", "j_santos"}
	logMethods  = []string{"GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "GET", "POST", "POST", "HEAD", "OPTIONS"}
	logStatus   = []int{200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 206, 301, 302, 304, 304, 403, 404, 500}
	logBytes    = []int{0, 214, 650, 1900, 3638, 7500, 12300, 26900, 52000, 203023, 5400000}
	logSuffixes = []string{".html", ".png", ".jpg", ".css", ".js", ".ico", ".xml", ".php", "", ""}
	logSites    = []string{
		"http://www.example.com", "https://example.org", "http://search.example.net", "https://news.example.com",
		"http://localhost:8080", "https://m.example.org", "http://blog.example.net",
	}
	logSlugs = []string{
		"blog", "articles", "images", "projects", "static", "presentations", "kibana", "style2", "favicon", "robots",
		"reset", "index", "search", "geekery", "tags", "2015", "web", "xdotool", "dynamic-dns", "monitorama-2013", "files",
		"api", "v1", "users", "%20draft", "jquery-1.9.1", "screenshots", "admin", "wp-login", "feed", "en", "de", "a%2Fb",
	}
	logAgents = []string{
		"Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.107 Safari/537.36",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.77 Safari/537.36",
		"Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:27.0) Gecko/20100101 Firefox/27.0",
		"Mozilla/5.0 (Windows NT 6.1; rv:27.0) Gecko/20100101 Firefox/27.0",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 6_0 like Mac OS X) AppleWebKit/536.26 (KHTML, like Gecko) Version/6.0 Mobile/10A5376e Safari/8536.25",
		"Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0)",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
		"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
		"UniversalFeedParser/4.2-pre-314-svn +http://feedparser.org/",
		"Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.16",
		"Wget/1.13.4 (linux-gnu)", "curl/7.46.0", "python-requests/2.18.4", "-",
	}
)
