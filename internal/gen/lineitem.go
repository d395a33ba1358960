package gen

import "strconv"

// lineitem follows clause 4.2.3 of the TPC-H specification at scale factor 1,
// except for the grammar of its comments. An order has one to seven lines.
type lineitem struct {
	order     int // orders begun
	line      int // of the order, from 1
	lines     int // of the order
	orderDate int // days since 1970
}

const (
	tpchParts     = 200000
	tpchSuppliers = 10000
	tpchFirstDay  = 8035  // 1992-01-01, days since 1970
	tpchLastOrder = 10440 // 1998-08-02
	tpchToday     = 9298  // 1995-06-17, the "current date" of the benchmark
)

var (
	shipInstructs = []string{"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"}
	shipModes     = []string{"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"}
	commentWords  = []string{
		"furiously", "slyly", "carefully", "blithely", "quickly", "fluffily", "express", "regular", "final", "ironic",
		"pending", "bold", "even", "special", "silent", "unusual", "daring", "requests", "deposits", "packages",
		"accounts", "foxes", "ideas", "theodolites", "pinto beans", "instructions", "dependencies", "excuses",
		"platelets", "asymptotes", "sleep", "wake", "are", "cajole", "haggle", "nag", "use", "boost", "integrate",
		"detect", "about the", "above the", "across the", "after the", "among the", "along the",
	}
)

func (l *lineitem) appendRecord(dst []byte, _ int64, r *rng) []byte {
	if l.line == l.lines {
		l.order++
		l.line, l.lines = 0, r.between(1, 7)
		l.orderDate = r.between(tpchFirstDay, tpchLastOrder)
	}
	l.line++
	key := l.order/8*32 + l.order%8 // eight of every 32 keys are used
	part := r.between(1, tpchParts)
	supplier := (part+r.n(4)*(tpchSuppliers/4+(part-1)/tpchSuppliers))%tpchSuppliers + 1
	quantity := r.between(1, 50)
	price := 90000 + part/10%20001 + 100*(part%1000)
	ship := l.orderDate + r.between(1, 121)
	commit := l.orderDate + r.between(30, 90)
	receipt := ship + r.between(1, 30)
	returned, status := byte('N'), byte('F')
	if receipt <= tpchToday {
		returned = "RA"[r.n(2)]
	}
	if ship > tpchToday {
		status = 'O'
	}

	for _, v := range [...]int{key, part, supplier, l.line, quantity} {
		dst = strconv.AppendInt(dst, int64(v), 10)
		dst = append(dst, '|')
	}
	dst = appendCents(dst, quantity*price)
	dst = append(dst, '|')
	dst = appendCents(dst, r.n(11))
	dst = append(dst, '|')
	dst = appendCents(dst, r.n(9))
	dst = append(dst, '|', returned, '|', status, '|')
	for _, day := range [...]int{ship, commit, receipt} {
		dst = appendDate(dst, day)
		dst = append(dst, '|')
	}
	dst = append(dst, pick(r, shipInstructs)...)
	dst = append(dst, '|')
	dst = append(dst, pick(r, shipModes)...)
	dst = append(dst, '|')
	dst = appendComment(dst, r.between(10, 43), r)
	return append(dst, '|', '\n')
}

// appendComment appends n symbols of words, cut where they end.
func appendComment(dst []byte, n int, r *rng) []byte {
	end := len(dst) + n
	for len(dst) < end {
		dst = append(dst, pick(r, commentWords)...)
		dst = append(dst, ' ')
	}
	if dst[end-1] == ' ' {
		dst[end-1] = '.'
	}
	return dst[:end]
}
