# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes safetensors files whose bytes depend on nothing but their content.

The library's own writer lists metadata in hash order, which changes from run to
run; a file that is checked in should not.
"""

import json

import numpy as np

_NAMES = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int64": "I64",
    "int32": "I32",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
}


def save(path, tensors, metadata):
    """Writes `tensors` (name -> numpy array) in their order, wider types first.

    That order keeps every tensor aligned to its element, as the format asks.
    """
    arrays = {name: np.ascontiguousarray(value).reshape(np.shape(value)) for name, value in tensors.items()}
    header = {"__metadata__": {key: str(metadata[key]) for key in sorted(metadata)}}
    offset = 0
    ordered = sorted(arrays, key=lambda name: -arrays[name].dtype.itemsize)
    for name in ordered:
        array = arrays[name]
        header[name] = {
            "dtype": _NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for name in ordered:
            file.write(arrays[name].tobytes())
