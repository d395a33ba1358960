package hive

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// nullPartition is the value that Hive writes for null.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// folderName is the name of the folder of rows whose column has a value. Hive knows no empty
// text: it is as null.
func folderName(column, value string, null bool) string {
	key := escaped(column) + "="
	if strings.HasPrefix(key, ".") { // such a folder is hidden
		key = "%2E" + key[1:]
	}
	if null || value == "" {
		return key + nullPartition
	}
	if value == nullPartition { // a text that is called so
		return key + "%5F" + value[1:]
	}
	return key + escaped(value)
}

// escaped is a part of a folder's name, with %3A for a colon: for what Hive escapes, and what
// some file system has not in names.
func escaped(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		last := i == len(text)-1
		if c < 0x20 || c == 0x7f || strings.IndexByte("\"#%&'*+/:;<=>?[\\]^{|}!", c) >= 0 || last && (c == ' ' || c == '.') {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescaped is a name in which %3A stands for a colon, as Hive writes it. A % with no two hexadecimal digits behind it
// stands for itself, and so does %00, which no name has.
func unescaped(name string) string {
	var b strings.Builder
	for len(name) > 0 {
		if name[0] == '%' && len(name) > 2 {
			if c, err := hex.DecodeString(name[1:3]); err == nil && c[0] != 0 {
				b.WriteByte(c[0])
				name = name[3:]
				continue
			}
		}
		b.WriteByte(name[0])
		name = name[1:]
	}
	return b.String()
}
