//! A loaded model: the graph, its inputs and outputs, and the way from texts to vectors.

use rten::{ModelOptions, NodeId, ValueOrView, op_registry};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use super::ModelError;
use super::batch::{Batch, batches};
use crate::wordpiece::WordPiece;

/// Changes whenever the same weights and ids would give other vectors.
pub(super) const VERSION: u32 = 1;
/// What the bundled graph calls the file with the weights.
#[cfg(feature = "bundled-model")]
const WEIGHTS: &str = "model.data";

pub(super) struct Session {
    tokenizer: WordPiece,
    model: rten::Model,
    ids: NodeId,
    mask: NodeId,
    /// Which sentence of a pair a token belongs to; some exports leave it out.
    types: Option<NodeId>,
    output: NodeId,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    /// A graph whose weights lie in another piece of memory. They are not copied.
    #[cfg(feature = "bundled-model")]
    pub(super) fn from_parts(graph: &'static [u8], weights: &'static [u8]) -> Result<Self, ModelError> {
        Self::new(
            options()
                .external_data_static(WEIGHTS, weights)
                .load_static_slice(graph)
                .map_err(|error| unusable(&error))?,
        )
    }

    pub(super) fn from_onnx(bytes: Vec<u8>) -> Result<Self, ModelError> {
        Self::new(options().load(bytes).map_err(|error| unusable(&error))?)
    }

    fn new(model: rten::Model) -> Result<Self, ModelError> {
        let input = |name: &str| {
            let ids = model.input_ids().iter().copied();
            ids.into_iter().find(|id| model.node_info(*id).is_some_and(|node| node.name() == Some(name)))
        };
        let needed = |name: &str| {
            input(name).ok_or_else(|| ModelError::Unusable { reason: format!("it has no input `{name}`") })
        };
        let (ids, mask, types) = (needed("input_ids")?, needed("attention_mask")?, input("token_type_ids"));
        let output = model.output_ids().first().copied();
        let output = output.ok_or_else(|| ModelError::Unusable { reason: "it has no output".to_owned() })?;
        Ok(Self { tokenizer: WordPiece::new(), ids, mask, types, output, model })
    }

    pub(super) fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let tokens: Vec<Vec<i32>> = texts.iter().map(|text| self.tokenizer.encode(text)).collect();
        let mut vectors = vec![Vec::new(); texts.len()];
        for batch in batches(&tokens) {
            let rows = self.run(&tokens, &batch)?;
            for (index, row) in batch.members.iter().zip(rows) {
                vectors[*index] = row;
            }
        }
        Ok(vectors)
    }

    fn run(&self, tokens: &[Vec<i32>], batch: &Batch) -> Result<Vec<Vec<f32>>, ModelError> {
        let shape = [batch.members.len(), batch.width];
        let mut ids = NdTensor::<i32, 2>::zeros(shape);
        let mut mask = NdTensor::<i32, 2>::zeros(shape);
        for (row, index) in batch.members.iter().enumerate() {
            for (column, id) in tokens[*index].iter().enumerate() {
                ids[[row, column]] = *id;
                mask[[row, column]] = 1;
            }
        }
        let types = NdTensor::<i32, 2>::zeros(shape);
        let mut inputs: Vec<(NodeId, ValueOrView)> =
            vec![(self.ids, ids.view().into()), (self.mask, mask.view().into())];
        inputs.extend(self.types.map(|node| (node, types.view().into())));
        let failed = |error: &dyn std::fmt::Display| ModelError::Run { reason: error.to_string() };
        let [output] = self.model.run_n(inputs, [self.output], None).map_err(|error| failed(&error))?;
        let output: Tensor<f32> = output.try_into().map_err(|error| failed(&error))?;
        pooled(&output, tokens, batch)
    }
}

/// The operators of sentence transformers, whole or quantised: all that exist would add megabytes to the program for
/// models that nobody searches with. Weights stay in one copy: packing them ahead would save a query two milliseconds
/// and cost 43 MB.
fn options() -> ModelOptions {
    let operators = op_registry!(
        Add,
        And,
        Cast,
        Clip,
        Concat,
        ConstantOfShape,
        DequantizeLinear,
        Div,
        DynamicQuantizeLinear,
        Equal,
        Erf,
        Expand,
        Gather,
        GatherND,
        Gelu,
        Gemm,
        Greater,
        GreaterOrEqual,
        Identity,
        IsNaN,
        LayerNormalization,
        Less,
        MatMul,
        MatMulInteger,
        Max,
        Min,
        Mul,
        Not,
        Pow,
        QuantizeLinear,
        Range,
        Reciprocal,
        ReduceL2,
        ReduceMean,
        ReduceSum,
        Reshape,
        Shape,
        Slice,
        Softmax,
        Split,
        Sqrt,
        Squeeze,
        Sub,
        Tanh,
        Transpose,
        Unsqueeze,
        Where
    );
    let mut options = ModelOptions::with_ops(operators);
    options.prepack_weights(false);
    options
}

fn unusable(error: &rten::LoadError) -> ModelError {
    ModelError::Unusable { reason: error.to_string() }
}

/// The mean over a text's own tokens, brought to length one. A model that has already pooled gives one row a text.
fn pooled(output: &Tensor<f32>, tokens: &[Vec<i32>], batch: &Batch) -> Result<Vec<Vec<f32>>, ModelError> {
    let shape = output.shape();
    let values = output.to_contiguous();
    let values = values.data();
    let texts = batch.members.len();
    let rows: Vec<Vec<f32>> = match *shape {
        [n, width, dimensions] if n == texts && width == batch.width && dimensions > 0 => {
            let text_values = values.chunks_exact(width * dimensions);
            text_values
                .zip(&batch.members)
                .map(|(values, index)| mean(values, dimensions, tokens[*index].len()))
                .collect()
        }
        [n, dimensions] if n == texts && dimensions > 0 => {
            values.chunks_exact(dimensions).map(<[f32]>::to_vec).collect()
        }
        _ => return Err(ModelError::Unusable { reason: format!("its output has the shape {shape:?}") }),
    };
    Ok(rows.into_iter().map(normalized).collect())
}

fn mean(values: &[f32], dimensions: usize, count: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f32; dimensions];
    for row in values.chunks_exact(dimensions).take(count) {
        for (total, value) in sum.iter_mut().zip(row) {
            *total += value;
        }
    }
    sum
}

/// The sum points where the mean points, so there is nothing to divide by but the length.
fn normalized(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() {
        for x in &mut vector {
            *x /= length;
        }
    } else {
        vector.fill(0.0);
    }
    vector
}
