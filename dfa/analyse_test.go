package dfa

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// forMachines checks a property of the machines made by hand and of drawn ones.
func forMachines(t *testing.T, check func(t *rapid.T, a *Automaton, r *Analysis)) {
	for name, a := range machines(t) {
		r := Analyse(a)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) { check(t, a, r) }))
	}
	t.Run("drawn", rapid.MakeCheck(func(t *rapid.T) {
		a := drawAutomaton(t)
		check(t, a, Analyse(a))
	}))
}

// drawWord draws symbols, one of each group as likely as one of another.
func drawWord(t *rapid.T, a *Automaton, most int) []byte {
	groups := make([][]byte, a.NGroups)
	for symbol, g := range a.Group {
		groups[g] = append(groups[g], byte(symbol))
	}
	symbol := rapid.Custom(func(t *rapid.T) byte {
		return rapid.SampledFrom(groups[rapid.IntRange(0, a.NGroups-1).Draw(t, "group")]).Draw(t, "symbol")
	})
	return rapid.SliceOfN(symbol, 0, most).Draw(t, "word")
}

func TestAnalysisOfMachines(t *testing.T) {
	for name, want := range map[string]struct {
		path              Path
		live, monoid, ctx int
		fits              string
	}{
		"csv":          {PathParity, 3, 46, 5, "parity shuffle monoid generic"},
		"csv-crlf":     {PathParity, 3, 72, 6, "parity shuffle monoid generic"},
		"csv-recover":  {PathParity, 3, 89, 5, "parity shuffle monoid generic"},
		"crlf-recover": {PathParity, 3, 112, 6, "parity shuffle monoid generic"},
		"bars":         {PathLocal, 2, 6, 2, "local shuffle monoid generic"},
		"escapes":      {PathLocal, 5, 89, 8, "local shuffle monoid generic"},
		"entries":      {PathLocal, 2, 4, 3, "local shuffle monoid generic"},
	} {
		r := Analyse(machines(t)[name])
		if r.Path() != want.path || r.MaxLive != want.live || r.Monoid() != (MonoidSize{want.monoid, true}) || r.Context().Classes != want.ctx {
			t.Errorf("%s: path %s, %d live, %s, %s", name, r.Path(), r.MaxLive, r.Monoid(), r.Context())
		}
		var fits []string
		for i, c := range r.Choices() {
			if c.Path != Path(i) || c.Reason == "" || strings.Contains(c.Reason, "\n") {
				t.Errorf("%s: choice %d is %+v", name, i, c)
			}
			if c.Fits {
				fits = append(fits, c.Path.String())
			}
		}
		if got := strings.Join(fits, " "); got != want.fits {
			t.Errorf("%s: %s fit, want %s", name, got, want.fits)
		}
	}
}

func TestAnalysisText(t *testing.T) {
	want := `states       6, 6 reachable, at most 3 live after one symbol
live         3 3 3 3 after a symbol of group 0 to 3
absorbing    5
idempotent   0 2 3
filler       253 symbols, groups 3: runs are passed over after their first symbol, which ends nothing
sync         none
record sync  none
sync word    groups [3 1 3] to state 5
monoid       46 elements
parity       group 1 toggles, up to the first error; with the last symbol it gives the state
context      5 classes; class and last symbol give the state
path         parity
  local      no: no symbol of valid input leads to one state from every state
  parity     yes, chosen: group 1 toggles; parity and the last symbol give the state, up to the first error
  shuffle    yes: 6 states, at most 16
  monoid     yes: 46 elements, at most 256
  generic    yes: fits every automaton; 3 states live after one symbol
index        masks: fields end at ',', records end at '\n', quoted by '"' that may be doubled
`
	if got := Analyse(csvMachine(t, false, false)).String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestFillerKeepsItsPromise(t *testing.T) {
	forMachines(t, func(t *rapid.T, a *Automaton, r *Analysis) {
		f := r.Filler
		if f == nil {
			return
		}
		if f.Symbols != a.Symbols(f.Groups...) {
			t.Fatalf("symbols %s of groups %v", FormatSet(f.Symbols), f.Groups)
		}
		n := a.NStates()
		for _, s := range a.reachable() {
			for _, g := range f.Groups {
				then, first := a.Row(g)[s], &a.Emissions[a.Emit[int(g)*n+int(s)]]
				if f.Quiet && first.Boundary() {
					t.Fatalf("%s in state %d", first, s)
				}
				var kind []Kind
				for _, h := range f.Groups {
					stays, e := a.Row(h)[then], &a.Emissions[a.Emit[int(h)*n+int(then)]]
					if stays != then || e.Sub != Itself || e.Kind != Data && e.Kind != Skip {
						t.Fatalf("state %d after group %d in %d: group %d leads to %d, %s", then, g, s, h, stays, e)
					}
					kind = append(kind, e.Kind)
				}
				if len(slices.Compact(kind)) != 1 {
					t.Fatalf("state %d: data and control", then)
				}
			}
		}
	})
}

func TestSyncGroups(t *testing.T) {
	forMachines(t, func(t *rapid.T, a *Automaton, r *Analysis) {
		word := drawWord(t, a, 12)
		for _, sync := range r.Sync {
			symbol := byte(slices.Index(a.Group[:], sync.Group))
			s := a.Vector(word)[a.Start]
			if next, _ := a.Step(s, symbol); next != sync.State {
				t.Fatalf("group %d leads to %d from %d, want %d", sync.Group, next, s, sync.State)
			}
		}
		for _, sync := range r.RecordSync {
			symbol := byte(slices.Index(a.Group[:], sync.Group))
			in := append(slices.Clone(word), symbol)
			in = append(in, word...)
			ends := false
			for _, rec := range walkAll(a, in, a.Start) {
				ends = ends || rec.Next == len(word)+1
			}
			if !ends {
				t.Fatalf("no record of %q ends with symbol %d", in, len(word))
			}
		}
	})
}

func TestSyncWord(t *testing.T) {
	forMachines(t, func(t *rapid.T, a *Automaton, r *Analysis) {
		states := a.reachable()
		image := func(word []GroupID) []StateID {
			set := slices.Clone(states)
			for _, g := range word {
				for i, s := range set {
					set[i] = a.Row(g)[s]
				}
			}
			slices.Sort(set)
			return slices.Compact(set)
		}
		if !r.Word.Searched {
			t.Fatal("not searched")
		}
		if got := image(r.Word.Groups); r.Word.Found && (len(got) != 1 || got[0] != r.Word.State) {
			t.Fatalf("%s, but it leads to %v", r.Word, got)
		}
		word := []GroupID{} // none that is shorter does it, nor any if none was found
		for _, b := range drawWord(t, a, 8) {
			word = append(word, a.Group[b])
		}
		if r.Word.Found && len(word) >= len(r.Word.Groups) {
			return
		}
		if len(image(word)) == 1 {
			t.Fatalf("%v leads to one state, found was %s", word, r.Word)
		}
	})
}

func TestMonoid(t *testing.T) {
	forMachines(t, func(t *rapid.T, a *Automaton, r *Analysis) {
		m, ok := NewMonoid(a, 2000)
		if !ok {
			return
		}
		run := func(word []byte) (e ElementID) {
			for _, b := range word {
				e = m.Step(e, a.Group[b])
			}
			return e
		}
		x, y := drawWord(t, a, 8), drawWord(t, a, 8)
		for _, w := range [][]byte{x, y} {
			if got := m.Elements[run(w)]; !slices.Equal(got, a.Vector(w)) {
				t.Fatalf("%q: element %v, vector %v", w, got, a.Vector(w))
			}
		}
		if len(m.Elements) < 200 {
			table := m.Table()
			if got, want := table[int(run(x))*len(m.Elements)+int(run(y))], run(slices.Concat(x, y)); got != want {
				t.Fatalf("%q, %q: element %d, want %d", x, y, got, want)
			}
		}
		if len(x) == 1 && m.Of[a.Group[x[0]]] != run(x) {
			t.Fatalf("%q: element %d, want %d", x, m.Of[a.Group[x[0]]], run(x))
		}
		if r.Monoid().Complete && r.Monoid().Elements != len(m.Elements) {
			t.Fatalf("%d elements, analysed %s", len(m.Elements), r.Monoid())
		}
	})
}

func TestMonoidBound(t *testing.T) {
	a := csvMachine(t, false, false)
	if m, ok := NewMonoid(a, 45); ok || len(m.Elements) != 45 {
		t.Errorf("%d elements, %t", len(m.Elements), ok)
	}
	if m, ok := NewMonoid(a, 46); !ok || len(m.Elements) != 46 {
		t.Errorf("%d elements, %t", len(m.Elements), ok)
	}
}

func TestParityHoldsUpToTheFirstError(t *testing.T) {
	forMachines(t, func(t *rapid.T, a *Automaton, r *Analysis) {
		p := r.Parity
		if p == nil {
			return
		}
		s, class := a.Start, uint8(0)
		for i, b := range drawWord(t, a, 20) {
			if p.Class[s] != class {
				t.Fatalf("symbol %d: state %d is of class %d, parity %d", i, s, p.Class[s], class)
			}
			next, e := a.Step(s, b)
			if e.Kind == Error {
				return
			}
			if a.Group[b] == p.Toggle {
				class ^= 1
			}
			if p.After != nil && p.After[int(class)*a.NGroups+int(a.Group[b])] != next {
				t.Fatalf("symbol %d: state %d, by parity %d", i, next, p.After[int(class)*a.NGroups+int(a.Group[b])])
			}
			s = next
		}
	})
}

func TestContextGivesTheState(t *testing.T) {
	forMachines(t, func(t *rapid.T, a *Automaton, r *Analysis) {
		c := r.Context()
		if c == nil {
			t.Fatal("not searched")
		}
		s, class := a.Start, c.Class[a.Start]
		for i, b := range drawWord(t, a, 20) {
			g := int(a.Group[b])
			s, _ = a.Step(s, b)
			class = c.Next[g*c.Classes+class]
			if class != c.Class[s] || c.Full[class*a.NGroups+g] != s {
				t.Fatalf("symbol %d: state %d of class %d, by classes %d of %d", i, s, c.Class[s], c.Full[class*a.NGroups+g], class)
			}
		}
	})
}

// TestContextCannotShrink puts every two classes together: what follows from
// that breaks one of the two conditions.
func TestContextCannotShrink(t *testing.T) {
	for name, a := range machines(t) {
		c := Analyse(a).Context()
		for x := range c.Classes {
			for y := range x {
				if mergeable(a, c, x, y) {
					t.Errorf("%s: classes %d and %d", name, x, y)
				}
			}
		}
	}
}

func mergeable(a *Automaton, c *Context, x, y int) bool {
	class := slices.Clone(c.Class)
	join := func(x, y int) {
		for s := range class {
			if class[s] == x {
				class[s] = y
			}
		}
	}
	join(x, y)
	for changed := true; changed; {
		changed = false
		for s := range class {
			for u := range class {
				for g := range a.NGroups {
					row := a.Row(GroupID(g))
					if class[s] == class[u] && class[row[s]] != class[row[u]] {
						join(class[row[s]], class[row[u]])
						changed = true
					}
				}
			}
		}
	}
	for g := range a.NGroups {
		row := a.Row(GroupID(g))
		for _, s := range row {
			for _, u := range row {
				if s != u && class[s] == class[u] {
					return false
				}
			}
		}
	}
	return true
}

func TestAnalyseLarge(t *testing.T) {
	r := Analyse(chain(MaxStates))
	if r.Path() != PathGeneric || r.Context() != nil || r.Monoid().Complete || r.Word.Searched {
		t.Errorf("%s", r)
	}
	for _, want := range []string{"not searched beyond", "not searched further"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("no %q in\n%s", want, r)
		}
	}
}

func BenchmarkAnalyse(b *testing.B) {
	for name, a := range map[string]*Automaton{
		"csv": csvMachine(b, true, true), "escapes": escapesMachine(b), "states=300": chain(300).Minimise(), "states=4096": chain(MaxStates),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Analyse(a)
			}
		})
	}
}
