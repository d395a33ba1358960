//go:build !amd64

package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// Vectors says what vector code the engine runs on this processor: "none".
func Vectors() string { return "none" }

// firstBit is the number of the lowest bit of set, 64 if there is none.
func firstBit(set uint64) int { return bits.TrailingZeros64(set) }

func (k *marker) strip(src []byte, marks []mark, records []uint32) int {
	return k.stripGeneric(src, marks, records)
}

func hasLookUp() bool { return false }

func hasMarkers() bool { return false }

func (b *bitmaps) lookUp(*roles, []byte) uint8 { panic("no AVX-512") }

func alike(records []uint32, n uint32) int { return alikeGeneric(records, n) }

func scatter(columns []plainColumn, checks []scatterColumn, marks []mark, first, nrows int, delta uint32) bool {
	return scatterGeneric(columns, checks, marks, first, nrows, delta)
}

func makeEven(to []mark, most int, marks []mark, last int, records []uint32) {
	evenGeneric(to, most, marks, last, records)
}

func missing(columns []plainColumn, _, first, last int, records []uint32) {
	missingGeneric(columns, first, last, records)
}

func appendUndoubled(dst, value []byte, quote byte) []byte {
	return appendUndoubledGeneric(dst, value, quote)
}

func appendWithout(dst, value []byte, symbol byte) []byte {
	return appendWithoutGeneric(dst, value, symbol)
}

func (s *split) separate(f *convert.Fields) {
	s.left = s.separated.separateGeneric(f, s.parts, s.left[:0])
}

func listPlaces(places []uint32, src []byte, group *[256]uint8, t *placeTable) (n int, none bool) {
	return listPlacesGeneric(places, src, group, t), false
}

func placesOf(places []uint32, masks []uint64, src []byte, at uint32, marked *[256]uint32) int {
	return placesOfGeneric(places, masks, src, at, marked)
}

func (b *bitmaps) markFrom(*masked, []byte, uint8, int, uint) int { panic("no AVX-512") }

func (x *near) emit(k *masked, ends, lasts []uint64) { x.emitGeneric(k, ends, lasts) }

func (x *runs) emit(marks []mark, sets *[stripBlocks]uint64, n int, offset mark, enclosed bool) int {
	return x.emitGeneric(marks, sets, n, offset, enclosed)
}

func emit(marks []mark, sets []uint64, offset mark) int { return emitGeneric(marks, sets, offset) }

func (r *laneRun) steps(n int) { r.stepsGeneric(n) }

func markGaps(places []uint32, gap uint32) { markGapsGeneric(places, gap) }

func packer() columns.Packer { return nil }

func hasLeaps() bool { return false }

func leapVector(*leap) {}

func seriesVector(*seriesLeap) (any uint32) { return 0 }

func feeds(places []uint32, j int, feed uint32, start, first []uint32, most int) int {
	return feedsGeneric(places, j, feed, start, first, most)
}

func (b *abreast) recallStrays(number, paths uint32) { b.recallGeneric(number, paths) }

func (b *abreast) strayed(i uint8) { b.straysGeneric(i) }

func hasWalkers() bool { return false }

func (b *abreast) letGo(i uint8, hop uint32) { b.letGoGeneric(i, hop) }

func (b *abreast) numberLeft(hop int) int { return b.numberLeftGeneric(hop) }

func (b *abreast) toLineEnd(less uint32) { b.toLineEndGeneric(less) }

func (b *abreast) take(longest uint32, class uint8) (took int) { return b.takeGeneric(longest, class) }
