// Package formats holds the built-in formats, one spec file a format, and
// finds specs by name.
//
// A format is all in its spec: there is no Go code per format. Its tests are
// in the spec too. Adding one is adding spec/GROUP/NAME.dfp.
package formats
