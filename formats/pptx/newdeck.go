package pptx

import (
	"context"
	"embed"
	"io/fs"

	"atelier/formats/ooxml/opc"
)

// newMain is the presentation part of a new deck.
const newMain = "ppt/presentation.xml"

// blank holds the parts of a new deck: 16:9, one master, six layouts (title,
// title and content, section header, title only, blank, two content), one theme.
//
//go:embed blank
var blank embed.FS

// newParts says where each file of blank goes and which part relates to it, in
// the order that the relationship ids inside the files count on.
var newParts = []struct{ file, part, typ, from, rel string }{
	{"presentation.xml", newMain, typePrefix + "presentation.main+xml", "", opc.RelOfficeDocument},
	{"core.xml", "docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml", "", "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"},
	{"app.xml", "docProps/app.xml", "application/vnd.openxmlformats-officedocument.extended-properties+xml", "", nsR + "/extended-properties"},
	{"slideMaster1.xml", newMaster, typePrefix + "slideMaster+xml", newMain, relMaster},
	{"slideLayout1.xml", newLayouts + "1.xml", layoutType, newMaster, relLayout},
	{"slideLayout2.xml", newLayouts + "2.xml", layoutType, newMaster, relLayout},
	{"slideLayout3.xml", newLayouts + "3.xml", layoutType, newMaster, relLayout},
	{"slideLayout4.xml", newLayouts + "4.xml", layoutType, newMaster, relLayout},
	{"slideLayout5.xml", newLayouts + "5.xml", layoutType, newMaster, relLayout},
	{"slideLayout6.xml", newLayouts + "6.xml", layoutType, newMaster, relLayout},
	{"theme1.xml", newTheme, "application/vnd.openxmlformats-officedocument.theme+xml", newMaster, nsR + "/theme"},
	{"presProps.xml", "ppt/presProps.xml", typePrefix + "presProps+xml", newMain, nsR + "/presProps"},
	{"viewProps.xml", "ppt/viewProps.xml", typePrefix + "viewProps+xml", newMain, nsR + "/viewProps"},
	{"tableStyles.xml", "ppt/tableStyles.xml", typePrefix + "tableStyles+xml", newMain, nsR + "/tableStyles"},
}

const (
	newMaster  = "ppt/slideMasters/slideMaster1.xml"
	newLayouts = "ppt/slideLayouts/slideLayout"
	newTheme   = "ppt/theme/theme1.xml"
	layoutType = typePrefix + "slideLayout+xml"
)

// newDeck starts a presentation without slides.
func newDeck(ctx context.Context) (*opc.Edit, error) {
	ed := opc.NewEdit()
	link := func(from, rel, to string) error {
		_, err := ed.AddRel(ctx, from, opc.Relationship{Type: rel, Target: to})
		return err
	}
	for _, p := range newParts {
		data, err := fs.ReadFile(blank, "blank/"+p.file)
		if err != nil {
			return nil, err
		}
		ed.Set(p.part, data)
		if err := ed.AddContentType(ctx, p.part, p.typ); err != nil {
			return nil, err
		}
		if err := link(p.from, p.rel, p.part); err != nil {
			return nil, err
		}
		if p.typ == layoutType {
			if err := link(p.part, relMaster, newMaster); err != nil {
				return nil, err
			}
		}
	}
	return ed, link(newMain, nsR+"/theme", newTheme)
}
