//! The command line of fbc: commands, global flags, and handing on to the commands.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::command;
use crate::failure::{CLEAN, COULD_NOT_RUN, Failure};
use crate::limits::LimitArgument;
use crate::runtime::Workers;
use crate::settings::Settings;
use crate::terminal::{self, Color};
use crate::usage_advice::advised;
use crate::{command_groups, completion, examples, opm};
use fbc_app::invalid_value::InvalidValue;

/// Toolchain for OLM file-based catalogs
///
/// Validates, compares, builds, signs, mirrors and serves catalogs, and simulates what a cluster does with them. Called
/// under the name `opm` it takes opm's place.
#[derive(Parser)]
#[command(name = "fbc", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 clean, 1 findings or refused input, 2 could not run.")]
struct CommandLine {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// What stands beside every command.
#[derive(Args)]
struct Common {
    #[command(flatten)]
    global: Global,
    /// Allow more than a budget, such as `documents=1000000`; docs/reference/limits.md lists them
    #[arg(long = "limit", global = true, value_name = "NAME=N", help_heading = "Global options")]
    limits: Vec<LimitArgument>,
}

/// What stands for one catalog on a command line.
pub(crate) const CATALOG: &str =
    "The catalog: a directory, a file, an image, `REV:PATH` in the git repository, or `-` for standard input";

/// What stands for several.
pub(crate) const CATALOGS: &str =
    "Catalogs: directories, files, images, `REV:PATH` in the git repository, or `-` for standard input";

/// Flags that every command has.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// When to use colors
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_possible_values = true
    )]
    pub(crate) color: Color,
    /// Say only what is wrong
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more on standard error, such as which files were left out
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Follow symbolic links that lead out of a catalog or bundle directory
    ///
    /// Names in templates may lead out of their repository, too.
    #[arg(long, global = true)]
    pub(crate) follow_links: bool,
    /// Number of worker threads [default: one per processor]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// Adds the arguments of a command to its definition.
type AddArguments = fn(clap::Command) -> clap::Command;

/// Makes the enumeration of all commands, and a table of what adds their arguments to a definition.
macro_rules! commands {
    ($($(#[$attribute:meta])* $word:literal $name:ident($arguments:ty),)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($(#[$attribute])* #[command(name = $word)] $name($arguments),)*
            /// opm's command line, as when the program is called opm
            #[command(disable_help_flag = true)]
            Opm {
                /// Arguments for opm
                #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
                arguments: Vec<OsString>,
            },
        }

        const ARGUMENTS: &[(&str, AddArguments)] =
            &[$(($word, <$arguments as Args>::augment_args),)*];
    };
}

commands! {
    "init" Init(command::init::Arguments),
    "add" Add(command::add::Arguments),
    "deprecate" Deprecate(command::deprecate::Arguments),
    "template" Template(command::template::Arguments),
    "generate" Generate(Box<command::generate::Arguments>),
    "catalog" Catalog(command::catalog::Arguments),
    "filter" Filter(command::filter::Arguments),
    "lifecycle" Lifecycle(command::lifecycle::Arguments),
    "validate" Validate(command::validate::Arguments),
    "diff" Diff(command::diff::Arguments),
    "bundle" Bundle(command::bundle::Arguments),
    "crd" Crd(command::crd::Arguments),
    "explain" Explain(command::explain::Arguments),
    "merge-reports" MergeReports(command::merge_reports::Arguments),
    "list" List(command::list::Arguments),
    "render" Render(command::render::Arguments),
    "query" Query(command::query::Arguments),
    "graph" Graph(command::graph::Arguments),
    "paths" Paths(command::paths::Arguments),
    "resolve" Resolve(command::resolve::Arguments),
    "range" Range(command::range::Arguments),
    "images" Images(command::images::Arguments),
    "build" Build(command::build::Arguments),
    "push" Push(command::push::Arguments),
    "pull" Pull(command::pull::Arguments),
    "unpack" Unpack(command::unpack::Arguments),
    "sign" Sign(Box<command::sign::Arguments>),
    "verify" Verify(Box<command::verify::Arguments>),
    "mirror" Mirror(Box<command::mirror::Arguments>),
    "serve" Serve(command::serve::Arguments),
    "cache" Cache(command::cache::Arguments),
    "simulate" Simulate(Box<command::simulate::Arguments>),
    "cluster" Cluster(Box<command::cluster::Arguments>),
    "repository" Repository(command::repository::Arguments),
    "pin" Pin(Box<command::pin::Arguments>),
    "merge-driver" MergeDriver(command::merge_driver::Arguments),
    "release" Release(command::release::Arguments),
    "updates" Updates(command::updates::Arguments),
    "migrate-to-v1" MigrateToV1(command::migrate_to_v1::Arguments),
    "doctor" Doctor(Box<command::doctor::Arguments>),
    "lsp" Lsp(command::lsp::Arguments),
    "completions" Completions(command::completions::Arguments),
    "schema" Schema(command::schema::Arguments),
    "man" Man(command::man::Arguments),
    "version" Version(command::version::Arguments),
    #[command(hide = true)]
    "debug" Debug(command::debug::Arguments),
}

/// The definition of the command line with its groups and examples, for help, documentation and completions.
#[must_use]
pub fn command_line() -> clap::Command {
    command_groups::with_groups(examples::with_examples(CommandLine::command()))
}

/// The same definition for a command line that is right: without words for readers, and with the arguments of the command
/// that is called only. To define those of all commands takes longer than to read a small catalog.
fn quick_command_line() -> clap::Command {
    let commands = ARGUMENTS.iter().map(|(name, add)| clap::Command::new(*name).defer(*add));
    Common::augment_args(clap::Command::new("fbc")).subcommand_required(true).subcommands(commands)
}

/// Parses a command line. What is wrong, or asks for help, is parsed once more with the whole definition.
fn parse(arguments: &[OsString]) -> Result<CommandLine, clap::Error> {
    let matches = match quick_command_line().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(_) => command_line().try_get_matches_from(arguments)?,
    };
    CommandLine::from_arg_matches(&matches)
}

/// Runs a command line of fbc.
pub(crate) fn run(arguments: &[OsString], workers: &Workers) -> ExitCode {
    terminal::settle_early(arguments);
    if let Some(answered) = completion::answer(arguments, &Settings::default()) {
        return match answered {
            Ok(()) => ExitCode::from(CLEAN),
            Err(failed) => Failure::from(failed).report(),
        };
    }
    // What follows `fbc opm` is opm's own; clap must not look at it, its global flags least of all.
    if arguments.get(1).is_some_and(|word| word == "opm") {
        return opm::run(arguments.get(2..).unwrap_or_default(), workers);
    }
    let line = match parse(arguments) {
        Ok(line) => line,
        Err(error) => {
            if error.use_stderr() {
                let error = advised(error, arguments, &command_line());
                // Nothing is left to tell it to if this fails.
                let _ = terminal::stderr().write_all(error.render().ansi().to_string().as_bytes());
                return ExitCode::from(COULD_NOT_RUN);
            }
            // Help is output like any other: who does not get it must know.
            return match error.print().and_then(|()| io::stdout().flush()) {
                Err(failed) => Failure::from(failed).report(),
                Ok(()) => ExitCode::from(CLEAN),
            };
        }
    };
    let Common { global, limits } = line.common;
    global.color.settle();
    let settings = Settings::from_flags(global, limits);
    let started = workers.start(global.threads.map(usize::from));
    match started.and_then(|()| line.command.run(&settings)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.report(),
    }
}

impl Command {
    fn run(self, settings: &Settings) -> Result<u8, Failure> {
        match self {
            Command::Init(arguments) => command::init::run(&arguments, settings),
            Command::Add(arguments) => command::add::run(&arguments, settings),
            Command::Deprecate(arguments) => command::deprecate::run(&arguments, settings),
            Command::Template(arguments) => command::template::run(&arguments, settings),
            Command::Generate(arguments) => command::generate::run(&arguments, settings),
            Command::Catalog(arguments) => command::catalog::run(&arguments, settings),
            Command::Filter(arguments) => command::filter::run(&arguments, settings),
            Command::Lifecycle(arguments) => command::lifecycle::run(&arguments, settings),
            Command::Validate(arguments) => command::validate::run(&arguments, settings),
            Command::Diff(arguments) => command::diff::run(&arguments, settings),
            Command::Bundle(arguments) => command::bundle::run(&arguments, settings),
            Command::Crd(arguments) => command::crd::run(&arguments, settings),
            Command::Explain(arguments) => command::explain::run(&arguments),
            Command::MergeReports(arguments) => command::merge_reports::run(&arguments, settings),
            Command::List(arguments) => command::list::run(&arguments, settings),
            Command::Render(arguments) => command::render::run(&arguments, settings),
            Command::Query(arguments) => command::query::run(&arguments, settings),
            Command::Graph(arguments) => command::graph::run(&arguments, settings),
            Command::Paths(arguments) => command::paths::run(&arguments, settings),
            Command::Resolve(arguments) => command::resolve::run(&arguments, settings),
            Command::Range(arguments) => command::range::run(&arguments),
            Command::Images(arguments) => command::images::run(&arguments, settings),
            Command::Build(arguments) => command::build::run(&arguments, settings),
            Command::Push(arguments) => command::push::run(&arguments, settings),
            Command::Pull(arguments) => command::pull::run(&arguments, settings),
            Command::Unpack(arguments) => command::unpack::run(&arguments, settings),
            Command::Sign(arguments) => command::sign::run(&arguments, settings),
            Command::Verify(arguments) => command::verify::run(&arguments, settings),
            Command::Mirror(arguments) => command::mirror::run(&arguments, settings),
            Command::Serve(arguments) => command::serve::run(&arguments, settings),
            Command::Cache(arguments) => command::cache::run(&arguments),
            Command::Simulate(arguments) => command::simulate::run(&arguments, settings),
            Command::Cluster(arguments) => command::cluster::run(&arguments, settings),
            Command::Repository(arguments) => command::repository::run(&arguments, settings),
            Command::Pin(arguments) => command::pin::run(&arguments, settings),
            Command::MergeDriver(arguments) => command::merge_driver::run(&arguments, settings),
            Command::Release(arguments) => command::release::run(&arguments, settings),
            Command::Updates(arguments) => command::updates::run(&arguments, settings),
            Command::MigrateToV1(arguments) => command::migrate_to_v1::run(&arguments, settings),
            Command::Doctor(arguments) => command::doctor::run(&arguments, settings),
            Command::Lsp(arguments) => command::lsp::run(&arguments, settings),
            Command::Completions(arguments) => command::completions::run(&arguments),
            Command::Schema(arguments) => command::schema::run(&arguments, settings),
            Command::Man(arguments) => command::man::run(&arguments, settings),
            // Reached only with global flags in front, which opm does not have.
            Command::Opm { .. } => Err(Failure::new("`opm` must be the first word after `fbc`")
                .help("write `fbc opm …`; flags of fbc do not apply to it")),
            Command::Version(arguments) => command::version::run(&arguments),
            Command::Debug(arguments) => command::debug::run(&arguments, settings),
        }
    }
}

/// Reads a duration of virtual time, in milliseconds, as clap wants it.
pub(crate) fn parse_virtual_duration(text: &str) -> Result<u64, InvalidValue> {
    fbc_scenario::parse_duration(text).ok_or_else(|| fbc_scenario::DURATION_FORM.into())
}

/// Reads `KEY=VALUE`, as clap wants it.
pub(crate) fn parse_pair(text: &str) -> Result<(String, String), InvalidValue> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE".into()),
    }
}

#[cfg(test)]
mod tests;
