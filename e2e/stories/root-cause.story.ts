import { afterAll, beforeAll, describe, expect } from 'vitest'
import { Scene } from '../scene.ts'
import { automatic } from './root-cause/automatic.ts'
import { Bakery } from './root-cause/bakery.ts'
import { inTheAnswer } from './root-cause/in-the-answer.ts'
import { inWordsThatFit } from './root-cause/in-words-that-fit.ts'
import { ModelServer } from './root-cause/model-server.ts'
import { onTheIsland } from './root-cause/on-the-island.ts'
import { onTheNetwork } from './root-cause/on-the-network.ts'
import { withoutEvidence } from './root-cause/without-evidence.ts'
import { wordedByAModel } from './root-cause/worded-by-a-model.ts'

describe('why a check fails', { timeout: 120_000 }, () => {
  const scene = new Scene()
  const bakery = new Bakery(scene)
  const model = new ModelServer()
  beforeAll(async () => {
    await model.open()
    await scene.open(model.settings)
    await bakery.open()
  }, 180_000)
  afterAll(async () => {
    await scene.close()
    await bakery.close()
    await model.close()
    expect(model.faults).toEqual([])
    // Whatever was analysed, the model was asked to word it, and heard no secret.
    expect(model.heard).toContain('/v1/chat/completions')
    expect(model.heard).not.toContain(bakery.secret)
  })

  describe('is told', { concurrent: true }, () => {
    describe('of names and addresses:', () => onTheIsland(scene))
    describe('of the network:', () => onTheNetwork(scene))
    describe('of the answer:', () => inTheAnswer(scene, bakery))
    describe('in words that fit:', () => inWordsThatFit(scene, bakery))
    describe('of no evidence: it', () => withoutEvidence(scene, bakery))
    wordedByAModel(scene, bakery, model)
  })

  // Alone: from then on every new failure of the account is analysed.
  describe('is told', () => automatic(scene, bakery))
})
