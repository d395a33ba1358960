package hive

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
)

// nullPartition is the value that Hive writes for null.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// folderName is the name of the folder of rows whose column has a value. Hive knows no empty
// text: it is as null.
func folderName(column, value string, null bool) string {
	if null || value == "" {
		return escaped(column) + "=" + nullPartition
	}
	if value == nullPartition { // a text that is called so
		return escaped(column) + "=%5F" + value[1:]
	}
	return escaped(column) + "=" + escaped(value)
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

// unescaped is a name in which %3A stands for a colon, as Hive writes it.
func unescaped(name string) string {
	if plain, err := url.PathUnescape(name); err == nil && !bytes.ContainsRune([]byte(plain), 0) {
		return plain
	}
	return name
}
