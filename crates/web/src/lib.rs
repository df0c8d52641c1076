//! The part of hewto that talks to people in a browser: pages on the engine's views, and what people decide on them.
//!
//! A request is decoded, makes one call of the engine, and becomes a page. Pages are plain functions from views to HTML
//! ([`pages`]), so that whoever has the views can render them. Nothing here names the store, files or rmcp, prints, reads
//! the environment or ends the process.

mod address;
mod assets;
mod code_watch;
mod decide;
mod door;
mod form;
mod frame;
mod health;
mod live;
mod login;
mod look;
mod markdown;
mod once;
mod options;
mod outside;
pub mod pages;
mod reply;
mod route;
mod service;
mod session;
mod site;
mod text;
mod visit;

pub use door::{LINK_LIFETIME, SignInLinks};
pub use frame::{Frame, Tab, Theme};
pub use options::{FindInterviewer, WebOptions};
pub use service::WebRoutes;
pub use site::Site;

/// What another server of the same pages needs of this one: addresses, forms, answers.
pub mod server {
    pub use crate::address::encoded;
    pub use crate::assets::find as asset;
    pub use crate::form::{FORM_TYPE, Form, MAX_FORM_BYTES, way_back};
    pub use crate::reply::{guarded, html, json, see_other, status_of};
    pub use crate::route::{Format, Page, Post, Route};
    pub use crate::text::{badge, count, moment, plain, said, search_mode, told};
}
