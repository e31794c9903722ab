# What jq has and jaq has not, or has otherwise.

def tostring: as_text;
def delpaths($paths): delete_paths($paths);
def del(f): delpaths([path(f)]);
def join($separator):
  reduce .[] as $part (null;
    (if . == null then "" else . + $separator end)
    + ($part | if . == null then "" elif isarray or isobject then error("cannot join \(tojson)") else tostring end)
  ) // "";

def @csv: [
    .[]
    | if isstring then "\"" + (split("\"") | join("\"\"")) + "\""
      elif . == null then ""
      elif isarray or isobject then error("\(type) (\(tojson)) is not valid in a csv row")
      else tostring end
  ] | join(",");

def @tsv: [
    .[]
    | if isstring then
        reduce (["\\", "\\\\"], ["\t", "\\t"], ["\n", "\\n"], ["\r", "\\r"]) as [$from, $to]
          (.; split($from) | join($to))
      elif . == null then ""
      elif isarray or isobject then error("\(type) (\(tojson)) cannot be tsv-formatted, only string")
      else tostring end
  ] | join("\t");

# An entry is named by one of several keys.
def from_entries:
  reduce .[] as $entry ({};
    .[$entry
      | if .key != null then .key else .k // .name // .Name // .K // .Key end
      | if isstring then . else tojson end]
    = ($entry | if has("value") then .value elif has("v") then .v else .Value end));

def IN(values): . as $it | any(values; . == $it);
def IN(items; values): any(items; IN(values));
def INDEX(items; key): reduce items as $item ({}; .[$item | key | tostring] = $item);
def INDEX(key): INDEX(.[]; key);

def leaf_paths: paths(scalars);
def toarray: if isarray then . else [.] end;
def trimstr($part): ltrimstr($part) | rtrimstr($part);
def input_line_number: 0;

def tostream:
  def below($path):
    if (isarray or isobject) and length > 0 then
      keys_unsorted as $keys
      | ($keys[] as $key | .[$key] | below($path + [$key])), [$path + [$keys[-1]]]
    else [$path, .] end;
  below([]);
