# Reads a preprocessed kernel file; writes it without __launch_bounds__, and
# behind it a registration of each entry point.
#
# __global__ has become the attribute (used, noinline), which nothing else has;
# the name of the entry is the next word of the form dfa_... before a
# parenthesis.
{ text = text $0 "\n" }

# The length of the parenthesis that s begins with.
function parenthesis(s,    depth, i, c) {
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (c == "(") depth++
    if (c == ")" && --depth == 0) return i
  }
  return 0
}

END {
  rest = text
  nentries = 0
  while (match(rest, /__attribute__\(\(used, noinline\)\)/)) {
    printf "%s", substr(rest, 1, RSTART + RLENGTH - 1)
    rest = substr(rest, RSTART + RLENGTH)
    bounds = ""
    if (match(rest, /^[^;{(]*__launch_bounds__ */)) {
      head = substr(rest, 1, RLENGTH)
      rest = substr(rest, RLENGTH + 1)
      length_ = parenthesis(rest)
      bounds = substr(rest, 1, length_)
      rest = substr(rest, length_ + 1)
      sub(/__launch_bounds__ *$/, "", head)
      printf "%s", head
    }
    if (match(rest, /^[^;{(]*dfa_[a-z0-9_]+ *\(/)) {
      name = substr(rest, 1, RLENGTH - 1)
      sub(/ *$/, "", name)
      sub(/^.*[^a-z0-9_]/, "", name)
      if (!(name in seen)) { names[nentries++] = name; seen[name] = 1 }
      if (bounds != "") limits[name] = bounds
    }
  }
  printf "%s\n", rest
  print "namespace " namespace " {}"
  print "namespace dfaparse_entries { using namespace " namespace ";"
  for (i = 0; i < nentries; i++) {
    limit = limits[names[i]]
    sub(/^\(/, "", limit); sub(/\)$/, "", limit)
    printf "static host::Registration entry_%d(\"%s\", %s%s);\n", i, names[i], names[i], limit == "" ? "" : ", " limit
  }
  print "}"
}
