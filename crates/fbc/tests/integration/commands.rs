//! What users see: the sessions in `tests/commands`, run in `testdata`, compared byte for byte.
//!
//! A block marked `console` holds commands behind `$ `; then the exit code behind `? ` unless it is 0,
//! what comes on standard output, and what comes on standard error behind `2| `. Times of day are `[TIME]`.
//! `UPDATE_SESSIONS=1 cargo test -p fbc --test integration commands::` writes down what the commands say now.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use fbc_testing::Fbc;

#[test]
fn sessions() {
    let opm = opm_link();
    let mut wrong = String::new();
    for path in session_paths() {
        let written = fs::read_to_string(&path).unwrap();
        let actual = replay(&written, &opm);
        if std::env::var_os("UPDATE_SESSIONS").is_some() {
            fs::write(&path, &actual).unwrap();
        } else if let Some((number, (expected, actual))) =
            written.lines().zip(actual.lines()).enumerate().find(|(_, (expected, actual))| expected != actual)
        {
            let (path, line) = (path.display(), number + 1);
            writeln!(wrong, "{path}:{line}\n  expected: {expected}\n  actual:   {actual}").unwrap();
        } else if written != actual {
            writeln!(wrong, "{}: the end differs", path.display()).unwrap();
        }
    }
    assert!(wrong.is_empty(), "sessions differ (UPDATE_SESSIONS=1 accepts them):\n{wrong}");
}

/// An error says what to do next, or where the text is that has to change. Under opm's name errors are opm's.
#[test]
fn errors_say_what_to_do_next() {
    // The last shows the text itself.
    let next = ["help: ", "tip: ", "Usage: ", "For more information", " --> "];
    let is_located = |error: &str| {
        let mut parts = error.split_whitespace().next().unwrap_or_default().rsplit(':');
        let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
        parts.next() == Some("") && is_number(parts.next()) && is_number(parts.next())
    };
    let mut silent = String::new();
    for path in session_paths() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let session = fs::read_to_string(&path).unwrap();
        for answer in session.split("\n$ ").skip(1).filter(|_| !name.starts_with("opm-")) {
            let told: Vec<&str> = answer.lines().filter_map(|line| line.strip_prefix("2| ")).collect();
            let told = format!("\n{}\n", told.join("\n"));
            let command = answer.lines().next().unwrap_or_default();
            let has_next = |error: &str| next.iter().any(|word| error.contains(word));
            let errors: Vec<&str> = told.split("\nerror: ").skip(1).collect();
            // A program of jq fails on many blobs, for one reason.
            let judged = if command.starts_with("fbc query") { errors.len().saturating_sub(1) } else { 0 };
            for error in errors[judged..].iter().filter(|error| !is_located(error) && !has_next(error)) {
                writeln!(silent, "{name}: {command}\n  {error}").unwrap();
            }
        }
    }
    assert!(silent.is_empty(), "errors without help:\n{silent}");
}

fn session_paths() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The binary under the name that makes it opm's stand-in.
fn opm_link() -> PathBuf {
    let link = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("opm");
    let _ = fs::remove_file(&link);
    #[cfg(unix)]
    std::os::unix::fs::symlink(crate::FBC, &link).unwrap();
    #[cfg(not(unix))]
    fs::copy(crate::FBC, &link).unwrap();
    link
}

/// The session with what its commands answer now.
fn replay(session: &str, opm: &Path) -> String {
    let mut actual = String::new();
    let mut is_in_block = false;
    for line in session.lines() {
        if is_in_block && !line.starts_with("```") {
            if let Some(command) = line.strip_prefix("$ ") {
                writeln!(actual, "{line}").unwrap();
                actual.push_str(&answer(command, opm));
            }
            continue;
        }
        is_in_block = line == "```console";
        writeln!(actual, "{line}").unwrap();
    }
    actual
}

fn answer(command: &str, opm: &Path) -> String {
    let words = words(command);
    let program = match words[0].as_str() {
        "fbc" => Path::new(crate::FBC),
        "opm" => opm,
        other => panic!("unknown program {other}"),
    };
    let answer = Fbc::at(program)
        .args(&words[1..])
        .current_dir(fbc_testing::testdata(""))
        .env("COLUMNS", "100")
        // No session asks the network.
        .env("FBC_OFFLINE", "1")
        .env("FBC_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-cache"))
        .answer();
    let mut text = String::new();
    if answer.code != 0 {
        writeln!(text, "? {}", answer.code).unwrap();
    }
    for line in answer.out.lines() {
        writeln!(text, "{line}").unwrap();
    }
    for line in answer.err.lines() {
        writeln!(text, "{}", format!("2| {}", without_time(line)).trim_end()).unwrap();
    }
    text
}

/// Splits a command line at spaces; single quotes keep words together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in command.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// Log lines begin with the time, in one of two forms.
fn without_time(line: &str) -> String {
    let is_like = |text: &str, form: &str| {
        text.len() == form.len()
            && text
                .bytes()
                .zip(form.bytes())
                .all(|(a, b)| if b == b'0' { a.is_ascii_digit() } else { a == b })
    };
    for form in ["time=\"0000-00-00T00:00:00Z\"", "0000/00/00 00:00:00"] {
        if let Some((time, rest)) = line.split_at_checked(form.len())
            && is_like(time, form)
        {
            return format!("[TIME]{rest}");
        }
    }
    line.to_owned()
}
