package docs

import (
	"fmt"
	"strings"
)

var (
	titleFrame = frame{838000, 420000, 10516000, 900000}
	bodyFrame  = frame{838000, 1600000, 10516000, 3500000}
	dateFrame  = frame{838000, 6300000, 2743000, 365000}
	footFrame  = frame{4038000, 6300000, 4116000, 365000}
	numFrame   = frame{8611000, 6300000, 2743000, 365000}
)

// deckFrame returns the parts besides slides and layouts: presentation,
// masters, settings.
func deckFrame(slideIDs string, presRels []rel) []part {
	return []part{
		xmlPart("ppt/presentation.xml", fmt.Sprintf(`<p:presentation%s saveSubsetFonts="1"><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id="rId2"/></p:notesMasterIdLst><p:sldIdLst>%s</p:sldIdLst><p:sldSz cx="%d" cy="%d"/><p:notesSz cx="6858000" cy="9144000"/><p:defaultTextStyle><a:defPPr><a:defRPr lang="es-ES"/></a:defPPr></p:defaultTextStyle></p:presentation>`, deckSpaces, slideIDs, slideW, slideH)),
		relsPart("ppt/_rels/presentation.xml.rels", presRels...),
		xmlPart("ppt/presProps.xml", `<p:presentationPr`+deckSpaces+`/>`),
		xmlPart("ppt/viewProps.xml", `<p:viewPr`+deckSpaces+`/>`),
		xmlPart("ppt/tableStyles.xml", `<a:tblStyleLst xmlns:a="`+drawingNS+`" def="{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"/>`),
		xmlPart("ppt/slideMasters/slideMaster1.xml", deckMaster()),
		relsPart("ppt/slideMasters/_rels/slideMaster1.xml.rels", rel{"rId1", "slideLayout", "../slideLayouts/slideLayout1.xml"}, rel{"rId2", "slideLayout", "../slideLayouts/slideLayout2.xml"}, rel{"rId3", "slideLayout", "../slideLayouts/slideLayout3.xml"}, rel{"rId4", "theme", "../theme/theme1.xml"}),
		xmlPart("ppt/notesMasters/notesMaster1.xml", `<p:notesMaster`+deckSpaces+`>`+tree(placeholder(2, "Imagen", `type="sldImg" idx="2"`, frame{685800, 1143000, 5486400, 3086100}.xfrm("a:xfrm")+`<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`, "", "")+placeholder(3, "Notas", `type="body" sz="quarter" idx="3"`, frame{685800, 4400550, 5486400, 3600450}.xfrm("a:xfrm")+`<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`, "", dparas("Haga clic para modificar las notas")))+clrMap+`</p:notesMaster>`),
		relsPart("ppt/notesMasters/_rels/notesMaster1.xml.rels", rel{"rId1", "theme", "../theme/theme2.xml"}),
	}
}

const clrMap = `<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>`

func rectangle(id int, name string, f frame, colour string) string {
	return shape(id, name, "rect", f, `<a:solidFill><a:schemeClr val="`+colour+`"/></a:solidFill><a:ln><a:noFill/></a:ln>`, `<a:p><a:endParaRPr lang="es-ES"/></a:p>`)
}

func deckMaster() string {
	level := func(n, size, margin int, bullet string) string {
		return fmt.Sprintf(`<a:lvl%dpPr marL="%d" indent="-285750" algn="l"><a:spcBef><a:spcPts val="900"/></a:spcBef><a:buClr><a:schemeClr val="accent2"/></a:buClr><a:buFont typeface="Arial"/><a:buChar char="%s"/><a:defRPr sz="%d"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/></a:defRPr></a:lvl%dpPr>`, n, margin, bullet, size, n)
	}
	shapes := rectangle(7, "Banda", frame{0, 0, slideW, 180000}, "tx2") + rectangle(8, "Filete", frame{838000, 1330000, 1200000, 38100}, "accent2") +
		placeholder(2, "Título", `type="title"`, titleFrame.xfrm("a:xfrm")+`<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`, `<a:bodyPr vert="horz" lIns="0" anchor="ctr"><a:normAutofit/></a:bodyPr>`, dparas("Haga clic para modificar el título")) +
		placeholder(3, "Texto", `type="body" idx="1"`, bodyFrame.xfrm("a:xfrm")+`<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`, `<a:bodyPr vert="horz" lIns="0"><a:normAutofit/></a:bodyPr>`, dparas("Primer nivel\n> Segundo nivel")) +
		small(4, "Fecha", `type="dt" sz="half" idx="2"`, dateFrame, "l", "2 de marzo de 2026") + small(5, "Pie", `type="ftr" sz="quarter" idx="3"`, footFrame, "ctr", "Olivares del Sur") + number(6)
	return `<p:sldMaster` + deckSpaces + `>` + strings.Replace(tree(shapes), `<p:cSld>`, `<p:cSld><p:bg><p:bgPr><a:solidFill><a:schemeClr val="bg1"/></a:solidFill><a:effectLst/></p:bgPr></p:bg>`, 1) + clrMap +
		`<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/><p:sldLayoutId id="2147483650" r:id="rId2"/><p:sldLayoutId id="2147483651" r:id="rId3"/></p:sldLayoutIdLst><p:txStyles><p:titleStyle><a:lvl1pPr algn="l"><a:defRPr sz="3200" b="1"><a:solidFill><a:schemeClr val="tx2"/></a:solidFill><a:latin typeface="+mj-lt"/></a:defRPr></a:lvl1pPr></p:titleStyle><p:bodyStyle>` + level(1, 2400, 285750, "•") + level(2, 2000, 742950, "–") + `</p:bodyStyle><p:otherStyle><a:defPPr><a:defRPr lang="es-ES"/></a:defPPr></p:otherStyle></p:txStyles></p:sldMaster>`
}

func small(id int, name, ph string, f frame, align, text string) string {
	paras := `<a:p><a:pPr algn="` + align + `"/><a:r><a:rPr lang="es-ES" sz="1200"/><a:t>` + esc(text) + `</a:t></a:r></a:p>`
	return placeholder(id, name, ph, f.xfrm("a:xfrm")+`<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`, `<a:bodyPr anchor="ctr"/>`, paras)
}

func number(id int) string {
	paras := `<a:p><a:pPr algn="r"/><a:fld id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="slidenum"><a:rPr lang="es-ES" sz="1200"/><a:t>‹Nº›</a:t></a:fld></a:p>`
	return placeholder(id, "Número", `type="sldNum" sz="quarter" idx="4"`, numFrame.xfrm("a:xfrm")+`<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`, `<a:bodyPr anchor="ctr"/>`, paras)
}

func deckLayouts() []string {
	layout := func(kind, name, shapes string) string {
		return `<p:sldLayout` + deckSpaces + ` type="` + kind + `" preserve="1">` + strings.Replace(tree(shapes), `<p:cSld>`, `<p:cSld name="`+name+`">`, 1) + `<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>`
	}
	title := placeholder(2, "Título", `type="title"`, "", "", dparas("Título de la diapositiva"))
	feet := small(4, "Fecha", `type="dt" sz="half" idx="10"`, dateFrame, "l", "2 de marzo de 2026") + small(5, "Pie", `type="ftr" sz="quarter" idx="11"`, footFrame, "ctr", "Olivares del Sur") + strings.Replace(number(6), `idx="4"`, `idx="12"`, 1)
	centred := func(id int, name, ph string, f frame, text string) string {
		s := placeholder(id, name, ph, f.xfrm("a:xfrm"), `<a:bodyPr anchor="ctr"><a:normAutofit/></a:bodyPr>`, dparas(text))
		size := `sz="4400"`
		if id == 3 {
			size = `sz="2000" i="1"`
		}
		return strings.Replace(s, `<a:lstStyle/>`, `<a:lstStyle><a:lvl1pPr marL="0" indent="0" algn="ctr"><a:buNone/><a:defRPr `+size+`/></a:lvl1pPr></a:lstStyle>`, 1)
	}
	return []string{
		strings.Replace(layout("title", "Portada", centred(2, "Título", `type="ctrTitle"`, frame{1524000, 2500000, 9144000, 1300000}, "Título")+centred(3, "Subtítulo", `type="subTitle" idx="1"`, frame{1524000, 3900000, 9144000, 700000}, "Subtítulo")+
			rectangle(9, "Banda inferior", frame{0, 6000000, slideW, 858000}, "accent1")), ` type="title"`, ` showMasterSp="0" type="title"`, 1),
		layout("tx", "Título y texto", title+placeholder(3, "Texto", `type="body" idx="1"`, "", "", dparas("Primer nivel\n> Segundo nivel"))+feet),
		layout("titleOnly", "Solo título", title+feet),
	}
}
