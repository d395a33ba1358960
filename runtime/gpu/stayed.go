//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/internal/device"
)

// patchStage puts values of the host's into columns that stay: see kernels/patch.cu.
type patchStage struct {
	device  *device.Device
	records patchRecordsKernel
	values  patchValuesKernel
	texts   patchTextsKernel
	offsets patchOffsetsKernel
	bytes   patchBytesKernel
	kept    patchKeptKernel
}

func newPatchStage(d *device.Device) (*patchStage, error) {
	x := &patchStage{device: d}
	var err error
	if x.records, err = findPatchRecordsKernel(d, "dfa_patch_records"); err != nil {
		return nil, err
	}
	if x.values, err = findPatchValuesKernel(d, "dfa_patch_values"); err != nil {
		return nil, err
	}
	if x.texts, err = findPatchTextsKernel(d, "dfa_patch_texts"); err != nil {
		return nil, err
	}
	if x.offsets, err = findPatchOffsetsKernel(d, "dfa_patch_offsets"); err != nil {
		return nil, err
	}
	if x.bytes, err = findPatchBytesKernel(d, "dfa_patch_bytes"); err != nil {
		return nil, err
	}
	x.kept, err = findPatchKeptKernel(d, "dfa_patch_kept")
	return x, err
}

func (x *patchStage) grid(n int) device.Grid {
	return device.Grid{strides(x.device, n, patchThreads)}
}

// bring has parts of the symbols put one behind the other in memory at `to`, behind the list of them, which comes first.
func (x *patchStage) bring(s *device.Stream, to, symbols uint64, list []broughtImage) error {
	if err := s.Upload(to, bytesOf(list)); err != nil {
		return err
	}
	return x.records.launch(s, x.grid(32*len(list)), patchThreads, 0, to+uint64(broughtSize*len(list)), symbols, to, uint64(len(list)))
}

// takeValues gives a buffer its place, for what is of so many bytes a row on the device, but for rows that are left out.
func (k *keeping) takeValues(to *Buffer, from uint64, width int) {
	if len(k.gone) == 0 {
		k.take(to, from, nil, k.rows*width)
		return
	}
	k.take(to, 0, nil, k.kept()*width)
	k.keepRows(to, func() uint64 { return from }, k.kept(), width)
}

// keepRows has the first n values, of so many bytes each, of rows that are not left out put to a buffer; from says where
// they are when it is asked.
func (k *keeping) keepRows(to *Buffer, from func() uint64, n, width int) {
	if k.goneAt == nil {
		gone := make([]uint32, len(k.gone))
		for i, row := range k.gone {
			gone[i] = uint32(row)
		}
		k.goneAt = &Buffer{}
		k.take(k.goneAt, 0, bytesOf(gone), 4*len(gone))
	}
	k.behind = append(k.behind, func() error {
		x := k.p.stages.patch
		return x.kept.launch(k.p.out, x.grid(n), patchThreads, 0, to.Address, from(), k.goneAt.Address, uint64(len(k.gone)), uint64(n), uint64(width))
	})
}

// patchValues has values of the host's, of so many bytes each, put to rows of a buffer, when that is there.
func (k *keeping) patchValues(to *Buffer, rows []uint32, values []byte, width int) {
	if len(rows) == 0 {
		return
	}
	at, from := &Buffer{}, &Buffer{}
	k.take(at, 0, bytesOf(rows), 4*len(rows))
	k.take(from, 0, values, len(values))
	k.behind = append(k.behind, func() error {
		x := k.p.stages.patch
		return x.values.launch(k.p.out, x.grid(len(values)), patchThreads, 0, to.Address, at.Address, from.Address, uint64(len(rows)), uint64(width))
	})
}

// patchTexts has the offsets and bytes of a column of texts made of those that the device has, with those of the host's in
// their rows, and without rows that are left out: first these are empty.
func (k *keeping) patchTexts(to *Column, offsets uint64, bytes region, r replaced) {
	rows, text, ends := make([]uint32, 0, len(r.rows)+len(k.gone)), r.values, make([]uint32, 0, len(r.rows)+len(k.gone))
	gone, end := k.gone, uint32(0)
	for i := 0; i < len(r.rows) || len(gone) > 0; {
		if i == len(r.rows) || len(gone) > 0 && gone[0] < int(r.rows[i]) {
			rows, gone = append(rows, uint32(gone[0])), gone[1:]
		} else {
			rows, end = append(rows, r.rows[i]), r.ends[i]
			i++
		}
		ends = append(ends, end)
	}
	made := &to.Buffers[1]
	if len(k.gone) > 0 {
		made = &Buffer{}
		k.take(&to.Buffers[1], 0, nil, 4*(k.kept()+1))
	}
	k.take(made, 0, nil, 4*(k.rows+1))
	k.take(&to.Buffers[2], 0, nil, bytes.size+len(text)) // or less, where they stand in place of others
	at, last, from, shift, inserted := &Buffer{}, &Buffer{}, &Buffer{}, &Buffer{}, &Buffer{}
	k.take(at, 0, bytesOf(rows), 4*len(rows))
	k.take(last, 0, bytesOf(ends), 4*len(ends))
	k.take(from, 0, text, len(text))
	k.take(shift, 0, nil, 4*(len(rows)+1))
	k.take(inserted, 0, nil, insertedSize*len(rows))
	k.behind = append(k.behind, func() error {
		x, s, n := k.p.stages.patch, k.p.out, uint64(len(rows))
		if err := x.texts.launch(s, device.Grid{1}, patchThreads, 0, inserted.Address, shift.Address, at.Address, last.Address, n, offsets); err != nil {
			return err
		}
		if err := x.offsets.launch(s, x.grid(k.rows+1), patchThreads, 0, made.Address, offsets, uint64(k.rows), at.Address, shift.Address, n); err != nil {
			return err
		}
		slices := ceil(to.Buffers[2].Size, 16)
		return x.bytes.launch(s, x.grid(slices), patchThreads, 0, to.Buffers[2].Address, bytes.address, from.Address, inserted.Address, n, made.Address+uint64(4*k.rows))
	})
	if len(k.gone) > 0 {
		k.keepRows(&to.Buffers[1], func() uint64 { return made.Address }, k.kept()+1, 4)
	}
}
