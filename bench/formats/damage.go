package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// damage is what is wrong with a line of a stranger's file.
type damage struct {
	name string
	to   func(line []byte, r *rand.Rand) []byte // without its line end
}

var damages = []damage{
	{"random", func(line []byte, r *rand.Rand) []byte {
		for i := range line {
			if line[i] = byte(r.IntN(256)); line[i] == '\n' {
				line[i] = 0
			}
		}
		return line
	}},
	{"utf8", func(line []byte, r *rand.Rand) []byte { return inserted(line, "\xc3", r) }},
	{"quote", func(line []byte, r *rand.Rand) []byte { return inserted(line, `"`, r) }},
	{"unquoted", func(line []byte, _ *rand.Rand) []byte {
		at := max(bytes.IndexByte(line, '"'), 0)
		return slices.Delete(line, at, at+1)
	}},
	{"unclosed", func(line []byte, _ *rand.Rand) []byte {
		at := max(bytes.LastIndexByte(line, '"'), 0)
		return slices.Delete(line, at, at+1)
	}},
	{"behind", func(line []byte, _ *rand.Rand) []byte {
		at := max(bytes.LastIndexByte(line, '"'), 0)
		return slices.Insert(line, at+1, 'x')
	}},
	{"nul", func(line []byte, r *rand.Rand) []byte { return inserted(line, "\x00", r) }},
	{"cr", func(line []byte, r *rand.Rand) []byte { return inserted(line, "\r", r) }},
	{"cut", func(line []byte, r *rand.Rand) []byte { return line[:len(line)*(1+r.IntN(3))/4] }},
	{"fewer", func(line []byte, r *rand.Rand) []byte {
		at := max(bytes.IndexAny(line, ",|;\t "), 0)
		return slices.Delete(line, at, at+1)
	}},
	{"twice", func(line []byte, _ *rand.Rand) []byte { return append(line, line...) }},
	{"letter", func(line []byte, r *rand.Rand) []byte {
		from := r.IntN(len(line))
		digit := bytes.IndexFunc(line[from:], unicode.IsDigit)
		if digit < 0 {
			digit, from = bytes.IndexFunc(line, unicode.IsDigit), 0
		}
		line[max(from+digit, 0)] = 'x'
		return line
	}},
	{"key", func(line []byte, _ *rand.Rand) []byte {
		for _, word := range slices.Backward(bytes.Fields(line)) {
			if bytes.ContainsRune(word, '=') && !bytes.ContainsAny(word, `"'`) {
				return append(append(line, ' '), word...)
			}
		}
		return line
	}},
	{"words", func(line []byte, _ *rand.Rand) []byte {
		return append(line, strings.Repeat(" and so on", 20_000/10)...)
	}},
	{"other", func([]byte, *rand.Rand) []byte {
		return []byte("-- and this is something else altogether: a line that somebody else has written")
	}},
	{"html", func([]byte, *rand.Rand) []byte {
		return []byte(`<p class="error">The server is <b>busy</b>, try again.</p>`)
	}},
	{"page", func([]byte, *rand.Rand) []byte { return []byte(page) }},
	{"empty", func([]byte, *rand.Rand) []byte { return nil }},
	{"one", func([]byte, *rand.Rand) []byte { return []byte("x") }},
}

// page is what a server says in place of a line.
const page = `<!DOCTYPE html>
<html><head><title>502 Bad Gateway</title></head>
<body bgcolor="white">
<center><h1>502 Bad Gateway</h1></center>
<hr><center>nginx/1.18.0</center>
</body>
</html>
`

func inserted(line []byte, text string, r *rand.Rand) []byte {
	return slices.Insert(line, r.IntN(len(line)+1), []byte(text)...)
}

// damaged is data of which so many of a hundred lines are damaged, but for the first ten, and how
// many that are. Blank lines and directives are left.
func (d *damage) damaged(data []byte, percent int) (out []byte, n int) {
	r := rand.New(rand.NewPCG(3, 4))
	every, i := 100/percent, 0
	for line := range bytes.Lines(data) {
		text := bytes.TrimRight(line, "\r\n")
		if i++; i < 10 || i%every != every/2 || len(text) == 0 || text[0] == '#' {
			out = append(out, line...)
			continue
		}
		n++
		end := line[len(text):]
		out = append(append(out, d.to(bytes.Clone(text), r)...), end...)
	}
	return out, n
}

// byDamage writes a table of what lines cost that are damaged in several ways.
func byDamage(b *bytes.Buffer, c *config) error {
	threads := 1
	if len(c.threads) > 0 {
		threads = c.threads[0]
	}
	fmt.Fprintf(b, `
## Damage

Times the processor time of the clean file, a byte, on %d threads, and nanoseconds that a bad line takes more than its bytes in the clean file.

| format | damage | percent | of these rejected | times | ns a bad line |
|---|---|---|---|---|---|
`, threads)
	for _, s := range c.chosen(generatedSamples()) {
		p, clean, err := s.load(c.nbytes)
		if err != nil {
			return err
		}
		none, err := measure(p, clean, threads, c.runs, c.details)
		if err != nil {
			return fmt.Errorf("%s: %w", s.format, err)
		}
		for i := range damages {
			d := &damages[i]
			if c.damages != nil && !slices.Contains(c.damages, d.name) {
				continue
			}
			for _, percent := range c.shares {
				data, n := d.damaged(clean, percent)
				f, err := measure(p, data, threads, c.runs, c.details)
				if err != nil {
					return fmt.Errorf("%s: %w", s.format, err)
				}
				more := float64(f.Work) - none.nanoseconds()*float64(len(data))
				fmt.Fprintf(b, "| `%s` | %s | %d | %.2f | **%.2f** | %.0f |\n", s.format, d.name, percent,
					float64(f.Rejected)/float64(n), f.nanoseconds()/none.nanoseconds(), more/float64(n))
			}
		}
	}
	return nil
}
