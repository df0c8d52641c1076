//! Search on a large workspace, and how fast meaning is taken.
//!
//! Up to 60,000 requirements are embedded as a user's would be, in bulk. Fewer than are embedded in bulk, or more, would take
//! long and say nothing about search: there a stand-in makes the vectors of the index, in the model's name. The server that
//! is measured embeds its queries with the model.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use hewto_engine::search::{self, ModelChoice};
use hewto_engine::{Context, Start, Workspace};
use hewto_search::{Embedder, Embedding, Identity, Model, ModelError, Tokens, bundled_model};
use serde_json::{Value, json};

use super::Outcome;
use super::listing::resident_bytes;
use crate::client::Client;
use crate::generate;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::{median, time};

const CALLS: usize = 200;
/// Of at most twelve tokens, as the goal says.
const QUERIES: [&str; 5] = [
    "how is a refund kept in step with its ledger",
    "duplicate webhook is refused",
    "session token expiry",
    "what happens when the coupon arrives twice",
    "preview of an upload for a tenant",
];
/// Specs, of five requirements each, whose vectors are really made.
const IN_BULK: std::ops::RangeInclusive<usize> = 4_200..=12_000;
/// Passages of about 64 tokens.
const PASSAGES: usize = 128;
/// Tokens of a requirement, and how long the vector of each is.
const TOKENS: usize = 60;
const WIDTH: usize = 48;

pub(super) fn search(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    let text = generate::workspace(folder.path(), report.specs)?;
    let built = time_of_build(programs, folder.path(), report)?;
    report.add("index file", built as f64, Some((text as f64, "bytes of the specs")), "bytes", "≤ 3 ×");

    let mut hewto = Client::start(&programs.hewto, &["serve"], folder.path())?;
    let mut ask = |query: &str| {
        let mut outcome = Ok(());
        let took = time(|| outcome = hewto.call("search_specs", &json!({ "query": query })));
        outcome.map(|()| took)
    };
    report.times("first `search_specs` after start", ask(QUERIES[0])?, None, "≤ 300 ms");
    let mut times = Vec::with_capacity(CALLS);
    for n in 0..CALLS {
        times.push(ask(QUERIES[n % QUERIES.len()])?);
    }
    report.times("`search_specs`, warm", median(&mut times), None, "p50 ≤ 15 ms");

    let spec = folder.path().join("specs").join(generate::id(report.specs / 2)).join("spec.md");
    let original = fs_err::read_to_string(&spec)?;
    let mut edits = Vec::new();
    for round in 0..report.rounds {
        fs_err::write(&spec, original.replacen("SHALL keep", &format!("SHALL in round {round} keep"), 1))?;
        edits.push(ask(QUERIES[0])?);
    }
    report.times("`search_specs` after one edit", median(&mut edits), None, "≤ 100 ms");
    let resident = resident_bytes(hewto.pid())? as f64 / (1024.0 * 1024.0);
    report.add("memory of a searching server", resident, None, "MiB", "≤ 200 MB");
    Ok(())
}

pub(super) fn embedding(_: &Programs, report: &mut Report) -> Outcome {
    let model = bundled_model().ok_or("built without the model")?;
    let passages: Vec<String> = (0..PASSAGES).map(passage).collect();
    let texts: Vec<&str> = passages.iter().map(String::as_str).collect();
    model.embed(&texts[..1])?;
    let mut times = Vec::new();
    for _ in 0..report.rounds {
        let mut outcome = Ok(());
        times.push(time(|| outcome = model.embed(&texts).map(drop)));
        outcome?;
    }
    let rate = |times: &mut Vec<_>| PASSAGES as f64 / median(times).as_secs_f64();
    let ours = rate(&mut times);
    let floats = Model::bundled_in_floats();
    floats.embed(&texts[..1])?;
    let mut times = Vec::new();
    for _ in 0..report.rounds {
        let mut outcome = Ok(());
        times.push(time(|| outcome = floats.embed(&texts).map(drop)));
        outcome?;
    }
    let control = Some((rate(&mut times), "the same weights in floats"));
    report.add("embedding, passages of 64 tokens", ours, control, "passages/s", "");
    model.embed_in_bulk(&texts[..1])?;
    let mut times = Vec::new();
    for _ in 0..report.rounds {
        let mut outcome = Ok(());
        times.push(time(|| outcome = model.embed_in_bulk(&texts).map(drop)));
        outcome?;
    }
    let control = Some((ours, "one by one, exactly"));
    let bulk = rate(&mut times);
    report.add(
        "embedding in bulk, passages of 64 tokens",
        bulk,
        control,
        "passages/s",
        "≥ 1,000 on two cores",
    );
    Ok(())
}

/// Builds the index and returns its size: by the program itself, which is what people wait for, or with a stand-in.
fn time_of_build(
    programs: &Programs,
    root: &Path,
    report: &mut Report,
) -> Result<u64, Box<dyn std::error::Error>> {
    let model = bundled_model().ok_or("built without the model")?;
    if model.has_bulk() && IN_BULK.contains(&report.specs) {
        let mut build = Command::new(&programs.hewto);
        build.args(["index", "build", "--json"]).current_dir(root).stderr(Stdio::null());
        let mut output = Err(std::io::Error::other("not run"));
        let took = time(|| output = build.output());
        let view: Value = serde_json::from_slice(&output?.stdout)?;
        report.times("index build, vectors in bulk", took, None, "≤ 60 s for 50,000");
        return Ok(view["bytes"].as_u64().ok_or("the index has no size")?);
    }
    let embedder: Arc<dyn Embedder> = Arc::new(StandIn { model });
    let workspace = Workspace::discover(Start::Here(root))?.with_model(ModelChoice::Given(embedder));
    let mut view = None;
    let took = time(|| view = Some(search::build(&workspace, &Context::background())));
    let view = view.ok_or("nothing was built")??;
    report.times("index build, vectors from a stand-in", took, None, "");
    Ok(view.bytes)
}

/// Gives passages random vectors, the same ones for the same text.
#[derive(Debug)]
pub(super) struct StandIn {
    pub(super) model: Arc<dyn Embedder>,
}

impl Embedder for StandIn {
    fn identity(&self) -> Identity {
        self.model.identity()
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn has_tokens(&self) -> bool {
        self.model.has_tokens()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        Ok(texts.iter().map(|text| self.one(text)).collect())
    }

    fn has_bulk(&self) -> bool {
        self.model.has_bulk()
    }

    fn embed_in_bulk(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        let bare = |text: &&str| Embedding { vector: vector(text, self.dimensions()), tokens: None };
        Ok(texts.iter().map(bare).collect())
    }
}

impl StandIn {
    /// As many tokens as a requirement of some sentences has, where the model tells them apart.
    fn one(&self, text: &str) -> Embedding {
        let vectors = (0..TOKENS).flat_map(|token| vector(&format!("{token} {text}"), WIDTH)).collect();
        let tokens = Tokens { width: WIDTH, vectors, weights: vec![1.0; TOKENS] };
        Embedding { vector: vector(text, self.dimensions()), tokens: self.has_tokens().then_some(tokens) }
    }
}

fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut state = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let values: Vec<f32> = (0..dimensions)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f32::from(i8::try_from((state >> 57) & 0x7f).unwrap_or(0)) - 63.5
        })
        .collect();
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.into_iter().map(|value| value / length).collect()
}

/// About 64 tokens.
fn passage(n: usize) -> String {
    let words =
        "the system shall keep every ledger entry in step with the invoice that was last acknowledged and ";
    format!("Requirement {n}: {}", words.repeat(3))
}
