//! `fbc man`: manual pages.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_mangen::Man;

use crate::arguments::command_line;
use crate::command_groups::COMMAND_GROUPS;
use crate::failure::{CLEAN, Failure};
use crate::output::file::write_file;
use crate::terminal;

/// Print the manual page, or write those of all commands to a directory
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Write one page for each command to this directory
    #[arg(long, aliases = ["output-folder", "folder"], value_name = "DIR", value_hint = ValueHint::DirPath)]
    output_dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.output_dir {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
            clap_mangen::generate_to(command_line(), folder)
                .map_err(|error| Failure::io("write to", folder, &error))?;
            // The page of the program itself has its commands in groups.
            let page = page().map_err(|error| Failure::io("write to", folder, &error))?;
            write_file(&folder.join("fbc.1"), |out| Ok(out.write_all(&page)?))?;
        }
        None => {
            let mut out = terminal::stdout();
            out.write_all(&page()?)?;
            out.flush()?;
        }
    }
    Ok(CLEAN)
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
