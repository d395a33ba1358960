package gen

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// defaultSize is the size in bytes of a kind that has no size of its own.
const defaultSize = 10 << 20

// source makes the records of one kind.
type source interface {
	// appendRecord appends record number i, counted from 0, with its line end.
	appendRecord(dst []byte, i int64, r *rng) []byte
}

// kind is one row of the table of kinds.
type kind struct {
	name   string
	header string // with its line end, or empty
	count  int64  // records if no size is asked for, 0: as many as defaultSize holds
	source func() source
}

var kinds = []kind{
	{name: "taxi", header: taxiHeader, source: func() source { return &taxi{} }},
	{name: "yelp", header: yelpHeader, source: func() source { return yelp{} }},
	{name: "lineitem", source: func() source { return &lineitem{} }},
	{name: "combined", source: func() source { return &combined{} }},
	{name: "1brc", source: func() source { return newStations() }},
	{name: "haproxy", source: func() source { return &haproxy{} }},
	{name: "syslog", source: func() source { return &syslog{} }},
	{name: "java", source: func() source { return &java{} }},
	{name: "java_multiline", source: func() source { return &java{traces: true} }},
	{name: "auditd", source: func() source { return &auditd{} }},
	{name: "fixed", source: func() source { return movements{} }},
	{name: "postgres", source: func() source { return &postgres{} }},
	{name: "klog", source: func() source { return &klog{} }},
	{name: "syslog_rfc5424", source: func() source { return &syslog5424{} }},
	{name: "w3c", header: w3cHeader, source: func() source { return &w3c{} }},
	{name: "logfmt", source: func() source { return &logfmt{} }},
	{name: "ticks", header: ticksHeader, source: func() source { return ticks{} }},
	{name: "torture", header: tortureHeader, count: 1300, source: func() source { return torture{} }},
}

// Kinds are the names that Write knows.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// Write writes a file of the named kind to w: the header, if the kind has one,
// and whole records as long as the file stays within size bytes. A size of 0
// or less asks for the kind's own size, which is 1,300 records for torture and
// defaultSize bytes for the others.
func Write(w io.Writer, name string, size int64, seed uint64) error {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return fmt.Errorf("unknown kind %q, want one of %s", name, strings.Join(Kinds(), ", "))
	}
	k := kinds[at]
	limit := int64(1<<63 - 1) // records
	switch {
	case size <= 0 && k.count > 0:
		size, limit = limit, k.count
	case size <= 0:
		size = defaultSize
	}

	const flushAt = 256 << 10
	buf := append(make([]byte, 0, 2*flushAt), k.header...)
	var flushed int64
	r := newRNG(name, seed)
	src := k.source()
	for i := int64(0); i < limit; i++ {
		start := len(buf)
		buf = src.appendRecord(buf, i, r)
		if flushed+int64(len(buf)) > size {
			buf = buf[:start]
			break
		}
		if len(buf) >= flushAt {
			if _, err := w.Write(buf); err != nil {
				return err
			}
			flushed += int64(len(buf))
			buf = buf[:0]
		}
	}
	_, err := w.Write(buf)
	return err
}
