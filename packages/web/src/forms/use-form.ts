// The state of a form: its values, what is wrong with them, and what has changed since they were saved.
import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { CallError } from '../api/call.ts'
import { sessionEnded } from '../api/connection.ts'
import { useSession } from '../api/session.tsx'
import { afterPress } from '../core/after-press.ts'
import { reasonOf } from '../parts/states.tsx'
import { forgetDraft, readDraft, writeDraft } from './draft-storage.ts'
import { type Clash, type Conflict, saveMerged, withTheirs } from './save-merged.ts'
import { type Change, changesOf, withValue } from './values.ts'

export interface FieldProblem {
  path: string
  message: string
}

export interface FormOptions<T> {
  /** Names the draft: kind and id, `check/new/TCP`. */
  key: string
  /** What is stored, or the values that a new resource begins with. */
  saved: T
  /** As typed, by the schema of the screen. */
  problemsOf?: (values: T) => FieldProblem[]
  /** Stores the values. Its errors are shown: beside the fields that they name, else above the buttons. */
  save: (values: T, changes: readonly Change[]) => Promise<unknown>
  /**
   * Reads again before saving, and again if saving fails with 412. If someone else has saved meanwhile, `conflicts` asks which
   * values to keep.
   */
  reload?: () => Promise<T>
  /** Not kept in the browser. */
  secretPaths?: readonly string[] | ((values: T) => readonly string[])
}

export interface Form<T> {
  values: T
  /** What the values are compared with. */
  base: T
  set(path: string, value: unknown): void
  change(update: (values: T) => T): void
  /** Null until the field was left, or saving was tried. */
  errorAt(path: string): string | null
  /** Whether this field or one below it has an error that is shown. */
  hasErrorBelow(path: string): boolean
  leave(path: string): void
  /** Those that are shown. */
  problems: readonly FieldProblem[]
  changes: readonly Change[]
  isChanged: boolean
  /** The values come from an earlier visit of this tab. */
  isRestored: boolean
  discard(): void
  /** True: it is saved. */
  save(): Promise<boolean>
  isSaving: boolean
  /** Why saving failed, if no field is to blame. */
  failure: string | null
  conflicts: readonly Conflict[] | null
  /** Saves with the chosen values; null: goes back to editing. */
  resolve(chosen: readonly { path: string; value: unknown }[] | null): Promise<boolean>
}

export function useForm<T extends object>(options: FormOptions<T>): Form<T> {
  const { account } = useSession()
  const key = `${account.id}.${options.key}`
  const latest = useRef(options)
  latest.current = options
  const secretPathsOf = (values: T) => {
    const { secretPaths = [] } = latest.current
    return typeof secretPaths === 'function' ? secretPaths(values) : secretPaths
  }
  const [stored] = useState(() => readDraft<T>(key, options.saved, secretPathsOf))
  const [base, setBase] = useState<T>(stored?.base ?? options.saved)
  const [values, setValues] = useState<T>(stored?.values ?? options.saved)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [isTried, setTried] = useState(false)
  const [fromServer, setFromServer] = useState<readonly FieldProblem[]>([])
  const [failure, setFailure] = useState<string | null>(null)
  const [clash, setClash] = useState<Clash<T> | null>(null)
  const [isRestored, setRestored] = useState(stored !== null)

  const changes = useMemo(() => changesOf(base, values), [base, values])
  const problems = useMemo(() => latest.current.problemsOf?.(values) ?? [], [values])
  const isChanged = changes.length > 0

  const latestSecretPathsOf = useRef(secretPathsOf)
  latestSecretPathsOf.current = secretPathsOf
  useEffect(() => {
    if (isChanged) writeDraft(key, { base, values }, latestSecretPathsOf.current)
    else forgetDraft(key)
  }, [key, base, values, isChanged])

  const change = useCallback((update: (values: T) => T) => setValues(update), [])
  const set = useCallback((path: string, value: unknown) => {
    setValues((before) => withValue(before, path, value))
    setFromServer((before) => before.filter((problem) => !isAtOrBelow(problem.path, path)))
  }, [])
  const leave = useCallback(
    (path: string) => afterPress(() => setLeft((before) => new Set(before).add(path))),
    [],
  )

  const shown = useMemo(
    () => [...fromServer, ...problems.filter(({ path }) => isTried || left.has(path))],
    [fromServer, problems, isTried, left],
  )

  const mutation = useMutation({
    mutationFn: ({ next, from }: { next: T; from: T }) => latest.current.save(next, changesOf(from, next)),
  })

  const fail = (error: unknown) => {
    if (error instanceof CallError && error.status === 401) {
      sessionEnded.set(true)
      return setFailure('your session has ended. Sign in, then save again.')
    }
    setFailure(error instanceof Error ? reasonOf(error) : String(error))
  }

  const store = async (next: T, from: T): Promise<'saved' | 'failed' | 'changed'> => {
    try {
      await mutation.mutateAsync({ next, from })
    } catch (error) {
      if (error instanceof CallError && error.status === 412) return 'changed'
      const named = error instanceof CallError && error.status === 400 ? fieldsOf(error) : []
      setFromServer(named)
      if (named.length === 0) fail(error)
      return 'failed'
    }
    forgetDraft(key)
    setBase(next)
    setValues(next)
    setRestored(false)
    setTried(false)
    setLeft(new Set())
    return 'saved'
  }

  /** `from` is what `mine` was made of. */
  const merge = async (mine: T, from: T): Promise<boolean> => {
    try {
      const reload = async () => (await latest.current.reload?.()) ?? from
      const outcome = await saveMerged(mine, from, { reload, store })
      if (typeof outcome === 'object') setClash(outcome)
      if (outcome === 'busy') setFailure('others are changing it at the same time. Try again.')
      return outcome === 'saved'
    } catch (error) {
      fail(error)
      return false
    }
  }

  const save = async (): Promise<boolean> => {
    setTried(true)
    setFailure(null)
    setFromServer([])
    return problems.length === 0 && merge(values, base)
  }

  const resolve = async (chosen: readonly { path: string; value: unknown }[] | null): Promise<boolean> => {
    setClash(null)
    if (chosen === null || clash === null) return false
    let next = withTheirs(values, base, clash.current)
    for (const { path, value } of chosen) next = withValue(next, path, value)
    setBase(clash.current)
    setValues(next)
    return merge(next, clash.current)
  }

  const discard = () => {
    forgetDraft(key)
    setBase(latest.current.saved)
    setValues(latest.current.saved)
    setFromServer([])
    setFailure(null)
    setTried(false)
    setRestored(false)
    setLeft(new Set())
  }

  return {
    values,
    base,
    set,
    change,
    leave,
    errorAt: (path) => shown.find((problem) => problem.path === path)?.message ?? null,
    hasErrorBelow: (path) => shown.some((problem) => isAtOrBelow(problem.path, path)),
    problems: shown,
    changes,
    isChanged,
    isRestored: isRestored && isChanged,
    discard,
    save,
    isSaving: mutation.isPending,
    failure,
    conflicts: clash?.conflicts ?? null,
    resolve,
  }
}

function isAtOrBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}.`)
}

function fieldsOf(error: CallError): FieldProblem[] {
  return Object.entries(error.attributes).flatMap(([path, message]) =>
    typeof message === 'string' && path !== 'body' ? [{ path, message }] : [],
  )
}
