package convert

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// typeOf is a type of each kind, with what it needs to be valid.
func typeOf(k dfa.TypeKind) dfa.Type {
	t := dfa.Type{Kind: k}
	switch k {
	case dfa.Decimal:
		t.Precision, t.Scale = 12, 2
	case dfa.Enum:
		t.Tokens = []string{"INFO", "WARN", "ERROR"}
	case dfa.List:
		t.Elem, t.Lex = &dfa.Type{Kind: dfa.Int32}, listLex(';')
	case dfa.Map:
		t.Elem, t.Lex = &dfa.Type{Kind: dfa.Int32}, mapLex()
	}
	return t
}

// automaton has the transitions that set makes.
func automaton(set func(b *dfa.Builder)) *dfa.Automaton {
	b := dfa.NewBuilder()
	set(b)
	a, err := b.Build()
	if err != nil {
		panic(err)
	}
	return a
}

// listLex reads elements separated by sep; a quote is read as an error, a
// backslash as nothing in front of the next symbol.
func listLex(sep byte) *dfa.Automaton {
	return automaton(func(b *dfa.Builder) {
		s, esc, bad := b.AddState("ELEM", "in an element"), b.AddState("ESC", "after a backslash"), b.AddState("BAD", "after an error")
		quote := b.Message("a quote in a list")
		b.On(s, dfa.Bytes(sep), s, dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn})
		b.On(s, dfa.Bytes('\\'), esc, dfa.Emission{Kind: dfa.Skip})
		b.On(s, dfa.Bytes('"'), bad, dfa.Emission{Kind: dfa.Error, Code: quote})
		b.Otherwise(s, s, dfa.Emission{})
		b.Otherwise(esc, s, dfa.Emission{})
		b.Otherwise(bad, bad, dfa.Emission{Kind: dfa.Skip})
		for _, x := range []dfa.StateID{s, esc, bad} {
			b.EOF(x, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn})
		}
	})
}

// mapLex reads k=v;k=v.
func mapLex() *dfa.Automaton {
	return automaton(func(b *dfa.Builder) {
		k, v := b.AddState("KEY", "in a key"), b.AddState("VALUE", "in a value")
		b.On(k, dfa.Bytes('='), v, dfa.Emission{Kind: dfa.Field, Column: 0})
		b.On(k, dfa.Bytes(';'), k, dfa.Emission{Kind: dfa.Field, Column: 0})
		b.Otherwise(k, k, dfa.Emission{})
		b.On(v, dfa.Bytes(';'), k, dfa.Emission{Kind: dfa.Field, Column: 1})
		b.Otherwise(v, v, dfa.Emission{})
		b.EOF(k, dfa.Emission{Kind: dfa.Record, Column: 0})
		b.EOF(v, dfa.Emission{Kind: dfa.Record, Column: 1})
	})
}

// groupLex reads a[k=v k=v],b[],c into columns 0, 1 and 2. A value that ends
// in a group has a column too many.
func groupLex() *dfa.Automaton {
	return automaton(func(b *dfa.Builder) {
		g, k, v := b.AddState("GROUP", "in a name"), b.AddState("KEY", "in a key"), b.AddState("VALUE", "in a value")
		end := b.AddState("END", "after a group")
		b.On(g, dfa.Bytes('['), k, dfa.Emission{Kind: dfa.Field, Column: 0})
		b.Otherwise(g, g, dfa.Emission{})
		b.On(k, dfa.Bytes(']'), end, dfa.Emission{Kind: dfa.Skip})
		b.On(k, dfa.Bytes('='), v, dfa.Emission{Kind: dfa.Field, Column: 1})
		b.Otherwise(k, k, dfa.Emission{})
		b.On(v, dfa.Bytes(' '), k, dfa.Emission{Kind: dfa.Field, Column: 2})
		b.On(v, dfa.Bytes(']'), end, dfa.Emission{Kind: dfa.Field, Column: 2})
		b.Otherwise(v, v, dfa.Emission{})
		b.Otherwise(end, g, dfa.Emission{Kind: dfa.Skip})
		b.EOF(g, dfa.Emission{Kind: dfa.Record, Column: 0})
		for _, x := range []dfa.StateID{k, v, end} {
			b.EOF(x, dfa.Emission{Kind: dfa.Record, Column: 3})
		}
	})
}

// incomplete says what a row of the type table lacks, and what of it does not go
// together.
func incomplete(k dfa.TypeKind, row *Facts) (faults []string) {
	name := k.String()
	if name == "" {
		name = fmt.Sprint(int(k)) // dfa does not know it
	}
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Sprintf("type %s: ", name)+fmt.Sprintf(format, args...))
	}
	rest := *row
	if rest.TypeWords = (dfa.TypeWords{}); reflect.ValueOf(rest).IsZero() {
		fault("no row in the type table")
		return faults
	}
	value := reflect.ValueOf(*row)
	for _, f := range reflect.VisibleFields(value.Type()) {
		if part := f.Tag.Get("part"); part != "" && value.FieldByIndex(f.Index).IsZero() {
			fault("no %s", part)
		}
	}
	for _, e := range row.Examples {
		if !strings.HasPrefix(e.Type, row.Name) || e.Field == "" {
			fault("the example %q with the field %q is none", e.Type, e.Field)
		}
	}
	typ := typeOf(k)
	typ.Bytes = true // the text of addresses is made when they become Arrow's
	if row.Expected != nil && len(row.Expected(&typ)) < 4 {
		fault("no words of what is expected")
	}
	own := row.Text != nil && row.Text != AsArrow
	if own && row.Text.Append == nil {
		fault("no text form")
	}
	if row.Arrow != nil {
		w, fixed := row.Arrow(&typ).(arrow.FixedWidthDataType)
		switch width := 0; {
		case fixed && k != dfa.Bool:
			if width = w.BitWidth() / 8; row.Width == 0 {
				fault("no width; in Arrow it has %d bytes", width)
				break
			}
			fallthrough
		default:
			if row.Width != width {
				fault("%d bytes wide, in Arrow %d", row.Width, width)
			}
		}
		if _, raw := row.Arrow(&typ).(*arrow.FixedSizeBinaryType); raw && row.Text == AsArrow {
			fault("no text form of its own, and Arrow's bytes have none that could be read again")
		}
	}
	if own != (row.JSON == JSONString) && row.Text != nil && row.JSON != 0 {
		fault("a text form of its own is the JSON form too, as a string, and no other is")
	}
	if (row.Extension != "" || row.Parquet == ParquetUUID) && !own {
		fault("no text form of its own, by which its fields are known")
	}
	return faults
}

// A kind that is added to dfa has a row, and no row has a hole.
func TestTypeTable(t *testing.T) {
	seen := map[string]bool{}
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		row := FactsOf(k)
		faults := incomplete(k, row)
		for _, f := range faults {
			t.Error(f)
		}
		if len(faults) > 0 {
			continue
		}
		for _, name := range append([]string{row.Name}, row.Also...) {
			if seen[name] {
				t.Errorf("type %s: a second type named %q", k, name)
			}
			seen[name] = true
			if of, ok := dfa.KindOf(name); !ok || of != k {
				t.Errorf("type %s: the name %q is that of %s", k, name, of)
			}
		}
		typ := typeOf(k)
		if !strings.HasPrefix(Name(&typ), row.Name) {
			t.Errorf("type %s: Name is %q", k, Name(&typ))
		}
		if _, err := NewConverter(&dfa.Column{Type: typ}, Options{}); err != nil {
			t.Errorf("type %s: %v", k, err)
		}
		if field := arrowField("x", &typ); (FactsOfField(&field) == row) != (row.Text != AsArrow) {
			t.Errorf("type %s: its field is known as %v", k, FactsOfField(&field))
		}
	}
	if _, ok := dfa.KindOf("what"); ok {
		t.Error("a type that is not there")
	}
}

// TestMissingPartsAreNamed takes each part of each row away, and is told which.
func TestMissingPartsAreNamed(t *testing.T) {
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		if len(incomplete(k, FactsOf(k))) > 0 {
			continue // TestTypeTable says so
		}
		told := func(row *Facts, want string) {
			t.Helper()
			want = fmt.Sprintf("type %s: %s", k, want)
			if faults := incomplete(k, row); !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, want) }) {
				t.Errorf("%q, want %q", faults, want)
			}
		}
		told(&Facts{}, "no row in the type table")
		for _, f := range reflect.VisibleFields(reflect.TypeFor[Facts]()) {
			if part := f.Tag.Get("part"); part != "" {
				row := *FactsOf(k)
				reflect.ValueOf(&row).Elem().FieldByIndex(f.Index).SetZero()
				told(&row, "no "+part)
			}
		}
		if row := *FactsOf(k); row.Width != 0 {
			row.Width = 0
			told(&row, "no width")
		}
		if row := *FactsOf(k); row.Text != AsArrow {
			row.Text = &Text{}
			told(&row, "no text form")
			row.Text = AsArrow
			told(&row, "no text form of its own")
		}
		row := *FactsOf(k)
		row.Expected = words("")
		told(&row, "no words of what is expected")
	}
}

// TestKernelKinds holds the table to the kernels: their kinds have dfa's numbers, and
// those are converted that the table says a kernel converts, and no others.
func TestKernelKinds(t *testing.T) {
	source := func(name string) string {
		b, err := os.ReadFile(filepath.Join("../../kernels/convert", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	constant := func(k dfa.TypeKind) string { return "k" + k.String() }
	kinds := regexp.MustCompile(`(?s)enum TypeKind : uint32_t \{(.*?)\};`).FindStringSubmatch(source("field.cuh"))
	if kinds == nil {
		t.Fatal("no kinds in kernels/convert/field.cuh")
	}
	listed := map[dfa.TypeKind]bool{}
	for i, m := range regexp.MustCompile(`\bk(\w+)`).FindAllStringSubmatch(kinds[1], -1) {
		k := dfa.TypeKind(i)
		if i >= dfa.NTypeKinds || !strings.EqualFold(m[0], constant(k)) {
			t.Errorf("kernels/convert/field.cuh: the kind %s has the number %d, which is that of %s", m[0], i, k)
		}
		listed[k] = true
	}
	cases := map[string]bool{}
	for _, m := range regexp.MustCompile(`case k(\w+):`).FindAllStringSubmatch(source("value.cuh"), -1) {
		cases["k"+strings.ToLower(m[1])] = true
	}
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		kernel := FactsOf(k).Kernel
		texts := kernel == KernelText || kernel == KernelBinary // their bytes are moved, by other kernels
		switch {
		case kernel == "": // TestTypeTable says so
		case kernel == OnHost && cases[constant(k)]:
			t.Errorf("type %s: kernels/convert/value.cuh has a case for it, but its row leaves it to the host", k)
		case kernel == OnHost:
		case !listed[k]:
			t.Errorf("type %s: not among the kinds of kernels/convert/field.cuh", k)
		case !texts && !cases[constant(k)]:
			t.Errorf("type %s: no case in kernels/convert/value.cuh, but its row says that %q converts it", k, kernel)
		}
		if kernel != OnHost && kernel != "" {
			source(string(kernel) + ".cuh") // is there
		}
	}
}

func TestCodesHaveWords(t *testing.T) {
	for c := range Code(NCodes) {
		if c.String() == "" {
			t.Errorf("code %d has no words", c)
		}
	}
}

func TestArrowTypes(t *testing.T) {
	ip := dfa.Type{Kind: dfa.IP}
	for _, c := range []struct {
		typ  dfa.Type
		want string
	}{
		{dfa.Type{Kind: dfa.Time, Unit: dfa.Second}, "time32[s]"},
		{dfa.Type{Kind: dfa.Time, Unit: dfa.Millisecond}, "time32[ms]"},
		{dfa.Type{Kind: dfa.Time}, "time64[us]"},
		{dfa.Type{Kind: dfa.Timestamp}, "timestamp[us, tz=UTC]"},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T"}, "timestamp[us]"},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T %z", Unit: dfa.Nanosecond}, "timestamp[ns, tz=UTC]"},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T", Zone: "Europe/Berlin"}, "timestamp[us, tz=Europe/Berlin]"},
		{dfa.Type{Kind: dfa.Timestamp, Epoch: true, Unit: dfa.Second}, "timestamp[s, tz=UTC]"},
		{dfa.Type{Kind: dfa.Duration, Unit: dfa.Millisecond}, "duration[ms]"},
		{dfa.Type{Kind: dfa.Decimal, Precision: 38, Scale: 7}, "decimal(38, 7)"},
		{dfa.Type{Kind: dfa.Dictionary}, "dictionary<values=utf8, indices=int32, ordered=false>"},
		{dfa.Type{Kind: dfa.Timestamp, NoZone: true}, "timestamp[us]"},
		{dfa.Type{Kind: dfa.Timestamp, Zone: "UTC"}, "timestamp[us, tz=UTC]"},
		{dfa.Type{Kind: dfa.List, Elem: &ip}, "list<item: utf8, nullable>"},
		{dfa.Type{Kind: dfa.IP, Bytes: true}, "fixed_size_binary[16]"},
		{dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Int8}}, "map<utf8, int8, items_nullable>"},
	} {
		if got := ArrowType(&c.typ).String(); got != c.want {
			t.Errorf("%s: Arrow type %s, want %s", Name(&c.typ), got, c.want)
		}
	}
	u := ArrowField(&dfa.Column{Type: dfa.Type{Kind: dfa.UUID}})
	if v, _ := u.Metadata.GetValue("ARROW:extension:name"); v != "arrow.uuid" {
		t.Errorf("field of a UUID: %v", u)
	}
	f := ArrowField(&dfa.Column{Name: "a", Type: ip, Required: true})
	if v, _ := f.Metadata.GetValue(TypeKey); v != "ip" || f.Nullable || f.Name != "a" {
		t.Errorf("field of a required address: %v", f)
	}
	l := ArrowType(&dfa.Type{Kind: dfa.List, Elem: &ip}).(*arrow.ListType)
	if v, _ := l.ElemField().Metadata.GetValue(TypeKey); v != "ip" {
		t.Errorf("element of a list of addresses: %v", l.ElemField())
	}
	m := ArrowType(&dfa.Type{Kind: dfa.Map, Elem: &ip}).(*arrow.MapType)
	if v, _ := m.ItemField().Metadata.GetValue(TypeKey); v != "ip" {
		t.Errorf("value of a map of addresses: %v", m.ItemField())
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		typ  dfa.Type
		want string
	}{
		{dfa.Type{}, "str"},
		{dfa.Type{Kind: dfa.Uint16, Base16: true}, "u16(hex)"},
		{dfa.Type{Kind: dfa.Decimal, Precision: 12, Scale: 2, Point: ',', Thousands: '.'}, `dec(12, 2, thousands ".", point ",")`},
		{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T", Zone: "UTC", Unit: dfa.Second}, `ts("%F %T", unit s, tz "UTC")`},
		{dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Millisecond}, "ts(epoch(ms))"},
		{dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Nanosecond, Unit: dfa.Nanosecond}, "ts(epoch(ns))"},
		{dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Nanosecond}, "ts(epoch(ns), unit us)"},
		{dfa.Type{Kind: dfa.Duration, CountUnit: dfa.Second}, "dur(s)"},
		{dfa.Type{Kind: dfa.Duration, CountUnit: dfa.Second, Unit: dfa.Millisecond}, "dur(s, unit ms)"},
		{dfa.Type{Kind: dfa.Duration, CountUnit: dfa.Nanosecond, Unit: dfa.Nanosecond}, "dur(ns)"},
		{dfa.Type{Kind: dfa.Duration, Layout: "go"}, "dur(go)"},
		{dfa.Type{Kind: dfa.Duration, Layout: "clock", Unit: dfa.Nanosecond}, "dur(clock, unit ns)"},
		{dfa.Type{Kind: dfa.Timestamp, NoZone: true}, "ts(tz none)"},
		{dfa.Type{Kind: dfa.IP, Bytes: true}, "ip(binary)"},
		{dfa.Type{Kind: dfa.Enum, Tokens: []string{"A", "b c"}}, `enum("A" "b c")`},
		{dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}}}, "map(map(str))"},
	} {
		if got := Name(&c.typ); got != c.want {
			t.Errorf("Name is %s, want %s", got, c.want)
		}
	}
}

// cell is row i of c as a Go value: nil, bool, int64, uint64, float64, string,
// *big.Int for decimals, [16]byte, []any, [][2]any.
func cell(c *columns.Column, i int) any {
	if !c.IsValid(i) {
		return nil
	}
	if c.Form.Texts != nil {
		return columns.ValuesOf[[16]byte](c.Fixed)[i]
	}
	switch c.Form.Arrow.ID() {
	case arrow.BOOL:
		return c.Fixed[i>>3]>>(i&7)&1 == 1
	case arrow.INT8:
		return int64(columns.ValuesOf[int8](c.Fixed)[i])
	case arrow.INT16:
		return int64(columns.ValuesOf[int16](c.Fixed)[i])
	case arrow.INT32, arrow.DATE32:
		return int64(columns.ValuesOf[int32](c.Fixed)[i])
	case arrow.UINT8:
		return uint64(columns.ValuesOf[uint8](c.Fixed)[i])
	case arrow.UINT16:
		return uint64(columns.ValuesOf[uint16](c.Fixed)[i])
	case arrow.UINT32:
		return uint64(columns.ValuesOf[uint32](c.Fixed)[i])
	case arrow.UINT64:
		return columns.ValuesOf[uint64](c.Fixed)[i]
	case arrow.FLOAT32:
		return float64(columns.ValuesOf[float32](c.Fixed)[i])
	case arrow.FLOAT64:
		return columns.ValuesOf[float64](c.Fixed)[i]
	case arrow.DECIMAL128:
		v := columns.ValuesOf[decimal128](c.Fixed)[i]
		b := new(big.Int).Lsh(big.NewInt(int64(v.hi)), 64)
		return b.Add(b, new(big.Int).SetUint64(v.lo)).String()
	case arrow.DICTIONARY:
		if c.Form.Tokens != nil {
			return c.Form.Tokens[columns.ValuesOf[int32](c.Fixed)[i]]
		}
		return cell(c.Children[0], int(columns.ValuesOf[int32](c.Fixed)[i]))
	case arrow.FIXED_SIZE_BINARY:
		return columns.ValuesOf[[16]byte](c.Fixed)[i]
	case arrow.STRING, arrow.BINARY:
		return string(c.Data[c.Offsets[i]:c.Offsets[i+1]])
	case arrow.LIST:
		l := []any{}
		for e := c.Offsets[i]; e < c.Offsets[i+1]; e++ {
			l = append(l, cell(c.Children[0], int(e)))
		}
		return l
	case arrow.MAP:
		m := [][2]any{}
		for e := c.Offsets[i]; e < c.Offsets[i+1]; e++ {
			m = append(m, [2]any{cell(c.Children[0], int(e)), cell(c.Children[1], int(e))})
		}
		return m
	}
	if c.Form.Width == 4 {
		return int64(columns.ValuesOf[int32](c.Fixed)[i])
	}
	return columns.ValuesOf[int64](c.Fixed)[i]
}

// checkColumn fails if c's buffers are not what their invariants say.
func checkColumn(t testing.TB, c *columns.Column) {
	t.Helper()
	if len(c.Valid) != (c.Len+7)/8 {
		t.Fatalf("%s: bitmap of %d bytes for %d rows", c.Form.Arrow, len(c.Valid), c.Len)
	}
	nulls := 0
	for i := range c.Len {
		if !c.IsValid(i) {
			nulls++
		}
	}
	if nulls != c.Nulls {
		t.Fatalf("%s: %d nulls, counted as %d", c.Form.Arrow, nulls, c.Nulls)
	}
	if n := c.Len & 7; n != 0 && c.Valid[c.Len>>3]>>n != 0 {
		t.Fatalf("%s: bits after the last row", c.Form.Arrow)
	}
	w := c.Form.Width
	if w > 0 && len(c.Fixed) != w*c.Len {
		t.Fatalf("%s: %d bytes for %d rows", c.Form.Arrow, len(c.Fixed), c.Len)
	}
	for i := range c.Len {
		for _, b := range c.Fixed[min(i*w, len(c.Fixed)):min((i+1)*w, len(c.Fixed))] {
			if !c.IsValid(i) && b != 0 {
				t.Fatalf("%s: a null row %d is not zero", c.Form.Arrow, i)
			}
		}
	}
	if c.Offsets != nil {
		if len(c.Offsets) != c.Len+1 || c.Offsets[0] != 0 {
			t.Fatalf("%s: %d offsets for %d rows", c.Form.Arrow, len(c.Offsets), c.Len)
		}
		end := len(c.Data)
		if len(c.Children) > 0 {
			end = c.Children[0].Len
		}
		if int(c.Offsets[c.Len]) != end {
			t.Fatalf("%s: offsets end at %d of %d", c.Form.Arrow, c.Offsets[c.Len], end)
		}
		for i := range c.Len {
			if c.Offsets[i] > c.Offsets[i+1] || !c.IsValid(i) && c.Offsets[i] != c.Offsets[i+1] {
				t.Fatalf("%s: row %d from %d to %d", c.Form.Arrow, i, c.Offsets[i], c.Offsets[i+1])
			}
		}
	}
	for _, child := range c.Children {
		checkColumn(t, child)
	}
	if c.Form.Buffers == columns.Maps && c.Children[0].Len != c.Children[1].Len {
		t.Fatalf("%d keys, %d values", c.Children[0].Len, c.Children[1].Len)
	}
}

// convertAll converts one field a row, in Src and spread apart, with room
// behind the last one or not, or in Decoded.
func convertAll(t testing.TB, col *dfa.Column, opt Options, decoded bool, room int, fields ...string) (*columns.Column, []FieldError) {
	t.Helper()
	c, err := NewConverter(col, opt)
	if err != nil {
		t.Fatal(err)
	}
	var f Fields
	if !decoded {
		src := []byte(strings.Join(fields, "\x00\xff,") + strings.Repeat("7", room))
		f.Reset(src[:len(src):len(src)])
	}
	at := 0
	for _, s := range fields {
		if decoded {
			f.PushDecoded([]byte(s))
			continue
		}
		f.Push(uint32(at), uint32(at+len(s)))
		at += len(s) + 3
	}
	dst := NewColumn(&col.Type)
	errs := c.Append(dst, &f, nil)
	checkColumn(t, dst)
	return dst, errs
}

// one converts a field in every position that a field can have, and wants the
// same of each.
func one(t testing.TB, col *dfa.Column, opt Options, field string) (any, Code) {
	t.Helper()
	var value any
	var code Code
	for i, place := range []struct {
		decoded bool
		room    int
	}{{false, 64}, {false, 0}, {true, 0}} {
		dst, errs := convertAll(t, col, opt, place.decoded, place.room, field)
		v, c := cell(dst, 0), OK
		if len(errs) > 0 {
			c = errs[0].Code
		}
		if len(errs) > 1 || dst.Len != 1 || (c != OK) && v != nil {
			t.Fatalf("%s: %q gives %v with errors %v", Name(&col.Type), field, v, errs)
		}
		if i == 0 {
			value, code = v, c
		} else if !sameCell(v, value) || c != code {
			t.Fatalf("%s: %q gives %v (%v), and in another place %v (%v)", Name(&col.Type), field, value, code, v, c)
		}
	}
	return value, code
}

func sameCell(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameCell(a[i], b[i]) {
				return false
			}
		}
		return true
	case [][2]any:
		b, ok := b.([][2]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameCell(a[i][0], b[i][0]) || !sameCell(a[i][1], b[i][1]) {
				return false
			}
		}
		return true
	case float64:
		b, ok := b.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(b)
	}
	return a == b
}

// sample of one type: fields that convert, and those that do not.
type typeCase struct {
	typ  dfa.Type
	opt  Options
	good map[string]any
	bad  map[string]Code
}

func (c *typeCase) run(t *testing.T) {
	t.Helper()
	col := &dfa.Column{Name: "x", Type: c.typ}
	for field, want := range c.good {
		got, code := one(t, col, c.opt, field)
		if code != OK || !sameCell(got, want) {
			t.Errorf("%s: %q gives %v (%v), want %v", Name(&c.typ), field, got, code, want)
		}
	}
	for field, want := range c.bad {
		if got, code := one(t, col, c.opt, field); code != want {
			t.Errorf("%s: %q gives %v (%v), want %v", Name(&c.typ), field, got, code, want)
		}
	}
}

var base = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
