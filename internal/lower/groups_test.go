package lower

// All tests of this package compare the symbols of groups.
func init() { checked = true }
