import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { type Config, judgeKey } from '../../config/config.ts'
import { type Tokens, tokensFile } from '../../config/tokens.ts'
import { ClawError, hasCode, reason } from '../../core/errors.ts'
import { endpointVoter } from '../../core/judge/endpoint.ts'
import { resolveModel } from '../../core/model/catalogue.ts'
import { openModel } from '../../core/model/files.ts'
import { redisQueue } from '../../core/queue/redis.ts'
import { openStore } from '../../core/store/store.ts'
import { findServer } from '../server.ts'
import { prepareData } from '../settings.ts'
import type { Machine, Port, Trouble } from './diagnoses.ts'

/** Loads what runs the network; its own file because it is native code. */
const loadRuntime = () => import('../../core/model/session.ts')

/** Looks at this machine and at its services; changes nothing that the next start would not change. */
export async function examineMachine(
  config: Config,
  tokens: Tokens,
  clockSkewMs: number | null = null,
  load: () => Promise<unknown> = loadRuntime,
): Promise<Machine> {
  const { dataDir } = config
  const folderMode = modeOf(dataDir)
  const folder = folderMode === null ? null : await trouble(() => prepareData(dataDir))
  const { store, workspaces } = await examineStore(config)
  return {
    dataDir,
    folder,
    folderMode,
    tokensMode: modeOf(tokensFile(dataDir)),
    freeBytes: await freeBytes(dataDir),
    ports: await examinePorts(config, tokens),
    model: await examineModel(config),
    runtime: await trouble(load, 'Install again with npm ci; it needs a 64-bit Linux, macOS or Windows.'),
    judge: await examineJudge(config),
    store,
    queue: await examineQueue(config),
    workspaces,
    discordTraining: config.discord.trainingPermission,
    clockSkewMs,
  }
}

/** What kept `work` from being done; null where nothing did. */
async function trouble(work: () => unknown, remedy?: string): Promise<Trouble | null> {
  try {
    await work()
    return null
  } catch (error) {
    return { message: reason(error), remedy: (error instanceof ClawError ? error.remedy : undefined) ?? remedy }
  }
}

function modeOf(path: string): number | null {
  try {
    return statSync(path).mode
  } catch {
    return null
  }
}

async function freeBytes(dataDir: string): Promise<number | null> {
  for (let path = dataDir; ; path = dirname(path)) {
    try {
      const { bavail, bsize } = await statfs(path)
      return bavail * bsize
    } catch {
      if (path === dirname(path)) return null
    }
  }
}

async function examinePorts({ dataDir, http, slack, telegram }: Config, tokens: Tokens): Promise<Port[]> {
  const running = await findServer(dataDir)
  const overHttp = tokens.slack.appToken === undefined && tokens.slack.signingSecret !== undefined
  const wanted = [
    { of: 'page', ...http },
    ...(overHttp ? [{ of: 'slack', ...slack }] : []),
    ...(telegram.webhookUrl !== null && tokens.telegram.token !== undefined ? [{ of: 'telegram', ...telegram }] : []),
  ]
  return Promise.all(
    wanted.map(async ({ of, host, port }): Promise<Port> => {
      // Where it was told to be by a flag is nowhere in the settings.
      if (of === 'page' && running !== null) return { of, address: new URL(running.url).host, takenBy: 'own' }
      const takenBy = (await isFree(host, port)) ? null : running === null ? 'another' : 'own'
      return { of, address: `${host}:${port}`, takenBy }
    }),
  )
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    return await new Promise((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, host, () => resolve(true))
    })
  } finally {
    server.close()
  }
}

async function examineModel({ model, dataDir }: Config): Promise<Machine['model']> {
  try {
    await (await openModel(resolveModel(model, dataDir))).close()
    return { name: model, trouble: null, fetchable: false }
  } catch (error) {
    const remedy = error instanceof ClawError ? error.remedy : undefined
    return { name: model, trouble: { message: reason(error), remedy }, fetchable: hasCode(error, 'MODEL_MISSING') }
  }
}

async function examineJudge({ judge }: Config): Promise<Machine['judge']> {
  if (typeof judge.by === 'string') return null
  const voter = endpointVoter({ ...judge.by, key: judgeKey(), timeoutMs: judge.timeoutSeconds * 1000 })
  const [answer] = await voter.ask([{ role: 'user', content: 'Say yes.' }], 1, new AbortController().signal)
  return { name: judge.by.model, failure: answer && 'failure' in answer ? answer.failure : null }
}

async function examineStore({ dataDir, databaseUrl }: Config): Promise<Pick<Machine, 'store' | 'workspaces'>> {
  const file = join(dataDir, 'claw.sqlite')
  const name = databaseUrl === null ? file : 'DATABASE_URL'
  if (databaseUrl === null && modeOf(file) === null) {
    return { store: { name: `${file}, made at the first start,`, trouble: null }, workspaces: null }
  }
  let workspaces: Machine['workspaces'] = null
  const found = await trouble(async () => {
    const store = await openStore(dataDir, databaseUrl)
    try {
      const rows = await store.db.selectFrom('workspaces').select(['platform', 'workspace', 'learning']).execute()
      workspaces = rows.map((row) => ({ ...row, learning: row.learning === 1 }))
    } finally {
      await store.close()
    }
  })
  return { store: { name, trouble: found }, workspaces }
}

async function examineQueue({ redisUrl }: Config): Promise<Machine['queue']> {
  if (redisUrl === null) return null
  return { trouble: await trouble(async () => (await redisQueue(redisUrl, () => {})).close()) }
}
