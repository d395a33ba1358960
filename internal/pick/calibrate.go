package pick

import (
	"fmt"
	"slices"
	"time"
)

// Run reads a generated file of a class of so many bytes by an engine and cores, as a
// user would, and gives the time of all of it.
type Run func(engine string, c Class, nbytes int64, cores int) (time.Duration, error)

// Sizes of the files that are read: the difference of their times is the rate, what is
// left of the time of the small one is the start. A device is up to speed within the
// first of them.
const (
	smallSample = 1_000_000_000
	largeSample = 3_000_000_000
)

// Calibrate fits a model to this machine: each engine reads files of each class of two
// sizes, with one core and with all, repeat times. Medians count. Before, it reads the small one once, which does
// not count: a driver may have kernels to compile and to keep, and files and programs are not in memory yet. Of the
// engines "gpu" may be missing.
func Calibrate(cores int, engines []string, repeat int, run Run) (*Model, error) {
	m := &Model{Cores: cores}
	for _, name := range engines {
		e := Engine{Rates: map[Class]Rates{}}
		var starts [2][]float64
		for _, c := range Classes() {
			if _, err := run(name, c, smallSample, cores); err != nil {
				return nil, err
			}
			var rates [2]float64
			for i, n := range []int{1, cores} {
				if i == 1 && cores == 1 {
					rates[1], starts[1] = rates[0], starts[0]
					break
				}
				small, err := median(repeat, func() (time.Duration, error) { return run(name, c, smallSample, n) })
				if err != nil {
					return nil, err
				}
				large, err := median(repeat, func() (time.Duration, error) { return run(name, c, largeSample, n) })
				if err != nil {
					return nil, err
				}
				if large <= small {
					return nil, fmt.Errorf("engine %s took %v for %d bytes of %s and %v for %d: something else keeps this machine busy", name, small, smallSample, c, large, largeSample)
				}
				rates[i] = float64(largeSample-smallSample) / 1e9 / (large - small).Seconds()
				starts[i] = append(starts[i], max(0, small.Seconds()-float64(smallSample)/1e9/rates[i]))
			}
			// More cores are not slower: what looks so is chance.
			e.Rates[c] = Rates{rates[0], max(rates[0], rates[1])}
		}
		for i, start := range []*float64{&e.Start.One, &e.Start.All} {
			slices.Sort(starts[i])
			*start = starts[i][len(starts[i])/2]
		}
		switch name {
		case "cpu":
			m.CPU = e
		case "gpu":
			m.GPU, m.Device = e, deviceName()
		default:
			return nil, fmt.Errorf("no model has an engine %q", name)
		}
	}
	return m, nil
}

// median is that of the times of so many runs.
func median(repeat int, run func() (time.Duration, error)) (time.Duration, error) {
	var all []time.Duration
	for range repeat {
		d, err := run()
		if err != nil {
			return 0, err
		}
		all = append(all, d)
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}
