package docs

import "strings"

// contract generates contrato.docx: a distribution contract of four pages.
func contract() ([]byte, error) {
	mark, err := logo()
	if err != nil {
		return nil, err
	}
	ns := ` xmlns:w="` + wordNS + `" xmlns:r="` + officeRels + `" xmlns:wp="` + wpNS + `"`
	return pack([]part{
		typesPart("word/document.xml", wordType("document.main"), "word/styles.xml", wordType("styles"), "word/numbering.xml", wordType("numbering"),
			"word/settings.xml", wordType("settings"), "word/fontTable.xml", wordType("fontTable"), "word/footnotes.xml", wordType("footnotes"), "word/comments.xml", wordType("comments"),
			"word/header1.xml", wordType("header"), "word/footer1.xml", wordType("footer"),
			"word/theme/theme1.xml", "application/vnd.openxmlformats-officedocument.theme+xml",
			"docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml", "docProps/app.xml", "application/vnd.openxmlformats-officedocument.extended-properties+xml"),
		relsPart("_rels/.rels", rel{"rId1", "officeDocument", "word/document.xml"}, rel{"rId2", "core-properties", "docProps/core.xml"}, rel{"rId3", "extended-properties", "docProps/app.xml"}),
		xmlPart("word/document.xml", `<w:document`+ns+`><w:body>`+contractBody()+`<w:sectPr><w:headerReference w:type="default" r:id="rId6"/><w:footerReference w:type="default" r:id="rId7"/><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1701" w:right="1418" w:bottom="1418" w:left="1418" w:header="709" w:footer="709" w:gutter="0"/></w:sectPr></w:body></w:document>`),
		relsPart("word/_rels/document.xml.rels", rel{"rId1", "styles", "styles.xml"}, rel{"rId2", "numbering", "numbering.xml"}, rel{"rId3", "settings", "settings.xml"}, rel{"rId4", "fontTable", "fontTable.xml"}, rel{"rId5", "theme", "theme/theme1.xml"}, rel{"rId6", "header", "header1.xml"}, rel{"rId7", "footer", "footer1.xml"}, rel{"rId8", "footnotes", "footnotes.xml"}, rel{"rId9", "comments", "comments.xml"}, rel{"rId10", "image", "media/image1.png"}, rel{"rId11", "hyperlink", "https://example.com/condiciones"}, rel{"rId12", "hyperlink", "mailto:distribucion@olivares.example"}),
		xmlPart("word/styles.xml", wordStyles()),
		xmlPart("word/numbering.xml", wordNumbering()),
		xmlPart("word/settings.xml", `<w:settings xmlns:w="`+wordNS+`"><w:zoom w:percent="100"/><w:defaultTabStop w:val="708"/><w:footnotePr><w:footnote w:id="-1"/><w:footnote w:id="0"/></w:footnotePr><w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat><w:themeFontLang w:val="es-ES"/></w:settings>`),
		xmlPart("word/fontTable.xml", `<w:fonts xmlns:w="`+wordNS+`"><w:font w:name="Arial"><w:panose1 w:val="020B0604020202020204"/><w:charset w:val="00"/><w:family w:val="swiss"/><w:pitch w:val="variable"/></w:font></w:fonts>`),
		xmlPart("word/footnotes.xml", `<w:footnotes`+ns+`><w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>`+
			footnote("1", "Se entiende por _territorio_ el continental europeo, sin incluir los archipiélagos atlánticos.")+
			footnote("2", "Índice de Precios de Consumo publicado por el *Instituto Nacional de Estadística*.")+`</w:footnotes>`),
		xmlPart("word/comments.xml", `<w:comments`+ns+`><w:comment w:id="0" w:author="Carmen Ruiz" w:date="2026-03-02T09:00:00Z" w:initials="CR">`+para("CommentText", "", `<w:r><w:rPr><w:rStyle w:val="CommentReference"/></w:rPr><w:annotationRef/></w:r>`+runs("Confirmar este plazo con el departamento de logística.", nil))+`</w:comment></w:comments>`),
		xmlPart("word/header1.xml", `<w:hdr`+ns+`>`+para("Header", "", inlinePicture("rId1", 1, 360000, 360000, "Logotipo", "Logotipo de Olivares del Sur")+runs("  *Olivares del Sur, S.L.*", nil)+`<w:r><w:tab/></w:r>`+runs("Contrato de distribución n.º 2026/014", nil))+`</w:hdr>`),
		relsPart("word/_rels/header1.xml.rels", rel{"rId1", "image", "media/image1.png"}),
		xmlPart("word/footer1.xml", `<w:ftr`+ns+`>`+para("Footer", "", runs("Documento confidencial", nil)+`<w:r><w:tab/></w:r>`+runs("Página ", nil)+field("PAGE", "1")+runs(" de ", nil)+field("NUMPAGES", "4"))+`</w:ftr>`),
		{"word/media/image1.png", mark},
		themePart("word/theme/theme1.xml"),
		corePart("Contrato de distribución", "Contrato entre Olivares del Sur y Casa Lisboa"),
		appPart("Microsoft Office Word"),
	})
}

func footnote(id, text string) string {
	return `<w:footnote w:id="` + id + `">` + para("FootnoteText", "", `<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r>`+runs(" "+text, nil)) + `</w:footnote>`
}

// contractRaw has the XML for the {marks} of the clauses.
var contractRaw = map[string]string{
	"n1":  `<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="1"/></w:r>`,
	"n2":  `<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="2"/></w:r>`,
	"c0":  `<w:commentRangeStart w:id="0"/>`,
	"/c0": `<w:commentRangeEnd w:id="0"/><w:r><w:rPr><w:rStyle w:val="CommentReference"/></w:rPr><w:commentReference w:id="0"/></w:r>`,
	"tab": `<w:r><w:tab/></w:r>`,
	"br":  `<w:r><w:br/></w:r>`,
	// Word splits words like this when a person edits them.
	"split": `<w:r><w:t>exclu</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>si</w:t></w:r><w:r><w:t>va</w:t></w:r>`,
}

// clauses is the contract, one paragraph a line: "# " and "## " headings, "-
// " and "-- " bullets, "a " and "b " items of two lettered lists, "@" a block
// generated by code.
const clauses = `@logo
^Contrato de distribución
~entre Olivares del Sur, S.L. y Casa Lisboa, Lda.
En *Jaén*, a *2 de marzo de 2026*.
# Reunidos
De una parte, *D.ª Carmen Ruiz Salas*, mayor de edad, en nombre y representación de *Olivares del Sur, S.L.* (en adelante, «el Fabricante»), con domicilio en la calle Molino, 12, de Jaén, y número de identificación fiscal B-23000000.
De otra parte, *D.ª Inês Tavares*, mayor de edad, en nombre y representación de *Casa Lisboa, Lda.* (en adelante, «el Distribuidor»), con domicilio en la rua da Prata, 80, de Lisboa.
Ambas partes se reconocen capacidad legal suficiente para otorgar el presente contrato y, a tal efecto,
# Exponen
a Que el Fabricante elabora y comercializa aceites de oliva, vinagres y otros productos alimentarios de _alta calidad_.
a Que el Distribuidor dispone de una red comercial propia en Portugal y desea distribuir dichos productos.
a Que ambas partes han acordado celebrar el presente contrato con arreglo a las siguientes cláusulas.
# Cláusulas
## Primera. Objeto
El Fabricante concede al Distribuidor el derecho de distribución {split} de los productos enumerados en el anexo I dentro del territorio.{n1} El Distribuidor acepta este derecho y se compromete a promover la venta de los productos *con la diligencia de un ordenado comerciante*.
El Distribuidor actuará siempre en su propio nombre y por cuenta propia, sin que pueda obligar al Fabricante frente a terceros.
## Segunda. Duración
El contrato tendrá una duración de *tres años* a partir de la fecha de su firma y se prorrogará por períodos anuales, salvo que una de las partes comunique a la otra su voluntad de no renovarlo con {c0}una antelación mínima de sesenta días{/c0}.
## Tercera. Obligaciones del Distribuidor
El Distribuidor se obliga, en particular, a:
- mantener existencias suficientes para atender la demanda del territorio;
- respetar las condiciones de almacenamiento indicadas en cada etiqueta:
-- temperatura entre 15 °C y 20 °C,
-- ausencia de luz directa;
- comunicar cada trimestre las ventas realizadas y las previsiones;
- no distribuir productos que compitan con los del Fabricante.
## Cuarta. Precio y forma de pago
Los precios serán los vigentes en la tarifa del Fabricante en el momento del pedido. La tarifa se revisará una vez al año conforme al IPC.{n2} Los pagos se harán por transferencia bancaria según el siguiente calendario:
@table
El retraso en el pago devengará un interés del *1,5 %* mensual, sin necesidad de requerimiento previo. Las condiciones generales de venta pueden consultarse en [la página del Fabricante](rId11) o solicitarse a [distribucion@olivares.example](rId12).
## Quinta. Entrega y riesgo
Las entregas se realizarán en el almacén del Distribuidor en un plazo máximo de _diez días hábiles_ desde la confirmación del pedido. El riesgo se transmitirá en el momento de la entrega.
El Distribuidor examinará la mercancía a su llegada y notificará por escrito cualquier defecto aparente en las *cuarenta y ocho horas* siguientes. Transcurrido ese plazo, se entenderá que la recibe conforme.
## Sexta. Propiedad industrial
El Fabricante autoriza al Distribuidor a utilizar sus marcas únicamente para la promoción y venta de los productos. Esta autorización terminará con el contrato y no supone cesión de ningún derecho.
## Séptima. Confidencialidad
Las partes guardarán secreto sobre la información comercial y técnica que conozcan con motivo de este contrato, durante su vigencia y en los *dos años* siguientes a su terminación.
## Octava. Protección de datos
Los datos personales de los firmantes se tratarán con la única finalidad de gestionar la relación contractual. Cada parte podrá ejercer sus derechos de acceso, rectificación y supresión ante la otra.
## Novena. Resolución
Cualquiera de las partes podrá resolver el contrato si la otra incumple de forma grave sus obligaciones y no subsana el incumplimiento en los *treinta días* siguientes al requerimiento. Serán causas de resolución inmediata:
b la declaración de concurso de una de las partes;
b el impago de dos facturas consecutivas;
b la venta de los productos fuera del territorio sin autorización escrita.
## Décima. Ley aplicable y jurisdicción
El presente contrato se rige por la ley española. Para cualquier controversia, las partes se someten a los juzgados y tribunales de Jaén, con renuncia a cualquier otro fuero.
Y en prueba de conformidad, ambas partes firman el presente contrato por duplicado en el lugar y la fecha indicados al principio.
@signatures
@break
# Anexo I. Productos
Los productos objeto de distribución son los siguientes. Las cantidades mínimas se refieren a cada pedido.
@products`

func contractBody() string {
	var sb strings.Builder
	list := func(num, level string) string {
		return `<w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + num + `"/></w:numPr>`
	}
	for _, line := range strings.Split(clauses, "\n") {
		mark, rest, _ := strings.Cut(line, " ")
		switch {
		case line[0] == '@':
			sb.WriteString(contractBlock(line))
		case line[0] == '^':
			sb.WriteString(para("Title", "", runs(line[1:], nil)))
		case line[0] == '~':
			sb.WriteString(para("Subtitle", "", runs(line[1:], nil)))
		case mark == "#":
			sb.WriteString(para("Heading1", "", runs(rest, nil)))
		case mark == "##":
			sb.WriteString(para("Heading2", "", runs(rest, nil)))
		case mark == "-":
			sb.WriteString(para("ListParagraph", list("1", "0"), runs(rest, nil)))
		case mark == "--":
			sb.WriteString(para("ListParagraph", list("1", "1"), runs(rest, nil)))
		case mark == "a":
			sb.WriteString(para("ListParagraph", list("2", "0"), runs(rest, nil)))
		case mark == "b":
			sb.WriteString(para("ListParagraph", list("3", "0"), runs(rest, nil)))
		default:
			sb.WriteString(para("", "", runs(line, contractRaw)))
		}
	}
	return sb.String()
}

func contractBlock(name string) string {
	plain := func(s string) string { return para("", "", runs(s, nil)) }
	right := func(s string) string { return para("", `<w:jc w:val="right"/>`, runs(s, nil)) }
	row := func(cells ...string) string { return "<w:tr>" + strings.Join(cells, "") + "</w:tr>" }
	head := func(cells ...string) string {
		return "<w:tr><w:trPr><w:tblHeader/></w:trPr>" + strings.Join(cells, "") + "</w:tr>"
	}
	switch name {
	case "@logo":
		return para("", `<w:jc w:val="center"/>`, inlinePicture("rId10", 2, 1080000, 1080000, "Logotipo grande", "Rama de olivo dentro de un anillo verde"))
	case "@break":
		return para("", "", `<w:r><w:br w:type="page"/></w:r>`)
	case "@signatures":
		line := `<w:tcBorders><w:top w:val="single" w:sz="6" w:space="0" w:color="1F2A2E"/></w:tcBorders>`
		w := []int{3800, 1200, 3800}
		return para("", `<w:spacing w:before="900"/>`, "") + table("SinBordes", w, row(
			cell(w[0], line, plain("*Carmen Ruiz Salas*")+plain("Por el Fabricante")),
			cell(w[1], "", plain("")),
			cell(w[2], line, plain("*Inês Tavares*")+plain("Por el Distribuidor")))) + para("", "", "")
	case "@table":
		w := []int{2300, 3500, 1500, 1770}
		span := `<w:shd w:val="clear" w:color="auto" w:fill="F3EFE6"/>`
		first, more := `<w:vMerge w:val="restart"/><w:vAlign w:val="center"/>`, `<w:vMerge/>`
		return table("TablaCasa", w,
			head(cell(w[0], "", plain("Concepto")), cell(w[1], "", plain("Vencimiento")), cell(w[2], "", right("Porcentaje")), cell(w[3], "", right("Importe"))),
			row(cell(w[0], first, plain("Pedido inicial")), cell(w[1], "", plain("A la firma del contrato")), cell(w[2], "", right("40 %")), cell(w[3], "", right("12.000,00 €"))),
			row(cell(w[0], more, plain("")), cell(w[1], "", plain("A la primera entrega")), cell(w[2], "", right("60 %")), cell(w[3], "", right("18.000,00 €"))),
			row(cell(w[0], "", plain("Pedidos ordinarios")), cell(w[1], "", plain("A treinta días de la _fecha de factura_")), cell(w[2], "", right("100 %")), cell(w[3], "", right("según tarifa"))),
			row(cell(w[0]+w[1]+w[2], `<w:gridSpan w:val="3"/>`+span, right("*Compromiso mínimo anual*")), cell(w[3], span, right("*90.000,00 €*"))),
		) + para("", `<w:spacing w:after="60"/>`, "")
	case "@products":
		w := []int{1200, 4200, 1900, 1770}
		rows := []string{head(cell(w[0], "", plain("Código")), cell(w[1], "", plain("Descripción")), cell(w[2], "", plain("Formato")), cell(w[3], "", right("Cantidad mínima")))}
		for _, p := range [][4]string{
			{"AO-500", "Aceite de oliva virgen extra, _cosecha temprana_", "500 ml", "120 botellas"},
			{"AO-5000", "Aceite de oliva virgen extra", "Garrafa de 5 l", "24 garrafas"},
			{"AO-SF", "Aceite sin filtrar, *edición limitada*", "750 ml", "60 botellas"},
			{"VJ-250", "Vinagre de Jerez con crianza en madera", "250 ml", "96 botellas"},
			{"AC-350", "Aceitunas gordal aliñadas", "350 g", "72 frascos"},
			{"PA-120", "Paté de aceituna negra", "120 g", "48 tarros"},
		} {
			rows = append(rows, row(cell(w[0], "", plain(p[0])), cell(w[1], "", plain(p[1])), cell(w[2], "", plain(p[2])), cell(w[3], "", right(p[3]))))
		}
		return table("TablaCasa", w, rows...) + para("", `<w:spacing w:before="240"/>`, runs("_Fin del anexo._", nil))
	}
	return ""
}
