"""Sets ten cells of a workbook and saves it."""
import sys

import openpyxl

book = openpyxl.load_workbook(sys.argv[1])
for i in range(10):
    book["Data"].cell(row=2 + i, column=4, value=1000 + i)
book.save(sys.argv[2])
print("set 10")
