package main

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// size is a flag of bytes: 4096, 64KiB, 1.5GB, 10M. K, M, G and T alone, and
// with iB, are powers of 1024; with B they are powers of 1000.
type size int64

var sizeUnits = []struct {
	suffix string
	bytes  int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40},
	{"b", 1}, {"", 1},
}

func (s *size) Set(text string) error {
	lower := strings.ToLower(strings.TrimSpace(text))
	for _, u := range sizeUnits {
		number, ok := strings.CutSuffix(lower, u.suffix)
		if !ok {
			continue
		}
		v, ok := new(big.Rat).SetString(strings.TrimSpace(number))
		if !ok || strings.ContainsAny(number, "/e_xpb") {
			break
		}
		v.Mul(v, new(big.Rat).SetInt64(u.bytes))
		if v.Sign() < 0 || v.Cmp(new(big.Rat).SetInt64(math.MaxInt64)) > 0 {
			break
		}
		*s = size(new(big.Int).Quo(v.Num(), v.Denom()).Int64())
		return nil
	}
	return fmt.Errorf("%q is no size; write 4096, 64KiB, 10MB or 1GiB", text)
}

func (s *size) Type() string { return "size" }

// String is the size in the largest unit that divides it.
func (s *size) String() string {
	for i := 3; i >= 0; i-- {
		if u := sizeUnits[i]; *s > 0 && int64(*s)%u.bytes == 0 {
			return strconv.FormatInt(int64(*s)/u.bytes, 10) + []string{"KiB", "MiB", "GiB", "TiB"}[i]
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}
