package cpu

import (
	"testing"

	"github.com/dfaparse/dfaparse/runtime/enginetest"
)

func TestEngineIsWhatTheContractSays(t *testing.T) { enginetest.Run(t, Engine{}) }
