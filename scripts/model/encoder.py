"""BERT-like encoders in plain PyTorch, and the weights of student and teachers as their packages carry them."""

import json
import struct
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from names import bert_names


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    if q.device.type == "cuda":
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
    # On a processor two products take two thirds of the time.
    near = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(near + bias.to(near.dtype), -1).to(v.dtype) @ v


class Layer(nn.Module):
    def __init__(self, hidden: int, heads: int, inner: int, eps: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.mix = (nn.Linear(hidden, hidden) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(hidden, eps), nn.LayerNorm(hidden, eps)
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        n, width, hidden = x.shape
        q, k, v = (part(x).view(n, width, self.heads, -1).transpose(1, 2) for part in (self.query, self.key, self.value))
        mixed = attention(q, k, v, bias)
        x = self.norm1(x + self.mix(mixed.transpose(1, 2).reshape(n, width, hidden)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Encoder(nn.Module):
    """`offset` is where positions begin; `relative` adds MPNet's bias by distance; pooling is by mean or first token."""

    def __init__(self, *, vocabulary, hidden, layers, heads, inner, positions, eps, offset=0, types=2, relative=False, first=False):
        super().__init__()
        self.offset, self.first, self.heads = offset, first, heads
        self.words, self.positions = nn.Embedding(vocabulary, hidden), nn.Embedding(positions, hidden)
        self.types = nn.Embedding(types, hidden) if types else None
        self.relative = nn.Embedding(32, heads) if relative else None
        self.norm = nn.LayerNorm(hidden, eps)
        self.layers = nn.ModuleList(Layer(hidden, heads, inner, eps) for _ in range(layers))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.pooled(self.tokens(ids, mask), mask)

    def pooled(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self.first:
            return F.normalize(x[:, 0].float(), dim=-1)
        return F.normalize((x.float() * mask[:, :, None]).sum(1), dim=-1)

    def tokens(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        width = ids.shape[1]
        x = self.words(ids) + self.positions.weight[self.offset : self.offset + width]
        if self.types is not None:
            x = x + self.types.weight[0]
        x = self.norm(x)
        bias = torch.zeros(mask.shape, device=ids.device).masked_fill(~mask, -1e4)[:, None, None, :]
        if self.relative is not None:
            bias = bias + self.distance(width, ids.device)
        for layer in self.layers:
            x = layer(x, bias)
        return x

    def distance(self, width: int, device) -> torch.Tensor:
        places = torch.arange(width, device=device)
        n = places[:, None] - places[None, :]
        side, n = (n < 0).long() * 16, n.abs()
        far = 8 + (torch.log(n.float().clamp(min=1) / 8) / np.log(128 / 8) * 8).long()
        bucket = side + torch.where(n < 8, n, far.clamp(max=15))
        return self.relative(bucket).permute(2, 0, 1)[None]


def fill(model: Encoder, weights: dict, names: dict[str, str]) -> Encoder:
    state = {ours: torch.as_tensor(np.asarray(weights[theirs], dtype=np.float32)) for ours, theirs in names.items()}
    model.load_state_dict(state)
    return model


def minilm(weights: dict) -> Encoder:
    model = Encoder(vocabulary=30522, hidden=384, layers=6, heads=12, inner=1536, positions=512, eps=1e-12)
    return fill(model, weights, bert_names(6))


def mpnet(weights: dict) -> Encoder:
    model = Encoder(
        vocabulary=30527, hidden=768, layers=12, heads=12, inner=3072, positions=514, eps=1e-5, offset=2, types=0, relative=True
    )
    names = {}
    parts = {"query": "attention.attn.q", "key": "attention.attn.k", "value": "attention.attn.v", "mix": "attention.attn.o"}
    parts["norm1"] = "attention.LayerNorm"
    for ours, theirs in bert_names(12).items():
        part = ours.split(".")[2] if ours.startswith("layers") else ""
        if part in parts:
            theirs = ".".join(["encoder.layer", ours.split(".")[1], parts[part], ours.split(".")[3]])
        if not ours.startswith("types"):
            names[ours] = theirs
    names["relative.weight"] = "encoder.relative_attention_bias.weight"
    return fill(model, weights, names)


def granite(pack: Path) -> tuple[Encoder, str]:
    """From a `.hmsemb` pack: a header in JSON, the tokenizer, then the tensors, int8 with a factor for 64 values."""
    data = pack.read_bytes()
    length = struct.unpack("<Q", data[8:16])[0]
    header = json.loads(data[16 : 16 + length])
    at = 16 + length
    tokenizer = data[at : at + header["tokenizer_len"]].decode("utf-8")
    at += header["tokenizer_len"]
    tensors = {}
    for tensor in header["tensors"]:
        raw, shape = data[at : at + tensor["len"]], tensor["shape"]
        at += tensor["len"]
        if tensor["dtype"] == "i8":
            count = int(np.prod(shape))
            scales = np.frombuffer(raw[count:], np.float32).reshape(-1, 1)
            values = np.frombuffer(raw[:count], np.int8).reshape(-1, tensor["group"]).astype(np.float32) * scales
            tensors[tensor["name"]] = values.reshape(shape)
        else:
            tensors[tensor["name"]] = np.frombuffer(raw, np.float32).reshape(shape)
    model = Encoder(
        vocabulary=50265, hidden=384, layers=6, heads=12, inner=1536, positions=514, eps=1e-12, offset=2, types=2, first=True
    )
    weights = {
        "words.weight": tensors["word_emb"],
        "positions.weight": tensors["pos_emb"],
        "types.weight": tensors["type_emb"],
        "norm.weight": tensors["emb_ln.w"],
        "norm.bias": tensors["emb_ln.b"],
    }
    for layer in range(6):
        for end, short in (("weight", "w"), ("bias", "b")):
            q, k, v = np.split(tensors[f"l{layer}.qkv.{short}"], 3)
            parts = {"query": q, "key": k, "value": v, "mix": tensors[f"l{layer}.ao.{short}"]}
            parts |= {"norm1": tensors[f"l{layer}.aln.{short}"], "up": tensors[f"l{layer}.f1.{short}"]}
            parts |= {"down": tensors[f"l{layer}.f2.{short}"], "norm2": tensors[f"l{layer}.fln.{short}"]}
            for part, value in parts.items():
                weights[f"layers.{layer}.{part}.{end}"] = value
    return fill(model, weights, {name: name for name in weights}), tokenizer


def e5(path: Path) -> Encoder:
    """From an ONNX file with dynamic quantisation: a matrix is known by the bias that is added to its product."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    readers: dict[str, list] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)

    def real(name: str) -> np.ndarray:
        zero = arrays[f"{name}_zero_point"].astype(np.float32)
        return (arrays[f"{name}_quantized"].astype(np.float32) - zero) * arrays[f"{name}_scale"]

    weights = {name: array for name, array in arrays.items() if name.startswith(("embeddings", "encoder")) and array.dtype == np.float32}
    for table in ("word", "position", "token_type"):
        weights[f"embeddings.{table}_embeddings.weight"] = real(f"embeddings.{table}_embeddings.weight")
    for node in graph.node:
        if node.op_type == "MatMulInteger" and node.input[1].startswith("val_"):
            bias, at = None, node
            while bias is None:
                at = readers[at.output[0]][0]
                bias = next((name for name in at.input if name.endswith(".bias")), None)
            weights[bias.removesuffix("bias") + "weight"] = real(node.input[1].removesuffix("_quantized")).T
    model = Encoder(vocabulary=30522, hidden=384, layers=12, heads=12, inner=1536, positions=512, eps=1e-12)
    return fill(model, weights, bert_names(12))
