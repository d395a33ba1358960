package fuzz

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

func TestZZ(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(seedZZ), 2))
	of := func(s ...string) string { return s[r.IntN(len(s))] }
	keys := []string{"a", "b", "c", "time", "level", `q\"`, `\u0061`, "", "é", strings.Repeat("k", 65)}
	var value func(d int) string
	str := func() string {
		return `"` + of("", "x", "a b", `\"`, `}{`, `[,:]`, `\\`, `\u00e9\n`, "é", "\xff", strings.Repeat("w ", r.IntN(90)), "=", "\t") + `"`
	}
	obj := func(d int, ks []string) string {
		var b strings.Builder
		sp, sp2 := of("", "", " "), of("", "", " ")
		b.WriteString("{")
		for i, k := range ks {
			if i > 0 {
				b.WriteString("," + sp)
			}
			b.WriteString(`"` + k + `":` + sp2 + value(d))
		}
		b.WriteString("}")
		return b.String()
	}
	some := func() []string {
		var ks []string
		for _, k := range keys {
			if r.IntN(3) > 0 {
				ks = append(ks, k)
			}
		}
		if r.IntN(4) == 0 {
			r.Shuffle(len(ks), func(i, j int) { ks[i], ks[j] = ks[j], ks[i] })
		}
		if r.IntN(12) == 0 {
			ks = append(ks, of(keys...))
		}
		return ks
	}
	value = func(d int) string {
		switch r.IntN(8) {
		case 0:
			if d < 3 {
				return obj(d+1, some())
			}
		case 1:
			return "[" + of("", "1, 2", `"]"`, "[[]]", `{"a": 1}`) + "]"
		case 2, 3:
			return of("1", "-2.5e3", "null", "true", strings.Repeat("9", 70))
		}
		return str()
	}
	logfmt := func() string {
		var p []string
		for _, k := range some() {
			k = strings.NewReplacer(`\`, "", `"`, "").Replace(k)
			if k == "" {
				k = "e"
			}
			switch r.IntN(8) {
			case 0:
				p = append(p, k)
			case 1, 2, 3:
				p = append(p, k+"="+strings.ReplaceAll(str(), "\\u00e9", ""))
			case 4:
				p = append(p, k+"="+of(`a"b`, `"a"b`, `"open`, `x\"y`, `"\x41"`, `"\n\q"`, `"`))
			default:
				p = append(p, k+"="+of("", "1", "text", "a=b", "\xff"))
			}
		}
		return strings.Join(p, " ")
	}
	for round := 0; round < roundsZZ; round++ {
		for _, name := range []string{"jsonl", "json", "logfmt", "auditd"} {
			p, err := gen.Program(name)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			for i, n := 0, r.IntN(60); i < n; i++ {
				var line string
				switch name {
				case "jsonl", "json":
					line = obj(0, some())
				case "logfmt":
					line = logfmt()
				default:
					line = fmt.Sprintf("type=X msg=audit(1684329817.%03d:%d): ", r.IntN(1000), i) + logfmt()
				}
				if r.IntN(5) == 0 && len(line) > 0 {
					k := r.IntN(len(line))
					switch r.IntN(4) {
					case 0:
						line = line[:k]
					case 1:
						line = line[:k] + of(`"`, `\`, "{", "}", ":", ",", "=", " ", "\x00", "\xc3", "\r") + line[k:]
					case 2:
						line = line[:k] + line[k+1:]
					case 3:
						line = line + line
					}
				}
				b.WriteString(line + of("\n", "\n", "\n", "\r\n"))
				if r.IntN(20) == 0 {
					b.WriteString("\n")
				}
			}
			in := b.String()
			mode := []dfa.ErrorMode{dfa.Fail, dfa.Null, dfa.Reject}[r.IntN(3)]
			conform(t, name, p, in, mode, []setting{{"reference", 1, whole, whole}, {"cpu", 1, whole, whole}, {"cpu", 2, 1 + r.IntN(200), whole}, {"cpu", 3, 1 + r.IntN(300), 1 + r.IntN(len(in)+1)}, {"cpu", 1, whole, 64 + r.IntN(500)}})
		}
	}
}

var seedZZ, roundsZZ = 7, 600
