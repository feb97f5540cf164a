package pdf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
)

// ChunkPages is how many pages one chunk has (W-42).
const ChunkPages = 5

// parsePages turns "2", "1-5" or "1,3-4" (1-based) into 0-based page numbers,
// in the order given. All pages when s is blank (W-40).
func parsePages(s string, count int) ([]int, error) {
	if strings.TrimSpace(s) == "" {
		all := make([]int, count)
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	bad := func(why string) error {
		return formats.Errorf(formats.CodeInvalid, "invalid page range: %q %s; the document has %d pages, give them as 2, 1-5 or 1,3-4", s, why, count)
	}
	var pages []int
	for _, item := range strings.Split(s, ",") {
		from, to, isRange := strings.Cut(item, "-")
		if !isRange {
			to = from
		}
		a, errA := strconv.Atoi(strings.TrimSpace(from))
		b, errB := strconv.Atoi(strings.TrimSpace(to))
		switch {
		case errA != nil || errB != nil:
			return nil, bad("is not numeric")
		case a > b:
			return nil, bad("is inverted")
		case a < 1 || b > count:
			return nil, bad("is out of range")
		case len(pages)+b-a >= 10*count+100:
			return nil, bad("names pages too often")
		}
		for p := a; p <= b; p++ {
			pages = append(pages, p-1)
		}
	}
	return pages, nil
}

// chunkOf describes a read of the given pages (0-based) of count; nil when the
// whole document was read.
func chunkOf(pages []int, count int) *formats.ChunkInfo {
	if len(pages) == 0 || len(pages) >= count && pages[0] == 0 {
		return nil
	}
	last := slices.Max(pages)
	c := &formats.ChunkInfo{
		ChunkIndex: pages[0] / ChunkPages, TotalChunks: (count + ChunkPages - 1) / ChunkPages,
		HasMore: last < count-1, Range: "pages " + ranges(pages),
	}
	if c.HasMore {
		c.Next = fmt.Sprintf("pages=%s", pageRange(last+1, min(last+ChunkPages, count-1)))
	}
	return c
}

// ranges writes 0-based page numbers as people do: "1-3,7".
func ranges(pages []int) string {
	var parts []string
	for i := 0; i < len(pages); {
		j := i
		for j+1 < len(pages) && pages[j+1] == pages[j]+1 {
			j++
		}
		parts = append(parts, pageRange(pages[i], pages[j]))
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func pageRange(from, to int) string {
	if from == to {
		return strconv.Itoa(from + 1)
	}
	return fmt.Sprintf("%d-%d", from+1, to+1)
}
