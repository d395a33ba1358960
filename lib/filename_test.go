//go:build cgo && (linux || darwin)

package main

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFileNames: names of any bytes are the same behind JSON.
func TestFileNames(t *testing.T) {
	part := rapid.OneOf(rapid.StringN(0, 8, -1), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"\xff", "\\", "\\udcff", "\\\xed\xb3\xbf", "€", "😀", "\"", "\x00"}))
	rapid.Check(t, func(t *rapid.T) {
		var names fileNames
		for range rapid.IntRange(0, 3).Draw(t, "names") {
			name := ""
			for _, p := range rapid.SliceOfN(part, 0, 4).Draw(t, "parts") {
				name += p
			}
			names = append(names, name)
		}
		text, err := json.Marshal(names)
		if err != nil {
			t.Fatal(err)
		}
		var got fileNames
		if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(got, names) {
			t.Fatalf("%q is %s, and that %q, %v", names, text, got, err)
		}
	})
}

// TestSurrogates: pairs are characters, and other surrogates no bytes.
func TestSurrogates(t *testing.T) {
	for text, want := range map[string]string{
		`"\ud83d\ude00\udcff"`: "😀\xff",
		`"\uD83D\uDC80\uDCFE"`: "\U0001f480\xfe",
		`"\\udcff"`:            `\udcff`,
		`"\\\udcff"`:           "\\\xff",
		`"\ud83dx\udc80"`:      "\ufffdx\x80",
		`"\udc7f"`:             "\ufffd",
		`null`:                 "",
	} {
		var name fileName
		if err := json.Unmarshal([]byte(text), &name); err != nil || string(name) != want {
			t.Errorf("%s is %q, %v, want %q", text, name, err, want)
		}
	}
}
