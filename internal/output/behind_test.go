package output

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteBehind: a file that the system is told to bring to the disk while it is written is the
// same in the end.
func TestWriteBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	f, err := Create(OS{}, path)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	piece := make([]byte, 3<<20+17)
	for i := range 12 {
		piece[i] = byte(i)
		want.Write(piece)
		if _, err := f.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if f.begun < behindBytes || f.begun > f.written || f.written != int64(want.Len()) {
		t.Errorf("of %d bytes %d are written, %d on their way", want.Len(), f.written, f.begun)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes, want %d, %v", len(got), want.Len(), err)
	}
}
