package infer

import (
	"strings"
	"testing"
)

// TestSheets: tables as spreadsheets write them, and what looks like them: the lines before the
// table, its names and its records.
func TestSheets(t *testing.T) {
	for _, c := range []struct {
		in      string
		skip    int
		names   string // with bars between; "column_1…" where no row has them
		records int64
	}{
		{"Sales,,,\nCreated 2024-01-01,,,\n,,,\nId,Name,Sum,Day\n1,A,10.5,2024-01-01\n2,B,2,2024-01-02\n", 3, "Id|Name|Sum|Day", 2},
		{"Created:;2024-01-01;;;\nId;Name;Sum;Day;x\n1;A;10,5;1;2\n2;B;2;3;4\n", 1, "Id|Name|Sum|Day|x", 2},
		{",,Sales,\nName,City,Street,Land\nAnn,Rom,Via,IT\nJoe,Bonn,Weg,DE\nTim,Metz,Rue,FR\n", 1, "Name|City|Street|Land", 3}, // words alone
		{"Sales;;\nId;Name;Sum\n1;A;10\n2;B;20\n3;C;30\n;;\nTotal;;60\n", 1, "Id|Name|Sum", 4},                                 // the empty row is one
		{"Id;Name;Sum\n1;A;10\n2;B;20\n3;C;30\n;;\nAll in euros;;\nand so on;;\n", 0, "Id|Name|Sum", 4},                        // remarks
		{"Id;Name;Sum\n1;A;10\n2;B;20\n3;C;30\n;;\n4;D;40\n", 0, "Id|Name|Sum", 5},                                             // goes on
		{"Name,2023,,2024,\n,Q1,Q2,Q1,Q2\nN,1,2,3,4\nS,5,6,7,8\n", 0, "Name|2023 Q1|2023 Q2|2024 Q1|2024 Q2", 2},               // names of several columns
		{"Sales,,,,\nName,A,,B,\n,Q1,Q2,Q1,Q2\nN,1,2,3,4\nS,5,6,7,8\n", 1, "Name|A Q1|A Q2|B Q1|B Q2", 2},                      // below a title
		{"Name,A,,B,\n,Q1,Q2,Q3,Q4\nN,1,2,3,4\nS,5,6,7,8\n", 0, "column_1|column_2|column_3|column_4|column_5", 4},             // each stands for itself
		{"x,,,\n,y,,\n,,z,\n,,,w\n", 0, "column_1|column_2|column_3|column_4", 4},                                              // all are sparse
		{"5,,,\nId,Name,Sum,Day\n1,A,10.5,2024-01-01\n2,B,2,2024-01-02\n", 1, "Id|Name|Sum|Day", 2},                            // a number above
		{"a,b\n,\n1,2\n3,4\n", 0, "a|b", 3}, // two columns
	} {
		got, err := inferText(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if all := strings.Join(namesOf(got), "|"); got.Skip != c.skip || all != c.names || got.Records != c.records || got.Rejected > 0 {
			t.Errorf("%q: %d lines before %q, %d records, %d rejected; want %d, %q, %d", c.in, got.Skip, all, got.Records, got.Rejected, c.skip, c.names, c.records)
		}
	}
}
