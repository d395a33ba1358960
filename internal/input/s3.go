//go:build !noweb && !nocloud

package input

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/signer"
)

// s3 is a bucket of Amazon's S3, or of what speaks like it.
type s3 struct {
	bucket      string // its address
	credentials *credentials.Credentials
	metadata    *http.Client // asks machines for credentials

	mu     sync.Mutex
	region string // once an answer has said which it is, that
	first  string // that is in addresses
}

func newS3(bucket string) (*s3, error) {
	s := &s3{first: cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1")}
	s.region = s.first
	endpoint := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"))
	switch u, err := url.Parse(endpoint); {
	case endpoint != "" && (err != nil || u.Host == ""):
		return nil, errors.New("AWS_ENDPOINT_URL is no address")
	case endpoint != "":
		s.bucket = strings.TrimSuffix(endpoint, "/") + "/" + bucket
	case strings.Contains(bucket, "."): // certificates are for one name before the host's
		s.bucket = "https://" + hostIn(s.first) + "/" + bucket
	default:
		s.bucket = "https://" + bucket + "." + hostIn(s.first)
	}
	from := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if !strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		from = append(from, &credentials.IAM{})
	}
	s.credentials = credentials.NewChainCredentials(from)
	// Where nobody gives credentials to a machine, that is soon clear.
	s.metadata = &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: time.Second}).DialContext}}
	return s, nil
}

// hostIn is Amazon's in a region.
func hostIn(region string) string {
	host := "s3." + region + ".amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		host += ".cn"
	}
	return host
}

func (s *s3) address(key string) string { return s.bucket + "/" + escaped(key) }

func (s *s3) page(prefix, after string) string {
	q := url.Values{"list-type": {"2"}, "encoding-type": {"url"}, "prefix": {prefix}}
	if after != "" {
		q.Set("continuation-token", after)
	}
	return s.bucket + "/?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

func (s *s3) keys(list []byte) (keys []string, next string, err error) {
	var l struct {
		Contents              []struct{ Key string }
		EncodingType          string
		NextContinuationToken string
	}
	if err := xml.Unmarshal(list, &l); err != nil {
		return nil, "", err
	}
	for _, c := range l.Contents {
		if l.EncodingType == "url" {
			if c.Key, err = url.QueryUnescape(c.Key); err != nil {
				return nil, "", err
			}
		}
		keys = append(keys, c.Key)
	}
	return keys, l.NextContinuationToken, nil
}

// emptySHA256 is the sum of a request that has no body.
const emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// send signs a request. Who asks in a wrong region is told the right one, once.
func (s *s3) send(req *http.Request) (*http.Response, error) {
	who, err := s.credentials.GetWithContext(&credentials.CredContext{Client: s.metadata})
	if err != nil {
		return nil, fmt.Errorf("the credentials cannot be read: %w", err)
	}
	s.mu.Lock()
	region := s.region
	s.mu.Unlock()
	for told := false; ; told = true {
		signed := req.Clone(req.Context())
		signed.URL.Host = strings.Replace(signed.URL.Host, hostIn(s.first), hostIn(region), 1)
		signed.Host = signed.URL.Host
		if who.AccessKeyID != "" {
			signed.Header.Set("X-Amz-Content-Sha256", emptySHA256)
			signed = signer.SignV4(*signed, who.AccessKeyID, who.SecretAccessKey, who.SessionToken, region)
		}
		resp, err := cloudClient.Do(signed)
		if err != nil {
			return nil, err
		}
		right := resp.Header.Get("X-Amz-Bucket-Region")
		if resp.StatusCode < 300 || told || right == "" || right == region {
			return refused(resp, who.AccessKeyID == ""), nil
		}
		resp.Body.Close()
		s.mu.Lock()
		region, s.region = right, right
		s.mu.Unlock()
	}
}
