//go:build cuda

package device

import (
	"bytes"
	"errors"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"
)

// open opens device 0, or skips the test where there is none.
func open(t testing.TB) *Device {
	t.Helper()
	found, err := Devices()
	if err != nil {
		t.Skipf("no device: %v", err)
	}
	if len(found) == 0 {
		t.Skip("no device")
	}
	d, err := Open(0)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must1[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// TestNoDriver: without a driver the program runs, and says what is missing.
func TestNoDriver(t *testing.T) {
	_, err := Devices()
	if err == nil {
		t.Skip("there is a driver")
	}
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "NVIDIA driver") {
		t.Errorf("error %v", err)
	}
	if _, again := Open(0); again == nil || again.Error() != err.Error() {
		t.Errorf("Open says %v, Devices %v", again, err)
	}
}

func TestDevices(t *testing.T) {
	d := open(t)
	found := must1[[]Info](t)(Devices())
	if found[0] != d.Info() {
		t.Errorf("Devices says %+v, Open %+v", found[0], d.Info())
	}
	i := found[0]
	if i.Name == "" || i.Memory <= 0 || i.Driver < 11000 || i.Multiprocessors < 1 || i.MaxShared < 48<<10 {
		t.Errorf("%+v", i)
	}
	t.Logf("%+v", i)
	for _, n := range []int{-1, len(found)} {
		if _, err := Open(n); err == nil || !strings.Contains(err.Error(), "device") {
			t.Errorf("Open(%d): %v", n, err)
		}
	}
	free, total, err := d.Free()
	if err != nil || free <= 0 || free > total || total > i.Memory {
		t.Errorf("%d of %d bytes free, error %v", free, total, err)
	}
}

// TestCopies sends bytes there and back again, from pinned memory and from Go's.
func TestCopies(t *testing.T) {
	d := open(t)
	s := must1[*Stream](t)(d.NewStream())
	rnd := rand.New(rand.NewSource(1))
	for _, n := range []int{0, 1, 255, 256, 4097, 1<<20 + 3} {
		a, b := must1[Memory](t)(d.Alloc(n)), must1[Memory](t)(d.Alloc(n+2))
		if a.Size != n || a.Address%256 != 0 {
			t.Fatalf("Alloc(%d): %+v", n, a)
		}
		pinned := must1[[]byte](t)(d.AllocHost(n))
		rnd.Read(pinned)
		want := bytes.Clone(pinned)
		must(t, s.Upload(a.Address, pinned))
		must(t, s.Fill(b.Address, 0xa5, n+2))
		must(t, s.Copy(b.Address+1, a.Address, n))
		must(t, s.Synchronize())
		clear(pinned)
		must(t, s.Download(pinned, b.Address+1))
		got := make([]byte, n+2)
		must(t, s.Download(got, b.Address))
		must(t, s.Synchronize())
		if !bytes.Equal(pinned, want) {
			t.Errorf("%d bytes differ in pinned memory", n)
		}
		if !bytes.Equal(got[1:n+1], want) || got[0] != 0xa5 || got[n+1] != 0xa5 {
			t.Errorf("%d bytes differ in Go's memory", n)
		}
		must(t, d.FreeMemory(a))
		must(t, d.FreeMemory(b))
		must(t, d.FreeHost(pinned))
	}
	must(t, s.Close())
}

// TestDownloadPitched takes rows of bytes at a pitch, and leaves what lies between.
func TestDownloadPitched(t *testing.T) {
	d := open(t)
	s := must1[*Stream](t)(d.NewStream())
	const pitch, n = 96, 5
	m := must1[Memory](t)(d.Alloc(pitch * n))
	all := make([]byte, m.Size)
	rand.New(rand.NewSource(1)).Read(all)
	must(t, s.Upload(m.Address, all))
	pinned := must1[[]byte](t)(d.AllocHost(pitch * n))
	for _, size := range []int{0, 1, 31, 64, pitch} {
		for _, dst := range [][]byte{pinned, make([]byte, pitch*n)} {
			to := max(size, 64)
			want := bytes.Repeat([]byte{0xa5}, len(dst))
			copy(dst, want)
			for i := range n {
				copy(want[i*to:], all[i*pitch:][:size])
			}
			must(t, s.DownloadPitched(dst, to, m.Address, pitch, size, n))
			must(t, s.Synchronize())
			if !bytes.Equal(dst, want) {
				t.Errorf("%d rows of %d bytes differ", n, size)
			}
		}
	}
	for _, pitches := range [][2]int{{15, 96}, {96, 15}, {96, MaxPitch + 1}} {
		if err := s.DownloadPitched(make([]byte, pitch*n), pitches[0], m.Address, pitches[1], 16, 2); err == nil {
			t.Errorf("pitches %d are taken", pitches)
		}
	}
	must(t, s.Synchronize())
	must(t, d.FreeHost(pinned))
	must(t, d.FreeMemory(m))
	must(t, s.Close())
}

// TestStreams chains streams by events, from several goroutines.
func TestStreams(t *testing.T) {
	d := open(t)
	const n, hops = 1 << 16, 20
	m := must1[Memory](t)(d.Alloc(n))
	var wg sync.WaitGroup
	errs := make(chan error, 4)
	parts := 4
	for p := range parts {
		wg.Go(func() {
			part := m.Address + uint64(p*n/parts)
			errs <- func() error {
				var before *Event
				for i := range hops {
					s, err := d.NewStream()
					if err != nil {
						return err
					}
					defer s.Close()
					if before != nil {
						if err := s.Wait(before); err != nil {
							return err
						}
					}
					if err := s.Fill(part, byte(p*hops+i), n/parts); err != nil {
						return err
					}
					if before, err = d.NewEvent(false); err != nil {
						return err
					}
					defer before.Close()
					if err := s.Record(before); err != nil {
						return err
					}
				}
				return before.Synchronize()
			}()
		})
	}
	wg.Wait()
	for range parts {
		must(t, <-errs)
	}
	s := must1[*Stream](t)(d.NewStream())
	got := make([]byte, n)
	must(t, s.Download(got, m.Address))
	must(t, s.Synchronize())
	for p := range parts {
		if want := bytes.Repeat([]byte{byte(p*hops + hops - 1)}, n/parts); !bytes.Equal(got[p*n/parts:(p+1)*n/parts], want) {
			t.Errorf("part %d is not what the last stream wrote", p)
		}
	}
	must(t, s.Close())
	must(t, d.FreeMemory(m))
}

func TestEvents(t *testing.T) {
	d := open(t)
	s := must1[*Stream](t)(d.NewStream())
	m := must1[Memory](t)(d.Alloc(1 << 20))
	start, end := must1[*Event](t)(d.NewEvent(true)), must1[*Event](t)(d.NewEvent(true))
	must(t, s.Wait(start)) // never recorded
	must(t, s.Record(start))
	for range 10 {
		must(t, s.Fill(m.Address, 1, m.Size))
	}
	must(t, s.Record(end))
	for range 1000 {
		if done, err := end.Query(); err != nil {
			t.Fatal(err)
		} else if done {
			break
		}
		time.Sleep(time.Millisecond)
	}
	must(t, end.Synchronize())
	if done, err := end.Query(); !done || err != nil {
		t.Errorf("Query after Synchronize: %v, %v", done, err)
	}
	if took, err := end.Since(start); err != nil || took < 0 || took > time.Minute {
		t.Errorf("10 fills took %v, error %v", took, err)
	}
	untimed := must1[*Event](t)(d.NewEvent(false))
	must(t, s.Record(untimed))
	must(t, untimed.Synchronize())
	if _, err := untimed.Since(start); err == nil {
		t.Error("time of an event without timing")
	}
	for _, e := range []*Event{start, end, untimed} {
		must(t, e.Close())
	}
	must(t, d.FreeMemory(m))
	must(t, s.Close())
}

// TestSideBySide: two Devices of one GPU do not know of each other.
func TestSideBySide(t *testing.T) {
	a := open(t)
	b := must1[*Device](t)(Open(0))
	s, m := must1[*Stream](t)(a.NewStream()), must1[Memory](t)(a.Alloc(100))
	must(t, b.Close())
	must(t, b.Close())
	must(t, s.Fill(m.Address, 1, 100))
	must(t, s.Synchronize())
	must(t, a.FreeMemory(m))
	must(t, s.Close())
}

func TestOutOfMemory(t *testing.T) {
	d := open(t)
	_, total, err := d.Free()
	must(t, err)
	_, err = d.Alloc(2 * total)
	if !errors.Is(err, ErrOutOfMemory) || errors.Is(err, ErrLost) {
		t.Errorf("error %v", err)
	}
	if err != nil && (!strings.Contains(err.Error(), "allocate") || !strings.Contains(err.Error(), "OUT_OF_MEMORY")) {
		t.Errorf("error %v", err)
	}
	m := must1[Memory](t)(d.Alloc(1)) // it goes on
	must(t, d.FreeMemory(m))
}

func TestErrorKinds(t *testing.T) {
	for _, c := range []struct {
		code Code
		kind error
	}{{2, ErrOutOfMemory}, {700, ErrLost}, {719, ErrLost}, {1, nil}, {500, nil}} {
		err := error(&Error{Op: "try", Code: c.code})
		for _, kind := range []error{ErrOutOfMemory, ErrLost} {
			if errors.Is(err, kind) != (kind == c.kind) {
				t.Errorf("code %d is %v: %v", c.code, kind, errors.Is(err, kind))
			}
		}
	}
}

// TestKeptMemory: memory that nobody uses is there for who asks next, for as much or a little
// less, counts as free, and is given back where the device has no other.
func TestKeptMemory(t *testing.T) {
	d := open(t)
	free, total, err := d.Free()
	if err != nil {
		t.Fatal(err)
	}
	before := d.Usage().Device
	a := must1[Memory](t)(d.Alloc(10_000))
	must(t, d.KeepMemory(a))
	if now, _, err := d.Free(); err != nil || now != free {
		t.Errorf("%d bytes are free, were %d, error %v", now, free, err)
	}
	if b := must1[Memory](t)(d.Alloc(9_000)); b != a {
		t.Errorf("%+v, want %+v", b, a)
	}
	must(t, d.KeepMemory(a))
	b := must1[Memory](t)(d.Alloc(7_000)) // which is too little for it
	if b.Address == a.Address || b.Size != 7_000 {
		t.Errorf("%+v", b)
	}
	if n := d.Usage().Device - before; n != 10_000 { // what is kept is not in use
		t.Errorf("%d bytes were in use", n)
	}
	other := open(t)
	if c := must1[Memory](t)(other.Alloc(10_000)); c != a {
		t.Errorf("another Device of the same GPU has %+v, want %+v", c, a)
	}
	must(t, other.KeepMemory(a))
	must(t, other.Close())
	must(t, d.KeepMemory(b))
	// More than a part of the device's memory is not kept; what is kept goes for others.
	d.info.Memory = 1 << 20
	large := must1[Memory](t)(d.Alloc(d.info.Memory/keptShare + 1))
	must(t, d.KeepMemory(large))
	if d.kept.size != 17_000 {
		t.Errorf("%d bytes are kept", d.kept.size)
	}
	if _, err := d.Alloc(2 * total); err == nil {
		t.Error("there is twice the memory of the device")
	}
	if d.kept.size != 0 {
		t.Errorf("%d bytes are kept, which somebody wanted", d.kept.size)
	}
}
