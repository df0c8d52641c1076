//! The addresses of resources: `airsspec:///…`, and the handles of the graph.
//!
//! An id is one percent-encoded segment. `config` and `specs` belong to the seed; a spec of that name is still
//! reachable with its first letter escaped, which is how its own address is written.

use std::fmt;

use hewto_core::artifact::Handle;
use hewto_core::id::SpecId;

use super::artifact;
use crate::options::Toolset;

const SCHEME: &str = "airsspec:///";
const PROOF: &str = "proof://";

/// What an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResourceUri {
    Config,
    Specs,
    Of(SpecId, Part),
    Artifact(Handle),
    /// How the promises of a spec stand, or all of them.
    Proof(Option<SpecId>),
    /// The record of a run.
    ProofRun(String),
}

/// What there is of one spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Bundle,
    Spec,
    Plan,
    State,
}

impl ResourceUri {
    /// Reads an address; nothing when it is none of ours.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        if let Some(path) = uri.strip_prefix(PROOF) {
            return Self::parse_proof(path);
        }
        let Some(path) = uri.strip_prefix(SCHEME) else { return Handle::parse(uri).map(Self::Artifact) };
        // What begins a query or a fragment is escaped in a segment.
        if path.contains(['?', '#']) {
            return None;
        }
        let (segment, part) = match path.split_once('/') {
            None => match path {
                "config" => return Some(Self::Config),
                "specs" => return Some(Self::Specs),
                segment => (segment, Part::Bundle),
            },
            Some((segment, name)) => {
                (segment, Part::ALL.into_iter().find(|part| part.segment() == Some(name))?)
            }
        };
        Some(Self::Of(SpecId::from_segment(segment).ok()?, part))
    }

    fn parse_proof(path: &str) -> Option<Self> {
        match path.split_once('/') {
            None if path == "matrix" => Some(Self::Proof(None)),
            Some(("matrix", id)) => Some(Self::Proof(Some(SpecId::from_segment(id).ok()?))),
            Some(("run", run)) if !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                Some(Self::ProofRun(run.to_owned()))
            }
            _ => None,
        }
    }

    /// Whether it shows what the store's snapshots tell of.
    pub(crate) fn is_of_specs(&self) -> bool {
        matches!(self, Self::Specs | Self::Of(..))
    }

    pub(crate) fn mime_type(&self) -> &'static str {
        match self {
            Self::Config => "application/toml",
            Self::Specs | Self::Proof(_) | Self::ProofRun(_) => "application/json",
            Self::Of(_, part) => part.mime_type(),
            Self::Artifact(handle) => artifact::mime_type(handle),
        }
    }

    /// The toolset that it belongs to.
    pub(crate) fn toolset(&self) -> Toolset {
        match self {
            Self::Config | Self::Specs | Self::Of(..) => Toolset::Workflow,
            Self::Artifact(_) => Toolset::Graph,
            Self::Proof(_) | Self::ProofRun(_) => Toolset::Proof,
        }
    }
}

impl Part {
    pub(crate) const ALL: [Self; 4] = [Self::Bundle, Self::Spec, Self::Plan, Self::State];

    pub(crate) fn mime_type(self) -> &'static str {
        match self {
            Self::Bundle => "application/json",
            Self::Spec | Self::Plan => "text/markdown",
            Self::State => "application/toon",
        }
    }

    /// The address with `{spec_id}` in place of the id.
    pub(crate) fn template(self) -> String {
        self.address("{spec_id}")
    }

    fn segment(self) -> Option<&'static str> {
        match self {
            Self::Bundle => None,
            Self::Spec => Some("spec"),
            Self::Plan => Some("plan"),
            Self::State => Some("state"),
        }
    }

    fn address(self, id: &str) -> String {
        match self.segment() {
            None => format!("{SCHEME}{id}"),
            Some(name) => format!("{SCHEME}{id}/{name}"),
        }
    }
}

impl fmt::Display for ResourceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config => write!(f, "{SCHEME}config"),
            Self::Specs => write!(f, "{SCHEME}specs"),
            Self::Artifact(handle) => handle.fmt(f),
            Self::Proof(None) => write!(f, "{PROOF}matrix"),
            Self::Proof(Some(id)) => write!(f, "{PROOF}matrix/{}", id.to_segment()),
            Self::ProofRun(run) => write!(f, "{PROOF}run/{run}"),
            Self::Of(id, part) => {
                let segment = match id.to_segment() {
                    taken if taken == "config" || taken == "specs" => {
                        format!("%{:02X}{}", taken.as_bytes()[0], &taken[1..])
                    }
                    free => free,
                };
                f.write_str(&part.address(&segment))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(id: &str, part: Part) -> ResourceUri {
        ResourceUri::Of(SpecId::parse(id).unwrap(), part)
    }

    #[test]
    fn addresses_are_read() {
        let cases = [
            ("airsspec:///config", Some(ResourceUri::Config)),
            ("airsspec:///specs", Some(ResourceUri::Specs)),
            ("airsspec:///17-a", Some(of("17-a", Part::Bundle))),
            ("airsspec:///17-a/spec", Some(of("17-a", Part::Spec))),
            ("airsspec:///17-a/plan", Some(of("17-a", Part::Plan))),
            ("airsspec:///17-a/state", Some(of("17-a", Part::State))),
            ("airsspec:///auth%2Flogin/spec", Some(of("auth/login", Part::Spec))),
            ("airsspec:///%63onfig", Some(of("config", Part::Bundle))),
            ("airsspec:///specs/spec", Some(of("specs", Part::Spec))),
            ("airsspec:///", None),
            ("airsspec:///17-a/", None),
            ("airsspec:///17-a/else", None),
            ("airsspec:///auth/login/spec", None),
            ("airsspec:///..%2Fx/spec", None),
            ("airsspec:///../spec", None),
            ("airsspec:///17-a?x", None),
            ("airsspec:///17%-a", None),
            ("airsspec://17-a/spec", None),
            ("file:///config", None),
            ("", None),
        ];
        for (uri, expected) in cases {
            assert_eq!(ResourceUri::parse(uri), expected, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn an_address_leads_back_to_where_it_was_made(
            id in prop_oneof![Just("config".to_owned()), Just("specs".to_owned()), "[^\\p{Cc}\\\\/]{1,20}(/[a-z?#%]{1,5})?"],
            part in prop::sample::select(Part::ALL.to_vec()),
        ) {
            prop_assume!(SpecId::parse(&id).is_ok());
            let uri = of(&id, part);
            prop_assert_eq!(ResourceUri::parse(&uri.to_string()), Some(uri));
        }
    }
}
