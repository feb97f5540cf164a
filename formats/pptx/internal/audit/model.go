package audit

// Deck is what slides have in common.
type Deck struct {
	Width, Height float64 // of a slide
	Slides        int
	Fonts         []string     // of the themes
	Colors        []NamedColor // of the first theme
}

// NamedColor is a colour of a theme.
type NamedColor struct {
	Name string
	RGB  RGB
}

// Slide is a slide with its shapes from the back to the front.
type Slide struct {
	Index      int // from 0
	Hidden     bool
	Layout     string // what tells its layout from others
	LayoutName string
	TitlePlace bool // its layout has a place for a title
	Back       Fill
	Drawn      []Drawn // by layout and master, behind the shapes
	Shapes     []Shape
	Broken     []Broken
}

// Drawn is what is behind all shapes of a slide.
type Drawn struct {
	Frame Frame
	Fill  Fill
}

// Broken is a link or picture that leads nowhere.
type Broken struct {
	Shape int // id
	Fact  string
}

// Shape is a shape of a slide. Shapes in groups are beside those around them.
type Shape struct {
	ID          int
	Name        string
	Kind        string // as maps name it: title, text, picture, chart …
	Placeholder string // its type, "" for other shapes
	Empty       bool   // a placeholder that shows its prompt
	Frame       Frame  // the bounds of what is turned
	Placed      bool   // Frame is known
	Group       int    // number of the outermost group, 0 for none
	Hidden      bool
	Moves       bool // an animation shows, hides or moves it
	Fill        Fill
	Line        Color
	Text        Text
	NeedsAlt    bool // it shows something that no alternative text describes
	Picture     Picture
}

// Text is the text of a shape or of the cells of a table.
type Text struct {
	String string // as shown, at most MaxText bytes
	Runs   []Run
	Ink    Frame   // where by estimate the letters are; no size: not known
	Paras  []Frame // the same for each paragraph
	Over   Overflow
	Anchor Point // which stays in its place when the text grows
}

// Overflow says that a text is higher than its shape.
type Overflow struct {
	Is    bool
	Need  float64 // height that the text needs
	Room  float64 // height of the shape
	Below bool    // the shape grows with its text, past the end of the slide
}

// Run is text of one look.
type Run struct {
	Letters int
	Size    float64 // points; 0: not known
	Font    string  // named on the slide; "" for that of the theme or layout
	Color   Color
	Back    Fill // of a cell or of the marker, where the marker has a separate one
}

// Picture is the size of a picture.
type Picture struct {
	Width, Height float64 // pixels that are shown; 0: not known
	W, H          float64 // as which it is drawn, before it is turned
	Opaque        bool    // a photograph: nothing can be seen through it
}

// MaxText is how many bytes of the text of a shape are looked at.
const MaxText = 64 << 10

// SetInk sets where the paragraphs of a text are.
func (t *Text) SetInk(paras []Frame) {
	t.Paras = paras
	for _, f := range paras {
		t.Ink = t.Ink.around(f)
	}
}
