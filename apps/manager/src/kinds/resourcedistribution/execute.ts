/** What each action does at the API server. Every one may be repeated; no object of somebody else is ever changed. */
import { distributionReasons, type DistributionCondition } from '@kruise/api';
import { deleteExactly, isFailure, unlessGone, type Client } from '@kruise/kube';
import { messageOf, namespaces, unreachable, type KubeObject } from '@kruise/objects';
import { slimCopyOf, type Copy } from './copy.ts';
import { judgeCopy } from './judge-copy.ts';
import { changedCopy, newCopy } from './new-copy.ts';
import type { Action } from './plan.ts';
import type { Problem } from './status.ts';
import { typeOf, type Wanted } from './wanted.ts';

/** One failed call, and which condition tells of it. */
class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly condition: DistributionCondition;

  constructor(condition: DistributionCondition, cause: unknown) {
    super(messageOf(cause), { cause });
    this.condition = condition;
  }
}

const isMissingNamespace = (error: unknown, namespace: string): boolean =>
  (isFailure(error, 'NotFound') && error.details?.kind === namespaces.plural && error.details.name === namespace) ||
  (isFailure(error, 'Forbidden') && error.causes.some(({ reason }) => reason === 'NamespaceTerminating'));

/** Another one had the name first, changed it, or took it away: what is there now decides. */
const isOvertaken = (error: unknown): boolean => isFailure(error, 'AlreadyExists', 'Conflict', 'NotFound');

/** Others write now and then; one who writes all the time gets the next pass. */
const mostTries = 3;

export class Execution {
  readonly #wanted: Wanted;
  readonly #client: Client;
  readonly #wrote: (namespace: string) => void;
  /** Why namespaces are not as they should be, as far as the writes showed. */
  readonly problems: Problem[] = [];
  readonly leftovers: Problem[] = [];

  /** @param wrote is told of the namespace of each copy that was made or changed */
  constructor(wanted: Wanted, client: Client, wrote: (namespace: string) => void) {
    this.#wanted = wanted;
    this.#client = client;
    this.#wrote = wrote;
  }

  /** @throws what another try may mend; what it leaves is among the problems in any case */
  async run(action: Action, signal: AbortSignal): Promise<void> {
    const { namespace } = action;
    try {
      await this.#carryOut(action, signal);
    } catch (error) {
      const { condition, cause } = error instanceof CallFailed ? error : new CallFailed('GetResourceFailed', error);
      if (isMissingNamespace(cause, namespace)) {
        if (action.kind !== 'Delete') this.#note(namespace, 'NamespaceNotExists', distributionReasons.missing);
        return;
      }
      (action.kind === 'Delete' ? this.leftovers : this.problems).push({ namespace, condition, reason: messageOf(cause) });
      throw cause;
    }
  }

  #note(namespace: string, condition: DistributionCondition, reason: string): void {
    this.problems.push({ namespace, condition, reason });
  }

  async #carryOut(action: Action, signal: AbortSignal): Promise<void> {
    const { kind, namespace } = action;
    switch (kind) {
      case 'Create':
        return this.#distribute(namespace, undefined, signal);
      case 'Update':
        return this.#distribute(namespace, action.copy, signal);
      case 'Delete':
        return this.#remove(action.copy, signal);
      default:
        return unreachable(kind);
    }
  }

  async #remove(copy: Copy, signal: AbortSignal): Promise<void> {
    try {
      await deleteExactly(this.#client, typeOf(this.#wanted.of), copy as KubeObject, { signal });
    } catch (error) {
      // Another object has the name by now, which is not ours to delete.
      if (!isFailure(error, 'Conflict')) throw new CallFailed('DeleteResourceFailed', error);
    }
  }

  async #distribute(namespace: string, seen: Copy | undefined, signal: AbortSignal): Promise<void> {
    let copy = seen;
    for (let tries = 1; ; tries++) {
      const verdict = judgeCopy(this.#wanted, copy);
      if (verdict.kind === 'InLine') return;
      if (verdict.kind === 'Foreign') return this.#note(namespace, 'ConflictOccurred', distributionReasons.conflict);
      try {
        return await this.#write(namespace, copy, signal);
      } catch (error) {
        const condition = copy === undefined ? 'CreateResourceFailed' : 'UpdateResourceFailed';
        if (!isOvertaken(error) || isMissingNamespace(error, namespace) || tries === mostTries) throw new CallFailed(condition, error);
      }
      copy = await this.#readLive(namespace, signal);
    }
  }

  async #write(namespace: string, copy: Copy | undefined, signal: AbortSignal): Promise<void> {
    const type = typeOf(this.#wanted.of);
    if (copy === undefined) await this.#client.create(type, newCopy(this.#wanted, namespace), { signal });
    else await this.#client.update(type, changedCopy(this.#wanted, copy), { signal });
    this.#wrote(namespace);
  }

  async #readLive(namespace: string, signal: AbortSignal): Promise<Copy | undefined> {
    const { of, resource } = this.#wanted;
    try {
      const live = await unlessGone(this.#client.get(typeOf(of), { namespace, name: resource.metadata.name }, { signal }));
      return live === undefined ? undefined : slimCopyOf(of)(live);
    } catch (error) {
      throw new CallFailed('GetResourceFailed', error);
    }
  }
}
