//! What the owner of the machine lets the tools run, asked anew for each run: a branch may have brought other settings,
//! and the owner may have trusted them meanwhile.

use std::path::{Path, PathBuf};

use hewto_core::config::{Config, ConfigOwner, WorkstationConfig};
use hewto_core::rate::Rate;
use hewto_workstation::{Limits, Rates, RunPlace, RunRefusal};

use crate::error::{Key, Result};
use crate::trust::{self, Subject, Trust, TrustState};
use crate::{Context, Workspace};

/// The settings as they are now, and where programs may be started.
#[derive(Debug)]
pub(super) struct Permission {
    /// By this one sees whether anything has changed.
    pub(super) seen: Vec<Seen>,
    pub(super) allowed: WorkstationConfig,
    pub(super) rates: Rates,
    pub(super) places: Vec<RunPlace>,
}

/// A folder, its `[workstation]` in one spelling, and how that stands.
pub(super) type Seen = (PathBuf, String, TrustState);

impl Permission {
    /// Looks at the workspace and at each allowed folder.
    pub(super) fn ask(
        trust: &Trust,
        workspace: Option<&Workspace>,
        roots: &[PathBuf],
        ctx: &Context,
    ) -> Result<Self> {
        let mut seen: Vec<Seen> = Vec::new();
        let (mut allowed, mut rates) = (WorkstationConfig::default(), Rates::default());
        if let Some(workspace) = workspace {
            let (text, standing) = look(trust, workspace.root(), Some(workspace), ctx)?;
            // What was compared with the trusted text is what is read, and nothing else.
            allowed = Config::read(&text, ConfigOwner::Hewto).0.workstation;
            rates = rates_of(&allowed);
            if standing != TrustState::Trusted {
                rates = lower(rates, Rates::default());
                allowed = restricted(&allowed);
            }
            seen.push((workspace.root().to_owned(), text, standing));
        }
        for root in roots {
            // Beneath the workspace its word holds; a folder elsewhere has to be trusted itself.
            if workspace.is_some_and(|workspace| root.starts_with(workspace.root())) {
                continue;
            }
            let (text, standing) = look(trust, root, super::workspace_at(root).as_ref(), ctx)?;
            seen.push((root.clone(), text, standing));
        }
        let places = seen.iter().map(|(folder, text, standing)| place(folder, text, *standing)).collect();
        Ok(Self { seen, allowed, rates, places })
    }
}

fn look(
    trust: &Trust,
    root: &Path,
    workspace: Option<&Workspace>,
    ctx: &Context,
) -> Result<(String, TrustState)> {
    let text = match workspace.map(|workspace| trust::workstation_text(workspace, ctx)) {
        None => String::new(),
        Some(Ok(text)) => text,
        // `validate` says what is wrong with it; nobody can have trusted it.
        Some(Err(error)) if error.key == Key::ConfigInvalid => {
            return Ok((String::new(), TrustState::Changed));
        }
        Some(Err(error)) => return Err(error),
    };
    let standing = trust.standing(root, Subject::Workstation, &text)?;
    Ok((text, standing))
}

fn place(folder: &Path, text: &str, standing: TrustState) -> RunPlace {
    if standing == TrustState::Trusted {
        return RunPlace::allowed(folder);
    }
    let error = trust::not_trusted(folder, Subject::Workstation, text, standing);
    let refusal = RunRefusal {
        message: error.message.clone(),
        hint: error.plain_hint().unwrap_or_default(),
        details: error.details,
    };
    RunPlace { folder: folder.to_owned(), refusal: Some(refusal) }
}

/// What holds of settings that nobody has trusted: nothing is allowed, and a shorter time still holds.
fn restricted(asked: &WorkstationConfig) -> WorkstationConfig {
    let usual = Limits::default().run_time;
    WorkstationConfig { run_time: asked.run_time.map(|time| time.min(usual)), ..WorkstationConfig::default() }
}

fn rates_of(allowed: &WorkstationConfig) -> Rates {
    let (named, default) = (&allowed.rates, Rates::default());
    Rates {
        read: named.rate(named.read, default.read),
        write: named.rate(named.write, default.write),
        run: named.rate(named.run, default.run),
    }
}

/// The stricter of two paces for each class.
fn lower(asked: Rates, usual: Rates) -> Rates {
    // 0 per second means no limit.
    let is_lower = |one: Rate, other: Rate| one.per_second > 0.0 && one.per_second < other.per_second;
    let lower = |one: Rate, other: Rate| Rate {
        per_second: if is_lower(one, other) { one.per_second } else { other.per_second },
        burst: one.burst.min(other.burst),
    };
    Rates {
        read: lower(asked.read, usual.read),
        write: lower(asked.write, usual.write),
        run: lower(asked.run, usual.run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_nobody_trusts_allow_nothing_and_only_shrink_limits() {
        let text = "[workstation]\ntimeout_s = 3600\npass_env = [\"TOKEN\"]\n[workstation.commands]\nsh = []\n\
                    [workstation.rate]\nread = 1\nwrite = 1000000\nrun = { per_second = 0, burst = 900 }\n\
                    [workstation.git]\nhooks = true\n";
        let asked = Config::read(text, ConfigOwner::Hewto).0.workstation;
        let allowed = restricted(&asked);
        assert!(allowed.commands.is_empty() && allowed.pass_environment.is_empty() && !allowed.runs_hooks);
        assert_eq!(allowed.run_time, Some(Limits::default().run_time));
        let (rates, usual) = (lower(rates_of(&asked), Rates::default()), Rates::default());
        assert_eq!(rates.read, Rate { per_second: 1.0, burst: 1.0 });
        assert_eq!((rates.write, rates.run), (usual.write, usual.run));
    }
}
