//! The examples at the end of every `--help`, in one table. A test parses each of them, and finds commands without one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::Command;
use clap::builder::StyledStr;

/// What a command line is for, and the command line. It belongs to the command that it calls.
const EXAMPLES: &[(&str, &str)] = &[
    ("Every problem of the catalogs here", "fbc validate"),
    (
        "What a pull request brings, for code scanning",
        "fbc validate --base origin/main -o sarif --output-file findings.sarif catalogs/",
    ),
    ("An image, for two releases of OpenShift", "fbc validate --ocp 4.18,4.19 quay.io/me/catalog:v4.19"),
    ("Fix what is safe to fix, and show the rest", "fbc validate --fix catalog/"),
    ("One stream of YAML, as opm writes it", "fbc render -o yaml catalog/"),
    ("Bundles and catalogs, put together", "fbc render catalog/ quay.io/me/bundle:v1.2.3"),
    ("The bundle here", "fbc bundle validate"),
    ("Against the Kubernetes of two releases", "fbc bundle validate --ocp 4.18,4.19 bundle/"),
    (
        "A bundle as blobs of a catalog",
        "fbc bundle render -o yaml bundle/ --image-ref-template 'quay.io/me/{{.Package}}:v{{.Version}}'",
    ),
    ("The objects that OLM v1 applies", "fbc bundle manifests -n operators bundle/"),
    ("What a new version changes", "fbc bundle manifests -n operators bundle/ --diff bundle-next/"),
    ("A service account that may install the bundle", "fbc bundle rbac -n operators bundle/"),
    ("What the operator may do, dangerous rights first", "fbc bundle rbac --report bundle/"),
    (
        "Whether an installer has all rights that it needs",
        "fbc bundle preauth bundle/ -s operators/installer --rbac rbac.yaml",
    ),
    ("Which releases can install two bundles", "fbc bundle ready --ocp 4.18,4.19,4.20 bundle-a/ bundle-b/"),
    ("Packages with their default channels", "fbc list packages catalog/"),
    ("As JSON", "fbc list packages -o json quay.io/me/catalog:v4.19"),
    ("Channels of one package with their heads", "fbc list channels catalog/ my-operator"),
    ("Bundles with their upgrade edges", "fbc list bundles catalog/ my-operator"),
    ("A page to pan, zoom and search", "fbc graph -o html --output-file graph.html catalog/"),
    ("One channel as Mermaid", "fbc graph -p my-operator -c stable catalog/"),
    (
        "Digests for the tags in a template, remembered in a map",
        "fbc pin --map digests.yaml catalog-template.yaml",
    ),
    ("Whether tags mean something else by now", "fbc pin --map digests.yaml --drift"),
    ("Once in each clone: git merges by blob and entry", "fbc merge-driver --install"),
    ("Lifecycles for the catalogs of OpenShift 5.0 and later", "fbc lifecycle inject lifecycles/ ."),
    ("A ClusterExtension from what OLM v0 has", "fbc migrate-to-v1 --bundle bundle/ subscription.yaml"),
    ("Every image that a catalog needs", "fbc images catalog/"),
    (
        "Those that the released index does not have, with digests",
        "fbc images catalog/ --digests --not-in registry.redhat.io/redhat/community-operator-index:v4.19",
    ),
    (
        "What would be copied for one channel",
        "fbc mirror quay.io/me/catalog:v4.19 --to mirror.example.com/olm -p my-operator:stable --dry-run",
    ),
    (
        "To a directory, and from there to a registry without internet",
        "fbc mirror quay.io/me/catalog:v4.19 --to-dir disk/",
    ),
    ("The second half, on the other side", "fbc mirror --from-dir disk/ --to mirror.example.com/olm"),
    ("Packages", "fbc query -r 'select(.schema == \"olm.package\").name' catalog/"),
    (
        "Channels of a package",
        "fbc query -r --arg p my-operator 'select(.schema == \"olm.channel\" and .package == $p).name' catalog/",
    ),
    (
        "Bundles without olm.csv.metadata",
        "fbc query -r 'select(.schema == \"olm.bundle\" and all(.properties[]?; .type != \"olm.csv.metadata\")).name' catalog/",
    ),
    (
        "One channel of a package",
        "fbc filter -p my-operator:stable catalog/ -o yaml --output-file small.yaml",
    ),
    ("All versions from 1.2 on", "fbc filter -p 'my-operator::>=1.2' catalog/ --output-dir small/"),
    ("The newest version, and why no other", "fbc resolve my-operator --catalog mine=catalog/ --explain"),
    (
        "What an installed version updates to",
        "fbc resolve my-operator --catalog mine=catalog/ --installed 1.2.0 --version '1.x'",
    ),
    ("Every extension in manifests", "fbc resolve -f extensions/ --catalog mine=catalog/"),
    (
        "What a Subscription gets, with all that it needs",
        "fbc resolve my-operator catalog/ --olm v0 --channel stable",
    ),
    (
        "Every Subscription in manifests",
        "fbc resolve --olm v0 -f operators/ --catalog redhat-operators=catalog/",
    ),
    ("Who gets where, and who is stuck", "fbc paths catalog/ my-operator"),
    ("The route of one version under OLM v0", "fbc paths catalog/ my-operator --from 1.0.0 --olm v0"),
    ("Play scenarios, and write a page", "fbc simulate scenarios/ --report run.html"),
    ("Type oc commands on a cluster with OLM v1", "fbc simulate --shell"),
    ("Whether bundles run on a release", "fbc simulate install --target ocp-4.20 bundles/"),
    (
        "Every installed version, updated by a pull request",
        "fbc simulate upgrade origin/main:catalog catalog/ -p my-operator",
    ),
    (
        "From one release of OpenShift to another",
        "fbc simulate cluster-update --from 4.18.3 --to 4.18.9 --payload payload/",
    ),
    ("For kubectl, until Ctrl-C", "fbc cluster up --catalog mine=catalog/ --kubeconfig kubeconfig"),
    ("For one command", "fbc cluster run --catalog mine=catalog/ -- kubectl get clustercatalogs"),
    ("Ten minutes of virtual time", "fbc cluster advance 10m"),
    ("What the work tree changes since the last commit", "fbc diff"),
    (
        "For a comment on a pull request",
        "fbc diff origin/main:catalog catalog/ -o markdown --output-file comment.md",
    ),
    (
        "Between two images, failing for nothing",
        "fbc diff quay.io/me/catalog:v1 quay.io/me/catalog:v2 --fail-on none",
    ),
    ("Build and push, without a daemon", "fbc build catalog/ -t quay.io/me/catalog:v4.19 --push"),
    (
        "To a directory, with two platforms",
        "fbc build catalog/ --to oci:layout --platform linux/amd64 --platform linux/arm64",
    ),
    ("The image of a bundle", "fbc build --bundle bundle/ -t quay.io/me/bundle:v1.2.3 --push"),
    (
        "A catalog of two bundle images",
        "fbc catalog from-bundles quay.io/me/bundle:v1.0.0 quay.io/me/bundle:v1.1.0 -o yaml",
    ),
    ("From a directory on disk to a registry", "fbc push oci:layout -t quay.io/me/catalog:v4.19"),
    ("From a registry to disk", "fbc pull quay.io/me/catalog:v4.19 oci:layout"),
    ("A new pair of keys", "fbc sign --generate-key cosign"),
    ("Sign an image, as cosign does", "fbc sign --key cosign.key quay.io/me/catalog:v4.19"),
    (
        "Without a key, where a pipeline has a token",
        "fbc sign --identity-token token.jwt quay.io/me/catalog:v4.19",
    ),
    ("Whether a key signed an image", "fbc verify --key cosign.pub quay.io/me/catalog:v4.19"),
    ("What the policy of this machine says", "fbc verify quay.io/me/catalog:v4.19"),
    (
        "Whether somebody signed it without a key",
        "fbc verify quay.io/me/catalog:v4.19 --trusted-root trusted_root.json --certificate-identity me@example.com --certificate-oidc-issuer https://accounts.google.com",
    ),
    (
        "Three parts of a run as one report",
        "fbc merge-reports --output-file findings.sarif part-1.sarif part-2.sarif part-3.sarif",
    ),
    ("The files of an image", "fbc unpack quay.io/me/catalog:v4.19 files/"),
    ("Where the cache is, and how much it holds", "fbc cache info"),
    ("Remove everything that was pulled", "fbc cache clean"),
    ("What a range means", "fbc range '>=1.2 <2'"),
    ("Which versions match", "fbc range '~1.2' 1.2.0 1.3.0"),
    ("Whether the new definitions break anybody", "fbc crd diff bundle/ bundle-next/"),
    ("In which order a release is applied", "fbc release graph payload/"),
    ("What a cluster would refuse or stumble over", "fbc release verify payload/"),
    ("The images of a release", "fbc release info payload/ --pullspecs"),
    (
        "The manifests of a release image",
        "fbc release extract quay.io/openshift-release-dev/ocp-release:4.18.9-x86_64 payload/",
    ),
    ("What a new release changes", "fbc release diff payload-4.18.3/ payload-4.18.9/"),
    ("Which updates a cluster is offered", "fbc updates graph.json --from 4.18.3"),
    ("The shortest safe route", "fbc updates graph.json --from 4.17.1 --to 4.18.9"),
    ("The catalogs of the repository here", "fbc repository"),
    (
        "Put a bundle into the catalogs that its release configuration names",
        "fbc repository release operators/my-operator/1.2.0 --image quay.io/me/bundle:v1.2.0 --dry-run",
    ),
    ("A new package", "fbc init my-operator -c stable -d README.md -i icon.svg -o yaml"),
    ("A basic or semver template as a catalog", "fbc template render -o yaml semver.yaml"),
    ("A catalog as a basic template", "fbc template convert basic catalog/ -o yaml"),
    ("What a contribution file asks for", "fbc template composite -c contributions.yaml -f catalogs.yaml"),
    ("Catalogs and Dockerfiles of every release, from their templates", "fbc generate"),
    ("Whether they are up to date", "fbc generate --check"),
    ("A Dockerfile beside the catalog", "fbc generate dockerfile catalog"),
    ("A catalog put together from others", "fbc generate catalog composition.yaml"),
    ("A new version, after the head of a channel", "fbc add bundle/ catalog/ --channel stable"),
    ("Show the change, and write nothing", "fbc add bundle/ catalog/ --channel stable --dry-run"),
    ("A package", "fbc deprecate catalog/ my-operator --message 'Use other-operator instead.'"),
    ("A channel", "fbc deprecate catalog/ my-operator --channel alpha --message 'Use stable.'"),
    ("What a code means, and how to fix it", "fbc explain FBC012"),
    ("All rules of a family", "fbc explain BND"),
    ("This machine and this directory", "fbc doctor"),
    ("Why an image cannot be pulled", "fbc doctor quay.io/me/catalog:v4.19"),
    (
        "Both APIs, for clusters with OLM v0 and v1",
        "fbc serve catalog/ --grpc 0.0.0.0:50051 --http 0.0.0.0:8080",
    ),
    ("For an editor, on standard input and output", "fbc lsp"),
    ("The schema of catalogs, for an editor", "fbc schema catalog"),
    ("All schemas", "fbc schema --output-dir schemas/"),
    ("For scripts", "fbc version -o json"),
    ("For bash", "fbc completions bash > ~/.local/share/bash-completion/completions/fbc"),
    ("For zsh", "fbc completions zsh > ~/.zfunc/_fbc"),
    ("Every manual page", "fbc man --output-dir man/"),
];

/// So many examples of its commands a group shows.
const GROUP_EXAMPLES: usize = 4;

/// The command line with its examples.
pub(crate) fn with_examples(command: Command) -> Command {
    let name = command.get_name().to_owned();
    with_examples_of(command, &name)
}

fn with_examples_of(command: Command, name: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|child| child.get_name().to_owned()).collect();
    let mut command = command;
    for child in &names {
        let full = format!("{name} {child}");
        command = command.mut_subcommand(child, |child| with_examples_of(child, &full));
    }
    let mut examples: Vec<_> = EXAMPLES.iter().filter(|(_, line)| command_of(line, name, &names)).collect();
    if examples.is_empty() {
        // A group has no example of its own: the first one of each of its commands stands in.
        let below = format!("{name} ");
        let child = |line: &'static str| line.strip_prefix(&below)?.split(' ').next();
        let mut seen = BTreeSet::new();
        let first = EXAMPLES.iter().filter(|(_, line)| child(line).is_some_and(|name| seen.insert(name)));
        examples = first.take(GROUP_EXAMPLES).collect();
    }
    if examples.is_empty() {
        return command;
    }
    let style = command.get_styles().clone();
    // What a command says itself stands first.
    let (mut text, gap) = match command.get_after_help() {
        Some(own) => (own.clone(), "\n\n"),
        None => (StyledStr::new(), ""),
    };
    // Writing to a text cannot fail.
    let _ = write!(text, "{gap}{0}Examples:{0:#}", style.get_header());
    for (meaning, line) in examples {
        let _ = write!(text, "\n  # {meaning}\n  {0}{line}{0:#}", style.get_literal());
    }
    command.after_help(text)
}

/// Whether a line calls a command itself, and none of its subcommands.
fn command_of(line: &str, name: &str, subcommands: &[String]) -> bool {
    let Some(rest) = line.strip_prefix(name) else { return false };
    let is_word = rest.is_empty() || rest.starts_with(' ');
    let next = rest.trim_start().split(' ').next().unwrap_or_default();
    is_word && !subcommands.iter().any(|child| child == next)
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::EXAMPLES;
    use crate::arguments::command_line;

    /// Words as a shell takes them apart, up to a redirection.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for c in line.split(" > ").next().unwrap_or_default().chars() {
            match c {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                _ => words.last_mut().unwrap().push(c),
            }
        }
        words
    }

    #[test]
    fn every_example_is_a_command_line() {
        for (meaning, line) in EXAMPLES {
            let parsed = command_line().try_get_matches_from(words(line));
            assert!(parsed.is_ok(), "{meaning}: {}", parsed.unwrap_err());
        }
    }

    fn without_example(command: &Command, name: &str, found: &mut Vec<String>) {
        let children: Vec<_> = command.get_subcommands().filter(|child| !child.is_hide_set()).collect();
        if children.is_empty() && !has_example(command) && name != "fbc opm" {
            found.push(name.to_owned());
        }
        for child in children {
            without_example(child, &format!("{name} {}", child.get_name()), found);
        }
    }

    fn has_example(command: &Command) -> bool {
        command.get_after_help().is_some_and(|text| text.to_string().contains("Examples:"))
    }

    #[test]
    fn every_command_has_an_example() {
        let mut found = Vec::new();
        without_example(&command_line(), "fbc", &mut found);
        assert!(found.is_empty(), "no example: {found:?}");
        let help = command_line().find_subcommand_mut("diff").unwrap().render_help().to_string();
        assert!(
            help.contains("Examples:\n  # What the work tree changes since the last commit\n  fbc diff\n"),
            "{help}"
        );
    }
}
