/** The history of a workload: which revisions there are, which one is meant, and what going back to it writes. */
import { annotations as annotationKeys } from '@kruise/api';
import {
  deepEqual,
  isControlledBy,
  isJsonObject,
  labelMatcherOrNothing,
  memberAt,
  type ControllerRevision,
  type JsonObject,
  type JsonPatchOperation,
  type LabelSelector,
} from '@kruise/objects';
import { listRevisions, revisionBytes } from '@kruise/pods';
import { UserError } from '../failure.ts';
import type { Untyped } from '../objects/untyped.ts';
import { alignTabs } from '../print/tab-writer.ts';

/** One entry of a history. */
export interface Revision {
  readonly number: number;
  readonly changeCause: string;
  /** The Pod template, undefined when the revision holds none. */
  readonly template: JsonObject | undefined;
  /** The ControllerRevision or ReplicaSet. */
  readonly object: Untyped;
}

const changeCauseKey = 'kubernetes.io/change-cause';
const revisionKey = 'deployment.kubernetes.io/revision';
const templateHash = 'pod-template-hash';

const causeOf = ({ metadata }: Untyped): string => {
  const cause = metadata.annotations?.[changeCauseKey] ?? '';
  return cause === '' ? '<none>' : cause;
};

const selectsOf = (workload: Untyped): ((labels: Readonly<Record<string, string>>) => boolean) => {
  const matcher = labelMatcherOrNothing(memberAt(workload, 'spec', 'selector') as LabelSelector | undefined);
  return (labels) => matcher.matches(labels);
};

/** The Pod template in the data of a ControllerRevision as it was recorded, without the directive of its patch. */
export function recordedTemplate(revision: Untyped): JsonObject | undefined {
  const template = memberAt(revision, 'data', 'spec', 'template');
  if (!isJsonObject(template)) return undefined;
  const { $patch: _directive, ...rest } = template;
  return rest;
}

/** Oldest first. @param all ControllerRevisions of the namespace */
export const revisionsOf = (workload: Untyped, all: readonly Untyped[]): readonly Revision[] =>
  listRevisions(all as unknown as readonly ControllerRevision[], { uid: workload.metadata.uid ?? '', selects: selectsOf(workload) })
    .filter((revision) => isControlledBy(revision, workload.metadata.uid ?? ''))
    .map((revision) => {
      const object = revision as unknown as Untyped;
      return { number: revision.revision, changeCause: causeOf(object), template: recordedTemplate(object), object };
    });

/** The template of a ReplicaSet as its Deployment has it. */
export function withoutHash(template: JsonObject): JsonObject {
  const { metadata } = template;
  if (!isJsonObject(metadata) || !isJsonObject(metadata['labels'])) return template;
  const { [templateHash]: _hash, ...labels } = metadata['labels'];
  return { ...template, metadata: { ...metadata, labels } };
}

/** The history of a Deployment, oldest first. @param all ReplicaSets of the namespace */
export const replicaSetRevisions = (deployment: Untyped, all: readonly Untyped[]): readonly Revision[] =>
  all
    .filter((set) => isControlledBy(set, deployment.metadata.uid ?? '') && selectsOf(deployment)(set.metadata.labels ?? {}))
    .filter((set) => Number(set.metadata.annotations?.[revisionKey] ?? 0) > 0)
    .map((object) => {
      const template = memberAt(object, 'spec', 'template');
      return {
        number: Number(object.metadata.annotations?.[revisionKey]),
        changeCause: causeOf(object),
        template: isJsonObject(template) ? withoutHash(template) : undefined,
        object,
      };
    })
    .toSorted((a, b) => a.number - b.number);

/** The table of `rollout history`. */
export const historyTable = (revisions: readonly Revision[]): string =>
  revisions.length === 0
    ? 'No rollout history found.'
    : alignTabs(`REVISION\tCHANGE-CAUSE\n${revisions.map(({ number, changeCause }) => `${number}\t${changeCause}\n`).join('')}`);

/** @throws UserError when there is no such revision */
export function revisionNumbered(revisions: readonly Revision[], number: number): Revision {
  const found = revisions.find((revision) => revision.number === number);
  if (found === undefined) throw new UserError('unable to find the specified revision');
  return found;
}

/**
 * The revision to go back to.
 *
 * @param toRevision 0: the second newest
 * @throws UserError when there is none
 */
function rollbackTarget(revisions: readonly Revision[], toRevision: number): Revision {
  if (toRevision < 0) throw new UserError(`revision must be a positive integer: ${toRevision}`);
  if (toRevision > 0) {
    const found = revisions.find((revision) => revision.number === toRevision);
    if (found === undefined) throw new UserError(`unable to find specified revision ${toRevision} in history`);
    return found;
  }
  const previous = revisions.at(-2);
  if (previous === undefined) throw new UserError('no last revision to roll back to');
  return previous;
}

const bytesOf = (template: unknown): string => revisionBytes({ data: { spec: { template } } } as unknown as ControllerRevision);

/** Whether two Pod templates are the same to a controller: quantities and defaults of both are normalised. */
const isSameTemplate = (a: unknown, b: unknown): boolean => deepEqual(a, b) || bytesOf(a) === bytesOf(b);

/** What undo does to one workload. */
export type Rollback =
  | { readonly kind: 'Skip'; readonly number: number }
  | { readonly kind: 'Patch'; readonly template: JsonObject; readonly patch: readonly JsonPatchOperation[] };

function templateIn(target: Revision): JsonObject {
  if (target.template === undefined) throw new UserError(`revision ${target.number} contains no Pod template`);
  return target.template;
}

/** The controller adds the hash of the present contents of named ConfigMaps to each revision (spec/config-rollout.md 3). */
function withoutConfigHash(template: JsonObject): JsonObject {
  const { metadata } = template;
  if (!isJsonObject(metadata) || !isJsonObject(metadata['annotations'])) return template;
  const { annotations, ...rest } = metadata;
  const { [annotationKeys.configHash]: hash, ...others } = annotations;
  if (hash === undefined) return template;
  return { ...template, metadata: Object.keys(others).length === 0 ? rest : { ...rest, annotations: others } };
}

const hasConfigHash = (workload: Untyped): boolean =>
  memberAt(workload, 'spec', 'template', 'metadata', 'annotations', annotationKeys.configHash) !== undefined;

/**
 * Restores exactly the recorded template and removes what was added since (spec/kubectl-kruise.md 2.5). A hash of ConfigMaps is restored only where the
 * template of the workload has one itself.
 */
export function planRollback(workload: Untyped, revisions: readonly Revision[], toRevision: number): Rollback {
  const target = rollbackTarget(revisions, toRevision);
  const recorded = templateIn(target);
  const template = hasConfigHash(workload) ? recorded : withoutConfigHash(recorded);
  if (isSameTemplate(memberAt(workload, 'spec', 'template'), template)) return { kind: 'Skip', number: target.number };
  return { kind: 'Patch', template, patch: [{ op: 'replace', path: '/spec/template', value: template }] };
}

const rolloutMark = 'rollouts.kruise.io/';
const keptKeys = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionKey,
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
]);
const isKept = (name: string): boolean => keptKeys.has(name) || name.includes(rolloutMark);

const pickMembers = (
  members: Readonly<Record<string, string>> | undefined,
  keep: (name: string) => boolean,
): Readonly<Record<string, string>> => Object.fromEntries(Object.entries(members ?? {}).filter(([name]) => keep(name)));

/** Whether a canary Rollout has paused the Deployment: then its newest ReplicaSet is the one before the canary. */
function isPausedByRollout(deployment: Untyped): boolean {
  const { annotations = {} } = deployment.metadata;
  const isInProgress = 'rollouts.kruise.io/in-progressing' in annotations && !('rollouts.kruise.io/deployment-strategy' in annotations);
  return memberAt(deployment, 'spec', 'paused') === true && isInProgress;
}

function deploymentTarget(deployment: Untyped, revisions: readonly Revision[], toRevision: number): Revision {
  if (toRevision !== 0 || !isPausedByRollout(deployment)) return rollbackTarget(revisions, toRevision);
  const newest = revisions.at(-1);
  if (newest === undefined) throw new UserError('no last revision to roll back to');
  return isSameTemplate(currentTemplate(deployment), newest.template) ? rollbackTarget(revisions, 0) : newest;
}

const currentTemplate = (deployment: Untyped): unknown => {
  const template = memberAt(deployment, 'spec', 'template');
  return isJsonObject(template) ? withoutHash(template) : template;
};

/** The rollback of a Deployment: template and annotations of the ReplicaSet, but for those that controllers keep on the Deployment. */
export function planDeploymentRollback(deployment: Untyped, revisions: readonly Revision[], toRevision: number): Rollback {
  if (memberAt(deployment, 'spec', 'paused') === true && !isPausedByRollout(deployment))
    throw new UserError("you cannot rollback a paused deployment; resume it first with 'kubectl-kruise rollout resume' and try again");
  const target = deploymentTarget(deployment, revisions, toRevision);
  const template = templateIn(target);
  if (isSameTemplate(currentTemplate(deployment), template)) return { kind: 'Skip', number: target.number };
  const annotations = {
    ...pickMembers(deployment.metadata.annotations, isKept),
    ...pickMembers(target.object.metadata.annotations, (name) => !isKept(name)),
  };
  return {
    kind: 'Patch',
    template,
    patch: [
      { op: 'replace', path: '/spec/template', value: template },
      { op: 'add', path: '/metadata/annotations', value: annotations },
    ],
  };
}

/** The template for `history --revision`, with the cause of the change among its annotations. */
export function templateWithCause({ template = {}, changeCause }: Revision): JsonObject {
  if (changeCause === '<none>') return template;
  const metadata = isJsonObject(template['metadata']) ? template['metadata'] : {};
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  return { ...template, metadata: { ...metadata, annotations: { ...annotations, [changeCauseKey]: changeCause } } };
}
