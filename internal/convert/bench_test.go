package convert

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// benchmark converts a column of fields that lie among others, as in a file,
// and reports the time a value takes in the best round.
func benchmark(b *testing.B, col dfa.Column, field func(r *rand.Rand, i int) string) {
	b.Helper()
	const rows = 16 << 10
	r := rand.New(rand.NewPCG(1, 2))
	var src []byte
	var f Fields
	var nbytes int
	for i := range rows {
		src = append(src, "1,2018-01-01 00:21:05,"...)
		s := field(r, i)
		f.Push(uint32(len(src)), uint32(len(src)+len(s)))
		nbytes += len(s)
		src = append(append(src, s...), ",N,3.5,0.5\n"...)
	}
	f.Src = src
	c, err := NewConverter(&col, Options{BaseTime: time.Unix(1.7e9, 0)})
	if err != nil {
		b.Fatal(err)
	}
	dst := NewColumn(&col.Type)
	if errs := c.Append(dst, &f, nil); len(errs) > 0 {
		bad, _ := f.At(errs[0].Row)
		b.Fatalf("%q: %v", bad, errs[0].Code)
	}
	b.SetBytes(int64(nbytes))
	b.ReportAllocs()
	best := time.Hour // of a round: what others do on the machine does not count
	for b.Loop() {
		began := time.Now()
		dst.Reset()
		c.Append(dst, &f, nil)
		best = min(best, time.Since(began))
	}
	b.ReportMetric(float64(best.Nanoseconds())/rows, "ns/value")
}

var frenchMonths = []string{"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."}

func BenchmarkAppend(b *testing.B) {
	digits := func(n int) func(r *rand.Rand, i int) string {
		return func(r *rand.Rand, _ int) string {
			s := fmt.Sprint(1 + r.IntN(9))
			for range r.IntN(n) {
				s += fmt.Sprint(r.IntN(10))
			}
			return s
		}
	}
	clock := func(layout string) func(r *rand.Rand, i int) string {
		return func(r *rand.Rand, i int) string {
			return time.Unix(1514764800+int64(i)*3, r.Int64N(1e6)*1000).UTC().Format(layout)
		}
	}
	scattered := func(layout string) func(r *rand.Rand, i int) string {
		return func(r *rand.Rand, _ int) string { return time.Unix(r.Int64N(1.7e9), 0).UTC().Format(layout) }
	}
	list := func(elem dfa.Type, l lower.List) dfa.Column {
		a, err := lower.BuildList(&l)
		if err != nil {
			b.Fatal(err)
		}
		return dfa.Column{Type: dfa.Type{Kind: dfa.List, Elem: &elem, Lex: a}}
	}
	mapping := func(policy dfa.Duplicates, m lower.Map) dfa.Column {
		if m.KeyValue == nil {
			m.KeyValue = []byte("=")
		}
		a, err := lower.BuildMap(&m)
		if err != nil {
			b.Fatal(err)
		}
		return dfa.Column{Type: dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}, Lex: a, Duplicates: policy}}
	}
	ahead := func(col dfa.Column) dfa.Column {
		col.Type.Ahead = &dfa.KeyAhead{Pair: ' ', Sign: '='}
		return col
	}
	listed := func(col dfa.Column) dfa.Column {
		col.Type.Elem = &dfa.Type{Kind: dfa.List, Elem: col.Type.Elem}
		return col
	}
	words := func(sep string, least, most int) func(r *rand.Rand, i int) string {
		return func(r *rand.Rand, _ int) string {
			var all []string
			for range least + r.IntN(most) {
				all = append(all, "abcdefghij"[:2+r.IntN(8)])
			}
			return strings.Join(all, sep)
		}
	}
	pairs := func(sep string, n int) func(r *rand.Rand, i int) string {
		return func(r *rand.Rand, _ int) string {
			var all []string
			for i := range n {
				all = append(all, fmt.Sprintf("key%d=%d", i, r.IntN(1e6)))
			}
			return strings.Join(all, sep)
		}
	}
	numbered := func(word string, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprint(word, i))
		}
		return all
	}
	for _, c := range []struct {
		name  string
		col   dfa.Column
		field func(r *rand.Rand, i int) string
	}{
		{"i64/1-3", dfa.Column{Type: dfa.Type{Kind: dfa.Int64}}, digits(3)},
		{"i64/1-8", dfa.Column{Type: dfa.Type{Kind: dfa.Int64}}, digits(8)},
		{"i64/1-16", dfa.Column{Type: dfa.Type{Kind: dfa.Int64}}, digits(16)},
		{"i64/17-19", dfa.Column{Type: dfa.Type{Kind: dfa.Int64}}, func(r *rand.Rand, _ int) string { return fmt.Sprint(1e16 + r.Int64N(9e18)) }},
		{"u8", dfa.Column{Type: dfa.Type{Kind: dfa.Uint8}}, func(r *rand.Rand, _ int) string { return fmt.Sprint(r.IntN(256)) }},
		{"i64/nulls", dfa.Column{Type: dfa.Type{Kind: dfa.Int64}, Nulls: []string{"-"}}, func(r *rand.Rand, i int) string { return []string{"-", "1234"}[r.IntN(2)] }},
		{"f64/short", dfa.Column{Type: dfa.Type{Kind: dfa.Float64}}, func(r *rand.Rand, _ int) string { return fmt.Sprintf("%.2f", r.Float64()*100) }},
		{"f64/coordinate", dfa.Column{Type: dfa.Type{Kind: dfa.Float64}}, func(r *rand.Rand, _ int) string { return fmt.Sprintf("%.7f", -r.Float64()*180) }},
		{"f64/17", dfa.Column{Type: dfa.Type{Kind: dfa.Float64}}, func(r *rand.Rand, _ int) string { return fmt.Sprint(r.Float64()) }},
		{"f32/short", dfa.Column{Type: dfa.Type{Kind: dfa.Float32}}, func(r *rand.Rand, _ int) string { return fmt.Sprintf("%.2f", r.Float64()*100) }},
		{"dec", dfa.Column{Type: dfa.Type{Kind: dfa.Decimal, Precision: 15, Scale: 2}}, func(r *rand.Rand, _ int) string { return fmt.Sprintf("%.2f", r.Float64()*1e6) }},
		{"ts/iso", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%Y-%m-%d %H:%M:%S"}}, clock("2006-01-02 15:04:05")},
		{"ts/iso-scattered", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%Y-%m-%d %H:%M:%S"}}, scattered("2006-01-02 15:04:05")},
		{"ts/rfc3339", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp}}, clock("2006-01-02T15:04:05.000Z")},
		{"ts/web", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%H:%M:%S %z"}}, clock("02/Jan/2006:15:04:05 -0700")},
		{"ts/syslog", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T"}}, clock("Jan _2 15:04:05")},
		{"ts/zone", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T", Zone: "America/New_York"}}, clock("2006-01-02 15:04:05")},
		{"ts/epoch", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Second}}, func(r *rand.Rand, i int) string { return fmt.Sprintf("%d.%03d", 1514764800+i, r.IntN(1000)) }},
		{"ts/two-layouts", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%T", Or: []dfa.ClockForm{{Layout: "%F %T"}}}}, clock("2006-01-02 15:04:05")},
		{"ts/names", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%d %b %Y %T", Names: dfa.TimeNames{ShortMonths: frenchMonths}}}, func(r *rand.Rand, i int) string {
			at := time.Unix(1514764800+r.Int64N(1e8), 0).UTC()
			return fmt.Sprintf("%02d %s %s", at.Day(), frenchMonths[at.Month()-1], at.Format("2006 15:04:05"))
		}},
		{"u64/size", dfa.Column{Type: dfa.Type{Kind: dfa.Uint64, Size: 1024}}, func(r *rand.Rand, _ int) string { return fmt.Sprintf("%.1fM", r.Float64()*100) }},
		{"dec/implied", dfa.Column{Type: dfa.Type{Kind: dfa.Decimal, Precision: 10, Scale: 2, Implied: true}}, func(r *rand.Rand, _ int) string { return fmt.Sprintf("%010d", r.IntN(1e9)) }},
		{"u16/in", dfa.Column{Type: dfa.Type{Kind: dfa.Uint16, In: []dfa.Interval{{Low: "1", High: "65535"}}}}, func(r *rand.Rand, _ int) string { return fmt.Sprint(1 + r.IntN(65535)) }},
		{"date", dfa.Column{Type: dfa.Type{Kind: dfa.Date}}, scattered("2006-01-02")},
		{"time", dfa.Column{Type: dfa.Type{Kind: dfa.Time}}, scattered("15:04:05")},
		{"str/1", dfa.Column{}, func(r *rand.Rand, _ int) string { return []string{"Y", "N"}[r.IntN(2)] }},
		{"str/8-24", dfa.Column{}, func(r *rand.Rand, _ int) string { return "abcdefghijklmnopqrstuvwxyz"[:8+r.IntN(17)] }},
		{"str/100", dfa.Column{}, func(r *rand.Rand, _ int) string { return fmt.Sprintf("%0100d", r.Int()) }},
		{"str/nulls", dfa.Column{Nulls: []string{"-"}}, func(r *rand.Rand, _ int) string { return "abcdefghijklmnopqrstuvwxyz"[:8+r.IntN(17)] }},
		{"str/none", dfa.Column{Nulls: []string{"-"}}, func(r *rand.Rand, _ int) string { return "-" }},
		{"str/é", dfa.Column{}, func(r *rand.Rand, _ int) string { return "abcdéfghijklmnopqrstuvwxyz"[:8+r.IntN(17)] }},
		{"bool", dfa.Column{Type: dfa.Type{Kind: dfa.Bool}}, func(r *rand.Rand, _ int) string { return []string{"true", "false"}[r.IntN(2)] }},
		{"enum", dfa.Column{Type: dfa.Type{Kind: dfa.Enum, Tokens: []string{"GET", "POST", "HEAD", "PUT"}}}, func(r *rand.Rand, _ int) string { return []string{"GET", "POST", "HEAD", "PUT"}[r.IntN(4)] }},
		{"dict", dfa.Column{Type: dfa.Type{Kind: dfa.Dictionary}}, func(r *rand.Rand, _ int) string { return fmt.Sprint("token-", r.IntN(1000)) }},
		{"ip", dfa.Column{Type: dfa.Type{Kind: dfa.IP}}, func(r *rand.Rand, _ int) string {
			return fmt.Sprintf("%d.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256))
		}},
		{"uuid", dfa.Column{Type: dfa.Type{Kind: dfa.UUID}}, func(r *rand.Rand, _ int) string { return "123e4567-e89b-12d3-a456-426614174000" }},
		{"list/i32", list(dfa.Type{Kind: dfa.Int32}, lower.List{Separator: lower.Separator{Text: []byte(";")}}), func(r *rand.Rand, _ int) string { return "12;345;6" }},
		{"list/str", list(dfa.Type{}, lower.List{Separator: lower.Separator{Text: []byte(",")}}), words(",", 0, 5)},
		{"list/brackets", list(dfa.Type{}, lower.List{Separator: lower.Separator{Text: []byte(",")}, Quote: '"', Open: '[', Close: ']'}), func(r *rand.Rand, i int) string { return "[" + words(",", 0, 5)(r, i) + "]" }},
		{"list/spaces", list(dfa.Type{}, lower.List{Separator: lower.Separator{Text: []byte(" "), Run: true}}), words("  ", 0, 5)},
		{"list/quoted", list(dfa.Type{}, lower.List{Separator: lower.Separator{Text: []byte(",")}, Quote: '"'}), func(r *rand.Rand, i int) string { return `"` + words(`","`, 1, 5)(r, i) + `"` }},
		{"list/escaped", list(dfa.Type{}, lower.List{Separator: lower.Separator{Text: []byte(",")}, Escape: &lower.Escape{Lead: '\\', Other: lower.DropLead}}), words(`\,`, 1, 5)},
		{"map", mapping(dfa.NoDuplicates, lower.Map{Pair: lower.Separator{Text: []byte(";")}}), func(r *rand.Rand, _ int) string { return "level=info;user=alice" }},
		{"map/8", mapping(dfa.NoDuplicates, lower.Map{Pair: lower.Separator{Text: []byte(" ")}, Quote: '"'}), pairs(" ", 8)},
		{"map/comma-space", mapping(dfa.NoDuplicates, lower.Map{Pair: lower.Separator{Text: []byte(", ")}}), pairs(", ", 8)},
		{"map/brackets", mapping(dfa.NoDuplicates, lower.Map{Pair: lower.Separator{Text: []byte(", ")}, Open: '{', Close: '}'}), func(r *rand.Rand, i int) string { return "{" + pairs(", ", 8)(r, i) + "}" }},
		{"map/first", mapping(dfa.FirstDuplicate, lower.Map{Pair: lower.Separator{Text: []byte(" "), Run: true}}), func(r *rand.Rand, i int) string { return pairs(" ", 8)(r, i) + " key3=again" }},
		{"map/last", mapping(dfa.LastDuplicate, lower.Map{Pair: lower.Separator{Text: []byte(" ")}}), func(r *rand.Rand, i int) string { return pairs(" ", 8)(r, i) + " key3=again" }},
		{"map/list", listed(mapping(dfa.ListDuplicates, lower.Map{Pair: lower.Separator{Text: []byte(" ")}})), func(r *rand.Rand, i int) string { return pairs(" ", 3)(r, i) + " key1=again" }},
		{"map/quoted-keys", mapping(dfa.NoDuplicates, lower.Map{Pair: lower.Separator{Text: []byte(",")}, KeyValue: []byte(":"), Quote: '"', QuotedKeys: true, Open: '{', Close: '}', Escape: &lower.Escape{Lead: '\\', Other: lower.DropLead}}), func(r *rand.Rand, i int) string {
			return `{"level":"info","count":` + fmt.Sprint(i) + `,"user":"alice","text":"of a few words"}`
		}},
		{"map/before-key", ahead(mapping(dfa.NoDuplicates, lower.Map{Pair: lower.Separator{Text: []byte(" ")}})), func(r *rand.Rand, i int) string { return pairs(" and more ", 4)(r, i) }},
		{"enum/long", dfa.Column{Type: dfa.Type{Kind: dfa.Enum, Tokens: []string{"information", "warning", "error", "delegation-only", "notification"}}}, func(r *rand.Rand, _ int) string {
			return []string{"information", "warning", "error", "delegation-only", "notification"}[r.IntN(5)]
		}},
		{"enum/longer", dfa.Column{Type: dfa.Type{Kind: dfa.Enum, Tokens: []string{"a state of more than sixteen", "another of more than sixteen", "end"}}}, func(r *rand.Rand, _ int) string {
			return []string{"a state of more than sixteen", "another of more than sixteen", "end"}[r.IntN(3)]
		}},
		{"enum/many", dfa.Column{Type: dfa.Type{Kind: dfa.Enum, Tokens: numbered("token", 200)}}, func(r *rand.Rand, _ int) string { return fmt.Sprint("token", r.IntN(200)) }},
		{"date/unpadded", dfa.Column{Type: dfa.Type{Kind: dfa.Date, Layout: "%-m/%-d/%Y"}}, scattered("1/2/2006")},
		{"date/names", dfa.Column{Type: dfa.Type{Kind: dfa.Date, Layout: "%d-%b-%Y"}}, scattered("02-Jan-2006")},
		{"date/two-digits", dfa.Column{Type: dfa.Type{Kind: dfa.Date, Layout: "%y%m%d"}}, scattered("060102")},
		{"ts/unpadded", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%-m/%-d/%Y %-H:%M"}}, scattered("1/2/2006 15:04")},
		{"date/long-names", dfa.Column{Type: dfa.Type{Kind: dfa.Date, Layout: "%d %B %Y"}}, scattered("02 January 2006")},
		{"ts/twelve-fraction", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%F %I:%M:%S.%f %p"}}, scattered("2006-01-02 03:04:05.000 PM")},
		{"ts/zones", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%F %I:%M %p %Z", Names: dfa.TimeNames{Zones: []dfa.ZoneName{{Name: "CET", Offset: 3600}}}}}, scattered("2006-01-02 03:04 PM UTC")},
		{"u32/hex", dfa.Column{Type: dfa.Type{Kind: dfa.Uint32, Base16: true}}, func(r *rand.Rand, _ int) string { return fmt.Sprintf("%x", r.Uint32()) }},
		{"u32/thousands", dfa.Column{Type: dfa.Type{Kind: dfa.Uint32, Thousands: ','}}, func(r *rand.Rand, _ int) string { return fmt.Sprintf("%d,%03d", 1+r.IntN(999), r.IntN(1000)) }},
		{"i32/null", dfa.Column{Type: dfa.Type{Kind: dfa.Int32}, Nulls: []string{"-1"}}, digits(8)},
		{"binary/hex", dfa.Column{Type: dfa.Type{Kind: dfa.Binary, Encoding: dfa.Hex}}, func(r *rand.Rand, _ int) string { return fmt.Sprintf("%016x", r.Uint64()) }},
		{"binary/base64", dfa.Column{Type: dfa.Type{Kind: dfa.Binary, Encoding: dfa.Base64}}, func(r *rand.Rand, _ int) string { return "aGVsbG8gd29ybGQh" }},
		{"str/default", dfa.Column{HasDefault: true, Default: "x"}, func(r *rand.Rand, _ int) string { return "abcdefghijklmnopqrstuvwxyz"[:8+r.IntN(17)] }},
		{"dur/ms", dfa.Column{Type: dfa.Type{Kind: dfa.Duration, CountUnit: dfa.Millisecond}}, digits(6)},
		{"dur/go", dfa.Column{Type: dfa.Type{Kind: dfa.Duration, Layout: "go"}}, func(r *rand.Rand, _ int) string {
			return fmt.Sprintf("%dm%d.%03ds", r.IntN(60), r.IntN(60), r.IntN(1000))
		}},
		{"dur/clock", dfa.Column{Type: dfa.Type{Kind: dfa.Duration, Layout: "clock"}}, scattered("15:04:05")},
		{"ts/twelve", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%m/%d/%Y %-I:%M:%S %p"}}, scattered("01/02/2006 3:04:05 PM")},
		{"ts/three-layouts", dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%d/%b/%Y:%T", Or: []dfa.ClockForm{{Layout: "%F %T"}, {Layout: "%-m/%-d/%Y %-H:%M"}}}}, scattered("1/2/2006 15:04")},
		{"time/hm", dfa.Column{Type: dfa.Type{Kind: dfa.Time, Layout: "%H%M"}}, scattered("1504")},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.col, c.field) })
	}
}
