import type { PolicyRef, Sample, Score, Turn } from '../types.ts'
import type { Row } from './schema.ts'
import type { Json } from './talk-schema.ts'

export function toJson<T>(value: T): Json<T> {
  return JSON.stringify(value)
}

export function fromJson<T>(text: Json<T>): T {
  return JSON.parse(text) as T
}

/** Token ids as a little-endian int32 blob. */
export function packIds(ids: readonly number[]): Uint8Array {
  return Buffer.from(Int32Array.from(ids).buffer)
}

export function unpackIds(blob: Uint8Array): number[] {
  return [...new Int32Array(aligned(blob))]
}

/** Log-probabilities as a little-endian float32 blob. */
export function packFloats(values: Float32Array): Uint8Array {
  return Buffer.from(values.slice().buffer)
}

export function unpackFloats(blob: Uint8Array): Float32Array {
  return new Float32Array(aligned(blob))
}

/** A copy, because a driver's blob may start at any byte of its pool. */
function aligned(blob: Uint8Array): ArrayBuffer {
  return new Uint8Array(blob).buffer
}

export function turnOf(row: Row<'turns'>): Turn {
  return {
    platform: row.platform,
    workspace: row.workspace,
    id: row.id,
    conversation: row.conversation,
    person: row.person,
    kind: row.kind,
    state: row.state,
    request: fromJson(row.request),
    notes: fromJson(row.notes),
    promptIds: unpackIds(row.prompt_ids),
    responseIds: unpackIds(row.response_ids),
    logprobs: unpackFloats(row.logprobs),
    text: row.text,
    policyVersion: row.policy_version,
    sampling: fromJson(row.sampling),
    finish: row.finish,
    createdAt: row.created_at,
  }
}

export function sampleOf(row: Row<'samples'>): Sample {
  return {
    id: row.id,
    turn: row.turn,
    promptIds: unpackIds(row.prompt_ids),
    responseIds: unpackIds(row.response_ids),
    logprobs: unpackFloats(row.logprobs),
    teacherPromptIds: row.teacher_prompt_ids === null ? null : unpackIds(row.teacher_prompt_ids),
    reward: row.reward as Score,
    weight: row.weight,
    learned: row.learned,
  }
}

/** Whose weights a row is about. */
export function policyRef(row: Pick<Row<'versions'>, 'platform' | 'workspace' | 'scope'>): PolicyRef {
  const { platform, workspace, scope } = row
  return scope === '' ? { platform, workspace } : { platform, workspace, scope }
}
