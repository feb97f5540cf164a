package docs

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"sort"
	"time"

	"github.com/xuri/excelize/v2"
)

// product is a line of the sales sheet.
type product struct {
	name, family, region string
	date                 string // 2026-01-02
	units                int
	price                float64
	discount             float64
	note                 string
}

var products = []product{
	{"Aceite de oliva virgen extra 500 ml", "Aceites", "Norte", "2026-01-08", 420, 8.9, 0, "Etiqueta nueva"},
	{"Aceite de oliva virgen extra 5 l", "Aceites", "Centro", "2026-01-12", 96, 46.5, .05, ""},
	{"Aceite sin filtrar 750 ml", "Aceites", "Sur", "2026-01-19", 150, 13.5, 0, "Edición limitada"},
	{"Vinagre de Jerez 250 ml", "Vinagres", "Sur", "2026-01-23", 310, 5.2, .1, ""},
	{"Vinagre balsámico 250 ml", "Vinagres", "Exportación", "2026-02-02", 275, 7.4, .1, "Pedido de Lyon"},
	{"Aceitunas gordal 350 g", "Aceitunas", "Norte", "2026-02-05", 510, 3.95, 0, ""},
	{"Aceitunas aliñadas 350 g", "Aceitunas", "Centro", "2026-02-11", 388, 3.6, .05, "Receta de la casa"},
	{"Paté de aceituna negra 120 g", "Aceitunas", "Exportación", "2026-02-16", 240, 4.1, 0, ""},
	{"Estuche de regalo «Almazara»", "Regalos", "Norte", "2026-02-20", 64, 32, .15, "Incluye folleto"},
	{"Cesta de Navidad (resto de temporada)", "Regalos", "Sur", "2026-02-25", 18, 58, .3, "Liquidación"},
	{"Jabón artesano de oliva 100 g", "Cosmética", "Centro", "2026-03-01", 205, 4.75, 0, ""},
	{"Crema de manos 75 ml", "Cosmética", "Exportación", "2026-03-02", 132, 9.8, .05, "Muestra gratuita para ferias"},
}

const (
	firstRow = 5 // of the products
)

// workbook generates sales.xlsx with the sheets Sales and Resumen.
func workbook() ([]byte, error) {
	f := excelize.NewFile()
	defer f.Close()
	b := &book{f: f, last: firstRow + len(products) - 1}
	b.do(f.SetSheetName("Sheet1", "Sales"))
	_, err := f.NewSheet("Resumen")
	b.do(err)
	b.salesSheet()
	b.summarySheet()
	b.do(f.SetDefinedName(&excelize.DefinedName{Name: "Ventas_Total", RefersTo: fmt.Sprintf("Sales!$I$%d:$I$%d", firstRow, b.last), Comment: "Importe de cada venta"}))
	b.do(f.SetDocProps(&excelize.DocProperties{Title: "Ventas del primer trimestre", Creator: "Lucía Ferrer", Language: "es-ES", Created: "2026-03-02T09:00:00Z", Modified: "2026-03-02T09:00:00Z"}))
	if b.err != nil {
		return nil, b.err
	}
	var buf bytes.Buffer
	if err := f.Write(&buf); err != nil {
		return nil, err
	}
	return repack(buf.Bytes())
}

// book keeps the first error, so that the code below reads like a list.
type book struct {
	f    *excelize.File
	last int // last product row
	err  error
}

func (b *book) do(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *book) style(s excelize.Style) int {
	if s.Font == nil {
		s.Font = &excelize.Font{}
	}
	s.Font.Family = "Arial"
	if s.Font.Size == 0 {
		s.Font.Size = 11
	}
	id, err := b.f.NewStyle(&s)
	b.do(err)
	return id
}

func (b *book) set(sheet, cell string, v any) { b.do(b.f.SetCellValue(sheet, cell, v)) }

// formula writes a formula with its value, like Excel.
func (b *book) formula(sheet, cell, formula string, value any) {
	b.set(sheet, cell, value)
	b.do(b.f.SetCellFormula(sheet, cell, formula))
}

func thin(colour string) []excelize.Border {
	var out []excelize.Border
	for _, side := range []string{"left", "right", "top", "bottom"} {
		out = append(out, excelize.Border{Type: side, Color: colour, Style: 1})
	}
	return out
}

func ptr[T any](v T) *T { return &v }

func (b *book) salesSheet() {
	const s = "Sales"
	title := b.style(excelize.Style{Font: &excelize.Font{Bold: true, Size: 18, Color: "FFFFFF"}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"1F4E5F"}}, Alignment: &excelize.Alignment{Horizontal: "center", Vertical: "center"}})
	sub := b.style(excelize.Style{Font: &excelize.Font{Italic: true, Color: "5F6B6D"}, Alignment: &excelize.Alignment{Horizontal: "center"}})
	b.set(s, "A1", "Ventas del primer trimestre de 2026")
	b.do(b.f.MergeCell(s, "A1", "J1"))
	b.do(b.f.SetCellStyle(s, "A1", "J1", title))
	b.do(b.f.SetRowHeight(s, 1, 34))
	b.do(b.f.SetCellRichText(s, "A2", []excelize.RichTextRun{
		{Text: "Importes en euros, ", Font: &excelize.Font{Family: "Arial", Italic: true, Size: 11, Color: "5F6B6D"}},
		{Text: "IVA no incluido", Font: &excelize.Font{Family: "Arial", Bold: true, Size: 11, Color: "B5533C"}},
		{Text: ". Fuente: departamento comercial.", Font: &excelize.Font{Family: "Arial", Italic: true, Size: 11, Color: "5F6B6D"}},
	}))
	b.do(b.f.MergeCell(s, "A2", "J2"))
	b.do(b.f.SetCellStyle(s, "A2", "J2", sub))
	b.salesRows(s)
	b.salesTotals(s)
	b.salesExtras(s)
}

func (b *book) salesRows(s string) {
	for i, h := range []string{"Producto", "Familia", "Zona", "Fecha", "Unidades", "Precio", "Descuento", "Importe bruto", "Importe neto", "Observaciones"} {
		b.set(s, fmt.Sprintf("%c%d", 'A'+i, firstRow-1), h)
	}
	head := b.style(excelize.Style{Font: &excelize.Font{Bold: true, Color: "FFFFFF"}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"2E7D6B"}}, Alignment: &excelize.Alignment{Horizontal: "center", Vertical: "center"}})
	b.do(b.f.SetCellStyle(s, fmt.Sprintf("A%d", firstRow-1), fmt.Sprintf("J%d", firstRow-1), head))
	b.do(b.f.SetRowHeight(s, firstRow-1, 20))
	border := thin("D5DAD8")
	plain := b.style(excelize.Style{Border: border})
	indented := b.style(excelize.Style{Border: border, Alignment: &excelize.Alignment{Indent: 1}})
	date := b.style(excelize.Style{Border: border, CustomNumFmt: ptr("dd/mm/yyyy"), Alignment: &excelize.Alignment{Horizontal: "center"}})
	count := b.style(excelize.Style{Border: border, CustomNumFmt: ptr("#,##0")})
	money := b.style(excelize.Style{Border: border, CustomNumFmt: ptr(`#,##0.00\ "€"`)})
	percent := b.style(excelize.Style{Border: border, NumFmt: 9})
	for i, p := range products {
		r := firstRow + i
		cell := func(col string) string { return fmt.Sprintf("%s%d", col, r) }
		day, err := time.Parse(time.DateOnly, p.date)
		b.do(err)
		gross := float64(p.units) * p.price
		b.set(s, cell("A"), p.name)
		b.set(s, cell("B"), p.family)
		b.set(s, cell("C"), p.region)
		b.set(s, cell("D"), day)
		b.set(s, cell("E"), p.units)
		b.set(s, cell("F"), p.price)
		b.set(s, cell("G"), p.discount)
		b.formula(s, cell("H"), fmt.Sprintf("E%d*F%d", r, r), round(gross))
		b.formula(s, cell("I"), fmt.Sprintf("ROUND(H%d*(1-G%d),2)", r, r), round(gross*(1-p.discount)))
		if p.note != "" {
			b.set(s, cell("J"), p.note)
		}
		for _, st := range []struct {
			from, to string
			id       int
		}{{"A", "C", plain}, {"D", "D", date}, {"E", "E", count}, {"F", "F", money}, {"G", "G", percent}, {"H", "I", money}, {"J", "J", indented}} {
			b.do(b.f.SetCellStyle(s, cell(st.from), cell(st.to), st.id))
		}
	}
}

func round(v float64) float64 { return float64(int64(v*100+.5)) / 100 }

// totals returns the net amount and the units of all products that match.
func totals(match func(product) bool) (net float64, units int) {
	for _, p := range products {
		if match(p) {
			net += round(float64(p.units) * p.price * (1 - p.discount))
			units += p.units
		}
	}
	return round(net), units
}

func (b *book) salesTotals(s string) {
	r := b.last + 2
	bold := b.style(excelize.Style{Font: &excelize.Font{Bold: true}, CustomNumFmt: ptr("#,##0"), Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"F3EFE6"}}, Border: []excelize.Border{{Type: "top", Color: "1F4E5F", Style: 2}}})
	money := b.style(excelize.Style{Font: &excelize.Font{Bold: true}, CustomNumFmt: ptr(`#,##0.00\ "€"`), Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"F3EFE6"}}, Border: []excelize.Border{{Type: "top", Color: "1F4E5F", Style: 2}}})
	net, units := totals(func(product) bool { return true })
	gross := 0.0
	for _, p := range products {
		gross += float64(p.units) * p.price
	}
	cell := func(col string) string { return fmt.Sprintf("%s%d", col, r) }
	b.set(s, cell("A"), "Total del trimestre")
	b.formula(s, cell("E"), fmt.Sprintf("SUM(E%d:E%d)", firstRow, b.last), units)
	b.formula(s, cell("H"), fmt.Sprintf("SUM(H%d:H%d)", firstRow, b.last), round(gross))
	b.formula(s, cell("I"), "SUM(Ventas_Total)", net)
	b.do(b.f.SetCellStyle(s, cell("A"), cell("J"), bold))
	b.do(b.f.SetCellStyle(s, cell("H"), cell("I"), money))
}

func (b *book) salesExtras(s string) {
	for i, w := range []float64{38, 12, 13, 12, 10, 12, 11, 14, 14, 28} {
		col := string(rune('A' + i))
		b.do(b.f.SetColWidth(s, col, col, w))
	}
	b.do(b.f.SetPanes(s, &excelize.Panes{Freeze: true, XSplit: 1, YSplit: firstRow - 1, TopLeftCell: fmt.Sprintf("B%d", firstRow), ActivePane: "bottomRight"}))
	b.do(b.f.AddTable(s, &excelize.Table{Range: fmt.Sprintf("A%d:J%d", firstRow-1, b.last), Name: "TablaVentas", StyleName: "TableStyleMedium4", ShowRowStripes: ptr(true)}))
	red, err := b.f.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "9C2B12", Bold: true}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"F8D9CF"}}})
	b.do(err)
	b.do(b.f.SetConditionalFormat(s, fmt.Sprintf("G%d:G%d", firstRow, b.last), []excelize.ConditionalFormatOptions{{Type: "cell", Criteria: ">=", Value: "0.15", Format: &red}}))
	b.do(b.f.SetConditionalFormat(s, fmt.Sprintf("I%d:I%d", firstRow, b.last), []excelize.ConditionalFormatOptions{{Type: "data_bar", Criteria: "=", MinType: "min", MaxType: "max", BarColor: "#8FC1B5"}}))
	dv := excelize.NewDataValidation(true)
	dv.SetSqref(fmt.Sprintf("C%d:C%d", firstRow, b.last))
	b.do(dv.SetDropList([]string{"Norte", "Centro", "Sur", "Exportación"}))
	dv.SetError(excelize.DataValidationErrorStyleStop, "Zona desconocida", "Elija una zona de la lista.")
	b.do(b.f.AddDataValidation(s, dv))
	b.do(b.f.AddComment(s, excelize.Comment{Cell: "G14", Author: "Andrés Molina", Paragraph: []excelize.RichTextRun{{Text: "Andrés Molina: ", Font: &excelize.Font{Bold: true}}, {Text: "descuento aprobado hasta agotar existencias."}}}))
	b.do(b.f.SetPageLayout(s, &excelize.PageLayoutOptions{Orientation: ptr("landscape"), Size: ptr(9), FitToWidth: ptr(1), FitToHeight: ptr(0)}))
	b.do(b.f.SetSheetProps(s, &excelize.SheetPropsOptions{FitToPage: ptr(true), TabColorRGB: ptr("FF2E7D6B")}))
	b.do(b.f.SetHeaderFooter(s, &excelize.HeaderFooterOptions{OddHeader: "&LOlivares del Sur&RInforme de ventas", OddFooter: "&CPágina &P de &N"}))
}

func (b *book) summarySheet() {
	const s = "Resumen"
	head := b.style(excelize.Style{Font: &excelize.Font{Bold: true, Color: "FFFFFF"}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"2E7D6B"}}, Alignment: &excelize.Alignment{Horizontal: "center"}})
	big := b.style(excelize.Style{Font: &excelize.Font{Bold: true, Size: 16, Color: "1F4E5F"}})
	money := b.style(excelize.Style{CustomNumFmt: ptr(`#,##0.00\ "€"`), Border: thin("D5DAD8")})
	plain := b.style(excelize.Style{Border: thin("D5DAD8")})
	percent := b.style(excelize.Style{CustomNumFmt: ptr("0.0%"), Border: thin("D5DAD8")})
	b.set(s, "A1", "Resumen por familia")
	b.do(b.f.SetCellStyle(s, "A1", "A1", big))
	for i, h := range []string{"Familia", "Unidades", "Importe neto", "Porcentaje"} {
		b.set(s, fmt.Sprintf("%c3", 'A'+i), h)
	}
	b.do(b.f.SetCellStyle(s, "A3", "D3", head))
	all, _ := totals(func(product) bool { return true })
	rng := func(col string) string { return fmt.Sprintf("Sales!$%s$%d:$%s$%d", col, firstRow, col, b.last) }
	for i, family := range []string{"Aceites", "Vinagres", "Aceitunas", "Regalos", "Cosmética"} {
		r := 4 + i
		net, units := totals(func(p product) bool { return p.family == family })
		b.set(s, fmt.Sprintf("A%d", r), family)
		b.formula(s, fmt.Sprintf("B%d", r), fmt.Sprintf("SUMIF(%s,A%d,%s)", rng("B"), r, rng("E")), units)
		b.formula(s, fmt.Sprintf("C%d", r), fmt.Sprintf("SUMIF(%s,A%d,%s)", rng("B"), r, rng("I")), net)
		b.formula(s, fmt.Sprintf("D%d", r), fmt.Sprintf("C%d/SUM(Ventas_Total)", r), net/all)
		b.do(b.f.SetCellStyle(s, fmt.Sprintf("A%d", r), fmt.Sprintf("B%d", r), plain))
		b.do(b.f.SetCellStyle(s, fmt.Sprintf("C%d", r), fmt.Sprintf("C%d", r), money))
		b.do(b.f.SetCellStyle(s, fmt.Sprintf("D%d", r), fmt.Sprintf("D%d", r), percent))
	}
	b.set(s, "A10", "Venta más alta")
	b.formula(s, "C10", "MAX(Ventas_Total)", highest())
	b.set(s, "A11", "Situación")
	b.formula(s, "C11", `IF(SUM(Ventas_Total)>15000,"Objetivo cumplido","Por debajo del objetivo")`, "Objetivo cumplido")
	b.do(b.f.SetCellStyle(s, "A10", "D11", plain))
	b.do(b.f.SetCellStyle(s, "C10", "C10", money))
	b.set(s, "A13", "El informe completo está en la página del departamento.")
	b.do(b.f.SetCellHyperLink(s, "A13", "https://example.com/informes", "External", excelize.HyperlinkOpts{Tooltip: ptr("Abrir el informe")}))
	b.do(b.f.SetColWidth(s, "A", "A", 24))
	b.do(b.f.SetColWidth(s, "B", "D", 20))
	b.do(b.f.SetPageLayout(s, &excelize.PageLayoutOptions{Orientation: ptr("landscape"), Size: ptr(9), FitToWidth: ptr(1), FitToHeight: ptr(0)}))
	b.do(b.f.SetSheetProps(s, &excelize.SheetPropsOptions{FitToPage: ptr(true), TabColorRGB: ptr("FFD98E32")}))
	b.do(b.f.AddChart(s, "F2", &excelize.Chart{
		Type:       excelize.Col,
		Series:     []excelize.ChartSeries{{Name: "Resumen!$C$3", Categories: "Resumen!$A$4:$A$8", Values: "Resumen!$C$4:$C$8", Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"2E7D6B"}}}},
		Title:      excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: "Importe neto por familia"}}},
		VaryColors: ptr(false),
		Legend:     excelize.ChartLegend{Position: "none"},
		Dimension:  excelize.ChartDimension{Width: 520, Height: 300},
	}))
}

func highest() float64 {
	best := 0.0
	for _, p := range products {
		best = max(best, round(float64(p.units)*p.price*(1-p.discount)))
	}
	return best
}

var (
	misplaced = regexp.MustCompile(`<(invertIfNegative|smooth) [^>]*>(</(invertIfNegative|smooth)>)?`)
	pictures  = regexp.MustCompile(`<Default Extension="[a-z]+" ContentType="image/[^>]*></Default>`)
	textual   = regexp.MustCompile(`(<f>IF\([^<]*</f>)<v>[0-9]*</v>`)
	numeric   = regexp.MustCompile(` t="str"(><f>[^<]*</f><v>)(-?[0-9.]+</v>)`)
)

// repack gives the package fixed times and a fixed order of parts.
func repack(b []byte) ([]byte, error) {
	zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, f := range zr.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		// excelize writes elements where the schema does not allow them
		// (CT_BarSer, ECMA-376-1 21.2.2.170), declares the values of formulas
		// as text, and writes a string's index instead of its text.
		data = misplaced.ReplaceAll(data, nil)
		data = pictures.ReplaceAll(data, nil) // unused, in an order that changes
		data = textual.ReplaceAll(data, []byte("${1}<v>Objetivo cumplido</v>"))
		data = numeric.ReplaceAll(data, []byte("$1$2"))
		parts = append(parts, part{f.Name, data})
	}
	sort.Slice(parts, func(i, j int) bool {
		// The content types come first, where streaming readers expect them.
		if a, b := parts[i].name == "[Content_Types].xml", parts[j].name == "[Content_Types].xml"; a != b {
			return a
		}
		return parts[i].name < parts[j].name
	})
	return pack(parts)
}
