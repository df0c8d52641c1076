//! `[workstation]` of the configuration: what the user allows.

use std::collections::BTreeMap;
use std::time::Duration;

use hewto_core::rate::Rate;
use hewto_workstation::{CommitHooks, Limits, Rates, Settings};
use serde::Deserialize;

use crate::error::{Error, Kind, Result};

/// What the configuration says, in the terms of the workstation.
#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) settings: Settings,
    pub(super) rates: Rates,
}

#[derive(Debug, Default, Deserialize)]
struct File {
    #[serde(default)]
    workstation: Section,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Section {
    commands: BTreeMap<String, Vec<Vec<String>>>,
    rate: RateSection,
    /// How long `ci_*` may take unless the call says otherwise.
    timeout_s: Option<u64>,
    /// Further variables that children see.
    pass_env: Vec<String>,
    git: GitSection,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RateSection {
    read: Option<Pace>,
    write: Option<Pace>,
    run: Option<Pace>,
    /// For the classes that name no burst of their own.
    burst: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GitSection {
    /// Whether `git_commit` runs the repository's hooks.
    hooks: bool,
}

/// A number of calls per second, or that with a burst.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "a number of calls per second, or `{ per_second = …, burst = … }`")]
enum Pace {
    PerSecond(f64),
    #[serde(rename_all = "snake_case")]
    Both {
        per_second: f64,
        burst: f64,
    },
}

impl Config {
    pub(super) fn read(text: &str) -> Result<Self> {
        let file: File =
            toml_edit::de::from_str(text).map_err(|error| invalid(error.to_string().trim_end()))?;
        let section = file.workstation;
        let mut limits = Limits::default();
        if let Some(seconds) = section.timeout_s {
            let wanted = Duration::from_secs(seconds);
            if seconds == 0 || wanted > limits.longest_run_time {
                let most = limits.longest_run_time.as_secs();
                return Err(invalid(&format!("`workstation.timeout_s` has to be 1 to {most}")));
            }
            limits.run_time = wanted;
        }
        let (rates, burst) = (Rates::default(), section.rate.burst);
        Ok(Self {
            rates: Rates {
                read: rate("read", section.rate.read, burst, rates.read)?,
                write: rate("write", section.rate.write, burst, rates.write)?,
                run: rate("run", section.rate.run, burst, rates.run)?,
            },
            settings: Settings {
                commands: section.commands,
                pass_environment: section.pass_env,
                commit_hooks: if section.git.hooks { CommitHooks::Run } else { CommitHooks::Skip },
                limits,
                ..Settings::default()
            },
        })
    }
}

fn rate(name: &str, pace: Option<Pace>, burst: Option<f64>, default: Rate) -> Result<Rate> {
    let rate = match pace {
        None => Rate { burst: burst.unwrap_or(default.burst), ..default },
        // Whoever names the pace alone gets a second's worth at once.
        Some(Pace::PerSecond(per_second)) => {
            Rate { per_second, burst: burst.unwrap_or_else(|| per_second.max(1.0)) }
        }
        Some(Pace::Both { per_second, burst }) => Rate { per_second, burst },
    };
    if [rate.per_second, rate.burst].iter().all(|number| number.is_finite() && *number >= 0.0) {
        Ok(rate)
    } else {
        Err(invalid(&format!("`workstation.rate.{name}` has to be 0 or more")))
    }
}

fn invalid(why: &str) -> Error {
    Error::new(
        Kind::Refused,
        "config_invalid",
        None,
        format!("the `[workstation]` settings cannot be read: {why}"),
    )
    .hint("mend `[workstation]` in the configuration of the workspace")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_a_default_and_nothing_is_allowed_by_it() {
        let config = Config::read("[project]\nname = \"x\"\n").unwrap();
        assert!(config.settings.commands.is_empty() && config.settings.pass_environment.is_empty());
        assert_eq!(config.settings.commit_hooks, CommitHooks::Skip);
        assert_eq!(config.settings.limits.run_time, Duration::from_mins(10));
        assert_eq!(config.rates, Rates::default());
    }

    #[test]
    fn settings_are_read() {
        let config = Config::read(
            "[workstation]\ntimeout_s = 60\npass_env = [\"HTTPS_PROXY\"]\n\
             [workstation.commands]\ngit = [[\"--version\"], [\"log\", \"-1\"]]\nmake = []\n\
             [workstation.rate]\nread = 5\nwrite = 0\nrun = { per_second = 0.5, burst = 3 }\n\
             [workstation.git]\nhooks = true\n",
        )
        .unwrap();
        assert_eq!(config.settings.commands["make"], [[""; 0]; 0]);
        assert_eq!(config.settings.commands["git"][1], ["log", "-1"]);
        assert_eq!(config.settings.limits.run_time, Duration::from_mins(1));
        assert_eq!(config.settings.commit_hooks, CommitHooks::Run);
        assert_eq!(config.rates.read, Rate { per_second: 5.0, burst: 5.0 });
        assert!(config.rates.write.per_second.abs() < f64::EPSILON);
        assert_eq!(config.rates.run, Rate { per_second: 0.5, burst: 3.0 });
    }

    #[test]
    fn one_burst_can_hold_for_all() {
        let config =
            Config::read("[workstation.rate]\nread = 5\nburst = 7\nrun = { per_second = 1, burst = 2 }\n");
        let rates = config.unwrap().rates;
        assert_eq!(rates.read, Rate { per_second: 5.0, burst: 7.0 });
        assert!(
            (rates.write.burst - 7.0).abs() < f64::EPSILON && (rates.run.burst - 2.0).abs() < f64::EPSILON
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "[workstation]\ncomands = 1\n",
            "[workstation]\ntimeout_s = 3601\n",
            "[workstation.rate]\nrun = -1\n",
            "[workstation.rate]\nrun = { per_second = 1 }\n",
            "[workstation.commands]\ngit = \"any\"\n",
            "not toml",
        ] {
            assert_eq!(Config::read(text).unwrap_err().key, "config_invalid", "{text}");
        }
    }
}
