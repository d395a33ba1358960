package infer

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first needed: programs that infer
// nothing start in some milliseconds less.
type pattern func() *regexp.Regexp

// patterns are all there are.
var patterns []pattern

func lazily(expr string) pattern {
	p := pattern(sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }))
	patterns = append(patterns, p)
	return p
}

func (p pattern) Match(text []byte) bool { return p().Match(text) }
