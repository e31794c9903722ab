//! The table of opm's commands.

use fbc_template::ConversionTarget;

use super::flags::Flag;
use crate::dockerfile::OPM_IMAGE;
use crate::listing::Listing;

/// A command.
#[derive(Debug)]
pub(super) struct Command {
    /// The words that call it, after `opm`.
    pub(super) path: &'static [&'static str],
    /// What its arguments are called.
    pub(super) arguments: &'static str,
    /// What it does.
    pub(super) purpose: &'static str,
    /// Its own flags.
    pub(super) flags: &'static [Flag],
    /// How many arguments it takes.
    pub(super) arity: Arity,
    /// What it does.
    pub(super) action: Action,
}

/// How many arguments a command takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arity {
    /// None; a word that is given must be a mistyped command.
    None,
    /// Any number.
    Any,
    /// So many.
    Exactly(usize),
    /// So many or more.
    AtLeast(usize),
    /// A number between two.
    Between(usize, usize),
}

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Nothing, successfully.
    Nothing,
    /// Prints its help, whatever its arguments are.
    Help,
    /// Says that it is missing.
    NotYet,
    /// `validate`
    Validate,
    /// `render`
    Render,
    /// `alpha list …`
    List(Listing),
    /// `alpha render-graph`
    RenderGraph,
    /// `alpha render-template`
    RenderTemplate,
    /// `alpha convert-template …`
    ConvertTemplate(ConversionTarget),
    /// `generate dockerfile`
    GenerateDockerfile,
    /// `init`
    Init,
    /// `migrate`
    Migrate,
    /// `version`
    Version,
}

impl Command {
    /// `opm alpha list`
    pub(super) fn full_name(&self) -> String {
        let mut name = "opm".to_owned();
        for word in self.path {
            name.push(' ');
            name.push_str(word);
        }
        name
    }

    const fn new(path: &'static [&'static str], arguments: &'static str, purpose: &'static str) -> Self {
        Self { path, arguments, purpose, flags: &[], arity: Arity::Any, action: Action::NotYet }
    }

    const fn takes(self, arity: Arity) -> Self {
        Self { arity, ..self }
    }

    const fn flags(self, flags: &'static [Flag]) -> Self {
        Self { flags, ..self }
    }

    const fn does(self, action: Action) -> Self {
        Self { action, ..self }
    }
}

/// `opm` itself.
pub(super) static ROOT: Command = Command::new(&[], "", "Work with file-based catalogs of operators")
    .flags(&[Flag::switch("debug", "log more").hidden()])
    .takes(Arity::None)
    .does(Action::Nothing);

/// Flags that all commands have.
pub(super) static GLOBAL_FLAGS: &[Flag] = &[
    Flag::switch("skip-tls", "do not verify certificates of registries")
        .deprecated("use --use-http and --skip-tls-verify instead"),
    Flag::switch("skip-tls-verify", "do not verify the certificates of image registries"),
    Flag::switch("use-http", "talk to image registries over plain HTTP"),
];

const OUTPUT_JSON: Flag = Flag::text("output", "json", "format of the output: json or yaml").short('o');
const MIGRATE_LEVEL: Flag = Flag::text(
    "migrate-level",
    "",
    "bring blobs up to date, up to this level: none, bundle-object-to-csv-metadata or all",
);

/// All commands below the root.
pub(super) static COMMANDS: &[Command] = &[
    Command::new(&["alpha"], "", "Commands that may still change").takes(Arity::None).does(Action::Nothing),
    Command::new(&["alpha", "bundle"], "", "Work with bundles").does(Action::Help),
    Command::new(&["alpha", "bundle", "build"], "", "Build the image of a bundle"),
    Command::new(&["alpha", "bundle", "extract"], "", "Write a bundle to a ConfigMap"),
    Command::new(&["alpha", "bundle", "generate"], "", "Generate the metadata of a bundle"),
    Command::new(&["alpha", "bundle", "unpack"], "<ref>", "Unpack the image of a bundle"),
    Command::new(&["alpha", "bundle", "validate"], "", "Validate the image of a bundle"),
    Command::new(&["alpha", "convert-template"], "", "Convert a catalog to a template").does(Action::Help),
    Command::new(
        &["alpha", "convert-template", "basic"],
        "[file | -]",
        "Convert a catalog to a basic template",
    )
    .flags(&[OUTPUT_JSON])
    .takes(Arity::Between(0, 1))
    .does(Action::ConvertTemplate(ConversionTarget::Basic)),
    Command::new(
        &["alpha", "convert-template", "substitutes"],
        "[file | -]",
        "Convert a catalog to a substitutes template",
    )
    .flags(&[OUTPUT_JSON])
    .takes(Arity::Between(0, 1))
    .does(Action::ConvertTemplate(ConversionTarget::Substitutes)),
    Command::new(&["alpha", "list"], "", "List what is in a catalog").does(Action::Help),
    Command::new(&["alpha", "list", "bundles"], "<catalogRef> [packageName]", "List bundles of a catalog")
        .takes(Arity::Between(1, 2))
        .does(Action::List(Listing::Bundles)),
    Command::new(&["alpha", "list", "channels"], "<catalogRef> [packageName]", "List channels of a catalog")
        .takes(Arity::Between(1, 2))
        .does(Action::List(Listing::Channels)),
    Command::new(&["alpha", "list", "packages"], "<catalogRef>", "List packages of a catalog")
        .takes(Arity::Exactly(1))
        .does(Action::List(Listing::Packages)),
    Command::new(
        &["alpha", "render-graph"],
        "<ref>...",
        "Draw the upgrade graph of catalogs as mermaid text",
    )
    .flags(&[
        Flag::switch("draw-v0-semantics", "mark skipped bundles as OLM v0 understands them"),
        Flag::text("minimum-edge", "", "leave out what is older than this bundle"),
        Flag::text("package-name", "", "draw this package only").short('p'),
    ])
    .takes(Arity::AtLeast(1))
    .does(Action::RenderGraph),
    Command::new(&["alpha", "render-template"], "[type] [file]", "Render a template to a catalog")
        .flags(&[
            MIGRATE_LEVEL,
            Flag::text("output", "json", "format of the output: json, yaml or mermaid").short('o'),
        ])
        .takes(Arity::Between(0, 2))
        .does(Action::RenderTemplate),
    Command::new(&["generate"], "", "Generate files for catalogs").does(Action::Help),
    Command::new(&["generate", "dockerfile"], "<catalogDir>", "Generate a Dockerfile for a catalog")
        .flags(&[
            Flag::text("base-image", OPM_IMAGE, "image that the catalog is added to").short('i'),
            Flag::text("binary-image", OPM_IMAGE, "image that the catalog is added to")
                .deprecated("use --base-image instead"),
            Flag::text("builder-image", OPM_IMAGE, "image that fills the cache").short('b'),
            Flag::list("extra-labels", "more labels, as key=value").short('l'),
        ])
        .takes(Arity::Exactly(1))
        .does(Action::GenerateDockerfile),
    Command::new(&["init"], "<packageName>", "Make an olm.package blob")
        .flags(&[
            Flag::text("default-channel", "", "channel of subscriptions that name none").short('c'),
            Flag::text("description", "", "file with the description, such as a README.md").short('d'),
            Flag::text("icon", "", "file with the icon").short('i'),
            OUTPUT_JSON,
        ])
        .takes(Arity::Exactly(1))
        .does(Action::Init),
    Command::new(&["migrate"], "<catalogRef> <outputDir>", "Bring a catalog up to date")
        .flags(&[MIGRATE_LEVEL, OUTPUT_JSON])
        .takes(Arity::Exactly(2))
        .does(Action::Migrate),
    Command::new(&["render"], "<ref>...", "Write catalogs as one stream of blobs")
        .flags(&[
            Flag::text("alpha-image-ref-template", "", "template of image references for bundle directories")
                .hidden(),
            Flag::switch("migrate", "bring blobs up to date as far as possible"),
            MIGRATE_LEVEL,
            OUTPUT_JSON,
        ])
        .takes(Arity::AtLeast(1))
        .does(Action::Render),
    Command::new(&["serve"], "<sourcePath>", "Serve a catalog over gRPC"),
    Command::new(&["validate"], "<directory>", "Validate a catalog")
        .flags(&[Flag::text("output", "", "format of the output: json or yaml").short('o')])
        .takes(Arity::Exactly(1))
        .does(Action::Validate),
    Command::new(&["version"], "", "Print the version").takes(Arity::Any).does(Action::Version),
];
