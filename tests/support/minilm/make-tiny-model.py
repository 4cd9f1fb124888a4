"""Makes tiny.onnx and tiny-vocab.txt beside this file: pip install onnx, then python3 make-tiny-model.py.

The model has the inputs and the output of all-MiniLM-L6-v2. Each token has a vector of 8 numbers and nothing else happens, so
that a test can compute what comes out: number i of token t is 1 where t modulo 8 is i, else t / 100.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

words = "[PAD] [UNK] [CLS] [SEP] paper papers ##s on cat ##al ##og ##ue reason ##ing , . ( ) ! 2024 deep net ##work cafe 论 文 σ ##σ"
vocab = words.split(" ")
here = Path(__file__).parent
here.joinpath("tiny-vocab.txt").write_text("\n".join(vocab) + "\n", encoding="utf-8")

table = np.zeros((len(vocab), 8), dtype=np.float32)
for token in range(len(vocab)):
    table[token, :] = token / 100
    table[token, token % 8] = 1

inputs = [
    helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])
    for name in ("input_ids", "attention_mask", "token_type_ids")
]
output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", 8])
graph = helper.make_graph(
    [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
    "tiny",
    inputs,
    [output],
    [numpy_helper.from_array(table, "table")],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, str(here / "tiny.onnx"))
