//! Which model, where, with which key. The names of the variables stand here; whoever may read the environment
//! hands in a lookup.

use std::fmt;
use std::time::Duration;

/// Who runs the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    Anthropic,
    OpenAi,
    OpenRouter,
    /// Any other server that speaks OpenAI's format.
    Compatible,
}

/// A key: it can be sent, and never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// How long an attempt and all attempts may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub attempt: Duration,
    pub total: Duration,
    pub attempts: u32,
    /// Before the second attempt; three times as long before the third.
    pub first_pause: Duration,
}

/// Everything that is needed to ask a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub provider: Provider,
    pub model: String,
    /// Without a trailing slash.
    pub base_url: String,
    pub key: Option<Secret>,
    pub proxy: Option<String>,
    pub limits: Limits,
}

/// What the environment asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// No model: the deterministic interviewer.
    Deterministic,
    Model(Box<Settings>),
    /// A model was asked for and cannot be used.
    Broken {
        reason: String,
    },
}

impl Provider {
    fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "anthropic" => Some(Self::Anthropic),
            "openai" => Some(Self::OpenAi),
            "openrouter" => Some(Self::OpenRouter),
            "openai-compatible" | "openai_compatible" | "compatible" | "local" => Some(Self::Compatible),
            _ => None,
        }
    }

    fn default_model(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("claude-sonnet-4-20250514"),
            Self::OpenAi => Some("gpt-4o"),
            Self::OpenRouter => Some("anthropic/claude-sonnet-4-20250514"),
            Self::Compatible => None,
        }
    }

    /// `/v1` is part of it for OpenAI's format, and not for Anthropic's.
    fn default_base_url(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::OpenRouter => Some("https://openrouter.ai/api/v1"),
            Self::Compatible => None,
        }
    }

    fn key_names(self) -> &'static [&'static str] {
        match self {
            Self::Anthropic => {
                &["HEWTO_ANTHROPIC_API_KEY", "PREFLIGHTS_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"]
            }
            Self::OpenAi => &["HEWTO_OPENAI_API_KEY", "PREFLIGHTS_OPENAI_API_KEY", "OPENAI_API_KEY"],
            Self::OpenRouter => {
                &["HEWTO_OPENROUTER_API_KEY", "PREFLIGHTS_OPENROUTER_API_KEY", "OPENROUTER_API_KEY"]
            }
            Self::Compatible => &["HEWTO_LLM_API_KEY", "PREFLIGHTS_LLM_API_KEY"],
        }
    }
}

impl Settings {
    /// Reads the variables through a lookup; an empty variable is unset.
    pub fn choose(lookup: impl Fn(&str) -> Option<String>) -> Choice {
        let get = |names: &[&str]| {
            let mut values = names.iter().filter_map(|name| lookup(name));
            values.find(|value| !value.trim().is_empty()).map(|value| value.trim().to_owned())
        };
        let Some(name) = get(&["HEWTO_LLM_PROVIDER", "PREFLIGHTS_LLM_PROVIDER"]) else {
            return Choice::Deterministic;
        };
        if matches!(name.to_ascii_lowercase().as_str(), "mock" | "none" | "deterministic") {
            return Choice::Deterministic;
        }
        let broken = |reason: String| Choice::Broken { reason };
        let Some(provider) = Provider::named(&name) else {
            return broken(format!("`{name}` is not a known provider"));
        };
        let own_url = get(&["HEWTO_LLM_BASE_URL", "PREFLIGHTS_LLM_BASE_URL"]);
        let key = get(&["HEWTO_LLM_API_KEY"]).or_else(|| get(provider.key_names())).map(Secret);
        if key.is_none() && own_url.is_none() {
            return broken(format!(
                "there is no key: set `{}`",
                provider.key_names()[provider.key_names().len() - 1]
            ));
        }
        let Some(base_url) = own_url.or_else(|| provider.default_base_url().map(str::to_owned)) else {
            return broken("`HEWTO_LLM_BASE_URL` is not set".to_owned());
        };
        let Some(model) = get(&["HEWTO_LLM_MODEL", "PREFLIGHTS_LLM_MODEL"])
            .or_else(|| provider.default_model().map(str::to_owned))
        else {
            return broken("`HEWTO_LLM_MODEL` is not set".to_owned());
        };
        if !base_url.starts_with("http://") && !base_url.starts_with("https://") {
            return broken("`HEWTO_LLM_BASE_URL` is not an `http` address".to_owned());
        }
        let proxy = get(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]);
        let base_url = base_url.trim_end_matches('/').to_owned();
        Choice::Model(Box::new(Self { provider, model, base_url, key, proxy, limits: Limits::default() }))
    }

    /// Whether the endpoint is on this machine.
    pub(super) fn is_local(&self) -> bool {
        let host = self.base_url.split_once("://").map_or("", |(_, rest)| rest);
        ["localhost", "127.", "[::1]"].iter().any(|local| host.starts_with(local))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            attempt: Duration::from_secs(8),
            total: Duration::from_secs(25),
            attempts: 3,
            first_pause: Duration::from_millis(300),
        }
    }
}

impl Secret {
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(variables: &[(&str, &str)]) -> Choice {
        Settings::choose(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn settings(variables: &[(&str, &str)]) -> Settings {
        match choose(variables) {
            Choice::Model(settings) => *settings,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn without_a_provider_there_is_no_model() {
        for variables in [
            &[][..],
            &[("HEWTO_LLM_PROVIDER", "")],
            &[("HEWTO_LLM_PROVIDER", "mock")],
            &[("ANTHROPIC_API_KEY", "k")],
        ] {
            assert_eq!(choose(variables), Choice::Deterministic);
        }
    }

    #[test]
    fn the_nearest_name_wins_and_an_empty_one_is_unset() {
        let chosen = settings(&[
            ("HEWTO_LLM_PROVIDER", " Anthropic "),
            ("PREFLIGHTS_LLM_PROVIDER", "openai"),
            ("HEWTO_LLM_MODEL", ""),
            ("PREFLIGHTS_LLM_MODEL", "m"),
            ("PREFLIGHTS_ANTHROPIC_API_KEY", "old"),
            ("ANTHROPIC_API_KEY", "plain"),
        ]);
        assert_eq!((chosen.provider, chosen.model.as_str()), (Provider::Anthropic, "m"));
        assert_eq!(chosen.key.unwrap().expose(), "old");
        assert_eq!(chosen.base_url, "https://api.anthropic.com");
    }

    #[test]
    fn a_key_is_needed_unless_a_base_url_is_given() {
        assert!(matches!(
            choose(&[("HEWTO_LLM_PROVIDER", "openai"), ("OPENAI_API_KEY", " ")]),
            Choice::Broken { .. }
        ));
        let local = settings(&[
            ("HEWTO_LLM_PROVIDER", "openai"),
            ("HEWTO_LLM_BASE_URL", "http://127.0.0.1:8080/v1/"),
        ]);
        assert_eq!((local.base_url.as_str(), local.key.clone()), ("http://127.0.0.1:8080/v1", None));
        assert!(local.is_local());
    }

    #[test]
    fn what_cannot_work_says_why() {
        for (variables, part) in [
            (&[("HEWTO_LLM_PROVIDER", "oracle")][..], "oracle"),
            (&[("HEWTO_LLM_PROVIDER", "local"), ("HEWTO_LLM_API_KEY", "k")], "HEWTO_LLM_BASE_URL"),
            (&[("HEWTO_LLM_PROVIDER", "local"), ("HEWTO_LLM_BASE_URL", "http://x/v1")], "HEWTO_LLM_MODEL"),
            (&[("HEWTO_LLM_PROVIDER", "openai"), ("HEWTO_LLM_BASE_URL", "ftp://x")], "http"),
        ] {
            let Choice::Broken { reason } = choose(variables) else { panic!("{variables:?}") };
            assert!(reason.contains(part), "{reason}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let chosen = settings(&[("HEWTO_LLM_PROVIDER", "openai"), ("OPENAI_API_KEY", "sk-abc")]);
        assert!(!format!("{chosen:?}").contains("abc"));
    }
}
