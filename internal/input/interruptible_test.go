package input

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// answers is a Reader that says the same each time.
type answers int

func (n answers) Read([]byte) (int, error) { return int(n), nil }

// TestAnswersOfReaders: a reader that reads nothing for ever is asked a few times, and one
// that says it has read more than there is room for, or less than nothing, is an error.
func TestAnswersOfReaders(t *testing.T) {
	r := newInterruptible(context.Background(), answers(0))
	if n, err := r.Read(make([]byte, 8)); n != 0 || err != nil {
		t.Errorf("of nothing %d bytes are read, %v; want 0, for whoever reads to count", n, err)
	}
	if _, err := newPump(answers(0)).Read(make([]byte, 8)); err != io.ErrNoProgress {
		t.Errorf("a pump of nothing gives %v", err)
	}
	for _, n := range []answers{-1, 1 << 20} {
		_, err := newInterruptible(context.Background(), n).Read(make([]byte, 8))
		if err == nil || !strings.Contains(err.Error(), "says that it has read") {
			t.Errorf("a reader that says %d gives %v", n, err)
		}
	}
	all, err := io.ReadAll(newInterruptible(context.Background(), io.MultiReader(strings.NewReader("a"), strings.NewReader("b"))))
	if string(all) != "ab" || err != nil {
		t.Errorf("%q, %v", all, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	silent, w := io.Pipe()
	defer w.Close()
	if _, err := newInterruptible(ctx, silent).Read(make([]byte, 8)); !errors.Is(err, context.Canceled) {
		t.Errorf("a silent input whose context is done gives %v", err)
	}
}
