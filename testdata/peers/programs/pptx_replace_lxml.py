"""Replaces a text in the text elements of all slides, with zipfile and lxml only."""
import sys
import zipfile

from lxml import etree

text = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
hits = 0
with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as new:
    for info in old.infolist():
        data = old.read(info)
        if info.filename.startswith("ppt/slides/slide"):
            root = etree.fromstring(data)
            for element in root.iter(text):
                if element.text and "Widget" in element.text:
                    hits += element.text.count("Widget")
                    element.text = element.text.replace("Widget", "Gadget")
            data = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
        new.writestr(info, data)
print("replaced", hits)
