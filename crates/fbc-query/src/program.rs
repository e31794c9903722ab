//! From the text of a jq program to a filter that runs, or to the places where the text is wrong.

use std::collections::BTreeSet;
use std::ops::Range;

use fbc_model::closest::closest;
use jaq_core::load::{Arena, File, Loader, lex, parse, span};
use jaq_core::{Compiler, compile, load};

use super::functions::{Filter, definitions, functions};

/// The longest program, in bytes. jaq's parser uses the stack, so that what it gets must have a limit.
pub const MAX_BYTES: usize = 64 << 10;

/// The deepest nesting of brackets in a program.
pub const MAX_DEPTH: usize = 500;

/// Functions that see or do more than what a filter makes of one input. Blobs are taken one after another
/// where a program names one of them.
const SEQUENTIAL: [&str; 6] = ["input", "inputs", "debug", "stderr", "halt", "halt_error"];

/// A program that can run.
pub struct Program {
    /// The compiled filter.
    pub(crate) filter: Filter,
    /// Whether no input can have to do with another.
    pub(crate) is_parallel: bool,
}

/// A place where a program is wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct ProgramFault {
    /// What is wrong.
    pub message: String,
    /// The place in the program as the user wrote it, in bytes; empty at its end.
    pub place: Range<usize>,
    /// What is found there.
    pub label: String,
    /// What to do about it, if that is known.
    pub help: Option<String>,
}

impl Program {
    /// Compiles a program that may use variables of these names (with `$`).
    ///
    /// # Errors
    /// Every fault that the stage which failed has found.
    pub fn compile(text: &str, variables: &[String]) -> Result<Self, Vec<ProgramFault>> {
        let spliced = Spliced::from_text(text);
        let faults = |mut faults: Vec<ProgramFault>| {
            faults.iter_mut().for_each(|fault| fault.place = spliced.in_original(&fault.place));
            faults
        };
        check_size(&spliced.text).map_err(|fault| faults(vec![fault]))?;
        let arena = Arena::default();
        // No program is one that changes nothing, as in jq.
        let code = if spliced.text.trim().is_empty() { "." } else { spliced.text.as_str() };
        let file = File { code, path: () };
        let modules =
            Loader::new(definitions()).load(&arena, file).map_err(|errors| faults(load_faults(errors)))?;
        load::import(&modules, |_| Err("data files cannot be imported".to_owned()))
            .map_err(|errors| faults(load_faults(errors)))?;
        let filter = Compiler::default()
            .with_funs(functions())
            .with_global_vars(variables.iter().map(String::as_str))
            .compile(modules)
            .map_err(|errors| faults(compile_faults(errors)))?;
        Ok(Self { filter, is_parallel: is_parallel(&spliced.text) })
    }
}

fn is_parallel(text: &str) -> bool {
    !text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| SEQUENTIAL.contains(&word))
}

/// A program without the line ends that a backslash takes away.
///
/// The product documents break programs over lines as a shell would; jq itself refuses that.
struct Spliced {
    text: String,
    /// Where in the new text a backslash and a line end are gone, and how many bytes went so far.
    gone: Vec<(usize, usize)>,
}

impl Spliced {
    fn from_text(original: &str) -> Self {
        let mut spliced = Self { text: String::with_capacity(original.len()), gone: Vec::new() };
        let mut total = 0;
        for line in original.split_inclusive('\n') {
            let content = line.trim_end_matches('\n').trim_end_matches('\r');
            // Two backslashes are one that is escaped.
            let backslashes = content.bytes().rev().take_while(|&byte| byte == b'\\').count();
            if content.len() < line.len() && backslashes % 2 == 1 {
                spliced.text.push_str(content.strip_suffix('\\').unwrap_or(content));
                total += line.len() - content.len() + 1;
                spliced.gone.push((spliced.text.len(), total));
            } else {
                spliced.text.push_str(line);
            }
        }
        spliced
    }

    fn in_original(&self, place: &Range<usize>) -> Range<usize> {
        let shift = |at: usize, is_end: bool| {
            let passed = self.gone.partition_point(|&(cut, _)| if is_end { cut < at } else { cut <= at });
            at + passed.checked_sub(1).and_then(|last| self.gone.get(last)).map_or(0, |&(_, total)| total)
        };
        let start = shift(place.start, false);
        start..shift(place.end, true).max(start)
    }
}

/// Refuses what would take too much of the stack.
fn check_size(text: &str) -> Result<(), ProgramFault> {
    let refuse = |message: String, place: Range<usize>, label: &str| {
        Err(ProgramFault { message, place, label: label.to_owned(), help: None })
    };
    if text.len() > MAX_BYTES {
        let message = format!("the program is longer than {MAX_BYTES} bytes (limit program-bytes)");
        return refuse(message, 0..0, "");
    }
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            let message =
                format!("brackets are nested deeper than {MAX_DEPTH} levels (limit program-nesting)");
            return refuse(message, at..at + 1, "here");
        }
    }
    Ok(())
}

fn load_faults(errors: load::Errors<&str, ()>) -> Vec<ProgramFault> {
    let of_file = |(file, error): (File<&str, ()>, load::Error<&str>)| -> Vec<ProgramFault> {
        let code = file.code;
        match error {
            load::Error::Io(errors) => errors
                .into_iter()
                .map(|(path, _)| ProgramFault {
                    message: format!("module {path:?} cannot be loaded"),
                    place: span(code, path),
                    label: "modules are not supported".to_owned(),
                    help: Some("write its definitions into the program".to_owned()),
                })
                .collect(),
            load::Error::Lex(errors) => errors.into_iter().map(|error| lex_fault(code, &error)).collect(),
            load::Error::Parse(errors) => errors.into_iter().map(|error| parse_fault(code, &error)).collect(),
        }
    };
    errors.into_iter().flat_map(of_file).collect()
}

fn lex_fault(code: &str, (expected, found): &lex::Error<&str>) -> ProgramFault {
    let first = found.chars().next();
    let start = span(code, found).start;
    ProgramFault {
        message: match expected {
            lex::Expect::Delim(open) => {
                let place = line_and_column(code, span(code, open).start);
                format!("expected {} for the {:?} of {place}", expected.as_str(), first_char(open))
            }
            _ => format!("expected {}", expected.as_str()),
        },
        place: start..start + first.map_or(0, char::len_utf8),
        label: match first {
            Some(character) => format!("unexpected character {character:?}"),
            None => "unexpected end of the program".to_owned(),
        },
        help: None,
    }
}

fn first_char(text: &str) -> &str {
    text.chars().next().and_then(|first| text.get(..first.len_utf8())).unwrap_or(text)
}

fn line_and_column(code: &str, at: usize) -> String {
    let before = code.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    if line == 1 { format!("column {column}") } else { format!("line {line}, column {column}") }
}

fn parse_fault(code: &str, (expected, found): &parse::Error<&str>) -> ProgramFault {
    ProgramFault {
        message: match expected {
            parse::Expect::Nothing => "the program should end here".to_owned(),
            parse::Expect::Just(word) => format!("expected {word:?}"),
            _ => format!("expected {}", expected.as_str()),
        },
        place: span(code, found),
        label: if found.is_empty() { "unexpected end of the program" } else { "unexpected" }.to_owned(),
        help: None,
    }
}

fn compile_faults(errors: compile::Errors<&str, ()>) -> Vec<ProgramFault> {
    let of_file = |(file, errors): (File<&str, ()>, Vec<compile::Error<&str>>)| -> Vec<ProgramFault> {
        let fault = |(found, undefined): compile::Error<&str>| {
            let is_function = matches!(undefined, compile::Undefined::Filter(_));
            let what = match (found, undefined) {
                ("reduce" | "foreach", compile::Undefined::Filter(count)) => {
                    format!("{found} does not take {count} parts")
                }
                (_, compile::Undefined::Filter(0)) => format!("there is no function {found}"),
                (_, compile::Undefined::Filter(count)) => {
                    format!("there is no function {found} that takes {count} arguments")
                }
                (_, undefined) => format!("there is no {} {found}", undefined.as_str()),
            };
            let (place, label) = (span(file.code, found), "not defined".to_owned());
            ProgramFault { message: what, place, label, help: is_function.then(|| meant(found)).flatten() }
        };
        errors.into_iter().map(fault).collect()
    };
    errors.into_iter().flat_map(of_file).collect()
}

/// The function that may have been meant, or with how many arguments it is called.
fn meant(found: &str) -> Option<String> {
    let defined = definitions().map(|definition| (definition.name, definition.args.len()));
    let native = functions().map(|(name, arguments, _)| (name, arguments.len()));
    let known: BTreeSet<(&str, usize)> =
        defined.chain(native).filter(|(name, _)| !name.starts_with('_')).collect();
    let counts: Vec<String> =
        known.iter().filter(|(name, _)| *name == found).map(|(_, count)| count.to_string()).collect();
    match counts.as_slice() {
        [] => closest(found, known.iter().map(|(name, _)| *name)).map(|name| format!("did you mean {name}?")),
        [count] if count == "0" => Some("it takes no arguments".to_owned()),
        [count] if count == "1" => Some("it takes 1 argument".to_owned()),
        counts => Some(format!("it takes {} arguments, separated by `;`", counts.join(" or "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (String, Range<usize>) {
        let fault = Program::compile(text, &[]).err().unwrap().remove(0);
        (fault.message, fault.place)
    }

    #[test]
    fn faults_have_places() {
        for (text, message, place) in [
            (".[", "expected closing bracket for the \"[\" of column 2", 2..2),
            (".a |", "expected term", 4..4),
            (".a)", "expected token", 2..3),
            ("if . then 1", "expected else or end", 11..11),
            ("nothing_such", "there is no function nothing_such", 0..12),
            (". | map(.; .)", "there is no function map that takes 2 arguments", 4..7),
            ("$unknown", "there is no variable $unknown", 0..8),
            ("include \"x\"; .", "module \"x\" cannot be loaded", 9..10),
        ] {
            assert_eq!(fault(text), (message.to_owned(), place), "{text}");
        }
    }

    #[test]
    fn functions_that_may_have_been_meant() {
        for (found, expected) in [
            ("trimm", Some("did you mean trim?")),
            ("map", Some("it takes 1 argument")),
            ("length", Some("it takes no arguments")),
            ("sub", Some("it takes 2 or 3 arguments, separated by `;`")),
            ("nothing_such_at_all", None),
        ] {
            assert_eq!(meant(found).as_deref(), expected, "{found}");
        }
    }

    /// the documents end lines inside a program with a backslash.
    #[test]
    fn x_10_backslash_and_line_end_are_dropped() {
        for text in [".a \\\n | .b", ".a \\\r\n| .b", "\\\n.a|\\\n\\\n.b"] {
            assert!(Program::compile(text, &[]).is_ok(), "{text:?}");
        }
        assert_eq!(Spliced::from_text("\"a\\\\\nb\"").text, "\"a\\\\\nb\"");
        assert_eq!(fault(".a \\\n | nothing_such").1, 8..20);
        assert_eq!(fault(".a \\\r\n | \\\nnothing_such \\\n").1, 11..23);
    }

    #[test]
    fn what_is_too_deep_is_refused() {
        // As in the binary: threads of tests have smaller stacks.
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(|| {
            assert!(Program::compile(&"[".repeat(MAX_DEPTH + 1), &[]).is_err());
            for (open, close) in [("[", "]"), ("(", ")"), ("{a:", "}")] {
                let text = format!("{}1{}", open.repeat(MAX_DEPTH), close.repeat(MAX_DEPTH));
                assert!(Program::compile(&text, &[]).is_ok(), "{open}");
            }
        });
        thread.unwrap().join().unwrap();
    }

    #[test]
    fn what_reaches_beyond_one_input() {
        for (text, parallel) in [
            (".a", true),
            ("first(inputs)", false),
            ("input|.", false),
            (".input", false),
            ("input_filename", true),
            ("debug", false),
            ("halt_error(1)", false),
        ] {
            assert_eq!(is_parallel(text), parallel, "{text}");
        }
    }
}
