#!/bin/sh
# From an installed program to the first answered question: `try.sh PROGRAM...`, in an empty folder of its own.
# Prints how long that took. DATA is where the program keeps its database, if it sees other folders than this script. Needs curl.
set -eu
folder=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server" 2>/dev/null; wait; rm -rf "$folder"' EXIT
began=$(date +%s%N)

data=${DATA:-$folder}
HANDRAISE_DATABASE_URL="sqlite://$data/handraise.db"
export HANDRAISE_DATABASE_URL HANDRAISE_KNOWN_SERVERS="$data/known_servers"
: > "$folder/said"
"$@" serve --addr 127.0.0.1:0 > "$folder/said" 2> "$folder/log" &
server=$!
until HANDRAISE_URL=$(sed -n 's/^Handraise listens on //p' "$folder/said") && test -n "$HANDRAISE_URL"; do
  kill -0 "$server" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
  sleep 0.05
done
export HANDRAISE_URL
grep -q '/sign-in/' "$folder/said"
"$@" health --addr "${HANDRAISE_URL#http://}"

responder=$("$@" token create --kind responder --name desk)
HANDRAISE_TOKEN=$("$@" token create --kind agent --name backend)
export HANDRAISE_TOKEN
"$@" ask --prompt 'Which port?' > "$folder/answer" &
asking=$!
interactions="$HANDRAISE_URL/api/v1/interactions"
until id=$(curl -fsS "$interactions?state=pending" -H "Authorization: Bearer $responder" |
  grep -o '"id":"[^"]*"' | head -n 1 | cut -d '"' -f 4) && test -n "$id"; do
  sleep 0.05
done
curl -fsS -o /dev/null "$interactions/$id/answer" -H "Authorization: Bearer $responder" \
  -H 'Content-Type: application/json' -d '{"text": "5433"}'
wait "$asking"
test "$(cat "$folder/answer")" = 5433

kill "$server"
wait "$server"
server=
echo "answered after $((($(date +%s%N) - began) / 1000000)) ms"
