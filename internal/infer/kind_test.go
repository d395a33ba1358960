package infer

import (
	"testing"

	"pgregory.net/rapid"
)

// TestPlainKind: what is found without an expression is what the expressions say.
func TestPlainKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringMatching(`[-+a9_. ,:Zé0]{1,8}|[0-9]{4}-[0-9]{2}-[0-9T]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2})?`).Draw(t, "text"))
		got, ok := plainKind(text)
		if !ok {
			return
		}
		for i := range kinds {
			if kinds[i].is.Match(text) {
				if kinds[i].worth != got {
					t.Errorf("%q: %v, want %v", text, got, kinds[i].worth)
				}
				return
			}
		}
		t.Errorf("%q: %v, but nothing matches", text, got)
	})
}
