package convert

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
)

type remapping struct{ of *Column }

func pending(*dfa.Type, Options) (appender, error) { return nil, errors.New("not yet") }

var newBool, newDecimal, newDate, newTime, newTimestamp, newDuration, newBinary, newEnum, newDictionary, newIP, newUUID, newList, newMap = pending, pending, pending, pending, pending, pending, pending, pending, pending, pending, pending, pending, pending
var expectedBool, expectedInteger, expectedFloat, expectedDecimal, expectedClock, expectedDuration, expectedBinary, expectedEnum, expectedList, expectedMap = words(""), words(""), words(""), words(""), words(""), words(""), words(""), words(""), words(""), words("")

func layoutHasOffset(string) bool { return false }

var _ arrow.DataType

type Splitter struct{}

func NewSplitter(s *dfa.Split) *Splitter                            { return &Splitter{} }
func (s *Splitter) Split(f *Fields, parts []Fields) (misfits []int) { return nil }
func (c *Column) AppendRows(src *Column, from, to int)              {}
func (c Code) Expected(t *dfa.Type) string                          { return table[t.Kind].expected(t) }
