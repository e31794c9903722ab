//! `oc adm upgrade`, as data.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/upgrade.go`.

use super::flags::{Arguments, Flag, Takes};
use super::{CommandError, Parsed, Verb, VerbSyntax};

/// What `oc adm upgrade` is to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Upgrade {
    /// `--to`
    pub to: Option<String>,
    /// `--to-image`
    pub to_image: Option<String>,
    /// `--to-latest`
    pub to_latest: bool,
    /// `--to-multi-arch`
    pub to_multi_arch: bool,
    /// `--clear`
    pub clear: bool,
    /// `--force`
    pub force: bool,
    /// `--include-not-recommended`
    pub include_not_recommended: bool,
    /// `--allow-not-recommended`
    pub allow_not_recommended: bool,
    /// `--allow-explicit-upgrade`
    pub allow_explicit_upgrade: bool,
    /// `--allow-upgrade-with-warnings`
    pub allow_upgrade_with_warnings: bool,
}

/// What `oc adm upgrade status` shows in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Details {
    /// Nothing.
    #[default]
    None,
    /// Everything.
    All,
    /// All nodes.
    Nodes,
    /// What stands in the way, with descriptions.
    Health,
    /// Operators that update.
    Operators,
}

impl Details {
    const ALL: [(&'static str, Self); 5] = [
        ("none", Self::None),
        ("all", Self::All),
        ("nodes", Self::Nodes),
        ("health", Self::Health),
        ("operators", Self::Operators),
    ];

    /// Whether a section is shown in full.
    pub fn shows(self, section: Self) -> bool {
        self == Self::All || self == section
    }
}

/// What else stands behind `oc adm upgrade`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpgradeVerb {
    /// No further word.
    Upgrade(Box<Upgrade>),
    /// `status`, with what is shown in full.
    Status(Details),
    /// `channel`, with the channel, and whether one that is not listed is fine.
    Channel(String, bool),
    /// `rollback`
    Rollback,
}

const FLAGS: &[Flag] = &[
    Flag::new("to", Takes::Value),
    Flag::new("to-image", Takes::Value),
    Flag::new("to-latest", Takes::Nothing),
    Flag::new("to-multi-arch", Takes::Nothing),
    Flag::new("clear", Takes::Nothing),
    Flag::new("force", Takes::Nothing),
    Flag::new("include-not-recommended", Takes::Nothing),
    Flag::new("allow-not-recommended", Takes::Nothing),
    Flag::new("allow-explicit-upgrade", Takes::Nothing),
    Flag::new("allow-upgrade-with-warnings", Takes::Nothing),
];
const STATUS_FLAGS: &[Flag] = &[Flag::new("details", Takes::Value)];
const CHANNEL_FLAGS: &[Flag] = &[Flag::new("allow-explicit-channel", Takes::Nothing)];

pub(super) const VERBS: &[VerbSyntax] = &[
    VerbSyntax { words: "adm upgrade", flags: &[FLAGS], read: upgrade },
    VerbSyntax { words: "adm upgrade status", flags: &[STATUS_FLAGS], read: status },
    VerbSyntax { words: "adm upgrade channel", flags: &[CHANNEL_FLAGS], read: channel },
    VerbSyntax {
        words: "adm upgrade rollback",
        flags: &[],
        read: |_| Ok(Verb::Upgrade(UpgradeVerb::Rollback)),
    },
];

fn upgrade(arguments: &Arguments) -> Parsed<Verb> {
    if let Some(word) = arguments.positional.first() {
        return Err(CommandError::error(format!("unknown command {word:?} for \"oc adm upgrade\"")));
    }
    let text = |name: &str| arguments.value(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let upgrade = Upgrade {
        to: text("to"),
        to_image: text("to-image"),
        to_latest: arguments.switch("to-latest")?,
        to_multi_arch: arguments.switch("to-multi-arch")?,
        clear: arguments.switch("clear")?,
        force: arguments.switch("force")?,
        include_not_recommended: arguments.switch("include-not-recommended")?,
        allow_not_recommended: arguments.switch("allow-not-recommended")?,
        allow_explicit_upgrade: arguments.switch("allow-explicit-upgrade")?,
        allow_upgrade_with_warnings: arguments.switch("allow-upgrade-with-warnings")?,
    };
    let has_target = upgrade.to.is_some() || upgrade.to_image.is_some() || upgrade.to_latest;
    if upgrade.clear && (has_target || upgrade.to_multi_arch) {
        return Err(CommandError::error("--clear may not be specified with any other flags"));
    }
    if upgrade.to.is_some() && upgrade.to_image.is_some() {
        return Err(CommandError::error("only one of --to or --to-image may be provided"));
    }
    if upgrade.to_multi_arch && has_target {
        return Err(CommandError::error(
            "--to-multi-arch may not be used with --to, --to-image, or --to-latest",
        ));
    }
    if let Some(to) = &upgrade.to
        && let Err(error) = fbc_version::Version::parse(to)
    {
        return Err(CommandError::error(format!(
            "--to must be a semantic version (e.g. 4.0.1 or 4.1.0-nightly-20181104): {error}"
        )));
    }
    if upgrade.to_image.as_ref().is_some_and(|image| !image.contains('@')) && !upgrade.force {
        return Err(CommandError::error(
            "--to-image must be a by-digest pull spec, unless --force is also set, because release images that are not \
             accessed via digest cannot be verified by the cluster.  Even when --force is set, using tags is not \
             recommended, although we continue to allow it for backwards compatibility",
        ));
    }
    Ok(Verb::Upgrade(UpgradeVerb::Upgrade(Box::new(upgrade))))
}

fn status(arguments: &Arguments) -> Parsed<Verb> {
    if !arguments.positional.is_empty() {
        return Err(CommandError::error("positional arguments given"));
    }
    let wanted = arguments.value("details").unwrap_or("none");
    let found = Details::ALL.iter().find(|(name, _)| *name == wanted);
    let Some((_, details)) = found else {
        let known: Vec<&str> = Details::ALL.iter().map(|(name, _)| *name).collect();
        return Err(CommandError::error(format!(
            "invalid value for --details: {wanted} (must be one of {})",
            known.join(", ")
        )));
    };
    Ok(Verb::Upgrade(UpgradeVerb::Status(*details)))
}

fn channel(arguments: &Arguments) -> Parsed<Verb> {
    let channel = arguments.positional.first().cloned().unwrap_or_default();
    Ok(Verb::Upgrade(UpgradeVerb::Channel(channel, arguments.switch("allow-explicit-channel")?)))
}
