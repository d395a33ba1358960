//go:build cuda

package gpu

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/device"
)

// addressStage makes the texts of addresses in columns that stay: see kernels/addresses.cu.
type addressStage struct {
	device  *device.Device
	total   addressesTotalKernel
	offsets addressesOffsetsKernel
	scan    addressesScanKernel
	texts   addressesTextsKernel
}

func newAddressStage(d *device.Device) (*addressStage, error) {
	x := &addressStage{device: d}
	var err error
	if x.total, err = findAddressesTotalKernel(d, "dfa_addresses_total"); err != nil {
		return nil, err
	}
	if x.offsets, err = findAddressesOffsetsKernel(d, "dfa_addresses_offsets"); err != nil {
		return nil, err
	}
	if x.scan, err = findAddressesScanKernel(d, "dfa_addresses_scan"); err != nil {
		return nil, err
	}
	x.texts, err = findAddressesTextsKernel(d, "dfa_addresses_texts")
	return x, err
}

// grid is for n threads.
func (x *addressStage) grid(n int) device.Grid {
	return device.Grid{strides(x.device, n, addressThreads)}
}

// formOf is how values of output i of the device lie on the host.
func (k *keeping) formOf(i int) *columns.Form {
	return convert.FormOf(&k.p.plan.Def(k.p.plan.Outputs[k.p.mine[i]]).Type)
}

// countAddresses has the bytes counted that the texts of the flight's addresses have, and gives what brings the sums.
func (k *keeping) countAddresses() (all []download, err error) {
	p, s := k.p, k.x.slot
	k.addresses = make([][]byte, len(s.outputs))
	sums := s.scratch.address // with which the kernels of the flight are done
	for i := range s.outputs {
		if k.formOf(i).Texts == nil || k.rows == 0 {
			continue
		}
		o := &s.outputs[i]
		if err := p.out.Fill(sums, 0, 8); err != nil {
			return nil, err
		}
		var valid uint64 // of all, where no kernel has found a null, of some formats there are no bits
		if k.x.counter(i, 0) > 0 || k.x.counter(i, 1) > 0 {
			valid = o.Valid
		}
		x := p.stages.addresses
		if err := x.total.launch(p.out, x.grid(k.rows), addressThreads, 0, o.Fixed, valid, uint64(k.rows), flag(p.views), sums); err != nil {
			return nil, err
		}
		all = append(all, download{sums, 8, 0, &k.addresses[i]})
		sums += 8
	}
	return all, nil
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// addressTexts keeps output i, whose values are addresses, as their texts, of which the host puts in some.
func (k *keeping) addressTexts(to *Column, i int, form *columns.Form, r replaced) {
	o, rows := &k.x.slot.outputs[i], k.kept()
	values, tiles, offsets, views := &Buffer{}, &Buffer{}, &Buffer{}, &Buffer{}
	most := int(*valueOf[uint64](k.addresses[i])) + form.LongestText*len(r.rows)
	view := arrow.DataType(nil)
	if k.p.views {
		view = viewType(form.Arrow)
	}
	to.Type, to.Len, to.Buffers = form.Arrow, rows, make([]Buffer, 3)
	k.validity(to, i, r)
	k.takeValues(values, o.Fixed, form.Width)
	k.patchValues(values, r.moved, r.values, form.Width)
	if view != nil {
		to.Type, views = view, &to.Buffers[1]
		k.take(views, 0, nil, viewSize*rows)
	} else {
		offsets = &to.Buffers[1]
	}
	k.take(offsets, 0, nil, 4*(rows+1))
	k.take(&to.Buffers[2], 0, nil, most) // or less, where texts stand in place of others
	ntiles := ceil(rows, addressTile)
	k.take(tiles, 0, nil, 4*(ntiles+1))
	k.behind = append(k.behind, func() error {
		x, s, n, valid := k.p.stages.addresses, k.p.out, uint64(rows), to.Buffers[0].Address
		if err := x.offsets.launch(s, x.grid(ceil(rows, addressTile)*addressThreads), addressThreads, 0, offsets.Address, tiles.Address, values.Address, valid, n, flag(view != nil)); err != nil {
			return err
		}
		if err := x.scan.launch(s, device.Grid{1}, addressThreads, 0, tiles.Address, uint64(ntiles)); err != nil {
			return err
		}
		return x.texts.launch(s, x.grid(rows), addressThreads, 0, offsets.Address, to.Buffers[2].Address, views.Address, tiles.Address, values.Address, valid, n)
	})
}
