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

func TestHint(t *testing.T) {
	for name, want := range map[string]string{"Betrga": `, did you mean "Betrag"?`, "x": "; the columns are Betrag, id"} {
		if got := Hint(name, "the columns are ", []string{"Betrag", "id"}); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
