//go:build cuda && !amd64

package gpu

func (w *wide) widenVectors(from, _ int) int { return from }

func (w *wide) sumVectors() (rows int, at int32) { return 0, 0 }
