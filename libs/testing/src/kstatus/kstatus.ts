/**
 * What kstatus says of an object whose kind it does not know, by its documented rules (`pkg/kstatus` of sigs.k8s.io/cli-utils). Flux, `kpt` and
 * `cli-utils` wait while an object is `InProgress`. Pure.
 */
export type Kstatus = 'InProgress' | 'Failed' | 'Current' | 'Terminating';

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown, path: string): Members => {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${path} is not an object`);
  return value as Members;
};

const optional = (members: Members, name: string, type: 'string' | 'number'): unknown => {
  const value = members[name];
  if (value !== undefined && typeof value !== type) throw new TypeError(`${name} is not a ${type}`);
  return value;
};

function conditionsOf(status: Members): readonly Members[] {
  const conditions = status['conditions'] ?? [];
  if (!Array.isArray(conditions)) throw new TypeError('status.conditions is not a list');
  return conditions.map((condition) => {
    const members = membersOf(condition, 'a condition');
    for (const name of ['type', 'status', 'reason', 'message']) optional(members, name, 'string');
    return members;
  });
}

/**
 * Reads the deletion first, then the generation, then the first of `Reconciling` and `Stalled` that is true, and at last `Ready`. An object without `status.observedGeneration`
 * counts as observed.
 *
 * @throws TypeError when a member has another type than kstatus accepts: it reports an error instead of a verdict
 */
export function kstatusOf(object: { readonly metadata: object; readonly status?: unknown }): Kstatus {
  const metadata = membersOf(object.metadata, 'metadata');
  const status = membersOf(object.status, 'status');
  if ((optional(metadata, 'deletionTimestamp', 'string') ?? '') !== '') return 'Terminating';
  const generation = optional(metadata, 'generation', 'number');
  const observed = optional(status, 'observedGeneration', 'number');
  if (generation !== undefined && observed !== undefined && observed !== generation) return 'InProgress';
  const conditions = conditionsOf(status);
  for (const { type, status: is } of conditions) {
    if (type === 'Reconciling' && is === 'True') return 'InProgress';
    if (type === 'Stalled' && is === 'True') return 'Failed';
  }
  const isReady = conditions.find(({ type }) => type === 'Ready')?.['status'];
  return isReady === 'False' || isReady === 'Unknown' ? 'InProgress' : 'Current';
}
