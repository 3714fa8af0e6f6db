/** `logs`: the logs of all Pods of a workload, merged; kubectl reads each of them. */
import type { AnyObject, Read } from '@kruise/insight';
import type { Call, Run } from '../../cli/command.ts';
import { Exit, UserError } from '../../failure.ts';
import { isOfRevision, streamsOf, type LogStream } from '../../logs/choose-streams.ts';
import type { Untyped } from '../../objects/untyped.ts';
import { revisionCalled } from '../../rollout/choose-revisions.ts';
import { replicaSetRevisions, revisionsOf } from '../../rollout/revisions.ts';
import { missingText, ObjectSet } from '../../session/object-set.ts';
import { selectorText } from '../../session/pods-of.ts';
import { readTarget, selectTargets, type Selected } from '../../session/select-objects.ts';
import type { Session } from '../../session.ts';

/** Runs one kubectl for each stream, at most so many at a time. */
class LogStreams {
  readonly #call: Call;
  readonly #session: Session;
  readonly #hasPrefix: boolean;
  readonly #seen = new Set<string>();
  readonly #waiting: { readonly stream: LogStream; readonly limits: readonly string[] }[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  #isFirst = true;
  #failure: Error | undefined;
  /** The worst exit code of kubectl. */
  code = 0;

  constructor(call: Call, session: Session, hasPrefix: boolean) {
    this.#call = call;
    this.#session = session;
    this.#hasPrefix = hasPrefix;
  }

  /** Aborted when kubectl cannot be run. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  get #most(): number {
    return this.#call.flags.number('max-log-requests');
  }

  /** Reads the streams that were not read before. @throws UserError when there are too many to begin with */
  join(streams: readonly LogStream[]): void {
    const added = streams.filter(({ key }) => !this.#seen.has(key));
    if (this.#isFirst && this.#call.flags.bool('follow') && added.length > this.#most)
      throw new UserError(
        `you are attempting to follow ${added.length} log streams, but maximum allowed concurrency is ${this.#most}, use --max-log-requests to increase the limit`,
      );
    for (const stream of added) this.#seen.add(stream.key);
    const limits = this.#isFirst ? this.#limits() : [];
    this.#waiting.push(...added.map((stream) => ({ stream, limits })));
    if (added.length > 0 && !this.#isFirst && this.#running.size + this.#waiting.length > this.#most)
      this.#session.warn(`Warning: ${this.#waiting.length} more logs are read when others end; --max-log-requests is ${this.#most}`);
    this.#isFirst = false;
    this.#next();
  }

  /** Resolves when every stream that was joined has ended. @throws what kept kubectl from running */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Only of what existed before: new containers are read from their beginning. */
  #limits(): readonly string[] {
    const { flags } = this.#call;
    return ['tail', 'since', 'since-time'].filter((name) => flags.given(name)).map((name) => `--${name}=${this.#textOf(name)}`);
  }

  #textOf(name: string): string {
    const { flags } = this.#call;
    return name === 'since-time' ? flags.text(name) : name === 'tail' ? String(flags.number(name)) : `${flags.number(name)}ms`;
  }

  #next(): void {
    while (this.#running.size < this.#most && !this.#stopped.signal.aborted && !this.#session.signal.aborted) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const running: Promise<void> = this.#read(next.stream, next.limits).then(() => {
        this.#running.delete(running);
        this.#next();
      });
      this.#running.add(running);
    }
  }

  async #read({ namespace, pod, container }: LogStream, limits: readonly string[]): Promise<void> {
    const { flags } = this.#call;
    const prefix = this.#hasPrefix ? `[pod/${pod}/${container}] ` : '';
    const switches = ['follow', 'timestamps', 'previous'].filter((name) => flags.bool(name)).map((name) => `--${name}`);
    const words = ['logs', pod, `--namespace=${namespace}`, `--container=${container}`, ...switches, ...limits];
    try {
      const { code } = await this.#session.kubectl(words, {
        onLine: (line) => this.#session.out(`${prefix}${line}\n`),
        signal: this.#session.signal,
      });
      this.code = Math.max(this.code, code);
    } catch (error) {
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
      this.#stopped.abort();
    }
  }
}

const revisionReads = (selected: Selected, labelSelector: string): readonly Read[] => {
  const scope = { namespace: selected.namespace, labelSelector };
  const isDeployment = selected.type.group === 'apps' && selected.type.kind === 'Deployment';
  return [{ group: 'apps', kind: isDeployment ? 'ReplicaSet' : 'ControllerRevision', ...scope }];
};

/** The Pods of a set that are of the revision that the flag names. */
function podsIn(objects: ObjectSet, word: string): readonly Untyped[] {
  const of = (kind: string): readonly Untyped[] => objects.objects.filter((one) => one.kind === kind);
  const { root } = objects;
  if (word === '' || root === undefined) return of('Pod');
  const workload = root;
  const revisions =
    root.kind === 'Deployment' ? replicaSetRevisions(workload, of('ReplicaSet')) : revisionsOf(workload, of('ControllerRevision'));
  const revision = revisionCalled(workload, revisions, word);
  return of('Pod').filter((pod) => isOfRevision(pod, revision));
}

async function readWorkload(call: Call, session: Session, selected: Selected): Promise<number> {
  const { flags } = call;
  const word = flags.text('revision');
  const labelSelector = selectorText(selected.object);
  if (labelSelector === undefined) throw new UserError(`cannot read logs of ${selected.type.kind}: it selects no Pods`);
  const pods: Read = { group: '', kind: 'Pod', namespace: selected.namespace, labelSelector };
  const reads = [pods, ...(word === '' ? [] : revisionReads(selected, labelSelector))];
  const objects = new ObjectSet(session, selected, () => reads);
  const streams = new LogStreams(call, session, flags.given('prefix') ? flags.bool('prefix') : true);
  const join = (): void => streams.join(chosenStreams(call, podsIn(objects, word)));
  await objects.read();
  const [missing] = objects.missing;
  if (missing !== undefined) throw new UserError(missingText(missing));
  join();
  if (flags.bool('follow')) {
    await objects.follow(() => unlessRefused(join), streams.stopped);
    await streams.ended();
    throw new UserError('object has been deleted');
  }
  if (podsIn(objects, word).length === 0) session.warn(`No Pods found in ${selected.namespace} namespace.`);
  await streams.ended();
  return streams.code;
}

/** While Pods are replaced, a revision or a container may be absent for a moment. */
function unlessRefused(join: () => void): void {
  try {
    join();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
}

const chosenStreams = ({ flags }: Call, pods: readonly Untyped[]): readonly LogStream[] =>
  streamsOf(pods, { container: flags.text('container'), all: flags.bool('all-containers') });

async function readPod(call: Call, session: Session, pod: AnyObject): Promise<number> {
  const streams = new LogStreams(call, session, call.flags.bool('prefix'));
  const chosen = chosenStreams(call, [pod]);
  if (chosen.length === 0) throw new UserError(`no container of Pod ${pod.metadata.name} has started`);
  streams.join(chosen);
  await streams.ended();
  return streams.code;
}

export const run: Run = async (call, session) => {
  const [target, more] = await selectTargets(call, session, call.args, { bareName: 'pods', selectorFlag: '' });
  if (target === undefined || more !== undefined) throw new UserError('name one object, such as clone/web');
  if (call.flags.number('max-log-requests') < 1) throw new UserError('--max-log-requests must be greater than 0');
  const selected = await readTarget(session, target);
  const isPod = selected.type.group === '' && selected.type.kind === 'Pod';
  const code = isPod ? await readPod(call, session, selected.object) : await readWorkload(call, session, selected);
  session.signal.throwIfAborted();
  if (code !== 0) throw new Exit(code);
  return undefined;
};
