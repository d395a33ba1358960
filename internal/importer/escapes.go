package importer

// Escapes that servers write with.

// clf is what Apache httpd writes: \" and \\, the letters of C for white space, \xHH for
// other bytes.
func (d *draft) clf() string { return d.define("clf", `escape clf = '\' { '"' '\' n t r v b x:hex2 }`) }

// nginxDefault is what nginx writes with escape=default.
func (d *draft) nginxDefault() string {
	return d.define("nginx_default", `escape nginx_default = '\' { '"' '\' x:hex2 }`)
}

// json is what strings of JSON have, but \u and four digits.
func (d *draft) json() string {
	return d.define("json", `escape json = '\' { '"' '\' '/' n t r b f }`)
}
