//! The table of opm's commands.

use clap_complete::Shell;
use fbc_app::dockerfile::OPM_IMAGE;
use fbc_app::listing::Listing;
use fbc_template::ConversionTarget;

use super::flags::Flag;

/// A command.
#[derive(Debug)]
pub(super) struct Command {
    /// The words that call it, after `opm`.
    pub(super) path: &'static [&'static str],
    /// What its arguments are called.
    pub(super) arguments: &'static str,
    /// What it is for.
    pub(super) purpose: &'static str,
    /// Its own flags.
    pub(super) flags: &'static [Flag],
    /// How many arguments it takes.
    pub(super) arity: Arity,
    /// What it does.
    pub(super) action: Action,
    /// Why it is not to be used any more; such a command is not shown.
    pub(super) deprecated: Option<&'static str>,
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
    /// So many or fewer.
    AtMost(usize),
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
    /// Says that it is not there, whatever flags follow, and what to do instead.
    Absent(&'static str),
    /// `help`
    HelpAbout,
    /// `completion …`
    Completion(Shell),
    /// `__complete`, `__completeNoDesc`
    Complete {
        /// Whether each completion comes with what it is for.
        with_descriptions: bool,
    },
    /// `alpha bundle build`
    BundleBuild,
    /// `alpha bundle generate`
    BundleGenerate,
    /// `alpha bundle extract`
    BundleExtract,
    /// `alpha bundle unpack`
    BundleUnpack,
    /// `alpha bundle validate`
    BundleValidate,
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
    /// `serve`
    Serve,
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
        let (flags, arity, action, deprecated) = (&[], Arity::Any, Action::Help, None);
        Self { path, arguments, purpose, flags, arity, action, deprecated }
    }

    /// A command of opm that fbc does not have.
    const fn absent(path: &'static [&'static str], purpose: &'static str, instead: &'static str) -> Self {
        Self::new(path, "", purpose).does(Action::Absent(instead))
    }

    const fn deprecated(self, reason: &'static str) -> Self {
        Self { deprecated: Some(reason), ..self }
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

/// Flags of which only one may be given, as cobra lists them.
pub(super) const EXCLUSIVE_FLAGS: [[&str; 2]; 2] =
    [["migrate", "migrate-level"], ["binary-image", "base-image"]];

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

const DIRECTORY: Flag = Flag::text("directory", "", "directory with the manifests").short('d').required();
const PACKAGE: Flag = Flag::text("package", "", "package of the bundle").short('p');
const CHANNELS: Flag = Flag::text("channels", "", "channels of the bundle, as a,b").short('c');
const DEFAULT_CHANNEL: Flag = Flag::text("default", "", "default channel of the package").short('e');
const OUTPUT_DIR: Flag =
    Flag::text("output-dir", "", "directory that gets a copy of the manifests, and the metadata").short('u');
const BASE_IMAGE: Flag = Flag::text("base-image", "scratch", "image that the bundle is added to");

const NO_DATABASES: &str = "file-based catalogs have taken the place of databases, and opm has lost these commands; \
                            `fbc catalog from-bundles` makes a catalog of bundle images as `index add` did, `fbc add` adds a bundle to a catalog";

const NO_DESCRIPTIONS: &[Flag] = &[Flag::switch("no-descriptions", "leave out what words are for")];

const fn completion(path: &'static [&'static str], purpose: &'static str, shell: Shell) -> Command {
    Command::new(path, "", purpose).flags(NO_DESCRIPTIONS).takes(Arity::None).does(Action::Completion(shell))
}

/// All commands below the root.
pub(super) static COMMANDS: &[Command] = &[
    Command::new(&["alpha"], "", "Commands that may still change").takes(Arity::None).does(Action::Nothing),
    Command::new(&["__complete"], "[command-line]", "Answer a shell that completes a command line")
        .takes(Arity::AtLeast(1))
        .does(Action::Complete { with_descriptions: true }),
    Command::new(&["__completeNoDesc"], "[command-line]", "As __complete, the words alone")
        .takes(Arity::AtLeast(1))
        .does(Action::Complete { with_descriptions: false }),
    Command::new(&["alpha", "bundle"], "", "Work with bundles"),
    Command::new(&["alpha", "bundle", "build"], "", "Generate the metadata of a bundle and build its image")
        .flags(&[
            DIRECTORY,
            Flag::text("tag", "", "name of the image").short('t').required(),
            PACKAGE,
            CHANNELS,
            Flag::text("image-builder", "docker", "program that builds: docker, podman or buildah")
                .short('b'),
            DEFAULT_CHANNEL,
            Flag::switch("overwrite", "replace an annotations.yaml that is there").short('o'),
            OUTPUT_DIR,
            BASE_IMAGE,
        ])
        .takes(Arity::None)
        .does(Action::BundleBuild),
    Command::new(&["alpha", "bundle", "extract"], "", "Write the files of a bundle to a ConfigMap")
        .flags(&[
            Flag::switch("debug", "log more"),
            Flag::text("kubeconfig", "", "file with the cluster; without it, the cluster of this pod")
                .short('k'),
            Flag::text(
                "manifestsdir",
                "/",
                "directory with manifests/ and metadata/, with a slash at its end",
            )
            .short('m'),
            Flag::text("configmapname", "", "ConfigMap to fill, which must exist").short('c'),
            Flag::text("namespace", "openshift-operator-lifecycle-manager", "namespace of the ConfigMap")
                .short('n'),
            Flag::text("datalimit", "1048576", "how many bytes the files may have together").short('l'),
            Flag::switch("gzip", "compress the files").short('z'),
        ])
        .takes(Arity::None)
        .does(Action::BundleExtract),
    Command::new(
        &["alpha", "bundle", "generate"],
        "",
        "Generate the metadata and the Dockerfile of a bundle",
    )
    .flags(&[DIRECTORY, PACKAGE, CHANNELS, DEFAULT_CHANNEL, OUTPUT_DIR, BASE_IMAGE])
    .takes(Arity::None)
    .does(Action::BundleGenerate),
    Command::new(&["alpha", "bundle", "unpack"], "BUNDLE_NAME[:TAG|@DIGEST]", "Unpack the image of a bundle")
        .flags(&[
            Flag::switch("debug", "log more").short('d'),
            Flag::switch("skip-tls", "do not verify certificates of registries")
                .short('s')
                .deprecated("use --use-http and --skip-tls-verify instead"),
            Flag::switch("skip-tls-verify", "do not verify the certificates of image registries"),
            Flag::switch("use-http", "talk to image registries over plain HTTP"),
            Flag::switch("skip-validation", "take the bundle as it is").short('v'),
            Flag::text("root-ca", "", "file with the authority that certificates come from").short('c'),
            Flag::text("out", "./", "directory to unpack into").short('o'),
        ])
        .takes(Arity::Exactly(1))
        .does(Action::BundleUnpack),
    Command::new(&["alpha", "bundle", "validate"], "", "Validate the image of a bundle")
        .flags(&[
            Flag::text("tag", "", "name of the image").short('t').required(),
            Flag::text(
                "image-builder",
                "docker",
                "none, docker or podman; the registry is asked in any case",
            )
            .short('b'),
            Flag::text("optional-validators", "", "further checks: operatorhub, bundle-objects").short('o'),
        ])
        .takes(Arity::None)
        .does(Action::BundleValidate)
        .deprecated("opm is to lose it; `fbc bundle validate` and `operator-sdk bundle validate` stay"),
    Command::new(&["alpha", "convert-template"], "", "Convert a catalog to a template"),
    Command::new(
        &["alpha", "convert-template", "basic"],
        "[file | -]",
        "Convert a catalog to a basic template",
    )
    .flags(&[OUTPUT_JSON])
    .takes(Arity::AtMost(1))
    .does(Action::ConvertTemplate(ConversionTarget::Basic)),
    Command::new(
        &["alpha", "convert-template", "substitutes"],
        "[file | -]",
        "Convert a catalog to a substitutes template",
    )
    .flags(&[OUTPUT_JSON])
    .takes(Arity::AtMost(1))
    .does(Action::ConvertTemplate(ConversionTarget::Substitutes)),
    Command::new(&["alpha", "list"], "", "List what is in a catalog"),
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
    Command::new(&["completion"], "", "Generate the completion script for a shell"),
    completion(&["completion", "bash"], "Generate the completion script for bash", Shell::Bash),
    completion(&["completion", "fish"], "Generate the completion script for fish", Shell::Fish),
    completion(
        &["completion", "powershell"],
        "Generate the completion script for powershell",
        Shell::PowerShell,
    ),
    completion(&["completion", "zsh"], "Generate the completion script for zsh", Shell::Zsh),
    Command::new(&["generate"], "", "Generate files for catalogs"),
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
    Command::new(&["help"], "[command]", "Help about any command").does(Action::HelpAbout),
    Command::absent(&["index"], "Work with databases of bundles", NO_DATABASES),
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
    Command::absent(&["registry"], "Work with databases of bundles", NO_DATABASES),
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
    Command::new(&["serve"], "<source_path>", "Serve a catalog over gRPC")
        .flags(&[
            Flag::text("cache-dir", "", "a directory for a cache; fbc needs none and leaves it as it is"),
            Flag::switch("cache-enforce-integrity", "accepted for opm's users; there is no cache to check"),
            Flag::switch("cache-only", "check that the catalog can be served, and exit"),
            Flag::switch("debug", "log more"),
            Flag::text("port", "50051", "the port to listen at").short('p'),
            Flag::text(
                "pprof-addr",
                "localhost:6060",
                "accepted for opm's users; nothing listens there, since fbc has no profiles of Go's runtime",
            ),
            Flag::switch(
                "pprof-capture-profiles",
                "accepted for opm's users; fbc has no profiles of Go's runtime",
            ),
            Flag::text(
                "termination-log",
                "/dev/termination-log",
                "a file for the error that ends the server",
            )
            .short('t'),
        ])
        .takes(Arity::Exactly(1))
        .does(Action::Serve),
    Command::new(&["validate"], "<directory>", "Validate a catalog")
        .flags(&[Flag::text("output", "", "format of the output: json or yaml").short('o')])
        .takes(Arity::Exactly(1))
        .does(Action::Validate),
    Command::new(&["version"], "", "Print the version").takes(Arity::Any).does(Action::Version),
];
