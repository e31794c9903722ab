//! The catalog configuration file of the documents: a name, an image, and what the catalog is put
//! together from (statement D-FBC-36).

use std::path::Path;

use fbc_model::tree::read_file;
use fbc_yaml::locate::{Locator, line_and_column};
use fbc_yaml::stream::{self, Syntax};
use fbc_yaml::{Kind, Node};

use crate::failure::{Failure, closest};

/// A catalog that is put together from others.
#[derive(Debug)]
pub(super) struct Configuration {
    /// The name, which is that of its folder.
    pub(super) name: String,
    /// The repository of its image.
    pub(super) repository: String,
    /// The tag of its image.
    pub(super) tag: String,
    /// What it holds.
    pub(super) references: Vec<Reference>,
}

/// A part of a catalog.
#[derive(Debug)]
pub(super) struct Reference {
    /// The name, which is that of its folder.
    pub(super) name: String,
    /// A catalog or a bundle: an image, a folder or a file.
    pub(super) image: String,
    /// Where the image is named: line and column.
    pub(super) place: (usize, usize),
}

const KEYS: [&str; 4] = ["name", "repo", "tag", "references"];
const REFERENCE_KEYS: [&str; 2] = ["name", "image"];
const SHAPE: &str =
    "a catalog configuration has `name`, `repo`, `tag`, and `references` with `name` and `image` each";

impl Configuration {
    /// Reads a configuration file.
    ///
    /// The errors are all that is wrong with it.
    pub(super) fn read(path: &Path) -> Result<Self, Vec<Failure>> {
        let text = read_file(path).map_err(|error| vec![Failure::io("read", path, &error)])?;
        let document = stream::read_one(&text)
            .map_err(|error| vec![Failure::new(format!("{}: {error}", path.display())).help(SHAPE)])?;
        let mut reader = Reader::new(&text);
        let configuration = reader.configuration(document.root());
        if reader.faults.is_empty() {
            return Ok(configuration);
        }
        reader.faults.sort();
        let failure = |((line, column), fault): ((usize, usize), String)| {
            Failure::new(format!("{}:{line}:{column}: {fault}", path.display())).help(SHAPE)
        };
        Err(reader.faults.into_iter().map(failure).collect())
    }

    /// The image that the catalog is meant for.
    pub(super) fn image(&self) -> String {
        format!("{}:{}", self.repository, self.tag)
    }
}

struct Reader<'t> {
    text: &'t [u8],
    locator: Locator,
    faults: Vec<((usize, usize), String)>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t [u8]) -> Self {
        let locator = Locator::new(text, 0..text.len(), Syntax::Yaml);
        Self { text, locator, faults: Vec::new() }
    }

    fn place(&self, pointer: &str) -> (usize, usize) {
        line_and_column(self.text, self.locator.find(pointer).value.start)
    }

    /// The place of the key that leads to a value.
    fn key_place(&self, pointer: &str) -> (usize, usize) {
        let found = self.locator.find(pointer);
        line_and_column(self.text, found.key.unwrap_or(found.value).start)
    }

    fn fault(&mut self, pointer: &str, text: impl Into<String>) {
        let place = self.place(pointer);
        self.faults.push((place, text.into()));
    }

    fn configuration(&mut self, root: Node<'_>) -> Configuration {
        if root.kind() != Kind::Object {
            self.fault("", "this is no mapping");
        } else {
            self.keys(root, "", &KEYS);
        }
        let name = self.text(root, "", "name");
        self.folder_name("/name", &name);
        let mut references = Vec::new();
        match root.get("references").filter(|list| list.kind() == Kind::Array) {
            Some(list) if list.items().next().is_some() => {
                for (index, item) in list.items().enumerate() {
                    references.push(self.reference(item, &format!("/references/{index}"), &references));
                }
            }
            _ if root.kind() == Kind::Object => {
                self.fault("/references", "`references` is no list with at least one entry");
            }
            _ => {}
        }
        Configuration {
            name,
            repository: self.text(root, "", "repo"),
            tag: self.text(root, "", "tag"),
            references,
        }
    }

    fn reference(&mut self, item: Node<'_>, pointer: &str, earlier: &[Reference]) -> Reference {
        if item.kind() == Kind::Object {
            self.keys(item, pointer, &REFERENCE_KEYS);
        }
        let name = self.text(item, pointer, "name");
        self.folder_name(&format!("{pointer}/name"), &name);
        if !name.is_empty() && earlier.iter().any(|reference| reference.name == name) {
            self.fault(&format!("{pointer}/name"), format!("there are two references {name:?}"));
        }
        let image = self.text(item, pointer, "image");
        Reference { name, image, place: self.place(&format!("{pointer}/image")) }
    }

    /// A text that must be there.
    fn text(&mut self, object: Node<'_>, pointer: &str, key: &str) -> String {
        match object.get(key) {
            Some(value) if value.as_str().is_some_and(|text| !text.is_empty()) => {
                value.as_str().unwrap_or_default().to_owned()
            }
            Some(value) if value.kind() == Kind::Number => {
                self.fault(&format!("{pointer}/{key}"), format!("`{key}` is a number; put it in quotes"));
                String::new()
            }
            Some(_) => {
                self.fault(&format!("{pointer}/{key}"), format!("`{key}` is no text, or empty"));
                String::new()
            }
            None => {
                if object.kind() == Kind::Object {
                    self.fault(pointer, format!("`{key}` is missing"));
                } else if !pointer.is_empty() && key == "name" {
                    self.fault(pointer, "this is no mapping");
                }
                String::new()
            }
        }
    }

    fn keys(&mut self, object: Node<'_>, pointer: &str, known: &[&str]) {
        for (key, _) in object.members() {
            if known.contains(&key) {
                continue;
            }
            let guess = closest(key, known.iter().copied());
            let guess = guess.map(|guess| format!(", did you mean `{guess}`?")).unwrap_or_default();
            let place = self.key_place(&format!("{pointer}/{key}"));
            self.faults.push((place, format!("there is no key `{key}`{guess}")));
        }
    }

    /// The name becomes a folder, so it must be one step of a path.
    fn folder_name(&mut self, pointer: &str, name: &str) {
        if name == "." || name == ".." || name.contains(['/', '\\', '\0']) {
            self.fault(pointer, format!("{name:?} cannot be the name of a folder"));
        }
    }
}
