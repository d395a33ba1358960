// Command asm generates the assembly of package cpu: run `make generate`.
// It is a module of its own, so that avo is nobody's dependency.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	markers()
	lookUp()
	finders()
	emits()
	alike()
	scatter()
	evens()
	missing()
	undouble()
	leaveOut()
	separate(true)
	separate(false)
	places()
	placesBySlots()
	placesOf()
	emitOf()
	hops()
	leaps()
	serieses()
	seriesBySixteen()
	feeds()
	walkers()
	sifts()
	lanes()
	gaps()
	packs()
	Generate()
}
