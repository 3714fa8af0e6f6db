/** What `set selector` and `set subject` change. */
import { objectsAt, parseSelectorText, type JsonObject, type JsonPatchOperation } from '@kruise/objects';
import { UserError } from '../failure.ts';
import { type Untyped } from '../objects/untyped.ts';

/** The selector of a Service as labels. @throws UserError for another kind of object or expression */
export function selectorPatch(object: Untyped, expression: string, resourceVersion: string): readonly JsonPatchOperation[] {
  if (object.kind !== 'Service' || object.apiVersion !== 'v1') throw new UserError('setting a selector is only supported for Services');
  const parsed = parseSelectorText(expression);
  if (parsed.kind !== 'Matcher') throw new UserError(`invalid selector ${JSON.stringify(expression)}: ${parsed.why}`);
  const { requirements } = parsed.matcher;
  const odd = requirements.find(({ operator, values }) => !['Equals', 'In'].includes(operator) || values.length !== 1);
  if (odd !== undefined) throw new UserError('the selector of a Service accepts only key=value');
  const selector = Object.fromEntries(requirements.map(({ key, values }) => [key, values[0] ?? '']));
  const test = resourceVersion === '' ? [] : [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion } as const];
  return [...test, { op: 'add', path: '/spec/selector', value: selector }];
}

/** The subjects that the flags of `set subject` name. */
export function parseSubjects(flags: {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly accounts: readonly string[];
}): readonly JsonObject[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const accounts = flags.accounts.map((text) => {
    const [namespace = '', name = '', ...more] = text.split(':');
    if (namespace === '' || name === '' || more.length > 0) throw new UserError('serviceaccount must be <namespace>:<name>');
    return { kind: 'ServiceAccount', name, namespace };
  });
  const subjects = [
    ...flags.users.map((name) => ({ kind: 'User', apiGroup, name })),
    ...flags.groups.map((name) => ({ kind: 'Group', apiGroup, name })),
    ...accounts,
  ];
  if (subjects.length === 0) throw new UserError('you must specify at least one value of user, group or serviceaccount');
  return subjects;
}

const isSameSubject = (a: JsonObject, b: JsonObject): boolean =>
  a['kind'] === b['kind'] && a['name'] === b['name'] && (a['namespace'] ?? '') === (b['namespace'] ?? '');

/** The binding with the subjects that it lacks. @throws UserError for another kind */
export function withSubjects(object: Untyped, subjects: readonly JsonObject[]): Untyped {
  if (object.kind !== 'RoleBinding' && object.kind !== 'ClusterRoleBinding')
    throw new UserError('setting subjects is only supported for RoleBinding/ClusterRoleBinding');
  const held = objectsAt(object, 'subjects');
  const missing = subjects.filter((subject) => !held.some((one) => isSameSubject(one, subject)));
  return missing.length === 0 ? object : { ...object, subjects: [...held, ...missing] };
}
