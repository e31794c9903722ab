//! `cargo xtask dist`: what a release consists of.
//!
//! For each target an archive with the program, completions, manual pages and licenses, its checksum, for Linux a Debian
//! package; for all of them a bill of materials, a formula for Homebrew and a statement of provenance. Everything is made
//! of the checkout and the lock file alone: times are those of the commit, names are sorted, so that two builds give equal
//! bytes.

mod archive;
mod contents;
mod debian;
mod dependencies;
mod formula;
mod image;
mod provenance;
mod sbom;
mod target;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use sha2::{Digest as _, Sha256};

use self::target::Target;
use crate::error::{Context, TaskError, TaskResult};
use crate::{process, workspace};

/// What to build.
#[derive(Args)]
pub(crate) struct Options {
    /// A target triple; without any, those of a release that are installed, or that of this machine
    #[arg(long, value_name = "TRIPLE")]
    target: Vec<String>,
    /// The public address of the repository, for the formula [default: `repository` of the workspace]
    #[arg(long, value_name = "URL")]
    repository: Option<String>,
    /// Who answers for the Debian package, as `Name <address>` [default: `maintainer` in the metadata of the workspace]
    #[arg(long, value_name = "NAME")]
    maintainer: Option<String>,
    /// Take these programs instead of building, one for each target, such as those of a test
    #[arg(long, value_name = "PROGRAM")]
    program: Vec<PathBuf>,
    /// Where to write
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Also make an image with fbc, on this one: `oci:PATH`, `oci-archive:FILE` or `scratch`
    #[arg(long, value_name = "IMAGE")]
    image_base: Option<String>,
    /// Build twice, in different directories, and compare the programs
    #[arg(long, conflicts_with = "program")]
    verify_reproducible: bool,
    /// Build without optimization, to try the task itself
    #[arg(long, conflicts_with = "program")]
    quick: bool,
}

/// A file of a release, with its checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Artifact {
    pub(crate) name: String,
    /// Hexadecimal.
    pub(crate) sha256: String,
    /// The triple of an archive; nothing for what is for every system.
    pub(crate) triple: Option<String>,
}

/// Runs the task.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let build_folder = workspace::target_folder(&root)?;
    let output = options.output_dir.clone().unwrap_or_else(|| build_folder.join("dist"));
    let targets = target::chosen(&options.target)?;
    if !options.program.is_empty() && options.program.len() != targets.len() {
        return Err(TaskError::new(format!("{} targets need as many programs", targets.len())));
    }
    fs::create_dir_all(&output).context(|| format!("making {}", output.display()))?;
    let release = Release::read(&root, options)?;
    let mut artifacts = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        let program = match options.program.get(index) {
            Some(program) => program.clone(),
            None => target.build(&root, &build_folder, &release, options.quick)?,
        };
        if options.verify_reproducible {
            let other = target.build(&root, &build_folder.join("again"), &release, options.quick)?;
            if read(&program)? != read(&other)? {
                return Err(TaskError::new(format!("two builds of {} differ", target.triple)));
            }
            println!("two builds of {} are equal", target.triple);
        }
        artifacts.extend(release.package(&root, target, &program, &output, options)?);
    }
    artifacts.push(write(&output, &release.sbom_name(), &sbom::document(&root, &release)?, None)?);
    match &release.repository {
        Some(url) => match formula::text(&release.version, url, &artifacts) {
            Some(formula) => artifacts.push(write(&output, "fbc.rb", formula.as_bytes(), None)?),
            None => println!("skipped: the formula needs an archive for Linux with musl, or for macOS"),
        },
        None => println!("skipped: the formula needs the address of the repository; --repository names it"),
    }
    let statement = provenance::statement(&root, &release, &artifacts)?;
    let name = format!("fbc-{}.intoto.json", release.version);
    artifacts.push(write(&output, &name, statement.as_bytes(), None)?);
    for artifact in &artifacts {
        println!("{}  {}", artifact.sha256, output.join(&artifact.name).display());
    }
    Ok(ExitCode::SUCCESS)
}

/// What all files of a release share.
pub(crate) struct Release {
    /// The version of fbc.
    pub(crate) version: String,
    /// The moment of the commit, in seconds since 1970; it is that of every file.
    pub(crate) moment: u64,
    /// The commit; nothing outside of a repository.
    pub(crate) commit: Option<String>,
    /// The public address of the repository.
    pub(crate) repository: Option<String>,
    /// Who answers for packages.
    pub(crate) maintainer: Option<String>,
}

impl Release {
    fn read(root: &Path, options: &Options) -> TaskResult<Self> {
        let metadata = workspace::metadata(root)?;
        let text =
            |value: &serde_json::Value| value.as_str().map(str::to_owned).filter(|text| !text.is_empty());
        let fbc = metadata["packages"].as_array().and_then(|all| all.iter().find(|one| one["name"] == "fbc"));
        let repository = options.repository.clone().or_else(|| text(&fbc?["repository"]));
        let maintainer =
            options.maintainer.clone().or_else(|| text(&metadata["metadata"]["fbc"]["maintainer"]));
        let said = |format: &str| {
            let output = std::process::Command::new("git")
                .current_dir(root)
                .args(["log", "-1", &format!("--format={format}")])
                .output()
                .ok()
                .filter(|output| output.status.success())?;
            Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|text| !text.is_empty())
        };
        let named = std::env::var("SOURCE_DATE_EPOCH").ok().or_else(|| said("%ct"));
        let moment = named.and_then(|text| text.parse().ok()).unwrap_or_default();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Self { version, moment, commit: said("%H"), repository, maintainer })
    }

    #[cfg(test)]
    pub(crate) fn of_test(version: &str, moment: u64) -> Self {
        Self { version: version.to_owned(), moment, commit: None, repository: None, maintainer: None }
    }

    fn sbom_name(&self) -> String {
        format!("fbc-{}.cdx.json", self.version)
    }

    /// The files for one target.
    fn package(
        &self,
        root: &Path,
        target: &Target,
        program: &Path,
        output: &Path,
        options: &Options,
    ) -> TaskResult<Vec<Artifact>> {
        let files = contents::files(root, target, &read(program)?)?;
        let name = target.archive_name(&self.version);
        let bytes = archive::tar_gz(&format!("{name}/"), &files, self.moment)?;
        let archive = format!("{name}.tar.gz");
        let mut artifacts = vec![write(output, &archive, &bytes, Some(&target.triple))?];
        match (target.debian_architecture(), &self.maintainer) {
            (None, _) => {}
            (Some(_), None) => {
                println!("skipped: the Debian package needs a maintainer; --maintainer names one")
            }
            (Some(architecture), Some(maintainer)) => {
                let package = debian::package(self, target, architecture, maintainer, &files)?;
                let name = format!("fbc_{}_{architecture}.deb", self.version);
                artifacts.push(write(output, &name, &package, None)?);
            }
        }
        if let (Some(base), Some(architecture)) = (&options.image_base, target.debian_architecture()) {
            let name = format!("fbc-{}-{architecture}-image.tar", self.version);
            let path = output.join(&name);
            // One of an earlier run would get the image as well.
            let _ = fs::remove_file(&path);
            image::write(&path, base, architecture, self, &files)?;
            artifacts.push(write(output, &name, &read(&path)?, None)?);
        }
        Ok(artifacts)
    }
}

/// Writes a file of the release, and its checksum beside it as `sha256sum --check` reads it.
fn write(folder: &Path, name: &str, bytes: &[u8], triple: Option<&String>) -> TaskResult<Artifact> {
    let sha256 = hexadecimal(&Sha256::digest(bytes));
    for (name, bytes) in
        [(name.to_owned(), bytes), (format!("{name}.sha256"), format!("{sha256}  {name}\n").as_bytes())]
    {
        let path = folder.join(name);
        fs::write(&path, bytes).context(|| format!("writing {}", path.display()))?;
    }
    Ok(Artifact { name: name.to_owned(), sha256, triple: triple.cloned() })
}

fn read(path: &Path) -> TaskResult<Vec<u8>> {
    fs::read(path).context(|| format!("reading {}", path.display()))
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs fbc, which is part of this program, in the root of the workspace, and returns what it prints.
pub(crate) fn fbc(root: &Path, arguments: &[&str]) -> TaskResult<Vec<u8>> {
    let own = std::env::current_exe().context(|| "finding this program".to_owned())?;
    let mut command = std::process::Command::new(own);
    command.current_dir(root).arg("fbc").args(arguments).env_remove("COLUMNS").env("FBC_OFFLINE", "1");
    let output = command.output().context(|| "starting fbc".to_owned())?;
    if output.status.code().is_none_or(|code| code > 1) {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(TaskError::new(format!("{}: {}", process::describe(&command), reason.trim())));
    }
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `cargo binstall` looks for the archive of a release, and in it for the program, where the manifest says.
    #[test]
    fn binstall_finds_the_archive_and_the_program() {
        let metadata = workspace::metadata(&workspace::root().unwrap()).unwrap();
        let fbc = metadata["packages"].as_array().unwrap().iter().find(|one| one["name"] == "fbc").unwrap();
        let version = fbc["version"].as_str().unwrap();
        for triple in target::OF_RELEASES {
            let target = Target { triple: triple.to_owned() };
            let filled = |key: &str| {
                let pairs = [
                    ("{ repo }", "https://example.com/fbc"),
                    ("{ name }", "fbc"),
                    ("{ bin }", "fbc"),
                    ("{ version }", version),
                    ("{ target }", triple),
                    ("{ binary-ext }", ""),
                ];
                let text = fbc["metadata"]["binstall"][key].as_str().unwrap().to_owned();
                pairs.iter().fold(text, |text, (key, value)| text.replace(key, value))
            };
            let name = target.archive_name(version);
            let artifact = Artifact {
                name: format!("{name}.tar.gz"),
                sha256: String::new(),
                triple: Some(triple.to_owned()),
            };
            // The formula names the same archive.
            let formula = formula::text(version, "https://example.com/fbc", &[artifact]).unwrap();
            assert!(formula.contains(&format!("url \"{}\"", filled("pkg-url"))), "{formula}");
            assert_eq!(filled("bin-dir"), format!("{name}/{}", target.program()));
            assert_eq!(filled("pkg-fmt"), "tgz");
        }
    }

    #[test]
    fn checksums_are_those_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let artifact = write(folder.path(), "fbc", b"abc", None).unwrap();
        assert_eq!(artifact.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let line = fs::read_to_string(folder.path().join("fbc.sha256")).unwrap();
        assert_eq!(line, format!("{}  fbc\n", artifact.sha256));
    }
}
