package runtime

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

var registry struct {
	sync.Mutex
	engines map[string]Engine
}

// Register makes an engine known by its name. Packages of engines call it when
// they are imported; the last of a name wins.
func Register(e Engine) {
	registry.Lock()
	defer registry.Unlock()
	if registry.engines == nil {
		registry.engines = map[string]Engine{}
	}
	registry.engines[e.Name()] = e
}

// Engines lists the names of the registered engines, sorted.
func Engines() []string {
	registry.Lock()
	defer registry.Unlock()
	var names []string
	for n := range registry.engines {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// preferred is the order in which "auto" looks for an engine.
var preferred = []string{"cpu", "reference"}

func findEngine(name string) (Engine, error) {
	known := Engines()
	registry.Lock()
	defer registry.Unlock()
	if name == "" || name == "auto" {
		for _, n := range preferred {
			if e, ok := registry.engines[n]; ok {
				return e, nil
			}
		}
		return nil, fmt.Errorf("runtime: no engine is linked in: import _ %q", "github.com/dfaparse/dfaparse/runtime/cpu")
	}
	if e, ok := registry.engines[name]; ok {
		return e, nil
	}
	return nil, fmt.Errorf("runtime: unknown engine %q, want auto or one of %s", name, strings.Join(known, ", "))
}
