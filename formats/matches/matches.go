// Package matches finds what a regular expression matches, as
// [regexp.Regexp.FindAllStringSubmatchIndex] does, and gives up when its context
// is done: an expression may look at the rest of a text for each match, so that
// the matches of a long text may take hours.
package matches

import (
	"context"
	"fmt"
	"regexp"
	"unicode/utf8"
	"unsafe"
)

// All lists the matches in text. With groups each match also has the offsets of
// the groups of the expression.
func All(ctx context.Context, re *regexp.Regexp, text string, groups bool) (all [][]int, err error) {
	defer func() {
		if stop := recover(); stop == errStop {
			all, err = nil, ctx.Err()
		} else if stop != nil {
			panic(stop)
		}
	}()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	// The regexp package has no loop over matches that can be left: this one is,
	// by a panic.
	re.ReplaceAllStringFunc(text, func(match string) string {
		if ctx.Err() != nil {
			panic(errStop)
		}
		if match != "" { // a slice of text
			start := int(uintptr(unsafe.Pointer(unsafe.StringData(match))) - uintptr(unsafe.Pointer(unsafe.StringData(text))))
			all = append(all, []int{start, start + len(match)})
		}
		return ""
	})
	if !groups || re.NumSubexp() == 0 {
		return all, nil
	}
	return all, addGroups(ctx, re, text, all)
}

var errStop = fmt.Errorf("the context is done")

// addGroups finds the groups of each match again: anchored where it begins,
// behind the character that \b and (?m)^ look at.
func addGroups(ctx context.Context, re *regexp.Regexp, text string, all [][]int) error {
	behind, err := regexp.Compile(`\A(?s:.)(?:` + re.String() + `)`)
	if err != nil {
		return err
	}
	for i, m := range all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if m[0] == 0 {
			all[i] = re.FindStringSubmatchIndex(text)
			continue
		}
		_, n := utf8.DecodeLastRuneInString(text[:m[0]])
		from := m[0] - n
		g := behind.FindStringSubmatchIndex(text[from:])
		if g == nil {
			continue
		}
		for k := range g {
			if g[k] >= 0 {
				g[k] += from
			}
		}
		g[0] = m[0]
		all[i] = g
	}
	return nil
}
