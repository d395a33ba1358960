package dfa

// Example is a test inside a spec: an input and what reading it must give.
type Example struct {
	Pos     string // file:line:col of the test
	Name    string
	Input   string
	Rows    []ExampleRow // the rows, in order
	Rejects []string     // the rejects, in order: each a part of the reject's error text
}

// ExampleRow is one expected row; columns that it does not name are not compared.
type ExampleRow struct {
	Cells []ExampleCell
}

// ExampleCell is one expected value, in the text form of internal/render.
type ExampleCell struct {
	Pos    string // file:line:col of the value
	Column string
	Value  string
	Null   bool
}
