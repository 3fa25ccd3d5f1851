package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority is a certification authority of a test's own.
type authority struct {
	t           testing.TB
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) authority {
	t.Helper()
	a := authority{t: t, key: newKey(t)}
	a.certificate = a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, &a.key.PublicKey)
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign makes a certificate that is good for an hour; without an issuer it signs itself.
func (a authority) sign(template, issuer *x509.Certificate, public *ecdsa.PublicKey) *x509.Certificate {
	a.t.Helper()
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
	if issuer == nil {
		issuer = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, public, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return certificate
}

// issue makes the certificate of a server on this machine, or of a client.
func (a authority) issue(name string, usage x509.ExtKeyUsage) tls.Certificate {
	a.t.Helper()
	key := newKey(a.t)
	leaf := a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{usage},
	}, a.certificate, &key.PublicKey)
	return tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}
}

func (a authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// write puts the authority's certificate and a server's into dir, as ca.crt, server.crt and server.key.
func (a authority) write(dir string, server tls.Certificate) {
	a.t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(server.PrivateKey)
	if err != nil {
		a.t.Fatal(err)
	}
	for name, block := range map[string]pem.Block{
		"ca.crt":     {Type: "CERTIFICATE", Bytes: a.certificate.Raw},
		"server.crt": {Type: "CERTIFICATE", Bytes: server.Certificate[0]},
		"server.key": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
}
