package input

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// writeAt writes a file, as it would be had it been changed at a time.
func writeAt(t *testing.T, name string, data []byte, changed time.Time) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, changed, changed); err != nil {
		t.Fatal(err)
	}
}

// TestPlacesAreRemembered: what is read to open all members of a tar is in proportion to them.
func TestPlacesAreRemembered(t *testing.T) {
	const nmembers = 2000
	var files [][2]string
	for i := range nmembers {
		files = append(files, [2]string{fmt.Sprintf("d/%d.csv", i), "a\n"})
	}
	tarred := packed(t, "tar", files...)
	for kind, data := range map[string][]byte{"tar": tarred, "tar.gz": compress(t, "gz", tarred)} {
		name := filepath.Join(t.TempDir(), "t."+kind)
		writeAt(t, name, data, time.Now().Add(-time.Hour))
		readAllOf(t, name, files)
	}
}

func readAllOf(t *testing.T, name string, files [][2]string) {
	reads := 0
	for _, i := range rand.Perm(len(files)) {
		a, err := openArchive(context.Background(), name, func(int) { reads++ })
		if err != nil {
			t.Fatal(err)
		}
		if a.file() == nil {
			t.Fatalf("%s: it is decompressed again", name)
		}
		r, _, err := a.member(files[i][0])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != "a\n" {
			t.Fatalf("%s: %q, %v", files[i][0], got, err)
		}
		a.Close()
	}
	if most := 20 * len(files); reads > most {
		t.Errorf("%s: %d calls to read and to seek, want %d at most", name, reads, most)
	}
}

// odd is a tar with all that members are found by: names that are long, that several have, links,
// and files with holes, as GNU tar writes them in its own form and in that of POSIX.
func odd(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h tar.Header, data string) (header int) {
		h.Size = int64(len(data))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		header = b.Len() - tarBlock
		if _, err := io.WriteString(w, data); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		return header
	}
	// patch changes a header that was written.
	patch := func(header int, at int, with string) {
		h := b.Bytes()[header : header+tarBlock]
		copy(h[at:], with)
		copy(h[148:], "        ")
		sum := 0
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	}
	add(tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "x"}}, "")
	add(tar.Header{Name: "z.txt"}, "old\n")
	add(tar.Header{Name: "d/", Typeflag: tar.TypeDir}, "")
	add(tar.Header{Name: "z.txt"}, "new\n"+strings.Repeat("x", 2*tarBlock))
	add(tar.Header{Name: "to_z", Typeflag: tar.TypeLink, Linkname: "./z.txt"}, "")
	add(tar.Header{Name: strings.Repeat("long/", 60) + "é.txt", Format: tar.FormatPAX}, strings.Repeat("p", tarBlock))
	add(tar.Header{Name: strings.Repeat("gnu/", 60) + "a.txt", Format: tar.FormatGNU}, strings.Repeat("g", tarBlock-1))
	add(tar.Header{Name: "to_to_z", Typeflag: tar.TypeLink, Linkname: "to_z"}, "")
	add(tar.Header{Name: "to_later", Typeflag: tar.TypeLink, Linkname: "later"}, "")
	add(tar.Header{Name: "./later"}, "later\n")
	add(tar.Header{Name: "to_itself", Typeflag: tar.TypeLink, Linkname: "to_itself"}, "")
	add(tar.Header{Name: "soft", Typeflag: tar.TypeSymlink, Linkname: "z.txt"}, "")
	add(tar.Header{Name: "empty"}, "")

	holes := func(pairs ...int) (s string) {
		for _, n := range pairs {
			s += fmt.Sprintf("%011o\x00", n)
		}
		return s
	}
	more := make([]byte, tarBlock) // of the holes of the next
	copy(more, holes(5000, 1, 6000, 0))
	at := add(tar.Header{Name: "gnu_holes", Format: tar.FormatGNU}, string(more)+"abcde")
	patch(at, 124, fmt.Sprintf("%011o", 5))
	patch(at, 156, "S")
	patch(at, 386, holes(0, 1, 1000, 1, 2000, 1, 3000, 1)+"\x01"+holes(6000))

	records := ""
	for _, r := range []string{"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=pax_holes", "GNU.sparse.realsize=3000"} {
		records += fmt.Sprintf("%d %s\n", len(r)+4, r)
	}
	patch(add(tar.Header{Name: "PaxHeaders/pax_holes"}, records), 156, "x")
	layout := make([]byte, tarBlock)
	copy(layout, "2\n100\n3\n2997\n3\n")
	add(tar.Header{Name: "GNUSparseFile.0/pax_holes"}, string(layout)+"abcdef")

	add(tar.Header{Name: "z.txt"}, "newest\n")
	add(tar.Header{Name: "to_newest", Typeflag: tar.TypeLink, Linkname: "z.txt"}, "")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPlacesAreRight: members are what they are when each is looked for from the beginning, in
// whatever order and by how many at once; and so where the tar is cut or damaged.
func TestPlacesAreRight(t *testing.T) {
	t.Chdir(t.TempDir())
	whole := odd(t)
	var names []string
	for r := tar.NewReader(bytes.NewReader(whole)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
	names = append(names, "none")
	one := func(name string) string {
		in, err := Open(context.Background(), "t.tar!"+name, nil)
		if err != nil {
			return err.Error()
		}
		defer in.Close()
		data, err := io.ReadAll(in)
		return fmt.Sprintf("%q, %v", data, err)
	}
	changed := time.Now().Add(-24 * time.Hour)
	compare := func(what string, data []byte) {
		want := map[string]string{}
		writeAt(t, "t.tar", data, time.Now().Add(time.Hour)) // too young
		for _, name := range names {
			want[name] = one(name)
		}
		changed = changed.Add(time.Second)
		writeAt(t, "t.tar", data, changed)
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				for _, i := range rand.Perm(len(names)) {
					if got := one(names[i]); got != want[names[i]] {
						t.Errorf("%s, %s: %.200s; want %.200s", what, names[i], got, want[names[i]])
					}
				}
			})
		}
		readers.Wait()
	}
	compare("whole", whole)
	for name, want := range map[string]string{"gnu_holes": "6000 abcde", "pax_holes": "3000 abcdef", "to_to_z": "1028 new"} {
		in, err := Open(context.Background(), "t.tar!"+name, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		in.Close()
		text := strings.ReplaceAll(strings.ReplaceAll(string(data), "\x00", ""), "x", "")
		if got := fmt.Sprintf("%d %s", len(data), strings.TrimSpace(text)); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	for at := 0; at < len(whole); at += tarBlock {
		compare(fmt.Sprintf("cut at %d", at), whole[:at+at/tarBlock%2*100])
		damaged := bytes.Clone(whole)
		damaged[at+20] ^= 0x55
		compare(fmt.Sprintf("damaged at %d", at+20), damaged)
	}
	for _, kind := range []string{"gz", "zst", "lz4", "xz"} {
		packed := compress(t, kind, whole)
		compare(kind, packed)
		compare(kind+" of what is cut", compress(t, kind, whole[:len(whole)/2]))
		compare(kind+" and more", append(bytes.Clone(packed), "more"...))
		for at := 0; at < len(packed); at += max(1, len(packed)/3) {
			compare(fmt.Sprintf("%s cut at %d", kind, at), packed[:at])
			damaged := bytes.Clone(packed)
			damaged[at] ^= 0x55
			compare(fmt.Sprintf("%s damaged at %d", kind, at), damaged)
		}
	}
}

// TestPlacesOfChanged: a tar that was written again is read anew, and one of the same size and time,
// too, where other members are at the places.
func TestPlacesOfChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("a", 2*tarBlock)
	first := packed(t, "tar", [2]string{"a", "1\n"}, [2]string{"b", long})
	second := packed(t, "tar", [2]string{"b", long}, [2]string{"a", "2\n"})
	third := packed(t, "tar", [2]string{"b", long}, [2]string{"a", "3\n"})
	changed := time.Now().Add(-time.Hour)
	for i, data := range [][]byte{first, second, third} {
		if i == 2 {
			changed = changed.Add(time.Second)
		}
		writeAt(t, "t.tar", data, changed)
		if got, err := read(t, "t.tar!b"); err != nil || got != long {
			t.Errorf("%d: %.10q, %v", i, got, err)
		}
		if got, err := read(t, "t.tar!a"); err != nil || got != fmt.Sprintf("%d\n", i+1) {
			t.Errorf("%d: %.10q, %v", i, got, err)
		}
	}
}

// TestManyPlaces: members are found where more would have to be remembered than may be.
func TestManyPlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	writeAt(t, "t.tar", odd(t), time.Now().Add(-time.Hour))
	for full, members := range []string{"z.txt", "to_to_z", "to_newest", "z.txt"} {
		a, err := openArchive(context.Background(), "t.tar", nil)
		if err != nil {
			t.Fatal(err)
		}
		if full == 1 {
			a.places.nbytes = mostMemory
		}
		if _, _, err := a.find(members); err != nil {
			t.Errorf("%s: %v", members, err)
		}
		if n := len(a.places.first); n != 1 {
			t.Errorf("%s: %d places are remembered, want that of the first", members, n)
		}
		a.Close()
	}
}

// TestLargeCompressed: a compressed tar that is too large to be remembered is read from its beginning.
func TestLargeCompressed(t *testing.T) {
	t.Chdir(t.TempDir())
	tarred := packed(t, "tar", [2]string{"a", "a\n"}, [2]string{"b", string(make([]byte, mostMemory))}, [2]string{"c", "c\n"})
	writeAt(t, "t.tar.gz", compress(t, "gz", tarred), time.Now().Add(-time.Hour))
	names, err := Expand([]string{"t.tar.gz"})
	if want := "t.tar.gz!a t.tar.gz!b t.tar.gz!c"; err != nil || strings.Join(names, " ") != want {
		t.Errorf("%v, %v; want %s", names, err, want)
	}
	for _, member := range []string{"c", "a"} {
		if got, err := read(t, "t.tar.gz!"+member); err != nil || got != member+"\n" {
			t.Errorf("%s: %q, %v", member, got, err)
		}
	}
}

// TestDirectoryIsRemembered: the directory of a zip is read once, and members are read by it while
// others are closed.
func TestDirectoryIsRemembered(t *testing.T) {
	t.Chdir(t.TempDir())
	var files [][2]string
	for i := range 50 {
		files = append(files, [2]string{fmt.Sprintf("%d.csv", i), strings.Repeat(fmt.Sprintf("%d\n", i), 1000*i)})
	}
	zipped := packed(t, "zip", files...)
	changed := time.Now().Add(-time.Hour)
	writeAt(t, "t.zip", zipped, changed)
	var directories [2]*directory
	for i := range directories {
		a, err := openArchive(context.Background(), "t.zip", nil)
		if err != nil {
			t.Fatal(err)
		}
		directories[i] = a.zip
		a.Close()
	}
	if directories[0] != directories[1] {
		t.Error("the directory is read again")
	}
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for _, i := range rand.Perm(len(files)) {
				in, err := Open(context.Background(), "t.zip!"+files[i][0], nil)
				if err != nil {
					t.Error(err)
					continue
				}
				part := files[i][1][:rand.IntN(len(files[i][1])+1)]
				got := make([]byte, len(part))
				if _, err := io.ReadFull(in, got); err != nil || string(got) != part {
					t.Errorf("%s: %.20q, %v", files[i][0], got, err)
				}
				if err := in.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	readers.Wait()
	if left := directories[0].file.files; len(left) != 0 {
		t.Errorf("%d files are left open", len(left))
	}
	files[48], files[49] = files[49], files[48]
	again := packed(t, "zip", files...)
	if len(again) != len(zipped) {
		t.Fatalf("%d bytes, want as many as before, %d", len(again), len(zipped))
	}
	for _, at := range []time.Time{changed.Add(time.Second), changed} {
		writeAt(t, "t.zip", again, at)
		for _, f := range files {
			if got, err := read(t, "t.zip!"+f[0]); err != nil || got != f[1] {
				t.Errorf("%s: %.20q, %v", f[0], got, err)
			}
		}
	}
}
