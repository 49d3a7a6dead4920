// Generated from packages/agent/src/runtimes/runtime-commands.ts; do not edit.
import type { CommandDescription } from '../core/command-description.ts'

export const runtimeCommands: Readonly<Record<string, CommandDescription>> = {
  "runtime list": {
    "usage": "runtime list",
    "summary": "shows the runtimes, and which of them are installed",
    "options": {}
  },
  "runtime install": {
    "usage": "runtime install NAME…",
    "summary": "installs runtimes with npm; a running agent finds them at once",
    "options": {}
  },
  "runtime browsers": {
    "usage": "runtime browsers",
    "summary": "shows which browsers an agent finds on this machine",
    "options": {}
  }
}
