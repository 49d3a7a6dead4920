// A field for code. The editor is loaded when the first one is shown.
import { useEffect, useMemo, useRef, useState } from 'react'
import { fieldId } from '../../forms/fields.tsx'
import type { CheckFields } from '../../forms/schemas/check.ts'
import type { Form } from '../../forms/use-form.ts'
import { valueAt } from '../../forms/values.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useRuntimes } from './choices.ts'
import type { CodeEditor } from './code-editor.ts'
import type { ScriptContext } from './completions.ts'

interface ScriptFieldProps {
  // biome-ignore lint/suspicious/noExplicitAny: a field reads one value, whatever the whole form has
  form: Form<any>
  path: string
  label: string
  kind?: ScriptContext['kind']
  /** The only script of a check. */
  isTall?: boolean
  /** An empty script is null. */
  emptyAs?: null
}

export function ScriptField({ form, path, label, kind = 'test', isTall = false, emptyAs }: ScriptFieldProps) {
  const [isLarge, setLarge] = useState(false)
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor | null>(null)
  /** What the editor has reported and the form hasn't rendered yet: the editor may be ahead by some keys. */
  const typed = useRef<string[]>([])
  const text = String(valueAt(form.values, path) ?? '')
  const context = useScriptContext(form.values, kind)
  const error = form.errorAt(path)
  const latest = useRef({ text, context, onChange: (_: string) => {}, onLeave: () => {} })
  latest.current = {
    text,
    context,
    onChange: (next) => form.set(path, next === '' && emptyAs === null ? null : next),
    onLeave: () => form.leave(path),
  }
  useEffect(() => {
    let isGone = false
    import('./code-editor.ts').then(({ openEditor }) => {
      if (isGone || host.current === null) return
      editor.current = openEditor({
        ...{ host: host.current, label, isTall, isDisabled: false },
        ...{ text: latest.current.text, context: latest.current.context },
        onChange: (next) => {
          typed.current.push(next)
          latest.current.onChange(next)
        },
        onLeave: () => latest.current.onLeave(),
      })
    })
    return () => {
      isGone = true
      editor.current?.destroy()
      editor.current = null
    }
  }, [label, isTall])
  useEffect(() => {
    const index = typed.current.indexOf(text)
    // Anything else comes from outside: a template, or discarded changes.
    if (index === -1) editor.current?.setText(text)
    else typed.current.splice(0, index + 1)
  }, [text])
  useEffect(() => {
    if (!isLarge) return
    const shrink = (event: KeyboardEvent) => event.key === 'Escape' && setLarge(false)
    addEventListener('keydown', shrink)
    return () => removeEventListener('keydown', shrink)
  }, [isLarge])
  useEffect(() => editor.current?.setContext(context), [context])
  return (
    <div className={isLarge ? 'field script-field large' : 'field script-field'}>
      <div className="section-head">
        <span className="field-label">{label}</span>
        <ActionButton look="quiet" onPress={() => setLarge(!isLarge)}>
          <Icon name={isLarge ? 'close' : 'external'} />
          {isLarge ? 'Smaller editor' : 'Larger editor'}
        </ActionButton>
      </div>
      <div ref={host} id={fieldId(path)} className="code-host" />
      {error !== null && <p className="field-error">{error}</p>}
    </div>
  )
}

function useScriptContext(values: CheckFields, kind: ScriptContext['kind']): ScriptContext {
  const runtimes = useRuntimes()
  const runtime =
    runtimes.find(({ name }) => name === values.runtimeId) ??
    runtimes.find(({ stage }) => stage === 'CURRENT')
  const list = Array.isArray(values.environmentVariables) ? values.environmentVariables : []
  const variables = list.map((variable) => String(Object(variable).key))
  const key = JSON.stringify([kind, runtime?.name, variables])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says whether anything differs
  return useMemo(() => ({ kind, modules: runtime?.dependencies ?? {}, variables }), [key])
}
