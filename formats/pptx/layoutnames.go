package pptx

// purposes are the layout names an operation may use, with the types that such a layout
// has (19.7.15). "tx" is the older form of "obj".
var purposes = func() map[string][]string {
	out := map[string][]string{}
	for typ, names := range layoutNames {
		types := []string{typ}
		if typ == "obj" {
			types = append(types, "tx")
		}
		out[foldName(typ)] = types
		for _, name := range names {
			out[foldName(name)] = types
		}
	}
	return out
}()

// layoutNames are the names of layouts by their type: those that operations use, and those
// that PowerPoint gives its standard layouts in the languages of its users.
var layoutNames = map[string][]string{
	"title": {"title", "cover", "Title Slide", "Titelfolie", "Diapositive de titre", "Diapositiva de título", "Diapositiva titolo", "Slide de Título", "Diapositivo de Título", "Titeldia",
		"Slajd tytułowy", "Rubrikbild", "Titelslide", "Tittellysbilde", "Otsikkodia", "Úvodní snímek", "Címdia", "Титульный слайд", "Титульний слайд", "Başlık Slaydı", "タイトル スライド", "标题幻灯片", "標題投影片", "제목 슬라이드", "Διαφάνεια τίτλου"},
	"obj": {"title_and_content", "content", "Titel und Inhalt", "Titre et contenu", "Título y objetos", "Título y contenido", "Titolo e contenuto", "Título e Conteúdo", "Título e Objeto", "Titel en object", "Titel en inhoud",
		"Tytuł i zawartość", "Rubrik och innehåll", "Titel og indholdsobjekt", "Titel og indhold", "Tittel og innhold", "Otsikko ja sisältö", "Nadpis a obsah", "Cím és tartalom", "Заголовок и объект", "Назва та вміст", "Başlık ve İçerik", "タイトルとコンテンツ", "标题和内容", "標題及物件", "제목 및 내용"},
	"secHead": {"section_header", "section", "Abschnittsüberschrift", "Titre de section", "Encabezado de sección", "Intestazione sezione", "Cabeçalho da Seção", "Cabeçalho da Secção", "Sectiekop",
		"Nagłówek sekcji", "Avsnittsrubrik", "Afsnitsoverskrift", "Deloverskrift", "Osan ylätunniste", "Záhlaví oddílu", "Záhlaví části", "Szakaszfejléc", "Заголовок раздела", "Bölüm Üstbilgisi", "セクション見出し", "节标题", "章節標題", "구역 머리글"},
	"twoObj": {"two_content", "two_columns", "Zwei Inhalte", "Deux contenus", "Dos objetos", "Due contenuti", "Duas Partes de Conteúdo", "Conteúdo Duplo", "Inhoud van twee",
		"Dwa elementy zawartości", "Två innehållsdelar", "To indholdsobjekter", "To innholdsdeler", "Kaksi sisältökohdetta", "Dva obsahy", "2 tartalomrész", "Два объекта", "İki İçerik", "2 つのコンテンツ", "两栏内容", "兩項物件", "콘텐츠 2개"},
	"twoTxTwoObj": {"comparison", "Vergleich", "Comparaison", "Comparación", "Confronto", "Comparação", "Vergelijking", "Porównanie", "Jämförelse", "Sammenligning", "Vertailu", "Porovnání", "Összehasonlítás", "Сравнение", "Karşılaştırma", "比較", "比较", "比對", "비교"},
	"titleOnly": {"title_only", "Nur Titel", "Titre seul", "Solo el título", "Sólo el título", "Solo titolo", "Somente Título", "Apenas Título", "Alleen titel", "Tylko tytuł", "Endast rubrik", "Kun titel", "Bare tittel", "Vain otsikko",
		"Jenom nadpis", "Pouze nadpis", "Csak cím", "Только заголовок", "Yalnızca Başlık", "タイトルのみ", "仅标题", "只有標題", "제목만"},
	"blank": {"blank", "empty", "Leer", "Leere Folie", "Vide", "En blanco", "Vuota", "Vuoto", "Em Branco", "Leeg", "Pusty", "Tom", "Tomt", "Tyhjä", "Prázdný", "Üres", "Пустой слайд", "Boş", "白紙", "空白", "빈 화면"},
	"objTx": {"content_with_caption", "Inhalt mit Überschrift", "Contenu avec légende", "Contenido con título", "Contenuto con didascalia", "Conteúdo com Legenda", "Inhoud met bijschrift", "Zawartość z podpisem", "Innehåll med bildtext",
		"Объект с подписью", "タイトル付きのコンテンツ", "内容与标题"},
	"picTx": {"picture_with_caption", "picture", "Bild mit Überschrift", "Image avec légende", "Imagen con título", "Immagine con didascalia", "Imagem com Legenda", "Afbeelding met bijschrift", "Obraz z podpisem", "Bild med bildtext",
		"Рисунок с подписью", "タイトル付きの図", "图片与标题"},
	"vertTx":         {"title_and_vertical_text", "Titel und vertikaler Text", "Titre et texte vertical", "Título y texto vertical"},
	"vertTitleAndTx": {"vertical_title_and_text", "Vertikaler Titel und Text", "Titre vertical et texte", "Título vertical y texto"},
}

// looksLike reports whether a layout without a type has the places of one of that type.
func (l *layout) looksLike(typ string) bool {
	count := map[string]int{}
	for _, s := range l.items {
		switch t := s.phType(); {
		case isFooterType(t):
		case isTitleType(t):
			count["title"]++
		case t == "obj" || t == "body":
			count["text"]++
			count["any"]++
		default:
			count[t]++
			count["any"]++
		}
	}
	if count["title"] > 1 {
		return false
	}
	title, text, only := count["title"] == 1, count["text"], count["any"] == count["text"]
	switch typ {
	case "title":
		return title && count["subTitle"] == 1 && count["any"] == 1
	case "obj":
		return title && text == 1 && only
	case "twoObj":
		return title && text == 2 && only
	case "twoTxTwoObj":
		return title && text == 4 && only
	case "titleOnly":
		return title && count["any"] == 0
	case "blank":
		return !title && count["any"] == 0
	case "picTx":
		return title && count["pic"] == 1
	}
	return false
}
