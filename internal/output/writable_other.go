//go:build !unix

package output

import "os"

// writable says whether a file or a folder is there: that it cannot be written to shows when it is.
func writable(path string) error {
	_, err := os.Stat(path)
	return err
}
