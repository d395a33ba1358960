package importer

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"

	"github.com/dfaparse/dfaparse/compile"
)

// form is an expression without groups as a deterministic automaton over bytes. Symbols
// beyond ASCII are all in a class or all out of it: a lead byte is read as the class,
// and the bytes that continue it follow.
type form struct {
	next   [][256]int16 // by state; noState: there is none
	accept []bool
	input  []string // a shortest input that leads to the state
}

const noState = -1

// maxFormStates bounds a form.
const maxFormStates = 256

var (
	errPartOfUnicode = errors.New("a class with some symbols beyond ASCII, which has to have all of them or none")
	errPlace         = errors.New("a place between symbols (\\b, ^ or $ within) is no text, and cannot be read")
	errTooLarge      = fmt.Errorf("it has more than %d states", maxFormStates)
)

// newForm makes the automaton of an expression.
func newForm(re *syntax.Regexp) (*form, error) {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	type state struct {
		set    string // of instructions
		inRune bool
	}
	f := &form{}
	ids := map[state]int16{}
	var sets [][]uint32
	var runes []bool
	add := func(set []uint32, inRune bool, input string) (int16, error) {
		key := state{fmt.Sprint(set), inRune}
		if id, ok := ids[key]; ok {
			return id, nil
		}
		if len(sets) == maxFormStates {
			return 0, errTooLarge
		}
		ids[key] = int16(len(sets))
		sets, runes = append(sets, set), append(runes, inRune)
		f.input = append(f.input, input)
		f.accept = append(f.accept, slices.ContainsFunc(set, func(pc uint32) bool { return prog.Inst[pc].Op == syntax.InstMatch }))
		return ids[key], nil
	}
	start, err := closure(prog, []uint32{uint32(prog.Start)})
	if err != nil {
		return nil, err
	}
	if _, err := add(start, false, ""); err != nil {
		return nil, err
	}
	for at := 0; at < len(sets); at++ {
		var row [256]int16
		for b := range 256 {
			row[b] = noState
			if b == '\n' {
				continue // ends the line
			}
			if runes[at] && b >= 0x80 && b < 0xC0 {
				row[b] = int16(at)
				continue
			}
			var to []uint32
			for _, pc := range sets[at] {
				yes, err := matches(&prog.Inst[pc], b)
				if err != nil {
					return nil, err
				}
				if yes {
					to = append(to, prog.Inst[pc].Out)
				}
			}
			if to == nil {
				continue
			}
			set, err := closure(prog, to)
			if err != nil {
				return nil, err
			}
			if row[b], err = add(set, b >= 0x80, f.input[at]+string(rune(b))); err != nil {
				return nil, err
			}
		}
		f.next = append(f.next, row)
	}
	f.minimise()
	return f, nil
}

// closure is what instructions lead to without a symbol: those that read one, and the end.
func closure(prog *syntax.Prog, from []uint32) ([]uint32, error) {
	var out []uint32
	seen := map[uint32]bool{}
	for todo := from; len(todo) > 0; {
		pc := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; seen[pc] {
			continue
		}
		seen[pc] = true
		switch i := &prog.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, i.Out)
		case syntax.InstEmptyWidth:
			return nil, errPlace
		case syntax.InstFail:
		default:
			out = append(out, pc)
		}
	}
	slices.Sort(out)
	return out, nil
}

// matches reports whether an instruction reads byte b.
func matches(i *syntax.Inst, b int) (bool, error) {
	switch i.Op {
	case syntax.InstMatch:
		return false, nil
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true, nil
	}
	if b < 0x80 {
		return i.MatchRune(rune(b)), nil
	}
	if len(i.Rune) == 1 {
		if i.Rune[0] >= 0x80 {
			return false, errPartOfUnicode
		}
		return false, nil
	}
	some, all := false, false
	for k := 0; k+1 < len(i.Rune); k += 2 {
		some = some || i.Rune[k+1] >= 0x80
		all = all || i.Rune[k] <= 0x80 && i.Rune[k+1] == 0x10FFFF
	}
	if some && !all {
		return false, errPartOfUnicode
	}
	return all, nil
}

// minimise puts states together that nothing tells apart.
func (f *form) minimise() {
	class := make([]int16, len(f.next))
	for s, a := range f.accept {
		if a {
			class[s] = 1
		}
	}
	for {
		ids := map[string]int16{}
		next := make([]int16, len(class))
		for s := range f.next {
			key := []int16{class[s]}
			for _, to := range f.next[s] {
				if to != noState {
					to = class[to]
				}
				key = append(key, to)
			}
			text := fmt.Sprint(key)
			if _, ok := ids[text]; !ok {
				ids[text] = int16(len(ids))
			}
			next[s] = ids[text]
		}
		same := slices.Equal(class, next)
		if class = next; same {
			break
		}
	}
	out := &form{}
	for s := range f.next {
		if int(class[s]) != len(out.next) {
			continue // not the first of its class
		}
		row := f.next[s]
		for b, to := range row {
			if to != noState {
				row[b] = class[to]
			}
		}
		out.next, out.accept, out.input = append(out.next, row), append(out.accept, f.accept[s]), append(out.input, f.input[s])
	}
	*f = *out
}

// goesOn finds a byte of next with which the form may go on where it may end, and an
// input before it.
func (f *form) goesOn(next *[256]bool) (b int, input string, found bool) {
	for s, accept := range f.accept {
		if !accept {
			continue
		}
		for b, first := range next {
			if first && f.next[s][b] != noState {
				return b, f.input[s], true
			}
		}
	}
	return 0, "", false
}

// firstOf are the bytes that what parts match may begin with.
func firstOf(parts []*syntax.Regexp) (*[256]bool, error) {
	out := &[256]bool{}
	if len(parts) == 0 {
		return out, nil
	}
	prog, err := syntax.Compile((&syntax.Regexp{Op: syntax.OpConcat, Sub: parts}).Simplify())
	if err != nil {
		return nil, err
	}
	start, err := closure(prog, []uint32{uint32(prog.Start)})
	if err != nil {
		return nil, err
	}
	for _, pc := range start {
		for b := range out {
			i := &prog.Inst[pc]
			if b >= 0x80 && i.Op != syntax.InstMatch && len(i.Rune) == 1 && i.Rune[0] >= 0x80 {
				out[b] = string(i.Rune)[0] == byte(b) // text beyond ASCII
				continue
			}
			yes, err := matches(i, b)
			if err != nil {
				return nil, err
			}
			out[b] = out[b] || yes
		}
	}
	return out, nil
}

// table is the form as a dfa of the spec language.
func (f *form) table(name string) *compile.Table {
	// Bytes that no state tells apart are a group; the largest is the rest.
	groups := map[string][]int{}
	var order []string
	for b := range 256 {
		key := ""
		for s := range f.next {
			key += fmt.Sprint(f.next[s][b], " ")
		}
		if b == '\n' {
			continue // no field has one
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], b)
	}
	largest := order[0]
	for _, key := range order {
		if len(groups[key]) > len(groups[largest]) {
			largest = key
		}
	}
	order = append(slices.DeleteFunc(order, func(k string) bool { return k == largest }), largest)
	rows := &compile.Rows{}
	for i, key := range order {
		g := &compile.Group{Name: fmt.Sprintf("G%d", i)}
		if key == largest {
			g.Name, g.All = "X", true
		} else {
			g.Set = symbolsOf(groups[key])
		}
		rows.Groups = append(rows.Groups, g)
	}
	ends := map[bool]*compile.AtEOF{true: {Action: "r"}, false: {Error: true, Message: compile.NewText("it ends too early")}}
	for s := range f.next {
		st := &compile.State{Name: fmt.Sprintf("S%d", s)}
		for _, key := range order {
			if to := f.next[s][groups[key][0]]; to == noState {
				st.Cells = append(st.Cells, &compile.Entry{Error: true})
			} else {
				st.Cells = append(st.Cells, entry(fmt.Sprintf("S%d", to), "d"))
			}
		}
		rows.States = append(rows.States, st)
		ends[f.accept[s]].States = append(ends[f.accept[s]].States, st.Name)
	}
	for _, accept := range []bool{true, false} {
		if ends[accept].States != nil {
			rows.EOF = append(rows.EOF, ends[accept])
		}
	}
	return &compile.Table{Name: &compile.Name{Word: name}, Rows: rows}
}

// symbolsOf are bytes as symbols and ranges.
func symbolsOf(bytes []int) []*compile.Symbols {
	var out []*compile.Symbols
	for i := 0; i < len(bytes); {
		j := i
		for j+1 < len(bytes) && bytes[j+1] == bytes[j]+1 {
			j++
		}
		s := &compile.Symbols{Text: symbol(byte(bytes[i]))}
		if j > i {
			s.Last = symbol(byte(bytes[j]))
		}
		out = append(out, s)
		i = j + 1
	}
	return out
}
