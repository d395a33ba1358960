package cpu

import (
	"testing"

	"github.com/dfaparse/dfaparse/internal/enginetest"
)

func TestEngineIsWhatTheContractSays(t *testing.T) {
	defer func(n, detour int) { windowBlocks, hopDetour = n, detour }(windowBlocks, hopDetour)
	windowBlocks = 2 // so that records lie across windows
	defer func(runs, turns int) { fewRuns, fewTurns = runs, turns }(fewRuns, fewTurns)
	fewRuns, fewTurns = 1<<20, 1<<20 // so that runs are read as such
	hopDetour = detourMin + 20
	smallHops(t, 256, 2)
	enginetest.Run(t, Engine)
}
