import { randomBytes } from 'node:crypto'
import type { Fault } from '../fault.ts'
import { createCounter, type Traffic } from '../traffic.ts'
import { type Answer, createDelivery, type Delivery } from './delivery.ts'
import { createEffects } from './effects.ts'
import { createInteractions, type Interactions } from './interactions.ts'
import { createPeople, type People } from './people.ts'
import { type Call, type Registration, serveSlack } from './server.ts'
import { APP, type FakeTeam, type Fields, forget, newTeam, type ShownMessage, shown } from './world.ts'

/** A whole Slack on one loopback port, strict about what it is asked. */
export interface FakeSlack extends Registration, People, Interactions {
  /** `http://127.0.0.1:PORT/`; the Web API is at `api/` under it. */
  readonly url: string
  readonly teams: ReadonlyMap<string, FakeTeam>
  readonly calls: readonly Call[]
  readonly answers: readonly Answer[]
  /** What the real platform would have refused, and nothing but a slip of the adapter gets to. */
  readonly violations: string[]
  readonly delivery: Delivery
  /** Whether app_mention comes before the message that it is about. */
  mentionFirst: boolean
  botToken(team: string): string
  /** Installs the app without the page of consent; resolves to its token. */
  install(team: string, scopes: readonly string[]): string
  /** Delivers an event as it is. */
  emit(team: string, event: Fields): Promise<Answer | null>
  shown(team: string, channel: string): readonly ShownMessage[]
  fault(fault: Fault): void
  /** The next call of the method is answered so. */
  refuse(method: string, error: string): void
  settled(): Promise<void>
  traffic(): Traffic
  /**
   * Drops what happened long ago: of the calls, the answers, what waits for one, the messages of each channel with their
   * reactions, what one person alone is shown, the modals and the files, the latest `keep` stay. More than `keep` must
   * not be underway.
   */
  forget(keep: number): void
  close(): Promise<void>
}

export interface FakeSlackOptions {
  readonly port?: number
  /** Names of the workspaces; each has the same people, channels and ids. */
  readonly teams?: readonly string[]
  /** The organisation that the workspaces belong to. */
  readonly enterprise?: string
}

const secret = () => randomBytes(16).toString('hex')

export async function startFakeSlack(options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const names = options.teams ?? ['T0ONE', 'T0TWO']
  const teams = new Map(names.map((id) => [id, newTeam(id, options.enterprise ?? null)]))
  const registration: Registration = {
    appToken: `${'xapp'}-1-${APP}-${secret()}`,
    signingSecret: secret(),
    clientId: '1000.2000',
    clientSecret: secret(),
  }
  const violations: string[] = []
  const wrong = (what: string) => violations.push(what)
  const counter = createCounter()
  const delivery = createDelivery(registration.signingSecret, counter, wrong)

  const teamOf = (id: string): FakeTeam => {
    const team = teams.get(id)
    if (team === undefined) throw new Error(`there is no fake workspace ${id}`)
    return team
  }

  const effects = createEffects(delivery, () => self.mentionFirst)
  const { doors, ...interactions } = createInteractions({ teamOf, delivery, url: () => served.url })

  function install(team: FakeTeam, scopes: readonly string[]): string {
    team.installation ??= { token: `${'xoxb'}-${team.id}-${secret()}`, scopes }
    return team.installation.token
  }

  const served = await serveSlack({
    ...registration,
    port: options.port ?? 0,
    teams,
    delivery,
    reach: { effects, trigger: doors.trigger, uploadUrl: (team, file) => `${served.url}upload/${team.id}/${file}` },
    counter,
    install,
    wrong,
    respond: doors.respond,
  })

  const self: FakeSlack = {
    ...registration,
    url: served.url,
    teams,
    calls: served.calls,
    answers: delivery.answers,
    violations,
    delivery,
    mentionFirst: false,
    botToken: (id) => teamOf(id).installation?.token ?? '',
    install: (id, scopes) => install(teamOf(id), scopes),
    ...createPeople(teamOf, effects),
    ...interactions,
    emit: (id, event) => effects.emit(teamOf(id), event),
    shown: (id, channel) => shown(teamOf(id), channel),
    fault(fault) {
      if (fault.type === 'duplicate') delivery.duplicate = fault.copies
      else if (fault.type === 'reorder') delivery.hold(fault.count)
      else if (fault.type === 'disconnect') delivery.disconnect()
      else served.faults.push(fault)
    },
    refuse: (method, error) => void served.refusals.push({ method, error }),
    settled: () => delivery.settled(),
    traffic: () => counter.traffic(delivery.underway()),
    forget(keep) {
      served.calls.splice(0, served.calls.length - keep)
      delivery.answers.splice(0, delivery.answers.length - keep)
      doors.forget(keep)
      for (const team of teams.values()) forget(team, keep)
    },
    close: served.close,
  }
  return self
}
