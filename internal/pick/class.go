package pick

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime/gpu"
)

// Class is what formats have in common that cost an engine about the same.
type Class string

// The classes. Each has a file that stands for it when engines are measured: Sample.
const (
	Numbers Class = "numbers" // fields between separators, most of them numbers and times
	Texts   Class = "texts"   // the same, many of them texts, which are copied
	Logs    Class = "logs"    // records that take an automaton of many states, or are taken apart
	Maps    Class = "maps"    // maps, whose keys and values a device puts side by side
	Hosted  Class = "hosted"  // what has columns that no kernel converts: the CPU does, beside a device
)

// Classes are all of them.
func Classes() []Class { return []Class{Numbers, Texts, Logs, Maps, Hosted} }

// Sample is the kind of generated file that stands for c ("dfaparse gen"), and its format.
func (c Class) Sample() (kind, format string) {
	switch c {
	case Numbers:
		return "taxi", "taxi"
	case Texts:
		return "yelp", "yelp"
	case Logs:
		return "combined", "apache_combined"
	case Maps:
		return "logfmt", "logfmt"
	}
	return "logfmt", "wordlists"
}

// fusedStates is how many states an automaton has at most that kernels step together
// with converting, for any separator: see runtime/gpu.
const fusedStates = 8

// ClassOf is the class of a Program, of which the named columns are wanted; nil: all.
func ClassOf(p *dfa.Program, wanted []string) Class {
	texts, n := 0, 0
	split, maps := false, false
	for i := range p.Columns {
		c := &p.Columns[i]
		if wanted != nil && !slices.Contains(wanted, c.Name) && c.Split == nil {
			continue
		}
		if c.Split != nil {
			if split = true; gpu.OnHostSplit(c) {
				return Hosted
			}
			for k := range c.Split.Columns {
				if onHost(p, &c.Split.Columns[k], true) {
					return Hosted
				}
			}
		}
		if onHost(p, c, false) {
			return Hosted
		}
		maps = maps || c.Type.Kind == dfa.Map
		if n++; convert.FactsOf(c.Type.Kind).Kernel == convert.KernelText {
			texts++
		}
	}
	switch a := p.Automaton; {
	case a.Touches():
		return Hosted
	case maps:
		return Maps
	case a.NStates() > fusedStates || split || p.Dynamic() && p.Header.Mode != dfa.NamesHeader:
		return Logs
	case n == 0 || 5*texts >= 2*n: // columns that a header names are texts
		return Texts
	}
	return Numbers
}

// onHost reports whether no kernel converts a column, or a part of one.
func onHost(p *dfa.Program, c *dfa.Column, part bool) bool {
	return gpu.OnHost(p, c, part) || len(c.Type.In) > 0 || c.Type.Implied || c.Type.Size > 0
}
