//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/kernels"
)

// binaryImage: see kernels/convert/binary.cuh. Binaries are texts that need not
// be UTF-8: how long each is comes first, and what it stands for is made when
// texts are gathered.
func binaryImage(x *outputImage, t *dfa.Type, _ convert.Options) bool {
	x.Flags = x.Flags&^kernels.RejectUTF8 | kernels.KeepUTF8
	x.Options[0] = uint64(t.Encoding)
	return true
}
