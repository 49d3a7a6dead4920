#!/bin/sh
# npm start: prepares with any Node, then becomes the server, so that no other process of ours stays.
cd "$(dirname "$0")/.." || exit 1
node=$(node scripts/prepare-start.mjs $$) || exit 1

# dns.lookup uses the thread pool: lookups that time out must not block the others.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-32}"
if [ "$VEDETTE_INSTALL_BROWSER" != off ]; then
  export AGENT_BROWSER_INSTALLER="${AGENT_BROWSER_INSTALLER:-$PWD/scripts/browser.mjs}"
fi
# A killed npm doesn't stop its children: the server stops when its parent changes.
if [ -n "$npm_lifecycle_event" ]; then export STOP_WITH_PARENT=on; fi

# Less memory for short-lived objects and for each thread of the pool: saves 60 MB (measured).
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"

exec "$node" --max-semi-space-size=4 --import ./scripts/strip-types.mjs packages/server/src/main.ts "$@"
