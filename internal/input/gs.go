//go:build !noweb && !nocloud

package input

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// gsHost is where all buckets are. A variable for tests.
var gsHost = "https://storage.googleapis.com"

// gs is a bucket of Google Cloud Storage, by its JSON API.
type gs struct {
	bucket string // its address
	tokens oauth2.TokenSource
}

func newGS(bucket string) (*gs, error) {
	host := os.Getenv("STORAGE_EMULATOR_HOST")
	s := &gs{}
	if host == "" {
		host = gsHost
		found, err := google.FindDefaultCredentials(context.Background(), "https://www.googleapis.com/auth/devstorage.read_only")
		if err == nil {
			s.tokens = found.TokenSource
		} else if os.Getenv("GOOGLE_APPLICATION_CREDENTIALS") != "" {
			return nil, fmt.Errorf("the credentials cannot be read: %w", err)
		}
	} else if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	s.bucket = strings.TrimSuffix(host, "/") + "/storage/v1/b/" + url.PathEscape(bucket)
	return s, nil
}

func (s *gs) address(key string) string { return s.bucket + "/o/" + url.PathEscape(key) + "?alt=media" }

func (s *gs) page(prefix, after string) string {
	q := url.Values{"prefix": {prefix}, "fields": {"items(name),nextPageToken"}}
	if after != "" {
		q.Set("pageToken", after)
	}
	return s.bucket + "/o?" + q.Encode()
}

func (s *gs) keys(list []byte) (keys []string, next string, err error) {
	var l struct {
		Items         []struct{ Name string }
		NextPageToken string
	}
	err = json.Unmarshal(list, &l)
	for _, c := range l.Items {
		keys = append(keys, c.Name)
	}
	return keys, l.NextPageToken, err
}

func (s *gs) send(req *http.Request) (*http.Response, error) {
	req.Header.Set("Accept-Encoding", "gzip") // else what is stored so is given decompressed, and without ranges
	return sendWith(s.tokens, req, s.tokens == nil)
}
