package hive

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/internal/output"
)

// counting is the system, which knows how many files are open to be written.
type counting struct {
	output.OS
	open, most, made *atomic.Int64
}

func (c counting) OpenFile(name string, flag int, perm fs.FileMode) (output.Handle, error) {
	h, err := c.OS.OpenFile(name, flag, perm)
	if err != nil || flag == os.O_RDONLY {
		return h, err
	}
	c.made.Add(1)
	c.most.Store(max(c.most.Load(), c.open.Add(1)))
	return countedFile{h, c.open}, nil
}

type countedFile struct {
	output.Handle
	open *atomic.Int64
}

func (c countedFile) Sync() error { return nil }

func (c countedFile) Close() error {
	c.open.Add(-1)
	return c.Handle.Close()
}

// TestSplitterIsBounded: rows of many folders in any order, in little memory, come out whole and
// in their order, in few files, and few are open at once.
func TestSplitterIsBounded(t *testing.T) {
	const nfolders, nrecords, rowsEach = 200, 60, 2000
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "word", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	path := filepath.Join(t.TempDir(), "out")
	sys := counting{open: new(atomic.Int64), most: new(atomic.Int64), made: new(atomic.Int64)}
	into, err := output.CreateFolder(sys, path, false)
	if err != nil {
		t.Fatal(err)
	}
	pool := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer pool.AssertSize(t, 0)
	s, err := NewSplitter(into, schema, Splitting{By: []string{"key"}, Form: "csv", Ext: ".csv", Output: output.Options{Memory: 4 << 20, CSV: output.CSVStyle{NoHeader: true}}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	want := map[string]*strings.Builder{}
	words := array.NewStringBuilder(pool)
	defer words.Release()
	var all []string
	for range nrecords {
		all = append(all, fmt.Sprintf("word%d", len(all)))
		words.Resize(len(all))
		words.AppendValues(all, nil)
		dict := words.NewArray()
		b := array.NewRecordBuilder(pool, arrow.NewSchema([]arrow.Field{schema.Field(0), schema.Field(1), {Name: "word", Type: arrow.PrimitiveTypes.Int32}, schema.Field(3)}, nil))
		for range rowsEach {
			key, n, word := rng.IntN(nfolders), rng.Int64N(1000), rng.IntN(len(all))
			name := fmt.Sprintf("key=%d", key)
			if key == 0 {
				name = "key=" + nullPartition
				b.Field(0).AppendNull()
			} else {
				b.Field(0).(*array.Int32Builder).Append(int32(key))
			}
			b.Field(1).(*array.Int64Builder).Append(n)
			b.Field(2).(*array.Int32Builder).Append(int32(word))
			text := ""
			if n%3 == 0 {
				b.Field(3).AppendNull()
			} else {
				text = strings.Repeat("x", int(n%50)+1)
				b.Field(3).(*array.StringBuilder).Append(text)
			}
			if want[name] == nil {
				want[name] = &strings.Builder{}
			}
			fmt.Fprintf(want[name], "%d,%s,%s\n", n, all[word], text)
		}
		rec := b.NewRecord()
		b.Release()
		coded := rec.Columns()
		data := array.NewDataWithDictionary(schema.Field(2).Type, rowsEach, coded[2].Data().Buffers(), 0, 0, dict.Data().(*array.Data))
		dictionary := array.NewDictionaryData(data)
		given := array.NewRecord(schema, []arrow.Array{coded[0], coded[1], dictionary, coded[3]}, rowsEach)
		if err := s.Write(given); err != nil {
			t.Fatal(err)
		}
		for _, r := range []interface{ Release() }{given, dictionary, data, rec, dict} {
			r.Release()
		}
		if s.waiting > s.most || s.most > 1<<20 {
			t.Fatalf("%d bytes wait, of %d", s.waiting, s.most)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := into.Commit(); err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		got := ""
		for i := 0; ; i++ {
			part, err := os.ReadFile(filepath.Join(path, name, fmt.Sprintf("part-%d.csv", i)))
			if err != nil {
				break
			}
			got += string(part)
		}
		if got != text.String() {
			t.Errorf("%s: %d bytes, want %d", name, len(got), text.Len())
		}
	}
	// 16 are being completed, and one is about to be.
	if most := sys.most.Load(); most > openFiles+17 || sys.open.Load() != 0 {
		t.Errorf("%d files were open at once, %d are left", most, sys.open.Load())
	}
	if made := sys.made.Load(); made < 2*nfolders || made > 20*nfolders {
		t.Errorf("%d files of %d folders", made, nfolders)
	}
}

// TestFolderNames: what Hive escapes is escaped, and read back as it was.
func TestFolderNames(t *testing.T) {
	for value, want := range map[string]string{
		"":                nullPartition,
		nullPartition:     "%5F_HIVE_DEFAULT_PARTITION__",
		"plain text":      "plain text",
		"a/b\\c":          "a%2Fb%5Cc",
		"100%":            "100%25",
		"k=v":             "k%3Dv",
		"12:30\x7f\n":     "12%3A30%7F%0A",
		"Zürich":          "Zürich",
		"dot.":            "dot%2E",
		"blank ":          "blank%20",
		"x.zip!y":         "x.zip%21y",
		"..":              ".%2E",
		"50%2F":           "50%252F",
		"a+b":             "a%2Bb",
		"\x01\"#'*?[]{}^": "%01%22%23%27%2A%3F%5B%5D%7B%7D%5E",
	} {
		got := folderName("c", value, false)
		if got != "c="+want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
		if back := unescaped(strings.TrimPrefix(got, "c=")); value != "" && back != value {
			t.Errorf("%q: read back as %q", value, back)
		}
	}
	if got := folderName("a=b", "", true); got != "a%3Db="+nullPartition {
		t.Error(got)
	}
}
