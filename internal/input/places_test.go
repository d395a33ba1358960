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
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
		a, err := openArchive(context.Background(), name, files[i][0], func(int) { reads++ })
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
	one := func(name string, first int) string {
		in, err := Open(context.Background(), "t.tar!"+name, nil)
		if err != nil {
			return err.Error()
		}
		defer in.Close()
		if first > 0 {
			io.ReadFull(in, make([]byte, first)) // which may fail, as it does again
			if _, err := in.Reader.(io.Seeker).Seek(0, io.SeekStart); err != nil {
				return err.Error()
			}
		}
		data, err := io.ReadAll(in)
		return fmt.Sprintf("%q, %v", data, err)
	}
	changed := time.Now().Add(-24 * time.Hour)
	compare := func(what string, data []byte) {
		want := map[string]string{}
		writeAt(t, "t.tar", data, time.Now().Add(time.Hour)) // too young
		for _, name := range names {
			want[name] = one(name, 0)
		}
		changed = changed.Add(time.Second)
		writeAt(t, "t.tar", data, changed)
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				for _, i := range rand.Perm(len(names)) {
					if got := one(names[i], rand.IntN(3)*700); got != want[names[i]] {
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
	step := tarBlock
	if testing.Short() {
		step *= 7 // odd, so that every other cut is within a block
	}
	for at := 0; at < len(whole); at += step {
		compare(fmt.Sprintf("cut at %d", at), whole[:at+at/tarBlock%2*100])
		damaged := bytes.Clone(whole)
		damaged[at+20] ^= 0x55
		compare(fmt.Sprintf("damaged at %d", at+20), damaged)
	}
	for i, most := range []int{mostText, 1000, 1} { // all is remembered, the beginnings of members, nothing
		setMostText(t, most)
		kinds := []string{"gz", "zst", "lz4", "xz"}
		if testing.Short() {
			kinds = kinds[i : i+2]
		}
		for _, kind := range kinds {
			packed := compress(t, kind, whole)
			compare(kind, packed)
			compare(kind+" of what is cut", compress(t, kind, whole[:len(whole)/2]))
			compare(kind+" and more", append(bytes.Clone(packed), "more"...))
			first, step := 0, max(1, len(packed)/3)
			if testing.Short() {
				first, step = step, len(packed)
			}
			for at := first; at < len(packed); at += step {
				compare(fmt.Sprintf("%s cut at %d", kind, at), packed[:at])
				damaged := bytes.Clone(packed)
				damaged[at] ^= 0x55
				compare(fmt.Sprintf("%s damaged at %d", kind, at), damaged)
			}
		}
	}
}

// setMostText sets how much text is remembered, for a test.
func setMostText(t *testing.T, most int) {
	before := mostText
	mostText = most
	t.Cleanup(func() {
		mostText = before
		for _, one := range slices.Clone(keeps.of) { // files that are open cannot be removed everywhere
			expire(one)
		}
	})
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
		a, err := openArchive(context.Background(), "t.tar", members, nil)
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
	if !InTurn("t.tar.gz") {
		t.Error("several of its members are read at a time")
	}
	for _, member := range []string{"c", "a"} {
		if got, err := read(t, "t.tar.gz!"+member); err != nil || got != member+"\n" {
			t.Errorf("%s: %q, %v", member, got, err)
		}
	}
}

// TestMembersInTurn: a compressed tar that is too large to be remembered is decompressed once for all
// its members in their order, though each is opened to look at its beginning, and again to be read,
// from its beginning too; and twice for two that read it side by side.
func TestMembersInTurn(t *testing.T) {
	dir := t.TempDir()
	setMostText(t, 100_000)
	var files [][2]string
	noise := rand.NewChaCha8([32]byte{})
	for i := range 40 {
		data := make([]byte, 90_000)
		noise.Read(data)
		files = append(files, [2]string{fmt.Sprintf("%d.csv", i), string(data)})
	}
	tarred := packed(t, "tar", files...)
	for _, kind := range []string{"gz", "zst", "xz", "lz4"} {
		data := compress(t, kind, tarred)
		name := filepath.Join(dir, "t.tar."+kind)
		writeAt(t, name, data, time.Now().Add(-time.Hour))
		for _, listed := range []bool{false, true} {
			if listed {
				if _, err := Expand([]string{name}); err != nil {
					t.Fatal(err)
				}
			}
			for _, readers := range []int{1, 2} {
				var nbytes atomic.Int64
				open := make([]*archive, readers)
				for _, f := range files {
					for _, most := range []int{1000, len(f[1])} {
						for i := range open {
							open[i] = readMember(t, name, f, most, &nbytes)
						}
						for _, a := range open {
							if err := a.Close(); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
				// The beginning is read before, to see whether it is to be remembered: of lz4 that is all of it.
				if most := (readers+1)*len(data) + 1<<20; nbytes.Load() > int64(most) {
					t.Errorf("%s, listed: %v, %d readers: %d bytes are read of %d, want %d at most", kind, listed, readers, nbytes.Load(), len(data), most)
				}
			}
		}
	}
}

// readMember opens an archive and reads some bytes of a member twice; it adds what that reads of the
// file to nbytes, which zstd does on goroutines of its own.
func readMember(t *testing.T, name string, file [2]string, most int, nbytes *atomic.Int64) *archive {
	t.Helper()
	a, err := openArchive(context.Background(), name, file[0], func(n int) { nbytes.Add(int64(max(n, 0))) })
	if err != nil {
		t.Fatal(err)
	}
	m := &memberReader{ctx: context.Background(), archive: a, name: file[0]}
	if _, err := m.open(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := make([]byte, most)
		if _, err := io.ReadFull(m, got); err != nil || string(got) != file[1][:most] {
			t.Fatalf("%s: not its bytes, %v", file[0], err)
		}
		if _, err := m.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
	}
	m.Close()
	if _, err := m.Seek(0, io.SeekStart); err == nil {
		t.Error("a member that is closed is read again")
	}
	return a
}

// TestKeptIsClosed: what nobody goes on with is closed, that of a tar that was read to its end at once.
func TestKeptIsClosed(t *testing.T) {
	t.Chdir(t.TempDir())
	setMostText(t, 1000)
	long := string(rows(1000))
	writeAt(t, "t.tar.gz", compress(t, "gz", packed(t, "tar", [2]string{"a", long}, [2]string{"b", long})), time.Now().Add(-time.Hour))
	names, err := Expand([]string{"t.tar.gz"})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat("t.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	k := knownOf(info)
	defer k.unused()
	kept := func() int {
		keeps.Lock()
		defer keeps.Unlock()
		return len(keeps.of)
	}
	for i, name := range names {
		if got, err := read(t, name); err != nil || got != long {
			t.Errorf("%s: %.20q, %v", name, got, err)
		}
		if got, want := kept(), 1-i; got != want {
			t.Errorf("behind %s: %d are kept, want %d", name, got, want)
		}
	}
	if _, err := read(t, names[0]); err != nil {
		t.Error(err)
	}
	for begin := time.Now(); kept() > 0; time.Sleep(keptFor / 20) {
		if time.Since(begin) > 10*keptFor {
			t.Fatal("it is kept for too long")
		}
	}
}

// TestLastMember: the last member of a compressed tar, read to its end and to be read again, is not decompressed anew,
// though the archive is closed meanwhile; what is read of others, or of none that there is, is right.
func TestLastMember(t *testing.T) {
	t.Chdir(t.TempDir())
	setMostText(t, 100_000)
	noise := make([]byte, 16_000_000)
	rand.NewChaCha8([32]byte{}).Read(noise)
	files := [][2]string{{"a", string(noise)}, {"b", string(noise[:50_000])}}
	data := compress(t, "gz", packed(t, "tar", files...))
	writeAt(t, "t.tar.gz", data, time.Now().Add(-time.Hour))
	if _, err := Expand([]string{"t.tar.gz"}); err != nil {
		t.Fatal(err)
	}
	var nbytes atomic.Int64
	for range 10 {
		a := readMember(t, "t.tar.gz", files[1], len(files[1][1]), &nbytes)
		if _, err := io.ReadFull(a.tape, make([]byte, len(files[1][1])+1)); err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if len(keeps.of) > 0 {
			t.Fatal("the archive is open")
		}
	}
	if most := 3 * len(data); nbytes.Load() > int64(most) { // each opening reads a little ahead
		t.Errorf("%d bytes are read of %d", nbytes.Load(), len(data))
	}
	if _, err := read(t, "t.tar.gz!c"); err == nil || !strings.Contains(err.Error(), "there are a, b") {
		t.Error(err)
	}
	for _, i := range []int{1, 0, 1, 1} {
		if got, err := read(t, "t.tar.gz!"+files[i][0]); err != nil || got != files[i][1] {
			t.Errorf("%s: %d bytes, %v", files[i][0], len(got), err)
		}
	}
}

// TestRememberedInAll: what is remembered of all archives together is bounded by what the process may take; each
// is remembered in place of others.
func TestRememberedInAll(t *testing.T) {
	t.Chdir(t.TempDir())
	before := debug.SetMemoryLimit(128 << 20)
	defer debug.SetMemoryLimit(before)
	bounded := func(when string) {
		if n := remembered.Load(); n < 0 || n > mostRemembered() {
			t.Errorf("%s: %d bytes are remembered, want %d at most", when, n, mostRemembered())
		}
	}
	text := string(make([]byte, 5<<20))
	for i, members := range [][][2]string{{{"a", text}}, {{"a", text}}, {{"a", text}}, {{"a", text}, {"b", text}}, {{"a", text}, {"b", text}}} {
		name := fmt.Sprintf("%d.tar.gz", i)
		writeAt(t, name, compress(t, "gz", packed(t, "tar", members...)), time.Now().Add(-time.Hour))
		for _, m := range members {
			if got, err := read(t, name+"!"+m[0]); err != nil || got != text {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
			bounded(name)
		}
		if small := len(members) == 1; InTurn(name) == small {
			t.Errorf("%s: its text is remembered: %v", name, small)
		}
	}
	for _, one := range slices.Clone(keeps.of) {
		expire(one)
	}
	makeRoom(mostInAll)
	if n := remembered.Load(); n != 0 {
		t.Errorf("%d bytes are counted, and nothing is remembered", n)
	}
}

// TestOpenIsRemembered: an archive that is open is not forgotten for others that are opened meanwhile.
func TestOpenIsRemembered(t *testing.T) {
	t.Chdir(t.TempDir())
	open := func(i int) *archive {
		a, err := openArchive(context.Background(), fmt.Sprintf("%d.tar", i), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for i := range 2 * mostKnown {
		writeAt(t, fmt.Sprintf("%d.tar", i), packed(t, "tar", [2]string{"a", "a\n"}), time.Now().Add(-time.Hour))
	}
	first := open(0)
	for i := 1; i < 2*mostKnown; i++ {
		open(i).Close()
	}
	again := open(0)
	if first.places != again.places {
		t.Error("it is forgotten")
	}
	first.Close()
	again.Close()
	if n := len(knowns.of); n != mostKnown {
		t.Errorf("%d are remembered, want %d", n, mostKnown)
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
		a, err := openArchive(context.Background(), "t.zip", "", nil)
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
