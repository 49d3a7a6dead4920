// Assignments of private locations have no rows: the payloads of checks and groups list their locations before they are read
// (`prepare.ts`). Their ids name both.
import { type PhysicalId, SerialId, Uuid } from '@vedette/contracts'
import { z } from 'zod'
import { type ResourceKind, readWith } from './kind.ts'

const CheckAssignment = z.object({ privateLocationId: Uuid, checkId: Uuid })
const GroupAssignment = z.object({ privateLocationId: Uuid, groupId: SerialId })

interface Assignment {
  privateLocationId: string
  target: PhysicalId
}

function assignmentKind(read: ResourceKind<Assignment>['read']): ResourceKind<Assignment> {
  return {
    read,
    create: async (_tx, _context, items) => items.map(({ input }) => assignmentId(input)),
    update: async (_tx, _context, items) => items.map(({ input }) => assignmentId(input)),
    remove: async () => {},
  }
}

export const checkAssignmentKind = assignmentKind((payload) => {
  const read = readWith(CheckAssignment, payload)
  return 'issues' in read ? read : { input: { ...read.input, target: read.input.checkId } }
})

export const groupAssignmentKind = assignmentKind((payload) => {
  const read = readWith(GroupAssignment, payload)
  return 'issues' in read ? read : { input: { ...read.input, target: read.input.groupId } }
})

function assignmentId({ target, privateLocationId }: Assignment): string {
  return `${target}/${privateLocationId}`
}

/** The id of the location. */
export function locationOf(assignment: string): string {
  return assignment.slice(assignment.indexOf('/') + 1)
}
