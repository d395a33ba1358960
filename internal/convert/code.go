package convert

// Code says why a field was not converted. The codes are shared by the
// engines; the words are made here, once.
type Code uint8

const (
	OK            Code = iota // converted
	IsNull                    // null in a required column
	NotInteger                // not the notation of an integer
	NotFloat                  // not the notation of a number
	NotDecimal                // not the notation of a number
	Overflow                  // outside the range of the type
	FractionLost              // digits beyond the scale of a decimal
	BadBool                   // none of the tokens
	BadDate                   // not in the layout
	BadTime                   // not in the layout
	BadTimestamp              // not in the layout
	NoOffset                  // RFC 3339 without an offset, and no zone to read it by
	NoSuchTime                // in the layout, but no day or time that exists
	DateRange                 // outside the years 0001 to 9999, or what the unit can count
	FinerThanUnit             // fraction digits that the unit cannot hold
	BadDuration               // not the notation of a duration
	NotInEnum                 // none of the tokens
	BadHex                    // not pairs of hexadecimal digits
	BadBase64                 // not base64
	BadIP                     // not an address
	BadUUID                   // not a UUID
	InvalidUTF8               // bytes that are not UTF-8, which the policy rejects
	BadList                   // the type's automaton does not accept the field
	DuplicateKey              // a key is in a map twice, which the policy does not allow
	BadMap                    // the same, or a value without a key
	BatchFull                 // the values of the batch exceed 2 GiB
	Malformed                 // not in the form of the type, which has no code of its own
	BadSize                   // not the notation of a size
	OutOfRange                // in none of the column's ranges
	NCodes        int  = iota
)

var codeText = [NCodes]string{
	OK:            "converted",
	IsNull:        "null in a required column",
	NotInteger:    "not an integer",
	NotFloat:      "not a number",
	NotDecimal:    "not a decimal number",
	Overflow:      "out of range",
	FractionLost:  "more fraction digits than the column holds",
	BadBool:       "not a truth value",
	BadDate:       "not a date of the expected form",
	BadTime:       "not a time of the expected form",
	BadTimestamp:  "not a time stamp of the expected form",
	NoOffset:      "a time without an offset, which could be that of any zone",
	NoSuchTime:    "no such day or time",
	DateRange:     "outside the range of the calendar or of the unit",
	FinerThanUnit: "finer than the unit of the column",
	BadDuration:   "not a duration",
	NotInEnum:     "not one of the values listed",
	BadHex:        "not pairs of hexadecimal digits",
	BadBase64:     "not base64",
	BadIP:         "not an IP address",
	BadUUID:       "not a UUID",
	InvalidUTF8:   "not UTF-8",
	BadList:       "not a list of the expected form",
	DuplicateKey:  "a key is there twice",
	BadMap:        "not key-value pairs of the expected form",
	BatchFull:     "more than 2 GiB of values in one batch",
	Malformed:     "not a value of the type",
	BadSize:       "not a size",
	OutOfRange:    "outside the range of the column",
}

// String is the code in words, "not an integer".
func (c Code) String() string {
	if int(c) < NCodes {
		return codeText[c]
	}
	return "unknown code"
}
