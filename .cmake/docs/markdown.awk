# Prepares README.md and the guides for Doxygen. Links between guides become references without anchors.
# Links to other files of the project become text, since the site does not have these files.
FNR == 1 && FILENAME ~ /guides\// {
  name = FILENAME
  sub(/.*\//, "", name)
  sub(/\.md$/, "", name)
  print $0 " {#guide_" name "}"
  next
}
/^```/ { in_code = !in_code }
{
  rest = $0
  line = ""
  while (!in_code && match(rest, /\]\([^)]*\)/)) {
    target = substr(rest, RSTART + 2, RLENGTH - 3)
    before = substr(rest, 1, RSTART)
    rest = substr(rest, RSTART + RLENGTH)
    if (target ~ /^https?:/ || target ~ /\.svg$/) {
      line = line before "(" target ")"
    } else if (target ~ /^(tests\/guides\/)?[a-z_]+\.md(#.*)?$/) {
      sub(/^tests\/guides\//, "", target)
      sub(/\.md.*/, "", target)
      line = line before "(@ref guide_" target ")"
    } else {
      open = 0
      for (i = length(before) - 1; i > 0 && !open; --i) {
        if (substr(before, i, 1) == "[") open = i
      }
      line = line substr(before, 1, open - 1) substr(before, open + 1, length(before) - open - 1)
    }
  }
  print line rest
}
