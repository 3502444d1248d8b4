"""change_reference.py IN OUT PROGRAM MEMBER STEP VALUE: changes one number of
references.json, to show that the comparison sees it."""

import json
import sys

source, target, program, member, step, value = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    references = json.load(file)
references[program][member][int(step)] = float(value)
with open(target, "w", encoding="utf-8") as file:
    json.dump(references, file)
