package gen

import "strconv"

const logStart = 1746057600000000 // 2025-05-01 00:00:00 UTC, microseconds since 1970

// clock is the time of a log: it goes on by up to so many microseconds a line.
type clock struct{ us int64 }

func (c *clock) next(r *rng, step int) int64 {
	c.us += int64(r.skewed(step))
	return logStart + c.us
}

// syslog makes lines of /var/log/syslog, RFC 3164.
type syslog struct{ clock }

func (s *syslog) appendRecord(dst []byte, _ int64, r *rng) []byte {
	at := s.next(r, 2_000_000)
	_, m, d := civil(int(at / 86400e6))
	dst = append(dst, months[m-1]...)
	dst = append(dst, ' ')
	if d < 10 {
		dst = append(dst, ' ')
	}
	dst = strconv.AppendInt(dst, int64(d), 10)
	dst = append(dst, ' ')
	dst = appendClock(dst, int(at/1e6%86400))
	dst = append(dst, ' ')
	dst = append(dst, pick(r, syslogHosts)...)
	dst = append(dst, ' ')
	p := &syslogDaemons[r.skewed(len(syslogDaemons))]
	dst = append(dst, p.tag...)
	if p.pid {
		dst = append(dst, '[')
		dst = strconv.AppendInt(dst, int64(1+r.quantile(processIDs)), 10)
		dst = append(dst, ']')
	}
	dst = append(dst, ": "...)
	dst = appendMessage(dst, pick(r, p.messages), r)
	return append(dst, '\n')
}

// java makes lines of Log4j; with traces some go on.
type java struct {
	clock
	traces bool
}

func (j *java) appendRecord(dst []byte, _ int64, r *rng) []byte {
	at := j.next(r, 40_000)
	dst = appendDateTime(dst, at/1e6)
	dst = append(dst, ',')
	dst = appendPadded(dst, int(at/1000%1000), 3)
	dst = append(dst, ' ')
	level := pick(r, javaLevels)
	dst = append(dst, level...)
	dst = append(dst, " ["...)
	thread := pick(r, javaThreads)
	dst = append(dst, thread...)
	if thread[len(thread)-1] == '-' {
		dst = strconv.AppendInt(dst, int64(1+r.n(64)), 10)
	}
	dst = append(dst, "] "...)
	dst = append(dst, pick(r, javaPackages)...)
	dst = append(dst, pick(r, javaClasses)...)
	dst = append(dst, " - "...)
	dst = appendMessage(dst, pick(r, javaMessages), r)
	dst = append(dst, '\n')
	if !j.traces || level != "ERROR" && !r.oneIn(60) {
		return dst
	}
	for cause := range 1 + r.skewed(3) {
		if cause > 0 {
			dst = append(dst, "Caused by: "...)
		}
		dst = append(dst, pick(r, javaExceptions)...)
		dst = append(dst, ": "...)
		dst = appendMessage(dst, pick(r, javaMessages), r)
		dst = append(dst, '\n')
		for range 2 + r.skewed(24) {
			dst = append(dst, "\tat "...)
			dst = append(dst, pick(r, javaPackages)...)
			class := pick(r, javaClasses)
			dst = append(dst, class...)
			dst = append(dst, '.')
			dst = append(dst, pick(r, javaMethods)...)
			dst = append(dst, '(')
			dst = append(dst, class...)
			dst = append(dst, ".java:"...)
			dst = strconv.AppendInt(dst, int64(1+r.skewed(1500)), 10)
			dst = append(dst, ")\n"...)
		}
	}
	return dst
}

// auditd makes lines of the audit daemon of Linux.
type auditd struct {
	clock
	serial int64
	left   int // records of this event that are still to come
}

func (a *auditd) appendRecord(dst []byte, _ int64, r *rng) []byte {
	if a.left == 0 {
		a.next(r, 700_000)
		a.serial++
		a.left = 1 + r.n(4)
	}
	a.left--
	k := pick(r, auditKinds)
	dst = append(dst, "type="...)
	dst = append(dst, k.name...)
	dst = append(dst, " msg=audit("...)
	at := logStart + a.us
	dst = strconv.AppendInt(dst, at/1e6, 10)
	dst = append(dst, '.')
	dst = appendPadded(dst, int(at/1000%1000), 3)
	dst = append(dst, ':')
	dst = strconv.AppendInt(dst, 2995+a.serial, 10)
	dst = append(dst, "): "...)
	dst = appendMessage(dst, k.text, r)
	return append(dst, '\n')
}

// movements makes lines of 72 symbols: id, account, day, kind, text, amount.
type movements struct{}

func (movements) appendRecord(dst []byte, i int64, r *rng) []byte {
	id := strconv.AppendInt(nil, 1+i, 10)
	dst = append(dst, "0000000000"[:10-len(id)]...)
	dst = append(dst, id...)
	dst = append(dst, pick(r, []string{"DE", "AT", "NL", "FR"})...)
	for bits, k := r.next(), 0; k < 10; k++ {
		dst = append(dst, byte('0'+bits>>(6*k)&63%10))
	}
	y, m, d := civil(19723 + int(i/4000)) // from 2024-01-01
	dst = appendPadded(dst, y, 4)
	dst = append2(append2(dst, m), d)
	dst = append(dst, pick(r, []string{"DD  ", "CT  ", "CT  ", "CARD", "CARD", "CARD", "FEE "})...)
	dst = appendField(dst, pick(r, movementTexts), 25, false)
	cents := r.quantile(movementCents)
	if r.n(3) > 0 {
		cents = -cents
	}
	return append(appendField(dst, string(appendCents(nil, cents)), 12, true), '\n')
}

// appendField appends text with spaces up to width, in front of it if it stands on the right.
func appendField(dst []byte, text string, width int, right bool) []byte {
	const spaces = "                         "
	text = text[:min(len(text), width)]
	if right {
		return append(append(dst, spaces[:width-len(text)]...), text...)
	}
	return append(append(dst, text...), spaces[:width-len(text)]...)
}

// postgres makes lines of PostgreSQL's log, some of which go on.
type postgres struct {
	clock
	failed string // the statement that the line before complains of
	pid    int
}

func (p *postgres) appendRecord(dst []byte, _ int64, r *rng) []byte {
	if p.failed == "" {
		p.next(r, 900_000)
		p.pid = 300 + r.quantile(processIDs)
	}
	at := logStart + p.us
	dst = appendDateTime(dst, at/1e6)
	dst = append(dst, '.')
	dst = appendPadded(dst, int(at/1000%1000), 3)
	dst = append(dst, " UTC ["...)
	dst = strconv.AppendInt(dst, int64(p.pid), 10)
	dst = append(dst, "] "...)
	switch {
	case p.failed != "":
		dst = append(dst, "STATEMENT:  "...)
		dst = append(dst, p.failed...)
		p.failed = ""
	case r.oneIn(12):
		dst = append(dst, "ERROR:  "...)
		dst = appendMessage(dst, pick(r, postgresErrors), r)
		p.failed = pick(r, postgresStatements)
	case r.oneIn(3):
		dst = append(dst, "LOG:  duration: "...)
		dst = strconv.AppendInt(dst, int64(r.skewed(4000)), 10)
		dst = append(dst, '.')
		dst = appendPadded(dst, r.n(1000), 3)
		dst = append(dst, " ms  statement: "...)
		dst = append(dst, pick(r, postgresStatements)...)
	default:
		dst = append(dst, "LOG:  "...)
		dst = appendMessage(dst, pick(r, postgresMessages), r)
	}
	return append(dst, '\n')
}

// klog makes lines of Kubernetes' components.
type klog struct{ clock }

func (k *klog) appendRecord(dst []byte, _ int64, r *rng) []byte {
	at := k.next(r, 300_000)
	_, m, d := civil(int(at / 86400e6))
	dst = append(dst, "IIIIIIIIWWEI"[r.n(12)])
	dst = append2(append2(dst, m), d)
	dst = append(dst, ' ')
	dst = appendClock(dst, int(at/1e6%86400))
	dst = append(dst, '.')
	us := int(at % 1e6)
	dst = appendPadded(appendPadded(dst, us/1000, 3), us%1000, 3)
	dst = append(dst, ' ')
	thread := strconv.AppendInt(nil, int64(1+r.quantile(processIDs)), 10)
	dst = append(dst, "       "[:max(0, 7-len(thread))]...)
	dst = append(dst, thread...)
	dst = append(dst, ' ')
	dst = append(dst, pick(r, klogFiles)...)
	dst = append(dst, ':')
	dst = strconv.AppendInt(dst, int64(1+r.skewed(2400)), 10)
	dst = append(dst, "] "...)
	dst = appendMessage(dst, pick(r, klogMessages), r)
	return append(dst, '\n')
}

// appendMessage appends a message, in which # stands for a number, $ for a word,
// @ for an address, ^ for hexadecimal digits and ~ for a path.
func appendMessage(dst []byte, form string, r *rng) []byte {
	for i := range len(form) {
		switch c := form[i]; c {
		case '#':
			dst = strconv.AppendInt(dst, int64(r.skewed(1<<(1+r.n(16)))), 10)
		case '$':
			dst = append(dst, pick(r, logSlugs)...)
		case '@':
			dst = appendIPv4(dst, r.next())
		case '^':
			dst = appendHex(dst, r.next(), 4+r.n(9))
		case '~':
			dst = appendPath(dst, r)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// syslog5424 makes messages of RFC 5424, a line each.
type syslog5424 struct{ clock }

func (s *syslog5424) appendRecord(dst []byte, _ int64, r *rng) []byte {
	at := s.next(r, 2_000_000)
	dst = append(dst, '<')
	dst = strconv.AppendInt(dst, int64(r.n(192)), 10)
	dst = append(dst, ">1 "...)
	dst = appendDate(dst, int(at/86400e6))
	dst = append(dst, 'T')
	dst = appendClock(dst, int(at/1e6%86400))
	dst = append(dst, '.')
	us := int(at % 1e6)
	dst = appendPadded(dst, us/1000, 3)
	if r.n(3) > 0 {
		dst = append(appendPadded(dst, us%1000, 3), "+02:00 "...)
	} else {
		dst = append(dst, "Z "...)
	}
	dst = append(dst, pick(r, syslogHosts)...)
	dst = append(dst, ' ')
	p := &syslogDaemons[r.skewed(len(syslogDaemons))]
	dst = append(dst, p.tag...)
	dst = append(dst, ' ')
	if p.pid {
		dst = strconv.AppendInt(dst, int64(1+r.quantile(processIDs)), 10)
	} else {
		dst = append(dst, '-')
	}
	dst = append(dst, pick(r, []string{" - ", " - ", " - ", " ID47 ", " TCPOUT "})...)
	if r.n(3) > 0 {
		dst = append(dst, '-')
	} else {
		dst = appendMessage(dst, pick(r, structured), r)
	}
	dst = append(dst, ' ')
	return append(appendMessage(dst, pick(r, p.messages), r), '\n')
}

// w3c makes lines as IIS writes them.
type w3c struct{ clock }

const w3cHeader = "#Software: Microsoft Internet Information Services 8.5\n#Version: 1.0\n#Date: 2025-05-01 00:00:00\n" +
	"#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status sc-bytes cs-bytes time-taken\n"

func (w *w3c) appendRecord(dst []byte, _ int64, r *rng) []byte {
	at := w.next(r, 900_000)
	dst = appendDateTime(dst, at/1e6)
	dst = append(dst, " 100.79.192."...)
	dst = strconv.AppendInt(dst, int64(81+r.n(4)), 10)
	dst = append(dst, ' ')
	dst = append(dst, pick(r, logMethods)...)
	dst = append(dst, ' ')
	path := len(dst)
	dst = appendPath(dst, r)
	query := false
	for i := path; i < len(dst); i++ {
		if dst[i] == '?' {
			dst[i], query = ' ', true
		}
	}
	if !query {
		dst = append(dst, " -"...)
	}
	dst = append(dst, pick(r, []string{" 80 ", " 443 ", " 443 "})...)
	if r.oneIn(30) {
		dst = append(dst, pick(r, logUsers)...)
	} else {
		dst = append(dst, '-')
	}
	dst = append(dst, ' ')
	dst = appendHost(dst, r)
	dst = append(dst, ' ')
	for _, c := range []byte(pick(r, logAgents)) {
		if c == ' ' {
			c = '+'
		}
		dst = append(dst, c)
	}
	dst = append(dst, ' ')
	if r.oneIn(2) {
		dst = append(dst, '-')
	} else {
		dst = append(dst, pick(r, logSites)...)
		dst = appendPath(dst, r)
	}
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, int64(pick(r, logStatus)), 10)
	dst = append(dst, " 0 "...)
	dst = append(dst, pick(r, []string{"0", "0", "0", "0", "64", "2"})...)
	for _, v := range [...]int{r.quantile(logBytes), 120 + r.skewed(1800), r.skewed(3000)} {
		dst = append(dst, ' ')
		dst = strconv.AppendInt(dst, int64(v), 10)
	}
	return append(dst, '\n')
}

// logfmt makes lines of keys and values.
type logfmt struct{ clock }

func (l *logfmt) appendRecord(dst []byte, _ int64, r *rng) []byte {
	at := l.next(r, 500_000)
	dst = append(dst, `time="`...)
	dst = appendDate(dst, int(at/86400e6))
	dst = append(dst, 'T')
	dst = appendClock(dst, int(at/1e6%86400))
	if r.oneIn(2) {
		dst = append(dst, '.')
		us := int(at % 1e6)
		dst = appendPadded(appendPadded(dst, us/1000, 3), us%1000, 3)
	}
	dst = append(dst, `Z" level=`...)
	dst = append(dst, pick(r, []string{"info", "info", "info", "info", "debug", "warning", "error"})...)
	dst = append(dst, ` msg=`...)
	dst = appendMessage(dst, pick(r, logfmtMessages), r)
	for i := r.n(6); i < len(logfmtPairs); i += 1 + r.n(3) {
		dst = append(dst, ' ')
		dst = appendMessage(dst, logfmtPairs[i], r)
	}
	return append(dst, '\n')
}
