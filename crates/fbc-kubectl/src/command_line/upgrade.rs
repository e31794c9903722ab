//! `oc adm upgrade`, as data.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/upgrade.go`.

use std::collections::BTreeSet;

use fbc_version::Version;

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

/// What `oc adm upgrade accept` is to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Acceptance {
    /// `--replace`
    pub replace: bool,
    /// `--clear`
    pub clear: bool,
    /// Risks to accept.
    pub add: BTreeSet<String>,
    /// Risks to accept no longer.
    pub remove: BTreeSet<String>,
}

/// What `oc adm upgrade recommend` is to show.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recommend {
    /// `--show-outdated-releases`
    pub with_outdated: bool,
    /// `--version`
    pub version: Option<Version>,
    /// `--quiet`
    pub quiet: bool,
    /// `--accept`
    pub accept: BTreeSet<String>,
}

/// What else stands behind `oc adm upgrade`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpgradeVerb {
    /// `accept`
    Accept(Acceptance),
    /// `recommend`
    Recommend(Box<Recommend>),
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
const ACCEPT_FLAGS: &[Flag] = &[Flag::new("replace", Takes::Nothing), Flag::new("clear", Takes::Nothing)];
const RECOMMEND_FLAGS: &[Flag] = &[
    Flag::new("show-outdated-releases", Takes::Nothing),
    Flag::new("version", Takes::Value),
    Flag::new("quiet", Takes::Nothing),
    Flag::new("accept", Takes::Value),
];

pub(super) const VERBS: &[VerbSyntax] = &[
    VerbSyntax { words: "adm upgrade", flags: &[FLAGS], read: upgrade },
    VerbSyntax { words: "adm upgrade status", flags: &[STATUS_FLAGS], read: status },
    VerbSyntax { words: "adm upgrade channel", flags: &[CHANNEL_FLAGS], read: channel },
    VerbSyntax { words: "adm upgrade accept", flags: &[ACCEPT_FLAGS], read: accept },
    VerbSyntax { words: "adm upgrade recommend", flags: &[RECOMMEND_FLAGS], read: recommend },
    VerbSyntax { words: "adm upgrade rollback", flags: &[], read: rollback },
];

/// An error that says where to read about the verb.
fn usage(verb: &str, text: impl std::fmt::Display) -> CommandError {
    CommandError::error(format!("{text}\nSee 'oc adm {verb} -h' for help and examples"))
}

fn refuse_arguments(verb: &str, arguments: &Arguments) -> Parsed<()> {
    match arguments.positional.as_slice() {
        [] => Ok(()),
        words => Err(usage(verb, format_args!("unknown command {:?}", words.join(" ")))),
    }
}

fn rollback(arguments: &Arguments) -> Parsed<Verb> {
    refuse_arguments("upgrade rollback", arguments)?;
    Ok(Verb::Upgrade(UpgradeVerb::Rollback))
}

/// Source: `openshift/oc:pkg/cli/admin/upgrade/accept/accept.go` (`Complete`).
fn accept(arguments: &Arguments) -> Parsed<Verb> {
    const VERB: &str = "upgrade accept";
    let (replace, clear) = (arguments.switch("replace")?, arguments.switch("clear")?);
    if clear && replace {
        return Err(usage(VERB, "--clear and --replace are mutually exclusive"));
    }
    if clear {
        refuse_arguments(VERB, arguments)?;
    }
    let mut acceptance = Acceptance { replace, clear, ..Acceptance::default() };
    let list = match arguments.positional.as_slice() {
        [] if clear => "",
        [] => return Err(usage(VERB, "no positional arguments given")),
        [list] => list.as_str(),
        _ => return Err(usage(VERB, "multiple positional arguments given")),
    };
    for risk in list.split(',').map(str::trim).filter(|_| !clear) {
        if matches!(risk, "" | "-") {
            return Err(usage(VERB, format_args!("illegal risk {risk:?}")));
        }
        match risk.strip_suffix('-') {
            Some(risk) => acceptance.remove.insert(risk.to_owned()),
            None => acceptance.add.insert(risk.to_owned()),
        };
    }
    let both: Vec<&str> = acceptance.add.intersection(&acceptance.remove).map(String::as_str).collect();
    if !both.is_empty() {
        let both = both.join(",");
        return Err(usage(VERB, format_args!("requested risks with both Risk and Risk-: {both}")));
    }
    if replace && !acceptance.remove.is_empty() {
        return Err(usage(VERB, "The suffix '-' on risks is not allowed if --replace is specified"));
    }
    Ok(Verb::Upgrade(UpgradeVerb::Accept(acceptance)))
}

/// Source: `openshift/oc:pkg/cli/admin/upgrade/recommend/recommend.go` (`Complete`).
fn recommend(arguments: &Arguments) -> Parsed<Verb> {
    refuse_arguments("upgrade recommend", arguments)?;
    let accept = arguments.value("accept").unwrap_or_default();
    let mut recommend = Recommend {
        with_outdated: arguments.switch("show-outdated-releases")?,
        version: None,
        quiet: arguments.switch("quiet")?,
        accept: accept.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
    };
    match arguments.value("version").unwrap_or_default() {
        "" if recommend.quiet => {
            return Err(CommandError::error("--quiet can only be set when --version is set"));
        }
        "" => {}
        _ if recommend.with_outdated => {
            return Err(CommandError::error(
                "when --version is set, --show-outdated-releases is unnecessary",
            ));
        }
        text => {
            let parsed = Version::parse(text).map_err(|error| {
                CommandError::error(format!("cannot parse SemVer target {text:?}: {error}"))
            })?;
            recommend.version = Some(parsed);
        }
    }
    Ok(Verb::Upgrade(UpgradeVerb::Recommend(Box::new(recommend))))
}

fn upgrade(arguments: &Arguments) -> Parsed<Verb> {
    refuse_arguments("upgrade", arguments)?;
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
        && let Err(error) = Version::parse(to)
    {
        return Err(CommandError::error(format!(
            "--to must be a semantic version (e.g. 4.0.1 or 4.1.0-nightly-20181104): {error}"
        )));
    }
    if let Some(image) = &upgrade.to_image {
        check_image(image, upgrade.force)?;
    }
    Ok(Verb::Upgrade(UpgradeVerb::Upgrade(Box::new(upgrade))))
}

/// Defends against simple mistakes: `4.0.1` is an image as well.
fn check_image(image: &str, is_forced: bool) -> Parsed<()> {
    let refused = |why: &str| Err(CommandError::error(format!("--to-image must be {why}")));
    if !image.contains('/') {
        return refused("a valid image pull spec: no registry or repository specified");
    }
    let has_tag = !image.contains('@') && image.rsplit('/').next().is_some_and(|name| name.contains(':'));
    if !image.contains('@') && !has_tag {
        return refused("a valid image pull spec: no tag or digest specified");
    }
    if has_tag && !is_forced {
        return refused(
            "a by-digest pull spec, unless --force is also set, because release images that are not \
             accessed via digest cannot be verified by the cluster.  Even when --force is set, using tags is not \
             recommended, although we continue to allow it for backwards compatibility",
        );
    }
    Ok(())
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
    if arguments.positional.len() > 1 {
        return Err(usage("upgrade channel", "multiple positional arguments given"));
    }
    let channel = arguments.positional.first().cloned().unwrap_or_default();
    Ok(Verb::Upgrade(UpgradeVerb::Channel(channel, arguments.switch("allow-explicit-channel")?)))
}
