//! What a Dockerfile says of a catalog: what it is built on, and which files go to the directory that is served.
//!
//! Instructions are read as BuildKit reads them: keywords in any case, lines that end in `\` go on, `ARG` and `ENV`
//! fill variables in (`moby/buildkit:frontend/dockerfile/docs/reference.md`).

mod syntax;

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use fbc_go::allowance::{Allowance, Exceeded};
use fbc_version::OpenShiftRelease;

use self::syntax::{Instruction, copy, fill, instructions, pairs, words};
use crate::release;
use crate::too_large::RepositoryTooLarge;

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
    pub release: Option<OpenShiftRelease>,
    /// What goes to the directory that is served, each once.
    pub copies: Vec<Copied>,
}

/// Files that go to the directory that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The path in the build context, variables filled in where they have values.
    pub from: String,
    /// The path below the directory that is served; empty for that itself.
    pub to: PathBuf,
    /// Whether a file that is copied goes into a directory of that path, and does not get its name.
    pub into_directory: bool,
    /// The variable that has no value: whoever builds the image gives it.
    pub variable: Option<String>,
}

impl Copied {
    /// The value of the variable with which a path is copied; nothing if none does that.
    #[must_use]
    pub fn value_for(&self, path: &str) -> Option<String> {
        self.around_variable()?.value_for(path).map(str::to_owned)
    }

    /// The path around the variable; nothing if it has none.
    pub(crate) fn around_variable(&self) -> Option<AroundVariable> {
        let variable = self.variable.as_deref()?;
        let from = tidy(&self.from);
        [format!("${{{variable}}}"), format!("${variable}")].iter().find_map(|word| {
            let (before, after) = from.split_once(word.as_str())?;
            Some(AroundVariable { before: before.to_owned(), after: after.to_owned() })
        })
    }
}

/// What stands before and behind a variable in a path.
pub(crate) struct AroundVariable {
    before: String,
    after: String,
}

impl AroundVariable {
    /// The value of the variable with which it is this path.
    pub(crate) fn value_for<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&self.before)?.strip_suffix(&self.after).filter(|value| !value.is_empty())
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

/// The arguments of a build, by name.
pub type BuildArguments = BTreeMap<String, String>;

/// Reads a Dockerfile as it is built with some arguments; what is not understood is passed over.
///
/// # Errors
/// The line whose variables, words and copies are more than the allowance takes.
pub fn read(
    path: &Path,
    text: &str,
    given: &BuildArguments,
    allowance: &Allowance,
) -> Result<Dockerfile, RepositoryTooLarge> {
    let mut reader = Reader {
        allowance,
        given,
        variables: BTreeMap::new(),
        images: Vec::new(),
        served: None,
        copies: HashMap::new(),
        at: String::new(),
    };
    let too_large =
        |line, what: &str, exceeded| RepositoryTooLarge::of_file(path, Some(line), what, exceeded);
    allowance.bytes(text.len()).map_err(|exceeded| too_large(1, "the file", exceeded))?;
    for Instruction { line, text } in instructions(text) {
        let read = reader.instruction(&text);
        read.map_err(|exceeded| too_large(line, &format!("`{}`", reader.at), exceeded))?;
    }
    let served = reader.served.as_deref().unwrap_or(SERVED);
    let mut copies: Vec<(CopySource, (usize, bool))> = reader.copies.into_iter().collect();
    copies.sort_unstable_by_key(|(_, (number, _))| *number);
    let copies = copies.into_iter().filter_map(|(CopySource { from, variable, to }, (_, is_one_of_many))| {
        let below = below(&to, served)?;
        let into_directory = is_one_of_many || to.ends_with('/') || below.as_os_str().is_empty();
        Some(Copied { to: below, from, variable, into_directory })
    });
    Ok(Dockerfile {
        release: reader.images.iter().rev().find_map(|image| release::of_image(image)),
        copies: copies.collect(),
        base: reader.images.pop(),
    })
}

/// What the instructions so far have said.
struct Reader<'a> {
    allowance: &'a Allowance,
    /// The arguments of the build, which win over the values in the file.
    given: &'a BuildArguments,
    variables: BTreeMap<String, String>,
    images: Vec<String>,
    served: Option<String>,
    /// What is copied, each once, with its number in the order of the file, and whether it is one of several sources.
    copies: HashMap<CopySource, (usize, bool)>,
    /// The instruction at hand, with the variable that it sets.
    at: String,
}

/// A source with its variable that has no value, and the target.
#[derive(PartialEq, Eq, Hash)]
struct CopySource {
    from: String,
    variable: Option<String>,
    to: String,
}

impl Reader<'_> {
    /// Takes what an instruction says.
    fn instruction(&mut self, text: &str) -> Result<(), Exceeded> {
        let (keyword, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        self.at = keyword.to_ascii_uppercase();
        match self.at.as_str() {
            "ARG" => {
                for word in words(rest, self.allowance)? {
                    let (name, value) = word
                        .split_once('=')
                        .map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
                    match self.given.get(name) {
                        Some(given) => {
                            self.allowance.bytes(given.len())?;
                            self.variables.insert(name.to_owned(), given.clone());
                        }
                        None => {
                            if let Some(value) = value {
                                self.set("ARG", name, value)?;
                            }
                        }
                    }
                }
            }
            "ENV" => {
                for (name, value) in pairs(rest, self.allowance)? {
                    self.set("ENV", &name, &value)?;
                }
            }
            "FROM" => {
                let image = words(rest, self.allowance)?.into_iter().find(|word| !word.starts_with("--"));
                if let Some(image) = image {
                    self.images.push(self.filled(&image)?.0);
                }
            }
            "LABEL" => {
                let pair = pairs(rest, self.allowance)?.into_iter().find(|(name, _)| name == LABEL);
                if let Some((_, value)) = pair.filter(|(_, value)| !value.is_empty()) {
                    self.served = Some(value);
                }
            }
            "COPY" | "ADD" => {
                let Some((from_paths, to)) = copy(rest, self.allowance)? else { return Ok(()) };
                let to = self.filled(&to)?.0;
                for path in &from_paths {
                    let (from, variable) = self.filled(path)?;
                    self.allowance.bytes(to.len())?;
                    let number = self.copies.len();
                    let is_one_of_many = from_paths.len() > 1;
                    let source = CopySource { from, variable, to: to.clone() };
                    self.copies.entry(source).or_insert((number, is_one_of_many));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, keyword: &str, name: &str, value: &str) -> Result<(), Exceeded> {
        self.at = format!("{keyword} {name}");
        let value = self.filled(value)?.0;
        self.variables.insert(name.to_owned(), value);
        Ok(())
    }

    fn filled(&self, text: &str) -> Result<(String, Option<String>), Exceeded> {
        fill(text, &self.variables, self.allowance)
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

/// The path of a target below the directory that is served.
fn below(to: &str, served: &str) -> Option<PathBuf> {
    let to = Path::new(to).strip_prefix(served.trim_end_matches('/')).ok()?;
    Some(to.to_path_buf())
}

/// A path in the build context, without `./`, slashes at its ends, and patterns for everything in it.
#[must_use]
pub fn tidy(path: &str) -> String {
    let path = path.trim_end_matches('/');
    let path = match path.rsplit_once('/') {
        Some((above, ".")) => above,
        Some((above, last)) if last.contains(['*', '?']) => above,
        None if path.contains(['*', '?']) => "",
        _ => path,
    };
    let parts = Path::new(path).components().filter_map(|part| match part {
        Component::Normal(part) => part.to_str(),
        Component::ParentDir => Some(".."),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use fbc_go::allowance::ExpansionLimits;

    use super::*;

    fn read(text: &str) -> Dockerfile {
        super::read(Path::new("Dockerfile"), text, &BuildArguments::new(), &Allowance::default()).unwrap()
    }

    fn copied(from: &str, to: &str, variable: Option<&str>) -> Copied {
        Copied {
            from: from.to_owned(),
            to: PathBuf::from(to),
            into_directory: to.is_empty(),
            variable: variable.map(str::to_owned),
        }
    }

    #[test]
    fn one_stage() {
        let found = read(
            "# a comment\nFROM registry/ose-operator-registry-rhel9:v4.18\nENTRYPOINT [\"/bin/opm\"]\n\
             add v4.18/catalog /configs\nCOPY other.txt /licenses/\nLABEL operators.operatorframework.io.index.configs.v1=/configs\n",
        );
        assert_eq!(found.base.as_deref(), Some("registry/ose-operator-registry-rhel9:v4.18"));
        assert_eq!(found.release, Some(OpenShiftRelease::new(4, 18)));
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
    fn arguments_of_the_build_win() {
        let text = "ARG BASE=r/none\nFROM ${BASE}\nARG FILE\nCOPY $FILE /configs/a/index.yaml\nCOPY x.yaml /configs/b/\n";
        let given = [("BASE", "r/x:v4.20"), ("FILE", "./c/y.yaml"), ("OTHER", "z")];
        let given = given.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let found = super::read(Path::new("Dockerfile"), text, &given, &Allowance::default()).unwrap();
        assert_eq!(found.release, Some(OpenShiftRelease::new(4, 20)));
        let in_directory = Copied { into_directory: true, ..copied("x.yaml", "b", None) };
        assert_eq!(found.copies, [copied("./c/y.yaml", "a/index.yaml", None), in_directory]);
    }

    #[test]
    fn what_is_copied_twice_counts_once() {
        let found = read("COPY $a b /configs\nCOPY b /configs\nCOPY c /elsewhere\nCOPY ${a} $a /configs\n");
        let expected = [copied("$a", "", Some("a")), copied("b", "", None), copied("${a}", "", Some("a"))];
        assert_eq!(found.copies, expected);
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
        assert_eq!(tidy("a/*.yaml"), "a");
        assert_eq!(tidy("."), "");
        assert_eq!(tidy("catalog/"), "catalog");
    }

    #[test]
    fn what_grows_is_refused_where_it_does() {
        let doubled = |first: &str, line: &dyn Fn(usize) -> String| {
            let lines: Vec<String> = (1..60).map(line).collect();
            format!("{first}\n{}\n", lines.join("\n"))
        };
        let long = "x".repeat(1_000);
        for (text, about, what) in [
            (doubled("ARG A0=xxxxxxxx", &|n| format!("ARG A{n}=$A{}$A{}", n - 1, n - 1)), 11, "`ARG A10`"),
            (doubled("ENV A xxxxxxxx", &|_| "env A=\"$A ${A}\"".to_owned()), 10, "`ENV A`"),
            (doubled(&format!("ARG A={long}"), &|_| "ARG B=${A}".to_owned()), 9, "`ARG B`"),
            (doubled(&format!("ARG A={long}"), &|_| "FROM $A".to_owned()), 9, "`FROM`"),
            (doubled(&format!("ARG A={long}"), &|_| "COPY $A /configs".to_owned()), 8, "`COPY`"),
            (format!("FROM a\nCOPY{} /configs/{long}\n", " x".repeat(100)), 2, "`COPY`"),
            (format!("FROM a\nCOPY \\\n{}\n", "x ".repeat(1_000)), 2, "`COPY`"),
        ] {
            let allowance = Allowance::new(ExpansionLimits { bytes: 10_000, ..ExpansionLimits::USUAL });
            let error = super::read(Path::new("a/Dockerfile"), &text, &BuildArguments::new(), &allowance)
                .unwrap_err();
            let part = error.part.as_ref().unwrap();
            let line = part.line.unwrap();
            assert!((about..=about + 1).contains(&line) && part.what == what, "{error}: {about} {what}");
            let shown = format!("a/Dockerfile:{line}: {what} expands to more than 10000 bytes");
            assert_eq!(error.to_string(), shown);
        }
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
