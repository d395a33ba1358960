package input

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// packed are texts as an archive, by name; names end in / for folders.
func packed(t *testing.T, kind string, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if kind == "zip" {
		z := zip.NewWriter(&b)
		for _, f := range files {
			w, err := z.Create(f[0])
			check(err)
			_, err = io.WriteString(w, f[1])
			check(err)
		}
		check(z.Close())
		return b.Bytes()
	}
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f[0], Mode: 0o644, Size: int64(len(f[1])), Typeflag: tar.TypeReg}
		if strings.HasSuffix(f[0], "/") {
			h.Typeflag = tar.TypeDir
		}
		check(w.WriteHeader(h))
		_, err := io.WriteString(w, f[1])
		check(err)
	}
	check(w.Close())
	return b.Bytes()
}

func compress(t *testing.T, kind string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch kind {
	case "gz":
		w = gzip.NewWriter(&b)
	case "zst":
		w, err = zstd.NewWriter(&b)
	case "xz":
		w, err = xz.NewWriter(&b)
	case "lz4":
		w = lz4.NewWriter(&b)
	}
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read is an input, read twice where it can be, and how that ended.
func read(t *testing.T, name string) (string, error) {
	t.Helper()
	in, err := Open(context.Background(), name, nil)
	if err != nil {
		return "", err
	}
	defer in.Close()
	once, err := io.ReadAll(in)
	if err != nil {
		return "", err
	}
	if _, err := in.Reader.(io.Seeker).Seek(0, io.SeekStart); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if again, err := io.ReadAll(in); err != nil || !bytes.Equal(once, again) {
		t.Errorf("%s: %q, and the second time %q, %v", name, once, again, err)
	}
	return string(once), nil
}

// TestArchives: all members, those that match, and one, of every kind of archive; what is
// wrong is said; whether they may be remembered or not.
func TestArchives(t *testing.T) {
	t.Run("new", func(t *testing.T) { testArchives(t, time.Now().Add(time.Hour)) })
	t.Run("old", func(t *testing.T) { testArchives(t, time.Now().Add(-time.Hour)) })
}

func testArchives(t *testing.T, changed time.Time) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("1,a\n", 50000)
	files := [][2]string{{"d/", ""}, {"d/b.csv", "b\n"}, {"a.csv", "a\n" + long}, {"c.csv.gz", string(compress(t, "gz", []byte("c\n")))}, {"__MACOSX/._a.csv", "no"}, {"x[1].csv", "x\n"}, {"a.dfp", "no"}, {"d/a.dfac", "no"}, {"a.csv.dfai", "no"}}
	write := func(name string, data []byte) { writeAt(t, name, data, changed) }
	tarred := packed(t, "tar", files...)
	write("t.zip", packed(t, "zip", files...))
	write("t.tar", tarred)
	for _, kind := range []string{"gz", "zst", "xz", "lz4"} {
		write("t.tar."+kind, compress(t, kind, tarred))
	}
	write("t.tgz", compress(t, "gz", tarred))
	for _, name := range []string{"t.zip", "t.tar", "t.tar.gz", "t.tar.zst", "t.tar.xz", "t.tar.lz4", "t.tgz"} {
		for pattern, want := range map[string]string{
			"":            "d/b.csv a.csv c.csv.gz x[1].csv",
			"!*.csv":      "a.csv x[1].csv",
			"!a*":         "a.csv a.dfp",
			"!a.csv.dfai": "a.csv.dfai",
			"!**/b.csv":   "d/b.csv",
			"!d/*":        "d/b.csv d/a.dfac",
			"!x[1].csv":   "x[1].csv",
			"!__MACOSX/*": "__MACOSX/._a.csv",
		} {
			got, err := Expand([]string{name + pattern})
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], name+"!")
			}
			if err != nil || strings.Join(got, " ") != want {
				t.Errorf("%s%s: %v, %v; want %s", name, pattern, got, err, want)
			}
		}
		for member, want := range map[string]string{"d/b.csv": "b\n", "a.csv": "a\n" + long, "c.csv.gz": "c\n"} {
			if got, err := read(t, name+"!"+member); err != nil || got != want {
				t.Errorf("%s!%s: %.20q, %v", name, member, got, err)
			}
		}
		if _, err := read(t, name+"!no"); err == nil || err.Error() != name+"!no: there is no such member; there are d/b.csv, a.csv, c.csv.gz, __MACOSX/._a.csv and 4 others" {
			t.Errorf("%s: %v", name, err)
		}
	}

	for name, before := range map[string]string{"program.zip": "#!/bin/sh\n" + long, "program.exe": "MZ", "zip.bin": strings.Repeat("\x00x", 256)} {
		write(name, append([]byte(before), packed(t, "zip", [2]string{"a", long}, [2]string{"b", "b\n"})...))
		if names, err := Expand([]string{name + "!*"}); err != nil || strings.Join(names, " ") != name+"!a "+name+"!b" {
			t.Errorf("%s: %v, %v", name, names, err)
		}
		if got, err := read(t, name+"!a"); err != nil || got != long {
			t.Errorf("%s!a: %.20q, %v", name, got, err)
		}
	}
	write("last.tar", packed(t, "tar", [2]string{"a", "a\n"}, [2]string{"z.zip", string(packed(t, "zip", [2]string{"in", "z\n"}))}))
	if names, err := Expand([]string{"last.tar"}); err != nil || strings.Join(names, " ") != "last.tar!a last.tar!z.zip" {
		t.Errorf("a tar that ends in a zip: %v, %v", names, err)
	}

	damaged := packed(t, "zip", [2]string{"a", long})
	damaged[60] ^= 0xff
	write("damaged.zip", damaged)
	encrypted := packed(t, "zip", [2]string{"a", "b"})
	encrypted[bytes.Index(encrypted, []byte("PK\x01\x02"))+8] |= 1
	write("encrypted.zip", encrypted)
	short := packed(t, "zip", [2]string{"a", long})
	short[bytes.Index(short, []byte("PK\x01\x02"))+20] -= 4 // bytes of compressed data
	write("short.zip", short)
	write("odd.tar", append(bytes.Clone(tarred), "more"...))
	write("odd.tar.gz", compress(t, "gz", append(bytes.Clone(tarred), "more"...)))
	write("cut.tar", tarred[:len(tarred)/2])
	write("none.tar", []byte(strings.Repeat("text\n", 1000)))
	write("small.csv", []byte("a,b\n1,2\n"))
	write("empty.zip", packed(t, "zip"))
	write("a!b", []byte("plain\n"))
	for name, want := range map[string]string{
		"encrypted.zip!a": "encrypted.zip!a: it is encrypted, which is not read",
		"short.zip!a":     "the archive is damaged: the data of the member end too early",
		"odd.tar":         "odd.tar: something else is left after the last member of the tar",
		"odd.tar.gz":      "odd.tar.gz: something else is left after the last member of the tar",
		"cut.tar":         "cut.tar: the tar is cut off",
		"none.tar":        "none.tar: is neither a zip nor a tar, or it is damaged",
		"small.csv!x":     "small.csv: is neither a zip nor a tar, or it is damaged",
		"empty.zip":       "empty.zip: no file is in this archive" + butLeftOut,
		"t.zip!z*":        "t.zip!z*: no member matches; there are d/b.csv, a.csv, c.csv.gz, __MACOSX/._a.csv and 4 others",
		"damaged.zip!a":   "",
	} {
		names, err := Expand([]string{name})
		if err == nil {
			_, err = read(t, names[0])
		}
		if err == nil || want != "" && err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if got, err := read(t, "a!b"); got != "plain\n" {
		t.Errorf("a!b: %q, %v", got, err)
	}
}

// TestNamesOfMembers: a file that a tar has by several names is read by each, as it was where the
// link stands; of two members with one name neither is taken for the other.
func TestNamesOfMembers(t *testing.T) {
	t.Run("new", func(t *testing.T) { testNamesOfMembers(t, time.Now().Add(time.Hour)) })
	t.Run("old", func(t *testing.T) { testNamesOfMembers(t, time.Now().Add(-time.Hour)) })
}

func testNamesOfMembers(t *testing.T, changed time.Time) {
	t.Chdir(t.TempDir())
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "z.txt", Typeflag: tar.TypeReg, Size: 1},
		{Name: "z.txt", Typeflag: tar.TypeReg, Size: 2},
		{Name: "a.csv", Typeflag: tar.TypeLink, Linkname: "./z.txt"},
		{Name: "b.csv", Typeflag: tar.TypeLink, Linkname: "a.csv"},
		{Name: "c.csv", Typeflag: tar.TypeSymlink, Linkname: "a.csv"},
		{Name: "d.txt", Typeflag: tar.TypeLink, Linkname: "d.txt"},
		{Name: "e.txt", Typeflag: tar.TypeLink, Linkname: "later.txt"},
		{Name: "later.txt", Typeflag: tar.TypeReg, Size: 2},
		{Name: "z.txt", Typeflag: tar.TypeReg, Size: 1},
	} {
		h.Mode = 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, "a\n"[:h.Size])
	}
	w.Close()
	twice := [][2]string{{"a.csv", "old\n"}, {"b.csv", "b\n"}, {"a.csv", "new\n"}}
	for name, data := range map[string][]byte{
		"links.tar": b.Bytes(), "links.tar.gz": compress(t, "gz", b.Bytes()), "twice.tar": packed(t, "tar", twice...), "twice.zip": packed(t, "zip", twice...),
	} {
		writeAt(t, name, data, changed)
	}
	for _, name := range []string{"links.tar", "links.tar.gz"} {
		names, err := Expand([]string{name + "!*.csv"})
		if want := []string{name + "!a.csv", name + "!b.csv"}; err != nil || !slices.Equal(names, want) {
			t.Errorf("%v, %v; want %v", names, err, want)
		}
		for _, member := range []string{"a.csv", "b.csv"} {
			if got, err := read(t, name+"!"+member); err != nil || got != "a\n" {
				t.Errorf("%s!%s: %q, %v", name, member, got, err)
			}
		}
		for member, to := range map[string]string{"d.txt": "d.txt", "e.txt": "later.txt"} {
			want := name + "!" + member + ": it is a link to " + to + ", and no file of this name stands before it in the archive"
			if got, err := read(t, name+"!"+member); err == nil || err.Error() != want {
				t.Errorf("%s!%s: %q, %v", name, member, got, err)
			}
		}
	}
	for _, name := range []string{"twice.tar", "twice.zip"} {
		for _, pattern := range []string{"", "!a.csv", "!*.csv"} {
			want := name + "!a.csv: several members of the archive have this name; unpack it first"
			if names, err := Expand([]string{name + pattern}); err == nil || err.Error() != want {
				t.Errorf("%s%s: %v, %v", name, pattern, names, err)
			}
		}
		if names, err := Expand([]string{name + "!b.csv"}); err != nil || len(names) != 1 {
			t.Errorf("%s!b.csv: %v, %v", name, names, err)
		}
	}
}

// rows is some text whose every place is different.
func rows(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "%d,row\n", i)
	}
	return b.Bytes()
}

// bz2 is "a\n" by bzip2.
var bz2 = []byte("BZh91AY&SYc>\xd6\xe2\x00\x00\x00\xc1\x00\x00\x10 \x00 \x00!\x00\x82\xb1w$S\x85\t\x063\xedn ")

// TestLeftOver: members and frames one after the other are one input; what is left after
// the last is an error, never less than there is.
func TestLeftOver(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range []string{"gz", "zst", "xz", "lz4", "bz2"} {
		one := bz2
		if kind != "bz2" {
			one = compress(t, kind, []byte("a\n"))
		}
		for more, want := range map[string]string{"": "a\n", string(one): "a\na\n", "left": "", "left over, and more than a header": "", "l": "", string(one[:3]): "", "a,b\n1,2\n": ""} {
			path := filepath.Join(dir, "in."+kind)
			if err := os.WriteFile(path, append(bytes.Clone(one), more...), 0o666); err != nil {
				t.Fatal(err)
			}
			got, err := read(t, path)
			if want != "" && (err != nil || got != want) || want == "" && err == nil {
				t.Errorf("%s and %q: %q, %v", kind, more, got, err)
			}
			if left := (*LeftOverError)(nil); strings.HasPrefix(more, "left") && (!errors.As(err, &left) || left.At != int64(len(one))) {
				t.Errorf("%v, want one that says byte %d", err, len(one))
			}
			if !strings.HasPrefix(more, "l") {
				continue
			}
			in, err := Open(context.Background(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			in.IgnoreLeftOver(func(*LeftOverError) { told++ })
			if got, err := io.ReadAll(in); err != nil || string(got) != "a\n" || told != 1 {
				t.Errorf("%s: %q, %v, told %d times, want what is compressed, and to be told", kind, got, err, told)
			}
			in.Close()
		}
	}
}

// TestRewind: whatever a decompressor reads ahead, it has ended before its file is sought, and what
// comes then is the beginning. The data are more than is read ahead, and reading takes a while, so
// that the decompressor is at it when the file is sought.
func TestRewind(t *testing.T) {
	noise := make([]byte, 3<<20)
	for rng, i := rand.NewChaCha8([32]byte{}), 0; i < len(noise); i += 8 {
		binary.LittleEndian.PutUint64(noise[i:], rng.Uint64())
	}
	for kind := range compressions {
		c := &compressions[kind]
		data := noise
		switch c.name {
		case "bzip2":
			continue // nothing here writes it, and it reads nothing ahead
		case "xz":
			data = noise[:200_000] // it takes its time
		}
		t.Run(c.name, func(t *testing.T) {
			file := &slowFile{Reader: bytes.NewReader(compress(t, c.ext[1:], data)), t: t}
			r := &rewindable{decompressed: &decompressed{compression: c, in: file}}
			if err := r.open(); err != nil {
				t.Fatal(err)
			}
			for i := range 8 {
				some := make([]byte, 1+i*10_000)
				if _, err := io.ReadFull(r, some); err != nil || !bytes.Equal(some, data[:len(some)]) {
					t.Fatalf("reading %d: %v", i, err)
				}
				if _, err := r.Seek(0, io.SeekStart); err != nil {
					t.Fatalf("reading %d: %v", i, err)
				}
			}
			if err := r.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// slowFile is a file in small pieces, none of which may be read while it is sought.
type slowFile struct {
	*bytes.Reader
	t       *testing.T
	reading atomic.Bool
}

func (w *slowFile) Read(p []byte) (int, error) {
	w.reading.Store(true)
	defer w.reading.Store(false)
	time.Sleep(100 * time.Microsecond)
	return w.Reader.Read(p[:min(len(p), 64<<10)])
}

func (w *slowFile) Seek(offset int64, whence int) (int64, error) {
	if w.reading.Load() {
		w.t.Error("sought while it is read")
	}
	return w.Reader.Seek(offset, whence)
}
