"""Prints 50 rows of a workbook from row sys.argv[2] on."""
import sys

import openpyxl

first = int(sys.argv[2])
sheet = openpyxl.load_workbook(sys.argv[1], read_only=True)["Data"]
for row in sheet.iter_rows(min_row=first, max_row=first + 49, max_col=10, values_only=True):
    print(row)
print("50 rows")
