/** One line of `vedette doctor`. The server, the agent and the command each find their own. */
export interface Finding {
  /** What was checked. */
  subject: string
  level: FindingLevel
  /** What was found, and what that means. */
  message: string
  /** What to do. */
  fix?: string
}

export type FindingLevel = 'ok' | 'warning' | 'problem'
