package convert

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// Strings of JSON are what encoding/json makes of them, and what it refuses is none.
func TestJSONString(t *testing.T) {
	parts := rapid.SampledFrom([]string{"a", "é", "\\n", "\\t", "\\b", "\\f", "\\r", "\\/", "\\\\", "\\\"", "\\u00e9", "\\uD83D", "\\ude00", "\\ud83d\\ude00",
		"\\u0000", "\\u12", "\\uG000", "\\q", "\\u\x10\x11\x12\x13", "\\uAbCd"})
	rapid.Check(t, func(t *rapid.T) {
		text := `"`
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			text += parts.Draw(t, "part")
		}
		text += `"`
		var want string
		err := json.Unmarshal([]byte(text), &want)
		got, ok := jsonString(nil, []byte(text))
		if ok != (err == nil) || ok && string(got) != want {
			t.Fatalf("%s: %q, %t; want %q, %v", text, got, ok, want, err)
		}
	})
}
