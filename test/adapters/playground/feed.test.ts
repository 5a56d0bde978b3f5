import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Feed, type Numbered } from '../../../adapters/playground/feed.ts'
import type { Update } from '../../../adapters/playground/protocol.ts'

const notice = (n: number): Update => ({ type: 'notice', conversation: 'c', text: String(n), only: null })

test('whoever comes back with the last id that they saw has heard everything once, in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom('say', 'elsewhere'), fc.constantFrom('leave', 'come')), { maxLength: 60 }),
      (acts) => {
        const feed = new Feed()
        const heard: string[] = []
        let last: string | null = null
        let stop = null as (() => void) | null
        let said = 0
        const come = () => {
          stop ??= feed.subscribe('w', last, ({ id, update }: Numbered) => {
            last = id
            if (update.type === 'notice') heard.push(update.text)
          })
        }
        come()
        feed.publish('w', notice(said++))
        for (const act of acts) {
          if (act === 'say') feed.publish('w', notice(said++))
          if (act === 'elsewhere') feed.publish('other', notice(-1))
          if (act === 'leave') {
            stop?.()
            stop = null
          }
          if (act === 'come') come()
        }
        come()
        expect(heard).toEqual(Array.from({ length: said }, (_, n) => String(n)))
      },
    ),
  )
})

test('who missed more than is kept, or comes from another run, is told to read anew', () => {
  const feed = new Feed()
  let last = ''
  const stop = feed.subscribe('w', null, ({ id }) => {
    last = id
  })
  feed.publish('w', notice(0))
  stop()
  for (let n = 0; n < 6_000; n++) feed.publish('w', notice(n))
  for (const since of [last, 'another.1', 'nonsense']) {
    const heard: Update[] = []
    feed.subscribe('w', since, ({ update }) => heard.push(update))
    expect(heard).toEqual([{ type: 'reset' }])
  }
})
