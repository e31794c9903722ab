//! What the recorded upgrades do not show: served versions, odd schemas, bad input, and properties of comparing.

use proptest::prelude::*;

use super::super::{PairError, compare_bundles, compare_sets};
use super::*;

fn two_versions(alpha: &str, stable: &str, more: &str) -> Document {
    let of = |attributes: &str| format!("{{type: object, properties: {{a: {attributes}}}}}");
    let both = format!("[{}, {}]", version("v1alpha1", &of(alpha)), version("v1", &of(stable)));
    versions(&both, "Namespaced", more)
}

#[test]
fn served_versions_are_compared_unless_a_webhook_converts() {
    let old = two_versions("{}", "{}", "");
    let new = two_versions("{}", "{maxLength: 5}", "");
    assert_eq!(
        upgrade(&old, &new, Target::Latest).messages,
        [
            "v1: ^.a: maxLength: maximum constraint added when there was none previously : 5",
            "v1alpha1 -> v1: ^.a: maxLength: maximum constraint added when there was none previously : 5"
        ]
    );
    let told = upgrade(&old, &new, Target::Ocp419).messages;
    assert!(told[0].ends_with(
        "\"ServedVersionValidator\" validation failed: version upgrade \"v1alpha1\" to \"v1\", field \"^.a\": \
         maxLength: constraint 5 added when there were no restrictions previously"
    ));
    let new = two_versions("{}", "{maxLength: 5}", "conversion: {strategy: Webhook},");
    for target in TARGETS {
        assert_eq!(upgrade(&old, &new, target).messages.len(), 1, "{target}");
    }
    // What the old definition has already is not reported again by crdify; 4.19 looks at the new one alone.
    let old = two_versions("{}", "{maxLength: 5}", "");
    let new = two_versions("{enum: []}", "{maxLength: 5}", "");
    assert!(upgrade(&old, &new, Target::Latest).is_safe);
    assert!(!upgrade(&old, &new, Target::Ocp419).is_safe);
}

#[test]
fn paths() {
    let of = |inner: &str| {
        definition(&format!(
            "{{properties: {{a: {{items: {{properties: {{b: {inner}}}}}}}, c: {{additionalProperties: {inner}}}, d: \
             {{anyOf: [{inner}]}}, e: {{not: {inner}}}, f: {{patternProperties: {{x: {inner}}}}}}}}}"
        ))
    };
    let (old, new) = (of("{type: string}"), of("{type: integer}"));
    let places = |target| -> Vec<String> {
        let told = upgrade(&old, &new, target);
        let types = told.changes.into_iter().filter(|change| change.old == "string");
        types.map(|change| change.path).collect()
    };
    assert_eq!(
        places(Target::Latest),
        ["^.a.items.b", "^.c.additionalProperties", "^.d.anyOf[0]", "^.e.not", "^.f.patternProperties[x]"]
    );
    // Alternatives have no path of their own in 4.19: the last schema of a path stands for it.
    assert_eq!(places(Target::Ocp419), ["^.a[*].b", "^.c[*]", "^.d", "^.e", "^.f"]);
}

#[test]
fn unhandled_changes() {
    for (old, new, details) in [
        ("{}", "{title: t}", r#" (Title "" -> "t")"#),
        ("{}", "{multipleOf: 2}", " (MultipleOf nil -> &2)"),
        (
            "{x-kubernetes-list-type: set}",
            "{x-kubernetes-list-type: map}",
            r#" (XListType &"set" -> &"map")"#,
        ),
        ("{additionalProperties: true}", "{}", " (AdditionalProperties <complex value> -> nil)"),
        (
            "{additionalProperties: {title: a}}",
            "{additionalProperties: {title: b}}",
            r#" (Title "a" -> "b")"#,
        ),
        (
            "{x-kubernetes-validations: [{rule: a}]}",
            "{}",
            r#" (XValidations ValidationRules{{Rule: "a"}} -> nil)"#,
        ),
        (
            "{x-kubernetes-validations: [{rule: a, message: m}]}",
            "{x-kubernetes-validations: [{rule: b, message: m}]}",
            r#" (Rule "a" -> "b")"#,
        ),
        ("{allOf: []}", "{allOf: [{not: {}}]}", " (AllOf <complex value> -> <complex value> (changed))"),
        ("{}", "{example: x}", r#" (Example nil -> s"&JSON{Raw:*[34 120 34],}")"#),
    ] {
        let told = field_changes(old, new, Target::Latest);
        let wanted = format!("v1alpha1: ^.a: unhandled: unhandled changes found{details}");
        assert!(told.messages.contains(&wanted), "{old} to {new}: {:?}", told.messages);
    }
}

#[test]
fn descriptions_count_only_in_4_19() {
    let (old, new) = ("{description: a}", "{description: b}");
    assert!(field_changes(old, new, Target::Latest).is_safe);
    assert!(!field_changes(old, new, Target::Ocp419).is_safe);
}

#[test]
fn risks_that_nothing_refuses() {
    let both = |served: bool| {
        versions(
            &format!("[{}, {{name: v1, served: {served}, schema: {{}}}}]", version("v1alpha1", "{}")),
            "Namespaced",
            "",
        )
    };
    let one = versions(&format!("[{}]", version("v1alpha1", "{}")), "Namespaced", "");
    for new in [both(false), one] {
        for target in TARGETS {
            let told = upgrade(&both(true), &new, target);
            assert!(told.is_safe);
            assert_eq!(told.changes.first().map(|change| change.class), Some(Class::Risky));
        }
    }
}

#[test]
fn what_clusters_refuse_is_never_the_same() {
    let text = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.b}, status: \
                {storedVersions: [v1, v2]}, spec: {versions: [{name: v1, served: true, storage: true, schema: {}}]}}";
    let stored = read(text);
    assert_eq!(
        upgrade(&stored, &stored, Target::Latest).messages,
        ["storedVersionRemoval: stored versions removed : [v2]"]
    );
    let fine = read(&text.replace(", v2", ""));
    assert!(Definition::is_same(fine.root(), fine.root()));
    let beta = read(&text.replace(", v2", "").replace("k8s.io/v1,", "k8s.io/v1beta1,"));
    assert!(!upgrade(&beta, &beta, Target::Latest).is_safe);
}

#[test]
fn nothing_served_brings_4_19_down() {
    let none = versions("[{name: v1, storage: true, schema: {}}]", "Namespaced", "");
    let old = versions("[{name: v1, served: true, storage: true, schema: {}}]", "Namespaced", "");
    assert!(upgrade(&old, &none, Target::Ocp419).messages[0].contains("slice bounds out of range"));
    assert!(upgrade(&old, &none, Target::Latest).is_safe);
}

#[test]
fn bad_definitions() {
    let error = |text: &str| Definition::read(read(text).root()).unwrap_err().to_string();
    let head = "apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.b}";
    for (text, wanted) in [
        ("{}", "the object has no kind"),
        ("{kind: CustomResourceDefinition, apiVersion: v7}", "apiVersion \"v7\" is not"),
        ("{kind: CustomResourceDefinition, apiVersion: apiextensions.k8s.io/v1}", "no metadata.name"),
        (&format!("{{{head}}}"), "has no spec.versions"),
        (&format!("{{{head}, spec: {{versions: [{{}}]}}}}"), "spec.versions[0] has no name"),
        (&format!("{{{head}, spec: {{versions: x}}}}"), "/spec/versions is of kind string, expected list"),
        (&format!("{{{head}, spec: {{versions: [{{name: v1}}]}}}}"), "version \"v1\" has no schema"),
        (
            &format!(
                "{{{head}, spec: {{versions: [{{name: v1, schema: {{}}}}, {{name: v1, schema: {{}}}}]}}}}"
            ),
            "version \"v1\" twice",
        ),
        (
            &format!(
                "{{{head}, spec: {{versions: [{{name: v1, schema: {{openAPIV3Schema: {{properties: {{a/b: {{type: \
                 [x]}}}}}}}}}}]}}}}"
            ),
            "/spec/versions/0/schema/openAPIV3Schema/properties/a~1b/type is of kind array, expected string",
        ),
    ] {
        assert!(error(text).contains(wanted), "{}", error(text));
    }
    let deep = format!("{}{{}}{}", "{properties: {a: ".repeat(3_000), "}}".repeat(3_000));
    let deep = format!("{{{head}, spec: {{versions: [{{name: v1, schema: {{openAPIV3Schema: {deep}}}}}]}}}}");
    assert!(matches!(Definition::read(read(&deep).root()), Err(DefinitionError::TooDeep(_))));
}

#[test]
fn as_deep_as_allowed() {
    let levels = (super::super::DEEPEST - 8) / 2;
    let of = |leaf: &str| {
        let schema = format!(
            "{}{leaf}{}",
            "{additionalProperties: {allOf: [".repeat(levels / 2),
            "]}}".repeat(levels / 2)
        );
        definition(&schema)
    };
    let (old, new) = (of("{format: a}"), of("{format: b}"));
    for target in TARGETS {
        assert!(!upgrade(&old, &new, target).is_safe);
        assert!(!upgrade(&old, &definition("{}"), target).is_safe);
    }
}

#[test]
fn older_definitions_are_read_and_refused_as_new_ones() {
    let beta = read(
        "{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition, metadata: {name: \
         samples.test.example.com}, spec: {group: test.example.com, names: {kind: Sample, plural: samples}, scope: \
         Namespaced, version: v1alpha1, validation: {openAPIV3Schema: {properties: {a: {type: string}}}}}}",
    );
    let new = definition("{properties: {a: {type: integer}}}");
    assert_eq!(
        upgrade(&beta, &new, Target::Latest).messages,
        [r#"v1alpha1: ^.a: type: type changed : "string" -> "integer""#]
    );
    let told = upgrade(&definition("{properties: {a: {type: string}}}"), &beta, Target::Latest);
    assert_eq!(
        told.messages,
        [r#"no matches for kind "CustomResourceDefinition" in version "apiextensions.k8s.io/v1beta1""#]
    );
}

#[test]
fn bundles() {
    let (old, new, other) =
        (definition("{type: string}"), definition("{type: object}"), read("{kind: Service}"));
    let broken = read("{kind: CustomResourceDefinition}");
    let compare = |old: &[&Document], new: &[&Document]| {
        let old: Vec<_> = old.iter().map(|document| document.root()).collect();
        let new: Vec<_> = new.iter().map(|document| document.root()).collect();
        compare_bundles(&old, &new, Target::Latest, Enforcement::Strict)
    };
    assert_eq!(compare(&[&old, &other], &[&other, &old]).unwrap(), []);
    assert_eq!(compare(&[&old], &[&other, &new]).unwrap().len(), 1);
    assert!(matches!(
        compare(&[&old], &[&other, &broken]),
        Err(PairError::Definition { is_new: true, index: 1, .. })
    ));
    assert!(matches!(
        compare(&[&old], &[&new, &new]),
        Err(PairError::Repeated { is_new: true, index: 1, .. })
    ));
    let gone = compare(&[&old], &[&other]).unwrap();
    assert_eq!((gone[0].is_safe, gone[0].changes[0].class), (true, Class::Risky));
    assert!(compare_sets(&[other.root()], &[], Target::Latest, Enforcement::Strict).is_err());
}

/// A schema, and what to do to one of its attributes.
#[derive(Clone, Copy, Debug)]
enum Attribute {
    Minimum(u8),
    Maximum(u8),
    MinLength(u8),
    MaxItems(u8),
    Enum(u8),
    Required(u8),
}

fn attribute() -> impl Strategy<Value = Attribute> {
    (0..6, 1..100_u8).prop_map(|(which, number)| match which {
        0 => Attribute::Minimum(number),
        1 => Attribute::Maximum(number),
        2 => Attribute::MinLength(number),
        3 => Attribute::MaxItems(number),
        4 => Attribute::Enum(number),
        _ => Attribute::Required(number),
    })
}

impl Attribute {
    fn text(self) -> String {
        let list = |number: u8| (0..number).map(|each| format!("v{each}")).collect::<Vec<_>>().join(", ");
        match self {
            Self::Minimum(number) => format!("minimum: {number}"),
            Self::Maximum(number) => format!("maximum: {number}"),
            Self::MinLength(number) => format!("minLength: {number}"),
            Self::MaxItems(number) => format!("maxItems: {number}"),
            Self::Enum(number) => format!("enum: [{}]", list(number)),
            Self::Required(number) => format!("required: [{}]", list(number)),
        }
    }

    fn loosened(self) -> Self {
        match self {
            Self::Minimum(number) => Self::Minimum(number - 1),
            Self::Maximum(number) => Self::Maximum(number + 1),
            Self::MinLength(number) => Self::MinLength(number - 1),
            Self::MaxItems(number) => Self::MaxItems(number + 1),
            Self::Enum(number) => Self::Enum(number + 1),
            Self::Required(number) => Self::Required(number - 1),
        }
    }
}

/// A schema with the attribute at the end of a path of steps.
fn at_path(steps: &[u8], attribute: Attribute) -> Document {
    let mut schema = format!("{{{}}}", attribute.text());
    for step in steps {
        schema = match step {
            0 => format!("{{type: object, properties: {{p: {schema}, other: {{type: string}}}}}}"),
            _ => format!("{{type: array, items: {schema}}}"),
        };
    }
    definition(&schema)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn loosening_is_safe_and_tightening_is_not(
        attribute in attribute(),
        steps in proptest::collection::vec(0..2_u8, 0..6),
    ) {
        let (old, new) = (at_path(&steps, attribute), at_path(&steps, attribute.loosened()));
        for target in TARGETS {
            let same = upgrade(&old, &at_path(&steps, attribute), target);
            prop_assert!(same.is_safe && same.changes.is_empty());
            let loosened = upgrade(&old, &new, target);
            prop_assert!(loosened.is_safe, "{:?}", loosened.messages);
            prop_assert!(loosened.changes.iter().all(|change: &Change| change.class == Class::Harmless));
            prop_assert!(!loosened.changes.is_empty());
            let tightened = upgrade(&new, &old, target);
            prop_assert_eq!(tightened.messages.len(), 1);
        }
    }
}
