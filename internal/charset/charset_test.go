package charset

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

const manyTexts = "id;Städte €\r\n1;Köln “x”\r\n2;naïve\r\n"

// TestDecode: what the library encodes comes back, by whatever steps it is read, and again
// from the beginning; places are those of the encoded bytes.
func TestDecode(t *testing.T) {
	long := strings.Repeat(manyTexts, 5000)
	for name, c := range map[string]struct {
		encode func(string) (string, error)
		text   string
	}{
		"windows-1252": {charmap.Windows1252.NewEncoder().String, long},
		"ISO-8859-15":  {charmap.ISO8859_15.NewEncoder().String, "Köln €\n"},
		"latin1":       {charmap.ISO8859_1.NewEncoder().String, "Köln\n"},
		"IBM037":       {charmap.CodePage037.NewEncoder().String, "abc 12\n"},
		"UTF-16LE":     {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String, long + "𝄞𝄞"},
		"UTF-16BE":     {unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().String, long + "𝄞"},
		"EUC-JP":       {japanese.EUCJP.NewEncoder().String, strings.Repeat("東京,1\nabc\n", 20000)},
		"GB18030":      {simplifiedchinese.GB18030.NewEncoder().String, strings.Repeat("北京,㐀😀l\n", 20000)},
		"Big5":         {traditionalchinese.Big5.NewEncoder().String, strings.Repeat("臺北,1l\n", 20000)},
		"EUC-KR":       {korean.EUCKR.NewEncoder().String, strings.Repeat("서울,1l\n", 20000)},
		"Shift_JIS":    {japanese.ShiftJIS.NewEncoder().String, strings.Repeat("東京,1\n", 20000)},
		"UTF-8":        {func(s string) (string, error) { return s, nil }, long},
	} {
		raw, err := c.encode(c.text)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, wrap := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			in, err := NewReader(wrap(strings.NewReader(raw)), name)
			if err != nil {
				t.Fatal(name, err)
			}
			if got, err := io.ReadAll(in); string(got) != c.text || err != nil {
				t.Errorf("%s: %d bytes, want %d: %v", name, len(got), len(c.text), err)
			}
		}
		in, err := NewReader(strings.NewReader(raw), name)
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 10)
		n, _ := io.ReadFull(in, first)
		if _, err := in.(io.Seeker).Seek(0, io.SeekStart); err != nil || !strings.HasPrefix(c.text, string(first[:n])) {
			t.Errorf("%s: begins with %q, %v", name, first[:n], err)
		}
		if got, err := io.ReadAll(in); string(got) != c.text || err != nil {
			t.Errorf("%s, again: %d bytes, %v", name, len(got), err)
		}
		_, width := utf8.DecodeRuneInString(c.text)
		for _, at := range []int{0, width, strings.Index(c.text, "l"), len(c.text)} {
			before, _ := c.encode(c.text[:max(at, 0)])
			if got, ok := encodedOffset(strings.NewReader(raw), name, int64(max(at, 0))); !ok || got != int64(len(before)) {
				t.Errorf("%s: byte %d is at %d, %v, want %d", name, at, got, ok, len(before))
			}
			if got, ok := DecodedOffset(strings.NewReader(raw), name, int64(len(before))); !ok || got != int64(max(at, 0)) {
				t.Errorf("%s: byte %d of it is at %d, %v, want %d", name, len(before), got, ok, at)
			}
		}
	}
}

// TestOffsets: places are found on from a mark, and again from there.
func TestOffsets(t *testing.T) {
	text := strings.Repeat("aé漢😀\n", 20000)
	for name, e := range map[string]encoding.Encoding{
		"UTF-16LE": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "UTF-16BE": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
		"windows-1252": charmap.Windows1252,
	} {
		of := text
		if name == "windows-1252" {
			of = strings.NewReplacer("漢", "€", "😀", "").Replace(text)
		}
		raw, err := e.NewEncoder().String(of)
		if err != nil {
			t.Fatal(err)
		}
		o := NewOffsets(strings.NewReader(raw), name)
		line, rawLine := len(of)/20000, len(raw)/20000
		for _, k := range []int{0, 0, 1, 2, 9000, 8999, 9001, 19999, 20000} {
			if k != 8999 && k > 0 { // from here on
				o.Encoded(int64((k - 1) * line))
				o.Mark()
			}
			if at, ok := o.Encoded(int64(k * line)); at != int64(k*rawLine) || !ok {
				t.Errorf("%s: line %d is at %d, %v, want %d", name, k, at, ok, k*rawLine)
			}
			if _, ok := o.Encoded(int64(k*line + 2)); ok {
				t.Errorf("%s: there is half a character", name)
			}
		}
		if _, ok := o.Encoded(0); ok {
			t.Errorf("%s: before the mark", name)
		}
	}
}

// TestDecodeWrong: what is none of an encoding is an error that says where, never a
// replacement.
func TestDecodeWrong(t *testing.T) {
	for _, c := range []struct{ name, raw, good, want string }{
		{"windows-1252", "ab\x81c", "ab", "at byte 2: no windows-1252: byte 0x81"},
		{"UTF-16LE", "a\x00\x00\xd8b\x00", "a", "at byte 2: no UTF-16LE: half a pair, 0xD800"},
		{"UTF-16LE", "a\x00b", "a", "at byte 2: no UTF-16LE: half a unit at the end"},
		{"UTF-16BE", "\xd8\x00", "", "at byte 0: no UTF-16BE: half a pair, 0xD800"},
		{"Shift_JIS", "a\xff\xff", "a", "at byte 1: no Shift_JIS: bytes FF FF"},
		{"Shift_JIS", "\x93\x8ca\x93", "東a", "at byte 3: no Shift_JIS: bytes 93"},
		{"GB18030", "a\x81\x30\x81", "a", "at byte 1: no GB18030: bytes 81 30"},
		{"ISO-2022-JP", "a\xff", "a", "after 1 bytes of it as UTF-8: no ISO-2022-JP"},
		{"ISO-8859-2", "\xef\xbb\xbfa", "", "at byte 0: no ISO-8859-2: the byte order mark of UTF-8"},
	} {
		in, err := NewReader(strings.NewReader(c.raw), c.name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(in)
		if string(got) != c.good || err == nil || err.Error() != c.want {
			t.Errorf("%s %q: %q, %v", c.name, c.raw, got, err)
		}
	}
	if _, err := Canonical("utf-9"); err == nil || !strings.Contains(err.Error(), `no encoding "utf-9"`) {
		t.Error(err)
	}
}

func TestGuessEncoding(t *testing.T) {
	for _, c := range []struct {
		sample string
		whole  bool
		want   string
		sure   bool
	}{
		{"a,b\n", true, "", true},
		{"Köln\n", true, "", true},
		{"K\xf6ln\n", true, "windows-1252", false},
		{"abc\xc3", false, "", true}, // cut
		{"abc\xc3", true, "windows-1252", false},
		{"\xff\xfea\x00", true, "UTF-16LE", true},
		{"\xfe\xff\x00a", true, "UTF-16BE", true},
		{"a\x00,\x00b\x00\n\x00", true, "UTF-16LE", true},
		{"\x00a\x00,\x00b\x00\n", true, "UTF-16BE", true},
		{"\xff\xfe\x00\x00a\x00\x00\x00", true, "", false},
		{"a\x81\n", true, "IBM850", false},
		{"K\xc3\xb6ln K\xc3\xb6ln K\xc3\xb6ln K\xc3\xb6ln K\xc3\xb6ln K\xf6ln\n", true, "", false},
		{"\xef\xbb\xbfK\xf6ln\n", true, "", true},
		{"\x89PNG\x01\x02", true, "", false},
	} {
		if got := GuessOf([]byte(c.sample), c.whole); got.Name != c.want || got.Sure != c.sure {
			t.Errorf("%q: %q, %v", c.sample, got.Name, got.Sure)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"windows-1252", "UTF-16LE"} {
		raw := []byte(strings.Repeat("12345,some text,2024-01-02,K\xf6ln\n", 1<<15))
		if name == "UTF-16LE" {
			var wide []byte
			for _, c := range raw {
				wide = append(wide, c, 0)
			}
			raw = wide
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				in, err := NewReader(bytes.NewReader(raw), name)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, struct{ io.Reader }{in}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestOnlyASCII: what has another length in UTF-8 is an error that says where it stands in the file.
func TestOnlyASCII(t *testing.T) {
	for _, c := range []struct{ name, raw, good, want string }{
		{"UTF-16", "\xff\xfea\x00\n\x00", "\uFEFFa\n", ""},
		{"UTF-16", "\xff\xfea\x00\xe9\x00", "\uFEFFa", "at byte 4 of text in UTF-16: 'é' has another length"},
		{"latin1", "abc\xe9\xe9", "abc", "at byte 3 of text in latin1: 'é' has another length"},
		{"Shift_JIS", "ab\x93\x8c", "ab", "at byte 2 of text in Shift_JIS: '東' has another length"},
	} {
		in, err := NewReader(strings.NewReader(c.raw), c.name)
		if err != nil {
			t.Fatal(err)
		}
		in.OnlyASCII()
		got, err := io.ReadAll(in)
		if string(got) != c.good || (err != nil) != (c.want != "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s %q: %q, %v", c.name, c.raw, got, err)
		}
	}
}
