//! What functions there are, and the types that they take and give.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use super::types::Type;

/// A way to call a function: the first type is that of the target if it is called on one.
pub(crate) struct Signature {
    pub(crate) on_target: bool,
    pub(crate) arguments: Vec<Type<'static>>,
    pub(crate) result: Type<'static>,
}

/// One line for each function: its name, then its signatures. `.` in front of a signature: it is called on its first
/// argument. `A` and `B` stand for any type.
///
/// Source: `google/cel-spec:doc/langdef.md`, `google/cel-go:ext`, `kubernetes/apiserver:pkg/cel/library`.
const TABLE: &str = "\
_==_ A,A:bool
_!=_ A,A:bool
_<_ bool,bool:bool int,int:bool int,uint:bool int,double:bool uint,uint:bool uint,int:bool uint,double:bool double,double:bool double,int:bool double,uint:bool string,string:bool bytes,bytes:bool timestamp,timestamp:bool duration,duration:bool
_+_ int,int:int uint,uint:uint double,double:double string,string:string bytes,bytes:bytes list<A>,list<A>:list<A> timestamp,duration:timestamp duration,timestamp:timestamp duration,duration:duration
_-_ int,int:int uint,uint:uint double,double:double timestamp,timestamp:duration timestamp,duration:timestamp duration,duration:duration
_*_ int,int:int uint,uint:uint double,double:double
_/_ int,int:int uint,uint:uint double,double:double
_%_ int,int:int uint,uint:uint
@in A,list<A>:bool A,map<A,B>:bool
!_ bool:bool
-_ int:int double:double
size .string:int .bytes:int .list<A>:int .map<A,B>:int string:int bytes:int list<A>:int map<A,B>:int
type A:type
dyn A:dyn
int int:int uint:int double:int string:int timestamp:int duration:int
uint uint:uint int:uint double:uint string:uint
double double:double int:double uint:double string:double
string string:string bool:string int:string uint:string double:string bytes:string timestamp:string duration:string
bytes bytes:bytes string:bytes
bool bool:bool string:bool
timestamp timestamp:timestamp string:timestamp int:timestamp
duration duration:duration string:duration int:duration
contains .string,string:bool
startsWith .string,string:bool
endsWith .string,string:bool
matches .string,string:bool string,string:bool
find .string,string:string
findAll .string,string:list<string> .string,string,int:list<string>
charAt .string,int:string
indexOf .string,string:int .string,string,int:int .list<A>,A:int
lastIndexOf .string,string:int .string,string,int:int .list<A>,A:int
join .list<string>:string .list<string>,string:string
lowerAscii .string:string
upperAscii .string:string
replace .string,string,string:string .string,string,string,int:string
split .string,string:list<string> .string,string,int:list<string>
substring .string,int:string .string,int,int:string
trim .string:string
reverse .string:string .list<A>:list<A>
format .string,list<dyn>:string
strings.quote string:string
isSorted .list<A>:bool
sum .list<int>:int .list<uint>:uint .list<double>:double .list<duration>:duration
min .list<A>:A
max .list<A>:A
distinct .list<A>:list<A>
sort .list<A>:list<A>
slice .list<A>,int,int:list<A>
flatten .list<A>:list<dyn> .list<A>,int:list<dyn>
first .list<A>:optional<A>
last .list<A>:optional<A>
includes .list<A>,A:bool
isURL string:bool
url string:url
getScheme .url:string
getHost .url:string
getHostname .url:string
getPort .url:string
getEscapedPath .url:string
getQuery .url:map<string,list<string>>
isQuantity string:bool
quantity string:quantity
isInteger .quantity:bool
asInteger .quantity:int
asApproximateFloat .quantity:double
sign .quantity:int
add .quantity,quantity:quantity .quantity,int:quantity
sub .quantity,quantity:quantity .quantity,int:quantity
isLessThan .quantity,quantity:bool .semver,semver:bool
isGreaterThan .quantity,quantity:bool .semver,semver:bool
compareTo .quantity,quantity:int .semver,semver:int
isSemver string:bool string,bool:bool
semver string:semver string,bool:semver
major .semver:int
minor .semver:int
patch .semver:int
isIP string:bool
ip string:ip .cidr:ip
ip.isCanonical string:bool
family .ip:int
isUnspecified .ip:bool
isLoopback .ip:bool
isLinkLocalMulticast .ip:bool
isLinkLocalUnicast .ip:bool
isGlobalUnicast .ip:bool
isCIDR string:bool
cidr string:cidr
containsIP .cidr,string:bool .cidr,ip:bool
containsCIDR .cidr,string:bool .cidr,cidr:bool
masked .cidr:cidr
prefixLength .cidr:int
lists.range int:list<int>
sets.contains list<A>,list<A>:bool
sets.equivalent list<A>,list<A>:bool
sets.intersects list<A>,list<A>:bool
math.greatest int,int:int double,double:double uint,uint:uint list<A>:A A,A,A:A A,A,A,A:A
math.least int,int:int double,double:double uint,uint:uint list<A>:A A,A,A:A A,A,A,A:A
math.abs int:int double:double uint:uint
math.ceil double:double
math.floor double:double
math.round double:double
math.trunc double:double
math.sign int:int double:double uint:uint
base64.encode bytes:string
base64.decode string:bytes
jsonpatch.escapeKey string:string
optional.of A:optional<A>
optional.ofNonZeroValue A:optional<A>
optional.none :optional<A>
hasValue .optional<A>:bool
value .optional<A>:A
orValue .optional<A>,A:A
or .optional<A>,optional<A>:optional<A>
format.dns1123Label :format
format.dns1123Subdomain :format
format.dns1035Label :format
format.qualifiedName :format
format.dns1123LabelPrefix :format
format.dns1123SubdomainPrefix :format
format.dns1035LabelPrefix :format
format.labelValue :format
format.uri :format
format.uuid :format
format.byte :format
format.date :format
format.datetime :format
format.named string:optional<format>
validate .format,string:optional<list<string>>
getFullYear .timestamp:int .timestamp,string:int
getMonth .timestamp:int .timestamp,string:int
getDate .timestamp:int .timestamp,string:int
getDayOfMonth .timestamp:int .timestamp,string:int
getDayOfWeek .timestamp:int .timestamp,string:int
getDayOfYear .timestamp:int .timestamp,string:int
getHours .timestamp:int .timestamp,string:int .duration:int
getMinutes .timestamp:int .timestamp,string:int .duration:int
getSeconds .timestamp:int .timestamp,string:int .duration:int
getMilliseconds .timestamp:int .timestamp,string:int .duration:int
";

/// Which functions an expression may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Library {
    /// All of the table.
    Kubernetes,
    /// Those of the language itself, and one of OLM.
    Properties,
}

/// The functions of the language itself.
///
/// Source: `google/cel-spec:doc/langdef.md`.
const STANDARD: [&str; 40] = [
    "_==_",
    "_!=_",
    "_<_",
    "_<=_",
    "_>_",
    "_>=_",
    "_+_",
    "_-_",
    "_*_",
    "_/_",
    "_%_",
    "@in",
    "!_",
    "-_",
    "size",
    "type",
    "dyn",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "bool",
    "timestamp",
    "duration",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "getFullYear",
    "getMonth",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getHours",
    "getMinutes",
    "getSeconds",
    "getMilliseconds",
    "_[_]",
];

/// What OLM adds.
///
/// Source: `operator-framework/api:pkg/constraints/cel.go`.
pub(crate) const SEMVER_COMPARE: &str = "semver_compare";

/// The ways to call a function; none if there is no such function.
pub(crate) fn signatures(function: &str, library: Library) -> Vec<Signature> {
    if library == Library::Properties {
        if function == SEMVER_COMPARE {
            return read("dyn,dyn:int").into_iter().collect();
        }
        if !STANDARD.contains(&function) {
            return Vec::new();
        }
    }
    // All relations take the same types.
    let name = if matches!(function, "_<=_" | "_>_" | "_>=_") { "_<_" } else { function };
    LINES.get(name).map(|signatures| signatures.split(' ').filter_map(read).collect()).unwrap_or_default()
}

/// The lines of the table by the names of the functions.
static LINES: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| TABLE.lines().filter_map(|line| line.split_once(' ')).collect());

fn read(text: &str) -> Option<Signature> {
    let on_target = text.starts_with('.');
    let (arguments, result) = text.trim_start_matches('.').rsplit_once(':')?;
    let arguments = parts(arguments).into_iter().filter_map(type_of).collect();
    Some(Signature { on_target, arguments, result: type_of(result)? })
}

/// Splits at commas that are not within angle brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0usize, 0, Vec::new());
    for (index, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

fn type_of(text: &str) -> Option<Type<'static>> {
    if let Some((outer, inner)) = text.strip_suffix('>').and_then(|text| text.split_once('<')) {
        let mut inner = parts(inner).into_iter().filter_map(type_of).map(Rc::new);
        return Some(match outer {
            "list" => Type::List(inner.next()?),
            "optional" => Type::Optional(inner.next()?),
            _ => Type::Map(inner.next()?, inner.next()?),
        });
    }
    Some(match text {
        "A" => Type::Open(0),
        "B" => Type::Open(1),
        "dyn" => Type::Dyn,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::Text,
        "bytes" => Type::Bytes,
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        "type" => Type::Meta,
        "url" => Type::Named("kubernetes.URL"),
        "quantity" => Type::Named("kubernetes.Quantity"),
        "semver" => Type::Named("kubernetes.Semver"),
        "ip" => Type::Named("net.IP"),
        "cidr" => Type::Named("net.CIDR"),
        "format" => Type::Named("kubernetes.NamedFormat"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read_whole() {
        for line in TABLE.lines() {
            let (name, written) = line.split_once(' ').expect(line);
            let written: Vec<&str> = written.split(' ').collect();
            let read = signatures(name, Library::Kubernetes);
            assert_eq!(read.len(), written.len(), "{line}");
            for (signature, written) in read.iter().zip(written) {
                let wanted = written.trim_start_matches('.').split_once(':').map(|(arguments, _)| {
                    parts(arguments).into_iter().filter(|part| !part.is_empty()).count()
                });
                assert_eq!(Some(signature.arguments.len()), wanted, "{line}");
            }
        }
    }
}
