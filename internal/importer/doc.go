// Package importer makes specs of what other tools have to describe formats: the
// line of a server's configuration, a pattern, a regular expression, a schema.
//
//	apache   %h %l %u %t "%r" %>s %b   →   format apache {
//	                                         record `{host} {ident:-} {user:-} [[{time}] "{request:clf}" {status} {bytes:-}`
//	                                         fields { time ts("%d/%b/%Y:%H:%M:%S %z") … }
//	                                       }
//
// A kind is one way of describing, and one file here: it walks over the text and tells a
// draft what the record looks like and which types its columns have. The draft
// makes the spec with compile.FormatBuilder, compiles it, and says of what is wrong
// where in the text it comes from.
//
// What the other tool means and a spec cannot say is a Note, with its place; what
// would be read wrongly is an Error. Nothing is run and no file is read here.
package importer
