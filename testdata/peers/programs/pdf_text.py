"""Prints the text of all pages of a PDF, with PyMuPDF."""
import sys

import fitz

for page in fitz.open(sys.argv[1]):
    print(page.get_text())
