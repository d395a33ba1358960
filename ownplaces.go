package dfaparse

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
)

// ownPlaces makes places in files of other encodings than UTF-8, which are read as UTF-8, those in
// their own bytes: of rejects, errors and counts.
type ownPlaces struct {
	mu      sync.Mutex
	of      input.OwnPlaces
	rejects []*Reject   // those of the Reader, as far as somebody has asked for them
	handled *ParseError // of the last reject that a handler was given, which may give it back
	err     *ParseError
	places  map[*runtime.Place]*runtime.Place // of counts
	closed  bool
}

// newOwnPlaces is for files of these paths, in an encoding that may be found out later.
func newOwnPlaces(ctx context.Context, paths []string, encoding func() string) *ownPlaces {
	open := func(name string) (*input.Input, error) {
		if name == "" || !slices.Contains(paths, name) {
			return nil, errors.New("it is no file of that name")
		}
		return input.Open(ctx, name, nil)
	}
	return &ownPlaces{of: input.OwnPlaces{Open: open, Encoding: encoding}}
}

// unlock ends the use of it; behind the end of the Reader no file stays open.
func (p *ownPlaces) unlock() {
	if p.closed {
		p.of.Close()
	}
	p.mu.Unlock()
}

// handle is a reject for a handler, its place in the file's own bytes.
func (p *ownPlaces) handle(r *Reject) *Reject {
	p.mu.Lock()
	defer p.unlock()
	own := p.reject(r)
	p.handled = &own.ParseError
	return own
}

func (p *ownPlaces) reject(r *Reject) *Reject {
	own := *r
	p.of.Place(r.File, r.Start, &own.Offset, &own.Column)
	return &own
}

// rejectsOf are all rejects, of which there are more each time.
func (p *ownPlaces) rejectsOf(all []*Reject) []*Reject {
	p.mu.Lock()
	defer p.unlock()
	for _, r := range all[len(p.rejects):] {
		p.rejects = append(p.rejects, p.reject(r))
	}
	return slices.Clip(p.rejects)
}

// error changes the place of an error, once.
func (p *ownPlaces) error(err error) error {
	p.mu.Lock()
	defer p.unlock()
	if parse := (*ParseError)(nil); errors.As(err, &parse) && parse != p.err && parse != p.handled {
		p.err = parse
		p.of.Place(parse.File, parse.Offset, &parse.Offset, &parse.Column)
	}
	return err
}

// place is a place of the counts.
func (p *ownPlaces) place(at *runtime.Place) *runtime.Place {
	if at == nil {
		return nil
	}
	p.mu.Lock()
	defer p.unlock()
	own := p.places[at]
	if own == nil {
		if p.places == nil {
			p.places = map[*runtime.Place]*runtime.Place{}
		}
		own = new(runtime.Place)
		*own = *at
		p.of.Place(at.File, at.Offset, &own.Offset, &own.Column)
		p.places[at] = own
	}
	return own
}

func (p *ownPlaces) close() {
	p.mu.Lock()
	defer p.unlock()
	p.closed = true
}
