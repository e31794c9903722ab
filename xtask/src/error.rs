//! The one error type of the tasks: a sentence for the person at the terminal.

use std::fmt;

/// What went wrong, already in words.
#[derive(Debug)]
pub(crate) struct TaskError(String);

/// The result of a task or of a part of one.
pub(crate) type TaskResult<T = ()> = Result<T, TaskError>;

impl TaskError {
    /// An error with the given sentence.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for TaskError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for TaskError {}

/// Adds what was being done to any error.
pub(crate) trait Context<T> {
    /// Turns an error `E` into `"<doing>: E"`.
    fn context(self, doing: impl FnOnce() -> String) -> TaskResult<T>;
}

impl<T, E: fmt::Display> Context<T> for Result<T, E> {
    fn context(self, doing: impl FnOnce() -> String) -> TaskResult<T> {
        self.map_err(|error| TaskError(format!("{}: {error}", doing())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_puts_the_action_before_the_cause() {
        let result: Result<(), &str> = Err("no such file");
        let error = result.context(|| "reading a.md".to_owned()).unwrap_err();
        assert_eq!(error.to_string(), "reading a.md: no such file");
    }
}
