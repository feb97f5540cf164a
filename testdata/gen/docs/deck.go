package docs

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"
)

const (
	slideNS = "http://schemas.openxmlformats.org/presentationml/2006/main"
	chartNS = "http://schemas.openxmlformats.org/drawingml/2006/chart"
)

func slideType(of string) string {
	return "application/vnd.openxmlformats-officedocument.presentationml." + of + "+xml"
}

// slide is one page of the deck.
type slide struct {
	layout int    // 1 title, 2 title and text, 3 title only
	shapes string // children of p:spTree
	rels   []rel
	notes  string
}

// The deck is 16:9: 12,192,000 × 6,858,000 EMU.
const (
	slideW, slideH = 12192000, 6858000
)

// deck generates presentacion.pptx: six slides with three layouts.
func deck() ([]byte, error) {
	mark, err := logo()
	if err != nil {
		return nil, err
	}
	view, err := landscape()
	if err != nil {
		return nil, err
	}
	data, err := chartData()
	if err != nil {
		return nil, err
	}
	slides := deckSlides()
	types := []string{"ppt/presentation.xml", slideType("presentation.main"), "ppt/slideMasters/slideMaster1.xml", slideType("slideMaster"), "ppt/notesMasters/notesMaster1.xml", slideType("notesMaster"),
		"ppt/theme/theme1.xml", "application/vnd.openxmlformats-officedocument.theme+xml", "ppt/theme/theme2.xml", "application/vnd.openxmlformats-officedocument.theme+xml",
		"ppt/presProps.xml", slideType("presProps"), "ppt/viewProps.xml", slideType("viewProps"), "ppt/tableStyles.xml", slideType("tableStyles"),
		"ppt/charts/chart1.xml", "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
		"docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml", "docProps/app.xml", "application/vnd.openxmlformats-officedocument.extended-properties+xml"}
	presRels := []rel{{"rId1", "slideMaster", "slideMasters/slideMaster1.xml"}, {"rId2", "notesMaster", "notesMasters/notesMaster1.xml"}, {"rId3", "theme", "theme/theme1.xml"}, {"rId4", "presProps", "presProps.xml"}, {"rId5", "viewProps", "viewProps.xml"}, {"rId6", "tableStyles", "tableStyles.xml"}}
	var parts []part
	ids := ""
	for i, s := range slides {
		n := i + 1
		name := fmt.Sprintf("ppt/slides/slide%d.xml", n)
		rels := append([]rel{{"rId1", "slideLayout", fmt.Sprintf("../slideLayouts/slideLayout%d.xml", s.layout)}}, s.rels...)
		types = append(types, name, slideType("slide"))
		presRels = append(presRels, rel{fmt.Sprintf("rId%d", 100+n), "slide", fmt.Sprintf("slides/slide%d.xml", n)})
		ids += fmt.Sprintf(`<p:sldId id="%d" r:id="rId%d"/>`, 255+n, 100+n)
		if s.notes != "" {
			note := fmt.Sprintf("ppt/notesSlides/notesSlide%d.xml", n)
			types = append(types, note, slideType("notesSlide"))
			rels = append(rels, rel{"rId9", "notesSlide", fmt.Sprintf("../notesSlides/notesSlide%d.xml", n)})
			parts = append(parts, xmlPart(note, `<p:notes`+deckSpaces+`>`+tree(placeholder(2, "Imagen de la diapositiva", `type="sldImg"`, "", "", "")+placeholder(3, "Notas", `type="body" idx="1"`, "", "", dparas(s.notes)))+`<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>`),
				relsPart(fmt.Sprintf("ppt/notesSlides/_rels/notesSlide%d.xml.rels", n), rel{"rId1", "notesMaster", "../notesMasters/notesMaster1.xml"}, rel{"rId2", "slide", fmt.Sprintf("../slides/slide%d.xml", n)}))
		}
		parts = append(parts, xmlPart(name, `<p:sld`+deckSpaces+`>`+tree(s.shapes)+`<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>`), relsPart(fmt.Sprintf("ppt/slides/_rels/slide%d.xml.rels", n), rels...))
	}
	for i, l := range deckLayouts() {
		n := i + 1
		name := fmt.Sprintf("ppt/slideLayouts/slideLayout%d.xml", n)
		types = append(types, name, slideType("slideLayout"))
		parts = append(parts, xmlPart(name, l), relsPart(fmt.Sprintf("ppt/slideLayouts/_rels/slideLayout%d.xml.rels", n), rel{"rId1", "slideMaster", "../slideMasters/slideMaster1.xml"}))
	}
	parts = append(parts, deckFrame(ids, presRels)...)
	parts = append(parts,
		xmlPart("ppt/charts/chart1.xml", deckChart()),
		relsPart("ppt/charts/_rels/chart1.xml.rels", rel{"rId1", "package", "../embeddings/datos.xlsx"}),
		part{"ppt/embeddings/datos.xlsx", data}, part{"ppt/media/image1.png", mark}, part{"ppt/media/image2.png", view},
		themePart("ppt/theme/theme1.xml"), themePart("ppt/theme/theme2.xml"),
		corePart("Plan comercial 2026", "Presentación para importadores"), appPart("Microsoft Office PowerPoint"))
	return pack(append([]part{typesPart(types...), relsPart("_rels/.rels", rel{"rId1", "officeDocument", "ppt/presentation.xml"}, rel{"rId2", "core-properties", "docProps/core.xml"}, rel{"rId3", "extended-properties", "docProps/app.xml"})}, parts...))
}

const deckSpaces = ` xmlns:a="` + drawingNS + `" xmlns:r="` + officeRels + `" xmlns:p="` + slideNS + `"`

func deckSlides() []slide {
	title := func(s string) string { return placeholder(2, "Título", `type="title"`, "", "", dparas(s)) }
	return []slide{
		{layout: 1, notes: "Saludar y presentar al equipo.\nRecordar que la cata es a las doce.", rels: []rel{{"rId2", "image", "../media/image1.png"}},
			shapes: placeholder(2, "Título", `type="ctrTitle"`, "", "", dparas("Plan comercial 2026")) + placeholder(3, "Subtítulo", `type="subTitle" idx="1"`, "", "", dparas("Olivares del Sur · Presentación para importadores")) +
				picture(4, "Logotipo", "Rama de olivo dentro de un anillo verde", "rId2", frame{5196000, 620000, 1800000, 1800000})},
		{layout: 2, notes: "Detenerse en el segundo punto.", rels: []rel{{"rId2", "hyperlink", "https://example.com/certificados"}},
			shapes: title("Quiénes somos") + placeholder(3, "Contenido", `type="body" idx="1"`, "", "", dparas("Almazara familiar fundada en *1948*\n> Tercera generación al frente\n> Treinta y dos empleados\nCertificación _ecológica_ y [sello de calidad](rId2)\nPresencia en *cinco países* y crecimiento del 18 % anual\nUn objetivo: llevar el mejor aceite a cada mesa"))},
		{layout: 3, notes: "Los datos proceden del informe de ventas.\nLa exportación crece por tercer año consecutivo.", rels: []rel{{"rId2", "chart", "../charts/chart1.xml"}},
			shapes: title("Ventas por trimestre") + graphic(3, "Gráfico de ventas", frame{838000, 1500000, 10516000, 4500000}, chartNS, `<c:chart xmlns:c="`+chartNS+`" r:id="rId2"/>`)},
		{layout: 3, shapes: title("Gama de productos") + graphic(3, "Tabla de productos", frame{838000, 1650000, 10516000, 3600000}, "", deckTable()) + box(4, "Nota al pie", frame{838000, 5500000, 10516000, 500000}, "", "", dparas("Precios de tarifa _sin impuestos_. Consulte los descuentos por volumen."))},
		{layout: 3, notes: "Explicar las tres fases con un ejemplo.", rels: []rel{{"rId2", "image", "../media/image2.png"}},
			shapes: title("Cómo trabajamos") + picture(3, "Paisaje", "Olivar al atardecer", "rId2", frame{7100000, 1600000, 4254000, 2393000}) + deckGroup() +
				box(20, "Pie de foto", frame{7100000, 4050000, 4254000, 420000}, "", "", dparas("_Finca La Umbría, Sierra de Cazorla_"))},
		{layout: 2, shapes: title("Próximos pasos") + placeholder(3, "Contenido", `type="body" idx="1"`, "", "", dparas("Enviar muestras antes del *15 de marzo*\nCerrar las condiciones de pago y de transporte\nVisita a la almazara en *abril*\nFirma del contrato de distribución")) +
			box(4, "Llamada", frame{838000, 5300000, 5600000, 640000}, `<a:solidFill><a:schemeClr val="accent2"/></a:solidFill>`, `<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>`, dparas("¿Preguntas? Escríbanos a ventas@olivares.example"))},
	}
}

// deckGroup returns a group of three steps with arrows between them.
func deckGroup() string {
	var sb strings.Builder
	for i, s := range []string{"Cosecha\nA mano y de noche", "Extracción\nEn frío, antes de seis horas", "Envasado\nVidrio oscuro y lote trazable"} {
		y := 1600000 + i*1500000
		sb.WriteString(box(11+i*2, "Paso "+fmt.Sprint(i+1), frame{838000, y, 5600000, 1000000}, `<a:solidFill><a:schemeClr val="accent`+fmt.Sprint(1+i*2)+`"/></a:solidFill>`, `<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>`, dparas("*"+strings.Replace(s, "\n", "*\n", 1))))
		if i < 2 {
			sb.WriteString(shape(12+i*2, "Flecha", "downArrow", frame{3438000, y + 1060000, 400000, 380000}, `<a:solidFill><a:schemeClr val="accent2"/></a:solidFill>`, `<a:p><a:endParaRPr lang="es-ES"/></a:p>`))
		}
	}
	f := frame{838000, 1600000, 5600000, 4000000}
	return `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="10" name="Proceso"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>` + f.offExt("off", "ext") + f.offExt("chOff", "chExt") + `</a:xfrm></p:grpSpPr>` + sb.String() + `</p:grpSp>`
}

func deckTable() string {
	rows := [][]string{
		{"Producto", "Formato", "Precio", "Mercado"},
		{"Virgen extra *temprano*", "500 ml", "8,90 €", "Todos"},
		{"Sin filtrar", "750 ml", "13,50 €", "España y Francia"},
		{"Vinagre de Jerez", "250 ml", "5,20 €", "Todos"},
		{"Estuche de regalo", "2 × 250 ml", "32,00 €", "Exportación"},
		{"*Novedad*: crema de aceituna verde, disponible en otoño"},
	}
	var sb strings.Builder
	sb.WriteString(`<a:tbl><a:tblPr firstRow="1" bandRow="1"/><a:tblGrid>`)
	for _, w := range []int{4216000, 2000000, 1800000, 2500000} {
		fmt.Fprintf(&sb, `<a:gridCol w="%d"/>`, w)
	}
	sb.WriteString(`</a:tblGrid>`)
	for i, r := range rows {
		sb.WriteString(`<a:tr h="600000">`)
		for c := range 4 {
			fill, attrs, text := "bg2", "", ""
			switch {
			case i == 0:
				fill = "accent1"
			case i%2 == 1:
				fill = "bg1"
			}
			switch {
			case c < len(r):
				text = r[c]
				if len(r) == 1 {
					attrs = ` gridSpan="4"`
				}
			default:
				attrs = ` hMerge="1"`
			}
			colour := ""
			if i == 0 {
				colour = `<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>`
			}
			fmt.Fprintf(&sb, `<a:tc%s><a:txBody><a:bodyPr/><a:lstStyle/>%s</a:txBody><a:tcPr anchor="ctr"><a:solidFill><a:schemeClr val="%s"/></a:solidFill></a:tcPr></a:tc>`, attrs, dparasIn(text, ` sz="1600"`, colour), fill)
		}
		sb.WriteString(`</a:tr>`)
	}
	return sb.String() + `</a:tbl>`
}

var quarters = []string{"T1", "T2", "T3", "T4"}
var series = []struct {
	name   string
	colour string
	values []float64
}{
	{"Mercado nacional", "accent1", []float64{410, 455, 498, 560}},
	{"Exportación", "accent2", []float64{180, 232, 275, 341}},
}

// chartData returns the workbook with the chart's numbers.
func chartData() ([]byte, error) {
	f := excelize.NewFile()
	defer f.Close()
	b := &book{f: f}
	b.do(f.SetSheetName("Sheet1", "Datos"))
	for i, q := range quarters {
		b.set("Datos", fmt.Sprintf("A%d", i+2), q)
	}
	for c, s := range series {
		b.set("Datos", fmt.Sprintf("%c1", 'B'+c), s.name)
		for i, v := range s.values {
			b.set("Datos", fmt.Sprintf("%c%d", 'B'+c, i+2), v)
		}
	}
	b.do(f.SetDocProps(&excelize.DocProperties{Creator: "Lucía Ferrer", Created: "2026-03-02T09:00:00Z", Modified: "2026-03-02T09:00:00Z"}))
	if b.err != nil {
		return nil, b.err
	}
	var buf bytes.Buffer
	if err := f.Write(&buf); err != nil {
		return nil, err
	}
	return repack(buf.Bytes())
}

func deckChart() string {
	var sb strings.Builder
	text := func(s string) string {
		return `<c:tx><c:rich><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang="es-ES" sz="1600" b="1"/><a:t>` + esc(s) + `</a:t></a:r></a:p></c:rich></c:tx>`
	}
	sb.WriteString(`<c:chartSpace xmlns:c="` + chartNS + `" xmlns:a="` + drawingNS + `" xmlns:r="` + officeRels + `"><c:lang val="es-ES"/><c:chart><c:title>` + text("Ventas en miles de euros") + `<c:overlay val="0"/></c:title><c:autoTitleDeleted val="0"/><c:plotArea><c:layout/><c:barChart><c:barDir val="col"/><c:grouping val="clustered"/><c:varyColors val="0"/>`)
	for i, s := range series {
		col := string(rune('B' + i))
		fmt.Fprintf(&sb, `<c:ser><c:idx val="%d"/><c:order val="%d"/><c:tx><c:strRef><c:f>Datos!$%s$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>%s</c:v></c:pt></c:strCache></c:strRef></c:tx><c:spPr><a:solidFill><a:schemeClr val="%s"/></a:solidFill></c:spPr><c:invertIfNegative val="0"/><c:cat><c:strRef><c:f>Datos!$A$2:$A$5</c:f><c:strCache><c:ptCount val="4"/>`, i, i, col, s.name, s.colour)
		for j, q := range quarters {
			fmt.Fprintf(&sb, `<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, j, q)
		}
		fmt.Fprintf(&sb, `</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>Datos!$%s$2:$%s$5</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="4"/>`, col, col)
		for j, v := range s.values {
			fmt.Fprintf(&sb, `<c:pt idx="%d"><c:v>%g</c:v></c:pt>`, j, v)
		}
		sb.WriteString(`</c:numCache></c:numRef></c:val></c:ser>`)
	}
	sb.WriteString(`<c:gapWidth val="80"/><c:axId val="111"/><c:axId val="222"/></c:barChart><c:catAx><c:axId val="111"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="b"/><c:title>` + text("Trimestre") + `<c:overlay val="0"/></c:title><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="222"/><c:crosses val="autoZero"/></c:catAx><c:valAx><c:axId val="222"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="l"/><c:majorGridlines><c:spPr><a:ln w="6350"><a:solidFill><a:schemeClr val="bg2"/></a:solidFill></a:ln></c:spPr></c:majorGridlines><c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="111"/><c:crosses val="autoZero"/></c:valAx></c:plotArea><c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend><c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart><c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr sz="1400"/></a:pPr><a:endParaRPr lang="es-ES"/></a:p></c:txPr><c:externalData r:id="rId1"><c:autoUpdate val="0"/></c:externalData></c:chartSpace>`)
	return sb.String()
}
