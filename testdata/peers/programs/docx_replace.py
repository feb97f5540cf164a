"""Replaces a text in all runs of a document and saves it."""
import sys

import docx

document = docx.Document(sys.argv[1])
hits = 0
for paragraph in document.paragraphs:
    for run in paragraph.runs:
        if "Widget" in run.text:
            hits += run.text.count("Widget")
            run.text = run.text.replace("Widget", "Gadget")
document.save(sys.argv[2])
print("replaced", hits)
