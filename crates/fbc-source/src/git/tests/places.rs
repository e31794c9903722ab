//! Repositories whose configuration, or whose directory of git, lies elsewhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::{Clone, ErrorKind, GitLimits, Repository};
use crate::git::environment::absolute;

/// A repository that whoever runs this has gone into, and one that lies in a work tree.
#[test]
fn a_bare_repository_answers_where_the_command_runs() {
    let Some(clone) = Clone::new() else { return };
    let bare = tempfile::tempdir().unwrap();
    clone.git(&["init", "--quiet", "--bare", bare.path().to_str().unwrap()]);
    let here =
        |folder: &Path| Repository { folder: folder.to_path_buf(), limits: GitLimits::USUAL, is_bare: false };
    let is_alone = |folder: &Path| here(folder).is_alone_and_bare();
    assert!(is_alone(bare.path()));
    assert!(!is_alone(&bare.path().join("refs")) && !is_alone(clone.0.path()));
    assert!(!here(bare.path()).is_own_bare(), "it is named");
    clone.git(&["init", "--quiet", "--bare", "inner"]);
    assert!(!is_alone(&clone.path("inner")));
    let bare = Repository { is_bare: true, ..here(bare.path()) };
    let error = bare.way_up().unwrap_err();
    assert!(error.message().ends_with("has no work tree"), "{error}");
}

/// What a configuration calls the work tree is one only if it is around the directory.
#[test]
fn a_configuration_names_no_other_work_tree() {
    let (Some(clone), Some(other)) = (Clone::new(), Clone::new()) else { return };
    clone.write("sub/a", "a");
    clone.commit();
    let repository = Repository::around(&clone.path("sub"), GitLimits::USUAL).unwrap();
    assert_eq!(repository.way_up().unwrap(), Path::new(".."));
    let above = clone.0.path().parent().unwrap();
    for place in [other.0.path(), above, &clone.path("sub"), &clone.path(".git")] {
        clone.git(&["config", "core.worktree", place.to_str().unwrap()]);
        let tree = repository.resolve("HEAD").unwrap();
        for error in [
            repository.way_up().unwrap_err(),
            repository.touched_since(&tree, &[]).unwrap_err(),
            repository.set(&[("merge.x.driver", "y")]).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
            assert!(error.message().contains("core.worktree"), "{error}");
        }
    }
    clone.git(&["config", "core.worktree", ".."]);
    assert_eq!(repository.way_up().unwrap(), Path::new(".."));
    assert!(!fs::read_to_string(clone.path(".git/config")).unwrap().contains("merge"));
}

/// What turns a repository into one that reaches for another.
type Trap<'t> = &'t dyn Fn(&Clone);

/// Repositories whose configuration is that of another one.
#[test]
fn a_configuration_elsewhere_is_not_written() {
    let Some(victim) = Clone::new() else { return };
    victim.write("a", "a");
    victim.commit();
    victim.git(&["worktree", "add", "--quiet", "linked"]);
    let (git, linked) = (victim.path(".git"), victim.path("linked/.git"));
    let before = fs::read(git.join("config")).unwrap();
    let within = "inner/worktrees/linked";
    let claims = |clone: &Clone| {
        clone.git(&["init", "--quiet", "--bare", within]);
        clone.write(&format!("{within}/commondir"), git.to_str().unwrap());
        clone.write(&format!("{within}/gitdir"), &format!("{}\n", clone.path(".git").display()));
    };
    let names = |clone: &Clone, place: &Path| {
        fs::remove_dir_all(clone.path(".git")).unwrap();
        clone.write(".git", &format!("gitdir: {}\n", place.display()));
    };
    let ways: [(&str, Trap<'_>); 7] = [
        ("commondir", &|clone| clone.write(".git/commondir", git.to_str().unwrap())),
        ("file", &|clone| names(clone, &git)),
        ("file of a linked work tree", &|clone| names(clone, &git.join("worktrees/linked"))),
        ("file that names a claim", &|clone| {
            claims(clone);
            names(clone, &clone.path(within));
        }),
        ("link to a directory", &|clone| {
            fs::remove_dir_all(clone.path(".git")).unwrap();
            symlink(&git, clone.path(".git")).unwrap();
        }),
        ("link to a file", &|clone| {
            fs::remove_dir_all(clone.path(".git")).unwrap();
            symlink(&linked, clone.path(".git")).unwrap();
        }),
        ("link in place of the configuration", &|clone| {
            fs::remove_file(clone.path(".git/config")).unwrap();
            symlink(git.join("config"), clone.path(".git/config")).unwrap();
        }),
    ];
    for (way, set_up) in ways {
        let Some(clone) = Clone::new() else { return };
        set_up(&clone);
        let repository = Repository::around(clone.0.path(), GitLimits::USUAL).unwrap();
        let error = repository.set(&[("merge.x.driver", "y")]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{way}: {error}");
        assert!(error.message().starts_with("cannot write"), "{way}: {error}");
        assert!(fs::read(git.join("config")).unwrap() == before, "{way}");
    }
}

/// Work trees whose directory of git lies elsewhere, as git makes them.
#[test]
fn configurations_of_linked_work_trees_and_submodules_are_written() {
    let (Some(clone), Some(other)) = (Clone::new(), Clone::new()) else { return };
    other.write("folder/a", "a");
    other.commit();
    clone.write("folder/a", "a");
    clone.commit();
    let url = other.0.path().to_str().unwrap();
    clone.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "sub"]);
    let place = tempfile::tempdir().unwrap();
    let linked = place.path().join("linked");
    clone.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
    let of_submodule = place.path().join("of-submodule");
    clone.git(&["-C", "sub", "worktree", "add", "--quiet", of_submodule.to_str().unwrap()]);
    let sub = clone.path("sub");
    // This moves the name of its work tree into another file.
    clone.git(&["-C", "sub", "sparse-checkout", "set", "--no-cone", "/*"]);
    let separate = place.path().join("separate");
    for (work_tree, config) in [
        (&linked, ".git/config"),
        (&sub, ".git/modules/sub/config"),
        (&of_submodule, ".git/modules/sub/config"),
        (&clone.0.path().to_path_buf(), ".git/config"),
    ] {
        for folder in [work_tree.clone(), work_tree.join("folder")] {
            let value = folder.display().to_string();
            let repository = Repository::around(&folder, GitLimits::USUAL).unwrap();
            repository.set(&[("merge.x.name", &value)]).unwrap();
            let text = fs::read_to_string(clone.path(config)).unwrap();
            assert!(text.contains(&format!("name = {value}\n")), "{value}: {text}");
        }
    }
    // Git itself does not write down where this one's work tree is.
    clone.git(&["init", "--quiet", "--separate-git-dir", separate.to_str().unwrap(), "apart"]);
    let repository = Repository::around(&clone.path("apart"), GitLimits::USUAL).unwrap();
    let error = repository.set(&[("merge.x.name", "y")]).unwrap_err();
    assert!(error.line().contains("call `git config` yourself"), "{}", error.line());
}

/// Where a command runs, what the environment says there (`GIT_DIR`, `GIT_WORK_TREE`, `GIT_INDEX_FILE`), and what it means.
type Case<'a> = (PathBuf, [Option<&'a str>; 3], [Option<PathBuf>; 3]);

/// `GIT_DIR`, `GIT_WORK_TREE` and `GIT_INDEX_FILE` as hooks and users set them, and where they lead, without links.
#[test]
fn the_environment_means_what_it_means_where_the_command_runs() {
    let Some(clone) = Clone::new() else { return };
    clone.write("catalogs/a", "a");
    clone.commit();
    let outside = tempfile::tempdir().unwrap();
    let elsewhere = |name: &str| fs::canonicalize(outside.path()).unwrap().join(name);
    for name in ["linked", "plain"] {
        fs::create_dir(elsewhere(name)).unwrap();
    }
    clone.git(&["worktree", "add", "--quiet", elsewhere("linked").to_str().unwrap()]);
    clone.git(&["init", "--quiet", "--bare", elsewhere("bare").to_str().unwrap()]);
    let separate = format!("--separate-git-dir={}", elsewhere("git").display());
    clone.git(&["clone", "--quiet", &separate, ".", elsewhere("apart").to_str().unwrap()]);
    let top = fs::canonicalize(clone.0.path()).unwrap();
    let git = top.join(".git");
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    let (of_linked, of_apart) = (text(git.join("worktrees/linked")), text(elsewhere("git")));
    let of_clone = text(git.clone());
    let cases: [Case<'_>; 12] = [
        (top.clone(), [None; 3], [None, None, None]),
        (top.clone(), [Some(""), None, None], [None, None, None]),
        (top.clone(), [Some(".git"), None, None], [Some(git.clone()), Some(top.clone()), None]),
        (top.join("catalogs"), [Some("../.git"), None, None], [Some(git.clone()), Some(top.clone()), None]),
        (
            top.join("catalogs"),
            [Some("../.git"), Some(".."), Some(".git/index")],
            [Some(git.clone()), Some(top.clone()), Some(git.join("index"))],
        ),
        (
            top.join("catalogs"),
            [Some("../.git"), None, Some(".git/index")],
            [Some(git.clone()), Some(top.clone()), Some(git.join("index"))],
        ),
        (top.join("catalogs"), [None, Some("."), None], [None, Some(top.join("catalogs")), None]),
        // Git reads it from the top itself.
        (top.join("catalogs"), [None, None, Some(".git/index")], [None, None, None]),
        (
            elsewhere("linked").join("catalogs"),
            [Some(&of_linked), None, None],
            [Some(git.join("worktrees/linked")), Some(elsewhere("linked")), None],
        ),
        (
            elsewhere("apart").join("catalogs"),
            [Some(&of_apart), None, None],
            [Some(elsewhere("git")), Some(elsewhere("apart")), None],
        ),
        // Nothing there names the repository, so it is what git takes.
        (
            elsewhere("plain"),
            [Some(&of_clone), None, None],
            [Some(git.clone()), Some(elsewhere("plain")), None],
        ),
        (elsewhere("bare"), [Some("."), None, None], [Some(elsewhere("bare")), None, None]),
    ];
    let names = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];
    for (folder, set, expected) in cases {
        let set =
            names.into_iter().zip(set).filter_map(|(name, value)| Some((name, value?.into()))).collect();
        let found = absolute(&folder, set, GitLimits::USUAL);
        let of = |name: &str| found.iter().find(|(known, _)| *known == name);
        let leads_to = names.map(|name| of(name).map(|(_, path)| fs::canonicalize(path).unwrap()));
        assert_eq!(leads_to, expected, "{}: {found:?}", folder.display());
        assert!(found.iter().all(|(_, path)| Path::new(path).is_absolute()), "{found:?}");
    }
}
