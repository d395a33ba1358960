//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/dfaparse/dfaparse/internal/aggregate"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/expr"
)

// This file groups rows on the device, see kernels/group.cu: it says what a query is to the
// kernels, and grouptable.go has the memory that groups take.

// errHost is why a query, or a column of it, is the host's.
type errHost struct{ why string }

func (e *errHost) Error() string { return "grouped on the host: " + e.why }

// query is a Shape as kernels read it.
type query struct {
	plan  *aggregate.Plan
	shape *aggregate.Shape
	image groupImage // what does not change from batch to batch, its addresses in memory

	memory device.Memory
}

// newQuery puts what does not change on the device; schema is that of the batches.
func newQuery(d *device.Device, s *device.Stream, plan *aggregate.Plan, schema *arrow.Schema) (*query, error) {
	shape, why := plan.Shape()
	if why != "" {
		return nil, &errHost{why}
	}
	q := &query{plan: plan, shape: shape}
	if len(shape.Keys) > groupMostKeys {
		return nil, &errHost{fmt.Sprintf("there are more than %d columns to group by", groupMostKeys)}
	}
	for _, v := range shape.Values {
		if _, err := laidOut(v, schema.Field(v.Column()).Type); err != nil {
			return nil, err
		}
	}
	var blob []byte
	place := func(b []byte) uint64 {
		at := uint64(len(blob))
		blob = append(blob, b...)
		blob = append(blob, make([]byte, -len(blob)&15)...)
		return at
	}
	keys := make([]uint32, len(shape.Keys))
	for i, k := range shape.Keys {
		keys[i] = uint32(k.Of)
	}
	tallies, cells := q.tallies()
	tests, err := q.tests(place)
	if err != nil {
		return nil, err
	}
	q.image = groupImage{
		Seed: rand.Uint64(), Nkeys: uint32(len(keys)), Ntallies: uint32(len(tallies)), Ntests: uint32(len(tests)),
		Words: uint32(shape.Words()), CellWords: uint32(len(cells)),
	}
	if shape.Counted {
		q.image.CountsRows = 1
	}
	at := []*uint64{&q.image.Keys, &q.image.Tallies, &q.image.Begin, &q.image.CellBegin, &q.image.Tests}
	for i, b := range [][]byte{bytesOf(keys), bytesOf(tallies), bytesOf(shape.Begin()), bytesOf(cells)} {
		*at[i] = place(b)
	}
	testsAt := place(bytesOf(tests))
	q.image.Tests = testsAt
	if q.memory, err = d.Alloc(len(blob) + 64); err != nil {
		return nil, err
	}
	for _, address := range at {
		*address += q.memory.Address
	}
	for i := range tests { // they lie where they will be
		if tests[i].Kind == testOfText {
			tests[i].Text += q.memory.Address
		}
	}
	copy(blob[testsAt:], bytesOf(tests))
	if err = s.Upload(q.memory.Address, blob); err == nil {
		err = s.Synchronize()
	}
	if err != nil {
		q.close(d)
		return nil, err
	}
	return q, nil
}

func (q *query) close(d *device.Device) { d.FreeMemory(q.memory) }

// tallies are those of the shape, and what a cell begins with.
func (q *query) tallies() (tallies []groupTally, cells []uint64) {
	kinds := map[aggregate.ShapeKind]uint32{
		aggregate.TallyCount: tallyOfCount, aggregate.TallyWhole: tallyOfWhole, aggregate.TallyUnsigned: tallyOfUnsigned,
		aggregate.TallyWide: tallyOfWide, aggregate.TallyFloat: tallyOfFloat,
	}
	begin := q.shape.Begin()
	at := 1
	cells = append(cells, 0)
	for i := range q.shape.Tallies {
		t := &q.shape.Tallies[i]
		x := groupTally{Kind: kinds[t.Kind], Column: uint32(t.Of), At: uint32(at), Cell: uint32(len(cells))}
		words := begin[at:][:t.Words()]
		at += len(words)
		if t.Sums {
			x.Parts |= groupSums
		}
		if t.Bounds {
			x.Parts |= groupBounds
		}
		if t.Sums && t.Kind == aggregate.TallyFloat {
			cells = append(cells, make([]uint64, 1+groupCellFloatWords)...)
			words = words[1+groupFloatWords:]
		}
		cells = append(cells, words...)
		tallies = append(tallies, x)
	}
	return tallies, cells
}

// mostStack is how many truths a test may have at once.
const mostStack = 32

// tests are the steps of the filter; place gives their texts a place.
func (q *query) tests(place func([]byte) uint64) (tests []groupTest, err error) {
	depth := 0
	for i := range q.shape.Where {
		s := &q.shape.Where[i]
		x := groupTest{Holds: 1}
		if s.Contrary {
			x.Holds = 0
		}
		switch s.Kind {
		case expr.StepNot:
			x.Kind = testOfNot
		case expr.StepAll, expr.StepAny:
			if x.Kind = testOfAll; s.Kind == expr.StepAny {
				x.Kind = testOfAny
			}
			depth--
		default:
			if depth++; depth > mostStack {
				return nil, &errHost{fmt.Sprintf("the test of rows is more than %d deep", mostStack)}
			}
			of := slices.IndexFunc(q.shape.Values, s.Of.Same)
			if of < 0 { // only the test reads it
				q.shape.Values = append(slices.Clip(q.shape.Values), s.Of)
				of = len(q.shape.Values) - 1
			}
			x.Column = uint32(of)
			x.set(s, place)
		}
		tests = append(tests, x)
	}
	return tests, nil
}

// set makes x a test of a value.
func (x *groupTest) set(s *expr.Step, place func([]byte) uint64) {
	orders := func() {
		x.Holds = 0
		for i, order := range []int{-1, 0, 1} {
			if s.Holds(order) {
				x.Holds |= 1 << i
			}
		}
	}
	switch s.Kind {
	case expr.StepNull:
		x.Kind = testOfNull
	case expr.StepTruth:
		x.Kind = testOfSigned
		if s.Truth {
			x.Low, x.High = 1, 1
		}
	case expr.StepFloat:
		x.Kind, x.Low = testOfFloat, math.Float64bits(s.Float)
		orders()
	case expr.StepText:
		x.Kind, x.Size = testOfText, uint32(len(s.Text))
		x.Text = place(append(slices.Clip(s.Text), make([]byte, 8)...))
		orders()
	default:
		x.setWithin(s)
	}
}

// setWithin makes x a test of whole numbers.
func (x *groupTest) setWithin(s *expr.Step) {
	one := big.NewInt(1)
	most := new(big.Int).Sub(new(big.Int).Lsh(one, 63), one)
	least := new(big.Int).Not(most)
	x.Kind = testOfSigned
	switch f, _ := laidOut(s.Of, s.Of.Rounding().Of); f.Form {
	case groupFormUnsigned:
		x.Kind, least, most = testOfUnsigned, new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, 64), one)
	case groupFormWide:
		far := new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil)
		x.Kind, least, most = testOfWide, new(big.Int).Neg(far), far
	}
	low, high, ok := s.Within(least, most)
	if !ok {
		x.Kind = testOfNone
		return
	}
	l, h := decimal128.FromBigInt(low), decimal128.FromBigInt(high)
	x.Low, x.LowAbove, x.High, x.HighAbove = l.LowBits(), uint64(l.HighBits()), h.LowBits(), uint64(h.HighBits())
}

// laidOut is how values lie whose column is of a type; without addresses.
func laidOut(v *expr.Value, t arrow.DataType) (c groupColumn, err error) {
	fixed := func(form uint32) {
		w := uint32(t.(arrow.FixedWidthDataType).Bytes())
		c.Form, c.Width, c.Stride = form, w, w
	}
	switch t := t.(type) {
	case *arrow.BooleanType:
		c.Form = groupFormBits
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		fixed(groupFormUnsigned)
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type, *arrow.Date32Type,
		*arrow.Time32Type, *arrow.Time64Type, *arrow.TimestampType, *arrow.DurationType:
		fixed(groupFormSigned)
	case *arrow.Decimal128Type:
		if fixed(groupFormWide); t.Precision <= 18 { // of which the low halves say all
			c.Form, c.Width = groupFormSigned, 8
		}
	case *arrow.Float32Type, *arrow.Float64Type:
		fixed(groupFormFloat)
	case *arrow.FixedSizeBinaryType:
		fixed(groupFormBytes)
	case *arrow.StringType, *arrow.BinaryType:
		c.Form = groupFormTexts
	case *arrow.DictionaryType:
		c.Form = groupFormCodes
	case *arrow.ListType, *arrow.MapType:
		c.Form = groupFormNothing
	default:
		return c, &errHost{fmt.Sprintf("%s is %s", v.Field.Name, expr.TypeName(&v.Field))}
	}
	r := v.Rounding()
	if r.Unit == "" {
		return c, nil
	}
	if c.Ticks = r.Ticks; !r.Plain {
		return c, &errHost{fmt.Sprintf("%s is in the zone of its column", v.Field.Name)}
	}
	c.Unit = expr.SecondsOf(r.Unit)
	c.Round = map[string]uint32{
		"hour": groupRoundTicks, "minute": groupRoundTicks, "second": groupRoundTicks, "day": groupRoundDay,
		"week": groupRoundWeek, "month": groupRoundMonth, "quarter": groupRoundQuarter, "year": groupRoundYear,
	}[r.Unit]
	return c, nil
}

// columnOf is a column of a batch as kernels read it.
func columnOf(v *expr.Value, b *DeviceBatch) (groupColumn, error) {
	from := &b.Columns[v.Column()]
	c, err := laidOut(v, from.Type)
	if err != nil {
		return c, err
	}
	if from.Nulls > 0 {
		c.Valid = from.Validity()
	}
	switch c.Form {
	case groupFormNothing:
	case groupFormTexts:
		c.Offsets, c.Text = from.Offsets(), from.Text()
	case groupFormCodes:
		c.Values = from.Values()
		if words := from.Dictionary; words != nil {
			c.Offsets, c.Text = words.Offsets(), words.Text()
		}
	default:
		c.Values = from.Values()
	}
	return c, nil
}

// isHost reports whether an error says that the host has to group.
func isHost(err error) (why string, ok bool) {
	var host *errHost
	if errors.As(err, &host) {
		return host.why, true
	}
	return "", false
}
