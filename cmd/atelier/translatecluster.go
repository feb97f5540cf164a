package main

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
)

// clusterID names a job in a cluster: the same command on the same machine continues it.
func (f *translateFlags) clusterID() string {
	place := f.out
	if f.place.on {
		place = f.place.in
	}
	if abs, err := filepath.Abs(place); err == nil {
		place = abs
	}
	h := sha256.Sum256([]byte(strings.Join([]string{hostName(), place, f.from, strings.Join(f.to, ",")}, "\x00")))
	return hex.EncodeToString(h[:6])
}
