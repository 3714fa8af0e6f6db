/** Describes one state of a CloneSet and the plan for it in a few words, for the tables of this folder. */
import { cloneSetLabels, labels, type CloneSet, type Gates } from '@kruise/api';
import type { ControllerRevision, Node, PersistentVolumeClaim, Pod } from '@kruise/objects';
import type { PodShape } from '@kruise/testing';
import type { Action } from './pods/action.ts';
import { ownerReferenceTo } from './pods/new-pod.ts';
import { plan, type Plan } from './plan.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { aCloneSet, aMember, aRevision, aSnapshot, aContext, type CloneSetShape } from './testing.ts';

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

export interface Situation {
  readonly set?: CloneSetShape | undefined;
  /** By name, which is the instance id as well; without the CloneSet's name in front. */
  readonly pods?: Readonly<Record<string, MemberShape>>;
  /** How many revisions there are, with images `app:1` and so on; the template is the newest. */
  readonly revisions?: number;
  /** Number of the current revision; the newest unless said otherwise. */
  readonly current?: number;
  /** Claims by name, `<template>-<instance id>`. */
  readonly claims?: readonly string[];
  readonly gates?: Partial<Gates>;
  readonly context?: Partial<Context>;
  readonly seen?: Partial<Snapshot>;
  /** Changes the CloneSet after the builder. */
  readonly as?: (cloneSet: CloneSet) => CloneSet;
}

export interface Moment {
  readonly seen: Snapshot;
  readonly context: Context;
  readonly revisions: readonly ControllerRevision[];
}

const idOf = (name: string): string => name.slice(name.lastIndexOf('-') + 1);

const aClaim = (cloneSet: CloneSet, name: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: name.replace(/-(?=[^-]*$)/, `-${cloneSet.metadata.name}-`),
    namespace: 'default',
    uid: `uid-${name}`,
    labels: { [cloneSetLabels.instanceId]: idOf(name) },
    ownerReferences: [ownerReferenceTo(cloneSet)],
  },
});

export function momentOf(given: Situation): Moment {
  const { set = {}, pods = {}, revisions: count = 1, current = count, claims = [], as = (one: CloneSet) => one } = given;
  const plain = aCloneSet({ image: `app:${count}`, ...set });
  const revisions = Array.from({ length: count }, (_, index) => aRevision(plain, `app:${index + 1}`, index + 1));
  const currentRevision = revisions[current - 1]?.metadata.name;
  const cloneSet = as({ ...plain, status: { ...plain.status, currentRevision } as NonNullable<CloneSet['status']> });
  const members = Object.entries(pods).map(([id, { of = count, state, marked = false, with: change = (pod: Pod) => pod, ...shape }]) => {
    const carried = {
      [cloneSetLabels.instanceId]: id,
      ...(state === undefined ? {} : { [labels.lifecycleState]: state }),
      ...(marked ? { [labels.specifiedDelete]: 'true' } : {}),
    };
    const revision = revisions[of - 1] as ControllerRevision;
    return change(
      aMember(cloneSet, revision, { image: `app:${of}`, name: `sample-${id}`, ...shape, labels: { ...carried, ...shape.labels } }),
    );
  });
  const seen = { ...aSnapshot(cloneSet, members, revisions), claims: claims.map((name) => aClaim(cloneSet, name)), ...given.seen };
  return { seen, context: { ...aContext(given.gates), ...given.context }, revisions };
}

/** A revision by its number, a Pod by its instance id, a claim as the situation names it. */
const plainly =
  (revisions: readonly ControllerRevision[]) =>
  (text: string): string =>
    revisions
      .reduce((reported, { metadata }, index) => reported.replaceAll(metadata.name, `r${index + 1}`), text)
      .replaceAll('sample-', '')
      .replace(/^CreatePod \w{5}(?= )/, 'CreatePod');

const listed = (word: string, entries: readonly string[]): string => (entries.length === 0 ? '' : ` ${word} ${entries.join(', ')}`);
const namesOf = (objects: readonly { readonly metadata: { readonly name: string } }[]): readonly string[] =>
  objects.map(({ metadata }) => metadata.name);
/** Claims of Pods that are yet to be named, by their templates. */
const templatesOf = (claims: readonly PersistentVolumeClaim[]): readonly string[] =>
  namesOf(claims).map((name) => name.slice(0, name.indexOf('-')));
const pairsOf = (record: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(record).map(([key, value]) => `${key.slice(key.indexOf('/') + 1)}=${value}`);

function detailsOf(action: Action): string {
  switch (action.kind) {
    case 'CreateRevision':
      return `number ${action.attempt.revision.revision}`;
    case 'BumpRevision':
      return `${action.revision.metadata.name} to ${action.revision.revision}`;
    case 'DeleteRevision':
      return action.revision.metadata.name;
    case 'LabelRevision':
      return `${action.revision.metadata.name}${listed('with', pairsOf(action.labels))}`;
    case 'SetPodsToDelete':
      return `[${action.names.join(', ')}]`;
    case 'CreateImagePullJob':
    case 'DeleteImagePullJob':
      return action.job.metadata.name;
    case 'HandOverClaim':
    case 'DeleteClaim':
      return `${action.claim.metadata.name}${
        action.kind === 'DeleteClaim'
          ? ''
          : listed(
              'to',
              action.ownerReferences.map(({ kind, name }) => `${kind} ${name}`),
            )
      }`;
    default:
      return `${action.pod.metadata.name}${podDetailsOf(action)}`;
  }
}

function podDetailsOf(action: Extract<Action, { readonly pod: Pod }>): string {
  switch (action.kind) {
    case 'CreatePod': {
      const of = action.pod.metadata.labels?.[labels.controllerRevisionHash] ?? '';
      return ` of ${of}${listed('with', templatesOf(action.claims))}`;
    }
    case 'DeletePod':
      return listed('with', namesOf(action.claims));
    case 'ReleasePod':
      return listed('to', namesOf(action.ownerReferences.map(({ name }) => ({ metadata: { name } }))));
    case 'SetLifecycle': {
      const { to, patch, readiness } = action.transition;
      return `${patch === undefined ? '' : ` ${to}`}${readiness === undefined ? '' : ` ${readiness.kind} ${readiness.key.key}`}`;
    }
    case 'RefreshPod':
      return ` ${action.step.kind}${action.alongside === undefined ? '' : ` ${action.alongside.labels[labels.lifecycleState] ?? ''}`}`;
    case 'LabelPod':
      return listed('with', pairsOf(action.labels));
    case 'UpdatePodInPlace':
      return ` to ${action.spec.revision}${action.spec.graceSeconds === undefined ? '' : ` after ${action.spec.graceSeconds}s`}`;
    case 'UnmarkPod':
      return '';
    case 'ResizePod':
      return ` to the amounts of ${action.revision}`;
    case 'RecreatePod':
      return ` for ${action.revision}`;
  }
}

/** A plan in words; new Pods are named only when their id was not drawn; a part that is empty is absent, so that a row says all that is done and nothing more. */
export interface Reported {
  readonly revisions?: readonly string[];
  readonly groundwork?: readonly string[];
  readonly preDownload?: readonly string[];
  readonly scale?: readonly string[];
  readonly update?: readonly string[];
  readonly housekeeping?: readonly string[];
  readonly notes?: readonly string[];
  readonly failure?: string;
  readonly requeueAfter?: number;
}

const parts = ['revisions', 'groundwork', 'preDownload', 'scale', 'update', 'housekeeping'] as const;

function tellNote(note: Plan['notes'][number]): string {
  return note.kind === 'ScaleUpLimited' ? `${note.kind} to ${note.limit}` : `${note.kind} ${note.names.join(', ')}`;
}

/** Every action of every part as `Kind object details: because`, in order. */
export function report(next: Plan, revisions: readonly ControllerRevision[]): Reported {
  const plain = plainly(revisions);
  const reported = parts.flatMap((part) => {
    const lines = next[part].map((action) => plain(`${action.kind} ${detailsOf(action)}: ${action.because}`));
    return lines.length === 0 ? [] : [[part, lines] as const];
  });
  return {
    ...Object.fromEntries(reported),
    ...(next.notes.length === 0 ? {} : { notes: next.notes.map(tellNote).map(plain) }),
    ...(next.updateFailure === undefined ? {} : { failure: plain(next.updateFailure) }),
    ...(next.requeueAfter === undefined ? {} : { requeueAfter: next.requeueAfter }),
  };
}

/** What is planned in this situation. */
export function planned(given: Situation): Reported {
  const { seen, context, revisions } = momentOf(given);
  return report(plan(seen, context), revisions);
}

export const times = <T>(count: number, one: T): readonly T[] => Array.from({ length: count }, () => one);

/** A row of a table: what is there, and all that is done. */
export interface Row extends Situation {
  readonly name: string;
  readonly then: Reported;
}

export const aNode = (name: string, nodeLabels: Readonly<Record<string, string>> = {}): Node => ({
  metadata: { name, labels: nodeLabels },
});
export const nodesOf = (...nodes: readonly Node[]): Snapshot['nodes'] => new Map(nodes.map((node) => [node.metadata.name, node]));
