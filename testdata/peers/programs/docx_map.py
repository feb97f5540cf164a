"""Says the headings of a document and how many paragraphs follow each."""
import sys

import docx

sections = []
for paragraph in docx.Document(sys.argv[1]).paragraphs:
    if paragraph.style.name.lower().startswith("heading"):
        sections.append([paragraph.text, 0])
    elif sections:
        sections[-1][1] += 1
print(sections)
