//! A Debian package: an `ar` archive of a version, control files and files (`deb(5)`).

use super::Release;
use super::archive::tar_gz;
use super::contents::PackedFile;
use super::target::Target;
use crate::error::TaskResult;

/// Where Debian wants the files of an archive; others stay out.
const PLACES: [(&str, &str); 6] = [
    ("fbc", "usr/bin/fbc"),
    ("completions/fbc.bash", "usr/share/bash-completion/completions/fbc"),
    ("completions/_fbc", "usr/share/zsh/vendor-completions/_fbc"),
    ("completions/fbc.fish", "usr/share/fish/vendor_completions.d/fbc.fish"),
    ("LICENSE", "usr/share/doc/fbc/copyright"),
    ("THIRD-PARTY-LICENSES.md", "usr/share/doc/fbc/THIRD-PARTY-LICENSES.md"),
];

/// The package.
pub(super) fn package(
    release: &Release,
    target: &Target,
    architecture: &str,
    maintainer: &str,
    files: &[PackedFile],
) -> TaskResult<Vec<u8>> {
    let placed: Vec<PackedFile> = files.iter().filter_map(placed).collect();
    let kibibytes = placed.iter().map(|file| file.bytes.len()).sum::<usize>().div_ceil(1024);
    // Programs for musl are static.
    let depends = if target.triple.ends_with("-gnu") { "Depends: libc6, libgcc-s1\n" } else { "" };
    let control = format!(
        "Package: fbc\nVersion: {}\nArchitecture: {architecture}\nMaintainer: {maintainer}\n\
         Installed-Size: {kibibytes}\n{depends}Suggests: git\nSection: devel\nPriority: optional\n\
         Description: One binary for OLM file-based catalogs\n Parser, validator, graph, resolver, images, mirror, and a \
         simulation of a cluster.\n",
        release.version
    );
    let control = PackedFile { path: "control".to_owned(), bytes: control.into_bytes(), is_program: false };
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", tar_gz("./", &[control], release.moment)?),
        ("data.tar.gz", tar_gz("./", &placed, release.moment)?),
    ];
    let mut package = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let (moment, size) = (release.moment, bytes.len());
        let head = format!("{name:<16}{moment:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 100_644);
        package.extend(head.as_bytes());
        package.extend(&bytes);
        // Members begin at even places.
        package.extend((size % 2 == 1).then_some(b'\n'));
    }
    Ok(package)
}

fn placed(file: &PackedFile) -> Option<PackedFile> {
    let manual = file.path.strip_prefix("man/").map(|page| format!("usr/share/man/{page}"));
    let place = PLACES.iter().find(|(path, _)| *path == file.path).map(|(_, place)| (*place).to_owned());
    Some(PackedFile { path: manual.or(place)?, ..file.clone() })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn dpkg_reads_the_package() {
        let release = Release::of_test("1.2.3", 1_700_000_000);
        let file =
            |path: &str, is_program| PackedFile { path: path.to_owned(), bytes: vec![b'x'; 3], is_program };
        let files = [file("fbc", true), file("man/man1/fbc.1", false), file("README.md", false)];
        let target = Target { triple: "x86_64-unknown-linux-gnu".to_owned() };
        let package = package(&release, &target, "amd64", "A B <a@example.com>", &files).unwrap();
        assert!(
            package
                .starts_with(b"!<arch>\ndebian-binary   1700000000  0     0     100644  4         `\n2.0\n")
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fbc.deb");
        std::fs::write(&path, &package).unwrap();
        let Ok(output) = Command::new("dpkg-deb").arg("--contents").arg(&path).output() else {
            return fbc_testing::skip("dpkg-deb is not installed");
        };
        let text = String::from_utf8(output.stdout).unwrap();
        let names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next_back()).collect();
        let files: Vec<&str> = names.into_iter().filter(|name| !name.ends_with('/')).collect();
        assert_eq!(files, ["usr/bin/fbc", "usr/share/man/man1/fbc.1"], "{text}");
        let output = Command::new("dpkg-deb").arg("--field").arg(&path).arg("Version").output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "1.2.3\n");
        let output = Command::new("dpkg-deb").arg("--field").arg(&path).arg("Depends").output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "libc6, libgcc-s1\n");
    }
}
