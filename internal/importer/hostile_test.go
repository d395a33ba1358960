package importer_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/dfaparse/dfaparse/internal/importer"
)

// TestDamagedTexts: whatever a text is, it becomes a spec or an error with a place in it.
func TestDamagedTexts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	rounds := 12
	if testing.Short() {
		rounds = 2
	}
	for _, k := range importer.Kinds() {
		b, err := os.ReadFile(filepath.Join("testdata", k.Name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(b).Files {
			if f.Name != "text" {
				continue
			}
			text := strings.TrimSuffix(string(f.Data), "\n")
			for range rounds {
				damaged := damage(rnd, text)
				_, err := importer.Import(k.Name, damaged, importer.Options{})
				e := (*importer.Error)(nil)
				if err != nil && (!errors.As(err, &e) || e.At > len(damaged) || e.Message == "") {
					t.Errorf("%s %q: %v", k.Name, damaged, err)
				}
			}
		}
	}
}

// damage cuts, doubles or replaces something.
func damage(rnd *rand.Rand, text string) string {
	for range 1 + rnd.IntN(3) {
		a := rnd.IntN(len(text) + 1)
		b := min(len(text), a+rnd.IntN(6))
		switch rnd.IntN(4) {
		case 0:
			text = text[:a] + text[b:]
		case 1:
			text = text[:b] + text[a:]
		case 2:
			signs := "%${}[]<>\"'\\:,|*+?-^.é\x00\n#/&`= 0a"
			i := rnd.IntN(len(signs))
			text = text[:a] + signs[i:i+1] + text[b:]
		default:
			text = text[:a]
		}
	}
	return text
}
