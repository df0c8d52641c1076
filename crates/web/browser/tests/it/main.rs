//! The dashboard in Chromium: what its stories say, on every page, for everybody.
//!
//! `scripts/browser.sh` installs the browser, its driver and axe-core, and names the binary.

mod chromium;
mod everybody;
mod hostile;
mod pictures;
mod shop;
mod stories;
