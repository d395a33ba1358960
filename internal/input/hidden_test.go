package input

import "testing"

// TestIsHidden: names that begin with a dot or an underscore are hidden wherever they stand in a path, but for folders of a
// column; a file is none.
func TestIsHidden(t *testing.T) {
	for path, want := range map[string]bool{
		"a/b.csv": false, "./a.csv": false, "../a.csv": false, "_SUCCESS": true, "a/.b": true, ".git/a": true, "_temporary/a.csv": true,
		"_day=1/a.csv": false, "a/_day=1/": false, "_day=1/_half=1/a.csv": false, "_day=1/_half=1": true, "_day=1/_temporary/a": true, "_temporary/_day=1/a": true,
		".day=1/a.csv": true,
	} {
		if got := isHidden(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
