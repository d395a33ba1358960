package dfa

// to be replaced by analyse.go, minimise.go
type Analysis struct{}

func Analyse(a *Automaton) *Analysis      { return &Analysis{} }
