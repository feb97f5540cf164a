//go:build !purepdf

package pdf

import (
	"bytes"
	"context"
	"image/png"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
)

func (d *wasmDoc) hasForm() bool {
	t, err := d.in.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: d.ref})
	return !d.failed(err) && t.FormType != enums.FPDF_FORMTYPE_NONE
}

func (d *wasmDoc) size(page int) (width, height float64) {
	s, err := d.in.FPDF_GetPageSizeByIndex(&requests.FPDF_GetPageSizeByIndex{Document: d.ref, Index: page})
	if d.failed(err) {
		return 0, 0
	}
	return s.Width, s.Height
}

func (d *wasmDoc) label(page int) string {
	l, err := d.in.FPDF_GetPageLabel(&requests.FPDF_GetPageLabel{Document: d.ref, Page: page})
	if d.failed(err) {
		return ""
	}
	return l.Label
}

// bookmarkPage returns the 1-based page the action of a bookmark leads to, 0
// when to none. A bookmark with its own destination gives 0: the library's
// FPDFBookmark_GetDest calls another function of PDFium.
func (d *wasmDoc) bookmarkPage(b references.FPDF_BOOKMARK) int {
	a, err := d.in.FPDFBookmark_GetAction(&requests.FPDFBookmark_GetAction{Bookmark: b})
	if d.failed(err) || a.Action == nil {
		return 0
	}
	dest, err := d.in.FPDFAction_GetDest(&requests.FPDFAction_GetDest{Document: d.ref, Action: *a.Action})
	if d.failed(err) || dest.Dest == nil {
		return 0
	}
	p, err := d.in.FPDFDest_GetDestPageIndex(&requests.FPDFDest_GetDestPageIndex{Document: d.ref, Dest: *dest.Dest})
	if d.failed(err) {
		return 0
	}
	return p.Index + 1
}

func (d *wasmDoc) extras(ctx context.Context, page int) pageExtras {
	var b pageExtras
	at := requests.Page{ByIndex: &requests.PageByIndex{Document: d.ref, Index: page}}
	count, err := d.in.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: at})
	if d.failed(err) {
		return b
	}
	widgets := 0
	for i := 0; i < min(count.Count, maxExtras) && ctx.Err() == nil; i++ {
		switch d.subtype(at, i) {
		case enums.FPDF_ANNOT_SUBTYPE_LINK:
			b.links++
		case enums.FPDF_ANNOT_SUBTYPE_WIDGET:
			widgets++
		case enums.FPDF_ANNOT_SUBTYPE_POPUP, enums.FPDF_ANNOT_SUBTYPE_UNKNOWN:
		default:
			b.annotations++
		}
	}
	if widgets == 0 || widgets >= maxExtras || ctx.Err() != nil {
		return b
	}
	form, err := d.in.GetForm(&requests.GetForm{Page: at})
	if d.failed(err) {
		return b
	}
	for _, f := range form.Fields {
		b.fields = append(b.fields, fieldOf(f, page))
	}
	return b
}

func (d *wasmDoc) subtype(at requests.Page, i int) enums.FPDF_ANNOTATION_SUBTYPE {
	a, err := d.in.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: at, Index: i})
	if d.failed(err) {
		return enums.FPDF_ANNOT_SUBTYPE_UNKNOWN
	}
	defer d.in.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: a.Annotation})
	t, err := d.in.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: a.Annotation})
	if d.failed(err) {
		return enums.FPDF_ANNOT_SUBTYPE_UNKNOWN
	}
	return t.Subtype
}

var fieldTypes = map[enums.FPDF_FORMFIELD_TYPE]string{
	enums.FPDF_FORMFIELD_TYPE_PUSHBUTTON: "button", enums.FPDF_FORMFIELD_TYPE_CHECKBOX: "checkbox",
	enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON: "radio", enums.FPDF_FORMFIELD_TYPE_COMBOBOX: "combo",
	enums.FPDF_FORMFIELD_TYPE_LISTBOX: "list", enums.FPDF_FORMFIELD_TYPE_TEXTFIELD: "text",
	enums.FPDF_FORMFIELD_TYPE_SIGNATURE: "signature",
}

func fieldOf(f responses.FormField, page int) Field {
	out := Field{Name: f.Name, Type: fieldTypes[f.Type], Page: page + 1, Checked: f.IsChecked != nil && *f.IsChecked}
	if f.Value != nil {
		out.Value = *f.Value
	}
	if len(f.Values) > 0 {
		out.Value = strings.Join(f.Values, ", ")
	}
	return out
}

// maxPictured is how many objects of a page without text are looked at.
const maxPictured = 1000

// pictured looks at the page as it is, without annotations.
func (d *wasmDoc) pictured(ctx context.Context, page int) string {
	at := requests.Page{ByIndex: &requests.PageByIndex{Document: d.ref, Index: page}}
	n, err := d.in.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: at})
	if d.failed(err) {
		return emptyPage
	}
	found := emptyPage
	for i := 0; i < min(n.Count, maxPictured) && ctx.Err() == nil; i++ {
		o, err := d.in.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: at, Index: i})
		if d.failed(err) {
			continue
		}
		t, err := d.in.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o.PageObject})
		if d.failed(err) {
			continue
		}
		switch t.Type {
		case enums.FPDF_PAGEOBJ_IMAGE, enums.FPDF_PAGEOBJ_FORM:
			return pictured
		case enums.FPDF_PAGEOBJ_PATH, enums.FPDF_PAGEOBJ_SHADING:
			found = drawn
		}
	}
	return found
}

func (d *wasmDoc) picture(ctx context.Context, page, width, height int) ([]byte, error) {
	p, err := d.flattened(page)
	if d.failed(err) {
		return nil, d.pageError(ctx, page, err)
	}
	defer d.close(p)
	r, err := d.in.RenderPageInPixels(&requests.RenderPageInPixels{
		Page:  requests.Page{ByReference: &p.Page},
		Width: width, Height: height, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT,
	})
	if d.failed(err) {
		return nil, d.pageError(ctx, page, err)
	}
	defer r.Cleanup()
	var buf bytes.Buffer
	if err := png.Encode(&buf, r.Result.Image); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
