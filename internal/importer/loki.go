package importer

import "regexp"

// The pattern parser of Grafana Loki:
// https://grafana.com/docs/loki/latest/query/log_queries/#pattern. A capture goes to
// the first place where the text after it stands, the last one to the end of the line; what
// follows text at the end is left out.

var lokiCapture = regexp.MustCompile(`<([A-Za-z_][A-Za-z0-9_]*)>`)

func readLoki(d *draft) {
	captures := lokiCapture.FindAllStringSubmatchIndex(d.text, -1)
	at, named := 0, false
	for i, m := range captures {
		d.literal(at, d.text[at:m[0]])
		f := field{at: m[0], name: d.text[m[2]:m[3]]}
		named = named || f.name != "_"
		if f.name != "_" && d.used[f.name] {
			d.fail(m[0], "<%s> is there twice", f.name)
		}
		if at = m[1]; i+1 == len(captures) && at == len(d.text) {
			d.toEnd(f)
		} else {
			d.hole(f)
		}
	}
	if !named {
		d.fail(-1, "the pattern has no capture with a name: <name>")
		return
	}
	if at < len(d.text) {
		d.literal(at, d.text[at:])
		d.toEnd(field{at: at})
	}
	if len(captures) > 1 {
		d.note(-1, "of a line that does not match to the end Loki keeps what does; here it is rejected")
	}
}
