import { type ColumnDataType, type ColumnDefinitionBuilder, type Expression, PostgresAdapter, sql } from 'kysely'
import type { Db } from './schema.ts'

type ColumnType = ColumnDataType | Expression<unknown>
type Column = readonly [type: ColumnType, build: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder]

/** The types of column that databases name differently. Whole numbers, text and bigint are the same everywhere. */
export interface Columns {
  /** A primary key that counts up by itself. */
  readonly counter: Column
  readonly blob: ColumnType
  /** 64-bit floating point. */
  readonly real: ColumnType
}

const SQLITE: Columns = {
  counter: ['integer', (column) => column.primaryKey().autoIncrement()],
  blob: 'blob',
  real: 'real',
}

const POSTGRES: Columns = {
  counter: ['bigint', (column) => column.generatedByDefaultAsIdentity().primaryKey()],
  blob: sql`bytea`,
  real: 'double precision',
}

export function columnsOf(db: Db): Columns {
  return isPostgres(db) ? POSTGRES : SQLITE
}

export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
