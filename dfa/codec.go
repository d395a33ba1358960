package dfa

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// codec goes through a Definition once, to write it or to read it, so that the
// two cannot disagree. Reading stops at the first fault; what is read after
// that is zero and of no length. Writing leaves the Definition untouched.
type codec struct {
	encoding bool
	b        []byte
	pos      int // reading: offset in b
	err      error
	path     []place // where in the Definition
}

// place is a part of a Definition: name, or element i of the list name.
type place struct {
	name string
	i    int
}

func (c *codec) enter(name string, i int) { c.path = append(c.path, place{name, i}) }
func (c *codec) leave()                   { c.path = c.path[:len(c.path)-1] }

// fail records the first fault, with its place.
func (c *codec) fail(format string, args ...any) {
	if c.err != nil {
		return
	}
	var at []string
	for _, p := range c.path {
		if p.i >= 0 {
			at = append(at, fmt.Sprintf("%s %d", p.name, p.i))
		} else {
			at = append(at, p.name)
		}
	}
	at = append(at, fmt.Sprintf(format, args...))
	c.err = fmt.Errorf("compiled program: offset %d: %s", c.pos, strings.Join(at, ": "))
}

func (c *codec) left() int { return len(c.b) - c.pos }

// raw reads the next varint.
func (c *codec) raw(what string) uint64 {
	if c.err != nil {
		return 0
	}
	v, n := binary.Uvarint(c.b[c.pos:])
	switch {
	case n == 0:
		c.fail("%s: cut off", what)
		return 0
	case n < 0:
		c.fail("%s: a number of more than 64 bits", what)
		return 0
	}
	c.pos += n
	return v
}

// number is a number that is not negative.
func number[T ~int | ~uint8 | ~uint16](c *codec, what string, v *T) {
	if c.encoding {
		c.b = binary.AppendUvarint(c.b, uint64(*v))
		return
	}
	u := c.raw(what)
	*v = T(u)
	if uint64(*v) != u || *v < 0 {
		*v = 0
		c.fail("%s: %d is out of range", what, u)
	}
}

// signed is any int.
func (c *codec) signed(what string, v *int) {
	if c.encoding {
		c.b = binary.AppendVarint(c.b, int64(*v))
		return
	}
	u := c.raw(what)
	*v = int(int64(u>>1) ^ -int64(u&1))
}

func (c *codec) flag(what string, v *bool) {
	if c.encoding {
		c.b = append(c.b, 0)
		if *v {
			c.b[len(c.b)-1] = 1
		}
		return
	}
	u := c.raw(what)
	if u > 1 {
		c.fail("%s: %d is neither 0 nor 1", what, u)
	}
	*v = u == 1
}

// count is the length of a list whose elements take at least size bytes each.
func (c *codec) count(what string, n, size int) int {
	number(c, what, &n)
	if !c.encoding && n > c.left()/size {
		c.fail("%s: %d of them in %d bytes", what, n, c.left())
		return 0
	}
	return n
}

func (c *codec) text(what string, s *string) {
	n := c.count(what, len(*s), 1)
	if c.encoding {
		c.b = append(c.b, *s...)
		return
	}
	*s = string(c.b[c.pos : c.pos+n])
	c.pos += n
}

func (c *codec) texts(what string, v *[]string) {
	list(c, what, v, 1, func(s *string) { c.text(what, s) })
}

// list is a list whose elements take at least size bytes each. An empty one is
// read as nil.
func list[T any](c *codec, what string, v *[]T, size int, element func(*T)) {
	n := c.count(what, len(*v), size)
	if !c.encoding {
		*v = nil
	}
	for i := 0; i < n && c.err == nil; i++ {
		if !c.encoding {
			var zero T
			*v = append(*v, zero)
		}
		c.enter(what, i)
		element(&(*v)[i])
		c.leave()
	}
}

// pointer is something that need not be there.
func pointer[T any](c *codec, what string, v **T, pointee func(*T)) {
	there := *v != nil
	c.flag(what, &there)
	if !there || c.err != nil {
		return
	}
	if !c.encoding {
		*v = new(T)
	}
	c.enter(what, -1)
	pointee(*v)
	c.leave()
}
