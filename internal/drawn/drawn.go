// Package drawn runs drawn tests that are to have met something.
package drawn

import (
	"testing"

	"pgregory.net/rapid"
)

// rounds is how often a test is run that has not met enough: one of which a round meets enough
// one time in two fails by chance one time in a million.
const rounds = 20

// Check is rapid.Check, again with other draws while the property has not met enough, so that no
// test passes that has compared nothing, and none fails because little was drawn. What is missing
// is what the error says of a property that never met it.
func Check(t *testing.T, missing string, enough func() bool, property func(*rapid.T)) {
	t.Helper()
	for range rounds {
		if rapid.Check(t, property); t.Failed() || enough() {
			return
		}
	}
	t.Error(missing)
}
