package main

import (
	"cmp"
	"errors"

	"github.com/spf13/pflag"

	"atelier/internal/replica/bucket"
	"atelier/internal/s3"
)

// contentsFlags say where a cluster keeps the large contents of its workspaces.
type contentsFlags struct {
	place, endpoint, region string
	pathStyle, plain        bool
	style                   *pflag.Flag
}

func (c *contentsFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&c.place, "cluster-contents", "", "keep large contents in this bucket instead of the NATS servers: s3://BUCKET or s3://BUCKET/PREFIX; the same on all servers. Its keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	fl.StringVar(&c.endpoint, "s3-endpoint", "", "address of the store of the bucket, https://HOST[:PORT] (AWS_ENDPOINT_URL_S3); default Amazon's")
	fl.StringVar(&c.region, "s3-region", "", "region of the bucket (AWS_REGION); default us-east-1")
	fl.BoolVar(&c.pathStyle, "s3-path-style", false, "name the bucket in the path instead of the host; default with --s3-endpoint")
	fl.BoolVar(&c.plain, "s3-allow-http", false, "send contents to an http:// address beyond this machine, readable on the network")
	c.style = fl.Lookup("s3-path-style")
}

// check refuses flags that do nothing without --cluster-contents.
func (c *contentsFlags) check() error {
	if c.place == "" && (c.endpoint != "" || c.region != "" || c.style.Changed || c.plain) {
		return errors.New("--s3-endpoint, --s3-region, --s3-path-style and --s3-allow-http need --cluster-contents s3://BUCKET")
	}
	return nil
}

// open returns the place, nil where there is none.
func (c *contentsFlags) open(s *settings) (*bucket.Place, error) {
	if c.place == "" {
		return nil, nil
	}
	endpoint := cmp.Or(c.endpoint, s.env.get("AWS_ENDPOINT_URL_S3"), s.env.get("AWS_ENDPOINT_URL"))
	style := endpoint != ""
	if c.style.Changed {
		style = c.pathStyle
	}
	p, err := bucket.OpenPlace(c.place, s3.Config{
		Endpoint: endpoint, Region: cmp.Or(c.region, s.env.get("AWS_REGION"), s.env.get("AWS_DEFAULT_REGION")), PathStyle: style, Plain: c.plain,
		Key: s.env.get("AWS_ACCESS_KEY_ID"), Secret: s.env.get("AWS_SECRET_ACCESS_KEY"), Token: s.env.get("AWS_SESSION_TOKEN"),
	})
	if errors.Is(err, s3.ErrPlain) {
		err = errors.Join(err, errors.New("use https, or allow it with --s3-allow-http if the network is yours alone"))
	}
	if err != nil {
		return nil, usageError{err}
	}
	return p, nil
}
