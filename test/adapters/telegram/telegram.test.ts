import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Stage } from '../../conformance/stage.ts'
import { telegram } from '../../conformance/telegram.ts'

let stage: Stage
beforeEach(async () => {
  stage = await telegram.open()
})
afterEach(async () => {
  await stage.close()
})

describe('the adapter on grammY', () => {
  test('answers privately, with thumbs', async () => {
    const { direct } = stage.places
    await stage.say(direct, stage.people.ann, 'hello there')
    await stage.settle()
    expect(stage.shown(direct).map(({ text }) => text)).toContain('re: hello there')
    expect(stage.shown(direct).find(({ text }) => text.startsWith('re:'))?.buttons).toEqual(['👍', '👎'])
    expect(stage.faults).toEqual([])
  })

  test('answers in a group when it is mentioned', async () => {
    const { channel } = stage.places
    const asked = await stage.say(channel, stage.people.ben, 'hello', { mention: true })
    await stage.say(channel, stage.people.ben, 'not you')
    await stage.settle()
    expect(stage.shown(channel).map(({ text, replyTo }) => [text, replyTo])).toContainEqual(['re: hello', asked])
    expect(stage.shown(channel).filter(({ text }) => text.startsWith('re:'))).toHaveLength(1)
    expect(stage.faults).toEqual([])
  })

  test('answers commands privately', async () => {
    const { channel } = stage.places
    await stage.command(channel, stage.people.ann, 'status')
    await stage.settle()
    expect(stage.shown(channel)).toMatchObject([{ only: stage.people.ann }])
  })
})
