package splits_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/splits"
)

// TestLine: each line of a file, the last one without an end too, is of the record that has it,
// and lines that the file has not are of none.
func TestLine(t *testing.T) {
	csv, err := formats.Spec("csv")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f.csv")
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.SampledFrom([]string{"1,2", "\"a\nb\",3", "\"\n\n\",\"\n\"", "4,five"}), 1, 9).Draw(t, "records")
		text := "a,b\n" + strings.Join(records, "\n")
		if rapid.Bool().Draw(t, "end") {
			text += "\n"
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		line, offset := 2, int64(len("a,b\n"))
		begin := map[int]int64{1: offset} // of the record that has a line; the header's is the first
		for _, record := range records {
			for range strings.Count(record, "\n") + 1 {
				begin[line] = offset
				line++
			}
			offset += int64(len(record) + 1)
		}
		begin[line], begin[line+1] = int64(len(text)), int64(len(text))
		f, err := splits.OpenFile(context.Background(), path, csv.Program)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		asked := rapid.IntRange(1, line+1).Draw(t, "line")
		s, err := f.Line(int64(asked))
		if err != nil {
			t.Fatal(err)
		}
		if s.Start.Offset != begin[asked] || s.End != int64(len(text)) {
			t.Fatalf("%q: line %d is of what begins at %d and ends at %d, want %d and %d", text, asked, s.Start.Offset, s.End, begin[asked], len(text))
		}
	})
}
