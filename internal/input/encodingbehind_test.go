package input

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEncodingBehindTheSample: what shows the encoding may stand anywhere in a file.
func TestEncodingBehindTheSample(t *testing.T) {
	ascii := strings.Repeat("id;name;ort\n", 1+ownBytes/12)
	for _, c := range []struct {
		name, behind, want string
		hole               int64 // so many zeros are in front
	}{
		{"nothing", "1;Ann;Berlin\n", "", 0},
		{"UTF-8", "1;Jürgen;Köln\n", "", 0},
		{"windows-1252", "1;J\xfcrgen M\xfcller;K\xf6ln\n2;Zo\xeb;D\xfcsseldorf\n", "windows-1252", 0},
		{"in another block", strings.Repeat(ascii, 20) + "1;J\xfcrgen M\xfcller;K\xf6ln\n2;Zo\xeb;D\xfcsseldorf\n", "windows-1252", 0},
		{"Shift_JIS", "1;\x82\xb1\x82\xea\x82\xcd\x83y\x83\x93\x82\xc5\x82\xb7;\x93\xfa\x96{\n", "Shift_JIS", 0},
		{"far behind", strings.Repeat("1;J\xfcrgen M\xfcller;K\xf6ln\n2;Zo\xeb;D\xfcsseldorf\n", 1000), "windows-1252", lookedThrough + 2<<20},
	} {
		path := filepath.Join(t.TempDir(), "in.csv")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(ascii); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte("\n"+c.behind), int64(len(ascii))+c.hole); err != nil {
			t.Fatal(err)
		}
		f.Close()
		in, err := Open(context.Background(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		sample, whole, err := in.Sample(ownBytes, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if g := in.GuessEncoding(sample, whole); g.Name != c.want {
			t.Errorf("%s: %q, want %q", c.name, g.Name, c.want)
		}
		if own, err := in.ownEncoding(); own != c.want || err != nil {
			t.Errorf("%s: of its own %q, %v", c.name, own, err)
		}
		in.Close()
	}
}

func TestBeyondASCII(t *testing.T) {
	for n := range 40 {
		text := []byte(strings.Repeat("a", n))
		if at := beyondASCII(text); at != -1 {
			t.Errorf("%q: %d", text, at)
		}
		for i := range text {
			text[i] = 0x80
			if at := beyondASCII(text); at != i {
				t.Errorf("%q: %d, want %d", text, at, i)
			}
			text[i] = 'a'
		}
	}
}
