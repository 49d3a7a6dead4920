import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

// Under root the database has a separate user id, so that no other process of Vedette can read, signal or trace it. It needs
// no entry in /etc/passwd, and is outside the ranges that Debian and systemd assign to users.
export const DATABASE_UID = 60101

export type Identity = { uid: number; gid: number }

export function isRoot(): boolean {
  return process.geteuid?.() === 0
}

/** Whom PostgreSQL runs as: PostgreSQL refuses root, and insists on owning its cluster. */
export function databaseIdentity(clusterDir: string): Identity {
  const self = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
  const owner = ownerOf(clusterDir)
  if (!isRoot()) {
    if (owner && owner.uid !== self.uid)
      throw new Error(
        `${clusterDir} belongs to user id ${owner.uid}, and this server runs as ${self.uid}. ` +
          `Start it as that user or as root, or give the folder away with: chown -R ${self.uid} ${dirname(clusterDir)}`,
      )
    return self
  }
  // A cluster of an ordinary user keeps its owner, so that the user can start it without root later.
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  return { uid: DATABASE_UID, gid: DATABASE_UID }
}

function ownerOf(clusterDir: string): Identity | undefined {
  try {
    return statSync(clusterDir, { throwIfNoEntry: false })
  } catch (cause) {
    throw new Error(
      `${dirname(clusterDir)} is closed to this user (${process.geteuid?.()}). Use the user who runs the server, or root.`,
      { cause },
    )
  }
}

/** initdb, unlike the server, looks up its user by id and fails if there is no entry. */
export function initdbIdentity(): Identity {
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((entry) => Number.isInteger(entry.uid) && entry.uid > 0)
  const chosen = entries.find((entry) => entry.name === 'nobody') ?? entries.at(-1)
  if (!chosen)
    throw new Error(
      'PostgreSQL cannot be initialised as root here: /etc/passwd names no user but root. Add one, such as nobody.',
    )
  return { uid: chosen.uid, gid: chosen.gid }
}

/** Whether this user can traverse every directory down to and including `dir`. */
export function canTraverse(dir: string, { uid, gid }: Identity): boolean {
  for (let at = dir; ; at = dirname(at)) {
    const { mode, uid: owner, gid: group } = statSync(at)
    const shift = owner === uid ? 6 : group === gid ? 3 : 0
    if (!((mode >> shift) & 1)) return false
    if (at === dirname(at)) return true
  }
}
