// Package matches iterates over the matches of a regular expression, so that
// the loop can stop when its context ends. An expression may read the rest of
// the text for each match, so finding all matches of a long text may take
// hours.
package matches
