//go:build !amd64 && !arm64 && !wasm

package dfa

// The buffers of columns are read and written as the machine has them, in
// Arrow's layout: little-endian words of 64 bits. Nothing else is built or
// tested, so that nothing else is compiled.
var _ = dfaparse_runs_on_amd64_and_arm64_only_because_its_buffers_are_little_endian_words_of_64_bits
