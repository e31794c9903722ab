//! What a project wants of its catalogs: from `fbc.toml` and from flags, and its use on what was found.
//!
//! Every command that reports findings takes [`PolicyArguments`], makes a [`Configuration`] of them, checks
//! each catalog under [`Configuration::policy_for`], shows it to [`Configuration::observe`], and hands all
//! reports to [`Configuration::finish`] before it writes them.

mod apply;
mod arguments;
mod file;
mod find;
mod reader;
mod resolve;
mod scope;
mod show;

pub(crate) use arguments::PolicyArguments;
pub(crate) use resolve::Configuration;
