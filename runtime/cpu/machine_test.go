package cpu

import (
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// TestSpecialSymbols: in every built-in format the symbols that have to be
// stepped are the few that structure it, so that text is passed over.
func TestSpecialSymbols(t *testing.T) {
	for _, name := range gen.AllFormats() {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Cells) > 0 {
			continue // nothing structures it
		}
		m := newMachine(p)
		special := m.special.Symbols
		t.Logf("%-16s %d special symbols: %s", name, special.Len(), dfa.FormatSet(special))
		most := 16
		switch name {
		case "syslog_rfc3164", "sshd", "postfix", "generic_log_month":
			most = 64 // a letter after a line end begins the next record, where a tab or space continues this one
		case "exim":
			most = 72 // and what the next field is
		case "json":
			most = 37 // control symbols, which no string has, are told from others
		case "bind", "postgresql", "syslog_fr":
			most = 25 // optional fields are told apart by the letters of words that follow
		}
		if special.Len() > most {
			t.Errorf("%s: %d special symbols", name, special.Len())
		}
	}
}

// TestIndexPaths: how the fields of some built-in formats are found.
func TestIndexPaths(t *testing.T) {
	for name, want := range map[string]string{
		"csv": "masks", "csv_lax": "masks", "tsv": "masks", "lineitem": "masks", "apache_combined": "masks", "nginx": "masks",
		"w3c": "masks", "logfmt": "hops", "syslog_rfc5424": "hops",
	} {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Analysis().IndexPath(); got != want {
			t.Errorf("%s: fields are found by %s, want %s", name, got, want)
		}
		if masks := p.Analysis().ByMasks(); masks != nil && !newRoles(masks).vectors {
			t.Errorf("%s: the vector code has no room for its roles", name)
		}
	}
}
