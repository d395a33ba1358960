package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSorted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "sorted.csv")
	rows, err := sorted("../orders.dfp", "../orders.csv", "status, price desc", out)
	if err != nil || rows != 5 {
		t.Fatal(rows, err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "100") {
			ids = append(ids, line[:4])
		}
	}
	if got := strings.Join(ids, " "); got != "1003 1004 1002 1001 1005" {
		t.Error(got)
	}
}

// What is wrong with an order is said before anything is read.
func Example_fault() {
	_, err := sorted("../orders.dfp", "../orders.csv", "status, prise desc", "none.csv")
	fmt.Println(err)
	// Output:
	// By:1:9: there is no column "prise", did you mean "price"?
	//   status, prise desc
	//           ^
}
