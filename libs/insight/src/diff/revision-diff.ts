/** What differs between two revisions of a workload, and what each difference means for its Pods. */
import { defaultGates } from '@kruise/api';
import { isJsonObject, stringAt, type ControllerRevision, type JsonObject } from '@kruise/objects';
import {
  cloneSetRevisions,
  daemonSetRevisions,
  diffJson,
  formatJsonPath,
  planInPlaceUpdate,
  statefulSetRevisions,
  templateOf,
  type InPlaceDecision,
  type JsonChange,
  type RevisionAdapter,
} from '@kruise/pods';
import { kindOf, type AnyObject } from '../seen.ts';

/** `None`: nothing differs. `Impossible`: the policy is InPlaceOnly, and the update cannot be done in place. */
type UpdateKind = 'None' | 'InPlace' | 'Recreate' | 'Impossible';

/** One field that differs. */
export interface FieldChange {
  /** Such as `spec.containers[main].image`; elements of lists by their `name` where both sides have the same one, else by index. */
  readonly path: string;
  /** Absent when the field is added. */
  readonly before?: unknown;
  /** Absent when the field is removed. */
  readonly after?: unknown;
  /** What this change alone requires of a Pod, whatever the policy of the workload; `None` for a field that is not of the Pod template. */
  readonly update: 'None' | 'InPlace' | 'Recreate';
}

/** One side of a comparison. */
export interface ComparedRevision {
  readonly name: string;
  readonly number: number;
  /** The Pod template as recorded; of a UnitedDeployment the template of its subsets. */
  readonly template: JsonObject;
}

/** The differences of two revisions in the order of their fields. */
export interface RevisionDiff {
  readonly from: Pick<ComparedRevision, 'name' | 'number'>;
  readonly to: Pick<ComparedRevision, 'name' | 'number'>;
  readonly changes: readonly FieldChange[];
  /** What the update of a Pod does, by the policy of the workload. */
  readonly update: UpdateKind;
  /** Why it is no update in place; '' when it is one. */
  readonly why: string;
}

const adapters: Readonly<Record<string, RevisionAdapter>> = {
  'apps.kruise.io/CloneSet': cloneSetRevisions(false),
  'apps.kruise.io/StatefulSet': statefulSetRevisions,
  'apps.kruise.io/DaemonSet': daemonSetRevisions,
};

/** Returns the policy in the field of any kind and version that has one; `ReCreate` without. */
function policyOf(workload: AnyObject): string {
  const strategy = ['spec', 'updateStrategy'];
  return (
    stringAt(workload, ...strategy, 'rollingUpdate', 'podUpdatePolicy') ??
    stringAt(workload, ...strategy, 'rollingUpdate', 'rollingUpdateType') ??
    stringAt(workload, ...strategy, 'type') ??
    'ReCreate'
  );
}

const isInPlacePolicy = (policy: string): boolean => policy === 'InPlaceIfPossible' || policy === 'InPlaceOnly';

const revisionWith = (name: string, template: unknown): ControllerRevision =>
  ({ metadata: { name }, data: { spec: { template } } }) as unknown as ControllerRevision;

const nameIn = (value: unknown): string | undefined => (isJsonObject(value) ? stringAt(value, 'name') : undefined);

const childOf = (value: unknown, part: string | number | undefined): unknown =>
  typeof value === 'object' && value !== null && part !== undefined ? (value as Readonly<Record<string, unknown>>)[part] : undefined;

/** Returns the path with names in place of indexes where both sides have an element of the same name. */
function namedPath(before: unknown, after: unknown, path: JsonChange['path']): string {
  const parts: (string | number)[] = [];
  let [old, next] = [before, after];
  for (const part of path) {
    [old, next] = [childOf(old, part), childOf(next, part)];
    const name = nameIn(old);
    const isNamed = typeof part === 'number' && name !== undefined && name === nameIn(next);
    parts.push(isNamed ? `[${name}]` : part);
  }
  return formatJsonPath(parts).replaceAll('.[', '[');
}

/** Returns the value with one change made to it; an element that is removed ends its list. */
function withChange(value: unknown, [part, ...rest]: JsonChange['path'], after: unknown): unknown {
  if (part === undefined) return after;
  const child = withChange(childOf(value, part), rest, after);
  if (typeof part === 'number') {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return child === undefined ? list.slice(0, part) : [...list.slice(0, part), child, ...list.slice(part + 1)];
  }
  const { [part]: _former, ...others } = isJsonObject(value) ? value : {};
  return child === undefined ? others : { ...others, [part]: child };
}

/** The template of a subset, by its member, and the kind of the children. */
const subsetKinds: Readonly<Record<string, string>> = {
  cloneSetTemplate: 'apps.kruise.io/v1beta1/CloneSet',
  advancedStatefulSetTemplate: 'apps.kruise.io/v1beta1/StatefulSet',
  statefulSetTemplate: 'apps/v1/StatefulSet',
  deploymentTemplate: 'apps/v1/Deployment',
};

const membersOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** Returns a subset template as a workload of its own, its Pod template, and what is left. */
function splitSubset(
  template: JsonObject,
  member: string,
): { readonly child: AnyObject; readonly pod: JsonObject; readonly rest: JsonObject } {
  const type = subsetKinds[member] ?? '';
  const slash = type.lastIndexOf('/');
  const subset = membersOf(template[member]);
  const { template: pod, ...spec } = membersOf(subset['spec']);
  const child = { apiVersion: type.slice(0, slash), kind: type.slice(slash + 1), metadata: { name: '' }, spec } as unknown as AnyObject;
  return { child, pod: membersOf(pod), rest: { ...template, [member]: { ...subset, spec } } };
}

/**
 * Returns what differs between the templates of two revisions. Pod templates are normalised first, so that defaults and forms of quantities do not
 * count.
 *
 * @param workload names the kind and the update policy; kinds of Kubernetes always recreate Pods
 * @remarks Decides as the controllers do, with the default feature gates.
 * @see spec/inplace-update.md 4
 */
export function revisionDiff(workload: AnyObject, from: ComparedRevision, to: ComparedRevision): RevisionDiff {
  const member = Object.keys(subsetKinds).find((name) => Object.hasOwn(to.template, name));
  return member === undefined ? podTemplateDiff(workload, from, to) : subsetDiff(member, from, to);
}

/** Compares the Pod templates by the kind of the children, and the rest of the subset templates as it is. */
function subsetDiff(member: string, from: ComparedRevision, to: ComparedRevision): RevisionDiff {
  const [before, after] = [splitSubset(from.template, member), splitSubset(to.template, member)];
  const inner = podTemplateDiff(after.child, { ...from, template: before.pod }, { ...to, template: after.pod });
  const outer = fieldChanges(before.rest, after.rest, () => 'None');
  const prefix = `${member}.spec.template.`;
  return { ...inner, changes: [...outer, ...inner.changes.map((change) => ({ ...change, path: `${prefix}${change.path}` }))] };
}

/** @param updateFor given a change, what it alone requires of a Pod */
const fieldChanges = (before: unknown, after: unknown, updateFor: (change: JsonChange) => FieldChange['update']): readonly FieldChange[] =>
  diffJson(before, after).map((change) => ({
    path: namedPath(before, after, change.path),
    ...(change.before === undefined ? {} : { before: change.before }),
    ...(change.after === undefined ? {} : { after: change.after }),
    update: updateFor(change),
  }));

function podTemplateDiff(workload: AnyObject, from: ComparedRevision, to: ComparedRevision): RevisionDiff {
  const adapter = adapters[kindOf(workload)];
  const policy = policyOf(workload);
  const [before, after] = [from, to].map(({ name, template }) => templateOf(revisionWith(name, template)) ?? {});
  const decide = (template: unknown): InPlaceDecision =>
    adapter === undefined
      ? { kind: 'Recreate', why: `${workload.kind ?? ''} does not update Pods in place` }
      : planInPlaceUpdate(revisionWith(from.name, from.template), revisionWith(to.name, template), {
          gates: defaultGates,
          adapter,
          ignoreClaimTemplates: policy === 'InPlaceOnly',
          graceSeconds: 0,
        });
  const changes = fieldChanges(before, after, ({ path, after: value }) => decide(withChange(before, path, value)).kind);
  const sides = { from: { name: from.name, number: from.number }, to: { name: to.name, number: to.number } };
  return { ...sides, changes, ...updateOf(changes.length, decide(to.template), policy) };
}

function updateOf(count: number, decision: InPlaceDecision, policy: string): Pick<RevisionDiff, 'update' | 'why'> {
  if (count === 0) return { update: 'None', why: '' };
  if (decision.kind === 'InPlace')
    return isInPlacePolicy(policy) ? { update: 'InPlace', why: '' } : { update: 'Recreate', why: `the update policy is ${policy}` };
  return { update: policy === 'InPlaceOnly' ? 'Impossible' : 'Recreate', why: decision.why };
}
