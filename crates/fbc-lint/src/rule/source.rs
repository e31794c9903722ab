//! Where the behavior that a rule is about comes from.

use std::fmt;

/// The document that statements are numbered in.
const DOCUMENT: &str = "\"Extensions\" of OpenShift Container Platform 4.19";

/// Where the behavior that a rule is about comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file of a public repository, as `owner/repository:path`, and the function, type or check in it; empty
    /// for the whole file.
    Code(&'static str, &'static str),
    /// The number of a statement of the product's document, such as `D-FBC-8`, and the section that makes it.
    Statement(&'static str, &'static str),
    /// What fbc advises by itself: the fact that it rests on, as a clause without a full stop.
    Advice(&'static str),
}

impl Source {
    /// As Markdown, with a link to the repository.
    #[must_use]
    pub fn markdown(&self) -> String {
        let Self::Code(file, item) = self else { return self.to_string() };
        let (repository, path) = file.split_once(':').unwrap_or((file, ""));
        let item = if item.is_empty() { String::new() } else { format!(" (`{item}`)") };
        format!("[{repository}](https://github.com/{repository}):`{path}`{item}")
    }
}

/// As plain text.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(file, "") => f.write_str(file),
            Self::Code(file, item) => write!(f, "{file} ({item})"),
            Self::Statement(number, section) => {
                write!(f, "{DOCUMENT}, section {section} (statement {number})")
            }
            Self::Advice(fact) => write!(f, "advice of fbc: {fact}"),
        }
    }
}
