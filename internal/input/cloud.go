//go:build !noweb && !nocloud

package input

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// This file reads objects of clouds: as what a server has, asked for in somebody's name.

// store is where the objects of one bucket are.
type store interface {
	// address is that of an object, over HTTP.
	address(key string) string
	// send asks in the name of whom the environment says. Of an answer that is a refusal
	// the status says why.
	send(*http.Request) (*http.Response, error)
	// page is the address of a list of keys that begin with prefix; after is what keys
	// gave for it, "" for the first page.
	page(prefix, after string) string
	// keys reads such a list; next is "" after the last.
	keys(list []byte) (keys []string, next string, err error)
}

// opened are the stores that were asked, so that credentials are looked for once.
var (
	opened   = map[string]store{}
	openedMu sync.Mutex
)

// cloudClient follows no redirections: another server is not to get what is meant for one.
var cloudClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// storeOf is the store that a name is in, and what it calls the object.
func storeOf(name string) (s store, key string, err error) {
	scheme, rest, _ := strings.Cut(name, "://")
	scheme = strings.ToLower(scheme)
	bucket, key, _ := strings.Cut(rest, "/")
	if scheme == "az" && strings.Contains(bucket, ".") { // a server, no container
		var container string
		container, key, _ = strings.Cut(key, "/")
		bucket += "/" + container
	}
	if bucket == "" || strings.HasSuffix(bucket, "/") {
		return nil, "", &NameError{name, "names no bucket"}
	}
	openedMu.Lock()
	defer openedMu.Unlock()
	if s = opened[scheme+"://"+bucket]; s != nil {
		return s, key, nil
	}
	switch scheme {
	case "s3":
		s, err = newS3(bucket)
	case "gs":
		s, err = newGS(bucket)
	default:
		s, err = newAz(bucket)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	opened[scheme+"://"+bucket] = s
	return s, key, nil
}

// expandCloud are the objects that a name stands for: one that ends in a slash for those in
// the folder and in the folders in it, a pattern for those that match it.
func expandCloud(ctx context.Context, name string) ([]string, error) {
	s, key, err := storeOf(name)
	if err != nil {
		return nil, err
	}
	literal := strings.IndexAny(key, "*?[{")
	folder := key == "" || strings.HasSuffix(key, "/")
	switch {
	case literal < 0 && !folder:
		return []string{name}, nil
	case literal < 0:
		literal = len(key)
	case !doublestar.ValidatePattern(key):
		return nil, &NameError{name, "is no pattern"}
	}
	all, err := listCloud(ctx, name, s, key[:literal])
	if err != nil {
		return nil, err
	}
	if !folder && slices.Contains(all, key) {
		return []string{name}, nil
	}
	before := strings.TrimSuffix(name, key)
	if key == "" && !strings.HasSuffix(before, "/") {
		before += "/"
	}
	var found []string
	for _, k := range all {
		switch {
		case strings.HasSuffix(k, "/"): // a folder that somebody has made
		case folder && isLeftOut(strings.TrimPrefix(k, key)), isIndex(k):
		case folder || doublestar.MatchUnvalidated(key, k):
			found = append(found, before+k)
		}
	}
	switch {
	case len(found) > 0:
	case folder:
		return nil, &NameError{name, "no object is in this folder" + butLeftOut}
	default:
		return nil, &NameError{name, "no object matches"}
	}
	slices.Sort(found)
	return found, nil
}

// listBytes is how long a page of a list may be.
const listBytes = 64 << 20

// listCloud are the keys that begin with prefix.
func listCloud(ctx context.Context, name string, s store, prefix string) (all []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for after := ""; ; {
		w := &webFile{webLimits: web, ctx: ctx, url: s.page(prefix, after), name: name, send: s.send}
		var list []byte
		err := w.again(ctx, func() (bool, error) {
			resp, err := w.ask(ctx, 0, 0)
			if err != nil {
				return false, err
			}
			defer resp.Body.Close()
			if err := refusal(resp, http.StatusOK); err != nil {
				return false, err
			}
			list, err = io.ReadAll(io.LimitReader(resp.Body, listBytes))
			return false, err
		})
		if err != nil {
			return nil, w.failure(err)
		}
		keys, next, err := s.keys(list)
		if err != nil {
			return nil, w.failure(fmt.Errorf("the server gives a list that nobody can read: %w", err))
		}
		if all = append(all, keys...); next == "" {
			return all, nil
		}
		if next == after {
			return nil, w.failure(errors.New("the server gives the same page of a list again"))
		}
		after = next
	}
}

// refused lets the status of an answer that is a refusal say what its body says: the word
// for it, and no more, since some give back what they were asked.
func refused(resp *http.Response, anonymous bool) *http.Response {
	if resp.StatusCode < 300 || resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return resp
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	resp.Body.Close()
	resp.Body = http.NoBody
	var inXML struct{ Code string }
	var inJSON struct {
		Error struct{ Errors []struct{ Reason string } }
	}
	if xml.Unmarshal(body, &inXML) == nil && inXML.Code != "" {
		resp.Status += ": " + inXML.Code
	} else if json.Unmarshal(body, &inJSON) == nil && len(inJSON.Error.Errors) > 0 {
		resp.Status += ": " + inJSON.Error.Errors[0].Reason
	}
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound: // some say of what is not for all that it is not there
		if anonymous {
			resp.Status += "; it was asked for in nobody's name, since there are no credentials"
		}
	}
	return resp
}

// escaped is a key as the path of an address, in the one way in which signatures have it.
func escaped(key string) string {
	return strings.NewReplacer("%2F", "/", "+", "%20").Replace(url.QueryEscape(key))
}
