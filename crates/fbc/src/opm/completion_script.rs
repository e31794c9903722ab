//! `opm completion`: the script that lets a shell complete opm's commands and flags.

use std::collections::BTreeSet;

use clap::{Arg, ArgAction, Command as ClapCommand, ValueHint};
use clap_complete::Shell;

use super::commands::{Command, ROOT};
use super::flags::{Flag, FlagKind};

/// The script. Without descriptions, words stand alone.
pub(super) fn script(shell: Shell, with_descriptions: bool) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut described(&ROOT, with_descriptions), "opm", &mut script);
    script
}

/// The command with all below it, as clap describes commands.
fn described(command: &Command, with_descriptions: bool) -> ClapCommand {
    let name = command.path.last().copied().unwrap_or("opm");
    let purpose = |text: &'static str| if with_descriptions { text } else { "" };
    let argument = |flag: &&'static Flag| {
        let described = Arg::new(flag.name).long(flag.name).help(purpose(flag.purpose));
        let described = match flag.short {
            Some(short) => described.short(short),
            None => described,
        };
        let takes_value = flag.kind != FlagKind::Switch;
        described.action(if takes_value { ArgAction::Set } else { ArgAction::SetTrue })
    };
    let mut names = BTreeSet::new();
    let flags: Vec<&'static Flag> = command
        .all_flags()
        .into_iter()
        .filter(|flag| flag.is_shown() || flag.name.starts_with("alpha-"))
        .filter(|flag| names.insert(flag.name))
        .collect();
    let takes_files = !command.arguments.is_empty();
    let files = takes_files.then(|| Arg::new("path").num_args(0..).value_hint(ValueHint::AnyPath));
    let children = command.children().filter(|child| child.is_shown() || child.path == ["alpha"]);
    ClapCommand::new(name)
        .about(purpose(command.purpose))
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .args(flags.iter().map(argument))
        .args(files)
        .subcommands(children.map(|child| described(child, with_descriptions)))
}

#[cfg(test)]
mod tests {
    use clap_complete::Shell;

    use super::script;

    #[test]
    fn scripts_know_commands_and_flags() {
        for shell in [Shell::Bash, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let text = String::from_utf8(script(shell, true)).unwrap();
            for word in ["render-template", "migrate-level", "completion", "use-http"] {
                assert!(text.contains(word), "{shell} {word}");
            }
        }
        let plain = String::from_utf8(script(Shell::Zsh, false)).unwrap();
        assert!(!plain.contains("Print the version"), "{plain}");
    }
}
