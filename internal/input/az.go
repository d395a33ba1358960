//go:build !noweb && !nocloud

package input

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// az is a container of Azure Blob Storage.
type az struct {
	container string     // its address
	signature url.Values // what is added to it, in place of credentials
	tokens    oauth2.TokenSource
}

// azVersion is the version of the interface that is spoken.
const azVersion = "2021-12-02"

func newAz(name string) (*az, error) {
	said := map[string]string{}
	for _, pair := range strings.Split(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), ";") {
		key, value, _ := strings.Cut(pair, "=")
		said[strings.TrimSpace(key)] = value
	}
	account := cmp.Or(said["AccountName"], os.Getenv("AZURE_STORAGE_ACCOUNT"), os.Getenv("AZURE_STORAGE_ACCOUNT_NAME"))
	key := cmp.Or(said["AccountKey"], os.Getenv("AZURE_STORAGE_KEY"), os.Getenv("AZURE_STORAGE_ACCOUNT_KEY"))
	signature := cmp.Or(said["SharedAccessSignature"], os.Getenv("AZURE_STORAGE_SAS_TOKEN"))
	endpoint, suffix := said["BlobEndpoint"], ".blob."+cmp.Or(said["EndpointSuffix"], "core.windows.net")
	trusted := true // with tokens, which are for all accounts
	if host, container, ok := strings.Cut(name, "/"); ok {
		own, _, _ := strings.Cut(host, ".")
		if own != account { // they are of another
			key, signature = "", ""
		}
		account, endpoint, name = own, "https://"+host, container
		trusted = host == own+suffix
	}
	if endpoint == "" {
		if account == "" {
			return nil, errors.New("nobody has said the account: AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_CONNECTION_STRING does, or az://ACCOUNT.blob.core.windows.net/CONTAINER/PATH")
		}
		endpoint = cmp.Or(said["DefaultEndpointsProtocol"], "https") + "://" + account + suffix
	}
	s := &az{container: strings.TrimSuffix(endpoint, "/") + "/" + url.PathEscape(name)}
	var err error
	switch {
	case signature != "":
		if s.signature, err = url.ParseQuery(strings.TrimPrefix(signature, "?")); err != nil {
			return nil, errors.New("the shared access signature cannot be read")
		}
	case key != "":
		s.signature, err = signedAz(account, key, time.Now().Add(7*24*time.Hour))
	case trusted:
		s.tokens = entraTokens()
	}
	return s, err
}

// entraTokens are those of the service principal that the environment names, nil if it names
// none: learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow.
func entraTokens() oauth2.TokenSource {
	tenant, id, secret := os.Getenv("AZURE_TENANT_ID"), os.Getenv("AZURE_CLIENT_ID"), os.Getenv("AZURE_CLIENT_SECRET")
	if tenant == "" || id == "" || secret == "" {
		return nil
	}
	host := strings.TrimSuffix(cmp.Or(os.Getenv("AZURE_AUTHORITY_HOST"), "https://login.microsoftonline.com"), "/")
	config := clientcredentials.Config{
		ClientID: id, ClientSecret: secret, AuthStyle: oauth2.AuthStyleInParams,
		TokenURL: host + "/" + url.PathEscape(tenant) + "/oauth2/v2.0/token", Scopes: []string{"https://storage.azure.com/.default"},
	}
	return config.TokenSource(context.Background())
}

// tokenOf is a token; of an answer that is a refusal the error says the word for it, and no more.
func tokenOf(tokens oauth2.TokenSource) (*oauth2.Token, error) {
	token, err := tokens.Token()
	if refusal := (*oauth2.RetrieveError)(nil); errors.As(err, &refusal) {
		err = errors.New(cmp.Or(refusal.ErrorCode, refusal.Response.Status))
	}
	if err != nil {
		return nil, fmt.Errorf("there is no token for the credentials: %w", err)
	}
	return token, nil
}

// sendWith sends a request with a token, if there are tokens; anonymous: nothing says who asks.
func sendWith(tokens oauth2.TokenSource, req *http.Request, anonymous bool) (*http.Response, error) {
	if tokens != nil {
		token, err := tokenOf(tokens)
		if err != nil {
			return nil, err
		}
		token.SetAuthHeader(req)
	}
	resp, err := cloudClient.Do(req)
	if err != nil {
		return nil, err
	}
	return refused(resp, anonymous), nil
}

// signedAz lets who has it read and list blobs of an account, for as long as that: a
// shared access signature, learn.microsoft.com/rest/api/storageservices/create-account-sas.
func signedAz(account, key string, until time.Time) (url.Values, error) {
	secret, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return nil, errors.New("the account's key is no base64")
	}
	q := url.Values{"sv": {azVersion}, "ss": {"b"}, "srt": {"co"}, "sp": {"rl"}, "se": {until.UTC().Format("2006-01-02T15:04:05Z")}}
	sum := hmac.New(sha256.New, secret)
	for _, part := range []string{account, q.Get("sp"), q.Get("ss"), q.Get("srt"), "", q.Get("se"), "", "", q.Get("sv"), ""} {
		sum.Write([]byte(part + "\n"))
	}
	q.Set("sig", base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	return q, nil
}

func (s *az) address(key string) string { return s.container + "/" + escaped(key) }

func (s *az) page(prefix, after string) string {
	q := url.Values{"restype": {"container"}, "comp": {"list"}, "prefix": {prefix}}
	if after != "" {
		q.Set("marker", after)
	}
	return s.container + "?" + q.Encode()
}

func (s *az) keys(list []byte) (keys []string, next string, err error) {
	var l struct {
		Names      []string `xml:"Blobs>Blob>Name"`
		NextMarker string
	}
	err = xml.Unmarshal(list, &l)
	return l.Names, l.NextMarker, err
}

func (s *az) send(req *http.Request) (*http.Response, error) {
	req.Header.Set("X-Ms-Version", azVersion)
	q := req.URL.Query()
	for name, values := range s.signature {
		q[name] = values
	}
	req.URL.RawQuery = q.Encode()
	return sendWith(s.tokens, req, s.signature == nil && s.tokens == nil)
}
