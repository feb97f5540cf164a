package docs

import (
	"fmt"
	"strings"
)

// frame is a rectangle on a slide, in EMU.
type frame struct{ x, y, cx, cy int }

func (f frame) offExt(off, ext string) string {
	return fmt.Sprintf(`<a:%s x="%d" y="%d"/><a:%s cx="%d" cy="%d"/>`, off, f.x, f.y, ext, f.cx, f.cy)
}

func (f frame) xfrm(tag string) string {
	return `<` + tag + `>` + f.offExt("off", "ext") + `</` + tag + `>`
}

// tree is the shape tree of a slide, layout or master.
func tree(shapes string) string {
	return `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>` + shapes + `</p:spTree></p:cSld>`
}

// placeholder is a shape that inherits place and style from the layout unless
// it has its own; ph are the attributes of p:ph.
func placeholder(id int, name, ph, xfrm, body, paras string) string {
	text := ""
	if paras != "" {
		if body == "" {
			body = `<a:bodyPr/>`
		}
		text = `<p:txBody>` + body + `<a:lstStyle/>` + paras + `</p:txBody>`
	}
	locks := `<a:spLocks noGrp="1"/>`
	if strings.Contains(ph, "sldImg") {
		locks = `<a:spLocks noGrp="1" noRot="1" noChangeAspect="1"/>`
	}
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="%s"/><p:cNvSpPr>%s</p:cNvSpPr><p:nvPr><p:ph %s/></p:nvPr></p:nvSpPr><p:spPr>%s</p:spPr>%s</p:sp>`, id, name, locks, ph, xfrm, text)
}

// box is a text box; colour is the fill of its text.
func box(id int, name string, f frame, fill, colour, paras string) string {
	geom, shade := "rect", `<a:noFill/>`
	if fill != "" {
		geom, shade = "roundRect", fill
		paras = strings.ReplaceAll(paras, `<a:pPr/>`, `<a:pPr algn="ctr"/>`)
	}
	if colour != "" {
		paras = withColour(paras, colour)
	}
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="%s"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr>%s<a:prstGeom prst="%s"><a:avLst/></a:prstGeom>%s</p:spPr><p:txBody><a:bodyPr wrap="square" anchor="ctr"><a:normAutofit/></a:bodyPr><a:lstStyle/>%s</p:txBody></p:sp>`, id, name, f.xfrm("a:xfrm"), geom, shade, paras)
}

// shape is a drawn shape, such as an arrow.
func shape(id int, name, geom string, f frame, fill, paras string) string {
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="%s"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>%s<a:prstGeom prst="%s"><a:avLst/></a:prstGeom>%s</p:spPr><p:txBody><a:bodyPr/><a:lstStyle/>%s</p:txBody></p:sp>`, id, name, f.xfrm("a:xfrm"), geom, fill, paras)
}

func picture(id int, name, descr, rid string, f frame) string {
	return fmt.Sprintf(`<p:pic><p:nvPicPr><p:cNvPr id="%d" name="%s" descr="%s"/><p:cNvPicPr><a:picLocks noChangeAspect="1"/></p:cNvPicPr><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>%s<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`, id, name, descr, rid, f.xfrm("a:xfrm"))
}

// graphic is the frame of a table or chart.
func graphic(id int, name string, f frame, uri, data string) string {
	if strings.HasPrefix(data, "<a:tbl") {
		uri = drawingNS[:len(drawingNS)-len("main")] + "table"
	}
	return fmt.Sprintf(`<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="%d" name="%s"/><p:cNvGraphicFramePr><a:graphicFrameLocks noGrp="1"/></p:cNvGraphicFramePr><p:nvPr/></p:nvGraphicFramePr>%s<a:graphic><a:graphicData uri="%s">%s</a:graphicData></a:graphic></p:graphicFrame>`, id, name, f.xfrm("p:xfrm"), uri, data)
}

// dparas writes paragraphs, one a line: *bold*, _italic_, [link](rel id); ">
// " is the second level.
func dparas(s string) string { return dparasIn(s, "", "") }

func dparasIn(s, attrs, fill string) string {
	var sb strings.Builder
	for _, line := range strings.Split(s, "\n") {
		props := `<a:pPr/>`
		if strings.HasPrefix(line, "> ") {
			line, props = line[2:], `<a:pPr lvl="1"/>`
		}
		sb.WriteString(`<a:p>` + props + druns(line, attrs, fill))
		if line == "" {
			sb.WriteString(`<a:endParaRPr lang="es-ES"` + attrs + `/>`)
		}
		sb.WriteString(`</a:p>`)
	}
	return sb.String()
}

func druns(s, attrs, fill string) string {
	var sb, text strings.Builder
	bold, italic, link := "", "", ""
	flush := func() {
		if text.Len() > 0 {
			fmt.Fprintf(&sb, `<a:r><a:rPr lang="es-ES"%s%s%s dirty="0">%s%s</a:rPr><a:t>%s</a:t></a:r>`, attrs, bold, italic, fill, link, esc(text.String()))
		}
		text.Reset()
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*':
			flush()
			bold = toggled(bold, ` b="1"`)
		case '_':
			flush()
			italic = toggled(italic, ` i="1"`)
		case '[':
			flush()
			end := i + strings.Index(s[i:], "](")
			link = `<a:hlinkClick r:id="` + s[end+2:end+strings.IndexByte(s[end:], ')')] + `"/>`
		case ']':
			flush()
			link = ""
			i += strings.IndexByte(s[i:], ')')
		default:
			text.WriteByte(s[i])
		}
	}
	flush()
	return sb.String()
}

func toggled(have, value string) string {
	if have == "" {
		return value
	}
	return ""
}

func withColour(paras, fill string) string {
	return strings.ReplaceAll(paras, ` dirty="0">`, ` sz="1800" dirty="0">`+fill)
}
