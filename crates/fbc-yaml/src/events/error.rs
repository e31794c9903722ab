//! Why a text is not YAML, in go-yaml's words.

use super::Mark;

/// Which layer of go-yaml refuses the text; its messages count lines differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// Bytes that are not characters, or characters that YAML does not allow.
    Reader,
    /// Characters that form no token.
    Scanner,
    /// Tokens that form no document.
    Parser,
}

/// Why a text is not YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventError {
    pub(crate) kind: ErrorKind,
    /// What was being read; empty where go-yaml does not say.
    pub(crate) context: &'static str,
    /// Where that began.
    pub(crate) context_mark: Option<Mark>,
    /// go-yaml's text.
    pub(crate) problem: &'static str,
    /// Where it went wrong. go-yaml knows none for bytes that are not characters; [`Self::byte`] does.
    pub(crate) problem_mark: Option<Mark>,
    /// The byte that is to blame, for showing it.
    pub(crate) byte: usize,
}

impl EventError {
    pub(super) fn reader(problem: &'static str, byte: usize) -> Self {
        Self { kind: ErrorKind::Reader, context: "", context_mark: None, problem, problem_mark: None, byte }
    }

    pub(super) fn scanner(context: &'static str, from: Mark, problem: &'static str, at: Mark) -> Self {
        Self {
            kind: ErrorKind::Scanner,
            context,
            context_mark: Some(from),
            problem,
            problem_mark: Some(at),
            byte: at.byte,
        }
    }

    pub(super) fn parser(problem: &'static str, at: Mark) -> Self {
        Self {
            kind: ErrorKind::Parser,
            context: "",
            context_mark: None,
            problem,
            problem_mark: Some(at),
            byte: at.byte,
        }
    }

    pub(super) fn in_context(self, context: &'static str, from: Mark) -> Self {
        Self { context, context_mark: Some(from), ..self }
    }

    /// The message that users of go-yaml see. Lines count from 0, from 1 where the scanner stopped;
    /// the first line is never named (`go-yaml/yaml:decode.go` branch v2, `fail`).
    pub(crate) fn go_yaml_message(&self) -> String {
        let line_of = |mark: Option<Mark>| mark.map_or(0, |mark| mark.line);
        let line = match line_of(self.problem_mark) {
            0 => line_of(self.context_mark),
            line => line + usize::from(self.kind == ErrorKind::Scanner),
        };
        if line == 0 {
            format!("yaml: {}", self.problem)
        } else {
            format!("yaml: line {line}: {}", self.problem)
        }
    }
}
