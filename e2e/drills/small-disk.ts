// A small file system in memory, and a ballast file that fills it. Mounting needs root.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  path: string
  freePercent(): number
  /** Grows the ballast until only that much is free. */
  fillTo(freePercent: number): void
  /** Deletes the ballast. */
  relieve(): void
  unmount(): void
}

/** Throws with the reason if mounting fails. */
export function mountSmallDisk(sizeMb: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'vedette-disk-drill-'))
  const options = `size=${sizeMb}m,mode=0755`
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { encoding: 'utf8' })
  if (mounted.status !== 0) {
    rmSync(path, { recursive: true })
    throw new Error(
      `a small file system could not be mounted, which needs root: ${mounted.stderr || mounted.error}`,
    )
  }
  const ballast = join(path, 'ballast')
  writeFileSync(ballast, '')
  return {
    path,
    freePercent() {
      const { bavail, blocks } = statfsSync(path)
      return (bavail / blocks) * 100
    },
    fillTo(freePercent) {
      const { bavail, blocks, bsize } = statfsSync(path)
      const chunk = Buffer.alloc(1024 * 1024, 1)
      let left = Math.floor(bsize * (bavail - (blocks * freePercent) / 100))
      for (; left > 0; left -= chunk.length) {
        writeFileSync(ballast, left < chunk.length ? chunk.subarray(0, left) : chunk, { flag: 'a' })
      }
    },
    relieve: () => truncateSync(ballast),
    unmount() {
      const unmounted = spawnSync('umount', [path], { encoding: 'utf8' })
      if (unmounted.status !== 0) throw new Error(`${path} is still mounted: ${unmounted.stderr}`)
      rmSync(path, { recursive: true, force: true })
    },
  }
}
