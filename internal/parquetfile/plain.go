package parquetfile

import "slices"

// frontRoom is room for the levels of a page, which are known after its values: as long as all
// values are there they take no more.
const frontRoom = 32

// plain is the values of a page, PLAIN. Its memory becomes the page, without a copy.
type plain struct {
	press  *press
	memory []byte // the values behind frontRoom; nil if there are none
	last   int    // len(memory) of the page before
}

// room is memory to which values are appended.
func (p *plain) room() []byte {
	if p.memory == nil {
		p.memory = p.press.spare(max(p.last, frontRoom))[:frontRoom]
	}
	return p.memory
}

func (p *plain) size() int { return max(len(p.memory)-frontRoom, 0) }

// flush gives the page of levels and values, and begins anew.
func (p *plain) flush(levels []byte) raw {
	memory := p.room()
	p.memory, p.last = nil, min(len(memory), longPage)
	switch values := memory[frontRoom:]; {
	case len(levels) <= frontRoom:
		at := frontRoom - len(levels)
		copy(memory[at:], levels)
		return raw{memory[at:], memory}
	case len(values) >= longPage:
		return all(slices.Replace(memory, 0, frontRoom, levels...))
	default:
		page := append(append(p.press.buffer(len(levels)+len(values)), levels...), values...)
		p.press.keep(memory)
		return all(page)
	}
}

// raw is a page that is to be compressed, and the memory that it lies in.
type raw struct{ page, memory []byte }

func all(page []byte) raw { return raw{page, page} }
