package importer

import (
	"fmt"
	"strings"
)

// Layouts of strftime, which many tools have.

// strftime is what directives of strftime are in a layout of the spec language, where
// that is something else than the directive itself; "" if there is none.
var strftime = map[byte]string{
	'h': "%b", 'r': "%I:%M:%S %p", 'O': "", 'E': "", 'k': "", 'l': "", 'c': "", 'x': "", 'X': "", 'C': "", 'G': "", 'g': "", 'u': "", 'w': "",
	'U': "", 'V': "", 'W': "", 'P': "", '+': "", 'v': "", 'N': "%f", 'i': "%M", 'q': "", 'Q': "", '3': "",
}

// same are the directives that are the same in both.
const same = "YymbBdejaAFDnt%HIpMSfLzZsTR"

// layout is a format of strftime as a layout; the byte of format that has no
// counterpart, and why, else -1.
func layout(format string) (out string, at int, why string) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		c := format[i]
		switch {
		case c != '%':
			b.WriteByte(c)
			continue
		case i+1 == len(format):
			return "", i, "a % at the end of a time format"
		}
		i++
		switch to, known := strftime[format[i]]; {
		case strings.IndexByte(same, format[i]) >= 0:
			b.WriteString(format[i-1 : i+1])
		case known && to != "":
			b.WriteString(to)
		case known:
			return "", i - 1, fmt.Sprintf("%%%c of strftime has no counterpart in layouts", format[i])
		default:
			return "", i - 1, fmt.Sprintf("%%%c is no directive of strftime that is known", format[i])
		}
	}
	return b.String(), -1, ""
}

// timeParts are what directives of a layout say: bits of a day and of a time of day.
func timeParts(layout string) (day, clock bool) {
	for i := 0; i+1 < len(layout); i++ {
		if layout[i] != '%' {
			continue
		}
		i++
		switch c := layout[i]; {
		case c == 's':
			return true, true
		case strings.IndexByte("djeFD", c) >= 0:
			day = true
		case strings.IndexByte("HITR", c) >= 0:
			clock = true
		}
	}
	return day, clock
}

// timeType is the type of a column with a layout: ts, date or time; "" if the layout
// says too little for one.
func timeType(layout string) string {
	if layout == "%s" {
		return "ts(epoch(s))"
	}
	switch day, clock := timeParts(layout); {
	case day && clock:
		return typeOf("ts", layout)
	case day:
		return typeOf("date", layout)
	case clock:
		return typeOf("time", layout)
	}
	return ""
}
