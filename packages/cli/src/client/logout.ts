import type { ClientCommand, Input, Output } from '../core/client-command.ts'
import { removeLogin } from '../core/stored-login.ts'

export const logout: ClientCommand = {
  usage: 'logout',
  summary: 'removes what "vedette login" stored; the API key stays valid',
  options: {},
  run: logOut,
}

function logOut({ settings }: Input): Output {
  const removed = removeLogin(settings)
  return {
    json: { removed },
    text: removed
      ? 'Removed the login of this machine. The API key stays valid: revoke it in the app under Settings.'
      : 'There was no login on this machine.',
  }
}
