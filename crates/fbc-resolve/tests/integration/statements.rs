//! What the product document says of catalogs (D-CAT) and updates (D-UPD), as far as content decides it.

mod support;

use fbc_resolve::{
    CatalogVerdict, ClusterCatalog, Filter, LabelSelector, Request, Requirement, Resolver, Rules,
    UpgradePolicy,
};
use fbc_version::Target;
use support::{answer, bundles, channel, cluster, request, serving};

const NAME: &str = "olm.operatorframework.io/metadata.name";

fn labelled(name: &str, version: &str, labels: &[(&str, &str)], priority: i32) -> ClusterCatalog {
    let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    ClusterCatalog { labels, priority, ..serving(name, &bundles(&[version]), Rules::default()) }
}

fn resolver(catalogs: impl IntoIterator<Item = ClusterCatalog>) -> Resolver {
    Resolver::new(Rules::default(), catalogs).unwrap()
}

fn selecting(labels: &[(&str, &str)], expressions: &[(&str, &str, &[&str])]) -> Request {
    let selector = LabelSelector {
        match_labels: labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        match_expressions: expressions
            .iter()
            .map(|(key, operator, values)| Requirement {
                key: (*key).to_owned(),
                operator: (*operator).to_owned(),
                values: values.iter().map(|value| (*value).to_owned()).collect(),
            })
            .collect(),
    };
    Request { selector: Some(selector), ..Request::of_package("foo") }
}

const DEPRECATED: &str = "---\nschema: olm.deprecations\npackage: foo\nentries:\n\
    - {reference: {schema: olm.bundle, name: foo.v2.0.0}, message: old}\n";

/// D-CAT-19: what is switched off takes no part. D-CAT-20: without criteria any available catalog will do.
#[test]
fn d_cat_19_and_20_any_available_catalog() {
    let off = ClusterCatalog { is_available: false, ..labelled("a", "2.0.0", &[], 0) };
    let resolver = resolver([off, labelled("b", "1.0.0", &[], 0)]);
    assert_eq!(answer(&resolver, &Request::of_package("foo")), "b foo.v1.0.0");
    assert_eq!(answer(&resolver, &selecting(&[], &[])), "b foo.v1.0.0");
}

/// D-CAT-21: bundles that are not deprecated come first, in a catalog and between catalogs, whatever the
/// priority.
#[test]
fn d_cat_21_deprecated_bundles_come_last() {
    let one = cluster(&format!("{}{DEPRECATED}", bundles(&["1.0.0", "2.0.0"])));
    assert_eq!(answer(&one, &Request::of_package("foo")), "a foo.v1.0.0");
    let deprecated = format!("{}{DEPRECATED}", bundles(&["2.0.0"]));
    let high = ClusterCatalog { priority: 1000, ..serving("a", &deprecated, Rules::default()) };
    let two = resolver([high, labelled("b", "1.0.0", &[], -400)]);
    assert_eq!(answer(&two, &Request::of_package("foo")), "b foo.v1.0.0");
    let explanation = two.explain(&Request::of_package("foo"));
    assert_eq!(explanation.catalogs[0].verdict, CatalogVerdict::Deprecated);
}

/// D-CAT-22 and D-CAT-23: the label of the name is there without being given, and selects by name.
#[test]
fn d_cat_22_and_23_selection_by_name() {
    let resolver = resolver([labelled("a", "1.0.0", &[], 0), labelled("b", "2.0.0", &[], 0)]);
    assert_eq!(answer(&resolver, &selecting(&[(NAME, "a")], &[])), "a foo.v1.0.0");
    assert_eq!(answer(&resolver, &selecting(&[(NAME, "b")], &[])), "b foo.v2.0.0");
}

/// D-CAT-24 to D-CAT-26: labels, expressions, and both together.
#[test]
fn d_cat_24_to_26_labels_and_expressions() {
    let support = "example.com/support";
    let resolver = resolver([
        labelled("a", "1.0.0", &[(support, "true")], 0),
        labelled("b", "2.0.0", &[(support, "production"), ("tier", "gold")], 5),
        labelled("c", "3.0.0", &[(support, "supported")], 0),
        labelled("d", "4.0.0", &[], 9),
    ]);
    assert_eq!(answer(&resolver, &selecting(&[(support, "true")], &[])), "a foo.v1.0.0");
    let values: &[&str] = &["production", "supported"];
    assert_eq!(answer(&resolver, &selecting(&[], &[(support, "In", values)])), "b foo.v2.0.0");
    let both = selecting(&[("tier", "gold")], &[(support, "In", &["supported"])]);
    assert_eq!(answer(&resolver, &both), "no bundles found for package \"foo\"");
}

/// D-CAT-27 and D-CAT-28: exclusion by name and by label.
#[test]
fn d_cat_27_and_28_exclusion() {
    let testing = [("example.com/testing", "true")];
    let resolver = resolver([
        labelled("unwanted-catalog-1", "3.0.0", &testing, 10),
        labelled("unwanted-catalog-2", "2.0.0", &testing, 5),
        labelled("wanted", "1.0.0", &[], 0),
    ]);
    let by_name = selecting(&[], &[(NAME, "NotIn", &["unwanted-catalog-1"])]);
    assert_eq!(answer(&resolver, &by_name), "unwanted-catalog-2 foo.v2.0.0");
    let by_label = selecting(&[], &[("example.com/testing", "DoesNotExist", &[])]);
    assert_eq!(answer(&resolver, &by_label), "wanted foo.v1.0.0");
}

/// D-CAT-29 and D-CAT-30: the higher priority wins, 0 where none is given.
#[test]
fn d_cat_29_and_30_priority() {
    for (first, second, wins) in [(1000, 10, "a"), (10, 1000, "b"), (0, -1, "a"), (i32::MIN, i32::MAX, "b")] {
        let resolver = resolver([labelled("a", "1.0.0", &[], first), labelled("b", "1.0.0", &[], second)]);
        assert_eq!(answer(&resolver, &Request::of_package("foo")), format!("{wins} foo.v1.0.0"));
    }
}

/// D-CAT-31 and D-CAT-32: an ambiguous choice is an error, which names all catalogs that are left.
#[test]
fn d_cat_31_and_32_ambiguity() {
    let catalogs = [("c", 5), ("a", 5), ("b", -5)];
    let resolver = resolver(catalogs.map(|(name, priority)| labelled(name, "1.0.0", &[], priority)));
    assert_eq!(
        answer(&resolver, &request("1.x", &[], None)),
        "found bundles for package \"foo\" matching version \"1.x\" in multiple catalogs with the same priority [a b c]"
    );
}

/// D-CAT-33: each remedy clears the error.
#[test]
fn d_cat_33_remedies() {
    let tied = [labelled("a", "1.0.0", &[], 0), labelled("b", "2.0.0", &[], 0)];
    let resolver = resolver(tied.clone());
    assert!(answer(&resolver, &Request::of_package("foo")).starts_with("found bundles"));
    assert_eq!(answer(&resolver, &selecting(&[(NAME, "a")], &[])), "a foo.v1.0.0");
    assert_eq!(answer(&resolver, &request("2.x", &[], None)), "b foo.v2.0.0");
    let [a, b] = tied;
    let ranked = self::resolver([a, ClusterCatalog { priority: 1, ..b }]);
    assert_eq!(answer(&ranked, &Request::of_package("foo")), "b foo.v2.0.0");
}

/// D-UPD-1 to D-UPD-3: the edges are replaces, skips and skipRange; of several successors the highest wins, with
/// no chain and no head.
#[test]
fn d_upd_1_to_3_edges() {
    let versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0"];
    let entries = [
        "{name: foo.v2.0.0, replaces: foo.v1.3.0}",
        "{name: foo.v1.1.0, replaces: foo.v1.0.0}",
        "{name: foo.v1.2.0, skips: [foo.v1.0.0]}",
        "{name: foo.v1.3.0, skipRange: \">=1.0.0 <1.0.5\"}",
        "{name: foo.v1.0.0}",
    ];
    for (count, expected) in [(2, "foo.v1.1.0"), (3, "foo.v1.2.0"), (4, "foo.v1.3.0"), (5, "foo.v1.3.0")] {
        let resolver = cluster(&format!("{}{}", bundles(&versions), channel("stable", &entries[..count])));
        assert_eq!(answer(&resolver, &request("", &[], Some("1.0.0"))), format!("a {expected}"));
    }
}

/// D-UPD-4: a skipped bundle is a successor all the same.
#[test]
fn d_upd_4_skipped_successor() {
    let entries =
        ["{name: foo.v3.0.0, skips: [foo.v2.0.0]}", "{name: foo.v2.0.0, skipRange: \">=1.0.0 <2.0.0\"}"];
    let resolver = cluster(&format!("{}{}", bundles(&["2.0.0", "3.0.0"]), channel("stable", &entries)));
    assert_eq!(answer(&resolver, &request("", &[], Some("1.0.0"))), "a foo.v2.0.0");
}

/// D-UPD-5, D-UPD-6, D-UPD-12 and D-UPD-13: the newest version in a range; nothing outside; an exact version
/// pins.
#[test]
fn d_upd_5_6_12_13_ranges() {
    let resolver = cluster(&bundles(&["1.11.0", "1.11.1", "1.12.0", "1.13.0"]));
    for (range, expected) in [
        (">=1.11, <1.13", "a foo.v1.12.0"),
        ("1.11.1", "a foo.v1.11.1"),
        (">1.11.1", "a foo.v1.13.0"),
        ("9.x", "no bundles found for package \"foo\" matching version \"9.x\""),
    ] {
        assert_eq!(answer(&resolver, &request(range, &[], None)), expected);
    }
}

/// D-UPD-7 to D-UPD-10: both forms of each equivalence choose the same bundle.
#[test]
fn d_upd_7_to_10_equivalent_ranges() {
    let versions = [
        "0.0.3", "0.0.4", "0.2.3", "0.3.0", "1.0.0", "1.2.3", "1.11.0", "1.11.9", "1.12.4", "1.13.0",
        "2.3.0", "2.9.0", "3.0.0",
    ];
    let resolver = cluster(&bundles(&versions));
    for (short, long) in [
        ("1.11.x", ">=1.11.0, <1.12.0"),
        (">=1.12.X", ">=1.12.0"),
        ("<=2.x", "<3"),
        ("*", ">=0.0.0"),
        ("~1.11.0", ">=1.11.0, <1.12.0"),
        ("~1", ">=1, <2"),
        ("~1.12", ">=1.12, <1.13"),
        ("~1.12.x", ">=1.12.0, <1.13.0"),
        ("~1.x", ">=1, <2"),
        ("^0", ">=0.0.0, <1.0.0"),
        ("^0.0", ">=0.0.0, <0.1.0"),
        ("^0.0.3", ">=0.0.3, <0.0.4"),
        ("^0.2", ">=0.2.0, <0.3.0"),
        ("^0.2.3", ">=0.2.3, <0.3.0"),
        ("^1.2.x", ">= 1.2.0, < 2.0.0"),
        ("^1.2.3", ">= 1.2.3, < 2.0.0"),
        ("^2.x", ">= 2.0.0, < 3"),
        ("^2.3", ">= 2.3, < 3"),
    ] {
        let chosen = answer(&resolver, &request(short, &[], None));
        assert!(chosen.starts_with("a foo"), "{short}: {chosen}");
        assert_eq!(chosen, answer(&resolver, &request(long, &[], None)), "{short}");
    }
}

/// D-UPD-11: the newest version of the channels that are asked for; edges of other channels do not count.
#[test]
fn d_upd_11_channels() {
    let fast = channel("fast", &["{name: foo.v2.0.0, replaces: foo.v1.0.0}", "{name: foo.v1.1.0}"]);
    let stable = channel("stable", &["{name: foo.v1.1.0, replaces: foo.v1.0.0}", "{name: foo.v1.0.0}"]);
    let resolver = cluster(&format!("{}{fast}{stable}", bundles(&["1.0.0", "1.1.0", "2.0.0", "3.0.0"])));
    assert_eq!(answer(&resolver, &request("", &[], None)), "a foo.v3.0.0", "bundles of no channel count");
    assert_eq!(answer(&resolver, &request("", &["stable"], None)), "a foo.v1.1.0");
    assert_eq!(answer(&resolver, &request("", &["stable", "fast"], None)), "a foo.v2.0.0");
    assert_eq!(answer(&resolver, &request("", &["stable"], Some("1.0.0"))), "a foo.v1.1.0");
    assert_eq!(
        answer(&resolver, &request("1.1.0", &["fast"], Some("1.0.0"))),
        "error upgrading from currently installed version \"1.0.0\": no bundles found for package \"foo\" matching \
         version \"1.1.0\" in channels [fast]"
    );
}

/// D-UPD-14 and D-UPD-15: no edge, no major update and no way back, unless the user vouches for it.
#[test]
fn d_upd_14_and_15_self_certified() {
    let entries = ["{name: foo.v1.1.0, replaces: foo.v1.0.0}", "{name: foo.v1.0.0}", "{name: foo.v2.0.0}"];
    let resolver =
        cluster(&format!("{}{}", bundles(&["1.0.0", "1.1.0", "2.0.0"]), channel("stable", &entries)));
    for (range, provided, certified) in
        [("", "a foo.v1.1.0", "a foo.v2.0.0"), ("1.0.0", "", "a foo.v1.0.0"), ("2.0.0", "", "a foo.v2.0.0")]
    {
        let asked = request(range, &[], Some("1.1.0"));
        let found = answer(&resolver, &asked);
        assert!(if provided.is_empty() { found.starts_with("error upgrading") } else { found == provided });
        let forced = Request { policy: UpgradePolicy::SelfCertified, ..asked };
        assert_eq!(answer(&resolver, &forced), certified);
    }
}

#[test]
fn releases_by_target() {
    let yaml = bundles(&["1.0.0+1", "1.0.0+2"]);
    let of = |target| {
        let rules = Rules::from_target(target);
        Resolver::new(rules, [serving("a", &yaml, rules)]).unwrap()
    };
    let (latest, older) = (of(Target::Latest), of(Target::Ocp419));
    let exact = request("1.0.0+1", &[], None);
    assert_eq!(answer(&latest, &exact), "a foo.v1.0.0+2", "the highest release wins");
    assert_eq!(answer(&older, &exact), "a foo.v1.0.0+1", "the order of the catalog stays");
    // Nothing leads from one release to the other; only what is installed is itself.
    assert_eq!(answer(&latest, &request("", &[], Some("1.0.0+1"))), "a foo.v1.0.0+1");
    assert_eq!(answer(&older, &request("", &[], Some("1.0.0+2"))), "a foo.v1.0.0+1");
    let resolution = latest.resolve(&exact).unwrap();
    assert_eq!(resolution.reported_version(latest.rules()), "1.0.0+2");
    assert_eq!(resolution.reported_release(latest.rules()), None);
}

#[test]
fn errors_of_the_installed_version() {
    let yaml = bundles(&["1.0.0"]);
    for (target, version, text) in [
        (
            Target::Latest,
            "1.0",
            "failed to get version and release of installed bundle: No Major.Minor.Patch elements found",
        ),
        (
            Target::Ocp419,
            "v1.0",
            "getting successorsPredicate: error parsing installed bundle version: No Major.Minor.Patch elements \
             found",
        ),
        (
            Target::Ocp419,
            "one",
            "parsing installed bundle \"foo.vone\" version \"one\": Invalid Semantic Version",
        ),
    ] {
        let rules = Rules::from_target(target);
        let resolver = Resolver::new(rules, [serving("a", &yaml, rules)]).unwrap();
        let expected = format!("error walking catalogs: error finding upgrade edges: {text}");
        assert_eq!(answer(&resolver, &request("", &[], Some(version))), expected);
        // Nobody looks at it where no catalog has the package, or edges do not count.
        let forced = Request { policy: UpgradePolicy::SelfCertified, ..request("", &[], Some(version)) };
        assert_eq!(answer(&resolver, &forced), "a foo.v1.0.0");
        let other = Request { package: "bar".to_owned(), ..request("", &[], Some(version)) };
        assert!(answer(&resolver, &other).ends_with("no bundles found for package \"bar\""));
    }
}

#[test]
fn a_catalog_without_answer_blocks_all_that_select_it() {
    let refused = ClusterCatalog {
        content: fbc_resolve::Content::Refused("catalog \"b\" is not being served".to_owned()),
        ..labelled("b", "1.0.0", &[], 0)
    };
    let resolver = resolver([labelled("a", "1.0.0", &[], 0), refused]);
    assert_eq!(
        answer(&resolver, &Request::of_package("foo")),
        "error walking catalogs: error getting package \"foo\" from catalog \"b\": catalog \"b\" is not being served"
    );
    assert_eq!(answer(&resolver, &selecting(&[(NAME, "a")], &[])), "a foo.v1.0.0");
}

#[test]
fn a_dependency_is_refused_without_fall_back() {
    for kind in ["olm.package.required", "olm.gvk.required", "olm.constraint"] {
        let dependent = bundles(&["2.0.0"]) + &format!("- {{type: {kind}, value: {{}}}}\n");
        let resolver = cluster(&(bundles(&["1.0.0"]) + &dependent));
        assert_eq!(
            answer(&resolver, &Request::of_package("foo")),
            format!(
                "validating bundle \"foo.v2.0.0\": bundle \"foo.v2.0.0\" has a dependency declared via property \
                 \"{kind}\" which is currently not supported"
            )
        );
        let explanation = resolver.explain(&Request::of_package("foo"));
        assert_eq!(explanation.without_dependency().unwrap().blob.name, "foo.v1.0.0");
    }
}

/// Wish 14: installed 1.0.0, wanted 1.0.2, and only the graph is in the way.
#[test]
fn the_way_that_is_missing_is_told() {
    let entries = ["{name: foo.v1.0.2, replaces: foo.v1.0.1}", "{name: foo.v1.0.1, replaces: foo.v1.0.0}"];
    let resolver = cluster(&format!("{}{}", bundles(&["1.0.1", "1.0.2"]), channel("stable", &entries)));
    let explanation = resolver.explain(&request("1.0.2", &[], Some("1.0.0")));
    let wanted = explanation.wanted.unwrap();
    let names = |bundles: &[&fbc_resolve::IndexedBundle]| -> Vec<String> {
        bundles.iter().map(|bundle| bundle.blob.name.clone()).collect()
    };
    assert_eq!(wanted.bundle.blob.name, "foo.v1.0.2");
    assert_eq!(wanted.removed_by, [Filter::Edges]);
    assert_eq!(names(&wanted.reachable), ["foo.v1.0.1"]);
    assert_eq!(wanted.nearest.unwrap().blob.name, "foo.v1.0.1");
    assert_eq!(names(&wanted.route.unwrap()), ["foo.v1.0.1", "foo.v1.0.2"]);
    assert_eq!(explanation.installed_is_known, Some(false));
}
