//! What a source file may contain: libraries print nothing and have neither environment nor clock; files stay small; no width of
//! a format comes from an input.

use super::Report;
use super::rust_text;

/// Crates that talk to the user and to the system, or only to tests; all others are libraries.
const NO_LIBRARIES: [&str; 3] = ["fbc", "fbc-bench", "fbc-testing"];

/// What a library may not call. The test is on the text, so an alias would escape it; it is there to catch habits.
const FORBIDDEN_IN_LIBRARIES: [&str; 8] =
    ["println!", "eprintln!", "print!", "eprint!", "dbg!", "env::var", "SystemTime::now", "Instant::now"];

/// The files of libraries that know the time, since they wait for peers or are served to them: how long a peer takes, when a
/// catalog was loaded, what an image was pulled for, and the clock of a served cluster.
const KNOW_TIME: [(&str, &str); 8] = [
    ("crates/fbc-registry/src/pace.rs", "Instant::now"),
    ("crates/fbc-catalog-server/src/answers.rs", "Instant::now"),
    ("crates/fbc-catalog-server/src/slot.rs", "Instant::now"),
    ("crates/fbc-catalog-server/src/slot.rs", "SystemTime::now"),
    ("crates/fbc-simulation/src/server/images.rs", "Instant::now"),
    ("crates/fbc-simulation/src/server/pace.rs", "Instant::now"),
    ("crates/fbc-simulation/src/server/pace.rs", "SystemTime::now"),
    ("crates/fbc-simulation/src/server/running.rs", "Instant::now"),
];

/// The files of libraries that read the environment: git's own variables mean what they mean where the process runs.
const READ_ENVIRONMENT: [(&str, &str); 1] = [("crates/fbc-source/src/git/environment.rs", "env::var")];

/// What waits for clients. The one listener checks under which name it is asked; another one would forget that.
const SOCKETS: [&str; 2] = ["TcpListener", "TcpSocket"];

/// The file that has the listener.
const LISTENER: &str = "crates/fbc-serve/src/listener.rs";

/// Formats whose width or precision is a number that the code bounds. All others may come from an input, and panic beyond 65,535:
/// `fbc_go::text::padded` fills columns up.
const BOUNDED_WIDTHS: [(&str, &str); 3] = [
    ("crates/fbc-cel/src/texts.rs", "{:.precision$}"),
    ("crates/fbc-go/src/text.rs", "{:0width$x}"),
    ("crates/fbc-kubectl/src/release/size.rs", "{number:.decimals$}"),
];

/// A file with more lines should be divided soon.
const LINES_TO_WARN: usize = 400;

/// A file with more lines is refused.
const LINES_TO_REFUSE: usize = 600;

/// Checks one file of `crates/<crate_name>/src` and adds what it finds to the report.
pub(super) fn check_source(crate_name: &str, path: &str, text: &str, report: &mut Report) {
    let lines = text.lines().count();
    if lines > LINES_TO_REFUSE {
        report.violations.push(format!("{path} has {lines} lines; the limit is {LINES_TO_REFUSE}"));
    } else if lines > LINES_TO_WARN {
        report.warnings.push(format!("{path} has {lines} lines; aim for less than {LINES_TO_WARN}"));
    }
    if crate_name == "fbc-testing" || holds_only_tests(path) {
        return;
    }
    let is_library = !NO_LIBRARIES.contains(&crate_name);
    let code = rust_text::without_tests(&rust_text::code_only(text));
    // Formats are texts, so the code alone does not show them.
    let shipped = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    for (index, line) in shipped.lines().enumerate() {
        let widths = widths(line).filter(|width| !BOUNDED_WIDTHS.contains(&(path, *width)));
        report.violations.extend(
            widths.map(|width| format!("{path}:{}: {width} has a width that an input may give", index + 1)),
        );
    }
    for (index, line) in code.lines().enumerate() {
        for word in SOCKETS {
            if contains_word(line, word) && path != LISTENER {
                report.violations.push(format!("{path}:{}: {word} outside of {LISTENER}", index + 1));
            }
        }
        if !is_library {
            continue;
        }
        for word in FORBIDDEN_IN_LIBRARIES {
            if contains_word(line, word)
                && !KNOW_TIME.contains(&(path, word))
                && !READ_ENVIRONMENT.contains(&(path, word))
            {
                report.violations.push(format!("{path}:{}: a library does not use {word}", index + 1));
            }
        }
    }
}

/// The arguments of formats in a line whose width or precision is a variable.
fn widths(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('}').filter_map(|(end, _)| {
        let start = line[..end].rfind('{')?;
        let (_, layout) = line[start + 1..end].split_once(':')?;
        let (width, _) = layout.split_once('$')?;
        width.ends_with(|c: char| c.is_alphanumeric() || c == '_').then(|| &line[start..=end])
    })
}

/// Files that are modules under `#[cfg(test)]` by their name: the attribute stands in another file.
pub(super) fn holds_only_tests(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.ends_with("_tests.rs") || path.contains("/tests/")
}

/// True when the word is there and is not the end of a longer name.
pub(super) fn contains_word(line: &str, word: &str) -> bool {
    line.match_indices(word)
        .any(|(start, _)| !line[..start].ends_with(|before: char| before.is_alphanumeric() || before == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(crate_name: &str, path: &str, text: &str) -> Vec<String> {
        let mut report = Report::default();
        check_source(crate_name, path, text, &mut report);
        report.violations
    }

    #[test]
    fn widths_that_inputs_may_give_are_found() {
        let found = |statement: &str| {
            let text = format!(
                "fn f() {{\n    {statement}\n}}\n#[cfg(test)]\nmod tests {{\n    f!(\"{{:w$}}\");\n}}\n"
            );
            violations("fbc", "crates/fbc/src/lib.rs", &text).len()
        };
        for statement in ["f!(\"{a:width$}\");", "f!(\"{:>1$}\", a);", "f!(\"{:.digits$e}\");"] {
            assert_eq!(found(statement), 1, "{statement}");
        }
        for statement in ["f!(\"{a:>8}\");", "f!(\"${{{a}}}\");", "f!(\"{a:#}$\");", "f(\"${A:-$B}\");"] {
            assert_eq!(found(statement), 0, "{statement}");
        }
    }

    #[test]
    fn a_library_that_prints_or_looks_around_is_found() {
        let cases = [
            ("println!(\"x\");", "println!"),
            ("std::eprintln!(\"x\");", "eprintln!"),
            ("print!(\"x\");", "print!"),
            ("let home = std::env::var(\"HOME\");", "env::var"),
            ("let home = env::var_os(\"HOME\");", "env::var"),
            ("let now = std::time::SystemTime::now();", "SystemTime::now"),
            ("let start = Instant::now();", "Instant::now"),
        ];
        for (statement, word) in cases {
            let text = format!("fn f() {{\n    {statement}\n}}\n");
            let expected = format!("crates/fbc-yaml/src/lib.rs:2: a library does not use {word}");
            assert_eq!(violations("fbc-yaml", "crates/fbc-yaml/src/lib.rs", &text), [expected]);
        }
    }

    #[test]
    fn a_second_listener_is_found() {
        let text = "use tokio::net::TcpListener;\n";
        let expected = "crates/fbc/src/a.rs:1: TcpListener outside of crates/fbc-serve/src/listener.rs";
        assert_eq!(violations("fbc", "crates/fbc/src/a.rs", text), [expected]);
        assert_eq!(violations("fbc-serve", LISTENER, text), [] as [String; 0]);
    }

    #[test]
    fn the_binary_tests_comments_and_texts_may_name_them() {
        let call = "fn f() { println!(\"x\"); }\n";
        assert_eq!(violations("fbc", "crates/fbc/src/main.rs", call), [] as [String; 0]);
        assert_eq!(violations("fbc-yaml", "crates/fbc-yaml/src/scan/tests.rs", call), [] as [String; 0]);
        let harmless = "/// Does not `println!(\"x\")`.\nconst A: &str = \"println!\";\nfn my_println!() {}\n\
            #[cfg(test)]\nmod tests {\n    fn f() { println!(\"{}\", Instant::now()); }\n}\n";
        assert_eq!(violations("fbc-yaml", "crates/fbc-yaml/src/lib.rs", harmless), [] as [String; 0]);
    }

    #[test]
    fn code_after_the_tests_is_still_checked() {
        let text = "#[cfg(test)]\nmod tests {}\nfn f() { dbg!(1); }\n";
        assert_eq!(violations("fbc-yaml", "a.rs", text), ["a.rs:3: a library does not use dbg!"]);
    }

    #[test]
    fn long_files_are_warned_about_and_then_refused() {
        let mut report = Report::default();
        check_source("fbc", "short.rs", &"\n".repeat(400), &mut report);
        assert_eq!(report, Report::default());
        check_source("fbc", "long.rs", &"\n".repeat(600), &mut report);
        assert_eq!(report.warnings, ["long.rs has 600 lines; aim for less than 400"]);
        assert_eq!(report.violations, [] as [String; 0]);
        check_source("fbc", "huge.rs", &"\n".repeat(601), &mut report);
        assert_eq!(report.violations, ["huge.rs has 601 lines; the limit is 600"]);
    }
}
