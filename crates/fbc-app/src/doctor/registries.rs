//! Registries: mirrors, blocked and insecure registries, proxies, and whether the network may be used.

use fbc_registry::Registries;
use fbc_registry::mirrors::overview::{MirrorOverview, RegistryOverview};
use fbc_source::Error;

use super::Places;
use super::item::Item;

pub(super) fn items(places: &Places) -> Vec<Item> {
    let mut items = Vec::new();
    let paths = &places.registries;
    let files: Vec<String> = paths
        .configurations()
        .iter()
        .chain(&paths.mirror_sets)
        .map(|path| path.display().to_string())
        .collect();
    match Registries::read(paths) {
        Err(error) => items.push(Item::from(Error::from(error))),
        Ok(_) if files.is_empty() => {
            items.push(Item::note("no registries.conf: registries are asked themselves"))
        }
        Ok(registries) => {
            items.push(Item::good(format!("configured by {}", files.join(", "))));
            items.extend(registries.overview().iter().flat_map(of_registry));
        }
    }
    let proxies = &places.proxies;
    let shown = [("HTTP", &proxies.http), ("HTTPS", &proxies.https)];
    for (name, value) in shown {
        items.extend(
            value.as_ref().map(|value| Item::note(format!("proxy for {name}: {}", without_user(value)))),
        );
    }
    items.extend(proxies.no_proxy.as_ref().map(|hosts| Item::note(format!("no proxy for {hosts}"))));
    if places.is_offline {
        items.push(Item::note(
            "no registry is asked, because of --offline or FBC_OFFLINE: images come from the cache",
        ));
    }
    items
}

fn of_registry(registry: &RegistryOverview<'_>) -> Vec<Item> {
    let prefix = registry.prefix;
    let mut items = Vec::new();
    let mirrors: Vec<String> = registry.mirrors.iter().map(mirror).collect();
    if !mirrors.is_empty() {
        items.push(Item::good(format!("{prefix} is pulled from {}", mirrors.join(", then "))));
    }
    items.extend(registry.location.map(|location| Item::good(format!("{prefix} is at {location}"))));
    items.extend(registry.blocked_by.map(|by| Item::note(format!("{prefix} itself is blocked by {by}"))));
    let insecure = registry.mirrors.iter().filter(|mirror| mirror.is_insecure).map(|mirror| mirror.location);
    for place in insecure.chain(registry.is_insecure.then_some(prefix)) {
        items.push(Item::warning(
            format!("{place} is `insecure`: whoever is on the way may read credentials and change images"),
            "put its authority into certs.d, and remove `insecure`",
        ));
    }
    items
}

fn mirror(mirror: &MirrorOverview<'_>) -> String {
    let location = mirror.location;
    mirror.only.map_or_else(|| location.to_owned(), |only| format!("{location} ({only} only)"))
}

/// The address of a proxy without the user and password that it may hold.
fn without_user(address: &str) -> String {
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), address),
    };
    let host = rest.rsplit('@').next().unwrap_or(rest);
    format!("{scheme}{host}")
}

#[cfg(test)]
mod tests {
    use super::without_user;

    #[test]
    fn proxies_without_passwords() {
        for (address, expected) in [
            ("http://me:p@ss@proxy:3128", "http://proxy:3128"),
            ("me:secret@proxy:3128", "proxy:3128"),
            ("http://proxy", "http://proxy"),
        ] {
            assert_eq!(without_user(address), expected);
        }
    }
}
