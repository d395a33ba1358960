package dfa

import (
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/golden"
)

func TestDumpGolden(t *testing.T) {
	p := everythingProgram(t)
	golden.File(t, filepath.Join("testdata", "program.txt"), p.Dump())
	golden.File(t, filepath.Join("testdata", "csv.txt"), csvMachine(t, false, true).Dump())
	golden.File(t, filepath.Join("testdata", "csv.dot"), csvMachine(t, false, true).DOT())
	golden.File(t, filepath.Join("testdata", "escapes.txt"), escapesMachine(t).Dump())
	golden.File(t, filepath.Join("testdata", "entries.txt"), entriesMachine(t).Dump())
}

// everythingProgram has a part of every kind that a dump shows.
func everythingProgram(tb testing.TB) *Program {
	d := csvProgram(tb).Definition
	d.Columns = append([]Column(nil), d.Columns...)
	d.Columns = append(d.Columns,
		Column{Name: "ok", Type: Type{Kind: Bool, True: []string{"Y"}, False: []string{"N", "\t"}}, Trim: true, Class: 1},
		Column{Name: "*_count", Type: Type{Kind: Int32, Thousands: '\'', Base16: true}, Optional: true},
		Column{Name: "at", Type: Type{Kind: Timestamp, Epoch: true, CountUnit: Second, Year: 2026}, Hidden: true},
		Column{Name: "hash", Type: Type{Kind: Binary, Encoding: Base64}},
		Column{Name: "attrs", Type: Type{Kind: Map, Elem: &Type{Kind: Map, Elem: &Type{Kind: Float64}}, Lex: barsMachine(tb)}},
	)
	d.Classes = []string{"any", "in quotes"}
	d.Directives = []Directive{{Prefix: "#Fields:", Action: SchemaDirective}, {Prefix: "#"}}
	d.DefaultNulls = []string{"-", "(null)"}
	d.HasRest = true
	p, err := NewProgram(d)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// TestDumpTellsProgramsApart: what is encoded differently is dumped
// differently, and the other way round.
func TestDumpTellsProgramsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		d := p.Definition
		switch rapid.IntRange(0, 5).Draw(t, "change") {
		case 0:
			d.OnError = (d.OnError + 1) % 3
		case 1:
			d.MaxRecord ^= 1
		case 2:
			d.DefaultNulls = append(append([]string(nil), d.DefaultNulls...), "NA")
		case 3:
			a := *d.Automaton
			a.States = append([]State(nil), a.States...)
			a.States[len(a.States)-1].Doc += "!"
			d.Automaton = &a
		case 4:
			a := *d.Automaton
			a.Emit = append([]EmissionID(nil), a.Emit...)
			a.Emissions = append(append([]Emission(nil), a.Emissions...), Emission{Kind: Data, Sub: ByByte, Byte: 0xfe})
			a.Emit[0] = EmissionID(len(a.Emissions) - 1)
			d.Automaton = &a
		case 5:
			d.Columns = append(append([]Column(nil), d.Columns...), Column{Name: "more"})
		}
		q := Program{Definition: d}
		if p.Dump() == q.Dump() {
			t.Fatalf("the same dump:\n%s", p.Dump())
		}
	})
}

func TestDumpIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		text := p.Dump()
		if text != p.Dump() || !strings.HasSuffix(text, "\n") {
			t.Fatal(text)
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.TrimRight(line, " ") != line {
				t.Fatalf("%q ends with a space", line)
			}
		}
		if graph := p.Automaton.DOT(); graph != p.Automaton.DOT() {
			t.Fatal(graph)
		}
	})
}

func TestTypeNames(t *testing.T) {
	seen := map[string]bool{}
	for k := range NTypeKinds {
		name := TypeKind(k).String()
		if name == "" || seen[name] {
			t.Errorf("type %d is named %q", k, name)
		}
		seen[name] = true
	}
}
