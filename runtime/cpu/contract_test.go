package cpu

import (
	"testing"

	"github.com/dfaparse/dfaparse/internal/enginetest"
)

func TestEngineIsWhatTheContractSays(t *testing.T) {
	defer func(n int) { windowBlocks = n }(windowBlocks)
	windowBlocks = 2 // so that records lie across windows
	smallHops(t, 256, 2)
	enginetest.Run(t, Engine)
}
