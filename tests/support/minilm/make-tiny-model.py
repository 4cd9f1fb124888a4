"""Makes tiny.safetensors, tiny-vocab.txt and expected.json beside this file, and with the folder of the real model real.json.

    pip install sentence-transformers && python3 make-tiny-model.py [FOLDER OF all-MiniLM-L6-v2]

The tiny model has all parts of all-MiniLM-L6-v2: two layers, one head of 32 numbers, random weights. The vectors are those of
Transformers (tiny) and of Sentence Transformers (real).
"""

import base64
import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import BertWordPieceTokenizer
from transformers import BertConfig, BertModel

here = Path(__file__).parent
words = "[PAD] [UNK] [CLS] [SEP] [MASK] paper papers ##s on cat ##al ##og ##ue reason ##ing , . ( ) ! 2024 deep net ##work cafe 论 文 σ ##σ"
vocabulary = here / "tiny-vocab.txt"
vocabulary.write_text("\n".join(words.split(" ")) + "\n", encoding="utf-8")

torch.manual_seed(7)
config = BertConfig(
    vocab_size=len(words.split(" ")),
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=1,
    intermediate_size=64,
    max_position_embeddings=256,
    initializer_range=0.4,
)
model = BertModel(config, add_pooling_layer=False).eval()
for name, weight in model.named_parameters():
    # Also what is zero or one in a new model.
    if name.endswith("bias") or "LayerNorm" in name:
        weight.data += torch.randn_like(weight) * 0.2
save_file({name: weight.contiguous() for name, weight in model.state_dict().items()}, here / "tiny.safetensors")

texts = ["", "paper", "Papers on reasoning, deep networks!", "[MASK] cat [SEP] catalogue", "paper " * 300, "论文 σσ (2024)"]
tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
tokenizer.enable_truncation(256)


def mean(text):
    ids = torch.tensor([tokenizer.encode(text).ids])
    with torch.no_grad():
        state = model(input_ids=ids).last_hidden_state[0]
    return torch.nn.functional.normalize(state.mean(dim=0), dim=0)


def write(name, vectors):
    rows = [{"text": text, "vector": base64.b64encode(vector.numpy().astype("<f4").tobytes()).decode()} for text, vector in vectors]
    (here / name).write_text(json.dumps(rows, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


write("expected.json", [(text, mean(text)) for text in texts])

if len(sys.argv) > 1:
    from sentence_transformers import SentenceTransformer

    real = SentenceTransformer(sys.argv[1], device="cpu")
    real_texts = [
        "Bread rises because yeast makes gas.",
        "The oven was heated to 230 °C for 45 minutes.",
        "ΣΑΣ naïve café — “quoted” 10⁵ [MASK]",
        "机器学习模型 of 2024",
        "attention " * 400,
        "",
    ]
    write("real.json", zip(real_texts, torch.tensor(real.encode(real_texts))))
