//! opm's command line: the same commands, flags, outputs, error texts and exit codes.
//!
//! What users pipe and parse is equal to opm's; help texts say the same in other words. Commands that are
//! not here say so and exit with 2, whatever flags follow.
//!
//! Source of the behaviour: `operator-framework/operator-registry:cmd/opm`, and the conventions of the
//! libraries that it uses, cobra and pflag.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

mod arguments;
mod bundle;
#[cfg(feature = "serve")]
mod cache_digest;
#[cfg(feature = "serve")]
mod cache_writer;
mod catalog;
mod commands;
mod complete;
mod completion_script;
mod error;
mod find;
mod flags;
mod generate_dockerfile;
mod help;
mod init;
mod line_error;
mod list;
mod migrate;
mod render;
mod render_graph;
#[cfg(feature = "serve")]
mod serve;
mod template;
mod validate;
mod version;

use fbc_go::text::quote;

use arguments::Invocation;
use commands::{Action, Command};
use error::OpmError;

#[cfg(not(all(feature = "cluster", feature = "serve")))]
use crate::arguments::without_feature;
use crate::failure::{CLEAN, Failure};
use crate::runtime::Workers;
use crate::settings::Settings;
use crate::terminal;

/// Runs a command line of opm, without the name of the program.
pub(crate) fn run(arguments: &[OsString], workers: &Workers) -> ExitCode {
    let words: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let invocation = match Invocation::parse(&words) {
        Ok(invocation) => invocation,
        Err((command, message)) => {
            tell_deprecations(command, &[]);
            return OpmError::usage(message).tell(command);
        }
    };
    let command = invocation.command;
    let outcome =
        workers.start(None).map_err(OpmError::from).and_then(|()| act(&invocation, &Settings::like_opm()));
    match outcome {
        Ok(()) => ExitCode::from(CLEAN),
        Err(error) => error.tell(command),
    }
}

/// Why a command line of opm, without the name of the program, is not understood; nothing if it is.
pub(crate) fn objection(words: &[String]) -> Option<String> {
    match Invocation::parse(words) {
        Err((_, message)) => Some(message.to_string()),
        Ok(invocation) => match invocation.positionals.first() {
            Some(word) if invocation.command.path.is_empty() => {
                Some(format!("opm has no command {}", quote(word)))
            }
            _ => None,
        },
    }
}

/// Tells on standard error what is not to be used any more.
fn tell_deprecations(command: &Command, flags: &[String]) {
    let of_command = command.deprecated.map(|reason| {
        let name = quote(command.path.last().copied().unwrap_or_default());
        format!("Command {name} is deprecated, {reason}")
    });
    for message in of_command.iter().chain(flags) {
        // A hint is not worth failing for.
        let _ = writeln!(std::io::stderr().lock(), "{message}");
    }
}

fn act(invocation: &Invocation, settings: &Settings) -> Result<(), OpmError> {
    let command = invocation.command;
    tell_deprecations(command, &invocation.deprecations);
    invocation.check().map_err(OpmError::usage)?;
    if invocation.wants_help {
        return print(&help::help(command));
    }
    match command.action {
        Action::Nothing => Ok(()),
        Action::Help => print(&help::help(command)),
        Action::HelpAbout => print(&help::help(find::find(&invocation.positionals).0)),
        Action::Absent(instead) => {
            let name = command.full_name();
            Err(Failure::new(format!("fbc does not have `{name}`")).help(instead).into())
        }
        Action::Completion(shell) => {
            let script = completion_script::script(shell, !invocation.switch("no-descriptions"));
            print(&String::from_utf8_lossy(&script))
        }
        Action::Complete { with_descriptions } => {
            let answer = complete::answer(invocation, with_descriptions);
            print(&answer.stdout)?;
            // A hint is not worth failing for.
            let _ = write!(std::io::stderr().lock(), "{}", answer.stderr);
            Ok(())
        }
        Action::BundleBuild => bundle::build(invocation),
        Action::BundleGenerate => bundle::generate(invocation),
        #[cfg(feature = "cluster")]
        Action::BundleExtract => bundle::extract(invocation),
        #[cfg(not(feature = "cluster"))]
        Action::BundleExtract => Err(without_feature("opm alpha bundle extract", "cluster").into()),
        Action::BundleUnpack => bundle::unpack(invocation, settings),
        Action::BundleValidate => bundle::validate(invocation, settings),
        Action::Validate => validate::run(invocation),
        Action::Render => render::run(invocation, settings),
        Action::List(listing) => list::run(invocation, listing, settings),
        Action::RenderGraph => render_graph::run(invocation, settings),
        Action::RenderTemplate => template::render(invocation, settings),
        Action::ConvertTemplate(target) => template::convert(invocation, target),
        Action::GenerateDockerfile => generate_dockerfile::run(invocation),
        Action::Init => init::run(invocation),
        Action::Migrate => migrate::run(invocation, settings),
        #[cfg(feature = "serve")]
        Action::Serve => serve::run(invocation, settings),
        #[cfg(not(feature = "serve"))]
        Action::Serve => Err(without_feature("opm serve", "serve").into()),
        Action::Version => version::run(),
    }
}

fn print(text: &str) -> Result<(), OpmError> {
    let mut out = terminal::stdout();
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}
