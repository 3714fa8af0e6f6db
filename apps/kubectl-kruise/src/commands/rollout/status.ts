/** `rollout status`: watches one object until its rollout is complete. */
import { stringAt } from '@kruise/objects';
import type { Call } from '../../cli/command.ts';
import { UserError } from '../../failure.ts';
import { type Untyped } from '../../objects/untyped.ts';
import { workloadKindOf } from '../../objects/workload-kind.ts';
import { rolloutStatus, updatedPodsText } from '../../rollout/status-text.ts';
import { selectTargets, type Target } from '../../session/select-objects.ts';
import type { Session } from '../../session.ts';
import { watchObject } from '../../session/watch-object.ts';
import { podsOf } from '../../session/pods-of.ts';

async function detailText(session: Session, target: Target, object: Untyped): Promise<string> {
  const revision = stringAt(object, 'status', 'updateRevision') ?? '';
  return updatedPodsText(await podsOf(session, target, object, revision));
}

/** Prints the state of one object; what has been said on stderr is not said again. */
class StatusPrinter {
  readonly #session: Session;
  readonly #target: Target;
  readonly #call: Call;
  readonly #said = new Set<string>();

  constructor(session: Session, target: Target, call: Call) {
    this.#session = session;
    this.#target = target;
    this.#call = call;
  }

  /** @returns whether the rollout is complete */
  async print(object: Untyped): Promise<boolean> {
    const kind = workloadKindOf(this.#target.type);
    const { line, done, note } = rolloutStatus(kind, object, this.#call.flags.number('revision'));
    if (note !== undefined && !this.#said.has(note)) this.#session.warn(note);
    if (note !== undefined) this.#said.add(note);
    if (this.#call.flags.bool('detail') && kind === 'CloneSet')
      this.#session.out(`CloneSet ${object.metadata.name}: ${line}\n${await detailText(this.#session, this.#target, object)}`);
    else this.#session.out(`${line}\n`);
    return done;
  }
}

export async function run(call: Call, session: Session): Promise<undefined> {
  const targets = await selectTargets(call, session, call.args, { wholeKind: true });
  const [target] = targets;
  if (target === undefined || targets.length > 1)
    throw new UserError(
      `rollout status is only supported on individual resources and resource collections - ${targets.length} resources were found`,
    );
  const printer = new StatusPrinter(session, target, call);
  const { flags } = call;
  const end = await watchObject(session, target, { watch: flags.bool('watch'), timeoutMs: flags.number('timeout') }, (object) =>
    printer.print(object),
  );
  switch (end) {
    case 'Done':
    case 'NotWatched':
      return undefined;
    case 'Deleted':
      throw new UserError('object has been deleted');
    case 'TimedOut':
      throw new UserError('timed out waiting for the condition');
  }
}
