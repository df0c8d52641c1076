//! What the readers of documents notice while they read.

use super::Rule;

/// A front matter that is opened is closed.
pub const FRONT_MATTER_UNCLOSED: Rule = Rule::warning("front-matter-unclosed");
/// A front matter is valid YAML.
pub const FRONT_MATTER_INVALID: Rule = Rule::error("front-matter-invalid");
/// A front matter is a map of keys.
pub const FRONT_MATTER_NOT_A_MAP: Rule = Rule::error("front-matter-not-a-map");
/// A key stands once in a front matter.
pub const FRONT_MATTER_DUPLICATE_KEY: Rule = Rule::warning("front-matter-duplicate-key");
/// A known key of a front matter has a value of its kind.
pub const FRONT_MATTER_TYPE: Rule = Rule::warning("front-matter-type");
/// What can be wrong with a front matter as such.
pub const FRONT_MATTER: [Rule; 5] = [
    FRONT_MATTER_UNCLOSED,
    FRONT_MATTER_INVALID,
    FRONT_MATTER_NOT_A_MAP,
    FRONT_MATTER_DUPLICATE_KEY,
    FRONT_MATTER_TYPE,
];
/// A spec's category is a known one.
pub const CATEGORY_UNKNOWN: Rule = Rule::warning("category-unknown");
/// The `state` of a front matter is a state of the lifecycle.
pub const STATE_UNKNOWN: Rule = Rule::warning("state-unknown");
/// `created_at` and `updated_at` of a front matter are times.
pub const TIME_INVALID: Rule = Rule::warning("time-invalid");
/// The steps of a plan are numbered from 1, without gaps.
pub const STEP_NUMBER: Rule = Rule::warning("step-number");
/// The status of a step is a known one.
pub const STEP_STATUS_UNKNOWN: Rule = Rule::warning("step-status-unknown");
/// The complexity of a step is a known one.
pub const STEP_COMPLEXITY_UNKNOWN: Rule = Rule::warning("step-complexity-unknown");
/// A record of a review reads as hewto wrote it.
pub const REVIEW_RECORD: Rule = Rule::error("review-record");
/// A folder of records is a folder.
pub const REVIEW_FOLDER: Rule = Rule::error("review-folder");
/// A record of a review counts for something.
pub const REVIEW_DOUBT: Rule = Rule::warning("review-doubt");
