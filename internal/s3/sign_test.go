package s3

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The examples of "Authenticating Requests: Using the Authorization Header (AWS Signature
// Version 4)", Transferring Payload in a Single Chunk:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
func TestSignatureExamples(t *testing.T) {
	c, err := New(Config{Bucket: "examplebucket", Endpoint: "https://s3.amazonaws.com", Key: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"})
	require.NoError(t, err)
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for _, e := range []struct {
		name, method, path, query, hash, signed, signature string
		header                                             map[string]string
	}{
		{"GET Object", "GET", "/test.txt", "", emptyHash, "host;range;x-amz-content-sha256;x-amz-date",
			"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41", map[string]string{"Range": "bytes=0-9"}},
		{"PUT Object", "PUT", "/test$file.text", "", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072", "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
			"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd", map[string]string{"Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY"}},
		{"GET Bucket Lifecycle", "GET", "/", "lifecycle=", emptyHash, "host;x-amz-content-sha256;x-amz-date",
			"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543", nil},
		{"List Objects", "GET", "/", "prefix=J&max-keys=2", emptyHash, "host;x-amz-content-sha256;x-amz-date",
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7", nil},
	} {
		t.Run(e.name, func(t *testing.T) {
			r, err := http.NewRequest(e.method, "https://examplebucket.s3.amazonaws.com"+e.path+"?"+e.query, nil)
			require.NoError(t, err)
			for name, value := range e.header {
				r.Header.Set(name, value)
			}
			c.sign(r, e.hash, at)
			assert.Equal(t, "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="+e.signed+",Signature="+e.signature, r.Header.Get("Authorization"))
		})
	}
}

// What was signed is what is sent: the path and the query, whatever is in the names.
func TestRequestAsSigned(t *testing.T) {
	c, err := New(Config{Bucket: "documents", Endpoint: "https://store.example:9000", PathStyle: true, Key: "k", Secret: "s"})
	require.NoError(t, err)
	r, err := c.request(t.Context(), call{op: "GET", object: "a b+c/ü$~%2F"})
	require.NoError(t, err)
	assert.Equal(t, "/documents/a%20b%2Bc/%C3%BC%24~%252F", r.URL.RequestURI())
	r, err = c.request(t.Context(), call{op: "GET", query: map[string][]string{"prefix": {"a b/+"}, "list-type": {"2"}}})
	require.NoError(t, err)
	assert.Equal(t, "/documents?list-type=2&prefix=a%20b%2F%2B", r.URL.RequestURI())
	host, err := New(Config{Bucket: "documents", Region: "eu-central-1", Key: "k", Secret: "s"})
	require.NoError(t, err)
	r, err = host.request(t.Context(), call{op: "PUT", object: "a"})
	require.NoError(t, err)
	assert.Equal(t, "https://documents.s3.eu-central-1.amazonaws.com/a", r.URL.String())
}

func TestConfigRefused(t *testing.T) {
	good := Config{Bucket: "documents", Endpoint: "https://store.example", Key: "key", Secret: "hidden-secret"}
	_, err := New(good)
	require.NoError(t, err)
	for says, change := range map[string]func(*Config){
		"is not the name of a bucket":        func(c *Config) { c.Bucket = "Up" },
		"is not the name of a region":        func(c *Config) { c.Region = "eu/x" },
		"AWS_SECRET_ACCESS_KEY":              func(c *Config) { c.Secret = "" },
		"has a line break":                   func(c *Config) { c.Secret = "hidden-secret\n" },
		"is not the address of a store":      func(c *Config) { c.Endpoint = "store.example" },
		"write https://HOST":                 func(c *Config) { c.Endpoint = "https://store.example/path" },
		"has a user in it":                   func(c *Config) { c.Endpoint = "https://u:hidden-secret@store.example" },
		"is not encrypted":                   func(c *Config) { c.Endpoint = "http://store.example" },
		"\"store.example\" is not the addre": func(c *Config) { c.Endpoint = "ftp://u:hidden-secret@store.example" },
	} {
		cfg := good
		change(&cfg)
		_, err := New(cfg)
		require.ErrorContains(t, err, says)
		assert.NotContains(t, err.Error(), "hidden-secret")
	}
	for _, endpoint := range []string{"http://localhost:9000", "http://127.0.0.1:9000", "http://[::1]:9000"} {
		good.Endpoint = endpoint
		_, err := New(good)
		require.NoError(t, err)
	}
	good.Endpoint, good.Plain = "http://store.example", true
	_, err = New(good)
	require.NoError(t, err)
}
