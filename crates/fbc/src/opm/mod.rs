//! opm's command line: the same commands, flags, outputs, error texts and exit codes.
//!
//! What users pipe and parse is equal to opm's; help texts say the same in other words. Commands that are
//! not here yet say so and exit with 2.
//!
//! Source of the behaviour: `operator-framework/operator-registry:cmd/opm`, and the conventions of the
//! libraries that it uses, cobra and pflag.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

mod arguments;
mod catalog;
mod commands;
mod flags;
mod generate_dockerfile;
mod help;
mod init;
mod list;
mod migrate;
mod render;
mod render_graph;
mod telling;
mod template;
mod validate;
mod version;

use arguments::Invocation;
use commands::Action;
use telling::OpmError;

use crate::failure::{CLEAN, Failure};
use crate::registry::RegistryArguments;
use crate::{runtime, terminal};

/// Runs a command line of opm, without the name of the program.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let words: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let invocation = match Invocation::parse(&words) {
        Ok(invocation) => invocation,
        Err((command, message)) => return OpmError::Usage(message).tell(command),
    };
    let command = invocation.command;
    let outcome = runtime::start_workers(None).map_err(OpmError::from).and_then(|()| act(&invocation));
    match outcome {
        Ok(()) => ExitCode::from(CLEAN),
        Err(error) => error.tell(command),
    }
}

fn act(invocation: &Invocation) -> Result<(), OpmError> {
    if invocation.wants_help {
        return print(&help::help(invocation.command));
    }
    for message in &invocation.deprecations {
        // A hint is not worth failing for.
        let _ = writeln!(std::io::stderr().lock(), "{message}");
    }
    let is_insecure = ["skip-tls", "skip-tls-verify", "use-http"].iter().any(|flag| invocation.switch(flag));
    // All three have the same meaning in opm: any certificate, or HTTP where there is no HTTPS.
    RegistryArguments { insecure_skip_tls_verify: is_insecure, ..RegistryArguments::default() }.settle();
    match invocation.command.action {
        Action::Nothing => Ok(()),
        Action::Help => print(&help::help(invocation.command)),
        Action::NotYet => {
            let name = invocation.command.path.join(" ");
            let failure = Failure::new(format!("not yet: fbc does not have `opm {name}` so far"));
            Err(failure.help("use opm itself for it").into())
        }
        Action::Validate => validate::run(invocation),
        Action::Render => render::run(invocation),
        Action::List(listing) => list::run(invocation, listing),
        Action::RenderGraph => render_graph::run(invocation),
        Action::RenderTemplate => template::render(invocation),
        Action::ConvertTemplate(target) => template::convert(invocation, target),
        Action::GenerateDockerfile => generate_dockerfile::run(invocation),
        Action::Init => init::run(invocation),
        Action::Migrate => migrate::run(invocation),
        Action::Version => version::run(),
    }
}

fn print(text: &str) -> Result<(), OpmError> {
    let mut out = terminal::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::from(error).into())
}
