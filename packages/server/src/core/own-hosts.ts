// The hosts that belong to the installation: no page of a customer may have them.
import type { Config } from '../config.ts'
import { publicUrl } from './public-url.ts'

type HostSettings = Pick<Config, 'PUBLIC_URL' | 'PORT' | 'ASSETS_URL' | 'STATUS_DOMAIN' | 'DASHBOARDS_DOMAIN'>

export function ownHosts(config: HostSettings): string[] {
  const { hostname } = new URL(publicUrl(config))
  const { STATUS_DOMAIN, DASHBOARDS_DOMAIN } = config
  const domains = [STATUS_DOMAIN, DASHBOARDS_DOMAIN].filter((host) => host !== undefined)
  return [
    hostname,
    ...domains,
    ...(config.ASSETS_URL === undefined ? [] : [new URL(config.ASSETS_URL).hostname]),
  ]
}

/** Whether a name is the host or below it. */
export function isWithinHost(name: string, host: string): boolean {
  return name === host || name.endsWith(`.${host}`)
}
