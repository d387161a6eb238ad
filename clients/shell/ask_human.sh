#!/bin/sh
# Asks a person, waits for the answer, however long the server is away, and prints it:
#
#     ask_human.sh QUESTION [SECONDS [FALLBACK]]
#
# After SECONDS the answer is FALLBACK. Exits with 1 if nobody answered, 2 if the server refused the question.
#
# It asks questions, and nothing else: an answer is words that whoever answers at that address could make up, so it is no
# approval. Approvals are proven by a receipt, which takes more than curl to verify: `handraise ask --kind approval`, the
# hook and the clients do. It refuses what looks like an option, such as --kind.
#
# Needs HANDRAISE_TOKEN, HANDRAISE_URL unless it is http://127.0.0.1:3000, and curl 7.71 or newer. No jq.
set -eu
question=${1:?usage: ask_human.sh QUESTION [SECONDS [FALLBACK]]}
case $question in --*) printf '%s: this asks questions only; for approvals, and all else, there is `handraise ask`\n' "$question" >&2; exit 2 ;; esac
url=${HANDRAISE_URL:-http://127.0.0.1:3000}
api=${url%/}/api/v1/interactions

# The token goes by standard input: a command line is for everybody to see. 5xx, 429 and lost replies are retried.
call() {
  printf 'header = "Authorization: Bearer %s"\n' "$HANDRAISE_TOKEN" |
    curl -sSK - --retry 1000000 --retry-all-errors --retry-delay 2 --max-time 90 "$@"
}
json() {
  TEXT=$1 awk 'BEGIN { s = ENVIRON["TEXT"]; printf "\""
    for (i = 1; i <= length(s); i++) { c = substr(s, i, 1); k = index("\\\"\n\r\t\b\f", c)
      printf "%s", k ? "\\" substr("\\\"nrtbf", k, 1) : c } printf "\"" }'
}
answer() { # A quote inside a JSON string has a backslash before it, so this is found nowhere else.
  awk '{ i = index($0, "\"answer\":{\"text\":\""); if (!i) exit 1
    for (i += 18; (c = substr($0, i, 1)) != "\""; i++) {
      if (c == "\\") { c = substr($0, ++i, 1); if (k = index("nrtbf", c)) c = substr("\n\r\t\b\f", k, 1)
        if (c == "u") { c = sprintf("%c", 16 * substr($0, i + 3, 1) + index("123456789abcdef", substr($0, i + 4, 1))); i += 4 } }
      printf "%s", c } print "" }'
}

body="{\"kind\":\"question\",\"prompt\":$(json "$question")${2:+,\"timeout_seconds\":$2}${3+,\"fallback\":$(json "$3")}}"
key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
reply=$(call "$api" -H "Idempotency-Key: $key" -H 'Content-Type: application/json' --data-raw "$body")
id=${reply#*\"id\":\"} id=${id%%\"*}
case $reply in *'"id":"'*) ;; *) printf '%s\n' "$reply" >&2; exit 2 ;; esac
while case $reply in *'"state":"pending"'*) ;; *) false ;; esac; do
  sleep 1 # In case something on the way does not let the server hold us.
  reply=$(call "$api/$id" -H 'Prefer: wait=30')
done
call -X POST "$api/$id/collect" >/dev/null
printf '%s\n' "$reply" | answer || { printf 'no answer: %s\n' "$reply" >&2; exit 1; }
