// The DNS record that proves that a domain belongs to an account. Nothing is stored for it: its value is a signature.
import type { Sign } from './subscription-link.ts'

export interface DomainProof {
  recordName: string
  recordValue: string
}

export function domainProof(sign: Sign, accountId: string, domain: string): DomainProof {
  return {
    recordName: `_vedette.${domain}`,
    recordValue: `vedette=${sign(`page domain: ${accountId} ${domain}`)}`,
  }
}
