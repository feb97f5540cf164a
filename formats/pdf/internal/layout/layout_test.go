package layout

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// page is a page of 600 × 800 points, whose characters are 5 wide and 8 high.
type page struct{ Page }

func newPage() *page { return &page{Page{Width: 600, Height: 800}} }

// line writes texts at positions of a line.
func (p *page) line(y float64, texts ...any) *page {
	for i := 0; i < len(texts); i += 2 {
		x, sep := float64(texts[i].(int)), " "
		if i == 0 && p.Plain != "" {
			sep = "\n"
		}
		for k, word := range strings.Fields(texts[i+1].(string)) {
			if k > 0 {
				sep = " "
			}
			if p.Plain != "" {
				p.Plain += sep
			}
			wide := 5 * float64(utf8.RuneCountInString(word))
			p.Words = append(p.Words, Word{Start: len(p.Plain), End: len(p.Plain) + len(word), Box: Box{x, y - 8, x + wide, y}, Base: y})
			p.Plain += word
			x += wide + 3
		}
	}
	return p
}

// rules draws level lines at ys and upright ones at xs.
func (p *page) rules(xs, ys []float64) *page {
	for _, y := range ys {
		p.Lines = append(p.Lines, Line{From: Point{xs[0], y}, To: Point{xs[len(xs)-1], y}})
	}
	for _, x := range xs {
		p.Lines = append(p.Lines, Line{From: Point{x, ys[0]}, To: Point{x, ys[len(ys)-1]}})
	}
	return p
}

func (p *page) read() string {
	text, _ := p.Text(context.Background())
	return text
}

func TestAligned(t *testing.T) {
	p := newPage().line(100, 50, "Stock in March").
		line(130, 50, "Item", 150, "Place", 250, "Units").
		line(150, 50, "A-1", 150, "North", 265, "12").
		line(170, 50, "A-2", 270, "7").
		line(190, 50, "A-3", 150, "South hall").
		line(201, 150, "second floor").
		line(220, 50, "A-4", 150, "East", 255, "1,200").
		line(260, 50, "All counted by hand.")
	require.Equal(t, "Stock in March\nItem\tPlace\tUnits\nA-1\tNorth\t12\nA-2\t\t7\nA-3\tSouth hall second floor\t\nA-4\tEast\t1,200\nAll counted by hand.", p.read())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	text, ok := p.Text(ctx)
	require.False(t, ok)
	require.Equal(t, p.Plain, text)
}

func TestLined(t *testing.T) {
	p := newPage().line(112, 55, "Year", 155, "2024").
		line(132, 55, "Costs", 155, "10").
		line(142, 55, "of travel").
		line(162, 55, "Rent").
		rules([]float64{50, 150, 250}, []float64{100, 120, 150, 170})
	require.Equal(t, "Year\t2024\nCosts of travel\t10\nRent\t\n", p.read())
	// A hyphen at the end of a line in a cell.
	p.Plain = strings.Replace(p.Plain, "Costs", "Cost\x02", 1)
	require.Contains(t, p.read(), "Cost\x02of travel\t10\n")
	// A frame around text is none.
	require.NotContains(t, newPage().line(112, 55, "A text in a frame").line(130, 55, "which is longer").
		rules([]float64{50, 250}, []float64{100, 150}).read(), "\t")
}

func TestNoTable(t *testing.T) {
	for name, p := range map[string]*page{
		"values":   newPage().line(100, 50, "Name:", 150, "Ann").line(120, 50, "Town:", 150, "Rome").line(140, 50, "Due:", 150, "12.50").line(160, 50, "Tax:", 150, "3"),
		"list":     newPage().line(100, 50, "1.", 90, "Open it").line(120, 50, "2.", 90, "Close it").line(140, 50, "3.", 90, "Leave").line(160, 50, "4.", 90, "End"),
		"contents": newPage().line(100, 50, "Start", 300, "2").line(120, 50, "Middle", 300, "5").line(140, 50, "Part two", 300, "9").line(160, 50, "End", 295, "12"),
		"columns":  newPage().line(100, 50, "Left one").line(112, 50, "left two").line(124, 50, "left three").line(100, 300, "Right one").line(112, 300, "right two").line(124, 300, "right three"),
	} {
		require.Equal(t, p.Plain, p.read(), name)
	}
}
