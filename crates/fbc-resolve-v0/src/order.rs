//! The order of the entries of a channel: from its head along `replaces`.
//!
//! Source: `operator-framework/operator-lifecycle-manager:pkg/controller/registry/resolver/resolver.go` (`sortChannel`).

use std::collections::{HashMap, HashSet};

use fbc_go::text::quote;

use crate::catalog::Entry;
use crate::error::Refusal;

/// The entries of one channel from its head to its tail, as indexes into the given ones. Those that another one skips are left
/// out.
///
/// # Errors
/// OLM's text if there is not exactly one head, or a cycle.
pub(crate) fn sort_channel(entries: &[&Entry]) -> Result<Vec<usize>, Refusal> {
    let Some(first) = entries.first() else { return Ok(Vec::new()) };
    let place = format!("channel {} of package {}", quote(&first.channel), quote(&first.bundle.package));
    let by_name: HashMap<&str, usize> =
        entries.iter().enumerate().map(|(index, entry)| (entry.name(), index)).collect();
    let mut is_replaced = vec![false; entries.len()];
    let mut next: Vec<Option<usize>> = vec![None; entries.len()];
    let mut skipped: HashSet<&str> = HashSet::new();
    for (index, entry) in entries.iter().enumerate() {
        if let Some(&replaced) = by_name.get(entry.replaces.as_str()) {
            set(&mut is_replaced, replaced);
            if let Some(slot) = next.get_mut(index) {
                *slot = Some(replaced);
            }
        }
        for skip in &entry.skips {
            if let Some(&replaced) = by_name.get(skip.as_str()) {
                set(&mut is_replaced, replaced);
                skipped.insert(skip);
            }
        }
    }
    let heads: Vec<usize> =
        (0..entries.len()).filter(|index| is_replaced.get(*index) == Some(&false)).collect();
    if heads.is_empty() {
        let text = format!("no channel heads (entries not replaced by another entry) found in {place}");
        return Err(Refusal(text));
    }
    let name = |index: usize| entries.get(index).map(|entry| entry.name()).unwrap_or_default();
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for &head in &heads {
        let mut visited = HashSet::from([head]);
        let mut chain = Vec::new();
        let mut current = head;
        loop {
            if !skipped.contains(name(current)) {
                chain.push(current);
            }
            let Some(follower) = next.get(current).copied().flatten() else { break };
            if !visited.insert(follower) {
                let head = quote(name(head));
                return Err(Refusal(format!(
                    "a cycle exists in the chain of replacement beginning with {head} in {place}"
                )));
            }
            current = follower;
        }
        chains.push(chain);
    }
    if let [_, _, ..] = chains.as_slice() {
        let shown = |chain: &Vec<usize>| match chain.as_slice() {
            [] => "[]".to_owned(),
            [one] => name(*one).to_owned(),
            [first, .., last] => format!("{}...{}", name(*first), name(*last)),
        };
        let shown: Vec<String> = chains.iter().map(shown).collect();
        return Err(Refusal(format!(
            "a unique replacement chain within a channel is required to determine the relative order between channel entries, \
             but {} replacement chains were found in {place}: {}",
            chains.len(),
            shown.join(", ")
        )));
    }
    Ok(chains.into_iter().next().unwrap_or_default())
}

fn set(flags: &mut [bool], index: usize) {
    if let Some(flag) = flags.get_mut(index) {
        *flag = true;
    }
}

#[cfg(test)]
#[path = "order_tests.rs"]
mod tests;
