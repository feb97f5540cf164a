package audit

import (
	"context"
	"strconv"
	"strings"

	"atelier/internal/lazyregexp"
)

// numbers are those that the sections and clauses of a document have.
type numbers struct {
	all     map[string]bool            // "4.2"
	parts   map[string]map[string]bool // by number: the letters of its items, "b"
	heads   int                        // numbered headings
	marked  map[string]int             // how many have a word or § before them
	dotted  map[int]int                // how many numbers have so many dots
	parents map[string]bool            // numbers with dotted ones below them
}

const numberPattern = `\d{1,3}(?:\.\d{1,3}){0,6}`

var (
	// A number at the start of a paragraph: with a word, alone.
	wordNumber = lazyregexp.New(`^[\s\x{a0}]*(§+|\pL{4,12}\.?)[\s\x{a0}]+(` + numberPattern + `)(\.?[\s\x{a0}]*$|[.):]*[\t:–—]|[.)][\s\x{a0}]|[\s\x{a0}]+[-–—|]|[\s\x{a0}]+\S)`)
	bareNumber = lazyregexp.New(`^[\s\x{a0}]*\(?(` + numberPattern + `)(?:[.):]*[\s\x{a0}]|[.):]*$)`)
	itemLetter = lazyregexp.New(`^[\s\x{a0}]*\(?([a-z]{1,4})[.)](?:[\s\x{a0}]|$)`)
	inlineItem = lazyregexp.New(`\(([a-z]{1,4})\)`)
	labelNum   = lazyregexp.New(numberPattern)
	wordAhead  = lazyregexp.New(`^\s*(?:§|\pL{3,})`)

	// Words that mostly refer to laws, unless the document has some of its own.
	lawWord = lazyregexp.New(`^(?i:art[ií]c|artik|artig|§)`)
)

// shortLine is how long a paragraph may be that has a word and a number at its
// start, as "Article 5 Payment", and is their heading.
const shortLine = 80

// sectionNumbers collects the numbers of sections, clauses and their items, once.
func (a *auditing) sectionNumbers(ctx context.Context) *numbers {
	if a.num != nil {
		return a.num
	}
	n := &numbers{all: map[string]bool{}, parts: map[string]map[string]bool{}, dotted: map[int]int{}, marked: map[string]int{}, parents: map[string]bool{}}
	current := ""
	var above [10]string // numbers of headings by level
	a.each(ctx, func(_ int, p *Para) {
		if p.Note || p.Edge || p.TOC {
			return
		}
		if num, word := p.number(); num != "" {
			n.add(num)
			if p.Level > 0 {
				n.heads++
				above[p.Level] = num
			}
			if word != "" {
				n.marked[word]++
			}
			n.below(num, above[:max(0, p.Level)], current)
			current = num
		} else if m := itemLetter.FindStringSubmatch(p.Label + " "); m != nil {
			n.addPart(current, m[1])
		} else if m := itemLetter.FindStringSubmatch(p.Text); m != nil {
			n.addPart(current, m[1])
		}
		for _, m := range inlineItem.FindAllStringSubmatch(p.Text, 40) {
			n.addPart(current, m[1])
		}
	})
	a.num = n
	return n
}

// number returns the number at the start of a paragraph, of its list or typed, and
// the word or § before it.
func (p *Para) number() (num, word string) {
	if p.Label != "" {
		return strings.TrimRight(labelNum.FindString(p.Label), "."), class(strings.TrimSpace(wordAhead.FindString(p.Label)))
	}
	if m := wordNumber.FindStringSubmatch(p.Text); m != nil {
		loose := strings.TrimSpace(m[3]) != "" && !strings.ContainsAny(m[3], "\t:–—-|.)") // words follow
		if !loose || p.Level > 0 || len(p.Text) < shortLine && !strings.HasSuffix(strings.TrimSpace(p.Text), ".") {
			return m[2], class(m[1])
		}
	}
	if m := bareNumber.FindStringSubmatch(p.Text); m != nil {
		return m[1], ""
	}
	return "", ""
}

func (n *numbers) add(num string) {
	if n.all[num] {
		return
	}
	n.all[num] = true
	n.dotted[strings.Count(num, ".")]++
	for i := range num {
		if num[i] == '.' {
			n.all[num[:i]] = true // 4.2 stands in 4
			n.parents[num[:i]] = true
		}
	}
}

// below adds the number that one has with those above it, where labels show only
// their own: 2 below the heading 4 may be meant by 4.2.
func (n *numbers) below(num string, above []string, current string) {
	for _, up := range append(above, current) {
		if up != "" && strings.Count(up, ".") < 3 && !strings.HasPrefix(num, up+".") {
			n.all[up+"."+num] = true
		}
	}
}

// addPart notes an item of a number and of those above it.
func (n *numbers) addPart(num, letter string) {
	for num != "" {
		if n.parts[num] == nil {
			n.parts[num] = map[string]bool{}
		}
		n.parts[num][letter] = true
		num = num[:max(0, strings.LastIndexByte(num, '.'))]
	}
}

// lacks reports whether a number is surely none of the document: its sections must
// be numbered in a way in which it would be found.
func (n *numbers) lacks(word, num string) bool {
	own := n.marked[class(word)]
	if n.all[num] || n.heads < 3 && own < 3 && n.dotted[1] < 3 || lawWord.MatchString(word) && own < 3 {
		return false
	}
	up := num[:max(0, strings.LastIndexByte(num, '.'))]
	if up == "" {
		k, err := strconv.Atoi(num)
		return err == nil && n.all["1"] && n.all["2"] && n.all["3"] && k <= 3*n.dotted[0]+20
	}
	return n.parents[up] || n.dotted[strings.Count(num, ".")] >= 3
}

// lacksPart reports whether a number has items of which a letter is none.
func (n *numbers) lacksPart(num, letter string) bool {
	return n.all[num] && len(n.parts[num]) > 0 && !n.parts[num][letter]
}
