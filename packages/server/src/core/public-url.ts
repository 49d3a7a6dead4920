import type { Config } from '../config.ts'

/** The address that links begin with. */
export function publicUrl({ PUBLIC_URL, PORT }: Pick<Config, 'PUBLIC_URL' | 'PORT'>): string {
  return PUBLIC_URL ?? `http://localhost:${PORT}`
}

/** The address of files of runs and of the trace viewer. */
export function assetsUrl(config: Pick<Config, 'PUBLIC_URL' | 'PORT' | 'ASSETS_URL'>): string {
  return config.ASSETS_URL ?? publicUrl(config)
}
