//! The pages of `fbc serve --ui` in a browser, over a catalog of 300 packages.

use super::browser::Browser;
use super::generated::{self, DEPRECATED_PACKAGE, HOSTILE_PACKAGE, PACKAGES, WHOLE_PACKAGE};
use super::server::{Server, sample};

/// A server with the generated catalog, and its address.
struct Site {
    _folder: tempfile::TempDir,
    _server: Server,
    address: String,
}

impl Site {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("catalog.json");
        generated::write(&file);
        let reference = format!("big={}", file.display());
        let options = ["serve", &reference, "--http", "127.0.0.1:0", "--ui", "--poll", "never"];
        let server = Server::start(&options, 1);
        let address = format!("http://{}/ui", server.addresses[0]);
        Self { _folder: folder, _server: server, address }
    }

    fn package(&self, number: usize) -> String {
        let mut address = url::Url::parse(&self.address).unwrap();
        address.path_segments_mut().unwrap().extend(["big", "packages", &generated::package(number)]);
        address.to_string()
    }

    fn bundle(&self, number: usize, minor: usize) -> String {
        let mut address = url::Url::parse(&self.package(number)).unwrap();
        address.path_segments_mut().unwrap().extend(["bundles", &generated::bundle(number, minor)]);
        address.to_string()
    }
}

/// Whether a text is shown.
fn shows(browser: &mut Browser, text: &str) -> bool {
    browser.see("document.querySelector('main').innerText").as_str().unwrap().contains(text)
}

const SHOWN_CARDS: &str = "[...document.querySelectorAll('.card')].filter((card) => !card.hidden).length";

#[test]
fn packages_are_found_with_the_keyboard_alone() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::start();
    browser.open(&format!("{}/", site.address));
    // The only catalog is shown at once.
    assert!(browser.see("location.pathname").as_str().unwrap().ends_with("/ui/big/"));
    assert_eq!(browser.see(SHOWN_CARDS), PACKAGES);
    assert_eq!(browser.see("document.querySelector('#shown').textContent"), "300 packages");
    // Icons that browsers show are shown, and others are letters.
    let loaded = "Promise.all([...document.querySelectorAll('img.icon')].map((icon) => { icon.loading = 'eager'; \
                  return icon.decode().then(() => 1, () => 0); })).then((all) => all.reduce((sum, one) => sum + one))";
    assert_eq!(browser.see(loaded), PACKAGES / 3);
    assert_eq!(browser.see("document.querySelectorAll('.letter').length"), PACKAGES - PACKAGES / 3);
    // A slash leads to the search, which narrows the list while it is typed.
    browser.press("/");
    assert_eq!(browser.see("document.activeElement.id"), "search");
    browser.enter("operator 123");
    assert_eq!(browser.see(SHOWN_CARDS), 1);
    assert_eq!(browser.see("document.querySelector('#shown').textContent"), "1 of 300 packages");
    browser.press("Escape");
    assert_eq!(browser.see(SHOWN_CARDS), PACKAGES);
    // j and k go through the list, Enter opens, u goes up.
    for key in ["j", "j", "j", "k"] {
        browser.press(key);
    }
    assert_eq!(browser.see("document.activeElement.textContent"), "Operator 1");
    browser.press("Enter");
    browser.settled();
    while browser.see("document.querySelector('h1')?.textContent") != "Operator 1" {}
    browser.press("u");
    while browser.see("document.querySelector('h1')?.textContent") != "Packages" {}
    // The first key leads past the navigation.
    browser.open(&format!("{}/big/", site.address));
    browser.press("Tab");
    assert_eq!(browser.see("document.activeElement.className"), "skip");
    assert_eq!(browser.faults(), [""; 0]);
}

#[test]
fn a_package_and_its_bundles_say_what_they_are() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::start();
    browser.open(&site.package(WHOLE_PACKAGE));
    for text in ["Operator 7", "package-007", "stable", "default", "1.4.0", "6 bundles", "nobody@example.com"]
    {
        assert!(shows(&mut browser, text), "{text}");
    }
    browser.open(&site.bundle(WHOLE_PACKAGE, 3));
    for text in
        ["secrets", "keeper", "Kind007", "quay.io/example/operator-7:v1.3", "replaces 1.2.0", "by replaces"]
    {
        assert!(shows(&mut browser, text), "{text}");
    }
    browser.open(&site.bundle(4, 1));
    for text in
        ["fbc bundle rbac", "its olm.maxOpenShiftVersion is 4.18", "4.14 to 4.15: it needs Kubernetes 1.29.0"]
    {
        assert!(shows(&mut browser, text), "{text}");
    }
    browser.open(&site.package(DEPRECATED_PACKAGE));
    assert!(shows(&mut browser, "This package is deprecated. Use another one"));
    browser.open(&format!("{}/big/deprecations", site.address));
    for text in ["the whole package", "Too fast.", "Too old."] {
        assert!(shows(&mut browser, text), "{text}");
    }
    // The drawing is a page of its own in the page.
    browser.open(&format!("{}/graph?version={}", site.package(0), generated::bundle(0, 1)));
    let drawn = "document.querySelector('iframe').contentDocument";
    while browser.see(&format!("{drawn}?.documentElement?.dataset.ready")) != "true" {}
    assert!(browser.see(&format!("{drawn}.querySelectorAll('.dot').length")).as_u64().unwrap() >= 4);
    assert_eq!(browser.see(&format!("{drawn}.querySelector('#details h2').textContent")), "1.1.0");
    // Links that are not to the web are texts.
    browser.open(&site.bundle(4, 1));
    assert_eq!(browser.see("[...document.links].filter((one) => one.protocol === 'javascript:').length"), 0);
    assert_eq!(browser.faults(), [""; 0]);
}

#[test]
fn the_question_is_answered_while_it_is_asked() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::start();
    browser.open(&format!("{}/resolve", site.package(0)));
    assert!(shows(&mut browser, "OLM v1 installs 1.3.0") && shows(&mut browser, "installs 1.2.0, its head"));
    browser.see("document.querySelector('input[value=stable]').click()");
    while browser.see("location.search") != "?channel=stable" {}
    browser.settled();
    assert!(
        shows(&mut browser, "OLM v1 installs 1.2.0")
            && shows(&mut browser, "newer: 1.3.0 is in channel fast")
    );
    assert!(shows(&mut browser, "fbc resolve package-000 --catalog big=REF --channel stable --explain"));
    let installed = generated::bundle(0, 0);
    let address = format!("{}/resolve?channel=stable&installed={installed}&version=1.2.0", site.package(0));
    browser.open(&address);
    for text in [
        "OLM v1 installs nothing",
        "no edge leads to it from 1.0.0",
        "go step by step",
        "removed: no edge leads to it",
    ] {
        assert!(shows(&mut browser, text), "{text}");
    }
    browser.open(&format!("{}/big/search?q=kind042", site.address));
    assert!(shows(&mut browser, "Kind042.example.com/v1") && shows(&mut browser, "Operator 42"));
    browser.open(&format!("{}/big/search?q=operator-42:v1.3", site.address));
    assert!(shows(&mut browser, "package-042.v1.3.0"));
    assert_eq!(browser.faults(), [""; 0]);
}

#[test]
fn names_of_strangers_stay_names() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::start();
    for address in [
        format!("{}/big/", site.address),
        format!("{}/big/deprecations", site.address),
        format!("{}/big/search?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E%1b", site.address),
        site.package(HOSTILE_PACKAGE),
        format!("{}/graph", site.package(HOSTILE_PACKAGE)),
        format!("{}/graph/drawing", site.package(HOSTILE_PACKAGE)),
        format!("{}/resolve?installed=%22%3E%3Cb%3E&version=%3Cb%3E", site.package(HOSTILE_PACKAGE)),
        site.bundle(HOSTILE_PACKAGE, 1),
        format!("{}/icon", site.package(0)),
    ] {
        browser.open(&address);
        // What an icon tries by itself is refused, and that is what is to be heard.
        let is_icon = address.ends_with("/icon");
        assert_ne!(browser.see("document.title"), "owned", "{address}");
        assert_eq!(
            browser.see("document.querySelectorAll('img[onerror], main script').length"),
            0,
            "{address}"
        );
        let text = browser.see("document.documentElement.outerHTML");
        assert!(!text.as_str().unwrap().contains('\u{202e}'), "{address}");
        let faults = browser.faults();
        assert!(is_icon || faults.is_empty(), "{address}: {faults:?}");
    }
}

#[test]
fn every_page_fits_a_phone_and_the_dark() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::start();
    let pages = [
        format!("{}/big/", site.address),
        format!("{}/big/deprecations", site.address),
        format!("{}/big/search?q=kind04", site.address),
        site.package(WHOLE_PACKAGE),
        site.package(HOSTILE_PACKAGE),
        format!("{}/graph", site.package(0)),
        format!("{}/resolve?installed={}", site.package(0), generated::bundle(0, 0)),
        site.bundle(WHOLE_PACKAGE, 3),
    ];
    for (width, scheme) in [(1280, "light"), (390, "light"), (390, "dark")] {
        browser.look(width, scheme);
        for page in &pages {
            browser.open(page);
            let beyond =
                browser.see("document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert_eq!(beyond, 0, "{page} at {width}");
            // Text stands out from its ground: the ratio that accessibility asks for.
            let poor = browser.see(POOR_CONTRAST);
            assert_eq!(poor, serde_json::json!([]), "{page} in the {scheme}");
        }
    }
    assert_eq!(browser.faults(), [""; 0]);
}

/// The texts whose contrast is below 4.5, by the formula of WCAG 2.
const POOR_CONTRAST: &str = r"(() => {
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parts = (text) => text.match(/[\d.]+/g).map(Number);
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parts(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const poor = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own.length || !element.checkVisibility()) continue;
    const [a, b] = [light(parts(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.add(`${element.className || element.tagName} ${ratio.toFixed(2)}`);
  }
  return [...poor];
})()";

#[test]
fn pages_are_there_only_where_they_are_wanted() {
    let reference = format!("sample={}", sample().display());
    let plain = Server::start(&["serve", &reference, "--http", "127.0.0.1:0", "--poll", "never"], 1);
    assert_eq!(plain.get("/ui/").0, 404);
    drop(plain);
    let server = Server::start(&["serve", &reference, "--http", "127.0.0.1:0", "--poll", "never", "--ui"], 1);
    for (path, status) in [
        ("/", 302),
        ("/ui/", 302),
        ("/ui/sample/", 200),
        ("/ui/sample/packages/lighthouse-operator", 200),
        ("/ui/sample/packages/lighthouse-operator/icon", 200),
        ("/ui/sample/packages/none", 404),
        ("/ui/sample/packages/lighthouse-operator/bundles/none", 404),
        ("/ui/none/", 404),
        ("/ui/%zz", 404),
        ("/ui/_/none", 404),
        ("/catalogs/sample/api/v1/metas?schema=olm.package", 200),
        ("/readyz", 200),
    ] {
        assert_eq!(server.get(path).0, status, "{path}");
    }
}
