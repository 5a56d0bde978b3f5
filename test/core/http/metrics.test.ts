import { expect, test } from 'vitest'
import { createMetrics } from '../../../core/http/metrics.ts'
import type { Outlet, ReplyTo } from '../../../core/stream/outlet.ts'

const to = { platform: 'p', workspace: 'w', conversation: 'c' } as ReplyTo

test('a reply that its platform did not take is counted as failed', async () => {
  const outlet: Outlet = {
    platform: 'p',
    reply: () => ({
      write: () => {},
      finish: async (text) => {
        if (text === 'refused') throw new Error(text)
        return ['m1']
      },
      fail: async () => {},
    }),
    notify: async () => {},
    isAdmin: async () => false,
  }
  const metrics = createMetrics()
  const timed = metrics.timed(outlet)
  expect(await timed.reply(to).finish('hi')).toEqual(['m1'])
  await expect(timed.reply(to).finish('refused')).rejects.toThrow('refused')
  await timed.reply(to).fail('sorry')
  const text = await metrics.text()
  expect(text).toContain('claw_replies_total{platform="p",outcome="delivered"} 1')
  expect(text).toContain('claw_replies_total{platform="p",outcome="failed"} 2')
})
