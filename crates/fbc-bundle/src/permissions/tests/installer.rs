//! The rights of an installer: complete, with a reason for each, and not more than needed.

use rayon::prelude::*;

use super::super::installer::{Category, Installer, Plan, Reason, installer};
use super::super::preauthorization::preauthorize;
use super::*;

fn plan(account: &Account) -> Plan<'_> {
    Plan { account, extension: "harbour", engine: Applier::Helm, by_namespace: false, escalates: false }
}

fn rules(installer: &Installer) -> impl Iterator<Item = (&Reason, String)> {
    installer.roles[0].rules.iter().map(|rule| (&rule.reason, rule.rule.to_string()))
}

/// D-EXT-17, D-EXT-19, D-EXT-21 to D-EXT-25, D-EXT-28, D-EXT-29, X-13: the structure of the document's example for Pipelines.
#[test]
fn d_ext_28_the_structure_of_the_example() {
    let account = account();
    let installer = installer(&installed(&harbour(), Target::Latest), &plan(&account));
    let mut kinds: Vec<&str> = rules(&installer)
        .map(|(reason, _)| match reason {
            Reason::Finalizers => "finalizers",
            Reason::Collection(Category::Permissions) | Reason::Objects(Category::Permissions) => {
                "permissions"
            }
            Reason::Escalate | Reason::Bind => "bind",
            Reason::Collection(Category::Definitions) | Reason::Objects(Category::Definitions) => {
                "definitions"
            }
            Reason::Operator { .. } => "operator",
            Reason::Collection(Category::Deployments) | Reason::Objects(Category::Deployments) => {
                "deployments"
            }
            Reason::Collection(Category::ServiceAccounts) | Reason::Objects(Category::ServiceAccounts) => {
                "accounts"
            }
            Reason::Collection(Category::Others) | Reason::Objects(Category::Others) => "others",
        })
        .collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "operator").count(), 7, "as written, and namespaces");
    kinds.dedup();
    assert_eq!(
        kinds,
        // No rule to bind the foreign role: the operator may bind all, so its own rules hold that already.
        ["finalizers", "permissions", "definitions", "operator", "deployments", "accounts", "others"]
    );
    let texts: Vec<String> = rules(&installer).map(|(_, text)| text).collect();
    for expected in [
        r#"{APIGroups:["olm.operatorframework.io"], Resources:["clusterextensions/finalizers"], ResourceNames:["harbour"], Verbs:["update"]}"#,
        r#"{APIGroups:["rbac.authorization.k8s.io"], Resources:["clusterroles"], Verbs:["create" "list" "watch"]}"#,
        r#"{APIGroups:["rbac.authorization.k8s.io"], Resources:["clusterrolebindings"], Verbs:["create" "list" "watch"]}"#,
        r#"{APIGroups:["apiextensions.k8s.io"], Resources:["customresourcedefinitions"], Verbs:["create" "list" "watch"]}"#,
        r#"{APIGroups:["apiextensions.k8s.io"], Resources:["customresourcedefinitions"], ResourceNames:["harbours.harbour.example.com" "piers.harbour.example.com"], Verbs:["delete" "get" "patch" "update"]}"#,
        r#"{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["harbour-gate" "harbour-operator"], Verbs:["delete" "get" "patch" "update"]}"#,
        r#"{APIGroups:[""], Resources:["serviceaccounts"], ResourceNames:["harbour-operator"], Verbs:["delete" "get" "patch" "update"]}"#,
        r#"{APIGroups:[""], Resources:["services"], ResourceNames:["harbour-gate" "harbour-metrics"], Verbs:["delete" "get" "patch" "update"]}"#,
        r#"{APIGroups:[""], Resources:["configmaps"], ResourceNames:["harbour-defaults"], Verbs:["delete" "get" "patch" "update"]}"#,
        r#"{NonResourceURLs:["/metrics"], Verbs:["get"]}"#,
    ] {
        assert!(texts.iter().any(|text| text == expected), "{expected} of\n{}", texts.join("\n"));
    }
    // X-14, X-15: no star among names, no names with verbs of collections.
    for rule in installer.roles[0].rules.iter().map(|rule| &rule.rule) {
        assert!(!rule.resource_names.iter().any(|name| name == "*"), "{rule}");
        let of_collection =
            rule.verbs.iter().any(|verb| ["create", "list", "watch"].contains(&verb.as_str()));
        assert!(!of_collection || rule.resource_names.is_empty(), "{rule}");
    }
}

/// D-EXT-14 (b), D-EXT-27, D-EXT-30: account, role and binding.
#[test]
fn d_ext_30_names_and_binding() {
    let account = account();
    let manifests = installer(&installed(&harbour(), Target::Latest), &plan(&account)).manifests();
    let names: Vec<&str> =
        manifests.iter().map(|manifest| manifest["metadata"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["harbour-installer", "harbour-installer-clusterrole", "harbour-installer-binding"]);
    assert_eq!(
        manifests[2]["subjects"],
        serde_json::json!([{ "kind": "ServiceAccount", "name": "harbour-installer", "namespace": "harbours" }])
    );
    assert_eq!(manifests[2]["roleRef"]["name"], "harbour-installer-clusterrole");
}

/// Whether the check passes with these rights, for each way to write them.
fn passes(objects: &[Object], context: &str) {
    let account = account();
    for (by_namespace, escalates, engine) in [
        (false, false, Applier::Helm),
        (true, false, Applier::Helm),
        (false, true, Applier::Helm),
        (true, true, Applier::Boxcutter { revision: 1 }),
    ] {
        let plan = Plan { by_namespace, escalates, engine, ..plan(&account) };
        let installer = installer(objects, &plan);
        let mut access = installer.access();
        // What the cluster brings along may only make the check harder.
        rbac_files::add_default_roles(&mut access);
        let answer = preauthorize(objects, &access, &account, "harbour", engine);
        assert_eq!(answer.report(), None, "{context} {by_namespace} {escalates}");
    }
}

/// D-EXT-12, D-EXT-19: rights that are made for a bundle pass the check of the same bundle.
#[test]
fn d_ext_19_rights_are_complete() {
    for target in [Target::Latest, Target::Ocp419] {
        passes(&installed(&harbour(), target), "harbour");
    }
}

/// D-EXT-13: a version that needs more rights is held back until they are granted.
#[test]
fn d_ext_13_a_new_version_needs_more() {
    let account = account();
    let [old, new] =
        ["beacon-bundle", "beacon-bundle-next"].map(|name| installed(&example(name), Target::Latest));
    let access = installer(&old, &plan(&account)).access();
    let check = |objects| preauthorize(objects, &access, &account, "harbour", Applier::Helm);
    assert!(check(&old).is_authorized());
    let missing = &check(&new).missing[""];
    assert!(missing.contains(&Rule::new(&[""], &["configmaps"], &["update"])), "{missing:?}");
}

#[test]
fn rights_are_complete_for_recorded_bundles() {
    let Some(bundles) = recorded_bundles() else { return };
    let checked: usize = bundles.par_iter().map(|folder| check_recorded(folder)).sum();
    assert!(checked > 0, "none of {} bundles can be installed", bundles.len());
    println!("checked {checked} installations");
}

/// Checks the default installation of a recorded bundle; how many there were.
fn check_recorded(folder: &Path) -> usize {
    let Ok(bundle) = Bundle::read(&DiskTree { root: folder.to_path_buf() }) else { return 0 };
    let watches_all = bundle.operator().install_modes().contains("AllNamespaces");
    let watch_namespaces = if watches_all { Vec::new() } else { vec![NAMESPACE.to_owned()] };
    let installation = Installation { watch_namespaces, ..installation(Target::Latest) };
    let Ok(objects) = render(&bundle, &installation) else { return 0 };
    // A manifest without a version has no resource, so nobody can be authorized.
    if objects.iter().any(|object| object.version().is_empty()) {
        return 0;
    }
    passes(&objects, &folder.display().to_string());
    1
}

/// Nothing is granted that is neither asked for nor the operator's.
#[test]
fn rights_are_minimal() {
    let objects = installed(&harbour(), Target::Latest);
    let account = account();
    let installer = installer(&objects, &plan(&account));
    let needs = needs(&objects, "harbour", Applier::Helm);
    for reasoned in installer.roles[0]
        .rules
        .iter()
        .filter(|rule| !matches!(rule.reason, Reason::Operator { .. } | Reason::Bind))
    {
        for piece in reasoned.rule.broken_down() {
            let is_needed = needs.iter().any(|need| {
                need.verb == piece.verbs[0]
                    && need.resource == piece.resources[0]
                    && need.group == piece.api_groups[0]
                    && piece.resource_names.first().is_none_or(|name| *name == need.name)
            });
            assert!(is_needed, "{piece}");
        }
    }
    // Each rule is of use: without it something is missing, unless others cover it.
    for index in 0..installer.roles[0].rules.len() {
        let mut less = installer.clone();
        let gone = less.roles[0].rules.remove(index);
        let others: Vec<&Rule> = less.roles[0].rules.iter().map(|rule| &rule.rule).collect();
        let is_covered = uncovered(&others, [&gone.rule]).is_empty();
        let answer = preauthorize(&objects, &less.access(), &account, "harbour", Applier::Helm);
        // The operator of this bundle may escalate and bind, so its own rules are not missed.
        let is_free = matches!(gone.reason, Reason::Operator { .. } | Reason::Bind);
        assert!(!answer.is_authorized() || is_covered || is_free, "{}", gone.rule);
    }
}
