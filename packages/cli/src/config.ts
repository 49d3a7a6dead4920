// Everything the command reads from its environment, its files excepted. The server and the agent read theirs.
import { homedir } from 'node:os'
import { join } from 'node:path'

export interface Settings {
  apiUrl: string | undefined
  mqttUrl: string | undefined
  apiKey: string | undefined
  accountId: string | undefined
  /** Whether variables are also read from the file .env of the current directory. */
  readsDotenv: boolean
  /** Where programs of this user keep their settings. */
  configDir: (program: string) => string
}

type Environment = Readonly<Record<string, string | undefined>>

export function readSettings(environment: Environment = process.env): Settings {
  const read = (name: string) => environment[name]?.trim() || undefined
  return {
    apiUrl: read('CHECKLY_API_URL'),
    mqttUrl: read('CHECKLY_MQTT_URL'),
    apiKey: read('CHECKLY_API_KEY'),
    accountId: read('CHECKLY_ACCOUNT_ID'),
    readsDotenv: read('CHECKLY_NO_DOTENV') !== '1',
    configDir: (program) => configDirOf(program, environment),
  }
}

/** The same paths as those of the npm package env-paths, which the published CLI uses. */
function configDirOf(program: string, environment: Environment): string {
  const home = environment.HOME || homedir()
  if (process.platform === 'darwin') return join(home, 'Library/Preferences', program)
  if (process.platform === 'win32') {
    return join(environment.APPDATA || join(homedir(), 'AppData/Roaming'), program, 'Config')
  }
  return join(environment.XDG_CONFIG_HOME || join(home, '.config'), program)
}
