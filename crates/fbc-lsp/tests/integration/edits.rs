//! Random edits: after each one, what the state of a package says is what a fresh load of the text says. While documents
//! are broken, the text is the one in which they are what they were before.
//!
//! `FBC_EDITS` says how many edits are made, and `FBC_CATALOG` names a catalog file to make them in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_lint::Policy;
use fbc_lsp::CatalogConfiguration;
use fbc_lsp::buffer::Buffer;
use fbc_lsp::catalog::{CatalogState, FileState, Judged, Place, WHOLE_CATALOG};
use fbc_lsp::position::{Encoding, position_of};
use fbc_model::tree::MemoryTree;
use fbc_model::writer::Format;
use fbc_rules::lint_under;
use lsp_types::Range;

const NAME: &str = "catalog.yaml";

/// Bytes in the whole text.
type Bytes = (usize, usize);

/// Rule, message, the place, and the other places.
type Found = Vec<(String, String, Option<Bytes>, Vec<Bytes>)>;

/// The text that counts, and where in it documents stand that are broken now: what is found there has no place.
fn meaning(buffer: &Buffer) -> (String, Vec<std::ops::Range<usize>>) {
    let (mut text, mut remembered) = (String::new(), Vec::new());
    for piece in &buffer.pieces {
        let start = text.len();
        text.push_str(piece.meaning());
        if piece.good.is_some() {
            remembered.push(start..text.len());
        }
    }
    (text, remembered)
}

fn fresh(buffer: &Buffer) -> Found {
    let (mut text, remembered) = meaning(buffer);
    // With a brace at its beginning the loader would read a file as JSON, and YAML behind it not at all.
    let added = if !buffer.is_json() && text.trim_start().starts_with('{') { "---\n" } else { "" };
    text.insert_str(0, added);
    let placed = |(start, end): Bytes| {
        let (start, end) = (start.checked_sub(added.len())?, end.checked_sub(added.len())?);
        (!remembered.iter().any(|range| range.contains(&start))).then_some((start, end))
    };

    let tree = MemoryTree::from_iter([(NAME, text.as_str())]);
    let report = lint_under(&fbc_lint::load(&tree), &tree, &Policy::default());
    let found = report.findings.into_iter().filter(|one| !WHOLE_CATALOG.contains(&one.finding.rule.code));
    let mut found: Found = found
        .map(|one| {
            let bytes = |span: fbc_lint::Span| (span.bytes.start, span.bytes.end);
            let related = one.related.into_iter().filter_map(|related| placed(related.span.map(bytes)?));
            let place = one.span.map(bytes).and_then(placed);
            (one.finding.rule.code.to_owned(), one.finding.message, place, related.collect())
        })
        .collect();
    found.sort();
    found
}

fn state(buffer: Arc<Buffer>) -> CatalogState {
    let files = BTreeMap::from([(PathBuf::from(NAME), FileState { buffer, is_open: true })]);
    CatalogState { root: PathBuf::from("/"), files }
}

fn held(state: &CatalogState, judged: &BTreeMap<String, Judged>) -> Found {
    let buffer = &state.files.get(Path::new(NAME)).unwrap().buffer;
    let mut starts = BTreeMap::new();
    let mut at = 0;
    for piece in &buffer.pieces {
        starts.insert(Arc::as_ptr(piece), at);
        at += piece.meaning().len();
    }
    let mut found: Found = judged
        .values()
        .flat_map(|judged| &judged.findings)
        .map(|one| {
            let bytes = |place: &Place| {
                let start = starts.get(&Arc::as_ptr(&place.piece)).copied().unwrap_or(usize::MAX / 2);
                place.piece.good.is_none().then_some((start + place.bytes.start, start + place.bytes.end))
            };
            let related = one.related.iter().filter_map(|related| bytes(&related.place)).collect();
            (one.rule.code.to_owned(), one.message.clone(), one.place.as_ref().and_then(bytes), related)
        })
        .collect();
    found.sort();
    found
}

/// A document of nothing but comments is marked at its separator or at its comment, depending on whether another document
/// stands before it: its place is not compared.
fn without_empty_places(mut found: Found) -> Found {
    for (_, message, place, _) in &mut found {
        if message == "the document holds nothing but comments or blank lines" {
            *place = None;
        }
    }
    found.sort();
    found
}

/// A document that ends too early is marked by the loader at the beginning of the next one, and while typing where it ends,
/// which is the same byte: the mark of the loader becomes as short, where there is such a mark.
fn with_early_ends(mut fresh: Found, held: &Found) -> Found {
    for one in &mut fresh {
        let at_end = (one.0.clone(), one.1.clone(), one.2.map(|(start, _)| (start, start)), one.3.clone());
        if one.0 == "FBC003" && held.contains(&at_end) {
            *one = at_end;
        }
    }
    fresh.sort();
    fresh
}

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

/// A line of the text is changed, doubled, moved or taken out, or a word in it is.
fn edit(text: &str, random: &mut Random) -> (std::ops::Range<usize>, String) {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = random.below(starts.len());
    let start = starts.get(line).copied().unwrap_or_default();
    let end = starts.get(line + 1).copied().unwrap_or(text.len());
    let content = text.get(start..end).unwrap_or_default().to_owned();
    match random.below(8) {
        0 => (start..end, String::new()),
        1 => (start..start, content),
        2 => {
            let other = starts.get(random.below(starts.len())).copied().unwrap_or_default();
            (other..other, content)
        }
        3 => (start..start, "---\n".to_owned()),
        4 => match content.rfind(' ') {
            Some(at) => (start + at + 1..start + content.trim_end().len().max(at + 1), "foo.v9".to_owned()),
            None => (start..start, "# note\n".to_owned()),
        },
        5 => match content.find(|c: char| c.is_ascii_digit()) {
            Some(at) => (start + at..start + at + 1, random.below(10).to_string()),
            None => (start..start, " ".to_owned()),
        },
        6 => (start..start, "- name: ü𝒳\n".to_owned()),
        _ => match content.find(':') {
            Some(at) => (start + at..start + at + 1, "[".to_owned()),
            None => (end..end, "\n".to_owned()),
        },
    }
}

const CATALOG: &str = include_str!("../../../../testdata/sample-catalog/lighthouse-operator/catalog.yaml");

/// The catalog as `fbc render -o json` writes it.
fn as_json(text: &str) -> String {
    let tree = MemoryTree::from_iter([(NAME, text)]);
    let mut json = Vec::new();
    fbc_model::writer::write(&fbc_lint::load(&tree), Format::Json, &mut json).unwrap();
    String::from_utf8(json).unwrap()
}

fn catalog() -> String {
    std::env::var("FBC_CATALOG").map_or(CATALOG.to_owned(), |path| std::fs::read_to_string(path).unwrap())
}

#[test]
fn a_session_of_edits_equals_fresh_loads() {
    session(&catalog());
}

#[test]
fn a_session_of_edits_of_json_equals_fresh_loads() {
    session(&as_json(&catalog()));
}

fn session(start: &str) {
    let count: usize = std::env::var("FBC_EDITS").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let mut random = Random(20);
    let mut text = start.to_owned();
    let mut buffer = Buffer::new(&text);
    let configuration = CatalogConfiguration::default();
    let judge = |state: &CatalogState, package: &str| state.judge(package, &configuration);
    let all = |state: &CatalogState| -> BTreeMap<String, Judged> {
        state.packages().into_iter().map(|package| (package.clone(), judge(state, &package))).collect()
    };
    let mut judged = all(&state(Arc::new(buffer.clone())));
    let (mut compared, mut broken, mut undo) = (0, 0, Vec::new());
    let mut not_compared = 0;
    for number in 0..count {
        // Most edits are taken back, so that not everything is broken for ever.
        let back = if random.below(3) > 0 { undo.pop() } else { None };
        let is_undo = back.is_some();
        let (range, new) = back.unwrap_or_else(|| edit(&text, &mut random));
        let position = |byte| position_of(&text, byte, Encoding::Utf16);
        let wanted = Range::new(position(range.start), position(range.end));
        let before = state(Arc::new(buffer.clone())).declared();
        let old = text.get(range.clone()).unwrap().to_owned();
        if !is_undo {
            undo.push((range.start..range.start + new.len(), old));
        }
        text.replace_range(range, &new);
        // Some clients send the whole text each time.
        let change = if number % 7 == 0 { (None, text.clone()) } else { (Some(wanted), new) };
        let mut changed = buffer.edit([change], Encoding::Utf16);
        assert_eq!(buffer.text(), text, "edit {number}");
        let now = state(Arc::new(buffer.clone()));
        if now.reaches_others(&changed, &before) {
            changed = now.packages();
        }
        for package in changed {
            judged.insert(package.clone(), judge(&now, &package));
        }
        judged.retain(|package, _| now.packages().contains(package));
        // Separators in a row are documents or not by their number; nobody is told of those while typing.
        let (meant, _) = meaning(&buffer);
        let has_doubled = meant.starts_with("---\n---") || meant.contains("\n---\n---");
        let is_broken = buffer.pieces.iter().any(|piece| piece.fault.is_some());
        // What a document that was never whole means is for the loader alone to say.
        let is_lost = buffer.pieces.iter().any(|piece| piece.fault.is_some() && piece.good.is_none());
        let is_comparable = !(has_doubled || is_lost && buffer.is_json());
        not_compared += usize::from(!is_comparable);
        broken += usize::from(is_broken && is_comparable);
        if is_comparable {
            let held = without_empty_places(held(&now, &judged));
            let fresh = with_early_ends(without_empty_places(fresh(&buffer)), &held);
            assert_eq!(held, fresh, "edit {number} of\n{text}\nwhich counts as\n{meant}");
            compared += 1;
        }
        if is_broken || has_doubled {
            // The rest of the session must not be spent in a text that cannot be read.
            if random.below(20) == 0 {
                let before = state(Arc::new(buffer.clone())).declared();
                let mut changed = buffer.edit([(None, start.to_owned())], Encoding::Utf16);
                text = start.to_owned();
                undo.clear();
                let now = state(Arc::new(buffer.clone()));
                if now.reaches_others(&changed, &before) {
                    changed = now.packages();
                }
                for package in changed {
                    judged.insert(package.clone(), judge(&now, &package));
                }
                judged.retain(|package, _| now.packages().contains(package));
            }
        }
    }
    println!(
        "{count} edits: {compared} states compared with a fresh load, {broken} of them with a broken document; \
         {not_compared} had separators in a row, or JSON that was never whole"
    );
    assert!(compared * 10 >= count * 7, "too few states could be compared: {compared} of {count}");
}

/// The loader reads a file that begins with a brace as JSON, and nothing behind what is broken there.
#[test]
fn a_brace_before_the_first_separator_takes_no_findings_away() {
    let package = "---\nschema: olm.package\nname: foo\ndefaultChannel: none\n";
    let bundle = "---\nschema: olm.bundle\npackage: bar\nname: bar.v1\n";
    let judge = |buffer: &Buffer| {
        let state = state(Arc::new(buffer.clone()));
        let judged =
            |package: String| (package.clone(), state.judge(&package, &CatalogConfiguration::default()));
        held(&state, &state.packages().into_iter().map(judged).collect())
    };
    for typed in ["{\n", "  {\n", "{\"schema\": 5}\n"] {
        let mut buffer = Buffer::new(&[package, bundle].concat());
        let before = judge(&buffer);
        assert!(!before.is_empty());
        buffer.edit([(Some(Range::default()), typed.to_owned())], Encoding::Utf16);
        let moved = |bytes: Option<Bytes>| bytes.map(|(from, to)| (from + typed.len(), to + typed.len()));
        let expected = before.into_iter().map(|(rule, message, place, related)| {
            (rule, message, moved(place), related.into_iter().filter_map(|one| moved(Some(one))).collect())
        });
        let (new, old): (Found, Found) = judge(&buffer)
            .into_iter()
            .partition(|(_, _, place, _)| place.is_some_and(|at| at.0 <= typed.len()));
        assert_eq!(old, expected.collect::<Found>(), "{typed:?}");
        assert_eq!(new.len(), 1, "{typed:?}: {new:?}");
    }
}

/// The recorded catalogs of real size, if they lie beside the checkout.
#[test]
fn packages_judged_one_by_one_are_the_catalog() {
    let Some(folder) = fbc_testing::recordings("catalogs") else { return };
    let catalogs = std::fs::read_dir(folder).unwrap();
    for catalog in catalogs {
        let root = catalog.unwrap().path();
        let tree = fbc_model::tree::DiskTree { root: root.clone() };
        let report = lint_under(&fbc_lint::load(&tree), &tree, &Policy::default());
        let whole = report.findings.into_iter().filter(|one| !WHOLE_CATALOG.contains(&one.finding.rule.code));
        let mut whole: Vec<(PathBuf, &str, String)> = whole
            .map(|one| {
                (
                    one.finding.place.map(|place| place.path).unwrap_or_default(),
                    one.finding.rule.code,
                    one.finding.message,
                )
            })
            .collect();
        let (state, _) = CatalogState::load(&root, &tree, &BTreeMap::new());
        let judged = state
            .packages()
            .into_iter()
            .flat_map(|package| state.judge(&package, &CatalogConfiguration::default()).findings);
        let mut parts: Vec<(PathBuf, &str, String)> =
            judged.map(|one| (one.path, one.rule.code, one.message)).collect();
        whole.sort();
        parts.sort();
        assert_eq!(parts, whole, "{}", root.display());
    }
}
