package infer

import "testing"

// TestProse: what is cut at the signs of text and of settings is lines.
func TestProse(t *testing.T) {
	for name, text := range map[string]string{
		"markdown":          "# Title\n\nSome prose, with commas.\n\n## Part\n\nMore prose, again, and more.\n# End\n",
		"markdown of words": "# Title\n\nSome prose\n\n## Part\n\nMore prose again\nand more\n",
		"settings":          "[main]\nport = 80\nhost = x\n[db]\nuser = ann\n",
	} {
		table, err := Guess([]byte(text), true, nil)
		if err != nil {
			t.Fatal(err)
		}
		if table.Separator != 0 || table.Comment != "" || table.Skip > 0 {
			t.Errorf("%s: %s", name, table.How())
		}
	}
	for text, want := range map[string]string{
		"\uFEFFsep=;\na;b\n1,5;2\n3,5;4\n": "separated by semicolon, quoted by '\"', one line before the table, a header",
		"Title\n\na,b,c\n":                 "separated by comma, quoted by '\"', 2 lines before the table, a header",
		"# a\n# b\n1,2\n3,4\n":             "separated by comma, quoted by '\"', comments from \"#\", no header",
		"a = 1\nb = 2\nc = 3\n":            "separated by space, quoted by '\"', no header",
	} {
		table, err := Guess([]byte(text), true, nil)
		if err != nil {
			t.Fatal(err)
		}
		if table.How() != want {
			t.Errorf("%q: %s", text, table.How())
		}
	}
}

// TestSentences: a separator that cuts some lines of text, and others not at all, separates nothing.
func TestSentences(t *testing.T) {
	for text, want := range map[string]bool{
		"in one; two; three\nin one; two; three\nnot in one of these lines\nnor is it in this one\n": true,
		"in one; two; three\nin one; two; three\nnot in one of these lines\n":                        false,
		"a sentence that is no row\none that is none either\na;b\n1;2\n":                             false,
		"in one; two; three\nin one; two; three\nshort\nshort\n":                                     false,
	} {
		d := Dialect{Separator: ';'}
		rows, faults, _ := cut([]byte(text), &d, true)
		if newOutline(d, rows, faults, 0, true).stands() != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestSums: a record is one of totals if it has the sum of several numbers.
func TestSums(t *testing.T) {
	for text, want := range map[string]bool{
		"a,b\nx,1\ny,2\n,3\n": true, "a,b\nx,1\ny,0\n,1\n": false, "a,b\nx,1\ny,2\nz,3\n": false,
	} {
		table, err := Guess([]byte(text), true, nil)
		if err != nil {
			t.Fatal(err)
		}
		if table.Totals != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestFootersIn: the end of an input is looked at beside those of others, so that it changes nothing.
func TestFootersIn(t *testing.T) {
	for end, want := range map[string]bool{"x,1\ny,2\n,3\n": true, "x,1\ny,2\nz,3\n": false} {
		table, err := Guess([]byte("a,b\nx,1\ny,2\n"), false, nil)
		if err != nil {
			t.Fatal(err)
		}
		footers, totals := table.FootersIn([]byte(end))
		if len(footers) > 0 || totals != want || table.Totals {
			t.Errorf("%q: %v, want %v", end, totals, want)
		}
	}
}
