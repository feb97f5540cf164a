package s3

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Config says which bucket of which store, and with which keys.
type Config struct {
	Bucket   string
	Endpoint string // https://HOST[:PORT]; "": Amazon's of the region
	Region   string // "": us-east-1
	// PathStyle: the bucket is part of the path, not of the host's name.
	PathStyle bool
	// Plain allows http:// beyond the loopback interface.
	Plain bool

	Key, Secret string
	Token       string // of a session; "": none

	Patience time.Duration // how long a request is tried again; 0: 15 seconds
	Silence  time.Duration // after which a request is given up; 0: 15 seconds
}

// Client reaches one bucket. It is safe for concurrent use.
type Client struct {
	cfg  Config
	base *url.URL // of the bucket, without a slash at the end
	http *http.Client
	now  func() time.Time
}

// ErrPlain says that an address is neither encrypted nor on this machine.
var ErrPlain = errors.New("the address of the store is not encrypted: documents would be readable on the network")

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	regionName = regexp.MustCompile(`^[a-zA-Z0-9-]{1,64}$`)
)

// New makes a client; it reaches nothing yet.
func New(cfg Config) (*Client, error) {
	if cfg.Region == "" {
		cfg.Region = "us-east-1"
	}
	if cfg.Patience == 0 {
		cfg.Patience = 15 * time.Second
	}
	if cfg.Silence == 0 {
		cfg.Silence = 15 * time.Second
	}
	switch {
	case !bucketName.MatchString(cfg.Bucket):
		return nil, fmt.Errorf("%q is not the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens", cfg.Bucket)
	case !regionName.MatchString(cfg.Region):
		return nil, fmt.Errorf("%q is not the name of a region, such as eu-central-1", cfg.Region)
	case cfg.Key == "" || cfg.Secret == "":
		return nil, errors.New("the keys of the store are missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case strings.ContainsAny(cfg.Key+cfg.Secret+cfg.Token, "\r\n"):
		return nil, errors.New("a key of the store has a line break: look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN")
	}
	base, err := cfg.address()
	if err != nil {
		return nil, err
	}
	dial := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}
	return &Client{cfg: cfg, base: base, now: time.Now, http: &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dial.DialContext, TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConnsPerHost: 32, IdleConnTimeout: 30 * time.Second, ExpectContinueTimeout: time.Second,
			DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// address is that of the bucket.
func (cfg *Config) address() (*url.URL, error) {
	text := cfg.Endpoint
	if text == "" {
		text = "https://s3." + cfg.Region + ".amazonaws.com"
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery+u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		if err == nil && u.User != nil {
			text = u.Host
		}
		return nil, fmt.Errorf("%q is not the address of a store: write https://HOST or https://HOST:PORT", text)
	}
	if u.User != nil {
		return nil, errors.New("the address of the store has a user in it: give the keys by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	if u.Scheme == "http" && !cfg.Plain && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("%s: %w", u.Host, ErrPlain)
	}
	host := strings.ToLower(u.Host)
	if u.Scheme == "http" {
		host = strings.TrimSuffix(host, ":80")
	} else {
		host = strings.TrimSuffix(host, ":443")
	}
	if cfg.PathStyle {
		return &url.URL{Scheme: u.Scheme, Host: host, Path: "/" + cfg.Bucket}, nil
	}
	return &url.URL{Scheme: u.Scheme, Host: cfg.Bucket + "." + host}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Host is where the bucket is reached, for people.
func (c *Client) Host() string { return c.base.Scheme + "://" + c.base.Host }

// Close ends the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }
