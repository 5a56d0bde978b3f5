/** What a platform does wrong next; each once, unless `times` says more. */
export type Fault =
  /** 429 on the next call that sends or edits. */
  | { readonly type: 'limited'; readonly seconds: number; readonly times?: number }
  /** 5xx before anything has happened. */
  | { readonly type: 'refused'; readonly times?: number }
  /** The message is there, and the answer never arrives. */
  | { readonly type: 'lost'; readonly times?: number }
  /** Answers take so long. */
  | { readonly type: 'slow'; readonly ms: number; readonly times?: number }
  /** The next event is delivered so often. */
  | { readonly type: 'duplicate'; readonly copies: number }
  /** The next events are held, and delivered in the opposite order; with 0, those that are held are delivered now. */
  | { readonly type: 'reorder'; readonly count: number }
  /** The connection for events breaks. */
  | { readonly type: 'disconnect' }
