package near

import "testing"

func TestWord(t *testing.T) {
	known := []string{"Betrag", "Datum", "id", "very_long_name", "na", "Größe"}
	for _, c := range []struct{ word, want string }{
		{"Betrg", "Betrag"},
		{"betrag", "Betrag"},
		{"Datmu", "Datum"},
		{"ID", "id"},
		{"very_long_name", ""}, // it is there
		{"xyz", ""},
		{"x", ""},
		{"", ""},
		{"Grösse", "Größe"},
	} {
		if got := Word(c.word, known); got != c.want {
			t.Errorf("Word(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}
