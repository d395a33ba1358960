package dfa

import "testing"

func TestFormatSet(t *testing.T) {
	for _, c := range []struct {
		set  Set
		want string
	}{
		{Set{}, "no symbol"},
		{All(), "any symbol"},
		{Bytes('"', ','), `'"' or ','`},
		{Bytes('\n', '\'', '\\', 0xff), `'\n', '\'', '\\' or '\xff'`},
		{Range('0', '9').Union(Bytes('a', 'b')), `'0' to '9', 'a' or 'b'`},
		{All().Minus(Bytes('\n')), `any symbol but '\n'`},
		{All().Minus(Range(0, 31)).Minus(Bytes(127)), `any symbol but '\x00' to '\x1f' and '\x7f'`},
	} {
		if got := FormatSet(c.set); got != c.want {
			t.Errorf("%v: %s, want %s", c.set, got, c.want)
		}
	}
}

func TestExpected(t *testing.T) {
	csv := csvMachine(t, true, true)
	esc := escapesMachine(t)
	for _, c := range []struct {
		a     *Automaton
		state string
		want  string
	}{
		{csv, "ESC", `'"', ',' or end of line`},
		{csv, "FLD", `any symbol but '"'`},
		{csv, "ENC", `'"'`}, // only the end of the input is wrong there
		{csv, "CR", `'\n'`},
		{esc, "ESC", `'\\', 'n', 'o', 't' or 'x'`},
		{esc, "X1", `'0' to '9', 'A' to 'F' or 'a' to 'f'`},
	} {
		found := false
		for s, state := range c.a.States {
			if state.Name != c.state {
				continue
			}
			found = true
			if got := c.a.Expected(StateID(s)); got != c.want {
				t.Errorf("%s: %s, want %s", c.state, got, c.want)
			}
		}
		if !found {
			t.Errorf("no state %s", c.state)
		}
	}
}

func TestExpectedEndOfInput(t *testing.T) {
	b := NewBuilder()
	s := b.AddState("S", "after the value")
	b.On(s, Bytes(';'), s, field)
	b.Otherwise(s, s, Emission{Kind: Error, Code: b.Message("what is this")})
	b.EOF(s, record)
	a := mustBuild(t, b)
	if got, want := a.Expected(0), "';' or end of input"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
