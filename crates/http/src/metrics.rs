//! What the server counts, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyper::StatusCode;

/// Upper bounds of the classes of times, in seconds.
const BOUNDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Counters that only grow.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    /// How many requests took at most the bound of the same place, and how many longer.
    classes: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
    pub(crate) connections: AtomicU64,
    pub(crate) connections_refused: AtomicU64,
}

/// What is read off at the moment.
#[derive(Debug)]
pub(crate) struct Now {
    pub(crate) in_flight: u64,
    /// Memory that bodies under way stand for.
    pub(crate) body_bytes: u64,
    pub(crate) wrong_tokens: u64,
    pub(crate) connections: usize,
    /// What the services add.
    pub(crate) gauges: Vec<Gauge>,
}

/// A figure that goes up and down.
#[derive(Debug, Clone, Copy)]
pub struct Gauge {
    pub name: &'static str,
    pub help: &'static str,
    pub value: usize,
}

impl Metrics {
    /// Notes a request when its answer begins.
    pub(crate) fn answered(&self, route: &'static str, status: StatusCode, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route, status.as_u16())).or_default() += 1;
        drop(requests);
        let seconds = took.as_secs_f64();
        let class = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
        self.classes[class].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn render(&self, now: &Now) -> String {
        let mut out = String::new();
        let mut family = |name: &str, kind: &str, help: &str, lines: &[(String, String)]| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, value) in lines {
                let _ = writeln!(out, "{name}{labels} {value}");
            }
        };
        let one = |value: u64| vec![(String::new(), value.to_string())];
        let info = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
        family("hewto_build_info", "gauge", "The version of hewto.", &[(info, "1".to_owned())]);
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<(String, String)> = requests
            .iter()
            .map(|((route, status), count)| {
                (format!("{{route=\"{route}\",status=\"{status}\"}}"), count.to_string())
            })
            .collect();
        drop(requests);
        family("hewto_http_requests_total", "counter", "Requests answered.", &lines);
        let count = |value: usize| one(value as u64);
        family("hewto_http_requests_in_flight", "gauge", "Calls under way.", &one(now.in_flight));
        let name = "hewto_http_body_bytes_in_flight";
        family(name, "gauge", "Memory that bodies of calls under way stand for.", &one(now.body_bytes));
        family("hewto_http_connections", "gauge", "Open connections.", &count(now.connections));
        let opened = self.connections.load(Ordering::Relaxed);
        family("hewto_http_connections_total", "counter", "Connections accepted.", &one(opened));
        let refused = self.connections_refused.load(Ordering::Relaxed);
        family("hewto_http_connections_refused_total", "counter", "Connections turned away.", &one(refused));
        let wrong = now.wrong_tokens;
        family("hewto_http_wrong_tokens_total", "counter", "Unknown tokens.", &one(wrong));
        for gauge in &now.gauges {
            family(gauge.name, "gauge", gauge.help, &count(gauge.value));
        }
        self.render_times(&mut out);
        out
    }

    fn render_times(&self, out: &mut String) {
        let name = "hewto_http_request_duration_seconds";
        let _ = writeln!(out, "# HELP {name} Time until an answer begins.\n# TYPE {name} histogram");
        let mut total = 0;
        for (class, count) in self.classes.iter().enumerate() {
            total += count.load(Ordering::Relaxed);
            let bound = BOUNDS.get(class).map_or_else(|| "+Inf".to_owned(), ToString::to_string);
            let _ = writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {total}");
        }
        let seconds = Duration::from_micros(self.micros.load(Ordering::Relaxed)).as_secs_f64();
        let _ = writeln!(out, "{name}_sum {seconds}\n{name}_count {total}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_shown_in_classes_that_add_up() {
        let metrics = Metrics::default();
        metrics.answered("mcp", StatusCode::OK, Duration::from_micros(800));
        metrics.answered("mcp", StatusCode::OK, Duration::from_millis(20));
        metrics.answered("other", StatusCode::NOT_FOUND, Duration::from_mins(1));
        let text = metrics.render(&Now {
            in_flight: 3,
            body_bytes: 0,
            wrong_tokens: 5,
            connections: 2,
            gauges: vec![Gauge { name: "hewto_workspaces", help: "Workspaces served.", value: 7 }],
        });
        for line in [
            "hewto_http_requests_total{route=\"mcp\",status=\"200\"} 2",
            "hewto_http_requests_total{route=\"other\",status=\"404\"} 1",
            "hewto_http_requests_in_flight 3",
            "hewto_http_wrong_tokens_total 5",
            "# HELP hewto_workspaces Workspaces served.",
            "hewto_workspaces 7",
            "hewto_http_request_duration_seconds_bucket{le=\"0.001\"} 1",
            "hewto_http_request_duration_seconds_bucket{le=\"0.025\"} 2",
            "hewto_http_request_duration_seconds_bucket{le=\"30\"} 2",
            "hewto_http_request_duration_seconds_bucket{le=\"+Inf\"} 3",
            "hewto_http_request_duration_seconds_count 3",
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line} is not in\n{text}");
        }
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let value = line.rsplit(' ').next().unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
        }
    }
}
