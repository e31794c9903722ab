//! The command line: habits of all commands, old spellings, and the two definitions side by side.

use std::collections::BTreeMap;

use clap::{Arg, Command};

#[test]
fn definition_is_sound() {
    super::command_line().debug_assert();
}

#[test]
fn a_command_that_is_left_out_names_its_feature() {
    let commands = [("serve", "serve"), ("cluster", "cluster")];
    for (line, expected) in [
        ("fbc serve x", Some(("serve", "serve"))),
        ("fbc --quiet cluster up", Some(("cluster", "cluster"))),
        ("fbc validate serve", None),
        ("fbc", None),
    ] {
        let arguments: Vec<std::ffi::OsString> = line.split(' ').map(Into::into).collect();
        assert_eq!(super::left_out(&commands, &arguments), expected, "{line}");
    }
    let told = format!("{:?}", super::without_feature("serve", "serve"));
    assert!(told.contains("is built without the feature `serve`, which `fbc serve` needs"), "{told}");
    // Help offers what can be called, and nothing else.
    let built: Vec<&str> = super::ARGUMENTS.iter().map(|(word, _)| *word).collect();
    let command = super::command_line();
    let offered: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    assert!(built.iter().all(|word| offered.contains(word)), "{offered:?}");
    assert!(super::LEFT_OUT.iter().all(|(word, _)| !offered.contains(word)), "{offered:?}");
}

/// All commands and their shown arguments, by the words that call them.
fn shown(command: &Command, name: &str, visit: &mut impl FnMut(&str, &Arg)) {
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        visit(name, argument);
    }
    for child in command.get_subcommands().filter(|child| !child.is_hide_set()) {
        shown(child, &format!("{name} {}", child.get_name()), visit);
    }
}

/// The names that mean the same in every command: long, short, placeholder, and the old spellings.
const HABITS: [(&str, Option<char>, &str, &[&str]); 3] = [
    ("output", Some('o'), "FORMAT", &["format"]),
    ("output-file", None, "FILE", &[]),
    ("output-dir", None, "DIR", &["output-folder"]),
];

#[test]
fn outputs_are_named_alike_in_all_commands() {
    let mut wrong = Vec::new();
    shown(&super::command_line(), "fbc", &mut |command, argument| {
        let long = argument.get_long().unwrap_or_default();
        let short = argument.get_short();
        let placeholder = argument.get_value_names().and_then(<[_]>::first).map(|name| name.as_str());
        let Some((_, letter, form, aliases)) = HABITS.iter().find(|(name, ..)| *name == long) else {
            let is_taken = short == Some('o') || ["format", "out", "folder"].contains(&long);
            // Of an image, as for podman and buildah.
            let is_of_image = command == "fbc build" && long == "format";
            if is_taken && !is_of_image {
                wrong.push(format!("{command} --{long}: the name belongs to an output"));
            }
            return;
        };
        let old = argument.get_all_aliases().unwrap_or_default();
        // Commands that write several formats take a file behind each.
        let placeholder = placeholder.map(|form| form.trim_end_matches("[=FILE]"));
        if short != *letter || placeholder != Some(form) || !aliases.iter().all(|name| old.contains(name)) {
            wrong.push(format!("{command} --{long}: {short:?} {placeholder:?} {old:?}"));
        }
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What scripts wrote before goes on working.
#[test]
fn old_spellings_are_understood() {
    for line in [
        "fbc validate --format json --output report.json c",
        "fbc bundle validate --output out/report c",
        "fbc graph --format dot --output g.dot c",
        "fbc resolve --format jsonl --output r.jsonl p",
        "fbc diff --format markdown --output c.md a b",
        "fbc crd diff --format json a b",
        "fbc range --format json a b",
        "fbc add b c --channel x -o -",
        "fbc deprecate c p --message m --output copy.yaml",
        "fbc build c -o oci:layout",
        "fbc build c --output oci:layout",
        "fbc schema --folder s",
        "fbc man --folder m",
        "fbc man --output-folder m",
        "fbc schema --output-folder s",
        "fbc filter c -p p --output-folder d",
        "fbc generate catalog t --output-folder d",
        "fbc catalog from-bundles b --output-folder d",
        "fbc mirror c --to-folder d",
        "fbc mirror --from-folder d --to localhost:5000",
    ] {
        for definition in [super::command_line(), super::quick_command_line()] {
            let outcome = definition.try_get_matches_from(line.split(' '));
            assert!(outcome.is_ok(), "{line}: {}", outcome.unwrap_err());
        }
    }
}

/// What decides how the words behind each command are read: the arguments, groups and settings of all commands, by the
/// words that call them. `--help` and `--version` are answered with the whole definition.
fn reading(mut root: Command) -> BTreeMap<String, String> {
    fn walk(command: &Command, name: &str, all: &mut BTreeMap<String, String>) {
        let is_answer = |argument: &&Arg| ["help", "version"].contains(&argument.get_id().as_str());
        // In which order arguments are defined decides nothing but how they are shown.
        let arguments: BTreeMap<String, Arg> = command
            .get_arguments()
            .filter(|one| !is_answer(one))
            .map(|one| (one.get_id().to_string(), one.clone().display_order(0)))
            .collect();
        let groups: Vec<_> = command.get_groups().collect();
        let aliases: Vec<&str> = command.get_all_aliases().collect();
        let settings = [
            command.is_subcommand_required_set(),
            command.is_args_conflicts_with_subcommands_set(),
            command.is_subcommand_precedence_over_arg_set(),
            command.is_subcommand_negates_reqs_set(),
            command.is_allow_missing_positional_set(),
            command.is_allow_external_subcommands_set(),
            command.is_disable_help_flag_set(),
        ];
        all.insert(name.to_owned(), format!("{aliases:?} {settings:?} {groups:#?} {arguments:#?}"));
        // opm's command line is read by a parser of its own.
        for child in command.get_subcommands().filter(|child| !["opm", "help"].contains(&child.get_name())) {
            walk(child, &format!("{name} {}", child.get_name()), all);
        }
    }
    root.build();
    let mut all = BTreeMap::new();
    walk(&root, "fbc", &mut all);
    // The words in front of the command are flattened into both from one type.
    all.remove("fbc");
    all
}

#[test]
fn both_definitions_read_every_command_alike() {
    let (quick, whole) = (reading(super::quick_command_line()), reading(super::command_line()));
    assert!(quick.len() > 70, "only {} commands", quick.len());
    assert_eq!(quick.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
    for (name, quick) in &quick {
        let differing = quick.lines().zip(whole[name].lines()).find(|(quick, whole)| quick != whole);
        assert!(quick == &whole[name], "{name}: {differing:?}");
    }
}
