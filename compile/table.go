package compile

import (
	"slices"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// buildTable builds the automaton of a table, nil after a fault.
func buildTable(rows *Rows, pos lexer.Position, bad *faults) *dfa.Automaton {
	before := len(bad.list)
	t := readTable(rows, bad)
	if len(bad.list) > before {
		return nil
	}
	if err := bad.work.Take(len(t.Rows)); err != nil {
		bad.add(lowered(err, pos, ""))
		return nil
	}
	a, err := lower.BuildTable(t)
	if err != nil {
		bad.add(lowered(err, pos, ""))
		return nil
	}
	return a
}

// checkLoss faults an end of the input that a table calls ok although something
// is open: the witness is an input of which that would be dropped.
func checkLoss(rows *Rows, a *dfa.Automaton, l *dfa.Loss, bad *faults) {
	if l == nil {
		return
	}
	// States that do the same are one in the automaton, under the name of the first.
	state, pos := a.States[l.State].Name, rows.Pos
	for _, e := range rows.EOF {
		if slices.Contains(e.States, state) {
			pos = e.Pos
		}
	}
	bad.addf(pos, "eof says ok of state %s, where %s, which would be lost without a word; witness: %q; say r, which ends the field and its record, or ! \"what is missing\"",
		state, l.What, l.Input)
}

// checkAstray faults a record that is found to have ended late, where who begins to read behind its
// end comes elsewhere: records would depend on where reading began.
func checkAstray(rows *Rows, a *dfa.Automaton, bad *faults) {
	found := a.Astray()
	if found == nil {
		return
	}
	state, pos := a.States[found.State].Name, rows.Pos
	for _, s := range rows.States {
		if s.Name == state {
			pos = s.Pos
		}
	}
	what := "lead to " + a.States[found.Again].Name + ", which has to be the same state"
	if found.Again == found.Next {
		what = "are not what lag and open say: those that are open are skipped, the others data"
	}
	bad.addf(pos, "in state %s the symbols %q end the record before them, and lead to %s; the next record begins with them in %s, where they %s",
		state, found.Symbols, a.States[found.Next].Name, a.States[a.Start].Name, what)
}

// readTable turns a table into what lower builds from.
func readTable(rows *Rows, bad *faults) *lower.Table {
	t := &lower.Table{Recover: rows.Recover}
	var groups, states []string
	var taken dfa.Set
	for _, g := range rows.Groups {
		if slices.Contains(groups, g.Name) {
			bad.addf(g.Pos, "a second group %s", g.Name)
		}
		groups = append(groups, g.Name)
		set := groupSet(g, bad)
		if both := set.And(taken); !both.Empty() {
			bad.addf(g.Pos, "group %s: %q is in an earlier group too; a symbol is in one group", g.Name, rune(first(both)))
		}
		taken = taken.Union(set)
		t.Groups = append(t.Groups, lower.TableGroup{Name: g.Name, Set: set, All: g.All})
	}
	for _, s := range rows.States {
		if slices.Contains(states, s.Name) {
			bad.addf(s.Pos, "a second row for state %s", s.Name)
		}
		states = append(states, s.Name)
	}
	for _, s := range rows.States {
		row := lower.TableRow{Name: s.Name, Doc: s.Doc.Value()}
		if len(s.Cells) != len(groups) {
			bad.addf(s.Pos, "state %s has %d cells for %d groups", s.Name, len(s.Cells), len(groups))
		}
		for _, c := range s.Cells {
			row.Cells = append(row.Cells, readCell(c, states, bad))
		}
		t.Rows = append(t.Rows, row)
	}
	t.EOF = readEOF(rows, states, bad)
	warnUnreached(rows, bad)
	for _, r := range rows.Recover {
		if !slices.Contains(groups, r) {
			bad.addf(rows.Pos, "recover: there is no group %s%s", r, bad.suggest(r, groups))
		}
	}
	return t
}

// warnUnreached warns of states that no input leads to.
func warnUnreached(rows *Rows, bad *faults) {
	byName := map[string]*State{}
	for _, s := range rows.States {
		byName[s.Name] = s
	}
	reached := map[string]bool{rows.States[0].Name: true}
	for todo := []*State{rows.States[0]}; len(todo) > 0; {
		s := todo[0]
		todo = todo[1:]
		for _, c := range s.Cells {
			if next := byName[c.Next]; next != nil && !reached[c.Next] {
				reached[c.Next] = true
				todo = append(todo, next)
			}
		}
	}
	for _, s := range rows.States {
		if !reached[s.Name] {
			bad.warnf(s.Pos, "no input leads to state %s", s.Name)
		}
	}
}

func first(s dfa.Set) byte {
	for b := range 256 {
		if s.Has(byte(b)) {
			return byte(b)
		}
	}
	return 0
}

func groupSet(g *Group, bad *faults) (set dfa.Set) {
	for _, s := range g.Set {
		lo := oneByte(s.Text, "a symbol of a group", bad)
		hi := lo
		if s.Last != nil {
			if hi = oneByte(s.Last, "a symbol of a group", bad); hi < lo {
				bad.addf(s.Pos, "the range %s-%s is empty; write it the other way round", s.Text.Token, s.Last.Token)
			}
		}
		set = set.Union(dfa.Range(lo, hi))
	}
	return set
}

func readCell(c *Entry, states []string, bad *faults) lower.Cell {
	if c.Error {
		return lower.Cell{Kind: dfa.Error, Message: c.Message.Value(), Column: dfa.NextColumn}
	}
	if !slices.Contains(states, c.Next) {
		bad.addf(c.Pos, "there is no state %s%s", c.Next, bad.suggest(c.Next, states))
	}
	out := lower.Cell{Next: c.Next, Column: dfa.NextColumn}
	a := c.Action
	switch {
	case a.Kind == ".":
		out.Kind = dfa.Skip
	case a.Word == "e":
		out.Kind, out.Escape = dfa.Skip, true
	case a.Word == "d":
		out.Kind = dfa.Data
	case a.Word == "f":
		out.Kind = dfa.Field
	case a.Word == "r":
		out.Kind = dfa.Record
	default:
		bad.addf(a.Pos, "unknown action %q: . is skip, e skip as part of an escape, d data, f the end of a field, r the end of a record, ! an error", a.Word)
		return out
	}
	boundary := out.Kind == dfa.Field || out.Kind == dfa.Record
	switch {
	case a.As != nil:
		out.Sub, out.Byte = dfa.ByByte, oneByte(a.As, "what a symbol stands for", bad)
	case a.AsForm == "hex":
		out.Sub = dfa.ByHex
	case a.AsForm == "oct":
		out.Sub = dfa.ByOctal
	case a.AsForm != "":
		bad.addf(a.Pos, "d=%s: a data symbol stands for a char (d='\\n'), for two hex digits (d=hex) or three octal ones (d=oct)", a.AsForm)
	}
	if out.Sub != dfa.Itself && out.Kind != dfa.Data {
		bad.addf(a.Pos, "only data (d) can stand for another symbol")
	}
	if !boundary && (a.Column != "" || a.Lag != "") {
		bad.addf(a.Pos, "only f and r end a field; @ and lag go with them")
	}
	if a.Column != "" {
		out.Column = a.number(a.Column, dfa.MaxColumns-1, bad)
	}
	if a.Lag != "" {
		out.Lag = a.number(a.Lag, 1<<10, bad)
		out.Open = a.number(a.Open, out.Lag, bad)
	}
	if a.Drop {
		if out.Record = dfa.DroppedRecord; out.Kind != dfa.Record {
			bad.addf(a.Pos, "only a record (r) can be dropped")
		}
	}
	return out
}

func (a *Action) number(s string, most int, bad *faults) int {
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > most {
		bad.addf(a.Pos, "%s: want a number from 0 to %d", s, most)
		return 0
	}
	return n
}

func readEOF(rows *Rows, states []string, bad *faults) []lower.TableEOF {
	var out []lower.TableEOF
	said := map[string]bool{}
	for _, e := range rows.EOF {
		end := lower.TableEOF{States: e.States, Message: e.Message.Value()}
		switch {
		case e.Error:
			end.Kind = dfa.Error
		case e.Action == "ok":
			end.Kind = dfa.Skip
		case e.Action == "r":
			end.Kind = dfa.Record
		default:
			bad.addf(e.Pos, "unknown end %q: ok is nothing, r the end of a record, ! an error", e.Action)
		}
		for _, s := range e.States {
			switch {
			case !slices.Contains(states, s):
				bad.addf(e.Pos, "there is no state %s%s", s, bad.suggest(s, states))
			case said[s]:
				bad.addf(e.Pos, "the end of the input in state %s is said twice", s)
			}
			said[s] = true
		}
		out = append(out, end)
	}
	for _, s := range states {
		if !said[s] {
			bad.addf(rows.Pos, "eof does not say what the end of the input means in state %s: ok, r or !", s)
		}
	}
	return out
}
