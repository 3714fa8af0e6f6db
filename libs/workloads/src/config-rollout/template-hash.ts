/**
 * The hash of the named contents as part of a workload's template. The rules of a kind plan with a template that has it, so that another content is
 * another revision. The stored `spec` is never written. @see spec/config-rollout.md 3
 */
import { annotations } from '@kruise/api';
import { memoizedPair, memoizedWith, stringAt, type ControllerRevision, type KubeObject, type PodTemplateSpec } from '@kruise/objects';
import { revisionBytes } from '@kruise/pods';
import { configNamesOf } from './config-names.ts';

/** A workload of a kind that can name ConfigMaps and Secrets. */
export interface ConfigurableWorkload extends KubeObject {
  readonly spec: { readonly template: PodTemplateSpec };
}

/** The access to the workload and history in the snapshot of a kind. */
export interface ConfigurableKind<S, W extends ConfigurableWorkload> {
  readonly workloadOf: (snapshot: S) => W;
  /** Oldest first. */
  readonly revisionsOf: (snapshot: S) => readonly ControllerRevision[];
  readonly withWorkload: (snapshot: S, workload: W) => S;
}

const hashOf = ({ metadata }: PodTemplateSpec): string | undefined => metadata?.annotations?.[annotations.configHash];

function addHash(template: PodTemplateSpec, hash: string): PodTemplateSpec {
  const { metadata } = template;
  const held = { ...metadata, annotations: { ...metadata?.annotations, [annotations.configHash]: hash } };
  // What is remembered for templates of a store is remembered only for frozen ones.
  return Object.freeze({ ...template, metadata: held });
}

const withHash = memoizedWith<PodTemplateSpec, string, string, PodTemplateSpec>(addHash, {
  inputsOf: (hash) => hash,
  hasInputs: (hash, held) => hash === held,
  isKept: () => true,
});

/** Returns the template with the hash; the same object for the same template and hash. */
export const withConfigHash = (template: PodTemplateSpec, hash: string): PodTemplateSpec =>
  hashOf(template) === hash ? template : withHash(template, hash);

/** Read as it is stored: in every pass over any workload. */
const hashInRevision = ({ data }: ControllerRevision): string | undefined =>
  stringAt(data, 'spec', 'template', 'metadata', 'annotations', annotations.configHash);

/** Returns the hash in the latest revision, which is that of the last template that was rolled out; undefined when it has none. */
export function heldHash(revisions: readonly ControllerRevision[]): string | undefined {
  const last = revisions.at(-1);
  return last === undefined ? undefined : hashInRevision(last);
}

const isTemplateOf = memoizedPair(
  (template: PodTemplateSpec, revision: ControllerRevision): boolean =>
    revisionBytes({ ...revision, data: { spec: { template } } }) === revisionBytes(revision),
);

/** Returns whether the template differs from that of the latest revision in more than the hash, or there is no revision. */
export function changesOtherwise({ spec }: ConfigurableWorkload, revisions: readonly ControllerRevision[]): boolean {
  const last = revisions.at(-1);
  if (last === undefined) return true;
  const hash = hashInRevision(last);
  return !isTemplateOf(hash === undefined ? spec.template : withConfigHash(spec.template, hash), last);
}

/**
 * Returns the template of a workload whose named contents are not read: that of the latest revision as far as the hash is concerned, so that a missing
 * ConfigMap, a gate that is off, or an annotation that was removed restarts nothing. Without the annotation, the hash stays only while the template is
 * otherwise that of the latest revision.
 *
 * @param revisions oldest first
 */
export function heldTemplate(workload: ConfigurableWorkload, revisions: readonly ControllerRevision[]): PodTemplateSpec {
  const { template } = workload.spec;
  const last = revisions.at(-1);
  const hash = last === undefined ? undefined : hashInRevision(last);
  if (last === undefined || hash === undefined) return template;
  const held = withConfigHash(template, hash);
  if (configNamesOf(workload).kind !== 'None') return held;
  return hashOf(template) === undefined && isTemplateOf(held, last) ? held : template;
}

const withTemplate = memoizedPair((workload: ConfigurableWorkload, template: PodTemplateSpec): ConfigurableWorkload => ({
  ...workload,
  spec: { ...workload.spec, template },
}));

/** Returns the snapshot as if the workload's `spec.template` were this one; the same snapshot when it is. */
export function planningWith<S, W extends ConfigurableWorkload>(kind: ConfigurableKind<S, W>, snapshot: S, template: PodTemplateSpec): S {
  const workload = kind.workloadOf(snapshot);
  return workload.spec.template === template ? snapshot : kind.withWorkload(snapshot, withTemplate(workload, template) as W);
}

/** Returns the snapshot with the hash that the workload has, for programs that read no ConfigMaps and Secrets. */
export const withHeldConfig = <S, W extends ConfigurableWorkload>(kind: ConfigurableKind<S, W>, snapshot: S): S =>
  planningWith(kind, snapshot, heldTemplate(kind.workloadOf(snapshot), kind.revisionsOf(snapshot)));
