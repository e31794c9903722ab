//! The language server: findings while typing, and what editors ask about catalogs.
//!
//! [`buffer`] holds texts in pieces, one for each document; [`catalog`] judges one package at a time; [`features`] answers
//! questions about places; [`workspace`] is what editors have open; [`diagnostics`] shows findings where the text is now; [`server`] speaks the protocol. Files, configuration
//! and the clock come in through a [`Host`].
//!
//! The main loop never waits: judging, questions and simulations run on threads of their own ([`jobs`]).

pub mod buffer;
pub mod catalog;
pub mod diagnostics;
pub mod features;
pub mod host;
pub mod jobs;
pub mod position;
pub mod server;
pub mod setting;
pub mod workspace;

pub use host::{FileKind, Host, Problem, ProblemFix, Simulated};
pub use server::{ServeError, serve};
pub use setting::Configured;
