//! `fbc query`: jq over the blobs of catalogs.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use clap::{Args, ValueHint};
use fbc_app::input;
use fbc_app::loading::Loader;
use fbc_model::render::{MigrateLevel, prepare};
use fbc_model::writer::in_order;
use fbc_query::{InputMode, Layout, Outcome, Program, ProgramFault, Query};
use jaq_json::{Map, Val, read};

use crate::failure::{CLEAN, COULD_NOT_RUN, ERROR, FINDINGS, Failure, HELP, STRONG};
use crate::limits;
use crate::output;
use crate::output::file::write_output;
use crate::output::until_closed::UntilClosed;
use crate::query_guard::{self as guard, Allowance, Guard};
use crate::registry::ImageArguments;
use crate::settings::Settings;
use crate::terminal;

/// How much larger blobs may be as jq's values than as text.
const VALUE_SIZE: u64 = 8;

/// Characters of an error that are shown; jq's errors may quote a whole blob.
const MAX_ERROR: usize = 240;

/// Ask catalogs with jq
///
/// Runs a jq program over the blobs that `fbc render` would write, in that order and with the same keys;
/// nothing else needs to be installed. A backslash at the end of a line is dropped, so programs may be pasted
/// from shell scripts.
#[derive(Args, Debug)]
#[command(
    override_usage = "fbc query [OPTIONS] EXPR REF...\n       fbc query [OPTIONS] --from-file FILE REF...",
    after_help = "Exit codes: 0 done; 1 a catalog is refused, or with --exit-status the last value is null or \
                  false or there is none; 2 the program is wrong or fails on a blob. A program that calls \
                  halt_error chooses its own."
)]
pub(crate) struct Arguments {
    /// The jq program, then catalogs (directories, files, images, `REV:PATH`, `-` for standard input) or bundle directories
    #[arg(value_name = "EXPR_OR_REF", value_hint = ValueHint::AnyPath)]
    words: Vec<OsString>,
    /// Read the program from a file; all arguments are then catalogs
    #[arg(short = 'f', long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    from_file: Option<PathBuf>,
    /// Write strings without quotes
    #[arg(short, long)]
    raw_output: bool,
    /// As --raw-output, with nothing between the values
    #[arg(short, long)]
    join_output: bool,
    /// Each value on one line
    #[arg(short, long, conflicts_with_all = ["tab", "indent"])]
    compact_output: bool,
    /// One list of all blobs as the only input
    #[arg(short, long)]
    slurp: bool,
    /// Null as the only input; `input` and `inputs` give the blobs
    #[arg(short, long, conflicts_with = "slurp")]
    null_input: bool,
    /// Exit with 1 if the last value is null or false, or if there is none
    #[arg(short, long)]
    exit_status: bool,
    /// Sort the keys of objects
    #[arg(short = 'S', long)]
    sort_keys: bool,
    /// Write ASCII only, and escape everything else
    #[arg(short, long)]
    ascii_output: bool,
    /// Indent by tabs
    #[arg(long, conflicts_with = "indent")]
    tab: bool,
    /// Indent by this many spaces [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=7))]
    indent: Option<u8>,
    /// Set $NAME to a string
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"])]
    arg: Vec<String>,
    /// Set $NAME to a JSON value
    #[arg(long, num_args = 2, value_names = ["NAME", "JSON"])]
    argjson: Vec<String>,
    /// Set $NAME to the text of a file
    #[arg(long, num_args = 2, value_names = ["NAME", "FILE"])]
    rawfile: Vec<String>,
    /// Set $NAME to the list of the JSON values in a file
    #[arg(long, num_args = 2, value_names = ["NAME", "FILE"])]
    slurpfile: Vec<String>,
    /// Set $ARGS.positional to these strings: all arguments up to the next flag
    #[arg(long, num_args = 0.., value_name = "TEXT")]
    args: Vec<String>,
    /// Set $ARGS.positional to these JSON values: all arguments up to the next flag
    #[arg(long, num_args = 0.., value_name = "JSON", conflicts_with = "args")]
    jsonargs: Vec<String>,
    /// Stop the program after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = limits::usual("query-seconds"), value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Bring blobs up to date first, up to this level
    #[arg(long, value_name = "LEVEL", value_parser = output::catalog::levels(), conflicts_with = "migrate")]
    migrate_level: Option<MigrateLevel>,
    /// Bring blobs up to date first, as far as possible
    #[arg(long)]
    migrate: bool,
    #[command(flatten)]
    images: ImageArguments,
}

/// A program as the user gave it.
struct ProgramText {
    text: String,
    /// Its file.
    path: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    // The parser of programs recurses as well.
    if !guard::is_inside() {
        return guard::run_inside();
    }
    let (program_text, references) = program_and_references(arguments, settings)?;
    let (names, values) = variables(arguments, settings)?;
    let program = match Program::compile(&program_text.text, &names) {
        Ok(program) => program,
        Err(faults) => {
            tell_faults(&program_text, &faults, arguments.from_file.is_none());
            return Ok(COULD_NOT_RUN);
        }
    };
    let Some(mut catalog) = Loader::new(&arguments.images.session(&references, settings), settings)
        .of_any_schema()
        .all(&references)?
    else {
        return Ok(FINDINGS);
    };
    let level =
        if arguments.migrate { MigrateLevel::ALL } else { arguments.migrate_level.unwrap_or_default() };
    prepare(&mut catalog, level).map_err(|error| output::catalog::migration_failure(&error))?;
    let blobs = in_order(&catalog);
    let file_name = |number: usize| {
        let file = catalog.file(blobs.get(number)?.origin())?;
        Some(file.path.display().to_string())
    };
    let layout = layout(arguments);
    let tell = |text: &[u8]| {
        // A message to nobody is not worth failing for.
        let _ = std::io::stderr().lock().write_all(text);
    };
    let query = Query {
        program: &program,
        blobs: &blobs,
        file_name: &file_name,
        tell: &tell,
        variables: &values,
        mode: match (arguments.slurp, arguments.null_input) {
            (true, _) => InputMode::Slurped,
            (false, true) => InputMode::Null,
            (false, false) => InputMode::Each,
        },
        layout: &layout,
    };
    let mut tell_error = |blob: Option<usize>, message: &str| {
        let place = blob.filter(|_| query.mode != InputMode::Slurped).and_then(|number| {
            let file = file_name(number).map(|path| format!(" ({path})")).unwrap_or_default();
            blobs.get(number).map(|blob| format!("{blob}{file}: "))
        });
        let place = place.unwrap_or_default();
        // Nothing is left to tell it to if this fails.
        let _ = writeln!(
            crate::terminal::stderr(),
            "{ERROR}error{ERROR:#}{STRONG}: {place}{}{STRONG:#}",
            shortened(message)
        );
    };
    let text_bytes: usize =
        catalog.files.iter().flat_map(|file| &file.documents).map(|d| d.range.len()).sum();
    let guard = Guard::watch(Allowance {
        time: Duration::from_secs(arguments.timeout),
        bytes: settings.limits.most("query-bytes").saturating_add(VALUE_SIZE * text_bytes as u64),
    })?;
    let mut outcome = Outcome::default();
    write_output(settings, None, |out| {
        // The exit status is that of the last answer, whether or not somebody reads that far.
        outcome = match arguments.exit_status {
            true => query.run(&mut UntilClosed::new(out), &mut tell_error)?,
            false => query.run(out, &mut tell_error)?,
        };
        Ok(())
    })?;
    drop(guard);
    if outcome.has_errors && query.mode == InputMode::Each {
        let help = "a catalog holds blobs of several schemas: choose some with `select(.schema == \"olm.channel\")`, or put `?` \
            behind what fails on the others";
        // A hint is not worth failing for.
        let _ = writeln!(crate::terminal::stderr(), "  {HELP}help{HELP:#}: {help}");
    }
    Ok(exit_code(outcome, arguments.exit_status))
}

/// Errors come before what `--exit-status` says: an answer that is not whole is none.
fn exit_code(outcome: Outcome, wants_status: bool) -> u8 {
    match outcome.halted {
        Some(code) => code as u8,
        None if outcome.has_errors => COULD_NOT_RUN,
        None if wants_status && outcome.last_is_true != Some(true) => FINDINGS,
        None => CLEAN,
    }
}

fn program_and_references(
    arguments: &Arguments,
    settings: &Settings,
) -> Result<(ProgramText, Vec<PathBuf>), Failure> {
    let mut words = arguments.words.iter();
    let program = match &arguments.from_file {
        Some(path) => {
            let bytes = input::file::read(path, settings)?;
            let text = String::from_utf8(bytes).map_err(|_| {
                Failure::new(format!("{} is not UTF-8 text", path.display())).help("give a jq program")
            })?;
            ProgramText { text, path: Some(path.clone()) }
        }
        None => {
            let word = words.next().ok_or_else(|| {
                Failure::new("there is no program").help("`fbc query . catalog/` prints every blob")
            })?;
            let text = word.to_str().ok_or_else(|| Failure::new("the program is not UTF-8 text"))?;
            ProgramText { text: text.to_owned(), path: None }
        }
    };
    let references: Vec<PathBuf> = words.map(PathBuf::from).collect();
    if references.is_empty() && !arguments.null_input {
        let failure = Failure::new("there is no catalog to ask");
        return Err(match &program.path {
            None if Path::new(&program.text).exists() => {
                failure.help(format!("{} is taken for the program; it comes first", program.text))
            }
            _ => failure.help("name a directory or a file behind the program, or `-` for standard input"),
        });
    }
    if references.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Failure::new("standard input is given twice").help("give `-` once"));
    }
    Ok((program, references))
}

fn layout(arguments: &Arguments) -> Layout {
    let is_raw = arguments.raw_output || arguments.join_output;
    Layout {
        indent: match arguments.indent {
            _ if arguments.compact_output => None,
            _ if arguments.tab => Some("\t".to_owned()),
            Some(0) => None,
            width => Some(" ".repeat(usize::from(width.unwrap_or(2)))),
        },
        is_raw,
        sorts_keys: arguments.sort_keys,
        is_ascii: arguments.ascii_output,
        has_color: terminal::stdout_has_color(),
        end: if arguments.join_output { "" } else { "\n" },
    }
}

/// Names and values of the variables that flags give: of equal names the first counts, as in jq.
fn variables(arguments: &Arguments, settings: &Settings) -> Result<(Vec<String>, Vec<Val>), Failure> {
    let mut named = Map::default();
    let mut name_it = |name: &str, value: Val| {
        named.entry(Val::from(name.to_owned())).or_insert(value);
    };
    for (name, value) in pairs(&arguments.arg) {
        name_it(name, Val::from(value.to_owned()));
    }
    for (name, json) in pairs(&arguments.argjson) {
        name_it(name, parsed(json, &format!("--argjson {name}"))?);
    }
    for (name, path) in pairs(&arguments.rawfile) {
        name_it(name, Val::from(String::from_utf8_lossy(&contents(path, settings)?).into_owned()));
    }
    for (name, path) in pairs(&arguments.slurpfile) {
        let bytes = contents(path, settings)?;
        let values: Result<Vec<Val>, _> = read::parse_many(&bytes).collect();
        let values = values.map_err(|error| Failure::new(format!("{path} is not JSON: {error}")))?;
        name_it(name, values.into_iter().collect());
    }
    let texts = arguments.args.iter().map(|text| Ok(Val::from(text.clone())));
    let values = arguments.jsonargs.iter().map(|json| parsed(json, "--jsonargs"));
    let positional: Vec<Val> = texts.chain(values).collect::<Result<_, Failure>>()?;
    let text = |text: &str| Val::from(text.to_owned());
    let environment = std::env::vars_os()
        .map(|(name, value)| (text(&name.to_string_lossy()), text(&value.to_string_lossy())));
    let together = Val::obj(
        [(text("positional"), positional.into_iter().collect()), (text("named"), Val::obj(named.clone()))]
            .into_iter()
            .collect(),
    );
    let mut names = vec!["$ENV".to_owned(), "$ARGS".to_owned()];
    let mut values = vec![Val::obj(environment.collect()), together];
    for (name, value) in named {
        if let Val::TStr(name) = name {
            names.push(format!("${}", String::from_utf8_lossy(&name)));
            values.push(value);
        }
    }
    Ok((names, values))
}

fn pairs(words: &[String]) -> impl Iterator<Item = (&str, &str)> {
    words.chunks(2).filter_map(|pair| match pair {
        [name, value] => Some((name.as_str(), value.as_str())),
        _ => None,
    })
}

fn parsed(json: &str, flag: &str) -> Result<Val, Failure> {
    read::parse_single(json.as_bytes()).map_err(|error| {
        Failure::new(format!("{flag}: {} is not JSON: {error}", shortened(json)))
            .help("texts need quotes of their own in JSON; `--arg` and `--args` take text as it is")
    })
}

fn contents(path: &str, settings: &Settings) -> Result<Vec<u8>, Failure> {
    Ok(input::file::read(Path::new(path), settings)?)
}

/// Shows where a program is wrong.
fn tell_faults(program: &ProgramText, faults: &[ProgramFault], may_be_reference: bool) {
    let path = program.path.as_ref().map(|path| path.display().to_string());
    let renderer = Renderer::styled();
    let mut err = crate::terminal::stderr();
    for fault in faults {
        let annotation = AnnotationKind::Primary.span(fault.place.clone()).label(fault.label.as_str());
        let snippet = Snippet::source(program.text.as_str())
            .path(path.as_deref().unwrap_or("program"))
            .fold(true)
            .annotation(annotation);
        let mut group =
            Group::with_title(Level::ERROR.primary_title(fault.message.as_str())).element(snippet);
        if may_be_reference && Path::new(&program.text).exists() {
            group = group.element(Level::HELP.message("the program comes first, then the catalogs"));
        }
        if let Some(help) = &fault.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        // Nothing is left to tell it to if this fails.
        let _ = err.write_all(format!("{}\n", renderer.render(&[group])).as_bytes());
    }
}

/// A message without the middle of what it quotes.
fn shortened(message: &str) -> String {
    let count = message.chars().count();
    if count <= MAX_ERROR {
        return message.to_owned();
    }
    let start: String = message.chars().take(MAX_ERROR / 2).collect();
    let end: String = message.chars().skip(count - MAX_ERROR / 2).collect();
    format!("{start} … {end}")
}
