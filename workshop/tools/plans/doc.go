// Package plans has the tools that work on plans: text files below /plans/ of
// type plan, named by three words, that begin with a title, a status and a date
// as YAML front matter. Catalogues bind them (package catalogue).
package plans
