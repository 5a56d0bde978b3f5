import { type IShardingStrategy, SimpleShardingStrategy } from 'discord.js'

type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0]

interface Shard {
  destroy(options?: object): Promise<void>
}

/** A socket of `ws`, as a shard holds it. */
interface Socket {
  on?(event: 'error', listener: () => void): void
}

/**
 * The shards of discord.js, so that none of them can end the process: what discord.js cannot make sense of, and what
 * fails of a connection that it has given up, is thrown where nobody catches it. `report` hears of it.
 */
export function guardedShards(manager: Manager, report: (error: unknown) => void): IShardingStrategy {
  const emit: (...event: unknown[]) => boolean = manager.emit.bind(manager)
  manager.emit = (...event: unknown[]) => {
    try {
      return emit(...event)
    } catch (error) {
      report(error)
      return true
    }
  }
  const strategy = new SimpleShardingStrategy(manager)
  const spawn = strategy.spawn.bind(strategy)
  strategy.spawn = async (ids) => {
    await spawn(ids)
    // They are nowhere else to be had.
    const shards: ReadonlyMap<number, Shard> = Reflect.get(strategy, 'shards')
    for (const shard of shards.values()) guard(shard, report)
  }
  return strategy
}

function guard(shard: Shard, report: (error: unknown) => void): void {
  const destroy = shard.destroy.bind(shard)
  shard.destroy = async (options) => {
    // It is left without a listener, and may still fail when it does not stand yet.
    const socket: Socket | null = Reflect.get(shard, 'connection')
    socket?.on?.('error', () => {})
    await destroy(options).catch(report)
  }
}
