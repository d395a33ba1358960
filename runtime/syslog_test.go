package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestSyslogStructuredData: structured data drawn by the grammar of RFC 5424,
// section 6.3, is delivered, whatever it holds; cut off or damaged it is a reject.
func TestSyslogStructuredData(all *testing.T) {
	p := spec(all, "syslog_rfc5424")
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `]`, `\]`)
	name := rapid.StringMatching(`[!#-<>-\[^-~]{1,6}`) // PRINTUSASCII but = ] " and space
	rapid.Check(all, func(t *rapid.T) {
		var sd, want strings.Builder
		want.WriteString("{")
		for i := range rapid.IntRange(1, 3).Draw(t, "elements") {
			id := fmt.Sprint(i, name.Draw(t, "id"))
			if i > 0 {
				want.WriteString(",")
			}
			fmt.Fprintf(&sd, "[%s", id)
			fmt.Fprintf(&want, "%s:{", inJSON(id))
			for k := range rapid.IntRange(0, 3).Draw(t, "parameters") {
				if k > 0 {
					want.WriteString(",")
				}
				key := fmt.Sprint(k, name.Draw(t, "name"))
				var values []string
				for range rapid.IntRange(1, 2).Draw(t, "times") {
					value := rapid.StringMatching(`[ -~é]{0,8}`).Draw(t, "value")
					fmt.Fprintf(&sd, ` %s="%s"`, key, escape.Replace(value))
					values = append(values, inJSON(value))
				}
				fmt.Fprintf(&want, "%s:[%s]", inJSON(key), strings.Join(values, ","))
			}
			sd.WriteString("]")
			want.WriteString("}")
		}
		want.WriteString("}")
		head := "<13>1 2019-02-13T19:48:34Z h app 8449 - "
		good := read(all, p, strings.NewReader(head+sd.String()+" m\n"), runtime.WithColumns("sd", "msg"), runtime.WithErrorMode(dfa.Reject))
		if row := want.String() + ` "m"`; len(good.rows) == 0 || strings.Join(good.rows, " ") != row {
			t.Fatalf("%s\ngives %q, %v\nwant %s", sd.String(), good.rows, good.rejects, row)
		}
		cut := rapid.IntRange(1, sd.Len()-1).Draw(t, "cut")
		short := read(all, p, strings.NewReader(head+sd.String()[:cut]+"\n"), runtime.WithColumns("sd"), runtime.WithErrorMode(dfa.Reject))
		if whole := strings.HasSuffix(sd.String()[:cut], "]") && strings.HasPrefix(sd.String()[cut:], "["); !whole && (len(short.rejects) != 1 || len(short.rows) != 0) {
			t.Fatalf("%s\ngives %q, want a reject", sd.String()[:cut], short.rows)
		}
	})
}

func inJSON(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
