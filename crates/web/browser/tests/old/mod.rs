//! In Chromium: what the stories of the dashboard say, on every page, for everybody.
//!
//! The test command installs the browser, its driver and axe-core. Elsewhere these tests pass where they are missing.

mod chromium;
mod everybody;
mod stories;
