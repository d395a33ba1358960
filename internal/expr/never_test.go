package expr

import "testing"

// TestNever: texts that a column never has are those of comparisons wherever they stand, and those alone.
func TestNever(t *testing.T) {
	levels := func(column string) []string {
		if column == "level" {
			return []string{"INFO", "WARN", "it's"}
		}
		return nil
	}
	for text, want := range map[string]int{
		"level = 'INFO'":                               0,
		"level = 'it\\'s' or level = \"WARN\"":         0,
		"level = 'ERROR'":                              1,
		"'info' != level":                              1,
		"n > 0 and not (level = 'x' or `level` = 'y')": 2,
		"level < 'ERROR' or level is null":             0,
		"host = 'x' or lower(level) = 'x' or ok":       0,
	} {
		s := Source{Name: "w", Text: text}
		test, err := ParseWhere(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Never(test, levels); len(got) != want {
			t.Errorf("%s: %v, want %d", text, got, want)
		}
	}
	s := Source{Name: "w", Text: "level = 'INFOO'"}
	test, _ := ParseWhere(s)
	if got := s.Never(test, levels)[0].Error(); got[:len("w:1:9: level is never 'INFOO', did you mean \"INFO\"?")] != "w:1:9: level is never 'INFOO', did you mean \"INFO\"?" {
		t.Error(got)
	}
}
