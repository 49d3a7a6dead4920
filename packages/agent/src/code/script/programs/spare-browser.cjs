// A browser that is started before the script asks for one, for one run. Playwright launches as it always does; where the
// program it would start is the one that runs already (same command, arguments, folder and environment), its `spawn` is handed
// that process. Whatever differs is an ordinary launch. Required before Playwright: some versions keep the `spawn` they find.
'use strict'
const childProcess = require('node:child_process')
const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const spawn = childProcess.spawn
const profileArg = '--user-data-dir='
/** By families of what Chromium and its libraries were seen to ask for: too many cost a launch, too few a setting. */
const readByBrowsers =
  /^(TZ\w*|LANG\w*|LC_\w+|HOME|PATH|TMPDIR|DISPLAY|XAUTHORITY|SNAP\w*|\w+_PROXY|SOCKS_\w+|SSL\w+|RUNNING_UNDER_RR|(ANGLE|CHROME|CHROMIUM|DBUS|DESKTOP|EGL|EXPAT|FC|FLATPAK|FONTCONFIG|FREETYPE|G|GALLIUM|GDK|GIO|GLIBC|GNOME|GOBJECT|GOOGLE|GTK|ICU|KDE|KRB5|KRB5CCNAME|LD|LIBGL|LIBVA|LP|MALLOC|MESA|NSPR|NSS|OPENSSL|PULSE|SBX|SQLITE|VK|WAYLAND|XDG)(_\w+)?)$/i

let spare = null
let onAsked = null

childProcess.spawn = launch

function launch(command, args, options) {
  const profile = Array.isArray(args) ? args.find((arg) => String(arg).startsWith(profileArg)) : undefined
  if (profile === undefined) return spawn.call(this, command, args, options)
  if (onAsked) return onAsked({ command, args, options })
  return (
    take({ command, args, options }, profile.slice(profileArg.length)) ??
    spawn.call(this, command, args, options)
  )
}

/** With the options that most scripts launch with: none. */
exports.start = async ({ chromium }) => {
  const asked = await ask(chromium)
  if (asked === null) return
  const { command, args, options } = asked
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'playwright_chromiumdev_profile-'))
  const facts = { folder, ...factsOf(asked) }
  const own = args.map((arg) => (arg.startsWith(profileArg) ? `${profileArg}${folder}` : arg))
  hold(spawn(command, own, options), facts)
}

/** What it would start. Nothing is: it is told that the program can not be run, and removes the folders it made. */
async function ask(chromium) {
  let asked = null
  onAsked = (given) => {
    asked = given
    const refused = new EventEmitter()
    setImmediate(() => refused.emit('error', new Error('only asked')))
    return refused
  }
  await chromium.launch().catch(() => {})
  onAsked = null
  return asked
}

/** The process may be one that another process started: see hand-over.cjs. */
function hold(child, facts) {
  spare = { child, facts }
  child.on('error', () => {})
  child.once('close', () => removeFolder(facts.folder))
  child.unref()
  for (const stream of child.stdio) stream?.unref()
  process.on('exit', () => end(child))
}
exports.hold = hold

/** Whoever releases it no longer has it. */
exports.release = () => {
  const held = spare
  spare = null
  return held
}

exports.drop = () => {
  const held = exports.release()
  if (held) end(held.child)
}

function take(asked, profile) {
  if (spare === null) return null
  const { child, facts } = spare
  if (!isAlive(child) || !isSame(facts, asked) || !leadTo(facts.folder, profile)) {
    exports.drop()
    return null
  }
  spare = null
  child.ref()
  for (const stream of child.stdio) stream?.ref()
  return child
}

function factsOf({ command, args, options = {} }) {
  const { env, cwd, stdio, ...others } = options
  const read = Object.entries(env ?? process.env).filter(([name]) => readByBrowsers.test(name))
  return {
    program: [command, args.filter((arg) => !String(arg).startsWith(profileArg)), stdio, others],
    env: read.sort(([a], [b]) => (a < b ? -1 : 1)),
    cwd: path.resolve(cwd ?? '.'),
    home: settingsIn(Object.fromEntries(read).HOME),
  }
}

/** Settings, fonts and certificates that a script puts there are read when a browser starts. */
function settingsIn(home) {
  try {
    const names = fs.readdirSync(home).filter((name) => name.startsWith('.'))
    return names.sort()
  } catch {
    return []
  }
}

function isSame({ folder: _folder, ...facts }, asked) {
  try {
    return JSON.stringify(facts) === JSON.stringify(factsOf(asked))
  } catch {
    // A folder that is gone, options of a kind that Playwright does not use.
    return false
  }
}

/** Its parent may not have heard yet. */
function isAlive({ pid, exitCode, signalCode }) {
  if (!pid || exitCode !== null || signalCode !== null) return false
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Playwright's own folder, empty yet, leads to the one in use; Playwright removes the link, `hold` the folder. */
function leadTo(folder, profile) {
  try {
    fs.rmdirSync(profile)
    fs.symlinkSync(folder, profile)
    return true
  } catch {
    fs.mkdirSync(profile, { recursive: true, mode: 0o700 })
    return false
  }
}

function end({ pid, exitCode, signalCode }) {
  try {
    if (pid && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function removeFolder(folder) {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch {
    // It goes with the cell.
  }
}
