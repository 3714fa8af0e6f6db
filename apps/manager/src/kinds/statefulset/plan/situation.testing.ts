/** Describes one state of a StatefulSet and the plan for it in a few words, for the tables of this folder. */
import { defaultGates, labels, type Gates, type StatefulSet } from '@kruise/api';
import {
  labelMatcherOf,
  type ControllerRevision,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
  type Volume,
} from '@kruise/objects';
import { newRevision } from '@kruise/pods';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import { refusedFor } from '../../../workloads/refusals/refused-objects.testing.ts';
import {
  type Action,
  claimVolumesOf,
  identityOf,
  ownerReferenceTo,
  plan,
  type Plan,
  type Context,
  type Snapshot,
} from '@kruise/kinds/statefulset';
import { aClaimTemplate, aStatefulSet, type SetShape } from '@kruise/kinds/statefulset/testing';

export interface MemberShape extends PodShape {
  /** Number of its revision, from 1; the newest unless said otherwise. */
  readonly of?: number;
  /** Its lifecycle state; Normal unless said otherwise. */
  readonly state?: string;
  /** Whether it carries the label that requests its deletion. */
  readonly marked?: boolean;
  /** Changes what the builder made. */
  readonly with?: (pod: Pod) => Pod;
}

interface ClaimShape {
  readonly asks?: string;
  readonly has?: string;
  readonly going?: boolean;
  /** Its StorageClass; fast unless said otherwise. */
  readonly of?: string;
  /** Types of conditions that are True. */
  readonly conditions?: readonly string[];
  readonly owners?: PersistentVolumeClaim['metadata']['ownerReferences'];
}

export interface Situation {
  readonly set?: SetShape;
  /** By ordinal. */
  readonly pods?: Readonly<Record<number, MemberShape>>;
  /** How many revisions there are, with images `app:1` and so on; the template is the newest. */
  readonly revisions?: number;
  /** Number of the current revision; the newest unless said otherwise. */
  readonly current?: number;
  /** Those of template `data`, by ordinal. */
  readonly claims?: Readonly<Record<number, ClaimShape>>;
  readonly classes?: readonly StorageClass[];
  readonly gates?: Partial<Gates>;
  /** Names of Pods whose creation or update was refused in the last pass. */
  readonly refused?: readonly string[];
  /** Pods of the namespace that others control. */
  readonly others?: readonly Pod[];
  /** Changes the StatefulSet after the builder. */
  readonly as?: (set: StatefulSet) => StatefulSet;
}

const aRevision = (set: StatefulSet, number: number): ControllerRevision => {
  const spec = { ...set.spec.template.spec, containers: [{ name: 'main', image: `app:${number}` }] };
  const template = { ...set.spec.template, spec: spec as NonNullable<StatefulSet['spec']['template']['spec']> };
  return newRevision({ namespace: 'default', parent: 'web', owner: ownerReferenceTo(set), template, annotations: {} }, number, 0).revision;
};

function aMember(set: StatefulSet, ordinal: number, revisions: readonly ControllerRevision[], shape: MemberShape): Pod {
  const { of = revisions.length, state = 'Normal', marked = false, with: change = (pod: Pod) => pod, ...more } = shape;
  const name = `web-${ordinal}`;
  const carried = {
    app: 'web',
    [labels.controllerRevisionHash]: revisions[of - 1]?.metadata.name ?? '',
    ...identityOf(name, ordinal, defaultGates),
    [labels.lifecycleState]: state,
    ...(marked ? { [labels.specifiedDelete]: 'true' } : {}),
  };
  const pod = aPod({
    name,
    image: `app:${of}`,
    owner: ownerReferenceTo(set),
    createdAt: epoch,
    ...more,
    labels: { ...carried, ...more.labels },
  });
  const volumes: readonly Volume[] = claimVolumesOf(set, ordinal);
  const opened = { type: 'InPlaceUpdateReady', status: 'True' } as const;
  return change({
    ...pod,
    spec: { ...pod.spec, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }], ...(volumes.length === 0 ? {} : { volumes }) },
    status: { ...pod.status, conditions: [...(pod.status?.conditions ?? []), opened] },
  });
}

function aClaim(
  ordinal: number,
  { asks = '1Gi', has = asks, going = false, of = 'fast', conditions = [], owners }: ClaimShape,
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `data-web-${ordinal}`,
      namespace: 'default',
      uid: `claim-${ordinal}`,
      ...(owners === undefined ? {} : { ownerReferences: owners }),
      ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: of, resources: { requests: { storage: asks } } },
    status: { phase: 'Bound', capacity: { storage: has }, conditions: conditions.map((type) => ({ type, status: 'True' })) },
  };
}

export interface Moment {
  readonly seen: Snapshot;
  readonly context: Context;
  readonly revisions: readonly ControllerRevision[];
}

export function momentOf(given: Situation): Moment {
  const {
    set: shape = {},
    pods = {},
    revisions: count = 1,
    current = count,
    claims = {},
    classes = [],
    gates = {},
    others = [],
    refused = [],
  } = given;
  const plain = aStatefulSet({ image: `app:${count}`, ...shape });
  const revisions = Array.from({ length: count }, (_, index) => aRevision(plain, index + 1));
  const status = { ...plain.status, currentRevision: revisions[current - 1]?.metadata.name } as NonNullable<StatefulSet['status']>;
  const set = (given.as ?? ((one: StatefulSet) => one))({ ...plain, status });
  const members = Object.entries(pods).map(([ordinal, member]) => aMember(set, Number(ordinal), revisions, member));
  const parsed = labelMatcherOf(set.spec.selector);
  if (parsed.kind !== 'Matcher') throw new Error(parsed.why);
  const held = Object.entries(claims).map(([ordinal, claim]) => aClaim(Number(ordinal), claim));
  return {
    seen: {
      set,
      selector: parsed.matcher,
      pods: members,
      podNamed: new Map([...others, ...members].map((pod) => [pod.metadata.name, pod])),
      claims: new Map(held.map((claim) => [claim.metadata.name, claim])),
      revisions,
      heldRevisions: new Map(),
      classes: new Map(classes.map((one) => [one.metadata.name, one])),
      nodes: new Map(),
    },
    context: {
      now: (epoch + 3_600_000) as Context['now'],
      refused: refusedFor(...refused),
      gates: { ...defaultGates, ...gates },
      resources: 'Ignored',
    },
    revisions,
  };
}

const ownersOf = (owners: readonly { readonly kind: string; readonly name: string }[]): string =>
  owners.length === 0 ? 'nobody' : owners.map(({ kind, name }) => `${kind} ${name}`).join(', ');

function detailsOf(action: Action): string {
  switch (action.kind) {
    case 'CreatePod': {
      const claims = action.claims.map(({ metadata }) => metadata.name);
      const of = action.pod.metadata.labels?.[labels.controllerRevisionHash] ?? '';
      return `${action.pod.metadata.name} of ${of}${claims.length === 0 ? '' : ` with ${claims.join(', ')}`}`;
    }
    case 'CreateClaims':
      return action.claims.map(({ metadata }) => metadata.name).join(', ');
    case 'SetClaimOwners':
      return `${action.claim.metadata.name} to ${ownersOf(action.ownerReferences)}`;
    case 'ResizeClaim':
      return `${action.claim.metadata.name} to ${action.resources?.requests?.['storage'] ?? ''}`;
    case 'SetLifecycle':
      return `${action.pod.metadata.name} ${action.transition.to}`;
    case 'CreateRevision':
    case 'BumpRevision':
    case 'DeleteRevision':
    case 'LabelRevision':
    case 'AdoptRevision':
    case 'CreateImagePullJob':
    case 'DeleteImagePullJob':
      return '';
    default:
      return action.pod.metadata.name;
  }
}

const stageNames = [
  'revisions',
  'groundwork',
  'preDownload',
  'claimOwners',
  'upkeep',
  'slots',
  'deletions',
  'update',
  'housekeeping',
] as const;

/** A plan in words: what is done at the API server, in its order; what is not; and what blocks. */
export interface Planned {
  readonly does: readonly string[];
  readonly fails?: Plan['failures'];
  readonly blocked?: string;
  /** Milliseconds. */
  readonly waits?: number;
}

export function planned(given: Situation): Planned {
  const { seen, context, revisions } = momentOf(given);
  const next = plan(seen, context);
  const plainly = (text: string): string =>
    revisions.reduce((reported, { metadata }, index) => reported.replaceAll(metadata.name, `r${index + 1}`), text);
  const does = stageNames.flatMap((stage) => next[stage].map((action) => plainly(`${action.kind} ${detailsOf(action)}`.trim())));
  return {
    does,
    ...(Object.keys(next.failures).length === 0 ? {} : { fails: next.failures }),
    ...(next.blockedBy === undefined ? {} : { blocked: `${next.blockedBy.reason}: ${next.blockedBy.message}` }),
    ...(next.requeueAfter === undefined ? {} : { waits: next.requeueAfter }),
  };
}

/** The status that the plan would write. */
export const statusOf = (given: Situation): Plan['status'] => {
  const { seen, context } = momentOf(given);
  return plan(seen, context).status;
};

/** A situation beside what is planned in it. */
export interface Row {
  readonly name: string;
  readonly given: Situation;
  readonly then: Planned;
}

export const unready: MemberShape = { ready: false };
export const waitsFor = (ordinal: number): string => `NotReady: Pod web-${ordinal} is not ready`;

/** What of a plan a row is about. */
export const doing = (...does: readonly string[]): Planned => ({ does });

export const all = (count: number, shape: MemberShape = {}): Record<number, MemberShape> =>
  Object.fromEntries(Array.from({ length: count }, (_, ordinal) => [ordinal, shape]));

export const parallel = { parallel: true } as const;
export const rolling = (rollingUpdate: NonNullable<SetShape['rollingUpdate']>) => ({ rollingUpdate });
export const data = { claims: [aClaimTemplate('data')] };
/** The hooks of a StatefulSet, and Pods that they hold. */
export const held = { lifecycle: { preDelete: { labelsHandler: { hold: 'yes' } }, inPlaceUpdate: { labelsHandler: { hold: 'yes' } } } };
export const hooked = { labels: { hold: 'yes' } };

/** As a Pod that was made before its StatefulSet had claim templates. */
export function withoutVolumes(pod: Pod): Pod {
  const { volumes: _gone, ...spec } = pod.spec;
  return { ...pod, spec };
}
