package main

import (
	"errors"
	"strconv"
	"strings"
)

// budget is a flag of how many rejects there may be: 100, or 0.5%, a share of the
// records.
type budget struct {
	n       int64 // -1: any number
	share   float64
	isShare bool
}

var anyNumber = budget{n: -1}

func (b *budget) Set(text string) error {
	percent, isShare := strings.CutSuffix(text, "%")
	if isShare {
		v, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		if err != nil || !(v >= 0 && v <= 100) {
			return errors.New("want a share from 0% to 100%")
		}
		*b = budget{share: v / 100, isShare: true}
		return nil
	}
	v, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return errors.New("want a whole number, 0 or more, or a share like 1%")
	}
	*b = budget{n: int64(v)}
	return nil
}

func (b *budget) Type() string { return "number" }

// String is "" for the default, any number.
func (b *budget) String() string {
	switch {
	case b.isShare:
		return strconv.FormatFloat(100*b.share, 'g', -1, 64) + "%"
	case b.n < 0:
		return ""
	}
	return strconv.FormatInt(b.n, 10)
}
