package offcrypto

import (
	"encoding/base64"
	"errors"
	"fmt"

	"atelier/formats/ooxml/xmlscan"
)

// rewritten returns the XML of an agile encryption with other values of
// attributes, by element: of the first keyData, dataIntegrity and encryptedKey of a
// password. Everything else keeps its bytes. addIntegrity adds the element
// dataIntegrity after keyData.
func rewritten(doc []byte, values map[string]map[string][]byte, addIntegrity bool) ([]byte, error) {
	var cut []xmlscan.Splice
	done := map[string]bool{}
	sc := xmlscan.New(doc)
	password := false
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && t.Local == "keyEncryptor" {
			password = t.AttrLocal("uri") == nsPassword
		}
		if t.Local == "keyData" && addIntegrity && (t.Kind == xmlscan.End || t.Empty) {
			prefix := ""
			if t.Prefix != "" {
				prefix = t.Prefix + ":"
			}
			v := values["dataIntegrity"]
			cut = append(cut, xmlscan.Splice{Start: t.End, End: t.End, New: fmt.Appendf(nil, `<%sdataIntegrity encryptedHmacKey="%s" encryptedHmacValue="%s"/>`,
				prefix, base64.StdEncoding.EncodeToString(v["encryptedHmacKey"]), base64.StdEncoding.EncodeToString(v["encryptedHmacValue"]))})
			done["dataIntegrity"] = true
		}
		want := values[t.Local]
		if t.Kind != xmlscan.Start || want == nil || done[t.Local] || t.Local == "encryptedKey" && !password {
			continue
		}
		done[t.Local] = true
		for name, v := range want {
			for a := range t.Attrs() {
				if a.Name == name {
					cut = append(cut, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(base64.StdEncoding.EncodeToString(v))})
				}
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	if len(done) != len(values) {
		return nil, errors.New("how it is encrypted cannot be written")
	}
	return xmlscan.Apply(doc, cut), nil
}
