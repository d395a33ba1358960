package cpu

// indexCounted is indexMarked where the automaton counts the fields of a record: see dfa.FindCountedRuns. Records of fewer
// fields than it wants are malformed. In the last field of those that seem to have more are runs.
func (w *worker) indexCounted(ck *chunk, limit int) (until int, why ended) {
	k := w.masked
	records, last := k.records[k.passed:k.nrecords], k.last
	records = records[:min(len(records), w.maxRows-w.nrows)]
	nrows, more := 0, false // more: a record has runs in its last field
	for _, number := range records {
		n := int(number) - last
		if n < k.count || n > k.count && !k.counts {
			more = n > k.count
			break
		}
		last = int(number)
		nrows++
	}
	if more && nrows < fewRagged {
		if n, start := w.upToRest(ck, limit, k.count-1, w.dest[k.count-1]); n > 0 {
			k.pass(n)
			w.nrows += n
			if w.leave(ck, start, w.row); w.full() {
				return -1, roundFull
			}
			return -1, goOn
		}
	}
	if nrows > 0 {
		nrows, start, boundary := w.place(ck, nrows, limit)
		if nrows > 0 && (k.counts || w.fill(ck, k.count, nrows)) {
			return w.placed(ck, limit, nrows, start, boundary)
		}
		return boundary, goOn
	}
	end := k.end(k.passed)
	if why, ok := w.stepMalformed(ck, limit, end+1, unread{w.at, w.row, 0, w.at}); ok {
		if k.resume(w.at); w.row != w.machine.Row(k.masks.Begin) {
			return w.at, why
		}
		return -1, why
	}
	return w.boundary(ck, w.at, end), goOn
}
