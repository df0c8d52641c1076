//! Search over all repositories of a hub, beside one index of the same promises.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hewto_core::document::Document as Markdown;
use hewto_net::HubClient;
use hewto_search::{
    Document, DocumentKey, Embedder, Entry, Fingerprint, Index, IndexPlace, Kind, Query, bundled_model,
};
use serde_json::Value;

use super::Outcome;
use super::http::{percentiles, resident_mib};
use super::hub::{Bench, REQUIREMENTS, client, manifest, post, scaled, spec};
use super::search::StandIn;
use crate::programs::Programs;
use crate::report::Report;

/// 500 repositories × 25 specs × 10 requirements.
const REPOS: usize = 500;
const SPECS: usize = 25;
const QUESTIONS: usize = 30;
const PATIENCE: Duration = Duration::from_mins(10);

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

pub(super) fn search(programs: &Programs, report: &mut Report) -> Outcome {
    let bench = Bench::start(programs)?;
    let repos = scaled(REPOS, report);
    let promises = repos * SPECS * REQUIREMENTS;
    let folders = tempfile::tempdir()?;
    let (indexes, one) = (folders.path().join("replica"), folders.path().join("one"));
    let index = indexes.to_str().ok_or("a folder has a name")?;
    let token = bench.token("asker")?;
    {
        let (server, address) = bench.replica_with(&["--words-only", "--index", index])?;
        let client = client(&address, &token)?;
        for repo in 0..repos {
            let texts: Vec<String> = texts(repo).collect();
            post(&client, "push", &manifest(&format!("team/r{repo}"), &texts, 0, true, 0..SPECS))?;
        }
        until_found(&client, repos - 1, "lexical")?;
        let hub = median(|question| ask(&client, question).map(drop))?;
        let whole = whole(&one, repos)?;
        let local = median(|question| {
            let _: () = drop(whole.search(&Query::new(question))?);
            Ok(())
        })?;
        let name = format!("hub: search, {promises} requirements in {repos} repositories, by words");
        report.add(&name, hub, Some((local, "one index of the same, in process")), "ms", "p50 ≤ 50");
        report.add("hub: memory of the replica there", resident_mib(server.pid())?, None, "MiB", "≤ 500 MB");
    }
    // To give each promise its meaning takes minutes and is measured elsewhere; here it gets any vector.
    let model = bundled_model().ok_or("built without the model")?;
    let stand_in: Arc<dyn Embedder> = Arc::new(StandIn { model: Arc::clone(&model) as Arc<dyn Embedder> });
    for folder in fs_err::read_dir(&indexes)? {
        let folder = folder?.path();
        if Index::exists(&folder) {
            let place = IndexPlace { wholes_only: true, ..IndexPlace::new(&folder) };
            Index::open_at(&place, Some(Arc::clone(&stand_in)))?.embed_all(|_| true)?;
        }
    }
    Index::open(&one, Some(stand_in))?.embed_all(|_| true)?;
    let (server, address) = bench.replica_with(&["--index", index])?;
    let client = client(&address, &token)?;
    until_found(&client, repos - 1, "fused")?;
    let hub = median(|question| ask(&client, question).map(drop))?;
    let whole = Index::open(&one, Some(model))?;
    let local = median(|question| {
        let _: () = drop(whole.search(&Query::new(question))?);
        Ok(())
    })?;
    let name = format!("hub: search, {promises} requirements in {repos} repositories, by words and meaning");
    report.add(&name, hub, Some((local, "one index of the same, in process")), "ms", "p50 ≤ 50");
    report.add("hub: memory of the replica there", resident_mib(server.pid())?, None, "MiB", "≤ 500 MB");
    Ok(())
}

fn texts(repo: usize) -> impl Iterator<Item = String> {
    (0..SPECS).map(move |number| spec(repo, number, if number == 3 { "refund" } else { "usual" }))
}

fn ask(client: &HubClient, question: &str) -> Fallible<Value> {
    let reply = client.get(&format!("search?q={}&limit=10", question.replace(' ', "+")))?;
    if reply.status != 200 {
        return Err(format!("search: {} {}", reply.status, reply.body).into());
    }
    Ok(serde_json::from_str(&reply.body)?)
}

/// Waits until the replica has read everything, and ranks as it should.
fn until_found(client: &HubClient, last: usize, mode: &str) -> Outcome {
    let began = Instant::now();
    loop {
        let found = client.get(&format!("search?q=promise&repo=team%2Fr{last}"))?.body;
        let answer: Value = serde_json::from_str(&found).unwrap_or_default();
        let ranked = answer["mode"].as_str().is_some_and(|said| said.starts_with(mode));
        if ranked && answer["hits"].as_array().is_some_and(|hits| !hits.is_empty()) {
            return Ok(());
        }
        if began.elapsed() > PATIENCE {
            return Err(format!("the pushes do not become searchable: {found}").into());
        }
        thread::sleep(Duration::from_secs(1));
    }
}

/// No question is put twice, so none is answered from memory. In milliseconds.
fn median(mut ask: impl FnMut(&str) -> Outcome) -> Fallible<f64> {
    ask("what is there")?;
    let mut times = Vec::new();
    for round in 0..QUESTIONS {
        let question = format!("refund parcels promise {} case {round}", round % 10);
        let began = Instant::now();
        ask(&question)?;
        times.push(began.elapsed());
    }
    Ok(percentiles(times).0)
}

/// One index of what all repositories promise.
fn whole(folder: &Path, repos: usize) -> Fallible<Index> {
    let index = Index::open(folder, None)?;
    let all =
        (0..repos).flat_map(|repo| texts(repo).enumerate().map(move |(number, text)| (repo, number, text)));
    let documents = all.map(|(repo, number, text)| {
        let markdown = Markdown::parse(&text);
        let title = format!("Spec {number} of {repo}");
        Document {
            key: DocumentKey::new(Kind::Spec, format!("r{repo}-s{number}")),
            fingerprint: Fingerprint::of(text.as_bytes()),
            heading: title.clone(),
            title,
            entries: Entry::of_spec(&markdown),
        }
    });
    index.apply(documents, &[])?;
    Ok(index)
}
