"""Weights in four bits: rounded while they learn, packed when they are done.

A matrix is cut along its input into groups of 64. A number is q × m × c: q between -7 and 7, m between 1 and 16 for each group
of a column, c for the column. q × m fits into eight bits, so that the program multiplies integers as before, with one
factor a column. The table of words has one factor a row (nibbles.py).
"""

import copy
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from torch import nn
from torch.nn.utils import parametrize

from names import bert_names
from nibbles import pack

GROUP, MOST, STEPS = 64, 7, 16


def parts(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """q [out, groups, 64], m [out, groups, 1], c [out, 1, 1]."""
    groups = weight.view(len(weight), -1, GROUP)
    top = groups.abs().amax(-1, keepdim=True)
    column = (top.amax(1, keepdim=True) / (MOST * STEPS)).clamp(min=1e-12)
    steps = (top / (MOST * column)).round().clamp(1, STEPS)
    numbers = (groups / (column * steps)).round().clamp(-MOST, MOST)
    return numbers, steps, column


class Rounded(nn.Module):
    """A matrix in four bits, which learns as if it were not."""

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            numbers, steps, column = parts(weight)
            rounded = (numbers * steps * column).view_as(weight)
        return weight + (rounded - weight).detach()


class RoundedTable(nn.Module):
    """A table in four bits, with factors that stay as they were found."""

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__()
        _, factors = pack(table.detach().cpu().numpy().astype(np.float32))
        self.register_buffer("factors", torch.from_numpy(factors).to(table.device))

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            rounded = (weight / self.factors).round().clamp(-8, 7) * self.factors
        return weight + (rounded - weight).detach()


def matrices(body: nn.Module, leave: tuple[str, ...] = ()) -> dict[str, nn.Linear]:
    return {name: part for name, part in body.named_modules() if isinstance(part, nn.Linear) and name not in leave}


def round_all(body: nn.Module, table: bool = True, leave: tuple[str, ...] = ()) -> None:
    for part in matrices(body, leave).values():
        parametrize.register_parametrization(part, "weight", Rounded())
    if table:
        parametrize.register_parametrization(body.words, "weight", RoundedTable(body.words.weight))


def baked(body: nn.Module) -> nn.Module:
    """The same without a trace of rounding: its weights are what they are rounded to."""
    body = copy.deepcopy(body)
    for part in body.modules():
        if parametrize.is_parametrized(part):
            parametrize.remove_parametrizations(part, "weight", leave_parametrized=True)
    return body


def halves(numbers: np.ndarray) -> np.ndarray:
    """Two numbers a byte: row i in the upper half, row i + n/2 in the lower one."""
    upper, lower = np.split(numbers.astype(np.uint8), 2, axis=0)
    return upper << 4 | lower


def save_packed(path: Path, body: nn.Module, table: bool = True, leave: tuple[str, ...] = (), **more: torch.Tensor) -> None:
    state: dict[str, np.ndarray] = {}
    rounded = matrices(body, leave)
    for name, part in rounded.items():
        weight = part.parametrizations.weight.original if parametrize.is_parametrized(part) else part.weight
        numbers, steps, column = parts(weight.detach().float())
        # As they are multiplied: inputs down, outputs across.
        state[f"{name}.q"] = halves((numbers.view_as(weight).T + 8).cpu().numpy())
        state[f"{name}.m"] = halves((steps[..., 0].T - 1).cpu().numpy())
        state[f"{name}.c"] = column.view(1, -1).cpu().numpy().astype(np.float32)
        state[f"{name}.bias"] = part.bias.detach().cpu().numpy().astype(np.float32)
    if table:
        words = body.words
        if parametrize.is_parametrized(words):
            factors = words.parametrizations.weight[0].factors
            numbers = (words.parametrizations.weight.original / factors).round().clamp(-8, 7) + 8
            upper, lower = np.split(numbers.detach().cpu().numpy().astype(np.uint8), 2, axis=1)
            state["words.q"], state["words.c"] = upper << 4 | lower, factors.cpu().numpy()
        else:
            state["words.q"], state["words.c"] = pack(words.weight.detach().cpu().numpy().astype(np.float32))
    for name, value in body.named_parameters():
        part = name.rsplit(".", 1)[0]
        if not name.startswith("words") and ".parametrizations." not in name and part not in rounded and part not in leave:
            state[name] = value.detach().cpu().numpy().astype(np.float32)
    for name, value in more.items():
        state[name] = value.detach().cpu().numpy().astype(np.float32)
    save_file({name: np.ascontiguousarray(value) for name, value in state.items()}, path)


def whole_bytes(numbers: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """A packed matrix with one byte a number: q × m."""
    both = lambda packed: np.concatenate([packed >> 4, packed & 15], axis=0).astype(np.int8)
    return (both(numbers) - 8) * np.repeat(both(steps) + 1, GROUP, axis=0)


def unpacked(path: Path) -> dict[str, np.ndarray]:
    """What save_packed wrote, as floats, under BERT's names."""
    state, weights = load_file(path), {}
    for ours, theirs in bert_names(6).items():
        part = ours.rsplit(".", 1)[0]
        if ours == "words.weight":
            numbers = np.concatenate([state["words.q"] >> 4, state["words.q"] & 15], axis=1).astype(np.float32) - 8
            weights[theirs] = numbers * state["words.c"]
        elif f"{part}.q" in state and ours.endswith(".weight"):
            weights[theirs] = (whole_bytes(state[f"{part}.q"], state[f"{part}.m"]).astype(np.float32) * state[f"{part}.c"]).T
        else:
            weights[theirs] = state[ours]
    return weights
