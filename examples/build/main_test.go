package main

import (
	"fmt"
	"os"
	"strings"
)

func Example() {
	p, err := program("|", []string{"id:u64", "name:str", "price:dec(8,2)"})
	if err != nil {
		fmt.Println(err)
		return
	}
	input := "7|Ann|1.50\n8|\"Lee|Jo\"|none\n"
	if err := print(os.Stdout, strings.NewReader(input), p); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"id":7,"name":"Ann","price":1.50}
	// {"id":8,"name":"Lee|Jo","price":null}
}

func Example_fault() {
	_, err := program(";", []string{"id:u46"})
	fmt.Println(err)
	// Output:
	// given:8:8: unknown type "u46"; did you mean "u16"?
	// in
	// format given {
	//   delimited {
	//     sep ";"
	//     quote `"` doubled
	//   }
	//   on_error null
	//   fields {
	//     id u46
	//   }
	// }
}
