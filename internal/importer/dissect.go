package importer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Patterns of dissect, of Elasticsearch, Beats and Logstash:
// https://github.com/elastic/dissect-specification. A key ends where the text after
// it first stands, the last key takes what is left, and what follows text at the end is left
// out.
//
// Most patterns become templates. What a template cannot say, a table of states can: parts of
// a key that are put together (%{a}-%{+a}) and a separator that may be repeated
// (%{a->},%{b}). See dissecttable.go.

// dissectKey is a key of a pattern and the text after it.
type dissectKey struct {
	at    int
	name  string // "": it is passed over
	mod   string // + * & or none
	order int    // of %{+key/2}; 0: none
	pad   bool   // -> the text after it may be repeated
	typ   string // of %{key|integer}
	after string // the text after it
	end   int    // where that begins
}

var (
	dissectHole = regexp.MustCompile(`%\{([^}]*)\}`)
	dissectName = regexp.MustCompile(`^([+*&?]?)([^+*&?/|#>]*)(/[0-9]+)?(#[0-9]+)?(\|[a-z]+)?(->)?$`)
)

// dissectTypes are those that Beats converts to.
var dissectTypes = map[string]string{"integer": "i32", "long": "i64", "float": "f32", "double": "f64", "boolean": "bool", "ip": "ip"}

// dissectKeys takes a pattern apart.
func dissectKeys(d *draft) (before string, keys []dissectKey) {
	found := dissectHole.FindAllStringSubmatchIndex(d.text, -1)
	if len(found) == 0 {
		d.fail(-1, "the pattern has no key: %%{name}")
		return "", nil
	}
	for i, m := range found {
		parts := dissectName.FindStringSubmatch(d.text[m[2]:m[3]])
		if parts == nil {
			d.fail(m[0], "%s is no key: a name, with + * & or ? before it, and /1 or -> after it", d.text[m[0]:m[1]])
			return "", nil
		}
		k := dissectKey{at: m[0], name: parts[2], mod: parts[1], pad: parts[6] != "", end: m[1]}
		if parts[3] != "" {
			k.order, _ = strconv.Atoi(parts[3][1:])
		}
		if parts[4] != "" {
			d.fail(m[0], "a key of a fixed length is not known here")
		}
		if parts[5] != "" {
			if k.typ = dissectTypes[parts[5][1:]]; k.typ == "" {
				d.fail(m[0], "%q is no type of dissect", parts[5][1:])
			}
		}
		if k.mod == "?" {
			k.name, k.mod = "", ""
		} else if k.name == "" && k.mod != "" {
			d.fail(m[0], "%s wants a name", d.text[m[0]:m[1]])
		}
		next := len(d.text)
		if i+1 < len(found) {
			next = found[i+1][0]
		}
		if k.after = d.text[m[1]:next]; k.after == "" && i+1 < len(found) {
			d.fail(next, "nothing stands between this key and the one before it")
		}
		keys = append(keys, k)
	}
	return d.text[:found[0][0]], keys
}

func readDissect(d *draft) {
	before, keys := dissectKeys(d)
	if d.failure != nil {
		return
	}
	joined := dissectGroups(d, keys)
	if d.failure != nil {
		return
	}
	last := &keys[len(keys)-1]
	if last.pad && last.after != "" {
		last.pad = false // what follows is left out anyway
	}
	for i := range keys {
		k := &keys[i]
		if k.pad && k.after != " " && len(k.after) > 1 {
			d.note(k.at, "%q may be repeated, and is read once: only a text of one byte can be repeated", k.after)
			k.pad = false
		}
	}
	needsTable := func(k dissectKey) bool { return k.pad && k.after != " " && k.after != "" }
	if len(joined) > 0 || slices.ContainsFunc(keys, needsTable) {
		dissectTable(d, before, keys, joined)
		return
	}
	d.literal(0, before)
	for i, k := range keys {
		f := field{at: k.at, name: k.name, typ: k.typ}
		if i+1 == len(keys) && k.after == "" {
			d.toEnd(f)
			break
		}
		d.hole(f)
		if k.pad {
			d.note(k.at, "%s: a tab counts as a space", d.text[k.at:k.end])
			d.blanks(k.end)
		} else {
			d.literal(k.end, k.after)
		}
	}
	if last.after != "" {
		d.toEnd(field{at: last.end})
	}
}

// dissectGroups looks at the keys that are not alone: the parts of a key that are put
// together and the pairs of names and values. Where parts follow each other and a
// table can put them together, it gives the index of each but the last; the others get names
// of their own, and it is said what is made of them.
func dissectGroups(d *draft, keys []dissectKey) (joined map[int]bool) {
	joined = map[int]bool{}
	byName, names := map[string][]int{}, []string(nil)
	for i, k := range keys {
		if k.name != "" && byName[k.name] == nil {
			names = append(names, k.name)
		}
		byName[k.name] = append(byName[k.name], i)
	}
	for _, name := range names {
		is := byName[name]
		i, mods := is[0], ""
		for _, j := range is {
			mods += cmp.Or(keys[j].mod, ".")
		}
		switch {
		case mods == ".":
		case mods == "*&" || mods == "&*":
			key, value := is[strings.IndexByte(mods, '*')], is[strings.IndexByte(mods, '&')]
			keys[key].name, keys[value].name = name+"_name", name+"_value"
			d.joins[""] = []string{name + "_name", name + "_value"}
			d.note(keys[key].at, "the field that %s names is two columns: %s_name has its name, %s_value its value", d.text[keys[key].at:keys[key].end], name, name)
		case strings.ContainsAny(mods, "*&"):
			d.fail(keys[i].at, "%%{*%s} and %%{&%s} go together: the value of one is the name of the other", name, name)
		case strings.Count(mods, ".") > 1:
			d.fail(keys[is[1]].at, "the key %s is there twice; parts of one are %%{+%s}", name, name)
		case mods == "+":
		case canJoin(keys, is, d.options.Joiner):
			for _, j := range is[:len(is)-1] {
				joined[j] = true
			}
		default:
			order := slices.Clone(is)
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a].order, keys[b].order) })
			for n, j := range is {
				keys[j].name = name + "_" + strconv.Itoa(n+1)
			}
			for _, j := range order {
				d.joins[name] = append(d.joins[name], keys[j].name)
			}
			d.note(keys[i].at, "the parts of %s are columns of their own: put together they are %s", name, strings.Join(d.joins[name], " "))
		}
	}
	return joined
}

// canJoin reports whether a table of states can put parts together: they follow each
// other, in their order, and what stands between them becomes the joiner byte by byte.
func canJoin(keys []dissectKey, is []int, joiner string) bool {
	for n, j := range is[:len(is)-1] {
		if is[n+1] != j+1 || keys[is[n+1]].order < keys[j].order {
			return false
		}
		if after := keys[j].after; after != joiner && (len(after) != 1 || len(joiner) > 1) {
			return false
		}
	}
	return true
}
