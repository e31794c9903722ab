//! The command line of fbc: commands, global flags, and handing on to the commands.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
#[cfg(feature = "registry")]
use fbc_app::invalid_value::InvalidValue;

use crate::command;
use crate::failure::{CLEAN, COULD_NOT_RUN, Failure};
use crate::limits::LimitArgument;
use crate::runtime::Workers;
use crate::settings::Settings;
use crate::terminal::{self, Color};
use crate::usage_advice::advised;
use crate::{command_groups, completion, examples, opm};

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

/// Makes the enumeration of all commands, what runs each, a table of what adds their arguments to a definition, and a table of
/// those that are left out because their feature is.
macro_rules! commands {
    ($($(#[$attribute:meta])* $word:literal $name:ident $module:ident $(if $feature:tt)?,)*) => {
        #[derive(Subcommand)]
        enum Command {
            $(
                $(#[$attribute])*
                $(#[cfg(feature = $feature)])?
                #[command(name = $word)]
                $name(Box<command::$module::Arguments>),
            )*
            /// opm's command line, as when the program is called opm
            #[command(disable_help_flag = true)]
            Opm {
                /// Arguments for opm
                #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
                arguments: Vec<OsString>,
            },
        }

        impl Command {
            fn run(self, settings: &Settings) -> Result<u8, Failure> {
                match self {
                    $(
                        $(#[cfg(feature = $feature)])?
                        Command::$name(arguments) => command::$module::run(&arguments, settings),
                    )*
                    // Reached only with global flags in front, which opm does not have.
                    Command::Opm { .. } => Err(Failure::new("`opm` must be the first word after `fbc`")
                        .help("write `fbc opm …`; flags of fbc do not apply to it")),
                }
            }
        }

        const ARGUMENTS: &[(&str, AddArguments)] = &[
            $($(#[cfg(feature = $feature)])? ($word, <command::$module::Arguments as Args>::augment_args),)*
        ];

        /// The commands whose features this program is built without, each with its feature.
        const LEFT_OUT: &[(&str, &str)] = &[$($(#[cfg(not(feature = $feature))] ($word, $feature),)?)*];
    };
}

// The order is that of the groups in help; behind `if` stands the feature that a command needs.
commands! {
    "init" Init init,
    "add" Add add,
    "deprecate" Deprecate deprecate,
    "template" Template template,
    "generate" Generate generate,
    "catalog" Catalog catalog if "registry",
    "filter" Filter filter,
    "lifecycle" Lifecycle lifecycle,
    "validate" Validate validate,
    "diff" Diff diff,
    "bundle" Bundle bundle,
    "crd" Crd crd,
    "explain" Explain explain,
    "merge-reports" MergeReports merge_reports,
    "list" List list,
    "render" Render render,
    "query" Query query if "query",
    "graph" Graph graph,
    "paths" Paths paths,
    "resolve" Resolve resolve,
    "range" Range range,
    "images" Images images,
    "build" Build build if "registry",
    "push" Push push if "registry",
    "pull" Pull pull if "registry",
    "unpack" Unpack unpack if "registry",
    "sign" Sign sign if "sign",
    "verify" Verify verify if "sign",
    "mirror" Mirror mirror if "registry",
    "serve" Serve serve if "serve",
    "cache" Cache cache if "registry",
    "simulate" Simulate simulate if "cluster",
    "cluster" Cluster cluster if "cluster",
    "repository" Repository repository,
    "pin" Pin pin if "registry",
    "merge-driver" MergeDriver merge_driver,
    "release" Release release if "cluster",
    "updates" Updates updates if "cluster",
    "migrate-to-v1" MigrateToV1 migrate_to_v1,
    "doctor" Doctor doctor if "registry",
    "lsp" Lsp lsp if "lsp",
    "completions" Completions completions,
    "schema" Schema schema,
    "man" Man man,
    "version" Version version,
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
                if let Some((word, feature)) = left_out(LEFT_OUT, arguments) {
                    return without_feature(word, feature).report();
                }
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

/// The command that a command line calls, if it is one of those that this program is built without, and its feature.
fn left_out(
    commands: &[(&'static str, &'static str)],
    arguments: &[OsString],
) -> Option<(&'static str, &'static str)> {
    let word = arguments.iter().skip(1).find(|word| !word.to_string_lossy().starts_with('-'))?;
    commands.iter().copied().find(|(name, _)| word == name)
}

/// What a command says that this program is built without.
pub(crate) fn without_feature(word: &str, feature: &str) -> Failure {
    Failure::new(format!("this fbc is built without the feature `{feature}`, which `fbc {word}` needs"))
        .help(format!("build it with that: `cargo install --locked --path crates/fbc --features {feature}`"))
}

/// Reads a duration of virtual time, in milliseconds, as clap wants it.
#[cfg(feature = "cluster")]
pub(crate) fn parse_virtual_duration(text: &str) -> Result<u64, InvalidValue> {
    fbc_scenario::parse_duration(text).ok_or_else(|| fbc_scenario::DURATION_FORM.into())
}

/// Reads `KEY=VALUE`, as clap wants it.
#[cfg(feature = "registry")]
pub(crate) fn parse_pair(text: &str) -> Result<(String, String), InvalidValue> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE".into()),
    }
}

#[cfg(test)]
mod tests;
