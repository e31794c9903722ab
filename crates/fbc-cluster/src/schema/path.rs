//! Where in an object something is, kept on the stack and written only when an error needs it.

use std::fmt::{self, Write as _};

/// A place in an object, linked to the place around it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The whole object.
    Root,
    /// A place that is written already, such as that of a default within a definition.
    Fixed(&'a str),
    /// A field of an object.
    Field(&'a Path<'a>, &'a str),
    /// An entry of a map.
    Key(&'a Path<'a>, &'a str),
    /// An element of a list.
    Index(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.field())
    }
}

impl Path<'_> {
    /// As `field.Path` writes it: `spec.labels[app]`, and `<nil>` for the whole object.
    pub(crate) fn field(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, false);
        if text.is_empty() { "<nil>".to_owned() } else { text }
    }

    /// As the schema validator of `kubernetes/kube-openapi` writes it in messages: `spec.labels.app`, from the place
    /// on that is validated, empty for that place itself.
    pub(crate) fn dotted(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, true);
        text
    }

    /// The field of an error of that validator.
    pub(crate) fn dotted_field(&self) -> String {
        let (root, inner) = (self.root(), self.dotted());
        match (root, inner.is_empty()) {
            (root, true) => root.to_owned(),
            ("<nil>", false) => inner,
            (root, false) => format!("{root}.{inner}"),
        }
    }

    /// The place that is validated as a whole: `<nil>` for an object.
    pub(crate) fn root(&self) -> &str {
        match self {
            Self::Root => "<nil>",
            Self::Fixed(fixed) => fixed,
            Self::Field(parent, _) | Self::Key(parent, _) | Self::Index(parent, _) => parent.root(),
        }
    }

    fn write(&self, text: &mut String, dotted: bool) {
        match self {
            Self::Root => {}
            Self::Fixed(fixed) => text.push_str(if dotted { "" } else { fixed }),
            Self::Field(parent, name) => {
                parent.write(text, dotted);
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            Self::Key(parent, key) if dotted => Path::Field(parent, key).write(text, dotted),
            Self::Key(parent, key) => {
                parent.write(text, dotted);
                let _ = write!(text, "[{key}]");
            }
            Self::Index(parent, index) => {
                parent.write(text, dotted);
                let _ = write!(text, "[{index}]");
            }
        }
    }
}
