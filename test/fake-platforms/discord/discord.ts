import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Fault } from '../fault.ts'
import { createCounter, type Traffic } from '../traffic.ts'
import { createEffects, guildJson } from './effects.ts'
import { createFaults } from './faults.ts'
import { createGateway, type Gateway, INTENT } from './gateway.ts'
import { createInteractions, type Interactions } from './interactions.ts'
import { createPeople, type People } from './people.ts'
import { PERMISSION } from './permissions.ts'
import { handleRest, type Recorded } from './rest.ts'
import { type Commands, routes } from './routes.ts'
import type { Guild, User } from './shapes.ts'
import { addGuild, addUser, createWorld, forget, role, type World } from './world.ts'

export interface FakeDiscordOptions {
  /** 0 takes any that is free. */
  readonly port?: number
  readonly token?: string
  readonly now?: () => number
  readonly heartbeatMs?: number
  /** Whether "Message Content Intent" is turned on in the developer portal. */
  readonly messageContent?: boolean
  /** How many shards a bot should have. */
  readonly shards?: number
}

/** Discord on this machine: its API, its gateway, and some people in two guilds. */
export interface FakeDiscord extends People {
  /** What `config.discord.apiUrl` is set to. */
  readonly url: string
  readonly token: string
  readonly world: World
  readonly guilds: readonly [Guild, Guild]
  readonly people: { readonly ann: User; readonly ben: User; readonly robot: User }
  readonly gateway: Gateway
  readonly interactions: Interactions
  readonly commands: Commands
  /** Every call of the API, oldest first. */
  readonly calls: readonly Recorded[]
  /** What the bot did that Discord, or this project, would not take. A test with any has failed. */
  readonly violations: readonly string[]
  /** People who take no direct messages from the bot. */
  readonly closed: Set<string>
  /** What is turned on in the developer portal. */
  readonly portal: { messageContent: boolean; token: string }
  fault(fault: Fault): void
  traffic(): Traffic
  forgive(): void
  /**
   * Drops what happened long ago: of the calls, the interactions that were answered, the messages of each channel with
   * their reactions, the threads, and the events that the bot has acknowledged, the latest `keep` stay. More than `keep`
   * must not be underway.
   */
  forget(keep: number): void
  close(): Promise<void>
}

/** What the invite link of the bot asks for. */
const INVITED =
  PERMISSION.viewChannel |
  PERMISSION.sendMessages |
  PERMISSION.sendInThreads |
  PERMISSION.readHistory |
  PERMISSION.addReactions

const GATEWAY_MESSAGE_CONTENT = 1 << 18

export async function startFakeDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const now = options.now ?? Date.now
  const world = createWorld(now)
  const token = options.token ?? ['fake', Buffer.from(world.bot.id).toString('base64url'), 'token'].join('-')
  const portal = { messageContent: options.messageContent ?? true, token }
  const calls: Recorded[] = []
  const violations: string[] = []
  const violate = (violation: string) => violations.push(violation)
  const closed = new Set<string>()
  const commands: Commands = new Map()
  const faults = createFaults()

  const people = { ann: addUser(world, 'Ann'), ben: addUser(world, 'Ben'), robot: addUser(world, 'robot', true) }
  const guilds = [settle(world, 'Harbour', people), settle(world, 'Meadow', people)] as const

  const counter = createCounter()
  const server = createServer((_request, response) => counter.request(response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const gatewayUrl = () => `ws://127.0.0.1:${port}`
  const present = () => [...world.guilds.values()].filter(({ joined }) => joined)
  const gateway = createGateway({
    server,
    token: () => portal.token,
    allowed: () => (portal.messageContent ? INTENT.content : 0),
    heartbeatMs: options.heartbeatMs ?? 41_250,
    url: gatewayUrl,
    ready: (hears) => ({
      ready: {
        v: 10,
        user: world.bot,
        guilds: present()
          .filter(({ id }) => hears(id))
          .map(({ id }) => ({ id, unavailable: true })),
        application: { id: world.applicationId, flags: portal.messageContent ? GATEWAY_MESSAGE_CONTENT : 0 },
      },
      guilds: present()
        .filter(({ id, unavailable }) => !unavailable && hears(id))
        .map((guild) => guildJson(world, guild)),
    }),
    violate,
  })
  const effects = createEffects(world, gateway)
  const interactions = createInteractions(world, effects)
  server.on(
    'request',
    handleRest({
      routes: routes({
        world,
        effects,
        interactions,
        commands,
        gatewayUrl,
        shards: options.shards ?? 1,
        flags: () => (portal.messageContent ? GATEWAY_MESSAGE_CONTENT : 0),
        closed,
      }),
      faults,
      token: () => portal.token,
      now,
      record: (call) => calls.push(call),
      violate,
    }),
  )

  return {
    ...createPeople({ world, effects, interactions, commands }),
    url: `http://127.0.0.1:${port}/api`,
    token,
    world,
    guilds,
    people,
    gateway,
    interactions,
    commands,
    calls,
    violations,
    closed,
    portal,
    fault(fault) {
      if (fault.type === 'duplicate') gateway.duplicate(fault.copies)
      else if (fault.type === 'reorder') gateway.reorder(fault.count)
      else if (fault.type === 'disconnect') gateway.drop()
      else faults.add(fault)
    },
    traffic() {
      const { underway, total } = counter.traffic()
      return { underway, total: total + gateway.sent() }
    },
    forgive() {
      violations.length = 0
      faults.clear()
    },
    forget(keep) {
      calls.splice(0, calls.length - keep)
      forget(world, keep)
      interactions.forget(keep)
      gateway.forget(keep)
    },
    async close() {
      gateway.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A guild of Ann's, with Ben, another bot, and Claw as its invite link makes it. */
function settle(world: World, name: string, { ann, ben, robot }: FakeDiscord['people']): Guild {
  const guild = addGuild(world, name, addUser(world, 'Olga'), [ann, ben, robot])
  const [admin, claw] = [world.snowflake(), world.snowflake()]
  guild.roles.push(role(admin, 'keepers', PERMISSION.manageGuild), role(claw, 'claw', INVITED, world.bot.id))
  guild.members.set(ann.id, [admin])
  guild.members.set(world.bot.id, [claw])
  guild.joined = true
  return guild
}
