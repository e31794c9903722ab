//! Command lines: those that suit the input, and those that may not.

use crate::random::Random;

/// What one does with a catalog in the directory `cat`, or from standard input.
pub(super) const FOR_CATALOGS: &[&str] = &[
    "validate cat",
    "validate cat",
    "validate cat -o json",
    "validate cat -o yaml",
    "render cat",
    "render cat -o yaml",
    "render cat --migrate",
    "render cat -o yaml --migrate-level bundle-object-to-csv-metadata",
    "alpha list packages cat",
    "alpha list channels cat",
    "alpha list bundles cat",
    "alpha render-graph cat",
    "alpha render-graph cat --draw-v0-semantics",
    "alpha convert-template basic -",
    "alpha convert-template substitutes - -o yaml",
    "alpha render-template -",
    "alpha render-template basic -",
    "alpha render-template semver - -o yaml",
    "alpha render-template substitutes -",
];

/// What one does with a bundle in the directory `bundle`.
pub(super) const FOR_BUNDLES: &[&str] = &[
    "render bundle",
    "render bundle",
    "render bundle -o yaml",
    "render bundle -o yaml --migrate --alpha-image-ref-template q.io/{{.Package}}:{{.Version}}",
    "render bundle --migrate --alpha-image-ref-template q.io/{{.Package}}/{{.Name}}:v{{.Version}}",
];

const COMMANDS: [&[&str]; 14] = [
    &["render"],
    &["validate"],
    &["init"],
    &["migrate"],
    &["generate", "dockerfile"],
    &["alpha", "list", "packages"],
    &["alpha", "list", "bundles"],
    &["alpha", "list"],
    &["alpha", "render-graph"],
    &["alpha", "render-template"],
    &["alpha", "convert-template", "basic"],
    &["alpha", "convert-template"],
    &["generate"],
    &["version"],
];

const WORDS: [&str; 44] = [
    "cat",
    "cat",
    "cat",
    "./cat/",
    "cat/catalog.yaml",
    "nowhere",
    "",
    "-",
    "foo",
    "lighthouse-operator",
    "-o",
    "-o",
    "json",
    "yaml",
    "-o=yaml",
    "-ojson",
    "--output",
    "--output=xml",
    "--output=",
    "--migrate",
    "--migrate=false",
    "--migrate-level",
    "--migrate-level=all",
    "--migrate-level=x",
    "--minimum-edge",
    "-p",
    "--draw-v0-semantics",
    "--draw-v0-semantics=maybe",
    "-c",
    "stable",
    "-l",
    "a=b",
    "-l=a=b,c=d",
    "-b",
    "scratch",
    "-i",
    "--use-http",
    "--skip-tls-verify",
    "--bogus",
    "-z",
    "--",
    "--migrate=",
    "basic",
    "--debug",
];

/// A command with arguments and flags, of which some fit.
pub(super) fn any(random: &mut Random) -> Vec<String> {
    let mut words: Vec<String> = random
        .choose(&COMMANDS)
        .map(|words| words.iter().map(|word| (*word).to_owned()).collect())
        .unwrap_or_default();
    if words == ["init"] || random.below(3) > 0 {
        words.push("cat".to_owned());
    }
    for _ in 0..random.below(4) {
        let at = 1 + random.below(words.len() as u64) as usize;
        words.insert(at, random.choose(&WORDS).map(|word| (*word).to_owned()).unwrap_or_default());
    }
    words
}
