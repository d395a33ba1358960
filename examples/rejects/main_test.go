package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

func Example() {
	input := "id,name\n1,Ann\n2,5\" pipe\n3\n4,Lee\n"
	if err := run(os.Stdout, strings.NewReader(input), "parts.csv", "csv"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// parts.csv:3:4: record 2, field "name": a field that holds '"' must be enclosed in it, found '"', in a field (byte 17)
	// 	"2,5\" pipe"
	// parts.csv:4:2: record 3, the record has 1 field; expected 2 fields (byte 25)
	// 	"3"
	// 4 records: 2 rows, 2 rejected
}

func Example_empty() {
	if err := run(os.Stdout, strings.NewReader(""), "empty.csv", "csv"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// is this the right format? empty.csv:1:1: the input is empty, but the format wants a header that names the columns (byte 0)
}

func TestWrongFormat(t *testing.T) {
	err := run(io.Discard, strings.NewReader(strings.Repeat("1,2,3\n", 200)), "data.csv", "nginx")
	if want := "is this the right format? data.csv:101:"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s...", err, want)
	}
}
