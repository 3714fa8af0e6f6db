/** The rights that a whole move needs, so that a user who lacks one learns it before the first write. */
import type { ResourceType } from '@kruise/objects';
import type { Direction } from './observed/directions.ts';

/** One verb on one resource. */
export interface NeededRight {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

const rights = (group: string, resource: string, ...verbs: readonly string[]): readonly NeededRight[] =>
  verbs.map((verb) => ({ verb, group, resource }));

/** Returns the rights in the namespace of the source. */
export function neededRights({ from, to }: Direction, source: ResourceType, target: ResourceType): readonly NeededRight[] {
  const deletesRevisions = to === 'Deployment' || to === 'DaemonSet';
  return [
    ...rights(source.group, source.plural, 'patch', 'delete'),
    ...rights(target.group, target.plural, 'get', 'create', 'patch'),
    ...rights('', 'pods', 'list', 'patch'),
    ...rights('apps', 'controllerrevisions', 'list', ...(deletesRevisions ? ['delete'] : [])),
    ...(from === 'Deployment' ? rights('apps', 'replicasets', 'list', 'patch', 'delete') : []),
    ...(to === 'Deployment' ? rights('apps', 'replicasets', 'list', 'create', 'patch') : []),
  ];
}

/** The rights besides, for a source that owns its claims. */
export const rightsOnClaims: readonly NeededRight[] = rights('', 'persistentvolumeclaims', 'list', 'patch');
