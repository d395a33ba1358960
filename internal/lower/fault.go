package lower

import "fmt"

// Fault says why a construct cannot be built.
type Fault struct {
	What    string   // what is wrong: "a run takes one byte, not 2"
	Where   string   // which part: "separator", "field user", "comment"
	Fields  []string // the fields that it is about, where Where is more than one
	Shape   string   // the shape of a Record that it is about
	Other   string   // and a second one
	Witness []byte   // a shortest input that could be read in two ways, if that is the fault
	Hint    string   // what to do instead, if something is known to do
}

func (f *Fault) Error() string {
	s := f.What
	if f.Where != "" {
		s = f.Where + ": " + s
	}
	if len(f.Witness) > 0 {
		s += fmt.Sprintf(" (as in %q)", f.Witness)
	}
	if f.Hint != "" {
		s += "; " + f.Hint
	}
	return s
}
