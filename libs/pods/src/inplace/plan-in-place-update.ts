/** Decides whether a Pod of one revision can be updated to another without being recreated, and what changes. @see spec/inplace-update.md 4 */
import type { Gates } from '@kruise/api';
import type { ControllerRevision, PodTemplateSpec, ResourceRequirements, TemplateMeta } from '@kruise/objects';
import { canonicalQuantity } from '@kruise/objects';
import { hasSameClaimTemplates } from '../revision/claim-template-hash.ts';
import { type RevisionAdapter, revisionId } from '../revision/revision-adapter.ts';
import { templateOf } from '../revision/template-data.ts';
import { metadataEnvs } from './metadata/env-from-metadata.ts';
import { type JsonChange, diffJson, formatJsonPath } from './json-diff.ts';
import { metadataPatchBetween } from './metadata/metadata-patch.ts';
import { qosClassOf } from './qos-class.ts';
import { type RefMetadata, type UpdateSpec, omitUndefined } from './spec/update-spec.ts';

/** Feature gates that the decision depends on. */
export type InPlaceGates = Pick<
  Gates,
  'InPlaceUpdateEnvFromMetadata' | 'InPlaceWorkloadVerticalScaling' | 'RecreatePodWhenChangeVCTInCloneSetGate'
>;

/** The input of the decision besides the two revisions. */
export interface InPlaceOptions {
  readonly gates: InPlaceGates;
  readonly adapter: RevisionAdapter;
  /** Whether a change of the volumeClaimTemplates is ignored (policy InPlaceOnly). */
  readonly ignoreClaimTemplates: boolean;
  /** `inPlaceUpdateStrategy.gracePeriodSeconds`, 0 when absent. */
  readonly graceSeconds: number;
}

/** The changes in place, or the reason why the Pod must be recreated. */
export type InPlaceDecision = { readonly kind: 'InPlace'; readonly spec: UpdateSpec } | { readonly kind: 'Recreate'; readonly why: string };

type Gathered<T> = Readonly<Record<string, T>>;
interface ContainerChanges {
  readonly images: Gathered<string>;
  readonly resources: Gathered<ResourceRequirements>;
}
type ContainerChange =
  | { readonly kind: 'Image'; readonly container: string; readonly image: string }
  | {
      readonly kind: 'Resource';
      readonly container: string;
      readonly list: 'limits' | 'requests';
      readonly name: 'cpu' | 'memory';
      readonly quantity: string;
    }
  | { readonly kind: 'No'; readonly why: string };

const recreate = (why: string): { readonly kind: 'Recreate'; readonly why: string } => ({ kind: 'Recreate', why });

function resourceChange(container: string, change: JsonChange): ContainerChange | undefined {
  const [, , , resources, list, name, ...rest] = change.path;
  if (resources !== 'resources' || rest.length > 0) return undefined;
  if ((list !== 'limits' && list !== 'requests') || (name !== 'cpu' && name !== 'memory')) return undefined;
  const quantity = canonicalQuantity(change.after);
  const wasQuantity = canonicalQuantity(change.before) !== undefined;
  return quantity === undefined || !wasQuantity ? undefined : { kind: 'Resource', container, list, name, quantity };
}

/** Returns what one difference under `spec` requires. */
function containerChange(change: JsonChange, before: PodTemplateSpec, gates: InPlaceGates): ContainerChange {
  const [spec, containers, index, member] = change.path;
  const no: ContainerChange = { kind: 'No', why: `${formatJsonPath(change.path)} differs` };
  if (spec !== 'spec' || containers !== 'containers' || typeof index !== 'number') return no;
  const container = before.spec?.containers[index]?.name;
  if (container === undefined) return no;
  if (member === 'image' && typeof change.before === 'string' && typeof change.after === 'string') {
    return { kind: 'Image', container, image: change.after };
  }
  return (gates.InPlaceWorkloadVerticalScaling ? resourceChange(container, change) : undefined) ?? no;
}

function gather(changes: readonly ContainerChange[]): ContainerChanges {
  const images: Record<string, string> = {};
  const resources: Record<string, { limits?: Record<string, string>; requests?: Record<string, string> }> = {};
  for (const change of changes) {
    if (change.kind === 'Image') images[change.container] = change.image;
    if (change.kind === 'Resource') {
      const wanted = (resources[change.container] ??= {});
      wanted[change.list] = { ...wanted[change.list], [change.name]: change.quantity };
    }
  }
  return { images, resources };
}

interface Templates {
  readonly before: PodTemplateSpec;
  readonly after: PodTemplateSpec;
}

interface MetadataChanges {
  readonly refs: Gathered<RefMetadata>;
  /** The target's metadata and the old one's, without the keys that containers are restarted for. */
  readonly before: TemplateMeta;
  readonly after: TemplateMeta;
}

const without = (map: Readonly<Record<string, string>> | undefined, keys: ReadonlySet<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !keys.has(key)));

const withoutKeys = (meta: TemplateMeta, taken: Readonly<Record<'labels' | 'annotations', ReadonlySet<string>>>): TemplateMeta => ({
  ...meta,
  labels: without(meta.labels, taken.labels),
  annotations: without(meta.annotations, taken.annotations),
});

/** Splits changed metadata into what environment variables read (by container) and the rest. */
function splitMetadata(before: TemplateMeta, target: PodTemplateSpec, isRestarting: boolean): MetadataChanges {
  const after = target.metadata ?? {};
  if (!isRestarting) return { refs: {}, before, after };
  const taken = { labels: new Set<string>(), annotations: new Set<string>() };
  const refs: Record<string, { labels?: Record<string, string>; annotations?: Record<string, string> }> = {};
  for (const container of target.spec?.containers ?? []) {
    for (const { from, key } of metadataEnvs(container)) {
      const value = after[from]?.[key];
      if (value === undefined || value === before[from]?.[key]) continue;
      taken[from].add(key);
      const ref = (refs[container.name] ??= {});
      ref[from] = { ...ref[from], [key]: value };
    }
  }
  return { refs, before: withoutKeys(before, taken), after: withoutKeys(after, taken) };
}

const unlessEmpty = <T extends object>(map: T): T | undefined => (Object.keys(map).length === 0 ? undefined : map);

function specOf(templates: Templates, changes: ContainerChanges, revision: string, options: InPlaceOptions): UpdateSpec {
  const { before, after } = templates;
  const metadata = splitMetadata(before.metadata ?? {}, after, options.gates.InPlaceUpdateEnvFromMetadata);
  const refs = unlessEmpty(metadata.refs);
  return omitUndefined<UpdateSpec>({
    revision,
    containerImages: unlessEmpty(changes.images),
    containerRefMetadata: refs,
    containerResources: unlessEmpty(changes.resources),
    metaDataPatch: metadataPatchBetween(metadata.before, metadata.after),
    updateEnvFromMetadata: refs === undefined ? undefined : true,
    graceSeconds: options.graceSeconds > 0 ? options.graceSeconds : undefined,
  });
}

function decide(templates: Templates, revision: string, options: InPlaceOptions): InPlaceDecision {
  const { before, after } = templates;
  const found = diffJson({ ...before, metadata: {} }, { ...after, metadata: {} }).map((change) =>
    containerChange(change, before, options.gates),
  );
  const obstacle = found.find((change) => change.kind === 'No');
  if (obstacle !== undefined) return recreate(obstacle.why);
  const changes = gather(found);
  if (unlessEmpty(changes.resources) !== undefined && qosClassOf(before.spec) !== qosClassOf(after.spec)) {
    return recreate(`the QoS class would change from ${qosClassOf(before.spec)} to ${qosClassOf(after.spec)}`);
  }
  return { kind: 'InPlace', spec: specOf(templates, changes, revision, options) };
}

/**
 * Decides between updating in place and recreating. Both templates are normalised first, so their writers do not matter.
 *
 * @param current the revision of the Pod; undefined when the history does not contain it
 * @param target the revision to update to; equal templates result in a spec that changes only the revision
 */
export function planInPlaceUpdate(
  current: ControllerRevision | undefined,
  target: ControllerRevision,
  options: InPlaceOptions,
): InPlaceDecision {
  if (current === undefined) return recreate("the Pod's revision is not in the history");
  const { gates } = options;
  if (gates.RecreatePodWhenChangeVCTInCloneSetGate && !options.ignoreClaimTemplates && !hasSameClaimTemplates(current, target)) {
    return recreate('the volumeClaimTemplates differ');
  }
  const before = templateOf(current);
  const after = templateOf(target);
  if (before === undefined || after === undefined) return recreate('a revision holds no pod template');
  return decide({ before, after }, revisionId(options.adapter, target), options);
}
