import type { Adapter } from '../../../adapters/adapter.ts'
import { createDiscord } from '../../../adapters/discord/discord.ts'
import { loadConfig } from '../../../config/config.ts'
import type { Event } from '../../../core/types.ts'
import { type FakeDiscord, type FakeDiscordOptions, startFakeDiscord } from '../../fake-platforms/discord/discord.ts'
import { newPlace } from '../../stores.ts'

/** The adapter alone against the fake: what it delivers is kept. */
export interface Listening {
  readonly fake: FakeDiscord
  readonly adapter: Adapter
  readonly events: Event[]
  readonly faults: unknown[]
  /** The guild's general channel. */
  readonly general: string
  /** Without those of joining. */
  heard(): readonly Event[]
  /** Resolves when the fake has sent everything and this much was heard. */
  until(holds: () => boolean): Promise<void>
  close(): Promise<void>
}

export interface ListeningOptions extends FakeDiscordOptions {
  readonly silenceMs?: number
  readonly given?: string
  /** Discord is not there when the adapter starts, and comes up then. */
  readonly late?: boolean
  /** Awaited before an event is durable. */
  readonly deliver?: (event: Event) => Promise<void>
}

export async function listen(options: ListeningOptions = {}): Promise<Listening> {
  const place = await newPlace()
  const store = await place.open()
  let fake = await startFakeDiscord(options)
  if (options.late) await fake.close()
  const events: Event[] = []
  const faults: unknown[] = []
  const { discord } = loadConfig({ dataDir: place.dir, discord: { apiUrl: fake.url } }, {})
  const { silenceMs, deliver, given = fake.token } = options
  const adapter = createDiscord({
    token: given,
    config: discord,
    db: store.db,
    report: (fault) => faults.push(fault),
    ...(silenceMs === undefined ? {} : { silenceMs }),
  })
  await adapter.start(async (event) => {
    await deliver?.(event)
    events.push(event)
  })
  if (options.late) {
    faults.push(adapter.health())
    fake = await startFakeDiscord({ ...options, port: Number(new URL(fake.url).port), token: given })
  }
  return {
    fake,
    adapter,
    events,
    faults,
    general: fake.guilds[0].system_channel_id ?? '',
    heard: () => events.filter(({ type }) => type !== 'joined'),
    async until(holds) {
      for (let tries = 0; !holds(); tries += 1) {
        if (tries > 800) throw new Error(`it never came to that: ${events.map(({ id }) => id).join(' ')}`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    async close() {
      await adapter.stop()
      await fake.close()
      await store.close()
      place.remove()
    },
  }
}
