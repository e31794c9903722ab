//! `fbc man`: manual pages.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use clap_mangen::Man;
use fbc_app::output::file::{replace_files, root_for};

use crate::arguments::command_line;
use crate::command_groups::COMMAND_GROUPS;
use crate::failure::{CLEAN, Failure};
use crate::settings::Settings;
use crate::terminal;

/// Print the manual page, or write those of all commands to a directory
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Write one page for each command to this directory
    #[arg(long, aliases = ["output-folder", "folder"], value_name = "DIR", value_hint = ValueHint::DirPath)]
    output_dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match &arguments.output_dir {
        Some(folder) => {
            let root = root_for(folder, settings)?;
            let mut pages = BTreeMap::new();
            let mut all = command_line().disable_help_subcommand(true);
            all.build();
            add_pages(&all, &mut pages)?;
            // The page of the program itself has its commands in groups.
            pages.insert("fbc.1".to_owned(), page()?);
            replace_files(&root, pages.iter().map(|(name, page)| (Path::new(name), Some(page.as_slice()))))?;
        }
        None => {
            let mut out = terminal::stdout();
            out.write_all(&page()?)?;
            out.flush()?;
        }
    }
    Ok(CLEAN)
}

/// The pages of a command and of all below it, by the names of their files.
fn add_pages(command: &clap::Command, pages: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        add_pages(below, pages)?;
    }
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page)?;
    pages.insert(man.get_filename(), page);
    Ok(())
}

/// The page of the program.
fn page() -> io::Result<Vec<u8>> {
    let man = Man::new(command_line());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    commands(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_extra_section(&mut page)?;
    man.render_version_section(&mut page)?;
    Ok(page)
}

/// The commands in their groups.
fn commands(page: &mut Vec<u8>) -> io::Result<()> {
    let root = command_line();
    writeln!(page, ".SH COMMANDS")?;
    for group in &COMMAND_GROUPS {
        writeln!(page, ".SS {}", escaped(group.title))?;
        for (name, about) in group.summaries(&root) {
            writeln!(page, ".TP\n\\fBfbc\\-{}\\fR(1)\n{}", escaped(name), escaped(&about))?;
        }
    }
    Ok(())
}

/// A text in which roff finds nothing to do.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq")
}

#[cfg(test)]
mod tests {
    #[test]
    fn commands_are_in_groups() {
        let page = String::from_utf8(super::page().unwrap()).unwrap();
        assert!(page.contains(".SS Check\n.TP\n\\fBfbc\\-validate\\fR(1)\nReport every"), "{page}");
    }
}
