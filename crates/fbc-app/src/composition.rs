//! The catalog configuration file of the documents: a name, an image, and what the catalog is put
//! together from (statement D-FBC-36).

use std::path::Path;

use fbc_model::tree::read_file;
use fbc_source::document_reader::{DocumentReader, failure};
use fbc_yaml::stream;
use fbc_yaml::{Kind, Node};

use fbc_source::Error;

/// A catalog that is put together from others.
#[derive(Debug)]
pub struct Configuration {
    /// The name, which is that of its directory.
    pub name: String,
    /// The repository of its image.
    pub repository: String,
    /// The tag of its image.
    pub tag: String,
    /// What it holds.
    pub references: Vec<Reference>,
}

/// A part of a catalog.
#[derive(Debug)]
pub struct Reference {
    /// The name, which is that of its directory.
    pub name: String,
    /// A catalog or a bundle: an image, a directory or a file.
    pub image: String,
    /// Where the image is named: line and column.
    pub place: (usize, usize),
}

const KEYS: [&str; 4] = ["name", "repo", "tag", "references"];
const REFERENCE_KEYS: [&str; 2] = ["name", "image"];
const SHAPE: &str =
    "a catalog configuration has `name`, `repo`, `tag`, and `references` with `name` and `image` each";

impl Configuration {
    /// Reads a configuration file.
    ///
    /// The errors are all that is wrong with it.
    pub fn read(path: &Path) -> Result<Self, Vec<Error>> {
        let text = read_file(path).map_err(|error| vec![Error::io("read", path, &error)])?;
        let document = stream::read_one(&text)
            .map_err(|error| vec![Error::new(format!("{}: {error}", path.display())).help(SHAPE)])?;
        let mut reader = Reader(DocumentReader::new(&text));
        let configuration = reader.configuration(document.root());
        match reader.0.faults() {
            None => Ok(configuration),
            Some(faults) => Err(faults.iter().map(|fault| failure(path, fault).help(SHAPE)).collect()),
        }
    }

    /// The image that the catalog is meant for.
    pub fn image(&self) -> String {
        format!("{}:{}", self.repository, self.tag)
    }
}

/// Reads the parts of a configuration.
struct Reader<'t>(DocumentReader<'t>);

impl Reader<'_> {
    fn configuration(&mut self, root: Node<'_>) -> Configuration {
        if self.0.mapping(root, "") {
            self.0.keys(root, "", &KEYS);
        }
        let name = self.0.text(root, "", "name");
        self.folder_name("/name", &name);
        let mut references = Vec::new();
        match root.get("references").filter(|list| list.kind() == Kind::Array) {
            Some(list) if list.items().next().is_some() => {
                for (index, item) in list.items().enumerate() {
                    references.push(self.reference(item, &format!("/references/{index}"), &references));
                }
            }
            _ if root.kind() == Kind::Object => {
                self.0.fault("/references", "`references` is not a list with at least one entry");
            }
            _ => {}
        }
        Configuration {
            name,
            repository: self.0.text(root, "", "repo"),
            tag: self.0.text(root, "", "tag"),
            references,
        }
    }

    fn reference(&mut self, item: Node<'_>, pointer: &str, earlier: &[Reference]) -> Reference {
        if self.0.mapping(item, pointer) {
            self.0.keys(item, pointer, &REFERENCE_KEYS);
        }
        let name = self.0.text(item, pointer, "name");
        self.folder_name(&format!("{pointer}/name"), &name);
        if !name.is_empty() && earlier.iter().any(|reference| reference.name == name) {
            self.0.fault(&format!("{pointer}/name"), format!("there are two references {name:?}"));
        }
        let image = self.0.text(item, pointer, "image");
        Reference { name, image, place: self.0.place(&format!("{pointer}/image")) }
    }

    /// The name becomes a directory, so it must be one step of a path.
    fn folder_name(&mut self, pointer: &str, name: &str) {
        if name == "." || name == ".." || name.contains(['/', '\\', '\0']) {
            self.0.fault(pointer, format!("{name:?} cannot be the name of a directory"));
        }
    }
}
