package parquetfile

import (
	"encoding/binary"
	"fmt"
	"io"
	goruntime "runtime"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// A row group ends with the record that reaches one of these.
const (
	rowGroupRows  = 1 << 20
	rowGroupBytes = 64 << 20 // of Arrow buffers
)

// lanes is how many row groups are encoded at once, at most: one after the other they
// go to so many lanes, each of which has an encoder for every column. So a column that
// takes long holds up the others less. A lane remembers which dictionaries did not pay,
// those of the first that are given up at once are not tried by the others,
// and the file depends on how many lanes there are, but not on how quick each is.
const lanes = 4

// waitingBytes bounds the Arrow buffers of records that wait to be encoded, for each
// worker, and leastWaiting for all; one record may wait whatever its size.
const (
	waitingBytes = 8 << 20
	leastWaiting = 16 << 20
)

// workerBytes is about what a worker takes: its encoder, and pages.
const workerBytes = 8 << 20

const magic = "PAR1"

// Options say how a file is written.
type Options struct {
	Compression compress.Compression
	Level       int   // of zstd, 1 to 22; 0: the fastest
	Workers     int   // columns that are encoded at the same time; 0: GOMAXPROCS
	Memory      int64 // about how much may be held, 0: any; row groups become smaller
	Metadata    map[string]string

	RowGroupRows int      // after which a row group ends; 0: rowGroupRows
	Plain        []string // columns without a dictionary
	Sorted       []Sorted // what the rows are sorted by, which nobody checks here; nulls are last
	Dictionary   []string // columns that have one though values repeat seldom, as long as it is not too large
}

// Sorted is a column of the schema by which rows are sorted.
type Sorted struct {
	Column     int
	Descending bool
}

// Writer writes one file. Its methods are for one goroutine.
type Writer struct {
	out     *counted
	footer  *metadata.FileMetaDataBuilder
	lanes   [][]*column // nil those that are not begun
	lane    int         // of the row group that is being filled
	encoder func() ([]*column, error)
	workers chan struct{} // a token for each column that is being encoded
	groups  chan *rowGroup
	done    chan struct{} // closed when all row groups are written
	waiting budget

	most    int64 // bytes of a row group
	full    int   // rows of one; if exactly, records are cut where it ends
	sorted  []sortedLeaf
	exactly bool
	rows    int   // of the row group
	nbytes  int64 // of it, as Arrow buffers

	mu  sync.Mutex
	err error // the first
}

// rowGroup is a row group whose chunks are on their way.
type rowGroup struct {
	rows    int
	chunks  []chan *columnChunk
	written chan struct{} // closed in the end; may be nil
}

// turn is what a column does next: it encodes a record, or, if there is none,
// completes its chunk.
type turn struct {
	record *shared
	chunk  chan *columnChunk
}

// OptionError says which option does not go with the columns.
type OptionError struct{ What string }

func (e *OptionError) Error() string { return e.What }

// New begins a file.
func New(w io.Writer, fields *arrow.Schema, o Options) (*Writer, error) {
	props := parquet.NewWriterProperties(
		parquet.WithVersion(parquet.V2_6), parquet.WithCompression(o.Compression),
		parquet.WithCreatedBy("dfaparse"),
	)
	stored, err := schemaOf(fields, props)
	if err != nil {
		return nil, err
	}
	if o.Workers <= 0 {
		o.Workers = goruntime.GOMAXPROCS(0)
	}
	group, waiting, nlanes := int64(rowGroupBytes), max(leastWaiting, int64(o.Workers)*waitingBytes), lanes
	if o.Memory > 0 {
		group, waiting, nlanes = min(group, o.Memory/4), min(waiting, o.Memory/8), 1
		o.Workers = min(o.Workers, int(max(o.Memory/workerBytes, 1)))
	}
	for _, name := range slices.Concat(o.Plain, o.Dictionary) {
		if !fields.HasField(name) {
			return nil, &OptionError{What: fmt.Sprintf("there is no column %q to have a dictionary or none", name)}
		}
		if slices.Contains(o.Plain, name) && slices.Contains(o.Dictionary, name) {
			return nil, &OptionError{What: fmt.Sprintf("the column %q cannot have a dictionary and none", name)}
		}
	}
	codec, err := newCodec(o.Compression, o.Level, o.Workers)
	if err != nil {
		return nil, err
	}
	press := newPress(codec, o.Workers)
	p := &Writer{
		out: &counted{w: w}, footer: metadata.NewFileMetadataBuilder(stored, props, nil),
		workers: make(chan struct{}, o.Workers), groups: make(chan *rowGroup, nlanes-1), done: make(chan struct{}),
	}
	p.most, p.waiting.left, p.full = group, waiting, rowGroupRows
	if o.RowGroupRows > 0 {
		p.full, p.exactly = o.RowGroupRows, true
	}
	p.waiting.changed.L = &p.waiting.mu
	for key, value := range o.Metadata {
		if err := p.footer.AppendKeyValueMetadata(key, value); err != nil {
			return nil, err
		}
	}
	p.lanes = make([][]*column, nlanes)
	p.encoder = func() ([]*column, error) { return newColumns(fields, stored, press, &o) }
	if p.lanes[0], err = p.encoder(); err != nil {
		return nil, err
	}
	first := make([]int, fields.NumFields()) // leaf of each field
	for i, c := range slices.Backward(p.lanes[0]) {
		first[c.field] = i
	}
	for _, s := range o.Sorted {
		p.sorted = append(p.sorted, sortedLeaf{first[s.Column], s.Descending})
	}
	if _, err := p.out.Write([]byte(magic)); err != nil {
		return nil, err
	}
	p.run(p.lanes[0])
	go p.write()
	return p, nil
}

// newColumns are encoders for all leaves of a schema.
func newColumns(fields *arrow.Schema, stored *schema.Schema, press *press, o *Options) ([]*column, error) {
	var columns []*column
	for i, f := range fields.Fields() {
		for _, l := range leaves(f) {
			if len(columns) >= stored.NumColumns() {
				return nil, fmt.Errorf("parquet: column %s has no place in the schema", f.Name)
			}
			c, err := newColumn(i, l, stored.Column(len(columns)), press)
			if err != nil {
				return nil, err
			}
			switch d, ok := c.values.(dictionaried); {
			case !ok:
			case slices.Contains(o.Plain, f.Name):
				d.plainly()
			case slices.Contains(o.Dictionary, f.Name):
				d.always()
			}
			columns = append(columns, c)
		}
	}
	return columns, nil
}

func (p *Writer) run(columns []*column) {
	for _, c := range columns {
		go c.run(p.workers)
	}
}

// Write encodes a record. It returns before that is done, and gives the error of
// an earlier one.
func (p *Writer) Write(rec arrow.Record) error {
	if err := p.failure(); err != nil {
		return err
	}
	if p.rows >= p.full || p.nbytes >= p.most {
		p.endRowGroup(nil)
	}
	if rec.NumRows() == 0 || len(p.lanes[0]) == 0 {
		return nil
	}
	if p.lanes[p.lane] == nil {
		var err error
		if p.lanes[p.lane], err = p.encoder(); err != nil {
			return err
		}
		for i, c := range p.lanes[p.lane] {
			c.first = p.lanes[0][i]
		}
		p.run(p.lanes[p.lane])
	}
	if room := int64(p.full - p.rows); p.exactly && rec.NumRows() > room { // for the first of them
		for from := int64(0); from < rec.NumRows(); from, room = from+room, int64(p.full) {
			some := rec.NewSlice(from, min(from+room, rec.NumRows()))
			err := p.Write(some)
			some.Release()
			if err != nil {
				return err
			}
		}
		return nil
	}
	nbytes := RecordBytes(rec)
	p.rows += int(rec.NumRows())
	p.nbytes += nbytes
	p.waiting.take(nbytes)
	rec.Retain()
	s := &shared{Record: rec}
	s.users.Store(int64(len(p.lanes[p.lane])))
	s.last = func() { p.waiting.give(nbytes) }
	for _, c := range p.lanes[p.lane] {
		c.turns <- turn{record: s}
	}
	return nil
}

// Flush ends the row group, and waits until it is written: nothing is held then.
func (p *Writer) Flush() error {
	if p.rows > 0 {
		written := make(chan struct{})
		p.endRowGroup(written)
		<-written
	}
	return p.failure()
}

func (p *Writer) endRowGroup(written chan struct{}) {
	if p.rows == 0 {
		return
	}
	g := &rowGroup{rows: p.rows, written: written}
	for _, c := range p.lanes[p.lane] {
		done := make(chan *columnChunk, 1)
		g.chunks = append(g.chunks, done)
		c.turns <- turn{chunk: done}
	}
	p.groups <- g
	p.rows, p.nbytes, p.lane = 0, 0, (p.lane+1)%len(p.lanes)
}

// finish waits until what was given is written.
func (p *Writer) finish() {
	for _, c := range slices.Concat(p.lanes...) {
		close(c.turns)
	}
	close(p.groups)
	<-p.done
}

// Close completes the file; it does not close what lies below.
func (p *Writer) Close() error {
	p.endRowGroup(nil)
	p.finish()
	if err := p.failure(); err != nil {
		return err
	}
	footer, err := p.footer.Finish()
	if err != nil {
		return err
	}
	for _, g := range footer.RowGroups {
		for _, s := range p.sorted {
			column := another(g.SortingColumns)
			column.ColumnIdx, column.Descending = int32(s.leaf), s.descending
			g.SortingColumns = append(g.SortingColumns, column)
		}
	}
	start := p.out.at
	if _, err := footer.WriteTo(p.out, nil); err != nil {
		return err
	}
	end := binary.LittleEndian.AppendUint32(nil, uint32(p.out.at-start))
	_, err = p.out.Write(append(end, magic...))
	return err
}

// another is a new element for a list: of a type that only the library can name.
func another[T any]([]*T) *T { return new(T) }

// sortedLeaf is a column of the file that rows are sorted by.
type sortedLeaf struct {
	leaf       int
	descending bool
}

// Abort gives the file up.
func (p *Writer) Abort() { p.finish() }

// write writes row groups as their chunks are completed.
func (p *Writer) write() {
	defer close(p.done)
	for ordinal := 0; ; ordinal++ {
		g, ok := <-p.groups
		if !ok {
			return
		}
		err := p.writeRowGroup(g, ordinal)
		if err != nil {
			p.fail(err)
		}
		if g.written != nil {
			close(g.written)
		}
	}
}

func (p *Writer) writeRowGroup(g *rowGroup, ordinal int) error {
	var err error
	meta := p.footer.AppendRowGroup()
	meta.SetNumRows(g.rows)
	start := p.out.at
	for _, done := range g.chunks {
		c := <-done
		if err == nil && p.failure() == nil {
			err = c.write(p.out, meta.NextColumnChunk())
		}
	}
	if err != nil || p.failure() != nil {
		return err
	}
	return meta.Finish(p.out.at-start, int16(ordinal))
}

func (p *Writer) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

func (p *Writer) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// counted knows how many bytes it has written.
type counted struct {
	w  io.Writer
	at int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.at += int64(n)
	return n, err
}
