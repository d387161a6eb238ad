#!/bin/sh
# The shell client: a script asks a person which port to take, and takes 8080 when nobody has answered in ten minutes.
set -eu
port=$("$(dirname "$0")/../../clients/shell/ask_human.sh" "Which port?" 600 8080)
echo "listening on $port"
