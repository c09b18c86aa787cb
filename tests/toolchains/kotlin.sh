#!/bin/sh
# Fetches what the Kotlin package is built with, and what builds it: kotlin.sh [REPOSITORY]. Fetched once for a
# kotlin/pom.xml; REPOSITORY/ready says for which. Needs a JDK 17 or newer, Maven and the network; builds need no network then.
set -eu
repository=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/turnwire/m2}
project=$(cd "$(dirname "$0")/../../kotlin" && pwd)
if [ -f "$repository/ready" ] && cmp -s "$repository/ready" "$project/pom.xml"; then exit 0; fi
for tool in java mvn; do
    if ! command -v "$tool" >/dev/null; then
        echo "kotlin.sh: $tool is missing; install a JDK 17 or newer, and Maven" >&2
        exit 1
    fi
done
# A project of one file and one test makes every plugin fetch what it runs on.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/src/main/kotlin" "$scratch/src/test/kotlin"
cp "$project/pom.xml" "$scratch/pom.xml"
echo 'public fun answer(): Int = 42' >"$scratch/src/main/kotlin/Answer.kt"
echo 'class AnswerTest { @org.junit.jupiter.api.Test fun test() { check(answer() == 42) } }' >"$scratch/src/test/kotlin/AnswerTest.kt"
mvn --batch-mode --quiet -Dmaven.repo.local="$repository" -f "$scratch/pom.xml" verify >&2
cp "$project/pom.xml" "$repository/ready"
