package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestOddAmongMany: records of which some are not as most are, by chance, are read the same in every way, as many as
// vector code reads at once.
func TestOddAmongMany(t *testing.T) {
	const escape = "escape e = '\\' { '\"' '\\' n x:hex2 }\n"
	pairs := func(keyed, sep, more string) string {
		return escape + "format test { record `{id} {m...}` " + keyed + " fields { id u32 m map(str, pairs \"" + sep + "\", kv \"=\", quote '\"'" + more + ") } }"
	}
	const keyed = "keyed m { a u16  b str  flag bool }\n"
	plain := func(i int) string { return fmt.Sprintf(`%d a=%d b="x y%d" c=é`, i, i%300, i) }
	quoted := func(i int) string { return fmt.Sprintf(`%d "a"=%d, b="x y%d", "c"="é"`, i, i%300, i) }
	ofPairs := []string{" a=2", " flag", ` d="a\xFFb"`, ` d="a\"b"`, " d=\xff", ` "k q"="v"`, ` d="a`, " ", " e= "}
	ofQuoted := []string{`, "a"=2`, ", flag", `, "d"="a\xFFb"`, `, "d\""="a"`, ", \"d\"=\xff", `, "k`, " ", ", "}
	for _, c := range []struct {
		spec string
		line func(i int) string
		odd  []string // behind a line
	}{
		{pairs("", " ", ""), plain, ofPairs},
		{pairs("", " ", ", escape e, duplicates last"), plain, ofPairs},
		{pairs(keyed, " ", ", escape e"), plain, ofPairs},
		{pairs("", ", ", ", escape e"), quoted, ofQuoted},
		{pairs(keyed, ", ", ", escape e, duplicates first"), quoted, ofQuoted},
		{pairs(keyed, ", ", ""), quoted, ofQuoted},
		{escape + "format test { record `{h} \"{req:e}\" {st} \"{ag:e:-}\"` fields { st u16 ag str trim } split req `{m} {p}` else null }",
			func(i int) string { return fmt.Sprintf(`h%d "GET /a%d" %d "curl"`, i%9, i, 200+i%9) },
			[]string{"\n" + `h "\x16\x03\x01" 400 "-"`, "\n" + `h "GET /\x41\"\\" 200 "\xff"`, "\n" + `h "\x2" 1 "-"`, "\n" + `h "\x22\x20\n \x0a" 1 " \x20"`, "\n" + `h "GET \x" 1 "\x41"`, " x"}},
	} {
		compiled, err := compile.Compile("test.dfp", []byte(c.spec))
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(9) {
			r := rand.New(rand.NewPCG(seed, 0))
			var in strings.Builder
			often := []int{60, 12, 2}[seed%3] // one of so many is odd
			for i := range 150 + r.IntN(150) {
				in.WriteString(c.line(i))
				if r.IntN(often) == 0 {
					in.WriteString(c.odd[r.IntN(len(c.odd))])
				}
				in.WriteByte('\n')
			}
			var want string
			for i, w := range []way{{"reference", 1, whole, whole, false}, {"cpu", 1, whole, whole, true}, {"cpu", 1, whole, 3000, true}, {"cpu", 2, 700, whole, true}} {
				got := read(t, compiled.Program, inMemory(in.String()), append(w.options(), runtime.WithErrorMode(modes[1+seed/3%2].mode),
					runtime.WithUTF8([]dfa.UTF8Policy{dfa.RejectUTF8, dfa.ReplaceUTF8, dfa.KeepUTF8}[seed/2%3]), runtime.WithBatchSize(1+int(seed)*40))...)
				if all := got.String() + counted(got.stats); i == 0 {
					want = all
				} else if all != want {
					t.Fatalf("%s\n%q: %+v gives\n%s\nwant\n%s", c.spec, in.String(), w, all, want)
				}
			}
		}
	}
}
