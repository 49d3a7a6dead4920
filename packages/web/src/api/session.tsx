// Who is signed in, and the account that the app shows.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { NoAccount } from '../parts/no-account.tsx'
import { showOutcome } from '../shell/outcome-bar.tsx'
import { CallError, call, chooseAccount } from './call.ts'
import { sessionEnded } from './connection.ts'
import type { SignIn } from './types.ts'

type Account = SignIn['accounts'][number]
type Role = Account['role']

/** In ascending order: a role includes the rights of those before it. */
const roles = ['READ_ONLY', 'READ_RUN', 'READ_WRITE', 'ADMIN', 'OWNER'] as const satisfies Role[]

export const roleNames: Record<Role, string> = {
  READ_ONLY: 'Read only',
  READ_RUN: 'Read and run',
  READ_WRITE: 'Read and write',
  ADMIN: 'Admin',
  OWNER: 'Owner',
}

export interface Session {
  signIn: SignIn
  account: Account
  switchAccount(id: string): void
  /** Null: the role of the user allows it. Otherwise the sentence that says which role is needed. */
  denialOf(needed: Role): string | null
}

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('There is no session around this component')
  return session
}

export const signInKey = ['sign-in']

/** Null: nobody is signed in. */
export function useSignIn() {
  return useQuery({
    queryKey: signInKey,
    queryFn: async ({ signal }): Promise<SignIn | null> => {
      try {
        return await call('GET /v1/sign-in', {}, signal)
      } catch (error) {
        if (error instanceof CallError && error.status === 401) return null
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Reads roles again. If the session has ended, people sign in on top of what they were doing. */
export async function renewSignIn(queries: QueryClient): Promise<void> {
  try {
    queries.setQueryData(signInKey, await call('GET /v1/sign-in'))
  } catch (error) {
    if (error instanceof CallError && error.status === 401) sessionEnded.set(true)
  }
}

const rememberedAccount = 'vedette.account'

export function SessionProvider({ signIn, children }: { signIn: SignIn; children: ReactNode }) {
  const [accountId, setAccountId] = useState(() => localStorage.getItem(rememberedAccount))
  const queries = useQueryClient()
  const account = signIn.accounts.find(({ id }) => id === accountId) ?? signIn.accounts[0]
  const known = useRef(account)
  useEffect(() => {
    const before = known.current
    if (account === undefined || before === undefined || before === account) return
    known.current = account
    const isLost = !signIn.accounts.some(({ id }) => id === before.id)
    if (isLost) showOutcome(`You are no longer a member of ${before.name}.`)
    else if (account.id === before.id && account.role !== before.role)
      showOutcome(`Your role in ${account.name} is “${roleNames[account.role]}” now.`)
    else return
    queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== signInKey[0] })
  }, [account, signIn, queries])
  const session = useMemo<Session | null>(() => {
    if (account === undefined) return null
    // Before anything below renders and asks.
    chooseAccount(account.id)
    return {
      signIn,
      account,
      switchAccount(id) {
        localStorage.setItem(rememberedAccount, id)
        chooseAccount(id)
        queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== signInKey[0] })
        setAccountId(id)
      },
      denialOf: (needed) =>
        roles.indexOf(account.role) >= roles.indexOf(needed)
          ? null
          : `This needs the role “${roleNames[needed]}”. Yours is “${roleNames[account.role]}”.`,
    }
  }, [account, signIn, queries])
  if (session === null) return <NoAccount lost={known.current?.name ?? null} />
  return <SessionContext value={session}>{children}</SessionContext>
}
