//! `[gates]`: by which channel a person has to have said yes, before a plan, an archive or a decision goes on.

use std::fmt;

/// How an approval came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// An argument of the call; anybody can write it.
    Asserted,
    /// The client's own form.
    Elicited,
    /// `hewto approve` on a terminal.
    Terminal,
    /// The dashboard.
    Web,
    /// The hub.
    Hub,
    /// A signature by a known key.
    Signed,
    /// The same by a key that has to be touched.
    Touch,
}

impl Channel {
    pub const ALL: [Self; 7] =
        [Self::Asserted, Self::Elicited, Self::Terminal, Self::Web, Self::Hub, Self::Signed, Self::Touch];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asserted => "asserted",
            Self::Elicited => "elicited",
            Self::Terminal => "terminal",
            Self::Web => "web",
            Self::Hub => "hub",
            Self::Signed => "signed",
            Self::Touch => "touch",
        }
    }

    /// How much it takes to pretend it: 0 nothing, 4 a finger on a key.
    pub fn strength(self) -> u8 {
        match self {
            Self::Asserted => 0,
            Self::Elicited => 1,
            Self::Terminal | Self::Web | Self::Hub => 2,
            Self::Signed => 3,
            Self::Touch => 4,
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == name)
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What opens one gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Nobody is asked.
    None,
    /// This channel, or one as strong.
    Weakest(Channel),
}

impl Default for Gate {
    /// A gate that nobody set wants the argument of the call, and nothing more.
    fn default() -> Self {
        Self::Weakest(Channel::Asserted)
    }
}

impl Gate {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weakest(channel) => channel.as_str(),
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        if name == "none" { Some(Self::None) } else { Channel::parse(name).map(Self::Weakest) }
    }

    /// Whether an approval that came this way opens the gate.
    pub(crate) fn opened_by(self, channel: Channel) -> bool {
        match self {
            Self::None => true,
            Self::Weakest(weakest) => channel.strength() >= weakest.strength(),
        }
    }

    /// Whether a person has to decide: an argument of the call is not enough.
    pub fn needs_a_person(self) -> bool {
        !self.opened_by(Channel::Asserted)
    }

    /// The one of two that is harder to open.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }

    fn rank(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Weakest(channel) => 1 + channel.strength(),
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The gates of one scope; what is absent is as in the scope around it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateSet {
    pub plan: Option<Gate>,
    pub archive: Option<Gate>,
    pub decision: Option<Gate>,
    /// Whose approval counts; nobody named means anybody's does.
    pub reviewers: Option<Vec<String>>,
}

impl GateSet {
    /// This set, where it says nothing the other.
    #[must_use]
    fn or(self, around: &Self) -> Self {
        Self {
            plan: self.plan.or(around.plan),
            archive: self.archive.or(around.archive),
            decision: self.decision.or(around.decision),
            reviewers: self.reviewers.or_else(|| around.reviewers.clone()),
        }
    }

    /// Gate by gate the stricter of both. Reviewers are those of whoever is named by both, where both name some.
    #[must_use]
    pub fn stricter(&self, other: &Self) -> Self {
        let pick = |a: Option<Gate>, b: Option<Gate>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or_default().stricter(b.unwrap_or_default())),
        };
        let reviewers = match (&self.reviewers, &other.reviewers) {
            (Some(a), Some(b)) => Some(a.iter().filter(|name| b.contains(name)).cloned().collect()),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        Self {
            plan: pick(self.plan, other.plan),
            archive: pick(self.archive, other.archive),
            decision: pick(self.decision, other.decision),
            reviewers,
        }
    }

    /// What opens a plan.
    pub fn plan(&self) -> Gate {
        self.plan.unwrap_or_default()
    }

    /// What opens the archive.
    pub fn archive(&self) -> Gate {
        self.archive.unwrap_or_default()
    }

    /// What opens a decision.
    pub fn decision(&self) -> Gate {
        self.decision.unwrap_or_default()
    }

    /// Whether somebody of this name may approve.
    pub fn is_reviewer(&self, name: &str) -> bool {
        self.reviewers.as_ref().is_none_or(|names| names.iter().any(|known| known == name))
    }
}

/// For which items a set of gates holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Those beneath a folder, which is relative to the workspace: `[gates.folder."specs/billing"]`.
    Folder(String),
    /// Those of a category: `[gates.category.bugfix]`.
    Category(String),
}

impl Scope {
    fn holds(&self, folder: &str, category: Option<&str>) -> bool {
        match self {
            Self::Folder(above) => folder
                .strip_prefix(above.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            Self::Category(name) => category == Some(name.as_str()),
        }
    }
}

/// Where something lies that gates may hold for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// Relative to the workspace.
    pub folder: &'a str,
    pub category: Option<&'a str>,
}

/// All gates of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gates {
    pub general: GateSet,
    pub special: Vec<(Scope, GateSet)>,
}

impl Gates {
    /// The gates of an item that lies in this folder of the workspace. Where several scopes hold, the strictest does.
    pub fn of_item(&self, folder: &str, category: Option<&str>) -> GateSet {
        let folder = folder.trim_end_matches('/');
        self.special
            .iter()
            .filter(|(scope, _)| scope.holds(folder, category))
            .map(|(_, set)| set.clone().or(&self.general))
            .reduce(|a, b| a.stricter(&b))
            .unwrap_or_else(|| self.general.clone())
    }

    /// The gates of an item that lies in the first of these folders and writes into the others: the strictest of all, so that
    /// no change is a way round the gate of a spec. Who decides is said by the scopes that name anybody.
    pub fn of_places(&self, places: &[Place<'_>]) -> GateSet {
        let is_scoped = |place: &&Place<'_>| {
            self.special
                .iter()
                .any(|(scope, _)| scope.holds(place.folder.trim_end_matches('/'), place.category))
        };
        let scoped = || places.iter().filter(is_scoped);
        let sets = scoped().map(|place| self.of_item(place.folder, place.category));
        let Some(strictest) = sets.reduce(|a, b| a.stricter(&b)) else { return self.general.clone() };
        if scoped().count() == places.len() {
            return strictest;
        }
        strictest.stricter(&GateSet { reviewers: None, ..self.general.clone() })
    }

    /// Whether any gate of any scope wants a person.
    pub fn need_a_person(&self) -> bool {
        std::iter::once(&self.general)
            .chain(self.special.iter().map(|(_, set)| set))
            .any(|set| [set.plan(), set.archive(), set.decision()].into_iter().any(Gate::needs_a_person))
    }
}
