package compile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReformat: what is laid out anew has the same words, texts and comments, in the same
// order, and is not changed by doing it again.
func TestReformat(t *testing.T) {
	sources := manualExamples(t)
	files, err := filepath.Glob("../formats/spec/*/*.dfp")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	more, _ := filepath.Glob("testdata/*.dfp")
	for _, file := range slices.Concat(files, more) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources[file] = string(src)
	}
	for at, src := range sources {
		for _, src := range []string{src, strings.ReplaceAll(src, "\n  ", "\n\n\n\t "), strings.ReplaceAll(src, "\n", "\r\n")} {
			if _, err := Parse(at, []byte(src)); err != nil {
				continue // a fault of its own
			}
			once, err := Reformat(at, []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			if want, got := wordsAndComments(strings.ReplaceAll(src, "\r\n", "\n")), wordsAndComments(string(once)); !slices.Equal(want, got) {
				t.Errorf("%s: words change:\n%s", at, once)
			}
			if strings.HasPrefix(at, "../formats/") && !strings.Contains(src, "\r") && !strings.Contains(src, "\n\n\n\t ") && src != string(once) {
				t.Errorf("%s is not laid out; dfaparse fmt -w does it", at)
			}
			twice, err := Reformat(at, once)
			if err != nil || string(twice) != string(once) {
				t.Errorf("%s: %v, once\n%s\ntwice\n%s", at, err, once, twice)
			}
		}
	}
}

func wordsAndComments(text string) (all []string) {
	for at := 0; at < len(text); {
		kind, n := tokenAt(text[at:])
		if token := text[at : at+n]; kind == commentToken {
			all = append(all, strings.TrimRight(token, " \t"))
		} else if kind != spaceToken {
			all = append(all, token)
		}
		at += n
	}
	return all
}

func ExampleReformat() {
	out, err := Reformat("mine.dfp", []byte(`# a comment
format   mine {
    delimited {sep ','}


  fields {
  id u32! # the key
    "full name" str null "-" ,
  at ts( "%F %T",tz "UTC" )
  }
test "one" "1,Ann,2024-01-02 03:04:05\n"
=> { id 1 }
  reject
}
dfa lines {
  group N='\n'|X=*
  S "at the start" : S r|S d
  LONG : S r | LONG d
  eof : S ok, LONG r
}
`))
	fmt.Print(string(out), err)
	// Output:
	// # a comment
	// format mine {
	//   delimited { sep ',' }
	//
	//   fields {
	//     id          u32!  # the key
	//     "full name" str null "-",
	//     at          ts("%F %T", tz "UTC")
	//   }
	//   test "one" "1,Ann,2024-01-02 03:04:05\n"
	//     => { id 1 }
	//        reject
	// }
	// dfa lines {
	//   group              N='\n' | X=*
	//   S "at the start" : S r    | S d
	//   LONG             : S r    | LONG d
	//   eof : S ok, LONG r
	// }
	// <nil>
}
