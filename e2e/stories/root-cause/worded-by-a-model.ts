import { expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'
import { fails, passes, requestAnalysis } from './analyzed-check.ts'
import type { Bakery } from './bakery.ts'
import type { ModelServer } from './model-server.ts'

export function wordedByAModel(scene: Scene, bakery: Bakery, model: ModelServer): void {
  it('in the words of a model, from the same evidence, or in those of the rules if the model invents facts', async () => {
    const { account } = scene
    const { secret } = bakery
    const headers = [{ key: 'x-recipe', value: '{{{RECIPE}}}' }]
    const id = await bakery.check('/model', 'ap-northeast-2', { headers })
    await passes(account, id, 1)
    bakery.site.on('/model', { status: 404, headers: { server: secret }, body: secret })
    await fails(account, id)

    const byRules = await requestAnalysis(account, id)
    expect(byRules).toMatchObject({ provider: 'vedette', model: 'rules' })

    const words = {
      rootCause: 'Nobody knows this path any more. [1]',
      userImpact: 'Visitors see an error page. [1]',
      codeFix: 'Bring the path back.',
    }
    model.prepare('word it', words)
    const worded = await requestAnalysis(account, id, `word it, and ${secret}`)
    expect(worded).toMatchObject({ provider: model.host, model: model.name })
    const { referenceLinks, evidence, classification } = byRules.analysis
    expect(worded.analysis).toEqual({ ...words, referenceLinks, evidence, classification })

    model.prepare('make it up', { ...words, rootCause: 'A squirrel ate the cable. [99]' })
    const madeUp = await requestAnalysis(account, id, 'make it up')
    expect(madeUp).toMatchObject({ provider: 'vedette', model: 'rules' })
    expect(madeUp.analysis.rootCause).toContain(byRules.analysis.rootCause)
    expect(JSON.stringify(madeUp)).not.toContain('squirrel')

    const [given] = model.given('word it')
    expect(given).toMatchObject({
      classification,
      findings: { rootCause: expect.stringContaining('status 404 instead of 200') },
      userContext: expect.stringMatching(/^word it, and \*+$/),
    })
    expect(given?.evidence.map(({ description }) => description)).toEqual(
      evidence?.map(({ description }) => description),
    )
  })
}
