/** Describes one state of a DaemonSet and the plan for it in a few words, for the tables of this folder. */
import { defaultGates, labels, type Gates, type ImagePullJob } from '@kruise/api';
import { formatTime, instant, labelMatcherOf, type ControllerRevision, type Milliseconds, type Node, type Pod } from '@kruise/objects';
import { boundByScheduler, daemonSetNaming, newRevision, nodeOf } from '@kruise/pods';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import { noneRefused } from '@kruise/workloads';
import type { Action } from './action.ts';
import { ownerReferenceTo } from './pods/new-pod.ts';
import { plan, type Plan } from './plan.ts';
import { sitesOf, type Sites } from './nodes/sites.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { aDaemonSet, aNode, type SetShape } from './testing.ts';

/** An hour after the Pods got ready. */
export const now = instant(epoch + 3_600_000);
export const ago = (seconds: number): string => formatTime(instant(now - seconds * 1000));

export interface MemberShape extends Omit<PodShape, 'name' | 'node' | 'owner'> {
  /** Number of its revision, from 1; the newest unless said otherwise; 0: it carries no hash. */
  readonly of?: number;
  /** Its lifecycle state; without the label unless said otherwise. */
  readonly state?: string;
  /** Whether the scheduler has still to bind it. */
  readonly waiting?: boolean;
  /** Seconds for which it has been ready; an hour unless said otherwise. */
  readonly readyFor?: number;
  /** Whether it has the readiness gate of updates in place; it has. */
  readonly gate?: boolean;
  /** Whether it has no controller. */
  readonly orphan?: boolean;
  /** Changes what the builder made. */
  readonly with?: (pod: Pod) => Pod;
}

/** By name: `n1` is on node n1, and so are `n1-b` and `n1-c`. */
export type Members = Readonly<Record<string, MemberShape>>;

export interface Situation {
  readonly set?: SetShape;
  /** Three, `n1` to `n3`, unless said otherwise. */
  readonly nodes?: readonly (string | Node)[];
  readonly pods?: Members;
  /** How many revisions there are, with images `app:1` and so on; the template is the newest. */
  readonly revisions?: number;
  readonly jobs?: readonly ImagePullJob[];
  readonly gates?: Partial<Gates>;
  /** Nodes of which a Pod that has failed has to stay, with the milliseconds. */
  readonly stays?: Readonly<Record<string, number>>;
  readonly context?: Partial<Context>;
  /** Changes the snapshot after the builder. */
  readonly as?: (seen: Snapshot) => Snapshot;
}

/** Of the DaemonSet of these tests, with the image `app:<number>`. */
export function aRevision(number: number, set = aDaemonSet(), image = `app:${number}`): ControllerRevision {
  const { template } = set.spec;
  const containers = [{ name: 'main', image }];
  return newRevision(
    {
      namespace: 'default',
      parent: set.metadata.name,
      owner: ownerReferenceTo(set),
      template: { ...template, spec: { ...template.spec, containers } },
      annotations: {},
      naming: daemonSetNaming,
    },
    number,
    0,
  ).revision;
}

export const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[labels.controllerRevisionHash] ?? '';

const nodeOfName = (name: string): string => name.replace(/-.*$/, '');

function labelsOf({ state, labels: more }: MemberShape, hash: string): Readonly<Record<string, string>> {
  return {
    app: 'agent',
    ...(hash === '' ? {} : { [labels.controllerRevisionHash]: hash }),
    ...(state === undefined ? {} : { [labels.lifecycleState]: state }),
    ...more,
  };
}

/** Available, and of a DaemonSet of this folder, unless the shape says otherwise. */
export function aMember(name: string, shape: MemberShape, revisions: readonly ControllerRevision[], set = aDaemonSet()): Pod {
  const { of = revisions.length, waiting = false, readyFor, gate = true, orphan = false, with: change } = shape;
  const revision = revisions[of - 1];
  const node = nodeOfName(name);
  const made = aPod({
    image: `app:${of}`,
    createdAt: epoch,
    ...shape,
    name,
    node: waiting ? '' : node,
    ...(orphan ? {} : { owner: ownerReferenceTo(set) }),
  });
  const bound = waiting ? boundByScheduler(made.spec, node) : made.spec;
  const conditions = (made.status?.conditions ?? []).map((condition) =>
    condition.type === 'Ready' && readyFor !== undefined ? { ...condition, lastTransitionTime: ago(readyFor) } : condition,
  );
  const pod: Pod = {
    ...made,
    metadata: { ...made.metadata, labels: labelsOf(shape, revision === undefined ? '' : hashOf(revision)) },
    spec: gate ? bound : { ...bound, readinessGates: [] },
    status: { ...made.status, conditions },
  };
  return change === undefined ? pod : change(pod);
}

export interface Moment {
  readonly seen: Snapshot;
  readonly context: Context;
  readonly revisions: readonly ControllerRevision[];
  /** Of the newest revision. */
  readonly hash: string;
  readonly sites: Sites;
}

const byName = (a: { readonly metadata: { readonly name: string } }, b: { readonly metadata: { readonly name: string } }): number =>
  a.metadata.name < b.metadata.name ? -1 : 1;

export function momentOf(given: Situation): Moment {
  const { set: shape = {}, nodes = ['n1', 'n2', 'n3'], pods = {}, revisions: count = 1, gates = {}, stays = {}, jobs } = given;
  const set = aDaemonSet({ image: `app:${count}`, ...shape });
  const revisions = Array.from({ length: count }, (_, index) => aRevision(index + 1, set));
  const parsed = labelMatcherOf(set.spec.selector);
  if (parsed.kind !== 'Matcher') throw new Error(parsed.why);
  const plain: Snapshot = {
    set,
    selector: parsed.matcher,
    pods: Object.entries(pods)
      .map(([name, member]) => aMember(name, member, revisions, set))
      .sort(byName),
    nodes: nodes.map((node) => (typeof node === 'string' ? aNode(node) : node)).sort(byName),
    revisions,
    heldRevisions: new Map(),
    takenNames: new Set(),
    lastDeletedFrom: () => '',
    refused: noneRefused,
    failedPodStays: (node) => (stays[node] ?? 0) as Milliseconds,
    ...(jobs === undefined ? {} : { imagePullJobs: jobs }),
  };
  const seen = given.as === undefined ? plain : given.as(plain);
  return {
    seen,
    context: { now, gates: { ...defaultGates, ...gates }, resources: 'Ignored', placedByScheduler: true, ...given.context },
    revisions,
    hash: hashOf(revisions.at(-1) ?? aRevision(1)),
    sites: sitesOf(seen.set, seen.pods, seen.nodes),
  };
}

function detailsOf(action: Action): string {
  switch (action.kind) {
    case 'CreatePod':
      return `on ${nodeOf(action.pod) ?? ''} of ${action.pod.metadata.labels?.[labels.controllerRevisionHash] ?? ''}`;
    case 'SetLifecycle':
      return `${action.pod.metadata.name} ${action.transition.to}`;
    case 'LabelPod':
      return `${action.pod.metadata.name} ${Object.values(action.labels).join()}`;
    case 'LabelRevision':
      return `${action.revision.metadata.name} ${Object.values(action.labels).join()}`;
    case 'CreateRevision':
      return action.attempt.revision.metadata.name;
    case 'BumpRevision':
      return `${action.revision.metadata.name} to ${action.revision.revision}`;
    case 'DeleteRevision':
    case 'AdoptRevision':
      return action.revision.metadata.name;
    case 'CreateImagePullJob':
    case 'DeleteImagePullJob':
      return action.job.spec.image;
    default:
      return action.pod.metadata.name;
  }
}

/** In which they are carried out. */
const stageNames = [
  'revisions',
  'groundwork',
  'preDownload',
  'creations',
  'deletions',
  'replacements',
  'upkeep',
  'update',
  'housekeeping',
] as const;

/** A text with `r1` for the first revision, whether it names it or its hash. */
export const plainly = (text: string, revisions: readonly ControllerRevision[]): string =>
  revisions.reduce(
    (reported, revision, index) =>
      reported.replaceAll(revision.metadata.name, `r${index + 1}`).replaceAll(hashOf(revision), `r${index + 1}`),
    text,
  );

/** A plan in words: what is done at the API server, in its order; what is not; and what blocks. */
export interface Planned {
  readonly does: readonly string[];
  readonly fails?: Plan['failures'];
  readonly blocked?: string;
  /** Milliseconds. */
  readonly waits?: number;
}

export const planOf = (given: Situation): Plan => {
  const { seen, context } = momentOf(given);
  return plan(seen, context);
};

export function planned(given: Situation): Planned {
  const { seen, context, revisions } = momentOf(given);
  const next = plan(seen, context);
  const does = stageNames.flatMap((stage) => next[stage].map((action) => plainly(`${action.kind} ${detailsOf(action)}`, revisions)));
  return {
    does,
    ...(Object.keys(next.failures).length === 0 ? {} : { fails: next.failures }),
    ...(next.blockedBy === undefined ? {} : { blocked: plainly(`${next.blockedBy.reason}: ${next.blockedBy.message}`, revisions) }),
    ...(next.requeueAfter === undefined ? {} : { waits: next.requeueAfter }),
  };
}

/** One Pod on each of so many nodes, `n1` and so on, alike but for `others`. */
export const onEach = (count: number, shape: MemberShape = {}, others: Members = {}): Members => ({
  ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index + 1}`, shape])),
  ...others,
});

export const nodesTo = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index + 1}`);

export const noSchedule: Node['spec'] = { taints: [{ key: 'team', value: 'blue', effect: 'NoSchedule' }] };
export const noExecute: Node['spec'] = { taints: [{ key: 'team', value: 'blue', effect: 'NoExecute' }] };
