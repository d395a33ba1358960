// Package guard gives tests memory beside which nothing can be read, so that code in assembly
// which looks past its data fails there.
package guard
