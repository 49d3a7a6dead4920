// CodeMirror in a shadow root: there its styles are constructed sheets, which the content security policy allows. In the document
// it would add a style element.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { completionsOf, type ScriptContext } from './completions.ts'

export interface CodeEditor {
  setText(text: string): void
  setContext(context: ScriptContext): void
  focus(): void
  destroy(): void
}

interface EditorOptions {
  host: HTMLElement
  text: string
  label: string
  context: ScriptContext
  isTall: boolean
  isDisabled: boolean
  onChange(text: string): void
  onLeave(): void
}

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--passing)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--maintenance)' },
  { tag: [tags.comment], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.className], color: 'var(--degraded)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], fontWeight: '600' },
])

const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--muted)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionMatch, .cm-matchingBracket': {
    backgroundColor: 'var(--hover)',
    outline: '1px solid var(--control)',
  },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--control)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--surface)',
  },
  '.cm-placeholder': { color: 'var(--muted)' },
})

const heightOf = (isTall: boolean) =>
  EditorView.theme({ '.cm-content, .cm-gutters': { minHeight: isTall ? '280px' : '120px' } })

export function openEditor(options: EditorOptions): CodeEditor {
  const { host, label, isDisabled } = options
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true })
  root.replaceChildren()
  const completion = new Compartment()
  const complete = (context: ScriptContext): Extension =>
    autocompletion({ override: [completionsOf(context)] })
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        history(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        completion.of(complete(options.context)),
        javascript({ typescript: true }),
        syntaxHighlighting(colors),
        look,
        heightOf(options.isTall),
        placeholder('// TypeScript or JavaScript'),
        // Escape, then Tab leaves the editor: CodeMirror binds it.
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...completionKeymap,
          indentWithTab,
        ]),
        EditorState.tabSize.of(2),
        EditorState.readOnly.of(isDisabled),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString())
          if (update.focusChanged && !update.view.hasFocus) options.onLeave()
        }),
      ],
    }),
  })
  return {
    setText(text) {
      if (view.state.doc.toString() !== text)
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    setContext(context) {
      view.dispatch({ effects: completion.reconfigure(complete(context)) })
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}
