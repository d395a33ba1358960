package infer

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file is about logs of no format that has a name: a time begins each record, and a word that says
// how grave it is, a level, may stand at one place in all of them.
//
//	2024-01-01 10:00:00 [main] INFO: started     time, source, level, message
//	[10:00:01] warn - slow                       time, level, message
//	INFO  [2024-01-01 10:00:00,123] main: x      level, time, message

// Log is the template of such a log.
type Log struct {
	Base string // the built-in format that reads the times; "" if it is a clock of these
	Read int64  // records of the sample
	// Demanding: every record has to have what stands before the level, or behind it, and the sample is not all
	// of them. Where one lacks it, Plain is the log.
	Demanding bool
	// Nanoseconds: a time of the sample has more digits than microseconds do.
	Nanoseconds bool
	// Offset: its times have their offset from UTC, behind a blank or none, or are in UTC or GMT, which stands behind a blank.
	// SomeOffsets: some have, and it is a column of its own.
	Offset, SomeOffsets bool

	template, time, level string
	plain                 string // the template without a level
	guess                 bool   // that days stand before months

	lead   lead   // what stands before the times
	bare   bool   // a line goes on with a record, and no blank begins it
	clock  *clock // nil where a built-in format reads the times
	zone   *zone  // nil if no time has one
	stamps []*stamp
	nlines int
	all    bool // there are no other records
}

var beyondMicroseconds = lazily(`[.,]\d{7}`)

// leastRecords show a log, and so many hundredths of them a level, which may be missing in others.
const (
	leastRecords = 2
	mostLevels   = 60
)

// ClockedLog is the log that a sample is whose records begin with a time that no built-in format has there;
// nil if it is none. all: there is nothing else to be read.
func ClockedLog(sample []byte, whole, all bool) *Log {
	if !whole {
		sample = sample[:bytes.LastIndexByte(sample, '\n')+1]
	}
	sample = dfa.WithoutMark(sample)
	first, _, _ := bytes.Cut(sample, []byte{'\n'})
	before, _, first := leadOf(first)
	i := slices.IndexFunc(clocks(), func(c *clock) bool { return c.begins(first) })
	if i < 0 {
		return nil
	}
	c := clocks()[i]
	var stamps []*stamp
	nlines, words, bare := 0, map[string]bool{}, false
	for line := range bytes.Lines(sample) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			continue
		}
		nlines++
		own, word, behind := leadOf(line)
		s := c.stamp(behind)
		if own != before || s == nil {
			bare = bare || line[0] != ' ' && line[0] != '\t'
			if own == (lead{}) && before != own {
				if at := leadForm().FindSubmatchIndex(line); at != nil && c.stamp(line[at[11]:]) != nil {
					return nil // a word that is no level stands before a time
				}
			}
			continue
		}
		stamps = append(stamps, s)
		words[caseOf(word)] = true
	}
	l := &Log{clock: c, lead: before, bare: bare, stamps: stamps, nlines: nlines, all: all}
	if before != (lead{}) {
		l.level = levelsIn(words)
	}
	if z := zoneOfSome(stamps); z != nil {
		if l := l.with(z, true); l != nil {
			return l
		}
	}
	return l.with(stamps[0].zone, false)
}

// with is the log of the same lines whose times have a zone, or none, or some of which have one; nil if it is none.
func (from *Log) with(z *zone, some bool) *Log {
	c := from.clock
	l := &Log{clock: c, lead: from.lead, bare: from.bare, zone: z, Offset: z != nil && !some, SomeOffsets: some, stamps: from.stamps, nlines: from.nlines, all: from.all}
	var own []*stamp
	var messages []string
	for _, s := range l.stamps {
		message := s.message
		switch {
		case some, s.zone == z:
		case z == nil && !c.enclosed() && s.zone.apart:
			message = s.behind
		default:
			continue // it begins with another time
		}
		if halfDay.Match([]byte(message)) {
			return nil // the time is another one
		}
		own, messages = append(own, s), append(messages, message)
		l.Nanoseconds = l.Nanoseconds || beyondMicroseconds.Match([]byte(s.time))
	}
	if l.Read = int64(len(messages)); l.Read < leastRecords || 2*l.Read < int64(l.nlines) || !slices.ContainsFunc(messages, func(m string) bool { return m != "" }) {
		return nil
	}
	if l.time, l.guess = dayOf(c.typ, own); l.time == "" {
		return nil
	}
	if l.Offset {
		l.time = followed(l.time, z.layout)
	}
	if c.colon { // which an offset may hold, too, so that it is none of the template's
		if some {
			return nil
		}
		l.time = followed(l.time, ":")
	}
	l.template = l.lead.template() + c.start(l.hole())
	bare := l.template
	if !c.tight {
		l.template += "{ }"
		if bare += " "; some || !slices.ContainsFunc(messages, func(m string) bool { return m != "" && m[0] != ' ' }) {
			bare = l.template // all have more blanks
		}
	}
	if l.lead != (lead{}) {
		l.template, l.plain, l.level = bare+"{message...}", bare+"{message...}", from.level
	} else {
		l.find(messages, bare, l.all)
	}
	if some && !c.enclosed() && z.apart && !l.Levelled() {
		return nil // it might as well be a number of the message
	}
	return l
}

// Torn reports whether fields of a sample whose records begin as those of the log, and which a separator divides, have
// parts of the times, or of messages with their time.
func (l *Log) Torn(separator byte) bool {
	if separator == ' ' {
		return l.clock.oneValue && strings.Contains(strings.TrimSpace(l.stamps[0].time), " ")
	}
	message := strings.TrimLeft(l.stamps[0].message, " ")
	return message != "" && message[0] != separator
}

// WithSomeOffsets is a log whose times have an offset from UTC, as one of which not all have; nil if nothing shows that
// what stands behind the times is one.
func (l *Log) WithSomeOffsets() *Log {
	some := l.with(l.zone, true)
	if some != nil && !l.guess {
		some = some.Settled(!strings.Contains(l.time, monthFirst))
	}
	return some
}

// LevelledLog is the log that a sample is of which a built-in format reads a time and a message, if there is
// a level in it; else nil. all: there is nothing else to be read.
func LevelledLog(ctx context.Context, base string, sample []byte, all bool, opts ...runtime.Option) *Log {
	p, err := formats.Program(base)
	if err != nil || len(p.Columns) != 2 || p.Columns[0].Name != "time" || p.Columns[1].Name != "message" {
		return nil
	}
	r, err := runtime.ReadBytes(sample, p, append(slices.Clip(opts), runtime.WithContext(ctx), runtime.WithErrorMode(dfa.Reject), runtime.WithColumns("message"))...)
	if err != nil {
		return nil
	}
	defer r.Release()
	var messages []string
	for r.Next() {
		text, ok := r.Record().Column(0).(*array.String)
		for i := 0; ok && i < text.Len(); i++ {
			message, _, _ := strings.Cut(text.Value(i), "\n")
			messages = append(messages, strings.TrimRight(strings.Clone(message), "\r"))
		}
	}
	l := &Log{Base: base, Read: int64(len(messages)), template: "{time}{ }"}
	if r.Err() != nil || !l.find(messages, l.template, all) {
		return nil
	}
	return l
}

var (
	halfDay    = lazily(`^(?i:[ap]m)(?: |$)`)
	levelToken = lazily(`^([\[(<{]?|level=|severity=)([A-Za-z]+)([\])>}]?[:,]?)$`)
	aSign      = lazily(`^[-|:]$`)
)

// levels are the words for them.
var levels = strings.Fields("trace verbose debug fine info information notice config warn warning err error severe crit critical alert fatal emerg emergency panic")

// tokensBefore are those that may stand before a level.
const tokensBefore = 3

// find looks for a level in messages, and ends the template with it, or bare with the message alone: blanks before it are
// its own then, but for one. Behind where a record comes from there has to be a level, and behind a level a sign: all says
// that there are no other records.
func (l *Log) find(messages []string, bare string, all bool) bool {
	type place struct{ at, open, close, next string }
	count := map[place]int{}
	cases := map[string]bool{}
	var best place
	for _, m := range messages {
		tokens := strings.Fields(m)
		for i, token := range tokens[:min(len(tokens), tokensBefore+1)] {
			parts := levelToken().FindStringSubmatch(token)
			if parts == nil || !slices.Contains(levels, strings.ToLower(parts[2])) {
				continue
			}
			p := place{open: parts[1], close: parts[3]}
			for _, before := range tokens[:i] {
				p.at += shapeOf(before)
			}
			if strings.Contains(p.at, "?") {
				break
			}
			if i+1 < len(tokens) && aSign().MatchString(tokens[i+1]) {
				p.next = tokens[i+1]
			}
			if count[p]++; count[p] > count[best] {
				best = p
			}
			cases[caseOf(parts[2])] = true
			break
		}
	}
	n, free := count[best], strings.Contains(best.at, "{}")
	l.plain = bare + "{message...}"
	if n < leastRecords || 100*n < mostLevels*len(messages) || free && n < len(messages) {
		l.template = l.plain
		return false
	}
	l.Demanding = (free || best.next != "") && !all
	before := strings.ReplaceAll(best.at, "{}", "{source}")
	if strings.Count(best.at, "{}") > 1 {
		for i := 1; strings.Contains(before, "{source}"); i++ {
			before = strings.Replace(before, "{source}", fmt.Sprintf("{source_%d}", i), 1)
		}
	}
	level := before + literal(best.open) + "{level}" + literal(best.close) + "{ }"
	if best.next != "" {
		level += best.next + "{ }"
	}
	if !free {
		level = "[" + level + "]" // a record that has none has a message alone
	}
	l.template += level + "{message...}"
	l.level = levelsIn(cases)
	return true
}

// levelsIn is the type of levels that are written in some cases.
func levelsIn(cases map[string]bool) string {
	var words []string
	for _, word := range levels {
		for _, as := range []struct{ is, word string }{{"upper", strings.ToUpper(word)}, {"lower", word}, {"title", strings.ToUpper(word[:1]) + word[1:]}} {
			if cases[as.is] {
				words = append(words, as.word)
			}
		}
	}
	return "enum(" + strings.Join(words, " ") + ")"
}

// lead is how a level stands before a time; none where all is empty.
type lead struct {
	open, close, colon string
	apart              bool // blanks follow
}

var leadForm = lazily(`^([\[(<]?)([A-Za-z]+)([\])>]?)(:?)( *)[\[\dA-Z]`)

// leadOf is how a level stands at the beginning of a line, that word, and what follows it: all of the line if there is none.
func leadOf(line []byte) (l lead, word string, behind []byte) {
	if len(line) == 0 || !isLetter(line[0]) && !bytes.ContainsRune([]byte("[(<"), rune(line[0])) {
		return lead{}, "", line
	}
	at := leadForm().FindSubmatchIndex(line)
	if at == nil {
		return lead{}, "", line
	}
	part := func(i int) string { return string(line[at[2*i]:at[2*i+1]]) }
	l = lead{open: part(1), close: part(3), colon: part(4), apart: part(5) != ""}
	if word = part(2); !slices.Contains(levels, strings.ToLower(word)) || l == (lead{}) || (l.open == "") != (l.close == "") {
		return lead{}, "", line
	}
	return l, word, line[at[11]:]
}

// template is that of the level with all up to the time.
func (l lead) template() string {
	if l == (lead{}) {
		return ""
	}
	template := literal(l.open) + "{level}" + literal(l.close) + l.colon
	if l.apart {
		template += "{ }"
	}
	return template
}

// shapeOf is the template of a token before a level: itself if it is a sign, else what is in its brackets.
func shapeOf(token string) string {
	n := len(token)
	switch {
	case aSign().MatchString(token):
		return token + "{ }"
	case n > 2 && token[0] == '[' && token[n-1] == ']' && strings.IndexByte(token[1:n-1], ']') < 0:
		return "{[}{}{]}{ }"
	case n > 2 && token[0] == '(' && token[n-1] == ')' && strings.IndexByte(token[1:n-1], ')') < 0:
		return "({}){ }"
	case strings.ContainsAny(token[:1], "[(<"):
		return "?" + token // no template has it
	}
	return "{}{ }"
}

func literal(text string) string {
	return strings.NewReplacer("[", "{[}", "]", "{]}", "{", "{{", "}", "}}").Replace(text)
}

func caseOf(word string) string {
	switch {
	case word == strings.ToUpper(word):
		return "upper"
	case word == strings.ToLower(word):
		return "lower"
	}
	return "title"
}

// builder is the format.
func (l *Log) builder(name string) *compile.FormatBuilder {
	b := compile.New(name)
	if l.Base != "" {
		b.Extends(l.Base)
	}
	if l.SomeOffsets && l.zone.typ == "" {
		b.Define(offsets)
	}
	b.Record(l.template)
	if l.Base == "" {
		typ := l.time
		if l.Nanoseconds {
			typ = strings.TrimSuffix(typ, ")") + ", unit ns)"
		}
		b.Field("time", typ)
	}
	if l.SomeOffsets && l.zone.typ != "" {
		b.Field("offset", l.zone.typ)
	}
	if l.level != "" {
		b.Field("level", l.level)
	}
	switch {
	case l.Base != "":
	case l.lead != (lead{}) && l.bare:
		b.MultilineStart(literal(l.lead.open) + "{level}")
	case l.lead != (lead{}), // so that a word that is no level is none of the message before
		l.clock.width == 0: // which has no form that tells where a record begins
		b.MultilineContinue("\t", " ")
	default: // a time that goes on in another way than the others begins a record, which is rejected, and not lost in the one before
		b.MultilineStart(l.clock.open + fmt.Sprintf("{time:%d}", l.clock.width))
	}
	return b
}

// Guessed reports whether it is a guess that days stand before months.
func (l *Log) Guessed() bool { return l.guess }

// Settled is the log where that is known, of days before months or behind them.
func (l *Log) Settled(dayFirstIs bool) *Log {
	settled := *l
	settled.guess = false
	if !dayFirstIs {
		settled.time = strings.ReplaceAll(l.time, dayFirst, monthFirst)
	}
	return &settled
}

// Levelled reports whether there is a level.
func (l *Log) Levelled() bool { return l.level != "" }

// Build is the format; nil if it cannot be told.
func (l *Log) Build(ctx context.Context, name string) *compile.Spec {
	s, err := l.builder(name).Build(compile.WithContext(ctx), compile.WithResolver(formats.Resolve))
	if err != nil {
		return nil
	}
	return s
}

// Fit leaves the level out where a sample has records that cannot be read because of it, and reports whether
// there is such a format.
func (l *Log) Fit(ctx context.Context, sample []byte, opts ...runtime.Option) bool {
	n, ok := l.rejects(ctx, sample, opts)
	if ok && n == 0 || !l.Levelled() {
		return ok
	}
	without := l.Plain()
	if m, can := without.rejects(ctx, sample, opts); can && (m < n || !ok) {
		*l, ok = *without, true
	}
	return ok
}

// Holds reports whether all records of a sample can be read.
func (l *Log) Holds(ctx context.Context, sample []byte, opts ...runtime.Option) bool {
	n, ok := l.rejects(ctx, sample, opts)
	return ok && n == 0
}

// Plain is the log of a time and a message alone, with the level where that stands before the time.
func (l *Log) Plain() *Log {
	if l.lead != (lead{}) {
		return l
	}
	plain := *l
	plain.template, plain.level, plain.Demanding = l.plain, "", false
	return &plain
}

// rejects counts the records of a sample that cannot be read, if there is such a format.
func (l *Log) rejects(ctx context.Context, sample []byte, opts []runtime.Option) (n int64, ok bool) {
	s := l.Build(ctx, "log")
	if s == nil {
		return 0, false
	}
	r, err := runtime.ReadBytes(sample, s.Program, append(slices.Clip(opts), runtime.WithContext(ctx), runtime.WithErrorMode(dfa.Reject))...)
	if err != nil {
		return 0, false
	}
	defer r.Release()
	for r.Next() {
	}
	return r.Stats().Rejected, r.Err() == nil
}

// Source is the spec, with a test of the first lines.
func (l *Log) Source(name string, head []byte, p *dfa.Program, encoding string, opts ...runtime.Option) string {
	b := l.builder(name)
	if encoding != "" {
		b.Encoding(encoding)
	}
	if first := firstLines(head); len(first) > 0 && len(first) <= TestBytes {
		TestOf(b, p, first, opts...)
	}
	return b.Source()
}

// String says what it is.
func (l *Log) String() string {
	s := "a log of no known format: "
	if l.Base != "" {
		s = l.Base + ": "
	}
	if l.lead != (lead{}) {
		s += "a level, "
	}
	s += "a time, "
	if l.SomeOffsets {
		s += "in some an offset from UTC, "
	}
	if strings.Contains(l.template, "{source") {
		s += "where it comes from, "
	}
	if l.level != "" && l.lead == (lead{}) {
		s += "a level, "
	}
	s = strings.TrimSuffix(s, ", ") + " and a message"
	if l.guess {
		s += "; that days stand before months in its times is a guess"
	}
	return s
}
