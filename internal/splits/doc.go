// Package splits makes splits of inputs, and keeps what they are made of in an index, a
// file beside the input's own (a sidecar).
//
// An index has checkpoints: where a record begins, every so many bytes. What lies between
// two of them is read when it has to be known where a certain record or line is:
//
//	input   |header|  records …          |  records …         |
//	index          ^ checkpoint          ^ checkpoint         ^ the end
//	line 90,000                   ^ found by reading from the checkpoint before it
//
// It reads no records itself: package runtime does.
package splits
