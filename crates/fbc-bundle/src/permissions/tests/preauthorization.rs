//! The check of rights before an installation, with the texts of its report.

use super::super::preauthorization::{Answer, preauthorize};
use super::*;

fn check(objects: &[Object], access: &Access) -> Answer {
    preauthorize(objects, access, &account(), "harbour", Applier::Helm)
}

const FINALIZERS: &str = "{apiGroups: [olm.operatorframework.io], resources: [clusterextensions/finalizers], verbs: \
                          [update], resourceNames: [harbour]}";

const RBAC: &str = "{apiGroups: [rbac.authorization.k8s.io], resources: ['*'], verbs: [get, list, watch, create, \
                    update, patch, delete]}";

/// D-EXT-44, D-EXT-45, D-EXT-47, X-20: the report of the document's example, in the form of the source.
#[test]
fn d_ext_47_the_report_of_the_document() {
    let objects = objects(
        "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: pipelines}\n---\napiVersion: apps/v1\n\
         kind: Deployment\nmetadata: {name: d, namespace: pipelines}\n",
    );
    let access = bound(&[
        FINALIZERS,
        "{apiGroups: [''], resources: [services], verbs: [create, get, update, patch, delete]}",
        "{apiGroups: [apps], resources: [deployments], verbs: [list, watch, get, update, patch, delete]}",
    ]);
    let expected = "pre-authorization failed: service account requires the following permissions to manage cluster \
                    extension:\n  Namespace:\"\" APIGroups:[] Resources:[services] Verbs:[list,watch]\n  \
                    Namespace:\"pipelines\" APIGroups:[apps] Resources:[deployments] Verbs:[create]";
    assert_eq!(check(&objects, &access).report().unwrap(), expected);
}

/// D-EXT-46: nothing else is needed than the missing permissions.
#[test]
fn d_ext_46_granting_what_is_missing_is_enough() {
    let objects = installed(&harbour(), Target::Latest);
    let mut access = bound(&[]);
    let answer = check(&objects, &access);
    assert!(!answer.is_authorized());
    let role = access.roles.get_mut(&(String::new(), "r".to_owned())).unwrap();
    role.rules.extend(answer.missing.into_values().flatten());
    assert!(check(&objects, &access).is_authorized(), "{:?}", check(&objects, &access).report());
}

/// D-EXT-20: the role for tests is enough for everything, but for paths that are not resources.
#[test]
fn d_ext_20_everything_on_all_resources() {
    let all = "{apiGroups: ['*'], resources: ['*'], verbs: ['*']}";
    let answer = check(&installed(&harbour(), Target::Latest), &bound(&[all]));
    // Who may escalate and bind needs nothing else.
    assert!(answer.is_authorized(), "{:?}", answer.report());
}

/// D-EXT-21, X-17: the rule for finalizers must name the extension.
#[test]
fn d_ext_21_finalizers_of_another_extension() {
    let access = bound(&[
        "{apiGroups: [olm.operatorframework.io], resources: [clusterextensions/finalizers], verbs: [update], \
         resourceNames: [pipes]}",
        // The resource is asked for as one text, so this does not help either.
        "{apiGroups: [olm.operatorframework.io], resources: ['*/finalizers'], verbs: [update]}",
    ]);
    assert_eq!(
        check(&[], &access).report().unwrap(),
        "pre-authorization failed: service account requires the following permissions to manage cluster extension:\n  \
         Namespace:\"\" APIGroups:[olm.operatorframework.io] Resources:[clusterextensions/finalizers] \
         ResourceNames:[harbour] Verbs:[update]"
    );
}

/// D-EXT-22, D-EXT-23, D-EXT-26, X-14, X-15: neither a star among the names nor names with `list` help.
#[test]
fn d_ext_22_names_are_literal() {
    let objects = objects("apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: docks}\n");
    let access = bound(&[
        FINALIZERS,
        "{apiGroups: [''], resources: [services], verbs: [create]}",
        "{apiGroups: [''], resources: [services], verbs: [get, update, patch, delete], resourceNames: ['*']}",
        "{apiGroups: [''], resources: [services], verbs: [list, watch], resourceNames: [s]}",
    ]);
    let report = check(&objects, &access).report().unwrap();
    assert!(report.ends_with(
        "\n  Namespace:\"\" APIGroups:[] Resources:[services] Verbs:[list,watch]\n  Namespace:\"docks\" APIGroups:[] \
         Resources:[services] ResourceNames:[s] Verbs:[delete,get,patch,update]"
    ), "{report}");
}

const ROLE: &str = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: docks}\n\
                    rules: [{apiGroups: ['*'], resources: [certificates], verbs: [create]}, {apiGroups: [''], \
                    resources: [pods], verbs: [get, list]}]\n";

/// D-EXT-48 (a) and (b): missing verbs, and rights that the installer may not hand out.
#[test]
fn d_ext_48_escalation() {
    let objects = objects(ROLE);
    let lines = |access: &Access| {
        let report = check(&objects, access).report().unwrap_or_default();
        report.lines().skip(1).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let escalated = [
        "Namespace:\"docks\" APIGroups:[*] Resources:[certificates] Verbs:[create]",
        "Namespace:\"docks\" APIGroups:[] Resources:[pods] Verbs:[get,list]",
    ];
    assert_eq!(lines(&bound(&[FINALIZERS, RBAC])), escalated);
    let escalate = "{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate]}";
    assert!(lines(&bound(&[FINALIZERS, RBAC, escalate])).is_empty());
    // The reference asks without a name, so one does not help.
    let named =
        "{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate], resourceNames: [r]}";
    assert_eq!(lines(&bound(&[FINALIZERS, RBAC, named])), escalated);
    let own = "{apiGroups: ['*'], resources: [certificates, pods], verbs: ['*']}";
    assert!(lines(&bound(&[FINALIZERS, RBAC, own])).is_empty());
}

/// D-EXT-48 (c): a role that is nowhere is told, and the rules of the installer's own bindings to such roles are
/// an evaluation error.
#[test]
fn d_ext_48_missing_role_references() {
    let binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b, namespace: docks}\n\
                   roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: nowhere}\n";
    let answer = check(&objects(binding), &bound(&[FINALIZERS, RBAC]));
    assert!(answer.is_authorized(), "the reference passes over them");
    assert_eq!(answer.missing_roles[0].role.name, "nowhere");

    let mut access = bound(&[FINALIZERS, RBAC]);
    let mut lost = access.bindings[&(String::new(), "b".to_owned())].clone();
    lost.role.name = "gone".to_owned();
    access.bindings.insert((String::new(), "c".to_owned()), lost);
    let report = check(&objects(ROLE), &access).report().unwrap();
    assert!(report.ends_with(
        "\nauthorization evaluation error: missing rules may be incomplete: failed to resolve or evaluate \
         permissions: [ClusterRole.rbac.authorization.k8s.io \"gone\" not found]"
    ), "{report}");
}

#[test]
fn aggregation_needs_everything_and_its_text_cannot_be_taken_apart() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\naggregationRule: \
                {clusterRoleSelectors: [{matchLabels: {a: b}}]}\nrules: []\n";
    let report = check(&objects(role), &bound(&[FINALIZERS, RBAC])).report().unwrap();
    assert_eq!(
        report,
        "pre-authorization failed: authorization evaluation error: missing rules may be incomplete: failed to parse \
         escalation check error strings: unexpected format of escalation check error string: \"must have \
         cluster-admin privileges to use an aggregationRule: user \\\"system:serviceaccount:harbours:harbour-installer\
         \\\" (groups=[]) is attempting to grant RBAC permissions not currently held:\\n{APIGroups:[\\\"*\\\"], \
         Resources:[\\\"*\\\"], Verbs:[\\\"*\\\"]}\\n{NonResourceURLs:[\\\"*\\\"], Verbs:[\\\"*\\\"]}\""
    );
}

#[test]
fn bindings_are_checked_by_bind_or_by_rules() {
    let text = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\n\
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\n";
    let objects = objects(text);
    let mut access = bound(&[FINALIZERS, RBAC]);
    rbac_files::add_default_roles(&mut access);
    let missing = check(&objects, &access).missing;
    assert_eq!(missing[""].len(), 2, "{missing:?}");
    let bind = "{apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], verbs: [bind], resourceNames: \
                [cluster-admin]}";
    let mut access = bound(&[FINALIZERS, RBAC, bind]);
    rbac_files::add_default_roles(&mut access);
    assert!(check(&objects, &access).is_authorized());
}

#[test]
fn objects_without_version_have_no_resource() {
    let answer = check(&objects("kind: Service\nmetadata: {name: s}\n"), &bound(&[]));
    assert_eq!(
        answer.report().unwrap(),
        "pre-authorization failed: authorization evaluation error: could not get REST mapping for object 0 in manifest \
         with GVK /, Kind=Service (name: s): no matches for kind \"Service\" in version \"\""
    );
}

#[test]
fn a_cluster_role_with_a_namespace_is_checked_all_the_same() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r, namespace: docks}\n\
                rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]\n";
    let missing = check(&objects(role), &bound(&[FINALIZERS, RBAC])).missing;
    assert_eq!(missing["docks"], [Rule::new(&[""], &["secrets"], &["get"])]);
}
