//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	goheap "github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// record brings a batch to the host, as an Arrow record.
func (b *bench) record(batch *DeviceBatch) arrow.Record {
	b.t.Helper()
	b.ok(batch.Synchronize())
	var data func(c *Column) arrow.ArrayData
	data = func(c *Column) arrow.ArrayData {
		var buffers []*goheap.Buffer
		_, views := c.Type.(arrow.BinaryViewDataType)
		for i, buffer := range c.Buffers {
			if buffer.Address == 0 {
				buffers = append(buffers, nil)
				if buffer.Size != 0 {
					b.t.Errorf("a buffer of %d bytes is nowhere", buffer.Size)
				}
				continue
			}
			if buffer.Address%regionAlign != 0 && !(views && i == 2) {
				b.t.Errorf("a buffer at %#x", buffer.Address)
			}
			bytes := make([]byte, buffer.Size)
			b.ok(b.s.Download(bytes, buffer.Address))
			b.ok(b.s.Synchronize())
			buffers = append(buffers, goheap.NewBufferBytes(bytes))
		}
		for i := 1; i < len(buffers); i++ {
			if buffers[i] == nil {
				buffers[i] = goheap.NewBufferBytes([]byte{})
			}
		}
		var children []arrow.ArrayData
		for i := range c.Children {
			children = append(children, data(&c.Children[i]))
		}
		if c.Dictionary != nil {
			return array.NewDataWithDictionary(c.Type, c.Len, buffers, c.Nulls, 0, data(c.Dictionary).(*array.Data))
		}
		return array.NewData(c.Type, c.Len, buffers, children, c.Nulls, 0)
	}
	var arrays []arrow.Array
	for i := range batch.Columns {
		c := array.MakeFromData(data(&batch.Columns[i]))
		arrays = append(arrays, c)
		zeros := 0
		for k := range c.Len() {
			if c.IsNull(k) {
				zeros++
			}
		}
		if zeros != batch.Columns[i].Nulls || c.Len() != batch.Rows {
			b.t.Errorf("%s: %d rows with %d nulls, said to be %d with %d", batch.Columns[i].Name, c.Len(), zeros, batch.Rows, batch.Columns[i].Nulls)
		}
	}
	return array.NewRecord(batch.schema, arrays, int64(batch.Rows))
}

// rowsOf are the rows of records, one a line, and what the values of null rows are.
func rowsOf(t *testing.T, rec arrow.Record) string {
	var b strings.Builder
	if err := array.RecordToJSON(rec, &b); err != nil {
		t.Fatal(err)
	}
	for i, c := range rec.Columns() {
		if w, ok := c.DataType().(arrow.FixedWidthDataType); ok && w.BitWidth() >= 8 && c.DataType().ID() != arrow.DICTIONARY {
			fixed, n := c.Data().Buffers()[1].Bytes(), w.BitWidth()/8
			for k := range c.Len() {
				at := (c.Data().Offset() + k) * n
				if c.IsNull(k) && strings.Trim(string(fixed[at:at+n]), "\x00") != "" {
					t.Errorf("column %d: a null that is %x", i, fixed[at:at+n])
				}
			}
		}
	}
	return b.String()
}

// TestColumns: what is left on the device is what a Reader gives, of inputs in memory of
// the host, in pinned memory and on the device, by both paths, in all error modes,
// whatever rows the CPU has to read.
func TestColumns(t *testing.T) {
	b := newBench(t)
	readWhereItLies(t)
	for _, kind := range []string{"taxi", "yelp", "lineitem", "combined", "klog", "auditd", "w3c", "haproxy", "ticks", "damaged", "damaged few"} {
		var in strings.Builder
		format := map[string]string{"combined": "apache_combined", "damaged": "taxi", "damaged few": "taxi"}[kind]
		if format == "" {
			format = kind
		}
		data := map[string]string{"damaged": "taxi", "damaged few": "taxi"}[kind]
		if data == "" {
			data = kind
		}
		if err := gen.Write(&in, data, 16<<10, 1); err != nil {
			t.Fatal(err)
		}
		text := in.String()
		switch kind {
		case "damaged": // many values that are none, and records
			text = strings.Replace(strings.ReplaceAll(text, ",1,", ",x,"), "\n", "\n1,2,3\n", 3)
		case "damaged few":
			at := len(text) / 2
			text = text[:at] + strings.Replace(text[at:], ",1,", ",x,", 1)
		}
		p, err := gen.Program(format)
		if err != nil {
			t.Fatal(err)
		}
		for i, opts := range [][]Option{{WithFlight(8 << 10)}, {WithFlight(3000), WithGeneralPath()}, nil, {WithFlight(8 << 10), WithTextViews()}} {
			for _, mode := range dfa.ErrorModes() {
				if i > 0 && (mode == dfa.Fail || testing.Short() && kind != "damaged" && kind != "combined") {
					continue
				}
				readers := []runtime.Option{runtime.WithErrorMode(mode), runtime.WithThreads(2)}
				want, wantErr := readWant(t, p, text, readers)
				for _, where := range []string{"host", "pinned", "device"} {
					if where == "pinned" && i != 0 {
						continue
					}
					t.Run(fmt.Sprintf("%s/%d/%v/%s", kind, i, mode, where), func(t *testing.T) {
						b := &bench{t: t, d: b.d, s: b.s}
						got, _, err := b.readColumns(New(opts...), where, p, text, readers)
						if fmt.Sprint(err) != fmt.Sprint(wantErr) {
							t.Fatalf("error %v, want %v", err, wantErr)
						}
						if err == nil && got != want {
							t.Fatalf("%d bytes of rows, want %d: %s", len(got), len(want), firstDifference(got, want))
						}
					})
				}
			}
		}
	}
}

// readWhereItLies has inputs on the device, with memory behind them, read where they lie, also short ones.
func readWhereItLies(t *testing.T) {
	short, beyond := shortFlight, beyondFlight
	t.Cleanup(func() { shortFlight, beyondFlight = short, beyond })
	shortFlight, beyondFlight = 1<<10, 0
}

// TestWhereItLies: most flights of an input on the device are read where it lies, and it stays as it is.
func TestWhereItLies(t *testing.T) {
	b := newBench(t)
	readWhereItLies(t)
	for _, kind := range []string{"taxi", "yelp", "lineitem", "haproxy", "java_multiline"} {
		for skip := range 3 {
			var text bytes.Buffer
			b.ok(gen.Write(&text, kind, 320<<10, 1))
			in := text.Bytes()
			p, err := gen.Program(kind)
			b.ok(err)
			m, err := b.d.Alloc(skip + len(in) + kernels.Padding)
			b.ok(err)
			address := m.Address + uint64(skip)
			b.ok(b.s.Upload(address, in))
			b.ok(b.s.Synchronize())
			c, err := New(WithFlight(64<<10)).Columns(DeviceInput(address, len(in)), p, runtime.WithThreads(1))
			b.ok(err)
			flights, there := 0, 0
			for c.Next() {
				flights++
				for _, s := range c.parser.slots {
					if c.pending != nil && s == c.pending.slot && s.job.Data != s.own {
						there++
					}
				}
			}
			if c.Err() != nil || there == 0 || there < flights/2 {
				t.Errorf("%s: %d of %d flights are read where they lie: %v", kind, there, flights, c.Err())
			}
			b.ok(c.Close())
			after := make([]byte, len(in))
			b.ok(b.s.Download(after, address))
			b.ok(b.s.Synchronize())
			if !bytes.Equal(after, in) {
				t.Errorf("%s: the input is another one", kind)
			}
			b.ok(b.d.FreeMemory(m))
		}
	}
}

// TestShorterThanTheHead: records that are much shorter than those of the head.
func TestShorterThanTheHead(t *testing.T) {
	b := newBench(t)
	was := sampledHead
	defer func() { sampledHead = was }()
	sampledHead = 20 << 10
	for _, spec := range []string{
		"format csv { delimited { sep ',' quote '\"' } header none fields { a i32  b str  c str } }",
		"format log { record `{a} {b} - {c...}`  fields { a i32 } }",
	} {
		x, err := compile.Compile("short.dfp", []byte(spec))
		b.ok(err)
		sep, last := " ", " - "
		if strings.Contains(spec, "csv") {
			sep, last = ",", ","
		}
		in := strings.Repeat("1"+sep+"one"+last+strings.Repeat("long", 100)+"\n", 100) + strings.Repeat("2"+sep+"x"+last+"y\n", 50000)
		want, wantErr := readWant(t, x.Program, in, nil)
		b.ok(wantErr)
		got, left, err := b.readColumns(New(WithFlight(64<<10)), "device", x.Program, in, nil)
		b.ok(err)
		if got != want || left != 0 {
			t.Errorf("%s, the CPU has read %d rows: %s", spec, left, firstDifference(got, want))
		}
	}
}

// TestColumnsTold: what Columns and its batches say of themselves.
func TestColumnsTold(t *testing.T) {
	newBench(t)
	spec := compiled(t, "format told { delimited { sep ',' } header none fields { a i32  b str } }")
	const records, odd = 200, 3
	in := strings.Repeat("1,one\n", records) + strings.Repeat("x,none\n", odd)
	c, err := New().Columns(HostInput([]byte(in)), spec.Program, runtime.WithErrorMode(dfa.Reject))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for c.Next() {
		b := c.Batch()
		if col := b.Column("b"); col == nil || col.Name != "b" || b.Column("c") != nil {
			t.Errorf("column b is %+v, c %+v", col, b.Column("c"))
		} else {
			rows += col.Len
		}
		if err := b.Wait(0); err != nil { // the stream that every program has
			t.Error(err)
		}
	}
	if c.Err() != nil || rows != records || c.Rows() != records || c.Dropped() != odd || c.Left() < odd || c.Device() != 0 {
		t.Errorf("%v: %d rows, told %d, %d dropped, %d left, device %d", c.Err(), rows, c.Rows(), c.Dropped(), c.Left(), c.Device())
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestBrought: of an input on the device that the kernels can read, the host sees its head.
func TestBrought(t *testing.T) {
	b := newBench(t)
	was := headSize
	defer func() { headSize = was }()
	headSize = 2000
	for kind, format := range map[string]string{"taxi": "taxi", "yelp": "yelp", "lineitem": "lineitem"} {
		var in strings.Builder
		if err := gen.Write(&in, kind, 40<<10, 1); err != nil {
			t.Fatal(err)
		}
		p, err := gen.Program(format)
		if err != nil {
			t.Fatal(err)
		}
		m, err := b.d.Alloc(in.Len())
		b.ok(err)
		b.ok(b.s.Upload(m.Address, []byte(in.String())))
		b.ok(b.s.Synchronize())
		c, err := New(WithFlight(16<<10)).Columns(DeviceInput(m.Address, in.Len()), p, runtime.WithThreads(1))
		b.ok(err)
		for c.Next() {
		}
		if c.Err() != nil || c.Rows() == 0 || c.brought > headSize+in.Len()/8 {
			t.Errorf("%s: %d bytes of %d came to the host, %d of %d rows left: %v", kind, c.brought, in.Len(), c.Left(), c.Rows(), c.Err())
		}
		b.ok(c.Close())
		b.ok(b.d.FreeMemory(m))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("row %d is\n%s\nwant\n%s", i, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d rows, want %d", len(g), len(w))
}

func readWant(t *testing.T, p *dfa.Program, in string, opts []runtime.Option) (rows string, err error) {
	r, err := runtime.ReadBytes([]byte(in), p, append([]runtime.Option{runtime.WithEngine(cpu.Engine)}, opts...)...)
	if err != nil {
		return "", err
	}
	defer r.Release()
	for r.Next() {
		rows += rowsOf(t, r.Record())
	}
	return rows, r.Err()
}

// readColumns reads in by Columns, and has the batches of the last reading there while the
// next are made.
func (b *bench) readColumns(e *Engine, where string, p *dfa.Program, in string, opts []runtime.Option) (rows string, left int64, err error) {
	b.t.Helper()
	input := HostInput([]byte(in))
	switch where {
	case "pinned":
		pinned, err := b.d.AllocHost(len(in))
		b.ok(err)
		defer func() { b.ok(b.d.FreeHost(pinned)) }()
		copy(pinned, in)
		input = PinnedInput(pinned)
	case "device":
		m, err := b.d.Alloc(len(in) + kernels.Padding)
		b.ok(err)
		defer func() { b.ok(b.d.FreeMemory(m)) }()
		b.ok(b.s.Upload(m.Address, []byte(in)))
		b.ok(b.s.Synchronize())
		input = DeviceInput(m.Address, len(in))
	}
	c, err := e.Columns(input, p, opts...)
	if err != nil {
		return "", 0, err
	}
	var held []*DeviceBatch
	for c.Next() {
		c.Batch().Retain()
		held = append(held, c.Batch())
	}
	err, n := c.Err(), int64(0)
	left = c.Left()
	b.ok(c.Close())
	for _, batch := range held {
		rec := b.record(batch)
		rows += rowsOf(b.t.(*testing.T), rec)
		n += rec.NumRows()
		rec.Release()
		batch.Release()
	}
	if n != c.Rows() {
		b.t.Errorf("%d rows, said to be %d", n, c.Rows())
	}
	return rows, left, err
}

// TestAlignedNearby: a flight does not end long before it could for the next one to begin where it is read in place.
func TestAlignedNearby(t *testing.T) {
	b := newBench(t)
	readWhereItLies(t)
	spec, err := compile.Compile("near.dfp", []byte("format near { delimited { sep ',' } header none fields { a i32  b str } }"))
	b.ok(err)
	const flight = 8 << 10
	in := "1,abcdefghijklm\n1,abcdefghijklmn\n" + strings.Repeat("2,abcdefghijklm\n", 4*flight/16)
	m, err := b.d.Alloc(len(in) + kernels.Padding)
	b.ok(err)
	defer func() { b.ok(b.d.FreeMemory(m)) }()
	b.ok(b.s.Upload(m.Address, []byte(in)))
	b.ok(b.s.Synchronize())
	c, err := New(WithFlight(flight)).Columns(DeviceInput(m.Address, len(in)), spec.Program)
	b.ok(err)
	for c.Next() {
		if c.pending != nil && len(c.pending.part.Data) > 3*flight/2 {
			t.Errorf("a flight of %d bytes, asked for are %d", len(c.pending.part.Data), flight)
		}
	}
	b.ok(c.Err())
	b.ok(c.Close())
}

// TestLeftAroundComments: records that the CPU reads, with what is no record between them, however long.
func TestLeftAroundComments(t *testing.T) {
	b := newBench(t)
	readWhereItLies(t)
	for _, spec := range []string{
		"format f { delimited { sep ','  quote '\"' doubled  comment '#'  eol any } blank keep  header none ragged pad  fields { a i32?  b str? } on_error null }",
		"format f { delimited { sep ','  quote '\"' doubled  comment '#'  eol any } header none  fields { a i32  b str } on_error null }",
	} {
		x, err := compile.Compile("f.dfp", []byte(spec))
		b.ok(err)
		for _, size := range []int{10, 5000} {
			comment := "#" + strings.Repeat("c", size)
			for _, in := range []string{
				"1,one\nx,two\n" + comment + "\r\nx,three\n" + comment + "\nx,four\r" + comment + "\r\nx,five\r\n",
				"1,one\nx,two\r" + comment + "\nx,three\r" + comment + "\r\nx,four\n" + comment + "\rx,five",
			} {
				in += strings.Repeat("2,more\n", 30)
				want, wantErr := readWant(t, x.Program, in, nil)
				b.ok(wantErr)
				for _, flight := range []int{1 << 10, 64 << 10} {
					got, _, err := b.readColumns(New(WithFlight(flight)), "device", x.Program, in, nil)
					if err != nil || got != want {
						t.Errorf("%s, %d: %v, %s", spec, size, err, firstDifference(got, want))
					}
				}
			}
		}
	}
}

// TestLeftSoFar: rows that the CPU has read are counted once, also of flights that are all its.
func TestLeftSoFar(t *testing.T) {
	b := newBench(t)
	readWhereItLies(t)
	spec, err := compile.Compile("left.dfp", []byte("format left { delimited { sep ',' } header none fields { a i32  b i32 } on_error null }"))
	b.ok(err)
	hosts, err := compile.Compile("hosts.dfp", []byte("format hosts { fixed { a 2 } header none fields { a list(str, sep '.') } }"))
	b.ok(err)
	for p, in := range map[*dfa.Program]string{
		spec.Program:  strings.Repeat("1,2\n33,44\n555,66\n7777,x\n", 4000),
		hosts.Program: strings.Repeat("12\n", 9000),
	} {
		m, err := b.d.Alloc(len(in) + kernels.Padding)
		b.ok(err)
		b.ok(b.s.Upload(m.Address, []byte(in)))
		b.ok(b.s.Synchronize())
		c, err := New(WithFlight(8<<10)).Columns(DeviceInput(m.Address, len(in)), p)
		b.ok(err)
		for c.Next() {
			want := c.Rows() / 4
			if p == hosts.Program {
				want = c.Rows()
			}
			if c.Left() != want {
				t.Fatalf("%d of %d rows are left, want %d", c.Left(), c.Rows(), want)
			}
		}
		b.ok(c.Err())
		b.ok(c.Close())
		b.ok(b.d.FreeMemory(m))
	}
}
