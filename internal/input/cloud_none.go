//go:build noweb || nocloud

package input

import (
	"context"
	"fmt"
	"net/http"
)

// store is where objects are, of which this build knows none.
type store interface {
	address(key string) string
	send(*http.Request) (*http.Response, error)
}

func storeOf(name string) (store, string, error) {
	return nil, "", fmt.Errorf("%q: this build reads nothing from clouds: fetch it first, or pipe it in", name)
}

func expandCloud(_ context.Context, name string) ([]string, error) { return []string{name}, nil }
