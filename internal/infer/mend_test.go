package infer

import "testing"

// TestEncloses: a field is in quotes if these are its first and its last symbol.
func TestEncloses(t *testing.T) {
	table := &Table{Dialect: Dialect{Separator: ',', Quote: '"'}}
	for text, want := range map[string]bool{
		"": false, "a,b\n": false, "\"a\",b\n": true, "a,\"b\"\r\n": true, "a,\"\"\n": true, "a,\"b\" c\n": false, "a,3\"\n": false,
		"a,\"\nb\"\n": false, "\"": false, "x\n\"a\",": true, "a,\"b c,d\"\n": false,
	} {
		if table.Encloses([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
