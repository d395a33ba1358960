//go:build noweb

package input

import (
	"context"
	"fmt"
)

func openWeb(_ context.Context, name string, _ func(nbytes int)) (*Input, error) {
	return nil, fmt.Errorf("%q: this build reads nothing from servers: fetch it first, or pipe it in", name)
}
