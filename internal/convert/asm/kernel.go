package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel is a function over groups of rows, see type rowGroups of package convert.
type kernel struct {
	isa
	src, start, end, out, todo, groups reg.GPVirtual
	params                             reg.GPVirtual
	length                             vec           // 32-bit lanes
	moved                              Mem           // places of windows
	places                             reg.GPVirtual // those of a group
	part                               int           // of the group, the one being emitted
}

// ahead is how far, in bytes, memory that will be written is asked for: beyond
// the rows too, so that the next ones need not wait for it.
const ahead = 1024

func begin(v isa, name, doc string) *kernel {
	TEXT(name+v.name, NOSPLIT, "func(b *uintptr, p *uint64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s%s %s", name, v.name, doc))
	b := Load(Param("b"), GP64())
	k := &kernel{isa: v, params: Load(Param("p"), GP64()).(reg.GPVirtual)}
	field := func(disp int) reg.GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: b, Disp: disp}, r)
		return r
	}
	k.src, k.start, k.end = field(groupSrc), field(groupStart), field(groupEnd)
	k.out, k.todo, k.groups = field(groupOut), field(groupTodo), field(groupN)
	k.length = v.half()
	VPBROADCASTD(Mem{Base: b, Disp: groupLength}, k.length)
	k.moved, k.places = AllocLocal(32), GP64()
	return k
}

// param gives a vector whose lanes are a parameter.
func (k *kernel) param(i int) vec { return k.isa.param(Mem{Base: k.params, Disp: 8 * i}) }

func (k *kernel) label(name string) string { return fmt.Sprintf("%s%d", name, k.part) }

// loop emits a turn, which gives the rows that it leaves to Go, and all around
// it. width is bytes of out per row. plain, if not nil, is a shorter way.
func (k *kernel) loop(width int, plain, rows func(out Mem) rowset) {
	Label("group")
	left := GP32()
	if plain != nil && k.wide() {
		MOVL(k.bits(plain(Mem{Base: k.out})), left)
		JMP(LabelRef("stored"))
		Label("general")
	}
	for k.part = 0; k.part < groupRows/k.lanes; k.part++ {
		bits := k.bits(rows(Mem{Base: k.out, Disp: k.part * k.lanes * width}))
		if k.part == 0 {
			MOVL(bits, left)
		} else {
			SHLL(U8(k.lanes), bits)
			ORL(bits, left)
		}
	}
	if plain != nil && k.wide() {
		Label("stored")
	}
	MOVB(left.As8(), Mem{Base: k.todo})
	if width*groupRows <= 64 {
		PREFETCHT0(Mem{Base: k.out, Disp: ahead})
	}
	k.next(width)
}

// next emits the step to the next group, at the label group, and what comes behind the last one.
func (k *kernel) next(width int) {
	ADDQ(U8(4*groupRows), k.start)
	ADDQ(U8(4*groupRows), k.end)
	ADDQ(U32(width*groupRows), k.out)
	INCQ(k.todo)
	DECQ(k.groups)
	JNZ(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// loopLeft emits a turn of a kernel for AVX-512 that does those rows that todo has, and takes them out of it: rows gives
// the values, and which rows are not done. width is bytes of out per row.
func (k *kernel) loopLeft(width int, rows func() (value vec, bad rowset)) {
	Label("group")
	CMPB(Mem{Base: k.todo}, U8(0))
	JEQ(LabelRef("next"))
	value, bad := rows()
	left, done, todo := K(), K(), K()
	KMOVB(Mem{Base: k.todo}, todo)
	KNOTB(bad, done)
	KANDB(todo, done, done)
	if width == 8 {
		VMOVDQU64(value, done, Mem{Base: k.out})
	} else {
		VPMOVQD(value, done, Mem{Base: k.out})
	}
	KANDB(todo, bad, left)
	bits := GP32()
	KMOVB(left, bits)
	MOVB(bits.As8(), Mem{Base: k.todo})
	Label("next")
	k.next(width)
}

// endWindows are the windows before the ends of fields, at disps, of which none is more than room bytes before; rows
// whose windows would not be in src are bad. n are the lengths.
func (k *kernel) endWindows(room uint64, disps ...int) (windows []vec, n vec, bad rowset) {
	end, place := k.half(), k.half()
	k.moveHalf(k.at(k.end), end)
	VPMAXUD(rare(room|room<<32), end, place)
	VPMINUD(k.length, place, place)
	bad = K()
	VPCMPD(U8(4), place, end, bad)
	VPSUBD(k.at(k.start), end, end)
	k.moveHalf(place, k.moved)
	LEAQ(k.moved, k.places)
	return k.windows(disps...), k.widen(end), bad
}

// at is the place of row 0 of the part in an array of 32-bit values.
func (k *kernel) at(array reg.GPVirtual) Mem {
	return Mem{Base: array, Disp: 4 * k.part * k.lanes}
}

// window gives for each row the eight bytes at disp from its place, which
// places has.
func (k *kernel) window(disp int) vec { return k.windows(disp)[0] }

// windows gives several.
func (k *kernel) windows(disps ...int) []vec {
	quads := make([][]vec, len(disps))
	for i := 0; i < k.lanes; i += 4 {
		pairs := make([][2]vec, len(disps))
		for j := range 2 {
			first, second := k.place(i+2*j), k.place(i+2*j+1)
			for w, disp := range disps {
				x := XMM()
				VMOVQ(Mem{Base: k.src, Index: first, Scale: 1, Disp: disp}, x)
				VMOVHPS(Mem{Base: k.src, Index: second, Scale: 1, Disp: disp}, x, x)
				pairs[w][j] = x
			}
		}
		for w, p := range pairs {
			y := YMM()
			if k.wide() {
				VINSERTI64X2(U8(1), p[1], p[0].AsY(), y)
			} else {
				VINSERTI128(U8(1), p[1], p[0].AsY(), y)
			}
			quads[w] = append(quads[w], y)
		}
	}
	var all []vec
	for _, q := range quads {
		x := q[0]
		if k.wide() {
			x = ZMM()
			VINSERTI64X4(U8(1), q[1], q[0].AsZ(), x)
		}
		all = append(all, x)
	}
	return all
}

// setPlaces makes places those of an array, which x holds, but of inside if that
// is another.
func (k *kernel) setPlaces(array reg.GPVirtual, x, inside vec) {
	r := GP32()
	LEAQ(k.at(array), k.places)
	if k.wide() {
		m := K()
		VPCMPD(U8(4), inside, x, m)
		KMOVB(m, r)
		TESTL(r, r)
	} else {
		same := k.half()
		VPCMPEQD(inside, x, same)
		VMOVMSKPS(same, r)
		CMPL(r, U32(1<<k.lanes-1))
	}
	JEQ(LabelRef(k.label("inside")))
	k.moveHalf(inside, k.moved)
	LEAQ(k.moved, k.places)
	Label(k.label("inside"))
}

// place is the place of row i of the part.
func (k *kernel) place(i int) reg.GPVirtual {
	r := GP64()
	MOVL(Mem{Base: k.places, Disp: 4 * i}, r.As32())
	return r
}
