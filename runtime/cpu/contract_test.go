package cpu

import (
	"testing"

	"github.com/dfaparse/dfaparse/internal/enginetest"
)

func TestEngineIsWhatTheContractSays(t *testing.T) {
	defer func(n, detour int) { windowBlocks, hopDetour = n, detour }(windowBlocks, hopDetour)
	windowBlocks = 2 // so that records lie across windows
	defer func(runs, turns, span int) { fewRuns, fewTurns, choiceSpan = runs, turns, span }(fewRuns, fewTurns, choiceSpan)
	fewRuns, fewTurns, choiceSpan = 1<<20, 1<<20, 64 // so that runs are read as such, and then again not
	hopDetour = detourMin + 20
	smallHops(t, 256, 2)
	enginetest.Run(t, Engine)
}

// TestStepsAreWhatTheContractSays: the same where records that masks leave are stepped, as those of many symbol groups are.
func TestStepsAreWhatTheContractSays(t *testing.T) {
	defer func(groups int) { maxHopGroups = groups }(maxHopGroups)
	maxHopGroups = 0
	TestEngineIsWhatTheContractSays(t)
}
