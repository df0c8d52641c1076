"""The word table in four bits: two numbers a byte, one factor a row.

A row is looked up far more often than it is multiplied, so that it costs nothing to take it apart, and half of the table is a
quarter of the whole model. Number j of a row lies in the upper half of byte j, number j + 192 in the lower one, each plus 8.
"""

import numpy as np


def pack(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bytes and the factors. Of some factors the one with the smallest error is taken, row by row."""
    largest = np.maximum(np.abs(table).max(1, keepdims=True), 1e-12)
    numbers = np.zeros(table.shape, np.int8)
    factors = np.zeros((len(table), 1), np.float32)
    least = np.full(len(table), np.inf)
    for share in np.linspace(0.4, 1.0, 25):
        factor = (largest * share / 7.5).astype(np.float32)
        tried = np.clip(np.rint(table / factor), -8, 7)
        error = ((tried * factor - table) ** 2).sum(1)
        better = error < least
        numbers[better], factors[better], least[better] = tried[better], factor[better], error[better]
    halves = np.split((numbers + 8).astype(np.uint8), 2, axis=1)
    return halves[0] << 4 | halves[1], factors


def unpack(packed: np.ndarray, factors: np.ndarray) -> np.ndarray:
    numbers = np.concatenate([packed >> 4, packed & 15], axis=1).astype(np.float32) - 8
    return numbers * factors
