package hive

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/internal/expr"
	"github.com/dfaparse/dfaparse/internal/near"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/render"
)

// This file writes rows into folders by the values of columns.
//
//	records ──▶ batch, some records as one ──▶ rows of each folder, waiting ──▶ files
//
// What waits is bounded: beyond that the folders that have most are written, until half is
// left. So folders may be many, and rows come in any order, and still files are few and long.

const (
	batchBytes   = 16 << 20  // of records that are divided together
	waitingBytes = 128 << 20 // of rows that wait
	partBytes    = 64 << 20  // of rows of one folder, which then are written
	columnBytes  = 256       // about what an array takes beside its values
	openFiles    = 32        // at once
)

// Splitting says how rows are written into folders.
type Splitting struct {
	By      []string // columns
	Form    string   // of the files
	Ext     string   // of their names, with the dot
	Folders int      // more are an error; 0: any number
	Output  output.Options
}

// Splitter is a Writer into the folders of a folder.
type Splitter struct {
	into   *output.Folder
	how    Splitting
	schema *arrow.Schema // of files
	coded  *arrow.Schema // of what waits
	by     []*divider
	kept   []int // columns of files
	dicts  []arrow.ArrayData

	folders map[string]*folder // by name
	known   map[string]*folder // by the codes of their values
	all     []*folder          // in the order in which they came
	open    []*folder

	batch      []arrow.Record
	rows       []*folder // of the batch's rows
	batchBytes int64
	waiting    int64

	most, mostBatch int64
}

// folder is one of the folders.
type folder struct {
	name    string
	waiting []arrow.Record
	nbytes  int64
	nrows   int // of the batch, while it is divided
	nfiles  int
	writer  output.Writer
	file    *output.Part
}

// NoColumn is the error of rows that are to be divided by a column that is not there.
func NoColumn(name string, names []string) error {
	return fmt.Errorf("there is no column %q whose values could be folders%s", name, near.Hint(name, "the columns are ", names))
}

// NewSplitter begins to write records of a schema into folders.
func NewSplitter(into *output.Folder, schema *arrow.Schema, how Splitting) (*Splitter, error) {
	s := &Splitter{into: into, how: how, folders: map[string]*folder{}, known: map[string]*folder{}, most: waitingBytes, mostBatch: batchBytes}
	if m := how.Output.Memory; m > 0 {
		s.most, s.mostBatch = min(s.most, m/4), min(s.mostBatch, m/16)
	}
	s.how.Output.Memory, s.how.Output.Many, s.how.Output.Path = s.most/2, true, "x"+how.Ext
	by := map[int]bool{}
	for _, name := range how.By {
		at := schema.FieldIndices(name)
		if len(at) == 0 {
			return nil, NoColumn(name, output.Names(schema))
		}
		f := schema.Field(at[0])
		switch f.Type.ID() {
		case arrow.LIST, arrow.MAP, arrow.BINARY:
			return nil, fmt.Errorf("column %q is %s, whose values are no names of folders", name, output.TypeName(f))
		}
		if by[at[0]] {
			return nil, fmt.Errorf("the column %q is named twice", name)
		}
		by[at[0]] = true
		s.by = append(s.by, &divider{field: f, column: at[0], codes: map[string]uint32{}, numbers: map[int64]uint32{}, names: []string{folderName(name, "", true)}})
	}
	var fields []arrow.Field
	for i, f := range schema.Fields() {
		if !by[i] {
			s.kept, fields = append(s.kept, i), append(fields, f)
		}
	}
	if len(fields) == 0 {
		return nil, fmt.Errorf("all columns are folders, so that nothing is left for the files in them")
	}
	md := schema.Metadata()
	s.schema = arrow.NewSchema(fields, &md)
	s.coded = output.CodedSchema(s.schema)
	s.dicts = make([]arrow.ArrayData, output.Dictionaries(s.schema, len(fields)))
	return s, nil
}

// Write implements output.Writer.
func (s *Splitter) Write(rec arrow.Record) error {
	if rec.NumRows() == 0 {
		return nil
	}
	if err := s.divide(rec); err != nil {
		return err
	}
	columns := make([]arrow.Array, len(s.kept))
	for i, c := range s.kept {
		columns[i] = rec.Column(c)
	}
	kept := array.NewRecord(s.schema, columns, rec.NumRows())
	defer kept.Release()
	s.batch = append(s.batch, output.Coded(kept, s.coded, func(n int, dict arrow.ArrayData) {
		dict.Retain()
		if s.dicts[n] != nil {
			s.dicts[n].Release()
		}
		s.dicts[n] = dict
	}))
	if s.batchBytes += output.RecordBytes(kept); s.batchBytes < s.mostBatch {
		return nil
	}
	return s.part()
}

// divide finds the folders of a record's rows.
func (s *Splitter) divide(rec arrow.Record) error {
	n := int(rec.NumRows())
	codes := make([][]uint32, len(s.by))
	for k, d := range s.by {
		codes[k] = d.of(rec.Column(d.column))
	}
	key, before := make([]byte, 4*len(s.by)), (*folder)(nil)
	for row := range n {
		same := before != nil
		for k := range codes {
			same = same && codes[k][row] == codes[k][row-1]
		}
		if !same {
			for k := range codes {
				binary.LittleEndian.PutUint32(key[4*k:], codes[k][row])
			}
			if before = s.known[string(key)]; before == nil {
				var err error
				if before, err = s.folder(codes, row); err != nil {
					return err
				}
				s.known[string(key)] = before
			}
		}
		s.rows = append(s.rows, before)
	}
	return nil
}

// folder is the folder of the values of a row, which are new.
func (s *Splitter) folder(codes [][]uint32, row int) (*folder, error) {
	parts := make([]string, len(s.by))
	for k, d := range s.by {
		parts[k] = d.names[codes[k][row]]
	}
	name := strings.Join(parts, "/")
	if f := s.folders[name]; f != nil {
		return f, nil
	}
	if s.how.Folders > 0 && len(s.all) == s.how.Folders {
		return nil, &FoldersError{By: s.how.By, Most: s.how.Folders}
	}
	for k := range parts {
		part := strings.Join(parts[:k+1], "/")
		if _, there := s.folders[part]; there {
			continue
		}
		if err := s.into.Mkdir(part); err != nil {
			return nil, err
		}
		s.folders[part] = nil
	}
	f := &folder{name: name}
	s.folders[name] = f
	s.all = append(s.all, f)
	return f, nil
}

// FoldersError says that there are more folders than were expected.
type FoldersError struct {
	By   []string
	Most int
}

func (e *FoldersError) Error() string {
	return fmt.Sprintf("the values of %s would be more than %d folders", strings.Join(e.By, ", "), e.Most)
}

// part gives the rows of the batch to their folders, and writes where much waits.
func (s *Splitter) part() error {
	if len(s.batch) == 0 {
		return nil
	}
	rec, err := s.together()
	if err != nil {
		return err
	}
	defer rec.Release()
	var there []*folder
	for _, f := range s.rows {
		if f.nrows == 0 {
			there = append(there, f)
		}
		f.nrows++
	}
	from := 0
	for _, f := range there { // f.nrows becomes where its next row goes
		from, f.nrows = from+f.nrows, from
	}
	order := make([]int32, len(s.rows))
	for row, f := range s.rows {
		order[f.nrows] = int32(row)
		f.nrows++
	}
	all := make([]int, len(s.kept))
	for i := range all {
		all[i] = i
	}
	from = 0
	for _, f := range there {
		some := expr.Take(rec, s.coded, all, order[from:f.nrows])
		from, f.nrows = f.nrows, 0
		nbytes := output.RecordBytes(some) + columnBytes*int64(len(all))
		f.waiting, f.nbytes = append(f.waiting, some), f.nbytes+nbytes
		s.waiting += nbytes
	}
	s.rows = s.rows[:0]
	return s.relieve()
}

// together is the batch as one record, which the caller releases.
func (s *Splitter) together() (arrow.Record, error) {
	batch := s.batch
	s.batch, s.batchBytes = nil, 0
	if len(batch) == 1 {
		return batch[0], nil
	}
	defer func() {
		for _, rec := range batch {
			rec.Release()
		}
	}()
	columns, nrows := make([]arrow.Array, len(s.kept)), int64(0)
	for _, rec := range batch {
		nrows += rec.NumRows()
	}
	for i := range columns {
		parts := make([]arrow.Array, len(batch))
		for k, rec := range batch {
			parts[k] = rec.Column(i)
		}
		c, err := array.Concatenate(parts, memory.DefaultAllocator)
		if err != nil {
			return nil, err
		}
		defer c.Release()
		columns[i] = c
	}
	return array.NewRecord(s.coded, columns, nrows), nil
}

// relieve writes rows if too many wait.
func (s *Splitter) relieve() error {
	for _, f := range s.all {
		if f.nbytes >= partBytes {
			if err := s.write(f); err != nil {
				return err
			}
		}
	}
	if s.waiting <= s.most {
		return nil
	}
	longest := slices.Clone(s.all)
	slices.SortStableFunc(longest, func(a, b *folder) int { return cmp.Compare(b.nbytes, a.nbytes) })
	for _, f := range longest {
		if s.waiting <= s.most/2 {
			break
		}
		if err := s.write(f); err != nil {
			return err
		}
	}
	return nil
}

// write writes what waits of a folder.
func (s *Splitter) write(f *folder) error {
	if err := s.ready(f); err != nil {
		return err
	}
	for _, coded := range f.waiting {
		rec := output.Decoded(coded, s.schema, s.dicts)
		err := f.writer.Write(rec)
		rec.Release()
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if s.how.Output.RowGroupRows == 0 { // else row groups end where that says
		if err := output.Flush(f.writer); err != nil {
			return err
		}
	}
	s.drop(f)
	return nil
}

// drop lets go of what waits of a folder.
func (s *Splitter) drop(f *folder) {
	for _, coded := range f.waiting {
		coded.Release()
	}
	s.waiting -= f.nbytes
	f.waiting, f.nbytes = nil, 0
}

// ready opens a file of a folder if there is none. If too many are open, that is closed which
// was written longest ago.
func (s *Splitter) ready(f *folder) error {
	if i := slices.Index(s.open, f); i >= 0 {
		s.open = append(slices.Delete(s.open, i, i+1), f)
		return nil
	}
	if len(s.open) == openFiles {
		if err := s.close(s.open[0]); err != nil {
			return err
		}
	}
	var err error
	if f.file, err = s.into.Create(fmt.Sprintf("%s/part-%d%s", f.name, f.nfiles, s.how.Ext)); err != nil {
		return err
	}
	f.nfiles++
	if f.writer, err = output.Open(s.how.Form, f.file, s.schema, s.how.Output); err != nil {
		f.file.Abort()
		return err
	}
	s.open = append(s.open, f)
	return nil
}

// close completes the file of a folder.
func (s *Splitter) close(f *folder) error {
	s.open = slices.DeleteFunc(s.open, func(o *folder) bool { return o == f })
	if err := f.writer.Close(); err != nil {
		f.file.Abort()
		return fmt.Errorf("%s: %w", f.name, err)
	}
	f.writer = nil
	return f.file.Commit()
}

// Close completes all files. That of the folder as a whole is the caller's.
func (s *Splitter) Close() error {
	err := s.part()
	for _, f := range s.all {
		if err == nil && len(f.waiting) > 0 {
			err = s.write(f)
		}
		if err == nil && f.writer != nil {
			err = s.close(f)
		}
	}
	s.Abort() // what is left after an error, and dictionaries
	return err
}

// Abort gives all up.
func (s *Splitter) Abort() {
	for _, f := range s.open {
		output.Abort(f.writer)
		f.file.Abort()
	}
	s.open = nil
	for _, rec := range s.batch {
		rec.Release()
	}
	s.batch = nil
	for _, f := range s.all {
		s.drop(f)
	}
	for i, d := range s.dicts {
		if d != nil {
			d.Release()
			s.dicts[i] = nil
		}
	}
}

// divider gives the values of a column numbers. Those that are folders of one name have one
// number or several.
type divider struct {
	field   arrow.Field
	column  int
	codes   map[string]uint32
	numbers map[int64]uint32 // of values that are one
	names   []string         // by code; 0 is null
}

// of are the codes of values.
func (d *divider) of(a arrow.Array) []uint32 {
	codes := make([]uint32, a.Len())
	number := numberOf(a)
	var text []byte
	for row := range codes {
		if a.IsNull(row) {
			continue
		}
		if number != nil {
			n := number(row)
			code, known := d.numbers[n]
			if !known {
				code = d.name(a, row)
				d.numbers[n] = code
			}
			codes[row] = code
			continue
		}
		text = render.AppendText(text[:0], d.field, a, row)
		code, known := d.codes[string(text)]
		if !known {
			code = d.name(a, row)
			d.codes[string(text)] = code
		}
		codes[row] = code
	}
	return codes
}

// name is the number of a new name.
func (d *divider) name(a arrow.Array, row int) uint32 {
	text := render.AppendText(nil, d.field, a, row)
	d.names = append(d.names, folderName(d.field.Name, string(text), false))
	return uint32(len(d.names) - 1)
}

// numberOf gives the values of an array as numbers, if they are; of those with a dictionary
// their places in it. Else it is nil.
func numberOf(a arrow.Array) func(row int) int64 {
	switch a := a.(type) {
	case *array.Int8:
		return func(row int) int64 { return int64(a.Value(row)) }
	case *array.Int16:
		return func(row int) int64 { return int64(a.Value(row)) }
	case *array.Int32:
		return func(row int) int64 { return int64(a.Value(row)) }
	case *array.Int64:
		return a.Value
	case *array.Uint8:
		return func(row int) int64 { return int64(a.Value(row)) }
	case *array.Uint16:
		return func(row int) int64 { return int64(a.Value(row)) }
	case *array.Uint32:
		return func(row int) int64 { return int64(a.Value(row)) }
	case *array.Date32:
		return func(row int) int64 { return int64(a.Value(row)) }
	case *array.Timestamp:
		return func(row int) int64 { return int64(a.Value(row)) }
	case *array.Dictionary:
		return func(row int) int64 { return int64(a.GetValueIndex(row)) }
	}
	return nil
}
