import type { Generated, Kysely, Selectable } from 'kysely'
import type { ChatMessage, FinishReason, Note, SamplingParameters, Score, Signal, TurnState } from '../types.ts'
import type {
  ChannelTable,
  ConversationTable,
  DeliveryTable,
  Flag,
  InboxTable,
  InWorkspace,
  Json,
  MessageTable,
  MoveTable,
  OutboundTable,
  PersonTable,
  WorkspaceTable,
} from './talk-schema.ts'

/**
 * The tables, in types every dialect has: text, integers, blobs. JSON is text, flags are 0 or 1, times are
 * milliseconds since the epoch, token ids are little-endian int32 blobs and log-probabilities float32 blobs.
 */

export interface TurnTable extends InWorkspace {
  id: string
  conversation: string
  person: string
  kind: 'main' | 'side'
  state: TurnState
  /** The message that asked. */
  message: string
  /** Its words as the reply knew them. */
  asked: string
  /** When it was written; null for turns older than this column. */
  asked_at: number | null
  /** Its inbox sequence number: orders the turns of a conversation. */
  position: number
  request: Json<readonly ChatMessage[]>
  notes: Json<readonly Note[]>
  prompt_ids: Uint8Array
  response_ids: Uint8Array
  logprobs: Uint8Array
  text: string
  policy_version: number
  sampling: Json<SamplingParameters>
  finish: FinishReason
  created_at: number
  /** When its people could first read it; null until it is delivered. */
  visible_at: number | null
  /** Grows with every change of its signals. */
  evidence: number
  /** The value of `evidence` that the newest verdict has seen. */
  judged: number
}

export interface SignalTable extends InWorkspace {
  /** Made from what it is about, so the same fact always meets the same row. */
  id: string
  conversation: string
  /** Null while the reply that it names is not recorded as delivered yet. */
  turn: string | null
  /**
   * A button counts as a reaction; that it is one decides what it replaces. `cleared` is no signal: it remembers since
   * when no reaction on the message stands, all (`content` is empty) or those with one emoji.
   */
  type: Signal['type'] | 'button' | 'cleared'
  person: string
  /** The reply's message for a reaction; the person's own message for a message or an edit. */
  message: string
  content: string
  at: number
  /** The id of the event that it is known from: of two at one time, the later one. */
  event: string | null
  /** The message that a waiting one names. */
  about: string | null
  /** When its words were chosen; null for `at`. */
  worded_at: number | null
  /** 0 once withdrawn. */
  active: Flag
}

export interface VerdictTable {
  turn: string
  /** The newest counts. */
  revision: number
  score: number
  weight: number
  hint: string | null
  wish: string | null
  basis: string
  judge: string
  /** Of a language model; null where none was asked. */
  votes: Json<readonly Score[]> | null
  latency_ms: number | null
  created_at: number
}

/** A turn that the rules left open and a language model is to judge. */
export interface JudgingTable {
  turn: string
  /** The turn's `evidence` that was left open. */
  evidence: number
  /** Times that the judge has failed on it. */
  attempts: number
  /** When it may be taken up; while a judge is at it, when it counts as left behind. Null once it is given up. */
  due_at: number | null
  /** How the judge failed last: a word of the program's, never a person's. */
  failure: string | null
}

/** `withdrawn`: its verdict changed before anything was trained. */
export type SampleState = 'ready' | 'trained' | 'withdrawn'

export interface SampleTable extends InWorkspace {
  id: string
  turn: string
  /** The verdict's. */
  revision: number
  state: SampleState
  prompt_ids: Uint8Array
  response_ids: Uint8Array
  logprobs: Uint8Array
  teacher_prompt_ids: Uint8Array | null
  reward: number
  weight: number
  /** What a version has learned of this turn before, as reward × weight: learning this one takes it back. */
  learned: Generated<number>
  /** Drop of the reply's mean log-probability under the teacher, in nats a token; written by the trainer. */
  potency: number | null
  /** The version that trained it. */
  version: number | null
  /** The person whose own weights learn from it; empty for the workspace's. */
  scope: Generated<string>
  /** Whose feedback it is made of. */
  people: Generated<Json<readonly string[]>>
  /** The groups of the wishes that its teacher follows, each between commas: `,length,tone,`; empty for none. */
  groups: Generated<string>
  created_at: number
}

export interface VersionTable extends InWorkspace {
  /** Unique in the workspace, whoever's weights they are. */
  version: number
  /** The person whose own weights they are; empty for the workspace's. */
  scope: Generated<string>
  parent: number
  /** `dropped`: it had learned from what was forgotten. */
  state: 'served' | 'rejected' | 'dropped'
  reason: string | null
  directory: string
  metrics: Json<Readonly<Record<string, number>>>
  /** Samples it learned from. */
  lessons: number
  created_at: number
}

/** `retired`: the weights have learned it, so prompts need it no more. */
export type NoteState = 'active' | 'retired' | 'replaced' | 'removed'

export interface NoteTable extends InWorkspace {
  id: string
  person: string
  text: string
  wish: string | null
  /** Of several notes of one group only the newest stands. */
  group: string | null
  /** Whose feedback it came from. */
  turn: string
  state: NoteState
  /** 1: an admin made it the workspace's. */
  shared: Generated<Flag>
  /** The version whose replies were last compared with and without it; 0 for none. */
  checked: Generated<number>
  /** How many versions in a row have done without it. */
  held: Generated<number>
  /** When its words were said. */
  at: number
}

export interface AuditTable extends InWorkspace {
  seq: Generated<number>
  person: string | null
  action: string
  detail: Json<unknown>
  at: number
}

/** The right of one process to work on something alone (leases.ts). */
export interface LeaseTable {
  name: string
  holder: string
  expires_at: number
}

/** The files of versions, for the machines that did not make them; only where the database is PostgreSQL. */
export interface VersionFileTable extends InWorkspace {
  version: number
  name: string
  /** Counts the pieces of one file. */
  part: number
  data: Uint8Array
}

/** How Slack workspaces let the bot in (installations.ts). */
export interface InstallationTable {
  id: string
  /** Of a workspace that its organisation has installed the app for, which then holds no secret itself. */
  organisation: string | null
  sealed: string | null
  at: number
}

/** The last transaction of each connection that was kept (postgres.ts); only where the database is PostgreSQL. */
export interface CommitTable {
  connection: string
  number: number
  at: number
}

export interface MigrationTable {
  name: string
  at: number
}

export interface Tables {
  workspaces: WorkspaceTable
  people: PersonTable
  conversations: ConversationTable
  channels: ChannelTable
  moves: MoveTable
  inbox: InboxTable
  messages: MessageTable
  turns: TurnTable
  outbound: OutboundTable
  deliveries: DeliveryTable
  signals: SignalTable
  verdicts: VerdictTable
  judging: JudgingTable
  samples: SampleTable
  versions: VersionTable
  notes: NoteTable
  audit: AuditTable
  leases: LeaseTable
  version_files: VersionFileTable
  installations: InstallationTable
  commits: CommitTable
  migrations: MigrationTable
}

/** The database or a transaction of it: every query function takes one, so any of them compose into a transaction. */
export type Db = Kysely<Tables>

export type Row<T extends keyof Tables> = Selectable<Tables[T]>
