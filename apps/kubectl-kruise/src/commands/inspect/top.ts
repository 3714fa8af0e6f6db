/** `top`: one row for each object of a kind, once or until Ctrl-C. */
import { topRows, type AnyObject, type Read, type TopRow } from '@kruise/insight';
import { isFailure } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';
import type { Call, Run } from '../../cli/command.ts';
import { serverMessage, UserError } from '../../failure.ts';
import { parseResourceArguments, type ServedType } from '../../objects/served-types.ts';
import { indented } from '../../print/print-object.ts';
import { drawTop, type TopColumns } from '../../print/draw-top.ts';
import { FramePrinter, gatherChanges } from '../../session/frame-printer.ts';
import { missingText, ObjectSet } from '../../session/object-set.ts';
import { servedType } from '../../session/select-objects.ts';
import type { Session } from '../../session.ts';

/** The metrics server measures every 15 seconds, and cannot be watched. */
const metricsPeriod = milliseconds(15_000);

interface Asked {
  readonly type: ServedType;
  /** Empty: all objects. */
  readonly names: ReadonlySet<string>;
}

async function askedOf({ args }: Call, session: Session): Promise<Asked> {
  const asked = parseResourceArguments(args);
  if (asked.kind === 'Wrong') throw new UserError(asked.message);
  const words = new Set(asked.kind === 'Whole' ? asked.words : asked.items.map(({ word }) => word));
  const [word = ''] = words;
  if (words.size !== 1) throw new UserError('name one kind, such as clonesets');
  return { type: await servedType(session, word), names: new Set(asked.kind === 'Whole' ? [] : asked.items.map(({ name }) => name)) };
}

/** What the Pods use, as last read. */
class Metrics {
  readonly #session: Session;
  readonly #namespace: string;
  items: readonly AnyObject[] = [];
  /** Why there are none; undefined when there are. */
  missing: string | undefined;

  constructor(session: Session, namespace: string) {
    this.#session = session;
    this.#namespace = namespace;
  }

  async read(): Promise<void> {
    const type = (await this.#session.types()).find(({ group, kind }) => group === 'metrics.k8s.io' && kind === 'PodMetrics');
    this.missing = 'metrics.k8s.io is not served';
    if (type === undefined) return;
    const scope = this.#namespace === '' ? {} : { namespace: this.#namespace };
    try {
      const { items } = await this.#session.client().list(type, { ...scope, signal: this.#session.signal });
      this.items = items as readonly AnyObject[];
      this.missing = undefined;
    } catch (error) {
      if (!isFailure(error, 'Forbidden', 'NotFound', 'ServerError', 'Unreachable', 'TooManyRequests')) throw error;
      this.missing = serverMessage(error);
    }
  }
}

/** What a run of `top` reads and shows. */
class Top {
  readonly #call: Call;
  readonly #session: Session;
  readonly #asked: Asked;
  readonly #set: ObjectSet;
  readonly metrics: Metrics;
  readonly #isEverywhere: boolean;

  constructor(call: Call, session: Session, asked: Asked) {
    this.#call = call;
    this.#session = session;
    this.#asked = asked;
    this.#isEverywhere = call.flags.bool('all-namespaces') || !asked.type.namespaced;
    const namespace = this.#isEverywhere ? '' : session.namespace();
    const scope = namespace === '' ? {} : { namespace };
    const selector = call.flags.text('selector');
    const own: Read = { group: asked.type.group, kind: asked.type.kind, ...scope, ...(selector === '' ? {} : { labelSelector: selector }) };
    const pods: Read = { group: '', kind: 'Pod', ...scope };
    this.#set = new ObjectSet(session, undefined, () => (asked.type.kind === 'Pod' && asked.type.group === '' ? [own] : [own, pods]));
    this.metrics = new Metrics(session, namespace);
  }

  async read(): Promise<void> {
    await Promise.all([this.#set.read(), this.metrics.read()]);
    const { group, plural } = this.#asked.type;
    const resource = group === '' ? plural : `${plural}.${group}`;
    for (const missing of this.#set.missing) {
      if (missing.resource === resource) throw new UserError(missingText(missing));
      this.#session.warn(`Warning: restarts and resource use are not complete: ${missingText(missing)}`);
    }
  }

  rows(): readonly TopRow[] {
    const { type, names } = this.#asked;
    const isOwn = (one: AnyObject): boolean => one.kind === type.kind && (one.apiVersion ?? '').startsWith(type.group);
    const { objects } = this.#set;
    return topRows({
      objects: objects.filter((one) => isOwn(one) && (names.size === 0 || names.has(one.metadata.name))),
      pods: objects.filter((one) => one.kind === 'Pod' && one.apiVersion === 'v1'),
      metrics: this.metrics.items,
    });
  }

  lines(): readonly string[] {
    const columns: TopColumns = {
      namespaces: this.#call.flags.bool('all-namespaces') && this.#asked.type.namespaced,
      use: this.metrics.missing === undefined,
    };
    const terminal = this.#session.terminal();
    return drawTop(this.rows(), columns, { columns: terminal?.columns, color: terminal?.color === true });
  }

  /** Frames on a terminal; into a pipe the lines that changed. */
  async follow(): Promise<void> {
    const { signal, out } = this.#session;
    const frames = new FramePrinter(this.#session);
    let shown = new Set<string>();
    const draw = (): void => {
      const [terminal, lines] = [this.#session.terminal(), this.lines()];
      if (terminal !== undefined) return frames.print(lines, terminal);
      for (const line of lines) if (!shown.has(line)) out(`${line}\n`);
      shown = new Set(lines);
    };
    draw();
    const ended = new AbortController();
    await gatherChanges(this.#session, draw, async (changed) => {
      try {
        await Promise.race([this.#set.follow(changed), this.#measure(changed, AbortSignal.any([signal, ended.signal]))]);
      } finally {
        ended.abort();
      }
    });
  }

  async #measure(changed: () => void, signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#session.clock.sleep(metricsPeriod, signal);
      await this.metrics.read();
      changed();
    }
  }
}

export const run: Run = async (call, session) => {
  const format = call.flags.text('output');
  if (!['', 'json'].includes(format))
    throw new UserError(`unable to match a printer suitable for the output format ${JSON.stringify(format)}, allowed formats are: json`);
  const top = new Top(call, session, await askedOf(call, session));
  await top.read();
  if (top.metrics.missing !== undefined) session.warn(`CPU and memory are not shown: ${top.metrics.missing}`);
  if (call.flags.bool('watch')) {
    await top.follow();
    return undefined;
  }
  const rows = top.rows();
  if (format === 'json') session.out(`${indented(rows)}\n`);
  else if (rows.length === 0) session.warn('No resources found');
  else
    session.out(
      top
        .lines()
        .map((line) => `${line}\n`)
        .join(''),
    );
  return undefined;
};
