//go:build !unix

package runtime

import "os"

// mapFile is nil: files are read.
func mapFile(*os.File, int64) *mapping { return nil }

func (m *mapping) willNeed([]byte) {}
func (m *mapping) dontNeed([]byte) {}
func (m *mapping) unmap() error    { return nil }
