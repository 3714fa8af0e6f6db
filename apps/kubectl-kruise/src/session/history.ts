/** Reads the history of a workload. */
import { controllerRevisions, type ResourceType } from '@kruise/objects';
import { replicaSets } from '@kruise/workloads';
import { UserError } from '../failure.ts';
import type { Untyped } from '../objects/untyped.ts';
import { workloadKindOf } from '../objects/workload-kind.ts';
import { replicaSetRevisions, revisionsOf, type Revision } from '../rollout/revisions.ts';
import { selectorText } from './pods-of.ts';
import type { Selected } from './select-objects.ts';
import type { Session } from '../session.ts';

/** Oldest first. @throws UserError for a kind without a history */
export async function historyOf(session: Session, { type, namespace, object }: Selected): Promise<readonly Revision[]> {
  const kind = workloadKindOf(type);
  const labelSelector = selectorText(object);
  const list = async (of: ResourceType): Promise<readonly Untyped[]> => {
    if (labelSelector === undefined) return [];
    const { items } = await session.client().list(of, { namespace, labelSelector, signal: session.signal });
    return items as readonly Untyped[];
  };
  switch (kind) {
    case 'Deployment':
      return replicaSetRevisions(object, await list(replicaSets));
    case 'DaemonSet':
    case 'StatefulSet':
    case 'CloneSet':
    case 'AdvancedStatefulSet':
    case 'AdvancedDaemonSet':
    case 'UnitedDeployment':
      return revisionsOf(object, await list(controllerRevisions));
    case 'SidecarSet':
    case 'Rollout':
    case 'Other':
      throw new UserError(`no history viewer has been implemented for ${JSON.stringify(`${type.kind}.${type.group}`)}`);
  }
}
