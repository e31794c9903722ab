//! Which command the words of a command line name, as cobra finds it.
//!
//! Flags may stand anywhere. Before it knows the command, cobra cannot know their kinds: whatever flag the command
//! found so far does not have takes the next word for its value, so that `--migrate-level all alpha list` works and
//! `-h render` does not call `render`. Source: `spf13/cobra:command.go` (`Find`, `stripFlags`, `argsMinusFirstX`).

use super::commands::{COMMANDS, Command, GLOBAL_FLAGS, ROOT};
use super::flags::{Flag, FlagKind};

/// The command that the words name, and the words that are left for it.
pub(super) fn find(words: &[String]) -> (&'static Command, Vec<String>) {
    let mut command = &ROOT;
    let mut rest: Vec<String> = words.to_vec();
    while let Some(word) = first_word(command, &rest)
        && let Some(child) = command.children().find(|child| child.is_called(word))
    {
        if let Some(position) = place_of(command, &rest, child) {
            rest.remove(position);
        }
        command = child;
    }
    (command, rest)
}

impl Command {
    /// The commands one word below.
    pub(super) fn children(&self) -> impl Iterator<Item = &'static Self> {
        COMMANDS
            .iter()
            .filter(move |child| child.path.len() == self.path.len() + 1 && child.path.starts_with(self.path))
    }

    fn is_called(&self, word: &str) -> bool {
        self.path.last() == Some(&word)
    }

    /// Whether the next word is the value of this one.
    fn takes_next(&self, word: &str) -> bool {
        let is_switch = |is_meant: &dyn Fn(&Flag) -> bool| {
            let mut flags = self.flags.iter().chain(GLOBAL_FLAGS);
            flags.find(|flag| is_meant(flag)).is_some_and(|flag| flag.kind == FlagKind::Switch)
        };
        if word.contains('=') {
            return false;
        }
        if let Some(name) = word.strip_prefix("--") {
            return !is_switch(&|flag| flag.name == name);
        }
        let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => !is_switch(&|flag| flag.short == Some(letter)),
            _ => false,
        }
    }
}

/// The first word that is neither a flag nor the value of one.
fn first_word<'w>(command: &Command, words: &'w [String]) -> Option<&'w String> {
    let mut rest = words;
    while let Some((word, behind)) = rest.split_first() {
        rest = behind;
        if word == "--" {
            return None;
        }
        if command.takes_next(word) {
            // A flag that swallows the last word leaves nothing.
            rest = rest.get(1..).filter(|_| behind.len() > 1)?;
        } else if !word.is_empty() && !word.starts_with('-') {
            return Some(word);
        }
    }
    None
}

/// Where the word stands that called a command.
fn place_of(command: &Command, words: &[String], child: &Command) -> Option<usize> {
    let mut position = 0;
    while let Some(word) = words.get(position).filter(|word| *word != "--") {
        if command.takes_next(word) {
            position += 1;
        } else if child.is_called(word) {
            return Some(position);
        }
        position += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn flags_may_stand_in_front() {
        for (line, command, rest) in [
            ("render x", "opm render", "x"),
            (
                "--migrate-level all alpha render-template f",
                "opm alpha render-template",
                "--migrate-level all f",
            ),
            ("--use-http alpha list packages r", "opm alpha list packages", "--use-http r"),
            ("alpha -o yaml render-template f", "opm alpha render-template", "-o yaml f"),
            ("--migrate-level=all render x", "opm render", "--migrate-level=all x"),
            ("-oyaml render x", "opm render", "-oyaml x"),
            // An unknown flag swallows what follows it.
            ("-h render x", "opm", "-h render x"),
            ("--output render", "opm", "--output render"),
            ("--output render validate x", "opm validate", "--output render x"),
            // A value that is spelled like the command stays.
            ("-o render render x", "opm render", "-o render x"),
            ("-- render x", "opm", "-- render x"),
            ("alpha list nothing", "opm alpha list", "nothing"),
            ("index add --bundles x", "opm index", "add --bundles x"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (found, left) = find(&words);
            assert_eq!((found.full_name().as_str(), left.join(" ").as_str()), (command, rest), "{line}");
        }
    }
}
