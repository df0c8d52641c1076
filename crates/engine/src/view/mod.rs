//! What use cases answer: plain serialisable data, shared by the tools and `--json`.
//!
//! Field names here are a public contract; the seeds' names win wherever a seed has one.

mod check;
mod page;
mod spec;
mod work;

pub use check::{ReportView, SummaryView};
pub use page::Page;
pub use spec::{
    DependenciesView, DependencyCounts, DependencyEntry, DependencyView, DiagnosticView, SpecBundle,
    SpecContentView, SpecCreated, SpecIndexEntry, SpecIndexView, SpecListEntry, SpecListView,
    SpecMetadataView, SpecStatusView, SpecTransitioned, SpecUpdated, StateView,
};
pub use work::{
    BuildCompleted, BuildProgressView, BuildStarted, BuildUpdated, PlanCreated, PlanProgressView,
    PlanStepView, PlanUpdated, PlanView, StepCompleted,
};
