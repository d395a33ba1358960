package charset

import (
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// known is an encoding that there is.
type known struct {
	name    string            // as IANA has registered it
	unicode string            // which form of Unicode it is; "": of has it
	of      encoding.Encoding // the library's
}

// others are names that people give to encodings and IANA does not.
var others = map[string]string{
	"UTF8": "UTF-8", "UTF16": "UTF-16", "UTF16LE": "UTF-16LE", "UTF16BE": "UTF-16BE", "LATIN-1": "ISO-8859-1", "LATIN-2": "ISO-8859-2",
	"CP932": "Shift_JIS", "WINDOWS-31J": "Shift_JIS", "SJIS": "Shift_JIS", "SHIFT-JIS": "Shift_JIS", "CP949": "EUC-KR", "UHC": "EUC-KR", "EUCJP": "EUC-JP", "EUCKR": "EUC-KR",
	"CP936": "GBK", "GB2312": "GBK", "EUC-CN": "GBK", "CP950": "Big5", "KOI8R": "KOI8-R", "KOI8U": "KOI8-U", "MACROMAN": "macintosh", "MAC-ROMAN": "macintosh", "ASCII": "US-ASCII",
}

// Names are those of the encodings that are met with most, the best known first.
var Names = []string{
	"UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "ISO-8859-1", "windows-1252", "windows-1250", "windows-1251", "windows-1253", "windows-1254", "windows-1255",
	"windows-1256", "windows-1257", "windows-1258", "windows-874", "ISO-8859-2", "ISO-8859-3", "ISO-8859-4", "ISO-8859-5", "ISO-8859-6", "ISO-8859-7", "ISO-8859-8",
	"ISO-8859-9", "ISO-8859-10", "ISO-8859-13", "ISO-8859-14", "ISO-8859-15", "ISO-8859-16", "KOI8-R", "KOI8-U", "macintosh", "US-ASCII", "IBM037", "IBM437", "IBM850",
	"IBM852", "IBM855", "IBM866", "Shift_JIS", "EUC-JP", "ISO-2022-JP", "EUC-KR", "GB18030", "GBK", "HZ-GB-2312", "Big5",
}

// UnknownError is a name that no encoding has.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no encoding %q: want UTF-8, UTF-16LE, UTF-16BE, ISO-8859-1, windows-1252 or another name that IANA has registered", e.Name)
}

// Canonical is the name of an encoding as IANA has registered it, "" for UTF-8; or an *UnknownError.
func Canonical(name string) (string, error) {
	e, err := find(name)
	if err != nil || e.name == "UTF-8" {
		return "", err
	}
	return e.name, nil
}

func find(name string) (*known, error) {
	upper := strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(name), "_", "-"))
	iana := name
	if other := others[upper]; other != "" {
		iana, upper = other, strings.ToUpper(other)
	} else if n, ok := strings.CutPrefix(upper, "CP125"); ok {
		iana = "windows-125" + n
	} else if n, ok := strings.CutPrefix(upper, "WINDOWS125"); ok {
		iana = "windows-125" + n
	}
	switch upper {
	case "UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE":
		return &known{name: upper, unicode: upper}, nil
	}
	e, err := ianaindex.IANA.Encoding(iana)
	if err != nil || e == nil {
		return nil, &UnknownError{name}
	}
	if e == unicode.UTF8 {
		return &known{name: "UTF-8", unicode: "UTF-8"}, nil
	}
	canonical, err := ianaindex.MIME.Name(e)
	if err != nil {
		return nil, &UnknownError{name}
	}
	return &known{name: canonical, of: e}, nil
}

// step is nil where what comes before decides what a character is.
func (k *known) step() step {
	switch k.unicode {
	case "UTF-8":
		return func(dst, src []byte, _ bool) ([]byte, int, error) { return append(dst, src...), len(src), nil }
	case "UTF-16":
		return utf16ByMark()
	case "UTF-16LE":
		return utf16Step(0, 1)
	case "UTF-16BE":
		return utf16Step(1, 0)
	}
	switch e := k.of.(type) {
	case *charmap.Charmap:
		return charmapStep(e)
	}
	switch k.of {
	case japanese.ShiftJIS, japanese.EUCJP, korean.EUCKR, simplifiedchinese.GBK, simplifiedchinese.GB18030, traditionalchinese.Big5:
		return tableStep(k.of)
	}
	return nil
}
