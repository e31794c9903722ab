//! The formula for Homebrew.

use super::Artifact;

/// For each triple, what Homebrew calls its system and its machine.
const SYSTEMS: [(&str, &str, &str); 4] = [
    ("aarch64-apple-darwin", "on_macos", "on_arm"),
    ("x86_64-apple-darwin", "on_macos", "on_intel"),
    ("aarch64-unknown-linux-musl", "on_linux", "on_arm"),
    ("x86_64-unknown-linux-musl", "on_linux", "on_intel"),
];

/// The formula, with the archives that there are; nothing if Homebrew could install none of them.
pub(super) fn text(version: &str, repository: &str, artifacts: &[Artifact]) -> Option<String> {
    let repository = repository.trim_end_matches('/').trim_end_matches(".git");
    let mut archives = String::new();
    for (triple, system, machine) in SYSTEMS {
        let of_triple = |artifact: &&Artifact| artifact.triple.as_deref() == Some(triple);
        if let Some(Artifact { name, sha256, .. }) = artifacts.iter().find(of_triple) {
            archives.push_str(&format!(
                "  {system} do\n    {machine} do\n      url \"{repository}/releases/download/v{version}/{name}\"\n      \
                 sha256 \"{sha256}\"\n    end\n  end\n\n"
            ));
        }
    }
    if archives.is_empty() {
        return None;
    }
    Some(format!(
        "class Fbc < Formula\n  desc \"Tool for OLM file-based catalogs\"\n  homepage \"{repository}\"\n  version \"{version}\"\n  \
         license \"Apache-2.0\"\n\n{archives}  def install\n    bin.install \"fbc\"\n    man1.install Dir[\"man/man1/*\"]\n    \
         bash_completion.install \"completions/fbc.bash\" => \"fbc\"\n    zsh_completion.install \"completions/_fbc\"\n    \
         fish_completion.install \"completions/fbc.fish\"\n  end\n\n  test do\n    \
         assert_match version.to_s, shell_output(\"#{{bin}}/fbc version\")\n  end\nend\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_named_with_their_checksums() {
        let artifact = Artifact {
            name: "fbc-1.0.0-x86_64-unknown-linux-musl.tar.gz".to_owned(),
            sha256: "ab".to_owned(),
            triple: Some("x86_64-unknown-linux-musl".to_owned()),
        };
        let text = text("1.0.0", "https://example.com/fbc", &[artifact]).unwrap();
        assert_eq!(super::text("1.0.0", "https://example.com/fbc", &[]), None);
        let url =
            "https://example.com/fbc/releases/download/v1.0.0/fbc-1.0.0-x86_64-unknown-linux-musl.tar.gz";
        assert!(text.contains(&format!("on_intel do\n      url \"{url}\"\n      sha256 \"ab\"\n")), "{text}");
        assert!(!text.contains("on_macos"), "{text}");
        assert!(text.contains("homepage \"https://example.com/fbc\"\n"), "{text}");
    }
}
