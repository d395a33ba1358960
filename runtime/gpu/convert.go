//go:build cuda

package gpu

import (
	"encoding/binary"
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// convertStage turns fields into values: the twin is internal/convert.
type convertStage struct {
	device        *device.Device
	convert, long convertKernel
}

func newConvertStage(d *device.Device) (*convertStage, error) {
	convert, err := findConvertKernel(d, "dfa_convert")
	if err != nil {
		return nil, err
	}
	long, err := findConvertKernel(d, "dfa_convert_long")
	return &convertStage{d, convert, long}, err
}

// launch runs the stage over a delivery of at most so many rows and so many
// outputs. The addresses are of a Program, a Job and a Delivery; the outputs'
// counters are zero.
func (x *convertStage) launch(s *device.Stream, program pointer[kernels.Program], job pointer[kernels.Job], delivery pointer[kernels.Delivery], rows, outputs int) error {
	if rows == 0 || outputs == 0 {
		return nil
	}
	blocks := strides(x.device, (rows+convertRows-1)/convertRows*outputs, 1)
	if err := x.convert.launch(s, device.Grid{blocks}, convertRows, 0, program, job, delivery); err != nil {
		return err
	}
	return x.long.launch(s, device.Grid{2 * x.device.Info().Multiprocessors}, convertRows, 0, program, job, delivery)
}

// outputImage is what the device is told of a column to deliver. What the
// addresses of Output are to point at lies beside it; where the column's spans
// are, and its buffers, is for the engine to add.
type outputImage struct {
	kernels.Output
	tokens       []byte // Output.Tokens
	defaultBytes []byte // Output.DefaultBytes
	typ          []byte // Output.Type, any alignment up to 16
}

// newOutputImage describes output o of plan.
func newOutputImage(plan *runtime.Plan, o runtime.Output) (*outputImage, error) {
	col := plan.Def(o)
	opt := convert.Options{UTF8: plan.UTF8, BaseTime: plan.BaseTime}
	t := &col.Type
	x := &outputImage{}
	x.Kind, x.Width = uint32(t.Kind), uint32(convert.ByteWidth(t))
	for _, f := range []struct {
		set  bool
		flag uint32
	}{
		{col.Trim, kernels.Trim},
		{col.Required, kernels.Required},
		{col.HasDefault, kernels.HasDefault},
		{!convert.FactsOf(t.Kind).Empty, kernels.EmptyIsNull},
		{plan.UTF8 == dfa.RejectUTF8, kernels.RejectUTF8},
		{plan.UTF8 == dfa.KeepUTF8, kernels.KeepUTF8},
	} {
		if f.set {
			x.Flags |= f.flag
		}
	}
	if plainNotation := len(t.In) == 0 && !t.Implied && t.Size == 0 && len(col.Empties) == 0; !plainNotation {
		x.Flags |= kernels.OnHost // no kernel knows them
		return x, nil
	}
	if build := typeImages[convert.FactsOf(t.Kind).Kernel]; build == nil || !build(x, t, opt) {
		x.Flags |= kernels.OnHost
		return x, nil
	}
	x.NTokens = uint32(len(col.NullTokens()))
	x.tokens = tokenBytes(col.NullTokens())
	if col.HasDefault {
		return x, x.setDefault(col, opt)
	}
	return x, nil
}

// tokenBytes are null tokens as Output.Tokens and Split.Tokens have them.
func tokenBytes(tokens []string) (b []byte) {
	for _, token := range tokens {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(token)))
		b = append(b, token...)
		b = append(b, make([]byte, -len(token)&3)...)
	}
	return b
}

// setDefault converts what comes in place of null.
func (x *outputImage) setDefault(col *dfa.Column, opt convert.Options) error {
	c, err := convert.NewConverter(col, opt)
	if err != nil {
		return err
	}
	var absent convert.Fields
	absent.PushAbsent()
	value := convert.NewColumn(&col.Type)
	if errs := c.Append(value, &absent, nil); len(errs) != 0 {
		return fmt.Errorf("column %q: the default gives %s", col.Name, errs[0].Code)
	}
	if col.Type.Kind == dfa.Dictionary {
		value = value.Children[0]
	}
	var fixed [16]byte
	copy(fixed[:], value.Fixed)
	x.DefaultValue[0] = binary.LittleEndian.Uint64(fixed[:8])
	x.DefaultValue[1] = binary.LittleEndian.Uint64(fixed[8:])
	x.defaultBytes, x.DefaultLength = value.Data, uint32(len(value.Data))
	return nil
}
