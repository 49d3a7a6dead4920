// Decodes bodies that are too large for the main thread, on the thread that evaluates the assertions.
import type { Transferable } from 'node:worker_threads'
import type { Subject } from '@vedette/contracts'
import { parseJson } from '../core/parse-json.ts'
import { textOf } from '../net/http-body.ts'
import type { Subjects } from './assertion-values.ts'

type Undecoded = Extract<Subject, { kind: 'undecoded' }>

export function decodeSubjects(subjects: Subjects): Record<string, Subject> {
  const texts = new Map<ArrayBufferLike, string>()
  const decode = ({ bytes, contentType }: Undecoded) => {
    const known = texts.get(bytes.buffer)
    const text = known ?? textOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), contentType)
    texts.set(bytes.buffer, text)
    return text
  }
  const decoded = Object.entries(subjects).flatMap(([source, subject]): [string, Subject][] => {
    if (subject.kind !== 'undecoded') return [[source, subject]]
    const text = decode(subject)
    if (subject.as === 'text') return [[source, { kind: 'text', value: text }]]
    const value = parseJson(text)
    return value === undefined ? [] : [[source, { kind: 'json', value }]]
  })
  return Object.fromEntries(decoded)
}

/** Buffers that can be transferred to another thread without a copy. */
export function undecodedBytes(subjects: Subjects): Transferable[] {
  const buffers = Object.values(subjects).flatMap((subject) =>
    subject.kind === 'undecoded' && subject.bytes.buffer instanceof ArrayBuffer ? [subject.bytes.buffer] : [],
  )
  return [...new Set(buffers)]
}
