//! Fragments that lead to themselves or are not used.

use std::collections::HashMap;

use super::{AllUses, Uses, Validator};

impl<'e> Validator<'e> {
    /// Refuses fragments that lead to themselves. Chains of fragments may be long, so the way to one is kept in a list.
    pub(super) fn cycles(&mut self, fragments: &[Uses<'e>]) {
        let document = self.document;
        let mut is_visited = vec![false; fragments.len()];
        for (root, fragment) in document.fragments.iter().enumerate() {
            if std::mem::replace(&mut is_visited[root], true) {
                continue;
            }
            // The spreads that led here; a fragment stands for the number of spreads before it.
            let mut spreads: Vec<(&str, usize)> = Vec::new();
            let mut depths = HashMap::from([(fragment.name.text, 0)]);
            let mut way = vec![(root, fragments[root].spreads.iter())];
            while let Some((place, rest)) = way.last_mut() {
                let Some((name, at)) = rest.next() else {
                    depths.remove(document.fragments[*place].name.text);
                    way.pop();
                    spreads.pop();
                    continue;
                };
                if let Some(depth) = depths.get(name.text) {
                    let cycle = spreads.get(*depth..).unwrap_or_default();
                    let names: Vec<&str> = cycle.iter().map(|(name, _)| *name).collect();
                    let via =
                        if names.is_empty() { String::new() } else { format!(" via {}", names.join(", ")) };
                    let places: Vec<usize> = cycle.iter().map(|(_, at)| *at).chain([*at]).collect();
                    self.error(
                        format!("Cannot spread fragment \"{}\" within itself{via}.", name.text),
                        &places,
                    );
                } else if let Some(place) = document.fragment_places.get(name.text)
                    && !std::mem::replace(&mut is_visited[*place], true)
                {
                    spreads.push((name.text, *at));
                    depths.insert(name.text, spreads.len());
                    way.push((*place, fragments[*place].spreads.iter()));
                }
            }
        }
    }

    /// Refuses fragments that no operation uses.
    pub(super) fn unused_fragments(&mut self, uses: &AllUses<'e>) {
        let mut is_used = vec![false; uses.fragments.len()];
        for operation in &uses.operations {
            self.follow(operation, &uses.fragments, &mut is_used);
        }
        let document = self.document;
        for (fragment, _) in document.fragments.iter().zip(is_used).filter(|(_, is_used)| !is_used) {
            self.error(format!("Fragment \"{}\" is never used.", fragment.name.text), &[fragment.at]);
        }
    }

    /// Marks the fragments that something uses, directly or through others.
    pub(super) fn follow(&self, from: &Uses<'e>, fragments: &[Uses<'e>], is_used: &mut [bool]) {
        let mut open = vec![from];
        while let Some(uses) = open.pop() {
            for (name, _) in &uses.spreads {
                if let Some(place) = self.document.fragment_places.get(name.text)
                    && !std::mem::replace(&mut is_used[*place], true)
                {
                    open.push(&fragments[*place]);
                }
            }
        }
    }
}
