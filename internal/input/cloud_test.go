//go:build !noweb && !nocloud

package input

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bucket is what the tests' servers have.
type bucket map[string][]byte

// page are up to two keys that begin with prefix and come behind after.
func (b bucket) page(prefix, after string) (keys []string, next string) {
	for key := range b {
		if strings.HasPrefix(key, prefix) && key > after {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	if len(keys) > 2 {
		keys = keys[:2]
		next = keys[1]
	}
	return keys, next
}

func (b bucket) object(w http.ResponseWriter, r *http.Request, key string) bool {
	data, ok := b[key]
	if ok {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
	return ok
}

const secret = "aGlkZGVu" // base64 too

// s3Server is one that wants requests in the region eu-west-9.
func (b bucket) s3Server(w http.ResponseWriter, r *http.Request) {
	scope := r.Header.Get("Authorization")
	q := r.URL.Query()
	key := strings.TrimPrefix(r.URL.Path, "/bucket/")
	refuse := func(code int, why string) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(code)
		fmt.Fprintf(w, "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>you said %s</Message></Error>", why, scope)
	}
	switch {
	case !strings.HasPrefix(scope, "AWS4-HMAC-SHA256 Credential=me/"):
		refuse(http.StatusForbidden, "AccessDenied")
	case !strings.Contains(scope, "/eu-west-9/s3/aws4_request"):
		w.Header().Set("X-Amz-Bucket-Region", "eu-west-9")
		refuse(http.StatusMovedPermanently, "PermanentRedirect")
	case key == "" && q.Get("list-type") == "2":
		keys, next := b.page(q.Get("prefix"), q.Get("continuation-token"))
		fmt.Fprint(w, "<ListBucketResult><EncodingType>url</EncodingType>")
		for _, k := range keys {
			fmt.Fprintf(w, "<Contents><Key>%s</Key></Contents>", url.QueryEscape(k))
		}
		fmt.Fprintf(w, "<NextContinuationToken>%s</NextContinuationToken></ListBucketResult>", next)
	case !b.object(w, r, key):
		refuse(http.StatusNotFound, "NoSuchKey")
	}
}

func (b bucket) gsServer(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	refuse := func(code int, why string) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"error": {"code": %d, "message": "you said %s", "errors": [{"reason": %q}]}}`, code, r.Header.Get("Authorization"), why)
	}
	switch path := r.URL.EscapedPath(); {
	case path == "/token":
		fmt.Fprint(w, `{"access_token": "token", "token_type": "Bearer", "expires_in": 3600}`)
	case r.Header.Get("Authorization") != "Bearer token":
		refuse(http.StatusUnauthorized, "required")
	case path == "/storage/v1/b/bucket/o":
		type item struct {
			Name string `json:"name"`
		}
		var list struct {
			Items         []item `json:"items"`
			NextPageToken string `json:"nextPageToken,omitempty"`
		}
		keys, next := b.page(q.Get("prefix"), q.Get("pageToken"))
		for _, k := range keys {
			list.Items = append(list.Items, item{k})
		}
		list.NextPageToken = next
		json.NewEncoder(w).Encode(list)
	default:
		key, _ := url.PathUnescape(strings.TrimPrefix(path, "/storage/v1/b/bucket/o/"))
		if q.Get("alt") != "media" || !b.object(w, r, key) {
			refuse(http.StatusNotFound, "notFound")
		}
	}
}

func (b bucket) azServer(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	key := strings.TrimPrefix(r.URL.Path, "/me/bucket/")
	refuse := func(code int, why string) {
		w.WriteHeader(code)
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>you said %s</Message></Error>", why, q.Get("sig"))
	}
	switch {
	case q.Get("sig") == "" || r.Header.Get("X-Ms-Version") == "":
		refuse(http.StatusForbidden, "AuthenticationFailed")
	case r.URL.Path == "/me/bucket" && q.Get("comp") == "list" && q.Get("restype") == "container":
		keys, next := b.page(q.Get("prefix"), q.Get("marker"))
		fmt.Fprint(w, "<EnumerationResults><Blobs>")
		for _, k := range keys {
			fmt.Fprint(w, "<Blob><Name>")
			xml.EscapeText(w, []byte(k))
			fmt.Fprint(w, "</Name></Blob>")
		}
		fmt.Fprintf(w, "</Blobs><NextMarker>%s</NextMarker></EnumerationResults>", next)
	case !b.object(w, r, key):
		refuse(http.StatusNotFound, "BlobNotFound")
	}
}

// named makes the environment say who asks at server, or at none, for a scheme; nobody: it
// has no credentials.
func named(t *testing.T, scheme, server string, nobody bool) {
	t.Helper()
	openedMu.Lock()
	clear(opened)
	openedMu.Unlock()
	for _, name := range []string{
		"AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
		"STORAGE_EMULATOR_HOST", "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CONNECTION_STRING",
		"AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_AUTHORITY_HOST",
	} {
		t.Setenv(name, "")
	}
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"))
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_ENDPOINT_URL", server)
	old := gsHost
	gsHost = server
	t.Cleanup(func() { gsHost = old })
	switch {
	case scheme == "az":
		key := "AccountKey=" + secret + ";"
		if nobody {
			key = ""
		}
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "DefaultEndpointsProtocol=http;AccountName=me;"+key+"BlobEndpoint="+server+"/me;")
	case nobody:
		t.Setenv("STORAGE_EMULATOR_HOST", server)
	case scheme == "s3":
		t.Setenv("AWS_ACCESS_KEY_ID", "me")
		t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	case scheme == "gs":
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
		file, _ := json.Marshal(map[string]string{"type": "service_account", "client_email": "me@x.org", "private_key": string(text), "token_uri": server + "/token"})
		if err := os.WriteFile(filepath.Join(dir, "me.json"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(dir, "me.json"))
	}
}

// TestClouds: objects are found and read as files are, in the name that the environment
// says, and nothing tells what is secret in it.
func TestClouds(t *testing.T) {
	hurried(t)
	data := rows(5000)
	b := bucket{
		"logs/2024/a.csv": data, "logs/2024/b.csv.gz": compress(t, "gz", data), "logs/2025/x y+%é.csv": []byte("a\n1\n"), "logs/2025/_SUCCESS": nil, "logs/2024/a.csv.dfai": data, "logs/2024/a.dfp": data, "logs/2025/": nil,
		"logs.csv": data, "empty.csv": nil, "[a].csv": data,
	}
	for scheme, server := range map[string]http.HandlerFunc{"s3": b.s3Server, "gs": b.gsServer, "az": b.azServer} {
		t.Run(scheme, func(t *testing.T) {
			s := httptest.NewServer(server)
			defer s.Close()
			named(t, scheme, s.URL, false)
			at := scheme + "://bucket"
			for _, c := range []struct {
				name string
				want []string
			}{
				{"/logs/2024/a.csv", []string{"/logs/2024/a.csv"}},
				{"/logs/", []string{"/logs/2024/a.csv", "/logs/2024/b.csv.gz", "/logs/2025/x y+%é.csv"}},
				{"/logs/**/*.csv", []string{"/logs/2024/a.csv", "/logs/2025/x y+%é.csv"}},
				{"/logs/2024/a*", []string{"/logs/2024/a.csv", "/logs/2024/a.dfp"}},
				{"/*.csv", []string{"/[a].csv", "/empty.csv", "/logs.csv"}},
				{"/[a].csv", []string{"/[a].csv"}},
				{"", []string{"/[a].csv", "/empty.csv", "/logs.csv", "/logs/2024/a.csv", "/logs/2024/b.csv.gz", "/logs/2025/x y+%é.csv"}},
			} {
				got, err := Expand([]string{at + c.name})
				for i := range got {
					got[i] = strings.TrimPrefix(got[i], at)
				}
				if err != nil || !slices.Equal(got, c.want) {
					t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
				}
			}
			for key, want := range b {
				if strings.HasSuffix(key, "/") {
					continue
				}
				if strings.HasSuffix(key, ".gz") {
					want = data
				}
				if got, err := read(t, at+"/"+key); err != nil || got != string(want) {
					t.Errorf("%s: %d bytes, %v, want %d", key, len(got), err, len(want))
				}
			}
			fails := func(name, want string) {
				t.Helper()
				var err error
				if _, err = Expand([]string{name}); err == nil {
					_, err = Open(context.Background(), name, nil)
				}
				if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "you said") || strings.Contains(err.Error(), "sig=") {
					t.Errorf("%s: %v, want %s, and nothing that is secret", name, err, want)
				}
			}
			fails(at+"/none.csv", "the server says 404 Not Found: ")
			fails(at+"/none*", "no object matches")
			fails(at+"/none/", "no object is in this folder")
			fails(scheme+":///x", "names no bucket")
			s.Close()
			fails(at+"/logs.csv", "connection refused (tried 4 times)")
			fails(at+"/*.csv", "connection refused (tried 4 times)")

			s = httptest.NewServer(server)
			defer s.Close()
			named(t, scheme, s.URL, true)
			fails(at+"/logs.csv", "it was asked for in nobody's name")
		})
	}
}

// TestCloudNames: where things are, by the environment.
func TestCloudNames(t *testing.T) {
	for _, c := range []struct{ env, name, want string }{
		{"", "s3://bucket/a/b+c.csv", "https://bucket.s3.us-east-1.amazonaws.com/a/b%2Bc.csv"},
		{"AWS_REGION=cn-north-1", "s3://bucket/a", "https://bucket.s3.cn-north-1.amazonaws.com.cn/a"},
		{"AWS_DEFAULT_REGION=eu-west-1", "s3://my.bucket/a", "https://s3.eu-west-1.amazonaws.com/my.bucket/a"},
		{"AWS_ENDPOINT_URL=http://localhost:9000/", "s3://bucket/a", "http://localhost:9000/bucket/a"},
		{"STORAGE_EMULATOR_HOST=localhost:9000", "gs://bucket/a/b", "http://localhost:9000/storage/v1/b/bucket/o/a%2Fb?alt=media"},
		{"AZURE_STORAGE_ACCOUNT=me", "az://box/a/b c", "https://me.blob.core.windows.net/box/a/b%20c"},
		{"AZURE_STORAGE_CONNECTION_STRING=AccountName=me;EndpointSuffix=core.chinacloudapi.cn", "az://box/a", "https://me.blob.core.chinacloudapi.cn/box/a"},
		{"", "az://you.blob.core.windows.net/box/a", "https://you.blob.core.windows.net/box/a"},
		{"", "az://box/a", "az://box/a: nobody has said the account: AZURE_STORAGE_ACCOUNT"},
		{"AWS_ENDPOINT_URL=nowhere", "s3://bucket/a", "s3://bucket/a: AWS_ENDPOINT_URL is no address"},
	} {
		named(t, "", "", true)
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "")
		if name, value, ok := strings.Cut(c.env, "="); ok {
			t.Setenv(name, value)
		}
		s, key, err := storeOf(c.name)
		got := fmt.Sprint(err)
		if err == nil {
			got = s.address(key)
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, %s: %s, want %s", c.env, c.name, got, c.want)
		}
	}
}

// TestEntra: a service principal that the environment names gets a token, which no server but
// the account's is shown; what is refused says a word, and nothing that is secret.
func TestEntra(t *testing.T) {
	hurried(t)
	data := rows(50)
	b := bucket{"a.csv": data}
	asked, good := 0, true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/home/oauth2/v2.0/token" {
			asked++
			if r.FormValue("client_id") != "me" || r.FormValue("client_secret") != secret || r.FormValue("scope") != "https://storage.azure.com/.default" || !good {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprintf(w, `{"error": "invalid_client", "error_description": "you said %s"}`, r.FormValue("client_secret"))
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"access_token": "token", "token_type": "Bearer", "expires_in": 3600}`)
			return
		}
		if r.Header.Get("Authorization") != "Bearer token" || r.URL.Query().Has("sig") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		r.URL.RawQuery += "&sig=none" // azServer wants one
		b.azServer(w, r)
	}))
	defer s.Close()
	principal := func() {
		named(t, "az", s.URL, true)
		t.Setenv("AZURE_TENANT_ID", "home")
		t.Setenv("AZURE_CLIENT_ID", "me")
		t.Setenv("AZURE_CLIENT_SECRET", secret)
		t.Setenv("AZURE_AUTHORITY_HOST", s.URL+"/")
	}
	principal()
	if found, err := Expand([]string{"az://bucket/*.csv"}); err != nil || !slices.Equal(found, []string{"az://bucket/a.csv"}) {
		t.Errorf("%q, %v", found, err)
	}
	if got, err := read(t, "az://bucket/a.csv"); err != nil || got != string(data) || asked != 1 {
		t.Errorf("%d bytes, %v, %d tokens", len(got), err, asked)
	}
	for name, want := range map[string]bool{"az://you.blob.core.windows.net/box": true, "az://you.blob.core.windows.net.evil.org/box": false, "az://127.0.0.1/box": false} {
		from, _, err := storeOf(name + "/a")
		if err != nil || (from.(*az).tokens != nil) != want {
			t.Errorf("%s: %v, tokens %t", name, err, !want)
		}
	}
	good = false
	principal()
	if _, err := Open(context.Background(), "az://bucket/a.csv", nil); err == nil || !strings.Contains(err.Error(), "invalid_client") || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "you said") {
		t.Errorf("%v, want a word", err)
	}
}
