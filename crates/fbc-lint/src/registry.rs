//! The rules of a run. The engine has none of its own; whoever starts a run passes them in.

use std::ops::Deref;

use crate::rule::Rule;

/// Rules, and those among them with a part of their own in a run.
#[derive(Debug)]
pub struct Registry {
    /// All rules, in the order of their codes.
    pub rules: Vec<&'static Rule>,
    /// Reports what does not have the documented form, in places of which no other rule speaks.
    pub documented_form: &'static Rule,
    /// Reports bundle directories that opm cannot render, where no other rule reports an error.
    pub unrenderable: &'static Rule,
    /// The rules about catalogs that bundle directories are judged by as well, and where in the directory the place of
    /// their findings is.
    pub of_directories: &'static [(&'static Rule, DirectoryPlace)],
}

/// A place in a bundle directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectoryPlace {
    /// The dependencies in the metadata.
    Dependencies,
    /// A value of the cluster service version, as a JSON pointer.
    ClusterServiceVersion(&'static str),
}

impl Deref for Registry {
    type Target = [&'static Rule];

    fn deref(&self) -> &Self::Target {
        &self.rules
    }
}

impl Registry {
    /// The rule of a code or name, whatever the case.
    #[must_use]
    pub fn find(&self, code_or_name: &str) -> Option<&'static Rule> {
        self.iter().copied().find(|rule| {
            rule.code.eq_ignore_ascii_case(code_or_name) || rule.name.eq_ignore_ascii_case(code_or_name)
        })
    }
}
