package pptx

// The kinds of shape that maps and addresses name.
const (
	kindTitle   = "title"
	kindBody    = "body"
	kindText    = "text"
	kindPicture = "picture"
	kindTable   = "table"
	kindChart   = "chart"
	kindDiagram = "diagram"
	kindGroup   = "group"
	kindLine    = "line"
	kindMedia   = "media"
	kindObject  = "object" // embedded OLE object or anything else in a frame
	kindShape   = "shape"  // a drawn shape without text
)

var placeholderKinds = map[string]string{
	"title": kindTitle, "ctrTitle": kindTitle, "subTitle": "subtitle", "body": kindBody, "obj": kindBody,
	"dt": "date", "ftr": "footer", "hdr": "header", "sldNum": "slide_number", "pic": kindPicture, "sldImg": kindPicture,
	"chart": kindChart, "tbl": kindTable, "dgm": kindDiagram, "media": kindMedia,
}

// kind returns what a shape is to a reader.
func (s *shape) kind() string {
	switch {
	case s.tbl != nil:
		return kindTable
	case s.chart != "":
		return kindChart
	case s.smart != "":
		return kindDiagram
	}
	switch s.n.Local {
	case "grpSp":
		return kindGroup
	case "cxnSp":
		return kindLine
	case "graphicFrame":
		return kindObject
	case "pic":
		for k := range s.nvPr().Kids() {
			if k.Is(nsA, "videoFile") || k.Is(nsA, "audioFile") || k.Is(nsA, "wavAudioFile") || k.Is(nsA, "quickTimeFile") {
				return kindMedia
			}
		}
		return kindPicture
	}
	if k := placeholderKinds[s.phType()]; k != "" {
		return k
	}
	if s.body != nil && (hasText(s.body) || isTrue(s.n.Down(nsP, "nvSpPr", "cNvSpPr").Value("txBox"))) {
		return kindText
	}
	return kindShape
}

// nvPr returns the application's own properties of a shape (19.3.1.33).
func (s *shape) nvPr() *node {
	for k := range s.n.Kids() {
		if nv := k.Child(nsP, "nvPr"); nv != nil {
			return nv
		}
	}
	return nil
}

// hasText reports whether a text body has a run, field or formula.
func hasText(body *node) bool {
	for p := range body.Kids() {
		for k := range p.Kids() {
			if !k.Is(nsA, "pPr") && !k.Is(nsA, "endParaRPr") {
				return true
			}
		}
	}
	return false
}

func isTrue(s string) bool { return s == "1" || s == "true" || s == "on" }

// tableSize returns the number of rows and grid columns of an a:tbl.
func tableSize(tbl *node) (rows, cols int) {
	for k := range tbl.Kids() {
		switch {
		case k.Is(nsA, "tr"):
			rows++
		case k.Is(nsA, "tblGrid"):
			for c := range k.Kids() {
				if c.Is(nsA, "gridCol") {
					cols++
				}
			}
		}
	}
	return rows, cols
}
