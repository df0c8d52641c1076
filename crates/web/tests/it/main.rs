//! The dashboard, from outside, over HTTP. What is seen in a browser is tested by `crates/web/browser`.

mod attack;
mod decide;
mod doors;
mod foreign;
mod hostile;
mod look;
mod regions;
mod settle;
mod shop;
mod wire;
