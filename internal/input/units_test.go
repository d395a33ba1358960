package input

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// lines are what lines.bz2 (bzip2 -1: four blocks) and lines.xz (xz -T2 --block-size=64KiB:
// six blocks) in testdata are of.
func lines() []byte {
	var b bytes.Buffer
	for i := range 30000 {
		fmt.Fprintf(&b, "%d,%d\n", i, i%4)
	}
	return b.Bytes()
}

// inUnits is a text compressed in several units, each of which says how long it is, or is
// found: members of bgzip, frames, blocks. ends says how much text is complete at a place at
// which it may end.
func inUnits(t *testing.T, kind string, text []byte) (all []byte, ends map[int]int) {
	t.Helper()
	if kind == "bz2" || kind == "xz" {
		data, err := os.ReadFile(filepath.Join("testdata", "lines."+kind))
		if err != nil {
			t.Fatal(err)
		}
		return data, nil
	}
	ends, size := map[int]int{}, 0
	for piece := range slices.Chunk(text, 50_000) {
		var b bytes.Buffer
		var err error
		switch kind {
		case "gz":
			w := gzip.NewWriter(&b)
			w.Extra = []byte("BC\x02\x00\x00\x00")
			_, err = w.Write(piece)
			err = errors.Join(err, w.Close())
			binary.LittleEndian.PutUint16(b.Bytes()[16:], uint16(b.Len()-1))
		case "zst":
			w, failed := zstd.NewWriter(&b)
			if failed != nil {
				t.Fatal(failed)
			}
			b.WriteString("\x53\x2a\x4d\x18\x04\x00\x00\x00skip") // as pzstd has it before each
			ends[len(all)+b.Len()] = size
			_, err = w.Write(piece)
			err = errors.Join(err, w.Close())
		case "lz4":
			w := lz4.NewWriter(&b)
			err = w.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.BlockChecksumOption(len(all) > 0))
			_, failed := w.Write(piece)
			err = errors.Join(err, failed, w.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		all, size = append(all, b.Bytes()...), size+len(piece)
		ends[len(all)] = size
	}
	return all, ends
}

// readAs reads compressed data: of a file by so many workers, or, by none, of a pipe.
func readAs(t *testing.T, kind string, data []byte, workers int, r *rand.Rand) ([]byte, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in."+kind)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	var in *Input
	var err error
	if workers == 0 {
		in, err = Of(context.Background(), io.MultiReader(bytes.NewReader(data)), path, nil)
	} else {
		in, err = Open(context.Background(), path, nil)
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	in.SideBySide(workers)
	if workers > 1 { // it has begun, and begins again
		if _, err := in.Read(make([]byte, 1+r.IntN(100_000))); err == nil {
			if _, err := in.Reader.(io.Seeker).Seek(0, io.SeekStart); err != nil {
				t.Fatal(err)
			}
		}
	}
	return io.ReadAll(in)
}

// TestUnits: what consists of units is the same text whoever reads them, one or several
// side by side, from a file or a pipe: complete, cut off, damaged, empty, with something
// behind it. What is before a place at which it cannot be read is given.
func TestUnits(t *testing.T) {
	text := lines()
	r := rand.New(rand.NewPCG(1, 2))
	counts, damages := []int{0, 1, 2, 5}, 8
	if testing.Short() { // which looks for races
		counts, damages = []int{0, 5}, 2
	}
	for _, kind := range []string{"gz", "zst", "bz2", "xz", "lz4"} {
		data, ends := inUnits(t, kind, text)
		one := bz2
		if kind != "bz2" {
			one = compress(t, kind, []byte("a\n"))
		}
		empty := map[string][]byte{"bz2": []byte("BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00")}[kind]
		if empty == nil {
			empty = compress(t, kind, nil)
		}
		cat := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
		// check reads it in all ways. The error has to say something, "" for none; the text is
		// then what comes before.
		check := func(what string, data []byte, want []byte, failure string) {
			t.Helper()
			for _, workers := range counts {
				got, err := readAs(t, kind, data, workers, r)
				if failure == "" && (err != nil || !bytes.Equal(got, want)) {
					t.Errorf("%s, %s, %d workers: %d bytes, %v; want %d", kind, what, workers, len(got), err, len(want))
				}
				if failure != "" && (err == nil || !strings.Contains(err.Error(), failure) || !bytes.HasPrefix(want, got)) {
					t.Errorf("%s, %s, %d workers: %d bytes, %v; want %q", kind, what, workers, len(got), err, failure)
				}
			}
		}
		check("one", one, []byte("a\n"), "")
		check("several", data, text, "")
		check("twice", cat(data, one, data), cat(text, []byte("a\n"), text), "")
		check("one first", cat(one, data), cat([]byte("a\n"), text), "")
		check("empty", empty, nil, "")
		check("empty ones", cat(empty, data, empty, one, empty), cat(text, []byte("a\n")), "")
		for _, garbage := range []string{"x", "\n", "garbage", "a,b\n1,2\n3,4\n5,6\n"} {
			left := fmt.Sprintf("something else is left after the compressed data, from byte %d on", len(data))
			check(garbage, cat(data, []byte(garbage)), text, left)
			left = fmt.Sprintf("from byte %d on", len(data)+len(one))
			check("one and "+garbage, cat(data, one, []byte(garbage)), cat(text, []byte("a\n")), left)
		}
		cuts := []int{20 + r.IntN(len(data)-20), 20 + r.IntN(len(data)-20), 20 + r.IntN(len(data)-20)}
		for cut := len(data) - 30; cut < len(data); cut += 4 {
			cuts = append(cuts, cut)
		}
		for cut := range ends {
			cuts = append(cuts, cut)
		}
		for _, cut := range cuts {
			if size, ok := ends[cut]; ok {
				check("ends early", data[:cut], text[:size], "")
			} else {
				check(fmt.Sprint("cut at ", cut), data[:cut], text, "cut off")
			}
		}
		for range damages {
			damaged := bytes.Clone(data)
			damaged[20+r.IntN(len(data)-20)] ^= byte(1 + r.IntN(255))
			_, want := readAs(t, kind, damaged, 0, r)
			if want != nil && len(regexp.MustCompile(`gzip|zstd|bzip2|xz|lz4`).FindAllString(want.Error(), -1)) != 1 {
				t.Errorf("%s, damaged: %v; want its name once", kind, want)
			}
			for _, workers := range counts[1:] {
				if got, err := readAs(t, kind, damaged, workers, r); (err == nil) != (want == nil) || err == nil && !bytes.Equal(got, text) {
					t.Errorf("%s, damaged, %d workers: %d bytes, %v; want %v", kind, workers, len(got), err, want)
				}
			}
		}
	}
}

// TestDamagedXZ: no byte of an xz stream that is another one, as that which says how long
// the header of its last block is, makes the text end earlier without an error.
func TestDamagedXZ(t *testing.T) {
	text := lines()[:600]
	var b bytes.Buffer
	w, err := xz.WriterConfig{BlockSize: 150, CheckSum: xz.CRC32, DictCap: 4096}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	for at := len(xzMagic); at < b.Len(); at++ {
		for _, other := range []byte{0x01, 0x55, 0xff} {
			damaged := bytes.Clone(b.Bytes())
			damaged[at] ^= other
			in, err := newXZStream(newSource(bytes.NewReader(damaged)))
			if err != nil {
				continue
			}
			if got, err := io.ReadAll(in); err == nil && !bytes.Equal(got, text) {
				t.Errorf("byte %d as %#02x: %d bytes and no error, want %d", at, damaged[at], len(got), len(text))
			}
		}
	}
}
