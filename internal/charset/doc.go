// Package charset reads text in other encodings as UTF-8, finds places in it, and guesses which
// encoding a text is in.
//
// Decoding replaces nothing: what is no character of the encoding is an error that says at which
// byte it stands.
package charset
