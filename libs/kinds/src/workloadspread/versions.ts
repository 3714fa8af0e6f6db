/** Versions of a workload whose Pods are counted apart. Pure. @see spec/workloadspread.md 5.3 */
import { labels } from '@kruise/api';
import { controllerOf, memberAt, semanticEqual, type KubeObject, type Pod } from '@kruise/objects';

/** Key of what is counted together. */
const versionIgnored = 'versionIgnored';

/** Kinds, in lower case. */
export type VersionedKinds = ReadonlySet<string>;

const { podTemplateHash: templateHash, controllerRevisionHash: revisionHash } = labels;

/** @param flag kinds, joined by commas. ReplicaSets hold the versions of Deployments, so these imply those */
export function versionedKinds(flag: string): VersionedKinds {
  const kinds = flag
    .split(',')
    .map((kind) => kind.trim().toLowerCase())
    .filter((kind) => kind !== '');
  return new Set(kinds.includes('deployment') ? [...kinds, 'replicaset'] : kinds);
}

const isVersioned = (kind: string | undefined, versioned: VersionedKinds): boolean =>
  kind !== undefined && versioned.has(kind.toLowerCase());

const afterLastDash = (text: string): string => text.slice(text.lastIndexOf('-') + 1);

/** A Pod without a label that says its version is one of {@link versionIgnored}. */
export function versionOfPod(pod: Pod, versioned: VersionedKinds): string {
  if (!isVersioned(controllerOf(pod)?.kind, versioned)) return versionIgnored;
  const { [templateHash]: hash = '', [revisionHash]: revision = '' } = pod.metadata.labels ?? {};
  const version = hash !== '' ? hash : afterLastDash(revision);
  return version === '' ? versionIgnored : version;
}

/** What the version of a workload is read from. */
export interface VersionSource {
  readonly kind: string;
  /** Undefined when there is no workload. */
  readonly object: KubeObject | undefined;
  /** Those that a Deployment controls. */
  readonly replicaSets: readonly KubeObject[];
}

export type WorkloadVersion =
  | { readonly kind: 'Known'; readonly version: string }
  /** Its controller has not come so far: it will be known soon. */
  | { readonly kind: 'NotYet'; readonly why: string };

const known = (version: string): WorkloadVersion => ({ kind: 'Known', version });

/** The template without the label that distinguishes the ReplicaSets of a Deployment. */
function plainTemplate(object: KubeObject): unknown {
  const template = memberAt(object, 'spec', 'template');
  const { [templateHash]: _hash, ...rest } = (memberAt(template, 'metadata', 'labels') ?? {}) as Readonly<Record<string, unknown>>;
  const metadata = memberAt(template, 'metadata') ?? {};
  return { ...(template as object | undefined), metadata: { ...metadata, labels: rest } };
}

const hashOf = (object: KubeObject): string => {
  const hash = object.metadata.labels?.[templateHash] ?? '';
  return hash === '' ? versionIgnored : hash;
};

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0) || 0;

const isObserved = (workload: KubeObject): boolean => {
  const observed = memberAt(workload, 'status', 'observedGeneration');
  return typeof observed === 'number' && observed >= (workload.metadata.generation ?? 0);
};

/** A Deployment that is paused makes no ReplicaSet of a new template: its newest one is that of new Pods. */
function ofDeployment(deployment: KubeObject, replicaSets: readonly KubeObject[]): WorkloadVersion {
  const template = plainTemplate(deployment);
  const current = replicaSets.find((set) => semanticEqual(plainTemplate(set), template));
  if (current !== undefined) return known(hashOf(current));
  if (!isObserved(deployment))
    return { kind: 'NotYet', why: `no ReplicaSet of Deployment ${deployment.metadata.name} has its template yet` };
  const [newest] = [...replicaSets].sort((a, b) => revisionOf(b) - revisionOf(a));
  return known(newest === undefined ? '' : hashOf(newest));
}

function byUpdateRevision(workload: KubeObject): WorkloadVersion {
  if (!isObserved(workload))
    return { kind: 'NotYet', why: `the controller of CloneSet ${workload.metadata.name} has not seen its newest generation yet` };
  const revision = memberAt(workload, 'status', 'updateRevision');
  const version = typeof revision === 'string' ? afterLastDash(revision) : '';
  return known(version === '' ? versionIgnored : version);
}

/** The version that new Pods have; '' when there is no workload. */
export function versionOfWorkload({ kind, object, replicaSets }: VersionSource, versioned: VersionedKinds): WorkloadVersion {
  if (!isVersioned(kind, versioned)) return known(versionIgnored);
  if (object === undefined) return known('');
  if (kind === 'Deployment') return ofDeployment(object, replicaSets);
  if (kind === 'ReplicaSet') return known(hashOf(object));
  return kind === 'CloneSet' ? byUpdateRevision(object) : known(versionIgnored);
}
