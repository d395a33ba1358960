//go:build cgo && (linux || darwin)

package main

import (
	"strings"
	"testing"
)

// TestUnderstood: what is no JSON, or not what is wanted, is called what it is.
func TestUnderstood(t *testing.T) {
	for text, want := range map[string]string{
		``:               "the names are not understood: EOF",
		`a.csv`:          "the names are not understood: invalid character 'a'",
		`{"files": []}`:  "the names are not understood: json: cannot unmarshal object",
		`["a.csv"] more`: "the names are not understood: something follows them",
		`["a.csv"]`:      "",
	} {
		var names fileNames
		err := understood("names", text, &names)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if err := understood("options", "[]", new(formatOptions)); err == nil || !strings.Contains(err.Error(), "the options are not understood: ") {
		t.Errorf("options: %v", err)
	}
}
