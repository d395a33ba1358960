package cpu

import (
	"testing"

	"github.com/dfaparse/dfaparse/internal/enginetest"
)

func TestEngineIsWhatTheContractSays(t *testing.T) {
	defer func(n, detour int) { windowBlocks, hopDetour = n, detour }(windowBlocks, hopDetour)
	windowBlocks = 2 // so that records lie across windows
	hopDetour = detourMin + 20
	smallHops(t, 256, 2)
	enginetest.Run(t, Engine)
}
