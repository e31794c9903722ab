//! What a Dockerfile says of a catalog: what it is built on, and which files go to the directory that is served.
//!
//! Instructions are read as BuildKit reads them: keywords in any case, lines that end in `\` go on, `ARG` and `ENV`
//! fill variables in (`moby/buildkit:frontend/dockerfile/docs/reference.md`).

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use fbc_lint::policy::OcpVersion;

use crate::release;

/// The label that names the directory that is served.
const LABEL: &str = "operators.operatorframework.io.index.configs.v1";
/// The directory that is served where no label names one.
const SERVED: &str = "/configs";

/// What a Dockerfile says of a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dockerfile {
    /// The image that the last stage is built on.
    pub base: Option<String>,
    /// The release of OpenShift that one of its images has in its tag, the last one first.
    pub release: Option<OcpVersion>,
    /// What goes to the directory that is served.
    pub copies: Vec<Copied>,
}

/// Files that go to the directory that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The path in the build context, variables filled in where they have values.
    pub from: String,
    /// The path below the directory that is served; empty for that itself.
    pub to: PathBuf,
    /// The variable that has no value: whoever builds the image gives it.
    pub variable: Option<String>,
}

impl Copied {
    /// The value of the variable with which a path is copied; nothing if none does that.
    #[must_use]
    pub fn value_for(&self, path: &str) -> Option<String> {
        let variable = self.variable.as_deref()?;
        let from = tidy(&self.from);
        let (before, after) =
            [format!("${{{variable}}}"), format!("${variable}")].iter().find_map(|word| {
                let (before, after) = from.split_once(word.as_str())?;
                Some((before.to_owned(), after.to_owned()))
            })?;
        let value = path.strip_prefix(&before)?.strip_suffix(&after)?;
        (!value.is_empty()).then(|| value.to_owned())
    }
}

/// Whether a file is a Dockerfile by its name; templates of Dockerfiles are not.
#[must_use]
pub fn is_dockerfile(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_template =
        [".in", ".template", ".tmpl", ".tpl", ".j2", ".md", ".txt"].iter().any(|end| name.ends_with(end));
    (name.contains("dockerfile") || name.contains("containerfile"))
        && !is_template
        && !name.ends_with("dockerignore")
}

/// Reads a Dockerfile; what is not understood is passed over.
#[must_use]
pub fn read(text: &str) -> Dockerfile {
    let mut variables: BTreeMap<String, String> = BTreeMap::new();
    let mut images = Vec::new();
    let mut served = SERVED.to_owned();
    let mut copies = Vec::new();
    for instruction in instructions(text) {
        let (keyword, rest) = instruction.split_once(char::is_whitespace).unwrap_or((&instruction, ""));
        let rest = rest.trim();
        match keyword.to_ascii_uppercase().as_str() {
            "ARG" => {
                for word in words(rest) {
                    if let Some((name, value)) = word.split_once('=') {
                        variables.insert(name.to_owned(), fill(value, &variables).0);
                    }
                }
            }
            "ENV" => {
                for (name, value) in pairs(rest) {
                    let value = fill(&value, &variables).0;
                    variables.insert(name, value);
                }
            }
            "FROM" => {
                let image = words(rest).into_iter().find(|word| !word.starts_with("--"));
                images.extend(image.map(|image| fill(&image, &variables).0));
            }
            "LABEL" => {
                let pair = pairs(rest).into_iter().find(|(name, _)| name == LABEL);
                if let Some((_, value)) = pair.filter(|(_, value)| !value.is_empty()) {
                    served = value;
                }
            }
            "COPY" | "ADD" => copies.extend(copy(rest).map(|(from, to)| {
                let from: Vec<_> = from.into_iter().map(|path| fill(&path, &variables)).collect();
                (from, fill(&to, &variables).0)
            })),
            _ => {}
        }
    }
    let copies = copies.into_iter().flat_map(|(from, to)| {
        let below = below(&to, &served);
        from.into_iter()
            .filter_map(move |(from, variable)| Some(Copied { from, to: below.clone()?, variable }))
    });
    Dockerfile {
        release: images.iter().rev().find_map(|image| release::of_image(image)),
        copies: copies.collect(),
        base: images.pop(),
    }
}

/// The text with another image in the last `FROM`; nothing if it is that image already, or comes from a variable.
#[must_use]
pub fn with_base(text: &str, base: &str) -> Option<String> {
    let is_from =
        |line: &&str| line.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("FROM"));
    let last = text.lines().rfind(is_from)?;
    let image = last.split_whitespace().skip(1).find(|word| !word.starts_with("--"))?;
    if image == base || image.contains('$') {
        return None;
    }
    let start = last.as_ptr() as usize - text.as_ptr() as usize + last.find(image)?;
    let mut changed = text.to_owned();
    changed.replace_range(start..start + image.len(), base);
    Some(changed)
}

/// The instructions, each in one line.
fn instructions(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        let line = line.trim();
        // Comments may stand between the lines of an instruction.
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.strip_suffix('\\') {
            Some(part) => {
                open.push_str(part);
                open.push(' ');
            }
            None => {
                open.push_str(line);
                all.push(std::mem::take(&mut open));
            }
        }
    }
    if !open.is_empty() {
        all.push(open);
    }
    all
}

/// Words between blanks, without their quotation marks.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// `KEY=VALUE …`, or the older `KEY VALUE`.
fn pairs(text: &str) -> Vec<(String, String)> {
    let words = words(text);
    match words.as_slice() {
        [key, value @ ..] if !key.contains('=') => vec![(key.clone(), value.join(" "))],
        words => words
            .iter()
            .filter_map(|word| word.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    }
}

/// Sources and target of `COPY` or `ADD`; nothing if they come from another stage.
fn copy(text: &str) -> Option<(Vec<String>, String)> {
    let mut rest = text;
    while rest.starts_with("--") {
        let (flag, more) = rest.split_once(char::is_whitespace)?;
        if flag.starts_with("--from=") {
            return None;
        }
        rest = more.trim_start();
    }
    let mut paths = match rest.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
        Some(list) => words(&list.replace(',', " ")),
        None => words(rest),
    };
    let to = paths.pop()?;
    (!paths.is_empty()).then_some((paths, to))
}

/// Fills variables in; also the first one that has no value.
fn fill(text: &str, variables: &BTreeMap<String, String>) -> (String, Option<String>) {
    let mut filled = String::new();
    let mut open = None;
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        filled.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (word, name, default, end) = match after.strip_prefix('{').and_then(|inner| inner.split_once('}'))
        {
            Some((inner, _)) => {
                let (name, default) = match inner.split_once(":-") {
                    Some((name, default)) => (name, Some(default)),
                    None => (inner, None),
                };
                (&after[..inner.len() + 2], name, default, inner.len() + 2)
            }
            None => {
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
                (&after[..end], &after[..end], None, end)
            }
        };
        match variables.get(name).map(String::as_str).filter(|value| !value.is_empty()).or(default) {
            Some(value) => filled.push_str(value),
            None => {
                filled.push('$');
                filled.push_str(word);
                if !name.is_empty() {
                    open.get_or_insert_with(|| name.to_owned());
                }
            }
        }
        rest = &after[end..];
    }
    filled.push_str(rest);
    (filled, open)
}

/// The path of a target below the directory that is served.
fn below(to: &str, served: &str) -> Option<PathBuf> {
    let to = Path::new(to).strip_prefix(served.trim_end_matches('/')).ok()?;
    Some(to.to_path_buf())
}

/// A path in the build context, without `./`, slashes at its ends, and patterns for everything in it.
#[must_use]
pub fn tidy(path: &str) -> String {
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/*").or(path.strip_suffix("/.")).unwrap_or(path);
    let parts = Path::new(path).components().filter_map(|part| match part {
        Component::Normal(part) => part.to_str(),
        Component::ParentDir => Some(".."),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(from: &str, to: &str, variable: Option<&str>) -> Copied {
        Copied { from: from.to_owned(), to: PathBuf::from(to), variable: variable.map(str::to_owned) }
    }

    #[test]
    fn one_stage() {
        let found = read(
            "# a comment\nFROM registry/ose-operator-registry-rhel9:v4.18\nENTRYPOINT [\"/bin/opm\"]\n\
             add v4.18/catalog /configs\nCOPY other.txt /licenses/\nLABEL operators.operatorframework.io.index.configs.v1=/configs\n",
        );
        assert_eq!(found.base.as_deref(), Some("registry/ose-operator-registry-rhel9:v4.18"));
        assert_eq!(found.release, Some(OcpVersion::new(4, 18)));
        assert_eq!(found.copies, [copied("v4.18/catalog", "", None)]);
    }

    #[test]
    fn stages_and_variables() {
        let found = read(
            "ARG OPM_IMAGE=quay.io/opm:latest\nFROM --platform=linux/amd64 ${OPM_IMAGE} AS builder\nARG INPUT_DIR\n\
             COPY ./${INPUT_DIR}/ /configs/product\nFROM ${OPM_IMAGE}\nCOPY --from=builder /configs /configs\n",
        );
        assert_eq!(found.base.as_deref(), Some("quay.io/opm:latest"));
        assert_eq!(found.release, None);
        assert_eq!(found.copies, [copied("./${INPUT_DIR}/", "product", Some("INPUT_DIR"))]);
        assert_eq!(found.copies[0].value_for("catalog-4-14").as_deref(), Some("catalog-4-14"));
    }

    #[test]
    fn served_directory_and_forms_of_copies() {
        let found = read(
            "FROM scratch\nCOPY [\"a b\", \"c\", \"/catalog/\"]\nADD --chown=1:1 \\\n  # between\n  d/* /catalog/d\n\
             ADD e ${NOWHERE:-/catalog}\nLABEL a=b operators.operatorframework.io.index.configs.v1=\"/catalog\"\n",
        );
        assert_eq!(
            found.copies,
            [copied("a b", "", None), copied("c", "", None), copied("d/*", "d", None), copied("e", "", None)]
        );
    }

    #[test]
    fn nothing_breaks_the_reader() {
        for text in
            ["", "FROM", "COPY", "COPY a", "ADD --from=x", "ARG", "LABEL", "ENV a", "COPY $ /configs", "\\"]
        {
            let _ = read(text);
        }
        assert_eq!(read("COPY $ /configs").copies, [copied("$", "", None)]);
        assert_eq!(tidy("./a//b/*"), "a/b");
        assert_eq!(tidy("."), "");
        assert_eq!(tidy("catalog/"), "catalog");
    }

    #[test]
    fn another_base() {
        let text = "FROM a AS b\nCOPY x y\nfrom --platform=linux r/x:v4.17 as c\nRUN x\n";
        assert_eq!(
            with_base(text, "r/y:v4.18").as_deref(),
            Some("FROM a AS b\nCOPY x y\nfrom --platform=linux r/y:v4.18 as c\nRUN x\n")
        );
        assert_eq!(with_base(text, "r/x:v4.17"), None);
        assert_eq!(with_base("ARG A=b\nFROM ${A}\n", "c"), None);
        assert_eq!(with_base("", "c"), None);
    }

    #[test]
    fn names_of_dockerfiles() {
        for name in ["Dockerfile", "catalog.Dockerfile", "Dockerfile-v4-18.catalog", "Containerfile.catalog"]
        {
            assert!(is_dockerfile(name), "{name}");
        }
        for name in
            ["Containerfile-rhel-9.in", "Containerfile.catalog.template", "README.md", "x.dockerignore"]
        {
            assert!(!is_dockerfile(name), "{name}");
        }
    }
}
