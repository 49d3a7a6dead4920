import type { ClientCommand } from '../core/client-command.ts'
import { doctor } from './doctor.ts'
import { env } from './env.ts'
import { exportCommand } from './export.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'

export const clientCommands: Readonly<Record<string, ClientCommand>> = {
  login,
  logout,
  env,
  doctor,
  export: exportCommand,
}
