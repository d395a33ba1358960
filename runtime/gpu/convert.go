//go:build cuda

package gpu

import (
	"encoding/binary"
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/convert"
)

// outputImage is what the device is told of a column to deliver. What the
// addresses of Output are to point at lies beside it; where the column's spans
// are, and its buffers, is for the engine to add.
type outputImage struct {
	kernels.Output
	tokens       []byte // Output.Tokens
	defaultBytes []byte // Output.DefaultBytes
	typ          []byte // Output.Type, any alignment up to 16
}

// typeImages are the kinds that kernels convert: each sets Options and typ as
// its converter in kernels/convert reads them, and is false if no kernel knows
// the type's options. A kind without one is the host's.
var typeImages [dfa.NTypeKinds]func(x *outputImage, t *dfa.Type, o convert.Options) bool

func init() {
	typeImages = [dfa.NTypeKinds]func(x *outputImage, t *dfa.Type, o convert.Options) bool{}
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
		{t.Kind != dfa.String && t.Kind != dfa.Dictionary && t.Kind != dfa.Binary, kernels.EmptyIsNull},
		{plan.UTF8 == dfa.RejectUTF8, kernels.RejectUTF8},
		{plan.UTF8 == dfa.KeepUTF8, kernels.KeepUTF8},
	} {
		if f.set {
			x.Flags |= f.flag
		}
	}
	if build := typeImages[t.Kind]; build == nil || !build(x, t, opt) {
		x.Flags |= kernels.OnHost
		return x, nil
	}
	x.NTokens = uint32(len(col.Nulls))
	for _, token := range col.Nulls {
		x.tokens = binary.LittleEndian.AppendUint32(x.tokens, uint32(len(token)))
		x.tokens = append(x.tokens, token...)
		x.tokens = append(x.tokens, make([]byte, -len(token)&3)...)
	}
	if col.HasDefault {
		return x, x.setDefault(col, opt)
	}
	return x, nil
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
	var fixed [16]byte
	copy(fixed[:], value.Fixed)
	x.DefaultValue[0] = binary.LittleEndian.Uint64(fixed[:8])
	x.DefaultValue[1] = binary.LittleEndian.Uint64(fixed[8:])
	x.defaultBytes, x.DefaultLength = value.Data, uint32(len(value.Data))
	return nil
}
