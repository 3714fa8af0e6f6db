/** What the fault proxy does to which requests. */

/** The requests that a rule matches; every given member must match. */
export interface RequestMatch {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Against the path without the query: equal to the text, or found by the expression. */
  readonly path?: string | RegExp;
  /** True: watches only; false: everything else. */
  readonly watch?: boolean;
  /** Part of the User-Agent. */
  readonly userAgent?: string;
}

/** What happens to one watch event: `break` cuts the stream off, `end` ends it properly, both without sending the event. */
type WatchEdit = 'pass' | 'drop' | 'duplicate' | 'break' | 'end' | { readonly delayMs: number } | { readonly replace: unknown };

/** The fields of a watch event that rules read. */
export interface WatchedEvent {
  readonly type: string;
  readonly object: { readonly metadata?: { readonly name?: string; readonly resourceVersion?: string } };
}

/** What happens to a request that a rule matches. */
export type Fault =
  /** Passed on after a delay. */
  | { readonly kind: 'Delay'; readonly delayMs: number }
  /** Never answered and never passed on. */
  | { readonly kind: 'Hang' }
  /** The client's connection breaks; the server never sees the request. */
  | { readonly kind: 'DropConnection' }
  /** The stream is reset; the server never sees the request. `refused` reports that to the client (REFUSED_STREAM). */
  | { readonly kind: 'ResetBefore'; readonly refused?: boolean }
  /** The server carries the request out; the stream is reset instead of an answer. */
  | { readonly kind: 'ResetAfterCommit' }
  /** The server carries the request out; the client's connection breaks instead of an answer. */
  | { readonly kind: 'DropAfterCommit' }
  /** The answer's head and the first `bytes` of its body are sent, then the stream is reset. */
  | { readonly kind: 'Truncate'; readonly bytes: number }
  /** Answered by the proxy; the server never sees the request. A Status is created from `reason` and `message` unless there is a `body`. */
  | {
      readonly kind: 'Answer';
      readonly status: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
      readonly body?: string;
      readonly contentType?: string;
    }
  /** Reads are answered as of the first matching request: that one is passed on and its answer kept; later ones get the same answer. */
  | { readonly kind: 'Stale' }
  /** Called for each event of a watch, `index` from 0. */
  | { readonly kind: 'WatchEvents'; readonly edit: (event: WatchedEvent, index: number) => WatchEdit };

/** A fault for the matching requests, from the first after `skip` on, `times` times. */
export interface FaultRule {
  readonly match: RequestMatch;
  readonly fault: Fault;
  /** Lets this many matching requests pass first; default 0. */
  readonly skip?: number;
  /** Then applies to this many; default 1, `Infinity` for all. */
  readonly times?: number;
}

/** One request as the proxy sees it. */
export interface SeenRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly watch: boolean;
  readonly userAgent: string;
}

const pathOf = (request: SeenRequest): string => request.path.split('?', 1)[0] ?? '';

export function matches(match: RequestMatch, request: SeenRequest): boolean {
  const path = pathOf(request);
  const fitsPath = match.path === undefined || (typeof match.path === 'string' ? match.path === path : match.path.test(path));
  return (
    fitsPath &&
    (match.method === undefined || match.method === request.method) &&
    (match.watch === undefined || match.watch === request.watch) &&
    (match.userAgent === undefined || request.userAgent.includes(match.userAgent))
  );
}

export interface ActiveRule {
  readonly rule: FaultRule;
  /** Answers kept for `Stale`, by path with query. */
  readonly kept: Map<string, KeptAnswer>;
}

interface KeptAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** The active rules, in the order in which they were added. The first that matches a request and is not used up counts. */
export class RuleSet {
  #entries: (ActiveRule & { seen: number })[] = [];

  /** Adds a rule. @returns a function that removes it */
  add(rule: FaultRule): () => void {
    const entry = { rule, kept: new Map<string, KeptAnswer>(), seen: 0 };
    this.#entries.push(entry);
    return () => {
      this.#entries = this.#entries.filter((other) => other !== entry);
    };
  }

  clear(): void {
    this.#entries = [];
  }

  /** Returns the rule that applies to `request`, and counts the request for every rule that it matches up to there. */
  take(request: SeenRequest): ActiveRule | undefined {
    for (const entry of this.#entries) {
      if (!matches(entry.rule.match, request)) continue;
      const { skip = 0, times = 1 } = entry.rule;
      const nth = entry.seen++;
      if (nth >= skip && nth < skip + times) return entry;
    }
    return undefined;
  }
}
