package compile

import (
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

var units = map[string]dfa.Unit{"s": dfa.Second, "ms": dfa.Millisecond, "us": dfa.Microsecond, "ns": dfa.Nanosecond}

// foreignTypes says what the types of other languages and of databases are here.
var foreignTypes = map[string]string{
	"text": "str", "varchar": "str", "char": "str", "character": "str", "nvarchar": "str", "utf8": "str", "object": "str",
	"boolean": "bool", "bit": "bool", "logical": "bool",
	"tinyint": "i8", "byte": "u8", "sbyte": "i8", "smallint": "i16", "short": "i16", "int2": "i16",
	"int": "i64, or i32", "integer": "i64, or i32", "int4": "i32", "mediumint": "i32", "bigint": "i64", "long": "i64", "int8_t": "i8", "serial": "i64",
	"uint": "u64, or u32", "unsigned": "u64, or u32", "ulong": "u64", "ushort": "u16", "usize": "u64", "port": "u16", "hugeint": "dec(38, 0)",
	"float": "f64", "double": "f64", "real": "f32", "single": "f32", "float4": "f32", "float8": "f64", "number": "f64, or dec(P, S)",
	"numeric": "dec(P, S)", "money": "dec(P, S)", "bigdecimal": "dec(P, S)", "decimal128": "dec(P, S)",
	"datetime": "ts", "datetime64": "ts", "timestamptz": "ts", "timestamp_ntz": "ts", "instant": "ts", "epoch": "ts(epoch(s))", "unixtime": "ts(epoch(s))",
	"timeofday": "time", "day": "date", "date32": "date", "year": "u16",
	"interval": "dur(go) or dur(clock)", "timedelta": "dur(go) or dur(clock)",
	"bytes": "binary", "blob": "binary", "bytea": "binary", "varbinary": "binary", "hex": "binary(hex)", "base64": "binary(base64)",
	"category": "dict, or enum(A B)", "categorical": "dict, or enum(A B)", "factor": "dict, or enum(A B)",
	"inet": "ip", "ipv4": "ip", "ipv6": "ip", "ipaddr": "ip", "addr": "ip", "guid": "uuid",
	"array": "list(T)", "set": "list(T)", "vector": "list(T)", "struct": "map(T)", "json": "str; a flat object can be a map(T)", "dictionary": "map(T); dict is text stored once",
}

// typeNames are the names of all types, the usual ones or all of them.
func typeNames(all bool) []string {
	var names []string
	for k := range dfa.NTypeKinds {
		words := dfa.WordsOf(dfa.TypeKind(k))
		if names = append(names, words.Name); all {
			names = append(names, words.Also...)
		}
	}
	return names
}

// typeReader turns one TypeExpr into a dfa.Type.
type typeReader struct {
	scope *scope
	bad   *faults
	words *dfa.TypeWords
	expr  *TypeExpr
	typ   dfa.Type
	depth int

	given        map[string]*Arg // options, by name
	form         *TypeExpr       // Duration: what says how it is written
	alternatives []*Atom         // Date, Time, Timestamp: the ways in which it may be written, if they are several
	list         lower.List      // List: how it is written
	pairs        lower.Map       // Map
	before       *Atom           // Map: its pairs end before keys alone
	lex          *Name           // or the table that reads it
}

// readType gives the type that x names. Faults go to bad; the type is then of
// no use. Within a list or map, depth is how deep.
func readType(x *TypeExpr, s *scope, bad *faults, depth int) dfa.Type {
	kind, ok := dfa.KindOf(x.Name)
	if !ok {
		hint := "; the types are " + strings.Join(typeNames(false), ", ")
		if own, ok := foreignTypes[strings.ToLower(x.Name)]; ok {
			hint = "; here it is " + own
		} else if near := bad.suggest(x.Name, typeNames(true)); near != "" {
			hint = near
		}
		bad.addf(x.Pos, "unknown type %q%s", x.Name, hint)
		return dfa.Type{}
	}
	r := &typeReader{scope: s, bad: bad, words: dfa.WordsOf(kind), expr: x, depth: depth, given: map[string]*Arg{}}
	r.typ.Kind = kind
	r.list.Separator.Text = []byte(",")
	r.pairs.Pair, r.pairs.KeyValue = lower.Separator{Text: []byte(" ")}, []byte("=")
	for i, a := range x.Args {
		r.arg(i, a)
	}
	r.finish()
	return r.typ
}

func (r *typeReader) fault(pos lexer.Position, format string, args ...any) {
	r.bad.addf(pos, format, args...)
}

// arg reads argument i: an option that begins with its word, or a value.
func (r *typeReader) arg(i int, a *Arg) {
	first := a.Atoms[0]
	if len(a.Or) > 0 {
		r.forms(a)
		return
	}
	for _, atom := range a.Atoms {
		if atom.Run && (first.Word == nil || first.Word.Name != "sep" && first.Word.Name != "pairs") {
			r.fault(atom.Pos, "+ is for separators, which it allows to be repeated: sep ' '+")
		}
	}
	if w := first.Word; w != nil && slices.Contains(r.words.Arguments, w.Name) {
		if r.given[w.Name] != nil {
			r.fault(a.Pos, "%s is given twice", w.Name)
		}
		r.given[w.Name] = a
		if len(w.Args) > 0 && w.Name != "epoch" {
			r.fault(w.Pos, "%s takes no ( ); its value follows it, as in %s", w.Name, exampleOf(r.typ.Kind))
			return
		}
		r.option(w, a.Atoms[1:])
		return
	}
	switch k := r.typ.Kind; {
	case k == dfa.Enum:
		r.tokens(&r.typ.Tokens, a.Atoms)
		return
	case len(a.Atoms) > 1:
		r.surplus(first)
	case k == dfa.Decimal && first.Number != "":
		r.precision(i, first)
	case (k == dfa.Date || k == dfa.Time || k == dfa.Timestamp) && first.Text != nil:
		r.layout(first.Text)
	case (k == dfa.List || k == dfa.Map) && first.Word != nil && i == 0:
		if r.depth == 2 {
			r.fault(first.Pos, "types nested more than 3 deep")
			return
		}
		elem := readType(first.Word, r.scope, r.bad, r.depth+1)
		r.typ.Elem = &elem
	default:
		r.surplus(first)
	}
}

func (r *typeReader) surplus(a *Atom) {
	found := a.Number
	switch {
	case a.Text != nil:
		found = a.Text.Token
	case a.Word != nil:
		hint := r.bad.suggest(a.Word.Name, r.words.Arguments)
		if _, typ := dfa.KindOf(a.Word.Name); typ && r.typ.Kind == dfa.Map { // as in map(str, u8)
			hint = "; its keys are text, and the type of its values stands first, as in map(u8, pairs ';')"
		}
		r.fault(a.Pos, "%s has no option %q%s", r.expr.Name, a.Word.Name, hint)
		return
	}
	r.fault(a.Pos, "%s cannot take %s here; write it as in %s", r.expr.Name, found, exampleOf(r.typ.Kind))
}

// exampleOf shows the arguments of a kind.
func exampleOf(k dfa.TypeKind) string {
	words := dfa.WordsOf(k)
	var all []string
	for _, e := range words.Examples {
		all = append(all, e.Type)
	}
	if len(all) == 1 && all[0] == words.Name {
		return words.Name + ", without arguments"
	}
	return strings.Join(all, " or ")
}

// option reads the value of an option that the type has.
func (r *typeReader) option(w *TypeExpr, value []*Atom) {
	switch w.Name {
	case "true":
		r.tokens(&r.typ.True, value)
	case "false":
		r.tokens(&r.typ.False, value)
	case "thousands":
		r.symbol(w, value, &r.typ.Thousands)
	case "point":
		r.symbol(w, value, &r.typ.Point)
	case "hex":
		r.none(w, value)
		r.typ.Base16 = r.typ.Kind != dfa.Binary
		if r.typ.Kind == dfa.Binary {
			r.typ.Encoding = dfa.Hex
		}
	case "base64":
		r.none(w, value)
		r.typ.Encoding = dfa.Base64
	case "implied":
		r.none(w, value)
		r.typ.Implied = true
	case "size":
		r.size(w, value)
	case "raw", "rfc3339":
		r.none(w, value)
	case "unit":
		if word := r.word(w, value); word != nil {
			r.unit(word, &r.typ.Unit)
		}
	case "s", "ms", "us", "ns":
		r.none(w, value)
		r.duration(w)
		r.typ.CountUnit = units[w.Name]
	case "binary":
		r.none(w, value)
		r.typ.Bytes = true
	case "go", "clock":
		r.none(w, value)
		r.duration(w)
		r.typ.Layout = w.Name
	case "epoch":
		r.none(w, value)
		r.typ.Epoch, r.typ.CountUnit = true, r.epoch(w)
	case "tz":
		r.zone(w, value)
	case "year":
		r.year(w, value)
	default:
		r.nestedOption(w, value)
	}
}

// nestedOption reads the options of list and map.
func (r *typeReader) nestedOption(w *TypeExpr, value []*Atom) {
	switch w.Name {
	case "sep":
		r.separator(w, value, &r.list.Separator)
	case "pairs":
		r.pairsBetween(w, value)
	case "kv":
		if t := r.text(w, value); t != nil {
			r.pairs.KeyValue = []byte(t.Value())
		}
	case "quote":
		r.symbol(w, value, &r.list.Quote)
		r.pairs.Quote = r.list.Quote
	case "keys":
		if word := r.word(w, value); word != nil && word.Name != "quoted" {
			r.fault(word.Pos, "keys quoted says that keys may be in quotes, as values may; what keys have columns, keyed says")
		}
		r.pairs.QuotedKeys = true
	case "doubled":
		r.none(w, value)
		r.list.Doubled, r.pairs.Doubled = true, true
	case "open":
		r.symbol(w, value, &r.list.Open)
		r.pairs.Open = r.list.Open
	case "close":
		r.symbol(w, value, &r.list.Close)
		r.pairs.Close = r.list.Close
	case "escape":
		switch {
		case len(value) == 1 && value[0].Text != nil:
			r.list.Escape = leadEscape(value[0].Text, r.bad)
		case len(value) == 1 && value[0].Word != nil:
			r.list.Escape = r.scope.escape(&Name{Pos: value[0].Pos, Word: value[0].Word.Name}, r.bad)
		default:
			r.fault(w.Pos, "escape wants the name of an escape or its lead, as in %s(…, escape '\\')", r.expr.Name)
		}
		r.pairs.Escape = r.list.Escape
	case "after":
		if word := r.word(w, value); word != nil && word.Name != "escape" {
			r.fault(word.Pos, "after what? after escape: the value is taken apart as it is decoded, not as it was written")
		}
		r.typ.Decoded = true
	case "duplicates":
		policies := map[string]dfa.Duplicates{"error": dfa.NoDuplicates, "first": dfa.FirstDuplicate, "last": dfa.LastDuplicate, "list": dfa.ListDuplicates}
		if word := r.word(w, value); word != nil {
			policy, ok := policies[word.Name]
			if !ok {
				r.fault(word.Pos, "what becomes of duplicate keys is error, first, last or list, not %q", word.Name)
			}
			r.typ.Duplicates = policy
		}
	case "lex":
		if word := r.word(w, value); word != nil {
			r.lex = &Name{Pos: word.Pos, Word: word.Name}
		}
	}
}

// pairsBetween reads what stands between pairs, and whether these end before keys alone.
func (r *typeReader) pairsBetween(w *TypeExpr, value []*Atom) {
	if n := len(value); n == 3 && value[1].Word != nil && value[1].Word.Name == "before" && value[2].Word != nil && value[2].Word.Name == "key" {
		r.before, value = value[1], value[:1]
	}
	r.separator(w, value, &r.pairs.Pair)
}

// ahead makes pairs of a map end before keys alone.
func (r *typeReader) ahead() {
	m, pos := &r.pairs, r.before.Pos
	switch {
	case len(m.Pair.Text) != 1 || len(m.KeyValue) != 1:
		r.fault(pos, "before key: pairs and kv are one symbol each")
	case m.Quote != 0 || m.Open != 0 || m.Groups:
		r.fault(pos, "before key: a value ends where the next key begins, whatever it holds, and so is not enclosed")
	default:
		r.typ.Ahead = &dfa.KeyAhead{Pair: m.Pair.Text[0], Sign: m.KeyValue[0], Run: m.Pair.Run}
		if m.Escape != nil {
			r.typ.Ahead.Lead = m.Escape.Lead
		}
	}
}

// finish checks what the arguments say together and builds nested automata.
func (r *typeReader) finish() {
	pos := r.expr.Pos
	t := &r.typ
	switch t.Kind {
	case dfa.Decimal:
		if len(r.expr.Args) == 0 {
			r.fault(pos, "dec wants its precision and scale: dec(12, 2)")
		}
	case dfa.Enum:
		if len(t.Tokens) == 0 {
			r.fault(pos, "enum wants its tokens: enum(INFO WARN ERROR)")
		}
	case dfa.Bool:
		if (t.True == nil) != (t.False == nil) {
			r.fault(pos, `bool wants both, or neither: bool(true "Y", false "N")`)
		}
		for _, tok := range t.True {
			if slices.Contains(t.False, tok) {
				r.fault(pos, "%q is both true and false", tok)
			}
		}
	case dfa.Timestamp, dfa.Date, dfa.Time:
		r.finishTime()
		r.scope.names.use(&r.typ)
		r.finishForms()
	case dfa.Duration:
		if r.form == nil && r.given["unit"] != nil {
			r.fault(r.given["unit"].Pos, "unit is the resolution of the column; what the numbers count comes first, as in dur(s, unit ms)")
		}
		r.finestUnit(t.Layout == "" && t.CountUnit == dfa.Nanosecond)
	case dfa.List, dfa.Map:
		r.finishNested()
	}
	switch {
	case t.Implied && r.given["point"] != nil:
		r.fault(r.given["point"].Pos, "an implied point is not written, and so there is no sign for it")
	case t.Implied && len(r.expr.Args) > 1 && t.Scale == 0:
		r.fault(r.given["implied"].Pos, "with a scale of 0 no digits come after the point, implied or not")
	case t.Size != 0 && t.Base16:
		r.fault(r.given["hex"].Pos, "a size is no number in hexadecimal")
	}
	if t.Point == ',' && t.Thousands == ',' || t.Point != 0 && t.Point == t.Thousands || t.Point == 0 && t.Thousands == '.' && slices.Contains(r.words.Arguments, "point") {
		r.fault(pos, "thousands and point are the same symbol, %q", rune(t.Thousands))
	}
}

func (r *typeReader) finishTime() {
	t := &r.typ
	forms := t.Forms()
	some := func(is func(t *dfa.Type) bool) bool {
		return slices.ContainsFunc(forms, func(form dfa.Type) bool { return is(&form) })
	}
	r.finestUnit(some(func(t *dfa.Type) bool { return t.Epoch && t.CountUnit == dfa.Nanosecond }))
	switch {
	case t.Epoch && t.Layout != "":
		r.fault(r.expr.Pos, "a time stamp is read by a layout or as an epoch, not by both; alternatives have a | between them: ts(%q | epoch(s))", t.Layout)
	case r.given["rfc3339"] != nil && (t.Epoch || t.Layout != ""):
		r.fault(r.given["rfc3339"].Pos, "rfc3339 stands alone, without a layout or epoch; alternatives have a | between them: ts(rfc3339 | epoch(s))")
	case r.given["year"] != nil && !some(func(t *dfa.Type) bool { return yearless(t.Layout) }):
		r.fault(r.given["year"].Pos, "year completes a layout that has none; this one has its year")
	case t.NoZone && (r.given["rfc3339"] != nil || len(forms) > 1 && some(isISO)):
		r.fault(r.given["tz"].Pos, "RFC 3339 has offsets; tz none is for times without")
	case t.NoZone && some(saysInstant):
		r.fault(r.given["tz"].Pos, "tz none is for times of which nobody knows where they were written; these say which instant they mean")
	case t.Zone != "" && t.Zone != "UTC" && !some(func(t *dfa.Type) bool { return !t.Epoch }):
		r.fault(r.given["tz"].Pos, "an epoch counts from 1970 in UTC; tz says where a time without an offset was written")
	}
}

// duration notes what w says of how durations are written, which is said once.
func (r *typeReader) duration(w *TypeExpr) {
	if r.form != nil {
		r.fault(w.Pos, "a duration is written in one form, and %s is another than %s", w.Name, r.form.Name)
	}
	r.form = w
}

// finestUnit makes columns of numbers that count nanoseconds hold them, unless
// a unit is given.
func (r *typeReader) finestUnit(nanoseconds bool) {
	if nanoseconds && r.given["unit"] == nil {
		r.typ.Unit = dfa.Nanosecond
	}
}

func (r *typeReader) finishNested() {
	t := &r.typ
	if t.Elem == nil {
		t.Elem = &dfa.Type{Kind: dfa.String}
	}
	if r.depth > 0 {
		r.onlyElement()
		return
	}
	pos := r.expr.Pos
	inner := t.Elem.Kind == dfa.Map || t.Elem.Kind == dfa.List
	switch {
	case t.Kind == dfa.List && inner:
		r.fault(pos, "a list holds no lists or maps; only map(map(…)) nests")
		return
	case t.Kind == dfa.Map && t.Elem.Kind == dfa.List:
		r.fault(pos, "a map holds no lists; only map(map(…)) nests")
		return
	case inner && (t.Elem.Elem.Kind == dfa.Map || t.Elem.Elem.Kind == dfa.List):
		r.fault(pos, "maps nest no deeper than map(map(…))")
		return
	case r.lex != nil && slices.ContainsFunc(slices.Collect(maps.Keys(r.given)), func(o string) bool { return o != "lex" && o != "after" && o != "duplicates" }):
		r.fault(r.given["lex"].Pos, "lex names the dfa that reads the value; the other options say the same in another way")
		return
	}
	if t.Duplicates == dfa.ListDuplicates {
		of := t
		if inner {
			of = t.Elem
		}
		of.Elem = &dfa.Type{Kind: dfa.List, Elem: of.Elem}
	}
	var err error
	switch {
	case r.lex != nil:
		var rows *Rows
		if rows, t.Lex = r.scope.table(r.lex, r.bad); t.Lex != nil {
			checkLoss(rows, t.Lex, t.Lex.ValueLoss(), r.bad)
		}
		return
	case t.Kind == dfa.List:
		t.Lex, err = r.bad.work.list(r.list)
	default:
		r.pairs.Groups = inner
		if r.before != nil {
			r.ahead()
		}
		t.Lex, err = r.bad.work.mapping(r.pairs)
	}
	if err != nil {
		r.bad.add(lowered(err, pos, r.expr.Name+": "))
	}
}

// onlyElement refuses options on a map within a map, which the outer one has.
func (r *typeReader) onlyElement() {
	for _, o := range r.words.Arguments {
		if a := r.given[o]; a != nil {
			r.fault(a.Pos, "%s belongs to the outer type: it reads the whole value", o)
		}
	}
}
