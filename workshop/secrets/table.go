package secrets

import (
	"path"
	"strings"

	"atelier/formats"
)

// Row is a kind of file that usually holds secrets. Patterns match
// case-insensitively in every folder: a name with at most one * at one end, a
// folder with /**, or a file in a folder.
type Row struct {
	Pattern string
	Holds   string // "they usually hold …"
}

// Table lists the files that usually hold secrets.
var Table = []Row{
	{".env*", "passwords and keys of programs"},
	{"*.env", "passwords and keys of programs"},
	{"*.pem", "private keys"},
	{"*.key", "private keys"},
	{"*.p12", "private keys"},
	{"*.pfx", "private keys"},
	{"*.ppk", "private keys"},
	{"*.jks", "private keys"},
	{"*.keystore", "private keys"},
	{"*.p8", "private keys"},
	{"id_*", "private keys"},
	{"*.kdbx", "passwords"},
	{"*.kdb", "passwords"},
	{"*.agekey", "private keys"},
	{".netrc", "passwords"},
	{"_netrc", "passwords"},
	{".npmrc", "access tokens"},
	{".yarnrc", "access tokens"},
	{".yarnrc.yml", "access tokens"},
	{".pypirc", "access tokens"},
	{".pgpass", "passwords"},
	{"pgpass.conf", "passwords"},
	{".my.cnf", "passwords"},
	{".htpasswd", "passwords"},
	{".git-credentials", "access tokens"},
	{".vault-token", "access tokens"},
	{".s3cfg", "access keys"},
	{".boto", "access keys"},
	{".terraformrc", "access tokens"},
	{"terraform.rc", "access tokens"},
	{"*.tfstate", "passwords and keys"},
	{"*.tfstate.backup", "passwords and keys"},
	{"credentials.json", "access keys"},
	{".git/**", "access tokens and everything that was ever committed"},
	{".ssh/**", "private keys"},
	{".gnupg/**", "private keys"},
	{".password-store/**", "passwords"},
	{".aws/**", "access keys"},
	{".azure/**", "access keys"},
	{".kube/**", "access keys"},
	{".config/gcloud/**", "access keys"},
	{".docker/config.json", "access tokens"},
	{".cargo/credentials*", "access tokens"},
	{".gem/credentials", "access tokens"},
	{".m2/settings.xml", "passwords"},
	{".config/gh/hosts.yml", "access tokens"},
	{".config/rclone/rclone.conf", "passwords"},
}

// The table arranged for look-up: whole names and extensions in maps, the
// other patterns in a list.
var byName, byExt, others = func() (map[string]Row, map[string]Row, []pattern) {
	names, exts, rest := map[string]Row{}, map[string]Row{}, []pattern{}
	for _, r := range Table {
		ext, isExt := strings.CutPrefix(r.Pattern, "*")
		switch {
		case isExt && strings.LastIndexByte(ext, '.') == 0:
			exts[ext] = r
		case !strings.ContainsAny(r.Pattern, "*/"):
			names[r.Pattern] = r
		default:
			rest = append(rest, pattern{r, strings.Split(r.Pattern, "/")})
		}
	}
	return names, exts, rest
}()

type pattern struct {
	row  Row
	segs []string
}

// rowOf returns the row that matches a path, and how many of its segments it
// covers: p itself, or a folder above it.
func rowOf(p string) (row Row, segments int, ok bool) {
	segs := strings.Split(strings.ToLower(p), "/")
	name := segs[len(segs)-1]
	if r, ok := byName[name]; ok {
		return r, len(segs), true
	}
	for _, o := range others {
		want := o.segs
		if want[len(want)-1] == "**" {
			want = want[:len(want)-1]
			for i := 0; i+len(want) < len(segs); i++ {
				if segmentsMatch(want, segs[i:i+len(want)]) {
					return o.row, i + len(want), true
				}
			}
			continue
		}
		if n := len(segs) - len(want); n >= 0 && segmentsMatch(want, segs[n:]) && !isDocument(o.row, name) {
			return o.row, len(segs), true
		}
	}
	if r, ok := byExt[path.Ext(name)]; ok {
		return r, len(segs), true
	}
	return Row{}, 0, false
}

func segmentsMatch(want, have []string) bool {
	for i, w := range want {
		h := have[i]
		prefix, isPrefix := strings.CutSuffix(w, "*")
		suffix, isSuffix := strings.CutPrefix(w, "*")
		switch {
		case isPrefix && !strings.HasPrefix(h, prefix), isSuffix && !strings.HasSuffix(h, suffix):
			return false
		case !isPrefix && !isSuffix && w != h:
			return false
		}
	}
	return true
}

// isDocument reports whether a name that begins like the name of a private key
// is a document, such as id_list.xlsx, or the public key next to it.
func isDocument(r Row, name string) bool {
	return r.Pattern == "id_*" && (formats.KindOfName(name) != formats.KindBinary || path.Ext(name) == ".pub")
}
