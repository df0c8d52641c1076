//! Nothing: the tests are in `tests/`, and drive the built binary.
