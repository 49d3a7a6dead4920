import { argon2Sync } from 'node:crypto'
import { openPasswordHasher } from '../accounts/password-hasher.ts'

/** Argon2id at the least cost, whatever the hash says. */
export const quickHasher = openPasswordHasher(async (parameters) =>
  argon2Sync('argon2id', { ...parameters, memory: 16, passes: 1 }),
)
