//! The document of a template: the first of its file, with the places of its values, and its entries
//! as a catalog.

use std::convert::Infallible;
use std::ops::Range;
use std::path::Path;

use fbc_model::go_type::{self, GoField, GoStruct, GoType, STRING};
use fbc_model::load::{self, FaultPlace, LoadFault};
use fbc_model::{Catalog, meta};
use fbc_yaml::locate::Locator;
use fbc_yaml::stream::{self, Decoded, Fault, Syntax};
use fbc_yaml::{Document, Node, json_writer};

use crate::error::{DocumentFault, TemplatePlace};

/// The field of templates that holds blobs.
pub(crate) const ENTRIES: GoField =
    GoField { name: "entries", kind: GoType::List("[]*declcfg.Meta", &GoType::Raw), omit_empty: false };

/// The field of templates that names their kind.
pub(crate) const SCHEMA: GoField = GoField { name: "schema", kind: STRING, omit_empty: false };

/// What Go says of a first document that is null: its decoder leaves no text of it.
pub(crate) const NOTHING: &str = "unexpected end of JSON input";

/// A document of a template file.
pub(crate) struct TemplateDocument<'t> {
    text: &'t [u8],
    range: Range<usize>,
    syntax: Syntax,
    document: Document,
}

/// Something that is wrong, and where.
#[derive(Debug)]
pub(crate) struct TypeMismatch<M> {
    pub(crate) message: M,
    pub(crate) place: Option<TemplatePlace>,
}

impl<M> TypeMismatch<M> {
    pub(crate) fn map<N>(self, make: impl FnOnce(M) -> N) -> TypeMismatch<N> {
        TypeMismatch { message: make(self.message), place: self.place }
    }
}

impl<'t> TemplateDocument<'t> {
    /// Reads the first document as the reference's decoder does; what comes after it does not count.
    pub(crate) fn first(text: &'t [u8]) -> Result<Self, TypeMismatch<String>> {
        let keep = |document: Document| Ok::<_, Infallible>(document);
        let Some(Decoded { range, syntax, outcome }) = stream::read_first(text, &keep) else {
            return Err(TypeMismatch { message: "EOF".to_owned(), place: None });
        };
        let document =
            outcome.map_err(|fault| misfit(text, &range, syntax, fault, |never| match never {}))?;
        Ok(Self { text, range, syntax, document })
    }

    /// Takes the whole text as one document.
    pub(crate) fn whole(text: &'t [u8]) -> Result<Self, TypeMismatch<String>> {
        match stream::read_one_for_types(text) {
            Ok(document) => Ok(Self { text, range: 0..text.len(), syntax: Syntax::Yaml, document }),
            Err(error) => {
                // The place comes from the other way to read the text, which knows it.
                let place = Self::first(text).err().and_then(|misfit| misfit.place);
                Err(TypeMismatch { message: error.message, place })
            }
        }
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.document.root()
    }

    /// Where the values of the document lie.
    pub(crate) fn locator(&self) -> Locator {
        Locator::new(self.text, self.range.clone(), self.syntax)
    }

    /// Where a value lies.
    pub(crate) fn place(&self, pointer: &str) -> TemplatePlace {
        place_of(self.text, &self.range, self.syntax, pointer)
    }

    /// Where the key of a value lies.
    pub(crate) fn place_of_key(&self, pointer: &str) -> TemplatePlace {
        let found = self.locator().find(pointer);
        TemplatePlace { pointer: Some(pointer.to_owned()), bytes: found.key.unwrap_or(found.value) }
    }

    /// Whether some object gives a key twice.
    pub(crate) fn has_duplicate_keys(&self) -> bool {
        self.document.has_duplicate_keys()
    }

    /// The bytes of the whole text.
    pub(crate) fn text(&self) -> &'t [u8] {
        self.text
    }

    /// Checks that the document decodes into the Go type of its template, and that the schema is the
    /// one of the kind. Entries come first, because the reference decodes keys in their order.
    pub(crate) fn decode(
        &self,
        of: &'static GoStruct,
        schema: &'static str,
    ) -> Result<(), TypeMismatch<DocumentFault>> {
        let root = self.root();
        let refuse = |fault, pointer: &str| TypeMismatch { message: fault, place: Some(self.place(pointer)) };
        if root.is_null() {
            return Err(refuse(DocumentFault::Unmarshalling(NOTHING.to_owned()), ""));
        }
        let fit = go_type::check(root, &GoType::Struct(of));
        for (index, entry) in self.entries().enumerate() {
            let pointer = format!("/{}/{index}", ENTRIES.name);
            if entry.is_null() {
                return Err(refuse(DocumentFault::NullEntry { index }, &pointer));
            }
            meta::read(entry).map_err(|error| {
                refuse(DocumentFault::Unmarshalling(error.message), &format!("{pointer}{}", error.pointer))
            })?;
        }
        fit.map_err(|error| refuse(DocumentFault::Unmarshalling(error.message), &error.pointer))?;
        let found = go_type::text(root, SCHEMA.name);
        if found != schema {
            return Err(refuse(DocumentFault::Schema { found, expected: schema }, "/schema"));
        }
        Ok(())
    }

    fn entries(&self) -> impl Iterator<Item = Node<'_>> {
        go_type::field(self.root(), ENTRIES.name).into_iter().flat_map(Node::items)
    }

    /// The entries of a template that [`TemplateDocument::decode`] takes, as a catalog. The document
    /// of a blob's origin is the number of its entry; the catalog has no files.
    pub(crate) fn catalog(&self) -> Result<Catalog, TypeMismatch<String>> {
        let mut stream = String::new();
        for entry in self.entries() {
            json_writer::write_compact(&mut stream, entry);
            stream.push('\n');
        }
        let mut catalog = load::load_bytes(Path::new(""), stream.as_bytes());
        catalog.files.clear();
        match std::mem::take(&mut catalog.faults).into_iter().next() {
            None => Ok(catalog),
            Some(LoadFault { message, origin, place, .. }) => {
                let entry = origin.map(|origin| format!("/{}/{}", ENTRIES.name, origin.document));
                let within = if let FaultPlace::Pointer(pointer) = place { pointer } else { String::new() };
                let place = entry.map(|entry| self.place(&format!("{entry}{within}")));
                Err(TypeMismatch { message, place })
            }
        }
    }
}

/// Where a value of a document lies.
pub(crate) fn place_of(text: &[u8], range: &Range<usize>, syntax: Syntax, pointer: &str) -> TemplatePlace {
    let found = Locator::new(text, range.clone(), syntax).find(pointer);
    TemplatePlace { pointer: Some(pointer.to_owned()), bytes: found.value }
}

/// The reference's text for a document that its decoder refuses, and the place. What the caller
/// refuses gives text and pointer.
pub(crate) fn misfit<R>(
    text: &[u8],
    range: &Range<usize>,
    syntax: Syntax,
    fault: Fault<R>,
    rejected: impl FnOnce(R) -> (String, String),
) -> TypeMismatch<String> {
    let at_byte = |message, byte| TypeMismatch {
        message,
        place: Some(TemplatePlace { pointer: None, bytes: byte..byte }),
    };
    match fault {
        Fault::Malformed { message, byte } => at_byte(message, byte),
        Fault::Separator { rest, byte } => at_byte(format!("invalid Yaml document separator: {rest}"), byte),
        Fault::Rejected(rejection) => {
            let (message, pointer) = rejected(rejection);
            let prefix = match syntax {
                Syntax::Yaml => "error unmarshaling JSON: while decoding JSON: ",
                Syntax::Json => "",
            };
            let place = Some(place_of(text, range, syntax, &pointer));
            TypeMismatch { message: format!("{prefix}{message}"), place }
        }
    }
}
