// Generated tests are the same in every run, so that a red run means a change; PROPERTY_SEED explores others.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_115) })
