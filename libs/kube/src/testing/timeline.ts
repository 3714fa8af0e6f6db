/**
 * The external effects of a process as text: one entry for each write, call and event, in order and with their time. People review it, and a golden
 * file keeps it.
 */
import { canonicalJson, createJsonPatch, type KubeObject } from '@kruise/objects';
import type { Clock } from '../clock.ts';
import type { FakeApi, FakeWrite } from './fake-api.ts';

/** What the server numbers by itself. It says nothing about the write, and would make every record depend on all that came before. */
const numbering = ['apiVersion', 'kind', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'];

function withoutNumbering({ apiVersion: _version, kind: _kind, ...rest }: KubeObject): object {
  const metadata = Object.entries(rest.metadata).filter(([name]) => !numbering.includes(name));
  return { ...rest, metadata: Object.fromEntries(metadata) };
}

const empty = { metadata: {} };

/** Returns the change as operations of a JSON patch. The operations on a new object are its fields. */
function effectOf({ before, after }: FakeWrite): readonly string[] {
  if (after === undefined) return [];
  const operations = createJsonPatch(before === undefined ? empty : withoutNumbering(before), withoutNumbering(after));
  return operations.map((operation) =>
    [operation.op, operation.path, ...('value' in operation ? [canonicalJson(operation.value)] : [])].join(' '),
  );
}

/** Returns a write as `verb Kind[/subresource] [namespace/]name[: refusal]`. */
export function headOf({ call, before, after, refused }: FakeWrite): string {
  const { name, namespace = '' } = (after ?? before)?.metadata ?? call.key;
  const kind = `${call.type?.kind ?? ''}${call.subresource === '' ? '' : `/${call.subresource}`}`;
  const ending = refused === undefined ? '' : `: ${refused.failure.kind}`;
  return `${call.verb} ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}${ending}`;
}

/** What happened in a test, line by line, for comparison with a golden file. */
/** Collects what its listeners report. {@link Timeline.text} is what a golden file keeps. */
export class Timeline {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #start: number;
  /** Effects of writes are computed when the text is requested: most runs of a search never request it. */
  readonly #entries: { readonly head: string; readonly details: () => readonly string[] }[] = [];

  /** Times are counted from the creation on. */
  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  /** Records that something happened now. */
  record(what: string, details: readonly string[] = []): void {
    this.#add(what, () => details);
  }

  /** Records an action from outside, by a user or on the surroundings. */
  note(what: string): void {
    this.#entries.push({ head: `--- ${what}`, details: () => [] });
  }

  /** Records every write of every connection, with what it changed. */
  recordWrites(api: FakeApi): void {
    api.onWrite((write) => this.#add(headOf(write), () => effectOf(write)));
  }

  #add(what: string, details: () => readonly string[]): void {
    const seconds = ((this.#clock.now() - this.#start) / 1000).toFixed(1).padStart(6);
    this.#entries.push({ head: `${seconds}s ${what}`, details });
  }

  /** Everything so far, a line for each entry and for each of its details. */
  get text(): string {
    const lines = this.#entries.flatMap(({ head, details }) => [head, ...details().map((detail) => `          ${detail}`)]);
    return `${lines.join('\n')}\n`;
  }
}
