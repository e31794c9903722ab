//! The two streams: colours by flag and environment, and buffered standard output.

use std::ffi::OsString;
use std::fmt::Arguments;
use std::io::{self, BufWriter, IsTerminal as _, StderrLock, StdoutLock, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use clap::ValueEnum;

use fbc_app::escape::Lines;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless the environment says otherwise (NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR)
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Settles the choice for the whole process.
    pub(crate) fn settle(self) {
        let choice = match self {
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
            Self::Auto => from_environment(),
        };
        choice.write_global();
    }
}

/// `FORCE_COLOR` is the one convention that anstream leaves to its users. NO_COLOR beats it.
fn from_environment() -> ColorChoice {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return ColorChoice::Never;
    }
    match (set("FORCE_COLOR"), set("CLICOLOR_FORCE")) {
        (Some(value), _) if value == "0" || value == "false" => ColorChoice::Never,
        (Some(_), _) => ColorChoice::Always,
        // anstream takes whatever is not empty for a yes, for every stream.
        (None, Some(value))
            if value == "0" && !(io::stdout().is_terminal() && io::stderr().is_terminal()) =>
        {
            ColorChoice::Never
        }
        (None, _) => ColorChoice::Auto,
    }
}

/// Settles colours from the raw arguments, so that errors of the command line obey them too.
pub(crate) fn settle_early(arguments: &[OsString]) {
    let mut color = Color::Auto;
    let mut words =
        arguments.iter().filter_map(|argument| argument.to_str()).take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--color") {
            Some("") => words.next(),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        if let Some(value) = value.and_then(|value| Color::from_str(value, true).ok()) {
            color = value;
        }
    }
    color.settle();
}

/// Whether standard output gets colours.
pub(crate) fn stdout_has_color() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// Text in a style, where colours are wanted.
pub(crate) fn paint(has_color: bool, style: Style, text: &str) -> String {
    if has_color { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Standard output, locked and buffered, for data: it takes bytes as they are.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(256 << 10, io::stdout().lock())
}

/// Standard output for text.
pub(crate) fn text() -> Lines<BufWriter<StdoutLock<'static>>> {
    Lines::new(stdout(), stdout_has_color())
}

/// Text to what stands for a file, or for standard output if there is none.
pub(crate) fn text_to<'o>(out: &'o mut dyn Write, file: Option<&Path>) -> Lines<&'o mut dyn Write> {
    Lines::new(out, file.is_none() && stdout_has_color())
}

/// Standard error, for text. Without colours it drops the sequences that set them.
pub(crate) fn stderr() -> Lines<AutoStream<StderrLock<'static>>> {
    Lines::new(anstream::stderr().lock(), true)
}

/// Tells a line on standard error. Nothing is left to tell it to if that fails.
pub(crate) fn tell(line: Arguments<'_>) {
    let _ = writeln!(stderr(), "{line}");
}
