package clustertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Secure are the files with which a client reaches servers that take only TLS with
// certificates on both sides, and users with credentials.
type Secure struct {
	CA, Cert, Key string // PEM
	Credentials   string // a user's JWT with its key

	serverCert, serverKey string
	conf                  string
}

// StartSecure starts a server that takes only TLS and credentials, and returns the files
// that a client needs.
func StartSecure(t testing.TB) (*Servers, *Secure) {
	t.Helper()
	sec := &Secure{}
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(sec.certificates(dir))
	must(sec.accounts(dir))
	return start(t, 1, Options{Conf: sec.conf}, []nats.Option{nats.RootCAs(sec.CA), nats.ClientCert(sec.Cert, sec.Key), nats.UserCredentials(sec.Credentials)}), sec
}

// certificates makes an authority with a certificate of the server and one of a client.
func (s *Secure) certificates(dir string) error {
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	ca, err := x509.CreateCertificate(rand.Reader, authority, authority, &caKey.PublicKey, caKey)
	if err != nil {
		return err
	}
	if s.CA, err = writePEM(dir, "ca.pem", "CERTIFICATE", ca); err != nil {
		return err
	}
	pair := func(name string, serial int64) (cert, key string, err error) {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return "", "", err
		}
		der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, authority, &k.PublicKey, caKey)
		if err != nil {
			return "", "", err
		}
		private, err := x509.MarshalECPrivateKey(k)
		if err != nil {
			return "", "", err
		}
		if cert, err = writePEM(dir, name+".pem", "CERTIFICATE", der); err != nil {
			return "", "", err
		}
		key, err = writePEM(dir, name+".key", "EC PRIVATE KEY", private)
		return cert, key, err
	}
	if s.serverCert, s.serverKey, err = pair("server", 2); err != nil {
		return err
	}
	if s.Cert, s.Key, err = pair("client", 3); err != nil {
		return err
	}
	s.conf = fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }\n", s.serverCert, s.serverKey, s.CA)
	return nil
}

func writePEM(dir, name, kind string, der []byte) (string, error) {
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

// accounts makes an operator, an account with JetStream, and a user of it.
func (s *Secure) accounts(dir string) error {
	operator, err := nkeys.CreateOperator()
	if err != nil {
		return err
	}
	account := func(name string, storage int64) (nkeys.KeyPair, string, string, error) {
		pair, err := nkeys.CreateAccount()
		if err != nil {
			return nil, "", "", err
		}
		public, err := pair.PublicKey()
		if err != nil {
			return nil, "", "", err
		}
		claims := jwt.NewAccountClaims(public)
		claims.Name = name
		claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: storage, DiskStorage: storage, Streams: storage, Consumer: storage}
		signed, err := claims.Encode(operator)
		return pair, public, signed, err
	}
	_, system, systemJWT, err := account("SYS", 0)
	if err != nil {
		return err
	}
	pair, public, accountJWT, err := account("atelier", -1)
	if err != nil {
		return err
	}
	operatorPublic, err := operator.PublicKey()
	if err != nil {
		return err
	}
	claims := jwt.NewOperatorClaims(operatorPublic)
	claims.Name, claims.SystemAccount = "operator", system
	operatorJWT, err := claims.Encode(operator)
	if err != nil {
		return err
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	userPublic, err := user.PublicKey()
	if err != nil {
		return err
	}
	userJWT, err := jwt.NewUserClaims(userPublic).Encode(pair)
	if err != nil {
		return err
	}
	seed, err := user.Seed()
	if err != nil {
		return err
	}
	credentials, err := jwt.FormatUserConfig(userJWT, seed)
	if err != nil {
		return err
	}
	s.Credentials = filepath.Join(dir, "user.creds")
	s.conf += fmt.Sprintf("operator: %q\nsystem_account: %q\nresolver: MEMORY\nresolver_preload: { %s: %q, %s: %q }\n", operatorJWT, system, system, systemJWT, public, accountJWT)
	return os.WriteFile(s.Credentials, credentials, 0o600)
}
