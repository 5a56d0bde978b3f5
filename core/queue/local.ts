import type { Queue, Topic } from './queue.ts'

interface Worker {
  readonly concurrency: number
  readonly run: (key: string) => Promise<void>
}

/** The queue of a bot that is one process. */
export function localQueue(report: (error: unknown) => void): Queue {
  const workers = new Map<Topic, Worker>()
  /** By topic, in order of waking. */
  const waiting = new Map<Topic, Set<string>>()
  const running = new Map<Topic, Map<string, Promise<void>>>()
  let closing = false

  const of = <Group>(groups: Map<Topic, Group>, topic: Topic, empty: Group): Group => {
    const group = groups.get(topic) ?? empty
    groups.set(topic, group)
    return group
  }

  function next(topic: Topic): void {
    const worker = workers.get(topic)
    if (worker === undefined || closing) return
    const keys = of(waiting, topic, new Set())
    const runs = of(running, topic, new Map())
    for (const key of keys) {
      if (runs.size >= worker.concurrency) return
      if (runs.has(key)) continue
      keys.delete(key)
      const ended = worker
        .run(key)
        .catch(report)
        .finally(() => {
          runs.delete(key)
          next(topic)
        })
      runs.set(key, ended)
    }
  }

  const inHand = () => [...running.values()].flatMap((runs) => [...runs.values()])

  return {
    wake(topic, key) {
      if (closing) return
      of(waiting, topic, new Set()).add(key)
      next(topic)
    },
    work(topic, concurrency, run) {
      workers.set(topic, { concurrency, run })
      next(topic)
    },
    async idle() {
      for (let runs = inHand(); runs.length > 0; runs = inHand()) await Promise.all(runs)
    },
    async close() {
      closing = true
      await Promise.all(inHand())
    },
  }
}
