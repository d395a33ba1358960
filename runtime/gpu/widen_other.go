//go:build cuda && !amd64

package gpu

func (w *wide) widenVectors(from, _ int) int { return from }

func (w *wide) sumVectors(from, _ int, at int32) (next int, end int32) { return from, at }
