"""Inserts a row into a workbook and saves it. The library leaves formulas as they are."""
import sys

import openpyxl

book = openpyxl.load_workbook(sys.argv[1])
book["Data"].insert_rows(3)
book.save(sys.argv[2])
print("inserted")
