use std::path::Path;

use fbc_model::load::load_bytes;

use super::*;
use crate::catalog::Catalog;

/// The order of a channel that is written as `NAME[>REPLACES][!SKIP,SKIP…]` for each entry.
fn order(channel: &str) -> Result<String, String> {
    let mut blobs = String::from(r#"{"schema": "olm.package", "name": "p", "defaultChannel": "c"}"#);
    let mut entries = Vec::new();
    for entry in channel.split(' ') {
        let (entry, skips) = entry.split_once('!').unwrap_or((entry, ""));
        let (name, replaces) = entry.split_once('>').unwrap_or((entry, ""));
        let skips: Vec<String> =
            skips.split(',').filter(|skip| !skip.is_empty()).map(|skip| format!("{skip:?}")).collect();
        entries.push(format!(
            r#"{{"name": {name:?}, "replaces": {replaces:?}, "skips": [{}]}}"#,
            skips.join(",")
        ));
        blobs += &format!(r#"{{"schema": "olm.bundle", "package": "p", "name": {name:?}}}"#);
    }
    blobs += &format!(
        r#"{{"schema": "olm.channel", "package": "p", "name": "c", "entries": [{}]}}"#,
        entries.join(",")
    );
    let catalog = Catalog::new(&load_bytes(Path::new("p.json"), blobs.as_bytes()));
    let entries: Vec<&Entry> = catalog.entries().iter().collect();
    assert_eq!(entries.len(), channel.split(' ').count());
    let order = sort_channel(&entries).map_err(|refusal| refusal.0)?;
    Ok(order.into_iter().map(|index| entries[index].name()).collect::<Vec<&str>>().join(" "))
}

#[test]
fn entries_are_in_order_from_head_to_tail() {
    let table = [
        ("a", "a"),
        ("a b>a c>b", "c b a"),
        // What is skipped is left out, but followed through.
        ("a b>a c>b!b", "c a"),
        ("a b>a c>a!b", "c a"),
        // What is not in the channel is not missed.
        ("b>a c>b!x", "c b"),
        // An entry that nothing leads to, but that is skipped, is no head.
        ("a x c>a!x", "c a"),
    ];
    for (channel, expected) in table {
        assert_eq!(order(channel).as_deref(), Ok(expected), "{channel}");
    }
}

/// V0-042
#[test]
fn channels_without_an_order_are_refused() {
    let unique = "a unique replacement chain within a channel is required to determine the relative order between channel \
                  entries, but";
    let place = r#"in channel "c" of package "p""#;
    let table = [
        ("a>b b>a", format!("no channel heads (entries not replaced by another entry) found {place}")),
        (
            "a>c b>a c>b d>b",
            format!(r#"a cycle exists in the chain of replacement beginning with "d" {place}"#),
        ),
        ("a b c>a", format!("{unique} 2 replacement chains were found {place}: b, c...a")),
        ("a x!x b", format!("{unique} 2 replacement chains were found {place}: a, b")),
    ];
    for (channel, expected) in table {
        assert_eq!(order(channel), Err(expected), "{channel}");
    }
}
