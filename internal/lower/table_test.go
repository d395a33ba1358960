package lower

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// rows reads a table as a spec writes it: states down, groups across, a cell is
// a state and one of . d f r, or ! for an error.
func rows(text string) (out []TableRow) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		name, cells, _ := strings.Cut(line, ":")
		r := TableRow{Name: strings.TrimSpace(name)}
		for _, cell := range strings.Split(cells, "|") {
			f := strings.Fields(cell)
			if f[0] == "!" {
				r.Cells = append(r.Cells, Cell{Kind: dfa.Error})
				continue
			}
			c := Cell{Next: f[0], Column: dfa.NextColumn}
			c.Kind = map[string]dfa.Kind{".": dfa.Skip, "d": dfa.Data, "f": dfa.Field, "r": dfa.Record}[f[1]]
			r.Cells = append(r.Cells, c)
		}
		out = append(out, r)
	}
	return out
}

// rfc4180 is RFC 4180 as a table.
func rfc4180() *Table {
	return &Table{
		Groups: []TableGroup{
			{Name: "Q", Set: dfa.Bytes('"')}, {Name: "C", Set: dfa.Bytes(',')},
			{Name: "R", Set: dfa.Bytes('\r')}, {Name: "N", Set: dfa.Bytes('\n')}, {Name: "X", All: true},
		},
		Rows: rows(`
			EOR : QUO . | SOF f | CR . | EOR r | FLD d
			SOF : QUO . | SOF f | CR . | EOR r | FLD d
			FLD : !     | SOF f | CR . | EOR r | FLD d
			QUO : QQ .  | QUO d | QUO d| QUO d | QUO d
			QQ  : QUO d | SOF f | CR . | EOR r | !
			CR  : !     | !     | !    | EOR r | !`),
		EOF: []TableEOF{
			{States: []string{"EOR"}, Kind: dfa.Skip},
			{States: []string{"SOF", "FLD", "QQ", "CR"}, Kind: dfa.Record},
			{States: []string{"QUO"}, Kind: dfa.Error, Message: "unterminated quote"},
		},
	}
}

func TestTable(t *testing.T) {
	a, err := BuildTable(rfc4180())
	cases{
		{"a,b\r\n\"x\"\"y\",\n", "a|b\nx\"y|"},
		{"a,", "a|"},
		{"a\"b\nc", "! 1 '\"' cannot come here (FLD)\nc"},
		{"a,\"b", "! 2 unterminated quote"},
		{"a\rb\nc", "! 2 this symbol cannot come here (CR)\nc"},
	}.run(t, a, err)
}

func TestTableIsDelimited(t *testing.T) {
	table, err := BuildTable(rfc4180())
	if err != nil {
		t.Fatal(err)
	}
	built, _, err := BuildDelimited(&Delimited{Separators: []Separator{one(",")}, Quote: '"', Doubled: true, Lines: Lines{Blank: KeepBlank}})
	if err != nil {
		t.Fatal(err)
	}
	if table.NStates() != built.NStates() || table.NGroups != built.NGroups {
		t.Errorf("%d states and %d groups as a table, %d and %d as built", table.NStates(), table.NGroups, built.NStates(), built.NGroups)
	}
}

func TestTableErrorAtLineEnd(t *testing.T) {
	table := rfc4180()
	table.Rows[5].Cells[3] = Cell{Kind: dfa.Error, Message: "no carriage returns"}
	a, err := BuildTable(table)
	cases{
		{"a\r\nb\n", "! 2 no carriage returns\nb"},
	}.run(t, a, err)
}

func TestTableFaults(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*Table)
	}{
		{`group X: '"' is in another group too (as in "\"")`, func(t *Table) { t.Groups[4] = TableGroup{Name: "X", Set: dfa.Bytes('"')} }},
		{`no group has '\x00' (as in "\x00"); let one group have all other symbols`, func(t *Table) { t.Groups[4] = TableGroup{Name: "X", Set: dfa.Bytes('x')} }},
		{`state QQ: 4 cells for 5 groups`, func(t *Table) { t.Rows[4].Cells = t.Rows[4].Cells[:4] }},
		{`state FLD: no state NIX`, func(t *Table) { t.Rows[2].Cells[1].Next = "NIX" }},
		{`eof: it does not say what the end of the input means in state QUO`, func(t *Table) { t.EOF = t.EOF[:2] }},
		{`eof: state QUO is named twice`, func(t *Table) { t.EOF = append(t.EOF, t.EOF[2]) }},
		{`state CR: there are two rows for it`, func(t *Table) { t.Rows = append(t.Rows, t.Rows[5]) }},
		{`group C: there are two of this name`, func(t *Table) { t.Groups[2].Name = "C" }},
	} {
		table := rfc4180()
		c.change(table)
		if _, err := BuildTable(table); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}
