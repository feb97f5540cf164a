package pptx

import (
	"context"
	"fmt"
	"hash/fnv"
	"path"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// sharedTypes are the relationships whose targets a copy of a slide uses too. What
// else a slide leads to, such as charts with their workbooks, diagrams and
// notes, belongs to one slide and is copied.
var sharedTypes = map[string]bool{
	relLayout: true, relMaster: true, relSlide: true, relImage: true,
	nsR + "/notesMaster": true, nsR + "/theme": true, nsR + "/video": true, nsR + "/audio": true, nsR + "/font": true, nsR + "/hyperlink": true,
	"http://schemas.microsoft.com/office/2007/relationships/media":   true,
	"http://schemas.microsoft.com/office/2007/relationships/hdphoto": true,
}

// copier copies a slide with the parts that belong to it.
type copier struct {
	*deckEdit
	slide    string
	made     map[string]string // copy by original
	comments int               // comment parts left out
}

// copyPart copies a part with what belongs to it and returns the copy's name.
func (c *copier) copyPart(ctx context.Context, part string) (string, error) {
	if name := c.made[part]; name != "" {
		return name, nil
	}
	name := c.edit.NewName(copyPattern(part))
	c.made[part] = name
	data, err := c.edit.Read(ctx, part)
	if err != nil {
		return "", err
	}
	if part == c.slide {
		data = freshID(data, name)
	}
	c.edit.Set(name, data)
	typ, err := c.edit.ContentType(ctx, part)
	if err != nil {
		return "", err
	}
	if typ != "" {
		if err := c.edit.DeclareType(ctx, name, typ); err != nil {
			return "", err
		}
	}
	dropped, err := c.copyRels(ctx, part, name)
	if err != nil {
		return "", err
	}
	return name, c.dropExtensions(ctx, name, dropped)
}

// dropExtensions cuts the extensions of a copied slide that refer to comments
// left out ([MS-PPTX] 2.2.9), by their relationships.
func (c *copier) dropExtensions(ctx context.Context, name string, dropped map[string]bool) error {
	if len(dropped) == 0 {
		return nil
	}
	t, err := c.tree(ctx, name)
	if err != nil {
		return err
	}
	var cuts []xmlscan.Splice
	for n := range t.Root.All() {
		if !dropped[n.RelValue("id")] {
			continue
		}
		for ; n != nil; n = n.Parent {
			if n.Is(nsP, "ext") && !insideCuts(n, cuts) {
				cuts = append(cuts, xmlscan.Splice{Start: n.Start, End: n.After})
			}
		}
	}
	c.setTree(t, cuts)
	return nil
}

// copyPattern returns the pattern of names beside a part: another number in the
// same folder, so that relative links stay right.
func copyPattern(part string) string {
	ext := path.Ext(part)
	stem := strings.TrimRight(strings.TrimSuffix(part, ext), "0123456789")
	return strings.ReplaceAll(stem, "%", "%%") + "%d" + strings.ReplaceAll(ext, "%", "%%")
}

// copyRels writes the relationships of the copy under the same ids, and says
// which it left out.
func (c *copier) copyRels(ctx context.Context, part, name string) (dropped map[string]bool, err error) {
	rels, err := c.Rels(ctx, part)
	if err != nil || len(rels) == 0 {
		return nil, err
	}
	doc, err := c.ReadXML(ctx, opc.RelsName(part))
	if err != nil {
		return nil, err
	}
	dropped = map[string]bool{}
	to := map[string]string{} // new target by id; "" drops the relationship
	for _, r := range rels {
		switch {
		case r.External || sharedTypes[r.Type] && r.Target != c.slide || !c.Has(r.Target):
		case r.Type == relComments || r.Type == relModernComments:
			c.comments++
			to[r.ID] = ""
			dropped[r.ID] = true
		default:
			target, err := c.copyPart(ctx, r.Target)
			if err != nil {
				return nil, err
			}
			to[r.ID] = opc.Relative(name, target)
		}
	}
	var splices []xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != "Relationship" {
			continue
		}
		id, _ := t.Attr("Id")
		target, changed := to[id]
		switch {
		case !changed:
		case target == "":
			splices = append(splices, xmlscan.Splice{Start: t.Start, End: sc.Skip()})
		default:
			for a := range t.Attrs() {
				if a.Name == "Target" {
					splices = append(splices, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(xmlscan.EscapeAttr(target))})
				}
			}
		}
	}
	made := opc.RelsName(name)
	c.edit.Set(made, xmlscan.Apply(doc, splices))
	// Some producers leave out the default for relationships.
	if typ, err := c.edit.ContentType(ctx, made); err != nil || typ != "" {
		return dropped, err
	}
	return dropped, c.edit.AddContentType(ctx, made, relsType)
}

const relsType = "application/vnd.openxmlformats-package.relationships+xml"

var creationID = lazyregexp.New(`(creationId[^>]*\sval=")(\d+)(")`)

// freshID returns a copied slide its own creation id ([MS-PPTX] 2.2.6.1), by
// which programs tell slides apart.
func freshID(slide []byte, name string) []byte {
	m := creationID.FindSubmatchIndex(slide)
	if m == nil {
		return slide
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	h.Write(slide[m[4]:m[5]])
	return xmlscan.Apply(slide, []xmlscan.Splice{{Start: m[4], End: m[5], New: fmt.Append(nil, h.Sum32())}})
}
