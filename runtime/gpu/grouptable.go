//go:build cuda

package gpu

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	goheap "github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/internal/aggregate"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/expr"
)

// groupTable has the groups that a device has met, of one query. Batches are grouped one after
// the other on a stream; what became of one is looked at when the next but one comes.
type groupTable struct {
	*query
	d     *device.Device
	s     *device.Stream
	copy  *copyStage
	group groupKernel
	begin groupBeginKernel
	again groupRehashKernel

	rooms  groupRooms
	most   int              // bytes
	memory [5]device.Memory // slots, key_at, key_words, states, counts
	image  groupImage
	each   int // bytes of a cell
	groups int // that there were when a batch was settled
	turns  [2]turn
	next   int

	added  int                    // rows, since there were no groups
	into   *aggregate.Aggregation // groups that go to the host, and rows that are its own
	report Grouped
}

// groupRooms is for how much a table has room.
type groupRooms struct{ groups, keys int } // keys: words

// Rooms that a table begins with; less in a test.
var firstRooms = groupRooms{64 << 10, 512 << 10}

// mostAdded is how many rows are added until the groups go to the host: a digit of a sum of
// floats holds twice as many. Less in a test.
var mostAdded = 1 << 30

// turn is a batch that is being grouped.
type turn struct {
	batch  *DeviceBatch
	pinned []byte // image and columns, then counts
	memory device.Memory
	lists  [3]device.Memory // rows that found no room, the same of those that came again, rows of the host
	rows   int              // that lists have room for
	done   *device.Event
}

// imageSize is what the image takes of a turn's memory, before the columns.
const imageSize = 256

func newGroupTable(d *device.Device, plan *aggregate.Plan, schema *arrow.Schema, most int, into *aggregate.Aggregation) (t *groupTable, err error) {
	t = &groupTable{d: d, most: most, into: into, rooms: firstRooms}
	defer func() {
		if err != nil {
			t.close()
			t = nil
		}
	}()
	if t.s, err = d.NewStream(); err != nil {
		return t, err
	}
	if t.query, err = newQuery(d, t.s, plan, schema); err != nil {
		return t, err
	}
	if t.copy, err = newCopyStage(d); err != nil {
		return t, err
	}
	if t.group, err = findGroupKernel(d, "dfa_group"); err != nil {
		return t, err
	}
	if t.begin, err = findGroupBeginKernel(d, "dfa_group_begin"); err != nil {
		return t, err
	}
	if t.again, err = findGroupRehashKernel(d, "dfa_group_rehash"); err != nil {
		return t, err
	}
	for i := range t.turns {
		x := &t.turns[i]
		size := imageSize + len(t.shape.Values)*sizeOf[groupColumn]()
		if x.memory, err = d.Alloc(size + 64); err != nil {
			return t, err
		}
		if x.pinned, err = d.AllocHost(size + 256); err != nil {
			return t, err
		}
		if x.done, err = d.NewEvent(false); err != nil {
			return t, err
		}
	}
	t.cells()
	if t.memory[4], err = d.Alloc(sizeOf[groupCounts]()); err != nil {
		return t, err
	}
	return t, t.make(t.rooms, groupCounts{})
}

// groupCells is the memory that a block has for cells where a device gives it so much; less in a test.
var groupCells = 96 << 10

const groupThreads = 512

// cells says how many cells a block has, and what they take: two blocks are on a multiprocessor.
func (t *groupTable) cells() {
	room := min(groupCells, t.d.Info().MaxShared*7/16)
	t.each = 8 + 8*int(t.query.image.CellWords)
	t.query.image.Ncells = uint32(min(room/t.each, 4096))
}

// fewCells are those of a block that has not twice as many rows as there are groups, so that most cells would
// cost what they save. They are for groups that most rows are of, if there are some: these come first.
const fewCells = 256

// cellsFor is how many cells each of some blocks has for n rows.
func (t *groupTable) cellsFor(n, blocks int) int {
	all := int(t.image.Ncells)
	if n/blocks < 2*t.groups {
		return min(all, fewCells)
	}
	return all
}

// bytes is the memory of a table with such rooms.
func (t *groupTable) bytes(r groupRooms) int {
	return 8*slotsOf(r.groups) + 8*r.groups + 8*r.keys + 8*r.groups*t.shape.Words()
}

func slotsOf(groups int) int {
	n := 16
	for n < 2*groups {
		n *= 2
	}
	return n
}

// make gives the table room, and takes over the groups that there are: c.Groups of c.Room words.
func (t *groupTable) make(r groupRooms, c groupCounts) (err error) {
	before := t.memory
	words := t.shape.Words()
	sizes := [4]int{8 * slotsOf(r.groups), 8 * r.groups, 8 * r.keys, 8 * r.groups * words}
	for i, n := range sizes {
		m, err := t.d.Alloc(n)
		if err != nil {
			for k := range i {
				t.d.FreeMemory(t.memory[k])
			}
			t.memory = before
			return err
		}
		t.memory[i] = m
	}
	for i, n := range []int{1: 8 * int(c.Groups), 2: 8 * int(c.Room), 3: 8 * int(c.Groups) * words} {
		if n > 0 {
			if err := t.s.Copy(t.memory[i].Address, before[i].Address, n); err != nil {
				return err
			}
		}
	}
	t.rooms = r
	t.image = t.query.image
	t.image.Slots, t.image.Mask, t.image.KeyAt, t.image.KeyWords, t.image.States = t.memory[0].Address, uint64(slotsOf(r.groups)-1), t.memory[1].Address, t.memory[2].Address, t.memory[3].Address
	t.image.KeyRoom, t.image.Capacity, t.image.Counts = uint64(r.keys), uint32(r.groups), t.memory[4].Address
	if err := t.fill(c); err != nil {
		return err
	}
	if err := t.s.Synchronize(); err != nil { // before what was there may go
		return err
	}
	for i := range 4 {
		if before[i].Size > 0 {
			t.d.FreeMemory(before[i])
		}
	}
	return nil
}

// fill has the table be one of the groups that c counts.
func (t *groupTable) fill(c groupCounts) error {
	c.Taken = c.Groups | c.Room<<groupTakenShift
	c.Again, c.Hosts = 0, 0
	x := &t.turns[0]
	counts := []groupCounts{c}
	if err := t.s.Upload(t.memory[4].Address, bytesOf(counts)); err != nil {
		return err
	}
	image := make([]byte, imageSize)
	copy(image, bytesOf([]groupImage{t.image}))
	if err := t.s.Upload(x.memory.Address, image); err != nil {
		return err
	}
	if err := t.s.Fill(t.memory[0].Address, 0, t.memory[0].Size); err != nil {
		return err
	}
	at := pointer[groupImage](x.memory.Address)
	grid := device.Grid{strides(t.d, t.rooms.groups, 256)}
	if err := t.begin.launch(t.s, grid, 256, 0, at, c.Groups, uint64(t.rooms.groups)); err != nil {
		return err
	}
	if c.Groups == 0 {
		return t.s.Synchronize()
	}
	if err := t.again.launch(t.s, grid, 256, 0, at, c.Groups); err != nil {
		return err
	}
	return t.s.Synchronize()
}

// add has a batch grouped, and keeps it until that is done.
func (t *groupTable) add(b *DeviceBatch) error {
	x := &t.turns[t.next]
	t.next = (t.next + 1) % len(t.turns)
	if err := t.settle(x); err != nil {
		return err
	}
	if t.added += b.Rows; t.added > mostAdded {
		if err := t.finish(); err != nil {
			return err
		}
		t.added = b.Rows
	}
	if x.rows < b.Rows {
		rows := b.Rows + b.Rows/8
		for i := range x.lists {
			t.d.FreeMemory(x.lists[i])
			x.lists[i] = device.Memory{}
			m, err := t.d.Alloc(4 * rows)
			if err != nil {
				return err
			}
			x.lists[i] = m
		}
		x.rows = rows
	}
	b.Retain()
	x.batch = b
	if err := t.s.Wait(b.memory.ready); err != nil {
		return err
	}
	return t.launch(x, 0, b.Rows)
}

// launch groups all rows of a turn's batch, or the n of a list.
func (t *groupTable) launch(x *turn, list, n int) error {
	clear(x.pinned)
	grid := device.Grid{max(1, min((n+groupThreads-1)/groupThreads, 2*t.d.Info().Multiprocessors))}
	cells := t.cellsFor(n, grid[0])
	image := t.image
	image.Columns, image.Ncells = x.memory.Address+imageSize, uint32(cells)
	copy(x.pinned, bytesOf([]groupImage{image}))
	var columns []groupColumn
	for _, v := range t.shape.Values {
		c, err := columnOf(v, x.batch)
		if err != nil {
			return err
		}
		columns = append(columns, c)
	}
	at := imageSize + copy(x.pinned[imageSize:], bytesOf(columns))
	if err := t.copy.upload(t.s, x.memory.Address, x.pinned[:at]); err != nil {
		return err
	}
	// Rows of this batch are counted from 0 on.
	const again = 24
	if err := t.s.Fill(t.memory[4].Address+again, 0, 16); err != nil {
		return err
	}
	var rows uint64
	to := x.lists[0].Address
	if list > 0 {
		rows, to = x.lists[(list+1)%2].Address, x.lists[list%2].Address
	}
	if err := t.group.launch(t.s, grid, groupThreads, cells*t.each, pointer[groupImage](x.memory.Address), rows, uint64(n), to, x.lists[2].Address); err != nil {
		return err
	}
	if err := t.copy.download(t.s, x.counts(), t.memory[4].Address); err != nil {
		return err
	}
	return t.s.Record(x.done)
}

// counts is the turn's copy of them.
func (x *turn) counts() []byte { return x.pinned[len(x.pinned)-64:][:sizeOf[groupCounts]()] }

// settle sees to what became of a turn's batch.
func (t *groupTable) settle(x *turn) error {
	if x.batch == nil {
		return nil
	}
	defer func() {
		x.batch.Release()
		x.batch = nil
	}()
	for list := 1; ; list++ {
		if err := x.done.Synchronize(); err != nil {
			return err
		}
		c := *valueOf[groupCounts](x.counts())
		t.groups = int(c.Groups)
		if c.Hosts > 0 {
			if err := t.toHost(x, int(c.Hosts)); err != nil {
				return err
			}
		}
		if c.Again == 0 {
			return nil
		}
		if err := t.grow(); err != nil {
			return err
		}
		if err := t.launch(x, list, int(c.Again)); err != nil {
			return err
		}
	}
}

// grow makes more room, or has the groups go to the host.
func (t *groupTable) grow() error {
	if err := t.s.Synchronize(); err != nil {
		return err
	}
	counts := make([]groupCounts, 1)
	if err := t.s.Download(bytesOf(counts), t.memory[4].Address); err != nil {
		return err
	}
	if err := t.s.Synchronize(); err != nil {
		return err
	}
	c := counts[0]
	r := t.rooms
	if int(c.Groups)*4 > r.groups {
		r.groups *= 4
	}
	if int(c.Room)*4 > r.keys || r == t.rooms {
		r.keys *= 4
	}
	if r.groups <= groupMostGroups && t.bytes(r) <= t.most {
		t.report.Grown++
		err := t.make(r, c)
		if err == nil {
			return nil
		}
		if t.most = t.bytes(t.rooms); c.Groups == 0 { // the device has no more
			return err
		}
	}
	t.report.Spilled++
	return t.harvest(c)
}

// harvest has the groups go to the host, and begins anew.
func (t *groupTable) harvest(c groupCounts) error {
	const most = 1 << 14 // groups at once
	n, words := int(c.Groups), t.shape.Words()
	get := func(b []byte, from uint64) error {
		if err := t.s.Download(b, from); err != nil {
			return err
		}
		return t.s.Synchronize()
	}
	ats := make([]uint64, n)
	if err := get(bytesOf(ats), t.memory[1].Address); err != nil {
		return err
	}
	keys := make([]uint64, c.Room)
	if err := get(bytesOf(keys), t.memory[2].Address); err != nil {
		return err
	}
	for from := 0; from < n; from += most {
		to := min(n, from+most)
		states := make([]uint64, (to-from)*words)
		if err := get(bytesOf(states), t.memory[3].Address+uint64(8*from*words)); err != nil {
			return err
		}
		var p aggregate.Partial
		for g := from; g < to; g++ {
			p.Append(t.plan, t.shape, keys[ats[g]+1:], states[(g-from)*words:][:words])
		}
		if err := t.into.AddPartial(&p); err != nil {
			return err
		}
	}
	t.report.Groups += int64(n)
	return t.fill(groupCounts{})
}

// finish has all groups go to the host, those of batches that are being grouped too.
func (t *groupTable) finish() error {
	for range t.turns {
		if err := t.settle(&t.turns[t.next]); err != nil {
			return err
		}
		t.next = (t.next + 1) % len(t.turns)
	}
	counts := make([]groupCounts, 1)
	if err := t.s.Download(bytesOf(counts), t.memory[4].Address); err != nil {
		return err
	}
	if err := t.s.Synchronize(); err != nil {
		return err
	}
	return t.harvest(counts[0])
}

// toHost groups n rows of a turn's batch on the host.
func (t *groupTable) toHost(x *turn, n int) error {
	t.report.RowsOnHost += int64(n)
	rows := make([]int32, n)
	if err := t.s.Download(bytesOf(rows), x.lists[2].Address); err != nil {
		return err
	}
	rec, err := x.batch.record(t.s)
	if err != nil {
		return err
	}
	columns := make([]int, rec.NumCols())
	for i := range columns {
		columns[i] = i
	}
	taken := expr.Take(rec, rec.Schema(), columns, rows)
	defer taken.Release()
	return t.into.Add(taken)
}

// record brings a batch to the host.
func (b *DeviceBatch) record(s *device.Stream) (arrow.Record, error) {
	if err := b.Synchronize(); err != nil {
		return nil, err
	}
	var data func(c *Column) (arrow.ArrayData, error)
	data = func(c *Column) (arrow.ArrayData, error) {
		buffers := make([]*goheap.Buffer, len(c.Buffers))
		for i, from := range c.Buffers {
			if i > 0 || from.Address != 0 {
				bytes := make([]byte, from.Size)
				if err := s.Download(bytes, from.Address); err != nil {
					return nil, err
				}
				buffers[i] = goheap.NewBufferBytes(bytes)
			}
		}
		var children []arrow.ArrayData
		for i := range c.Children {
			child, err := data(&c.Children[i])
			if err != nil {
				return nil, err
			}
			children = append(children, child)
		}
		if c.Dictionary == nil {
			return array.NewData(c.Type, c.Len, buffers, children, c.Nulls, 0), nil
		}
		words, err := data(c.Dictionary)
		if err != nil {
			return nil, err
		}
		return array.NewDataWithDictionary(c.Type, c.Len, buffers, c.Nulls, 0, words.(*array.Data)), nil
	}
	var all []arrow.ArrayData
	for i := range b.Columns {
		d, err := data(&b.Columns[i])
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	if err := s.Synchronize(); err != nil {
		return nil, err
	}
	arrays := make([]arrow.Array, len(all))
	for i, d := range all {
		arrays[i] = array.MakeFromData(d)
	}
	return array.NewRecord(b.schema, arrays, int64(b.Rows)), nil
}

func (t *groupTable) close() {
	if t.s != nil {
		t.s.Synchronize()
	}
	for i := range t.turns {
		x := &t.turns[i]
		if x.batch != nil {
			x.batch.Release()
		}
		if x.pinned != nil {
			t.d.FreeHost(x.pinned)
		}
		for _, m := range append(x.lists[:], x.memory) {
			t.d.FreeMemory(m)
		}
		if x.done != nil {
			x.done.Close()
		}
	}
	for _, m := range t.memory {
		t.d.FreeMemory(m)
	}
	if t.query != nil {
		t.query.close(t.d)
	}
	if t.s != nil {
		t.s.Close()
	}
}

// Grouped says how Group went.
type Grouped struct {
	Rows, Left int64 // those of Columns
	Batches    int64
	Groups     int64 // that came over the bus
	RowsOnHost int64 // whose keys were too long for the device, or whose times too far away
	Grown      int   // how often the table got more room
	Spilled    int   // how often all of its groups had to go to the host
}

func (g *Grouped) String() string {
	text := fmt.Sprintf("on the device: %d groups of %d rows came to the host", g.Groups, g.Rows)
	if g.RowsOnHost > 0 {
		text += fmt.Sprintf(", which grouped %d rows itself", g.RowsOnHost)
	}
	if g.Grown > 0 {
		text += fmt.Sprintf("; the table grew %d times", g.Grown)
	}
	if g.Spilled > 0 {
		text += fmt.Sprintf("; it was full, and went to the host, %d times", g.Spilled)
	}
	return text
}
