//go:build cgo && (linux || darwin)

package main

import (
	"errors"
	"testing"
	"time"
)

// TestReleasedBeforeABatch: who waits for a batch of a reader that another thread releases gets an error, not an endless wait.
func TestReleasedBeforeABatch(t *testing.T) {
	r := open(begun(&formatOptions{Format: "csv"}, nil), &openOptions{}, []byte("a,b\n1,2\n"))
	if err := r.made(); err != nil {
		t.Fatal(err)
	}
	r.release()
	if b, waiting, err := r.take(10 * time.Second); b != nil || waiting || !errors.Is(err, errCancelled) {
		t.Errorf("a batch: %v, waiting: %v, error: %v", b != nil, waiting, err)
	}
}

// TestReleasedWhileBatchesAreReady: who goes on with a reader that another thread has released is not told that it has
// come to the end, when batches were given back that had been read.
func TestReleasedWhileBatchesAreReady(t *testing.T) {
	r := open(begun(&formatOptions{Format: "csv"}, nil), &openOptions{}, []byte("a,b\n1,2\n"))
	if err := r.made(); err != nil {
		t.Fatal(err)
	}
	r.start()
	<-r.ended
	r.release()
	if b, waiting, err := r.take(10 * time.Second); b != nil || waiting || !errors.Is(err, errCancelled) {
		t.Errorf("a batch: %v, waiting: %v, error: %v", b != nil, waiting, err)
	}
}
