//! A loaded model: the graph, its inputs and outputs, and the way from texts to vectors.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rten::{ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView, op_registry};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use super::{Embedding, ModelError};
use crate::tokens::Tokens;
use crate::wordpiece::WordPiece;

/// Changes whenever the same weights and ids would give other vectors, also those made in bulk.
pub(super) const VERSION: u32 = 4;
/// What our own graphs say of each token: its short vector, then how much it matters.
const SAID: &str = "said";

pub(super) struct Session {
    tokenizer: &'static WordPiece,
    model: rten::Model,
    ids: NodeId,
    mask: NodeId,
    /// Which sentence of a pair a token belongs to; some exports leave it out.
    types: Option<NodeId>,
    output: NodeId,
    /// What is said of each token, by models that do.
    said: Option<NodeId>,
    /// One thread each, for texts that are run side by side.
    lanes: Mutex<Vec<Arc<ThreadPool>>>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    /// A graph whose weights lie elsewhere, and are not copied.
    #[cfg(feature = "bundled-model")]
    pub(super) fn from_parts(
        graph: Vec<u8>,
        weights: &[(&str, &'static [u8])],
        packing: Packing,
    ) -> Result<Self, ModelError> {
        let mut options = options(packing);
        for (name, bytes) in weights {
            options.external_data_static(name, bytes);
        }
        Self::new(options.load(graph).map_err(|error| unusable(&error))?)
    }

    pub(super) fn from_onnx(bytes: Vec<u8>) -> Result<Self, ModelError> {
        Self::new(options(Packing::Never).load(bytes).map_err(|error| unusable(&error))?)
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
        let is_said = |id: &NodeId| model.node_info(*id).is_some_and(|node| node.name() == Some(SAID));
        let said = model.output_ids().iter().copied().find(is_said);
        let lanes = Mutex::default();
        Ok(Self { tokenizer: WordPiece::shared(), ids, mask, types, output, said, model, lanes })
    }

    /// Each text is run by itself, so that its vector does not depend on its company: what is quantised on the way is
    /// quantised by its own largest value, and nothing is padded.
    pub(super) fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        self.side_by_side(texts, |text, lane| self.run(&self.tokenizer.encode(text), lane))
    }

    /// How sure it is that each text answers the question, as log odds, by a graph that reads two texts at once.
    pub(super) fn read(&self, question: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError> {
        self.side_by_side(texts, |text, lane| {
            let (ids, seconds) = self.tokenizer.encode_pair(question, text);
            let (output, _) = self.outputs(&ids, &seconds, lane)?;
            let told = output.to_contiguous().data().first().copied();
            told.ok_or_else(ModelError::no_output)
        })
    }

    /// One text is run on all cores, more are run side by side, one a core.
    fn side_by_side<T: Send>(
        &self,
        texts: &[&str],
        run: impl Fn(&str, Option<&Arc<ThreadPool>>) -> Result<T, ModelError> + Sync,
    ) -> Result<Vec<T>, ModelError> {
        if let [text] = texts {
            return Ok(vec![run(text, None)?]);
        }
        let next = AtomicUsize::new(0);
        let work = |lane: &Arc<ThreadPool>| -> Result<Vec<(usize, T)>, ModelError> {
            let mut made = Vec::new();
            while let Some((place, text)) = take(texts, &next) {
                made.push((place, run(text, Some(lane))?));
            }
            Ok(made)
        };
        let lanes = self.lanes(texts.len());
        let unwound = |_| Err(ModelError::Run { reason: "it panicked".to_owned() });
        let made = hewto_parallel::map(&lanes, |lane| {
            std::panic::catch_unwind(AssertUnwindSafe(|| work(lane))).unwrap_or_else(unwound)
        });
        let mut all = Vec::with_capacity(texts.len());
        for lane in made {
            all.extend(lane?);
        }
        all.sort_unstable_by_key(|(place, _)| *place);
        Ok(all.into_iter().map(|(_, made)| made).collect())
    }

    /// As many as there are cores, and no more than texts.
    fn lanes(&self, texts: usize) -> Vec<Arc<ThreadPool>> {
        let wanted = hewto_parallel::cores().min(texts);
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        while lanes.len() < wanted {
            lanes.push(Arc::new(ThreadPool::with_num_threads(1)));
        }
        lanes[..wanted].to_vec()
    }

    fn run(&self, ids: &[i32], lane: Option<&Arc<ThreadPool>>) -> Result<Embedding, ModelError> {
        let (output, said) = self.outputs(ids, &vec![0; ids.len()], lane)?;
        let vector = pooled(&output, ids.len())?;
        Ok(Embedding { vector, tokens: said.and_then(|said| self.tokens(ids, &said)) })
    }

    /// The tokens that say something, marks and signs left out.
    fn tokens(&self, ids: &[i32], said: &Tensor<f32>) -> Option<Tokens> {
        let [1, rows, columns] = *said.shape() else { return None };
        let width = columns.checked_sub(1).filter(|width| *width > 0 && rows == ids.len())?;
        let mut tokens = Tokens { width, ..Tokens::default() };
        let values = said.to_contiguous();
        for (id, row) in ids.iter().zip(values.data().chunks_exact(columns)) {
            if self.tokenizer.says_something(*id) {
                tokens.vectors.extend(normalized(row[..width].to_vec()));
                // The softplus, which is never negative and grows with what it is given.
                tokens.weights.push(row[width].exp().ln_1p().min(f32::MAX));
            }
        }
        Some(tokens)
    }

    /// `seconds` is 1 for the tokens of the second of two texts.
    fn outputs(
        &self,
        ids: &[i32],
        seconds: &[i32],
        lane: Option<&Arc<ThreadPool>>,
    ) -> Result<(Tensor<f32>, Option<Tensor<f32>>), ModelError> {
        let shape = [1, ids.len()];
        let ids = NdTensor::<i32, 2>::from_data(shape, ids.to_vec());
        let mask = NdTensor::<i32, 2>::full(shape, 1);
        let types = NdTensor::<i32, 2>::from_data(shape, seconds.to_vec());
        let mut inputs: Vec<(NodeId, ValueOrView)> =
            vec![(self.ids, ids.view().into()), (self.mask, mask.view().into())];
        inputs.extend(self.types.map(|node| (node, types.view().into())));
        let options = RunOptions::default().with_thread_pool(lane.cloned());
        let failed = |error: &dyn std::fmt::Display| ModelError::Run { reason: error.to_string() };
        let wanted: Vec<NodeId> = std::iter::once(self.output).chain(self.said).collect();
        let found = self.model.run(inputs, &wanted, Some(options)).map_err(|error| failed(&error))?;
        let mut found = found.into_iter().map(|value| value.try_into().map_err(|error| failed(&error)));
        let output = found.next().ok_or_else(ModelError::no_output)??;
        Ok((output, found.next().transpose()?))
    }
}

/// The next text that nobody has taken yet.
fn take<'t>(texts: &[&'t str], next: &AtomicUsize) -> Option<(usize, &'t str)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    texts.get(place).map(|text| (place, *text))
}

/// Whether weights are kept in the order in which they are multiplied, beside the one they come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Ahead,
    Never,
}

/// The operators of sentence transformers, whole or quantised: all that exist would add megabytes to the program for
/// models that nobody searches with. Weights in floats stay in one copy: packing them ahead would save a query two
/// milliseconds and cost 43 MB; those in integers take a quarter of that.
fn options(packing: Packing) -> ModelOptions {
    let operators = op_registry!(
        Abs,
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
        ReduceMax,
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
    options.prepack_weights(packing == Packing::Ahead);
    options
}

fn unusable(error: &rten::LoadError) -> ModelError {
    ModelError::Unusable { reason: error.to_string() }
}

/// The mean over a text's tokens, brought to length one. A model that has already pooled gives one row.
fn pooled(output: &Tensor<f32>, tokens: usize) -> Result<Vec<f32>, ModelError> {
    let shape = output.shape();
    let values = output.to_contiguous();
    let values = values.data();
    match *shape {
        [1, rows, dimensions] if rows == tokens && dimensions > 0 => Ok(normalized(sum(values, dimensions))),
        [1, dimensions] if dimensions > 0 => Ok(normalized(values.to_vec())),
        _ => Err(ModelError::Unusable { reason: format!("its output has the shape {shape:?}") }),
    }
}

fn sum(values: &[f32], dimensions: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f32; dimensions];
    for row in values.chunks_exact(dimensions) {
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
