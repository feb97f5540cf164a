"""Prints the paragraphs of one section of a document."""
import sys

import docx

inside = False
for paragraph in docx.Document(sys.argv[1]).paragraphs:
    if paragraph.style.name.lower().startswith("heading"):
        inside = paragraph.text == sys.argv[2]
    if inside:
        print(paragraph.text)
