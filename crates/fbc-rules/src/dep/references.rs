//! What the rules of deprecations share: the references that opm looks at, and its order.

use std::collections::HashSet;

use fbc_go::text::quote;
use fbc_lint::context::{Context, PackageView};
use fbc_lint::finding::{ConversionOrder, Finding, OpmText, Phase, Place, Subject};
use fbc_lint::rule::Rule;
use fbc_model::{Deprecation, DeprecationEntry};

/// A reference to what is deprecated, in a blob whose package exists.
#[derive(Clone, Copy)]
pub(super) struct Reference<'a, 'c> {
    /// The number of the blob in load order.
    pub(super) blob_number: usize,
    /// The blob.
    pub(super) blob: &'c Deprecation,
    /// The number of the entry.
    pub(super) number: usize,
    /// The entry.
    pub(super) entry: &'c DeprecationEntry,
    /// The package.
    pub(super) view: &'a PackageView<'c>,
    /// Whether an earlier entry of the blob has the same reference. opm looks no further at it.
    pub(super) is_repeated: bool,
}

/// All references with a schema, in opm's order.
pub(super) fn references<'a, 'c>(context: &'a Context<'c>) -> impl Iterator<Item = Reference<'a, 'c>> {
    with_number(context).flat_map(move |(blob_number, blob, view)| {
        let mut seen = HashSet::new();
        blob.entries().iter().enumerate().filter(|(_, entry)| !entry.schema.is_empty()).map(
            move |(number, entry)| {
                let is_repeated = !seen.insert((entry.schema.as_str(), entry.name.as_str()));
                Reference { blob_number, blob, number, entry, view, is_repeated }
            },
        )
    })
}

/// All blobs whose package exists.
pub(super) fn with_number<'a, 'c>(
    context: &'a Context<'c>,
) -> impl Iterator<Item = (usize, &'c Deprecation, &'a PackageView<'c>)> {
    let blobs = context.catalog.deprecations.iter().enumerate();
    blobs.filter_map(|(number, blob)| Some((number, blob, context.packages.get(blob.package.as_str())?)))
}

/// A text of opm's conversion of deprecations.
pub(super) fn conversion(blob: usize, item: usize, check: u8, text: String) -> OpmText {
    let order = ConversionOrder { phase: Phase::Deprecations, blob: blob as u32, check, item: item as u32 };
    OpmText::Conversion { order, text }
}

impl Reference<'_, '_> {
    /// The place of a part of the entry, such as `/message`.
    pub(super) fn place(&self, context: &Context<'_>, part: &str) -> Place {
        context.value(self.blob.origin, format!("/entries/{}{part}", self.number))
    }

    /// A finding about the name of the reference, that opm refuses with a text.
    pub(super) fn refused(
        &self,
        context: &Context<'_>,
        rule: &'static Rule,
        check: u8,
        message: String,
        text: String,
    ) -> Finding {
        let part = if self.entry.name.is_empty() { "/reference" } else { "/reference/name" };
        Finding::new(rule, message)
            .at(self.place(context, part))
            .about(Subject::package(&self.blob.package))
            .opm(conversion(self.blob_number, self.number, check, text))
    }

    /// The reference as Go prints it.
    pub(super) fn go_text(&self) -> String {
        let (schema, name) = (quote(&self.entry.schema), quote(&self.entry.name));
        format!("declcfg.PackageScopedReference{{Schema:{schema}, Name:{name}}}")
    }
}
