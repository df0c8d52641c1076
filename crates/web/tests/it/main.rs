//! The dashboard, from outside: over HTTP without a browser, then in Chromium.

mod browser;
mod decide;
mod doors;
mod hostile;
mod look;
mod shop;
