//go:build cuda

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/gpu"
)

// TestSum: the device's sums are those that the CPU's engine gives.
func TestSum(t *testing.T) {
	e := gpu.New(gpu.WithFlight(16 << 10))
	s, err := newSummer(e)
	if err != nil {
		t.Skip(err)
	}
	orders, err := os.ReadFile("../orders.csv")
	if err != nil {
		t.Fatal(err)
	}
	var taxi bytes.Buffer
	if err := gen.Write(&taxi, "taxi", 60<<10, 1); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		format, column string
		data           []byte
	}{
		{"../orders.dfp", "items", orders},
		{"../orders.dfp", "weight_kg", orders},
		{"taxi", "total_amount", taxi.Bytes()},
	} {
		p, err := program(test.format)
		if err != nil {
			if p, err = gen.Program(test.format); err != nil {
				t.Fatal(err)
			}
		}
		want, wantRows := sumOnCPU(t, p, test.data, test.column)
		got, rows, err := s.sum(e, gpu.HostInput(test.data), p, test.column)
		if err != nil {
			t.Fatal(err)
		}
		// The device adds in another order.
		if rows != wantRows || math.Abs(got-want) > 1e-9*math.Abs(want) || want == 0 {
			t.Errorf("%s: %v in %d rows, want %v in %d", test.column, got, rows, want, wantRows)
		}
	}
	if _, _, err := s.sum(e, gpu.HostInput(orders), mustProgram(t), "customer"); err == nil {
		t.Error("a sum of strings")
	}
}

// TestPTX: sum.ptx is of sum.cu.
func TestPTX(t *testing.T) {
	source, err := os.ReadFile("sum.cu")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(sumPTX, fmt.Sprintf("// Source: %x\n", sha256.Sum256(source))) {
		t.Error("sum.cu has changed: make kernels")
	}
}

func mustProgram(t *testing.T) *dfa.Program {
	p, err := program("../orders.dfp")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sumOnCPU(t *testing.T, p *dfa.Program, data []byte, name string) (sum float64, rows int64) {
	r, err := runtime.ReadBytes(data, p, runtime.WithEngine(cpu.Engine), runtime.WithColumns(name))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		switch column := r.Record().Column(0).(type) {
		case *array.Uint16:
			for i := range column.Len() {
				if column.IsValid(i) {
					sum += float64(column.Value(i))
				}
			}
		case *array.Float64:
			for i := range column.Len() {
				if column.IsValid(i) {
					sum += column.Value(i)
				}
			}
		}
		rows += r.Record().NumRows()
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return sum, rows
}
