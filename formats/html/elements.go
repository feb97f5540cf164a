package html

// blockElements are the elements whose tags end a segment; all others are in
// running text, unknown ones too (custom elements are inline unless styled
// otherwise).
var blockElements = set(`address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt
	fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main
	menu nav ol optgroup option p pre search section select summary table tbody td template textarea tfoot th thead
	title tr ul`)

// voidElements have no end tag (HTML 13.1.2).
var voidElements = set("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")

// codeElements are inline elements whose content is kept, as are scripts and styles.
var codeElements = set("code kbd samp var script style xmp iframe noembed noframes")

// codeInPre are those that make preformatted text code when they come first in it.
var codeInPre = set("code kbd samp var")

// spoken are the elements of drawings and formulas (SVG, MathML) whose text is
// language; inlineForeign those that are in such text.
var (
	languageElements = set("text title desc foreignobject mtext")
	inlineForeign    = set("tspan textpath a tref")
)

// closedBy says which open element a start tag closes when its end tag was left
// out (HTML 13.1.2.4), up to the element that contains both.
var closedBy = map[string]struct{ close, within map[string]bool }{
	"li":       {set("li"), set("ul ol menu dir")},
	"dt":       {set("dt dd"), set("dl")},
	"dd":       {set("dt dd"), set("dl")},
	"td":       {set("td th"), set("tr table")},
	"th":       {set("td th"), set("tr table")},
	"tr":       {set("tr td th"), set("table")},
	"tbody":    {set("thead tbody tfoot tr td th caption colgroup"), set("table")},
	"tfoot":    {set("thead tbody tfoot tr td th caption colgroup"), set("table")},
	"thead":    {set("thead tbody tfoot tr td th caption colgroup"), set("table")},
	"option":   {set("option"), set("select datalist optgroup")},
	"optgroup": {set("option optgroup"), set("select")},
	"body":     {set("head title"), set("html")},
}

// partOf names the part of a page that an element's text is.
var partOf = map[string]string{
	"title": "title", "h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading",
	"th": "table header", "td": "cell", "caption": "caption", "figcaption": "caption", "li": "list", "dt": "list", "dd": "list",
	"option": "form", "optgroup": "form", "legend": "form", "textarea": "form", "text": "drawing", "desc": "drawing", "mtext": "formula",
}
