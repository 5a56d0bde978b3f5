import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alive, type Place } from '../adapters/playground/remote.ts'

/** What tells programs of the same owner where the running server is. */
const placeFile = (dataDir: string): string => join(dataDir, 'server.json')

export function writePlace(dataDir: string, place: Place): void {
  const file = placeFile(dataDir)
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, JSON.stringify(place), { mode: 0o600 })
  renameSync(aside, file)
}

/** Does nothing where another server has written it since, or before. */
export function forgetPlace(dataDir: string, { token }: Pick<Place, 'token'>): void {
  if (readPlace(dataDir)?.token === token) rmSync(placeFile(dataDir), { force: true })
}

/** The server that works in this data folder, if it is alive: a killed one leaves its file behind. */
export async function findServer(dataDir: string): Promise<Place | null> {
  const place = readPlace(dataDir)
  return place !== null && (await alive(place)) ? place : null
}

function readPlace(dataDir: string): Place | null {
  try {
    return JSON.parse(readFileSync(placeFile(dataDir), 'utf8')) as Place
  } catch {
    return null
  }
}
