//! The language server: findings while typing, and what editors ask about catalogs.
//!
//! [`buffer`] holds texts in pieces, one for each document; [`catalog`] judges one package at a time, under its
//! [`configuration`]; [`features`] answers questions about places; [`workspace`] is what editors have open;
//! [`diagnostics`] shows findings where the text is now; [`server`] speaks the protocol over a [`transport`]. Files,
//! configuration and the clock come in through a [`Host`].
//!
//! The main loop never waits: judging, questions and simulations run on threads of their own ([`jobs`]).

pub mod buffer;
pub mod catalog;
pub mod configuration;
pub mod diagnostics;
pub mod features;
pub mod host;
pub mod jobs;
pub mod position;
pub mod server;
pub mod transport;
pub mod workspace;

pub use configuration::CatalogConfiguration;
pub use host::{FileKind, Host, HostError, Problem, ProblemFix, Simulated, Unmet};
pub use server::{ServeError, serve};
