package convert

import (
	"errors"

	"github.com/dfaparse/dfaparse/dfa"
)

// clockReader reads fields of a date, time or timestamp column.
type clockReader struct {
	*clock
	read   func(b []byte, m *moment) bool
	layout *layout // nil: the ISO form
	isDate bool    // a moment has a date
	// Of ISO time stamps: an offset must be there, so that the instant is known;
	// or none may be.
	must, without bool
	m             moment // of the field being read
}

// understand reads b into r.m.
func (r *clockReader) understand(b []byte) bool {
	r.m.clear()
	return r.read(b, &r.m)
}

func newClockReader(t *dfa.Type, opt Options, iso func([]byte, *moment) bool) (*clockReader, error) {
	c, err := newClock(t, opt)
	if err != nil {
		return nil, err
	}
	r := &clockReader{clock: c, read: iso, isDate: t.Kind != dfa.Time}
	if t.Layout == "" {
		if t.Kind == dfa.Timestamp {
			r.without, r.must = t.NoZone, !t.NoZone && t.Zone == ""
		}
		return r, nil
	}
	l, err := layoutOf(t)
	if err != nil {
		return nil, err
	}
	if r.layout, r.read = l, l.parse; opt.Plain {
		r.read = func(b []byte, m *moment) bool {
			nops, rest := l.read(b, m)
			return nops == len(l.ops) && len(rest) == 0
		}
	}
	switch {
	case t.Kind == dfa.Time && !l.hasAny("HIs"):
		return nil, errors.New("the layout has no hour")
	case t.Kind == dfa.Time && l.has['s']:
		return nil, errors.New("%s is no time of day")
	case t.Kind != dfa.Time && !l.hasAny("Yymbdejs"):
		return nil, errors.New("the layout has no date")
	case t.Kind != dfa.Time && !l.hasAny("Yys") && t.Year == 0 && opt.BaseTime.IsZero():
		return nil, errors.New("the layout has no year, and there is none to complete it with")
	case t.NoZone && (t.Zone != "" || l.hasAny("zZs")):
		return nil, errors.New("the time stamps have a zone, and are to have none")
	case l.has['I'] != l.has['p']:
		return nil, errors.New("%I and %p go together")
	}
	if t.Year < 0 || t.Year > 9999 {
		return nil, errors.New("the year is not one of 1 to 9999")
	}
	return r, nil
}

func newDate(t *dfa.Type, opt Options) (appender, error) {
	if len(t.Or) > 0 {
		return firstForm[int32](t, opt, BadDate, newDate)
	}
	r, err := newClockReader(t, opt, isoDate)
	if err != nil {
		return nil, err
	}
	p := &fixed[int32]{parse: func(b []byte) (int32, Code) {
		if !r.understand(b) {
			return 0, BadDate
		}
		return r.date(&r.m)
	}}
	if r.layout == nil || r.layout.canonical == isoDayLayout {
		p.run = runDates
		p.vectors.kernel = isoDateKernel()
	} else {
		placed := newPlacedDate(r.layout)
		if p.vectors = placed.vectors(); r.layout.canonical == bareDayLayout {
			p.run = runBareDates
		} else {
			p.run = runPlaced(placed, newStrides(r))
			p.vectors.shorter(r.layout)
		}
	}
	return p, nil
}

func newTime(t *dfa.Type, opt Options) (appender, error) {
	switch {
	case len(t.Or) > 0 && ByteWidth(t) == 4:
		return firstForm[int32](t, opt, BadTime, newTime)
	case len(t.Or) > 0:
		return firstForm[int64](t, opt, BadTime, newTime)
	}
	r, err := newClockReader(t, opt, isoTime)
	if err != nil {
		return nil, err
	}
	parse := func(b []byte) (int64, Code) {
		if !r.understand(b) {
			return 0, BadTime
		}
		return r.timeOfDay(&r.m)
	}
	easy := r.layout == nil || r.layout.canonical == isoTimeLayout
	f := newFrames(r)
	if ByteWidth(t) == 4 {
		p := &fixed[int32]{frames: f, parse: func(b []byte) (int32, Code) {
			v, code := parse(b)
			return int32(v), code // below 86,400,000
		}}
		if easy {
			p.run = func(out []int32, f *Fields, i int) int { return runTimes(out, f, i, int32(r.perSecond)) }
			p.vectors = vectors{kernel: timeKernel(4), params: params{timePerSecond: uint64(r.perSecond)}}
		} else {
			p.run = runEither[int32](f, newStrides(r))
		}
		if !easy && f != nil {
			p.vectors = f.vectors(4)
		}
		return p, nil
	}
	p := &fixed[int64]{frames: f, parse: parse}
	if easy {
		p.run = func(out []int64, f *Fields, i int) int { return runTimes(out, f, i, r.perSecond) }
		p.vectors = vectors{kernel: timeKernel(8), params: params{timePerSecond: uint64(r.perSecond)}}
	} else {
		p.run = runEither[int64](f, newStrides(r))
	}
	if !easy && f != nil {
		p.vectors = f.vectors(8)
	}
	return p, nil
}

func newTimestamp(t *dfa.Type, opt Options) (appender, error) {
	if forms := t.Forms(); len(forms) > 1 {
		for i := range forms {
			if arrowZone(&forms[i]) != arrowZone(&forms[0]) {
				return nil, errors.New("some of the layouts say which instant a time is, and others do not, and there is no zone for these")
			}
		}
		return firstForm[int64](t, opt, BadTimestamp, newTimestamp)
	}
	if t.Epoch {
		return newEpoch(t)
	}
	r, err := newClockReader(t, opt, isoTimestamp)
	if err != nil {
		return nil, err
	}
	p := &fixed[int64]{frames: newFrames(r), parse: func(b []byte) (int64, Code) {
		switch {
		case !r.understand(b), r.without && r.m.hasOffset:
			return 0, BadTimestamp
		case r.must && !r.m.hasOffset:
			return 0, NoOffset
		}
		return r.timestamp(&r.m)
	}}
	fast := r.fastClock()
	if fast != nil {
		p.run, p.vectors = fast.run, fast.vectors
	}
	// What has kernels of its own, on this machine or not, is quick by itself.
	if f := p.frames; fast == nil {
		p.run = runEither[int64](f, newStrides(r))
		if f != nil {
			p.vectors = f.vectors(8)
		}
	} else if f != nil && p.vectors.prepare == nil {
		p.vectors = f.vectors(8)
		p.run = func(out []int64, fields *Fields, i int) int {
			for {
				if i = runFrames(f, out, fields, i); i == fields.Len() {
					return i
				}
				j := fast.run(out, fields, i)
				if j == i || j == fields.Len() {
					return j
				}
				i = j
			}
		}
	}
	if p.frames != nil {
		p.frames.addDates(&p.vectors)
	}
	p.plainly = true // no kernel takes a leap second
	return p, nil
}
