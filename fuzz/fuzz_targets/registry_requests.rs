//! Any requests to a registry over a directory, one after another: each is answered, the directory stays a layout, and
//! nothing is written beside it.
//! The input is the requests with a line `=======` before each.
#![no_main]

use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fbc_fuzz::{collected, parts, request, scratch};
use fbc_image::ImageError;
use fbc_registry::block_on;
use fbc_registry::server::{Options, Registry};
use libfuzzer_sys::fuzz_target;

/// Requests in a row.
const MOST: usize = 6;
/// What stands in a request for the address that the answer before names.
const LOCATION: &str = "LOCATION";

/// A registry whose uploads are counted, and whose clock stands still.
fn open(directory: &Path) -> Result<Registry, ImageError> {
    let begun = AtomicU64::new(0);
    let options = Options {
        random: Box::new(move || Ok(begun.fetch_add(1, Ordering::Relaxed).into())),
        clock: Box::new(|| Duration::ZERO),
        bytes: 1 << 20,
        stall: Duration::from_secs(5),
    };
    Registry::open(directory, options)
}

fuzz_target!(|text: &str| {
    let place = scratch();
    let directory = place.path().join("layout");
    let registry = open(&directory).expect("a new layout");
    let mut location = String::new();
    for text in parts::<MOST>(text) {
        let Some(request) = request(&text.replace(LOCATION, &location)) else { continue };
        let answered = async {
            let (head, body) = registry.answer(Ipv4Addr::LOCALHOST.into(), request).await.into_parts();
            (head, collected(body).await.expect("a body that is whole"))
        };
        let (head, body) = block_on(answered).expect("a runtime");
        assert!(head.status.as_u16() < 500, "{} {body:?}", head.status);
        if let Some(named) = head.headers.get("location") {
            location = named.to_str().expect("an address").to_owned();
        }
    }
    drop(registry);
    open(&directory).expect("a layout still");
    assert_eq!(fs::read_dir(place.path()).expect("a directory").count(), 1);
});
