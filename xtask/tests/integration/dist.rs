//! A release with a real program: `cargo xtask dist` packs the fbc that was built for tests, and what it makes is used as people
//! use it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fbc_testing::containers::{Podman, make_base, said};
use fbc_testing::{is_installed, skip};

const TRIPLE: &str = "x86_64-unknown-linux-musl";
const REPOSITORY: &str = "https://code.example.com/tools/fbc";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// What a program prints, which must succeed.
fn done(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// A program of this version of fbc, wherever it came from.
fn assert_is_fbc(printed: &str) {
    assert!(printed.starts_with(concat!("fbc ", env!("CARGO_PKG_VERSION"))), "{printed}");
}

/// A release in a directory.
struct Release {
    folder: tempfile::TempDir,
    name: String,
}

impl Release {
    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path());
        command
    }
}

/// The fbc beside this test's own programs, without what debuggers want; nothing, and the test counts as skipped, where it is not
/// built.
fn program(folder: &Path) -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("fbc");
    if !built.is_file() {
        skip("fbc is not built, as it is with the tests of the whole workspace");
        return None;
    }
    let small = folder.join("fbc");
    // It only saves time.
    let stripped = Command::new("strip").arg("-o").arg(&small).arg(&built).status();
    Some(if stripped.is_ok_and(|status| status.success()) { small } else { built })
}

/// Makes a release, with an image if there is something to make its base with.
fn release() -> Option<Release> {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path())?;
    let mut dist = Command::new(env!("CARGO_BIN_EXE_xtask"));
    dist.current_dir(root()).args(["dist", "--target", TRIPLE, "--repository", REPOSITORY]);
    dist.args(["--maintainer", "A B <a@example.com>", "--program"]).arg(&program);
    dist.arg("--output-dir").arg(folder.path().join("out"));
    if ["umoci", "ldd"].into_iter().all(is_installed) {
        make_base(folder.path(), &program);
        dist.arg("--image-base").arg(format!("oci:{}:latest", folder.path().join("base").display()));
    }
    done(&mut dist);
    let name = format!("fbc-{}-{TRIPLE}", env!("CARGO_PKG_VERSION"));
    Some(Release { folder, name })
}

#[test]
fn a_release_is_what_people_install() {
    let Some(release) = release() else { return };
    archive(&release);
    action(&release);
    formula(&release);
    debian_package(&release);
    image(&release);
}

/// The block of the README that downloads, verifies and unpacks an archive.
fn archive(release: &Release) {
    if !["sh", "curl", "sha256sum", "tar"].into_iter().all(is_installed) {
        return;
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, block) = readme.split_once("```text\ncurl ").unwrap();
    let block = format!("curl {}", block.split_once("```").unwrap().0);
    let script = block
        .replace("URL", &format!("file://{}", release.path("out").display()))
        .replace("VERSION", env!("CARGO_PKG_VERSION"));
    let told = done(release.command("sh").args(["-e", "-c", &script]));
    assert!(told.contains(": OK\n"), "{told}");
    let program = release.path(&release.name).join("fbc");
    assert_is_fbc(&done(Command::new(program).arg("version")));
    for path in ["completions/fbc.bash", "man/man1/fbc.1", "LICENSE", "THIRD-PARTY-LICENSES.md"] {
        assert!(release.path(&release.name).join(path).is_file(), "{path}");
    }
    // A checksum that does not fit is seen.
    fs::write(release.path(&format!("{}.tar.gz", release.name)), "else").unwrap();
    let check = block_line(&script, "sha256sum");
    assert!(!release.command("sh").args(["-c", check]).output().unwrap().status.success());
}

fn block_line<'s>(script: &'s str, start: &str) -> &'s str {
    script.lines().find(|line| line.starts_with(start)).unwrap()
}

/// The script of the GitHub Action takes the archive as it is.
fn action(release: &Release) {
    if !["bash", "curl", "sha256sum", "tar"].into_iter().all(is_installed) {
        return;
    }
    let mut install = release.command("bash");
    install.arg(root().join("docs/pipelines/github/install.sh"));
    install
        .env("FBC_VERSION", env!("CARGO_PKG_VERSION"))
        .env("FBC_DOWNLOAD_URL", format!("file://{}", release.path("out").display()))
        .env("RUNNER_TEMP", release.path("runner"))
        .env("GITHUB_PATH", release.path("path"));
    assert_is_fbc(&done(&mut install));
    let path = fs::read_to_string(release.path("path")).unwrap();
    assert_is_fbc(&done(Command::new(Path::new(path.trim()).join("fbc")).arg("version")));
}

/// Reads a formula as Homebrew does, prints what it says, and installs in the unpacked archive.
const HOMEBREW: &str = r##"
class Place
  def install(*files)
    files.flat_map { |file| file.is_a?(Hash) ? file.keys : [file].flatten }.each do |file|
      raise "#{file} is not in the archive" unless File.exist?(file)
      puts "installs #{file}"
    end
  end
end
class Formula
  def self.method_missing(name, *values)
    puts [name, *values].join(" ")
    yield if block_given?
  end
  def self.respond_to_missing?(*) = true
  def self.test = nil
  def method_missing(*) = Place.new
  def respond_to_missing?(*) = true
end
load ARGV[0]
Fbc.new.install
"##;

fn formula(release: &Release) {
    let unpacked = release.path(&release.name);
    if !is_installed("ruby") || !unpacked.is_dir() {
        return;
    }
    let formula = release.path("out/fbc.rb");
    done(Command::new("ruby").arg("-c").arg(&formula));
    let told = done(Command::new("ruby").args(["-e", HOMEBREW]).arg(&formula).current_dir(&unpacked));
    let sum = fs::read_to_string(release.path(&format!("out/{}.tar.gz.sha256", release.name))).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    for line in [
        format!(
            "on_linux\non_intel\nurl {REPOSITORY}/releases/download/v{version}/{}.tar.gz\n",
            release.name
        ),
        format!("sha256 {}\n", sum.split(' ').next().unwrap()),
        "installs fbc\n".to_owned(),
        "installs man/man1/fbc.1\n".to_owned(),
        "installs completions/_fbc\n".to_owned(),
    ] {
        assert!(told.contains(&line), "{line} is not in {told}");
    }
}

fn debian_package(release: &Release) {
    if !is_installed("dpkg-deb") {
        return;
    }
    let package = release.path(&format!("out/fbc_{}_amd64.deb", env!("CARGO_PKG_VERSION")));
    let unpacked = release.path("debian");
    done(Command::new("dpkg-deb").arg("-x").arg(package).arg(&unpacked));
    assert_is_fbc(&done(Command::new(unpacked.join("usr/bin/fbc")).arg("version")));
    for path in ["bash-completion/completions/fbc", "zsh/vendor-completions/_fbc", "man/man1/fbc.1"] {
        assert!(unpacked.join("usr/share").join(path).is_file(), "{path}");
    }
}

fn image(release: &Release) {
    let archive = format!("oci-archive:out/fbc-{}-amd64-image.tar", env!("CARGO_PKG_VERSION"));
    if !release.path("base").is_dir() || !is_installed("podman") {
        return;
    }
    let podman = Podman(release.folder.path());
    let Some(id) = podman.take(&["pull", "-q", &archive]) else { return };
    let run = podman.run(&["--rm", "--network", "none", "--read-only", &id, "/usr/local/bin/fbc", "version"]);
    if let Some((_, printed)) = run {
        assert_is_fbc(&printed);
    }
}
