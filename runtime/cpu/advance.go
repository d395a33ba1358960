package cpu

import "unsafe"

// advance takes the records of those abreast over a hop: all of them over its run, then
// over the symbols behind it, and then what it does is done. So each of these loops has
// what it needs in registers. What a hop of a template does most is one loop.
func (k *hopper) advance(w *worker, data []byte, h *hop, number int, lead bool, passed uint32) {
	b, src, delta := k.abreast, unsafe.Pointer(&data[k.from]), uint32(k.from-w.base)
	ends := h.does&^jumps == stores|bare|begins // a field that goes up to the boundary, and the next begins
	if ends && h.symbols == 1 && h.run == runNear {
		b.overField(unsafe.Pointer(&k.places[passed]), h, uint32(number), lead, w.nrows, delta)
		return
	}
	if ends && h.digits == 0 && h.run == runNear {
		b.overLiteral(unsafe.Pointer(&k.places[passed]), src, h, uint32(number), lead, w.nrows, delta)
		return
	}
	if h.run == runNone && h.does&^jumps == 0 && !lead {
		k.overText(src, h, uint32(number))
		return
	}
	if h.run == runNear {
		b.overPlaces(unsafe.Pointer(&k.places[passed]), h, uint32(number), lead)
	} else {
		k.overSymbols(src, h, uint32(number), lead)
	}
	if h.symbols > 1 {
		b.compare(src, h, uint32(number))
	}
	if ends {
		b.arrive(h, w.nrows, delta)
	} else {
		b.arriveAnyhow(h, 0, b.n, w.nrows, delta, k.back(h))
	}
}

// back is how far before the end of a hop that ends a record the next one begins.
func (k *hopper) back(h *hop) uint32 {
	if h.does&endsRecord == 0 {
		return 0
	}
	return uint32(k.lasts[h.last].back)
}

// endOfRun is the place at which a run ends that begins at at, from place j on, and its number.
func endOfRun(places unsafe.Pointer, j, at uint32, stay uint64) (e, _ uint32) {
	e = *(*uint32)(unsafe.Add(places, uintptr(j)*4))
	for e&placeOffset < at {
		j++
		e = *(*uint32)(unsafe.Add(places, uintptr(j)*4))
	}
	for stay>>(e>>placeGroup&63)&1 != 0 {
		j++
		e = *(*uint32)(unsafe.Add(places, uintptr(j)*4))
	}
	return e, j
}

// overPlaces finds where runs end that end at places.
func (b *abreast) overPlaces(places unsafe.Pointer, h *hop, number uint32, lead bool) {
	stay, accept := h.stay, h.accept
	for r := range b.n {
		if b.left[r] != onWay {
			continue
		}
		at := b.at[r]
		e, j := endOfRun(places, b.place[r], at, stay)
		p := e & placeOffset
		if accept>>(e>>placeGroup&63)&1 == 0 || lead && p == at {
			b.left[r] = number
			continue
		}
		b.reached[r], b.found[r] = p, j
	}
}

// overField is overPlaces, and arrive, for most hops: a field goes up to the symbol behind the
// run, and the next begins.
func (b *abreast) overField(places unsafe.Pointer, h *hop, number uint32, lead bool, first int, delta uint32) {
	stay, accept := h.stay, h.accept
	start, end := h.start, h.end
	toEnd, toValue := delta+1-h.back, 1-h.valueBack
	for r := range b.n {
		if b.left[r] != onWay {
			continue
		}
		at := b.at[r]
		e, j := endOfRun(places, b.place[r], at, stay)
		p := e & placeOffset
		if accept>>(e>>placeGroup&63)&1 == 0 || lead && p == at {
			b.left[r] = number
			continue
		}
		row := (uintptr(first) + uintptr(b.record[r])) * 4
		*(*uint32)(unsafe.Add(start, row)) = b.value[r] + delta
		*(*uint32)(unsafe.Add(end, row)) = p + toEnd
		b.at[r], b.place[r], b.value[r] = p+1, j, p+toValue
	}
}

// overLiteral is overField for a field that goes up to a literal of several symbols.
func (b *abreast) overLiteral(places, src unsafe.Pointer, h *hop, number uint32, lead bool, first int, delta uint32) {
	stay, accept, same, mask := h.stay, h.accept, h.same, h.mask
	start, end := h.start, h.end
	symbols, toEnd, toValue := h.symbols, delta+h.symbols-h.back, h.symbols-h.valueBack
	for r := range b.n {
		if b.left[r] != onWay {
			continue
		}
		at := b.at[r]
		e, j := endOfRun(places, b.place[r], at, stay)
		p := e & placeOffset
		if accept>>(e>>placeGroup&63)&1 == 0 || lead && p == at || (*(*uint64)(unsafe.Add(src, p+1))^same)&mask != 0 {
			b.left[r] = number
			continue
		}
		row := (uintptr(first) + uintptr(b.record[r])) * 4
		*(*uint32)(unsafe.Add(start, row)) = b.value[r] + delta
		*(*uint32)(unsafe.Add(end, row)) = p + toEnd
		b.at[r], b.place[r], b.value[r] = p+symbols, j, p+toValue
	}
}

// overSymbols finds where runs end that are gone over symbol by symbol, if there are any.
func (k *hopper) overSymbols(src unsafe.Pointer, h *hop, number uint32, lead bool) {
	b, group, end := k.abreast, &k.group, uint32(k.to-k.from)
	stay, accept := h.stay, h.accept
	if h.run != runBytes {
		stay = 0
	}
	for r := range b.n {
		if b.left[r] != onWay {
			continue
		}
		at := b.at[r]
		p, g := at, uint8(noGroup)
		for p < end {
			if g = group[*(*byte)(unsafe.Add(src, p))]; stay>>(g&63)&1 == 0 {
				break
			}
			p, g = p+1, noGroup
		}
		if accept>>(g&63)&1 == 0 || lead && p == at {
			b.left[r] = number
			continue
		}
		b.reached[r], b.found[r] = p, b.place[r]
	}
}

// overText is overSymbols, compare and arrive for hops without a run at which nothing is noted, as within a
// date.
func (k *hopper) overText(src unsafe.Pointer, h *hop, number uint32) {
	b, group, end := k.abreast, &k.group, uint32(k.to-k.from)
	accept, symbols, t := h.accept, h.symbols, comparison{h.same, h.mask, h.digits}
	for r := range b.n {
		if b.left[r] != onWay {
			continue
		}
		at := b.at[r]
		g := uint8(noGroup)
		if at < end {
			g = group[*(*byte)(unsafe.Add(src, at))]
		}
		if accept>>(g&63)&1 == 0 || !t.fits(*(*uint64)(unsafe.Add(src, at+1))) {
			b.left[r] = number
			continue
		}
		b.at[r] = at + symbols
	}
}

// compare looks at the symbols that follow the first behind the runs.
func (b *abreast) compare(src unsafe.Pointer, h *hop, number uint32) {
	t := comparison{h.same, h.mask, h.digits}
	for r := range b.n {
		if b.left[r] == onWay && !t.fits(*(*uint64)(unsafe.Add(src, b.reached[r]+1))) {
			b.left[r] = number
		}
	}
}

// arrive is arriveAnyhow for what most hops do: a field ends that goes up to the boundary,
// and the next begins.
func (b *abreast) arrive(h *hop, first int, delta uint32) {
	start, end := h.start, h.end
	symbols, valueBack, toEnd := h.symbols, h.valueBack, delta-h.back
	for r := range b.n {
		if b.left[r] != onWay {
			continue
		}
		next, row := b.reached[r]+symbols, (uintptr(first)+uintptr(b.record[r]))*4
		*(*uint32)(unsafe.Add(start, row)) = b.value[r] + delta
		*(*uint32)(unsafe.Add(end, row)) = next + toEnd
		b.at[r], b.place[r], b.value[r] = next, b.found[r], next-valueBack
	}
}

// arriveAnyhow does what a hop does at its end, with the records from one number up to another.
func (b *abreast) arriveAnyhow(h *hop, from, to, first int, delta, lastBack uint32) {
	start, end := h.start, h.end
	does, symbols, back, endBack, valueBack := h.does, h.symbols, h.back, h.endBack, h.valueBack
	for r := from; r < to; r++ {
		if b.left[r] != onWay {
			continue
		}
		next := b.reached[r] + symbols
		if does&endsBeforeRun != 0 {
			b.ended[r] = b.at[r]
		}
		b.at[r], b.place[r] = next, b.found[r]
		if does&endsData != 0 {
			b.ended[r] = next - endBack
		}
		if does&stores != 0 {
			to := next - back
			if does&bare == 0 {
				to = min(to, b.ended[r])
			}
			from := min(b.value[r], to)
			if does&empty != 0 {
				from = to
			}
			row := (uintptr(first) + uintptr(b.record[r])) * 4
			*(*uint32)(unsafe.Add(start, row)) = from + delta
			*(*uint32)(unsafe.Add(end, row)) = to + delta
		}
		if does&begins != 0 {
			b.value[r] = next - valueBack
		}
		if does&endsRecord != 0 {
			b.ended[r] = next - back
			b.at[r] = next - lastBack
		}
	}
}
