package input

import (
	"net/url"
	"regexp"
	"strings"
)

// IsURL reports whether a name begins as those do that are no files'.
func IsURL(name string) bool { return begins.MatchString(name) }

var begins = regexp.MustCompile(`^(?i)(https?|ftp|s3|gs|az|abfss?|hdfs|file)://`)

// isWeb reports whether a name is one that is read over HTTP.
func isWeb(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// isCloud reports whether a name is that of an object in a cloud.
func isCloud(name string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(name), "://")
	return ok && (scheme == "s3" || scheme == "gs" || scheme == "az")
}

// pathOf is the path in the address of an input, its name if it has none.
func pathOf(name string) string {
	if !isWeb(name) {
		return name // which in a cloud is no address, but a name
	}
	u, err := url.Parse(name)
	if err != nil {
		return name
	}
	return u.Path
}

// IsRemote reports whether a name is that of something on a server.
func IsRemote(name string) bool { return isWeb(name) || isCloud(name) }
